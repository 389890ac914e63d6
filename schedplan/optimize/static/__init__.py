"""Placement at one instant, with shares of devices: the bound over device patterns, and the plan that comes near it."""
