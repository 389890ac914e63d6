"""Slurm: what its commands print and its files say, as jobs, nodes, quotas and outages."""
