"""A Prometheus server that is asked while the call runs: its address, its token, the questions, and the answers as files."""
