"""Rules that read dates: the span of time that a text names."""
