"""What is off in data before anything is planned: rules by family, each with a code, a check and its text."""
