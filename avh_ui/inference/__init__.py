"""Suggesting: independent sources, by history, by the values that came, by corpus and by snapshot."""
