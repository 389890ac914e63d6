"""Plans by arithmetic and without a solver: the reference plan, and an earlier plan carried over."""
