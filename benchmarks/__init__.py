"""Benchmarks: registered specs times phases. Run with `python -m benchmarks`; no test asserts a time."""
