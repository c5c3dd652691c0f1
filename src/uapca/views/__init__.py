"""The explorer, an interactive page."""
