"""What is shown to people and machines: one document, many forms of it."""
