"""Search for candidates inside the database."""
