"""Calls as users make them, good and bad, and what has to hold however they end."""
