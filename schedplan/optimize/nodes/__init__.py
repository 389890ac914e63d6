"""From a plan on pools to one on nodes, at any size: packing, insertion at marginal cost, replicas, and boxes of single nodes."""
