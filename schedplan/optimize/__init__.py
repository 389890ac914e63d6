"""Placement by CP-SAT: classes, variables, constraints, objective, proof, and the plan on nodes."""
