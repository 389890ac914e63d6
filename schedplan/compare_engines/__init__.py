"""Which scheduling engine fits a workload: gates, fit by facts, and what replays of the workload measured."""
