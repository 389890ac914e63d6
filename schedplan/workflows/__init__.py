"""One function per command, composing the stages."""
