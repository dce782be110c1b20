"""Statements in languages other than English, verbatim: what they tell is known from a few words of each language."""
