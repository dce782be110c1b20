"""The faces of the library: the memory, its users, their notes, access rules and administration.

Every verb is here in a plain and in an awaitable form. No rule, no statement of SQL and no prompt belongs here.
"""
