"""Contract tests for plug-ins, which the built-in ones pass too."""
