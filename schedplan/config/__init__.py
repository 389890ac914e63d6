"""The project file and everything that overrides it, read into frozen settings."""
