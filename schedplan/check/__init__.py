"""Rules about measures and the verdict on them; it computes no measure itself."""
