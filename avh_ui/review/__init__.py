"""Suggestions, decisions and drafts: pure data and pure change functions, no I/O."""
