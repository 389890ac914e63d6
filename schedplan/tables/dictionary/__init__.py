"""One dictionary per table: its columns with type, unit, default and meaning. Everything else about a table follows from them."""
