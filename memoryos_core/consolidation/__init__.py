"""The way in: pages leave short-term memory, join topics, and are read into long-term memory.

The stages, the worker that runs them, and its leases. How something is ranked or stored is not decided here.
"""
