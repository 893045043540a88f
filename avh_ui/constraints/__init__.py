"""Constraints over metrics, conjunctive programs of them, and their versioned document."""
