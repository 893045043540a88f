"""Suggestions from a corpus of columns (Auto-Validate, SIGMOD 2021)."""
