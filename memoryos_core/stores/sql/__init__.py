"""The store on a SQL database: one schema and one set of statements for SQLite and PostgreSQL."""
