"""Suggesting: three independent sources, by history, by corpus and by snapshot."""
