"""What engines compute, each by its own formula: scores of nodes, shares of queues, priorities of jobs."""
