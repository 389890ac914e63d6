"""Several goals apart: one after the other, and the front of two."""
