"""Rules of knowledge: what a fact states, and which statement replaces which.

Pure: no clock, no disk, no model.
"""
