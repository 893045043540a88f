"""Synthetic issues: D(C) of AVH (section 4.3), and which of them a constraint catches."""
