"""What schedulers can do, as facts with their sources, and how some of them decide, as policies that a replay runs."""
