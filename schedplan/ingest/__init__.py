"""Sources as canonical tables: one reader per source, and the account of what became of every row."""
