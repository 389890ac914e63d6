"""Results in the languages of other programs, one writer per target; each returns texts by path and writes no file."""
