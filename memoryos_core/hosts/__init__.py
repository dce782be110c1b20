"""Everything that an adapter for a framework needs from the core, and nothing else of it is used by one.

Names that stand in `__all__` are public and stable. Nothing here knows a framework.
"""
