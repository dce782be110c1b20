"""What a caller holds: the memory, its users, their notes, who may do what, and the work of an administrator.

Every verb is here in a plain and in an awaitable form. No rule, no statement of SQL and no prompt belongs here.
"""
