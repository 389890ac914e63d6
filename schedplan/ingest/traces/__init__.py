"""Logs of jobs and instances that studies published, as jobs and nodes."""
