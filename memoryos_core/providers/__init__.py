"""Embedders, chat models and token counters, one implementation a file.

Each is opened by name and loaded when it is first used. No rule belongs here.
"""
