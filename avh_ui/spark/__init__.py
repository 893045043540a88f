"""The only home of PySpark."""
