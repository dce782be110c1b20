"""Around the library: the command line, telemetry, and the signatures of the published MemoryOS.

Everything here uses the public verbs. Nothing in the library imports it.
"""
