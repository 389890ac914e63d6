"""One file, one formula, one name per constraint. Some restrict the columns, the others add rows."""
