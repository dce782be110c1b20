"""Finding candidates in the database itself."""
