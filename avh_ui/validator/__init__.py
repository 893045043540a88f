"""The headless validator: judges a batch by its published program. Imports no UI and no inference."""
