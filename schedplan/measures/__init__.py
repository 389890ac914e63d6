"""Every number that is reported, defined once, and the check of a plan that has never heard of a solver."""
