"""Frozen values: what moves between the tiers, what a store is told and asked, and what a caller gets back.

They hold data and check it. No rule, no input and no output belongs here.
"""
