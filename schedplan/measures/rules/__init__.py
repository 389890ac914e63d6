"""The rules of a plan, one file each; `measures.feasibility` lists them with their codes."""
