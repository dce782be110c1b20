"""Token counters, embedders and chat models; what needs a package has a file of its own.

Each is opened by name and loaded when it is first used. No rule belongs here.
"""
