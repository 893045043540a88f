"""The only home of SQL and files."""
