"""What nodes cost, how often spot nodes are taken back, and how much carbon power brings: lists of clouds and of studies."""
