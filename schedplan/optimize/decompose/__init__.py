"""Problems cut into several that are solved one by one: parts that share nothing, and shares that are alike."""
