"""Telling people and systems of validations: webhooks and mail."""
