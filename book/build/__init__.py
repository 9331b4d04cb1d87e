"""Builds the book: `python -m book.build`, called from the project's folder."""
