"""Changes of the inputs that mend a conflict, each tried before it is named."""
