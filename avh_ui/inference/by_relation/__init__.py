"""Suggestions of what two or more columns keep together in every row: a sum, an order, a copy (design, section 16)."""
