"""Long horizons: a bound over all of the horizon by prices, plans window by window, and parts that share nothing apart."""
