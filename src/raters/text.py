"""Words for numbers and lists, as every sentence of the package uses them."""

from __future__ import annotations

from collections.abc import Iterable


def shorten(value: object, width: int = 80) -> str:
    """A value as one short line for messages."""
    text = " ".join(str("" if value is None else value).split())
    return text if len(text) <= width else text[: width - 1] + "…"


def few(names: Iterable[object], shown: int = 12) -> str:
    """Some names for a message, and how many more there are."""
    names = [shorten(name, 40) for name in names]
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    return ", ".join(map(repr, names[:shown])) + more


def count_of(count: int, word: str) -> str:
    """A number with its word: ``1 row``, ``2,000 rows``."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
