"""Policies, one behaviour per file: each says all its rules, and knows nothing of the kernel that follows them."""
