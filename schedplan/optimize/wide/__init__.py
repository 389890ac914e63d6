"""Models on pools too wide to be built start by start, built as arrays: their rows, and what starts add to F."""
