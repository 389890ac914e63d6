"""One file per command. Each body says what it reads, calls one workflow and presents the result."""
