"""What a column can be held to before its history says anything: guesses from one to six batches."""
