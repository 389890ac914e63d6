"""Quantities as people write them, exact: lengths of time and sizes with their units, one grammar a file."""
