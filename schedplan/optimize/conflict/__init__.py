"""Whether a problem has a plan at all, and the rules that can't hold together where it has none."""
