"""Pure rules: no input or output, no clock, no model. What the tiers and pipelines decide is decided here."""
