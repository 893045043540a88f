"""Suggesting by the values themselves: closed sets, shares of new values, known vocabularies."""
