"""Work on single nodes: what fits where, the arithmetic screen, and which nodes must be on for it."""
