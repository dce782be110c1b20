"""Pure rules: no input or output, no clock, no model. All decisions of the tiers and pipelines are made here."""
