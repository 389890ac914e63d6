"""Plans of models too large to be solved whole: relaxation, dives, and boxes of which one after another is solved anew."""
