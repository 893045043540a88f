"""Suggestions from the latest snapshot (Deequ's rules, VLDB 2018)."""
