"""The words by which columns and cells are recognised; the lists stand in `words.toml`."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
ROLES = {role: words.split() for role, words in _LISTS["roles"].items()}
STEMS = {role: {*words.split(), *ROLES[role]} for role, words in _LISTS["stems"].items()}
COLUMNS = {kind: frozenset(words.split()) for kind, words in _LISTS["columns"].items()}
LIKE_MISSING = frozenset(_LISTS["cells"]["missing"].split())


@lru_cache(maxsize=65_536)
def bare(name: str) -> str:
    """A name as the lists hold it: small letters without accents, signs and numbers."""
    plain = unicodedata.normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]", "", plain)


def called(name: str, kind: str) -> bool:
    """Whether a name is one of the words of a kind, such as ``"prose"``."""
    return bare(name) in COLUMNS[kind]


def named(names: Iterable[str], role: str, taken: Collection[str] = ()) -> str:
    """The column whose name is the likeliest for a role; empty where none is."""
    words = {name: bare(name) for name in names if name not in taken}
    return next((n for word in ROLES[role] for n, text in words.items() if text == word), "")


def made_from_others(name: str) -> bool:
    """Whether a column is called like a consensus or a reference."""
    agreed, added = COLUMNS["agreed"], COLUMNS["added"]
    words = {bare(word) for word in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", name)} - {""}
    return called(name, "agreed") or (bool(words & agreed) and words <= agreed | added)
