"""The edge: what a file may say, how it is read strictly, and how its rows become the model's records."""
