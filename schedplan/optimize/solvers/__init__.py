"""One run of a solver on a model: rows as each solver wants them, and what it found and proved."""
