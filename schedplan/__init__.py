"""Planning and what-if for AI clusters. The public functions are in `schedplan.api`."""

__version__ = "0.1.0"
