"""What load is to be expected, with quantiles, and how far that is to be trusted."""
