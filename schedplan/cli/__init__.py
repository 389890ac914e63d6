"""The command line: parse, call one workflow, present, exit. It computes nothing."""
