"""Everything that an adapter for a framework needs from the core. Adapters import nothing else of it.

Names that stand in `__all__` are public and stable. Nothing here knows a framework.
"""
