"""Replays of work on a machine under a policy: one event kernel, parts composed by policies."""
