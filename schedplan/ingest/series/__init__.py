"""Demand over time: series as they were recorded, and requests counted into intervals, as the table `load`."""
