"""Frozen values: data of the tiers, commands and queries of a store, and results for a caller.

They hold data and check it. No rule, no input and no output belongs here.
"""
