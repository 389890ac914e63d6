"""One function over many inputs, here or in several processes: same order, same bytes."""
