"""Rules that read dates: which span of time a text speaks of."""
