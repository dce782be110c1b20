"""The three tiers: each a slice of the store together with the rules that govern it."""
