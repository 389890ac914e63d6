"""Plans put on single nodes over all slots at prices, without a model: job by job, slot by slot, and renewed there."""
