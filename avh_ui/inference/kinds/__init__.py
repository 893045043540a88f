"""What a column is: found from its history and its latest values, shown, and corrected by `kinds:` in avh.yml."""
