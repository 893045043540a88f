"""From files to partial profiles, whoever runs it: Spark's tasks or this process. Knows no engine."""
