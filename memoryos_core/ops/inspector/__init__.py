"""The inspector (extra `inspect`): a page on this machine that shows a memory, and changes it where it may.

It calls public verbs alone, as one actor, and holds no script: all of it is HTML that the server writes.
"""
