"""Long horizons planned window by window: parts of a horizon, and how their plans stand on nodes one after another."""
