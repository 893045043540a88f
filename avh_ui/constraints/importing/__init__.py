"""Rules of other tools, read as checks; what is not understood is named with its reason, never silently dropped."""
