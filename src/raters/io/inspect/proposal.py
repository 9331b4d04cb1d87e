"""What is proposed for `raters.toml` beside the scales: how each file is read, who rated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from raters.io.config import Source
from raters.io.formats import FORMATS, Table
from raters.io.inspect.profile import Look
from raters.text import few


def declarations(looks: Sequence[Look]) -> tuple[list[Source], dict[str, str]]:
    """The proposed ``[[files]]`` tables and ``[answers]``."""
    sources = _merged([replace(look.source, columns=_short(look)) for look in looks])
    free = [source for source in sources if not holds_ratings(source)]
    return sources, {"kind": _answer_kind(looks)} if free else {}


def holds_ratings(source: Source) -> bool:
    """Answers in free text and verdicts have no ratings yet."""
    return not (source.answers or source.first)


def reusable(looks: Sequence[Look]) -> dict[str, Table]:
    """Rows that need not be read again: of formats with the same rows for any columns."""
    return {look.name: look.table for look in looks if not FORMATS[look.source.format].columns}


def who(looks: Sequence[Look]) -> list[str]:
    """A line on the raters of each file, to copy names from."""
    lines = []
    for look in looks[:10]:
        source = look.source
        profile = look.profiles.get(source.rater)
        names = list(profile.counts) if profile else []
        names = list(source.columns) if source.layout == "wide-by-rater" else names
        kind = "answers in free text of" if source.answers else "ratings of"
        if names:
            lines.append(f"{look.name}: {kind} {few(names, 8)}")
    return lines


def _short(look):
    """All columns of a wide table that are ratings; a pattern where there are very many."""
    columns = look.source.columns
    if len(columns) <= 40:
        return columns
    stem = re.match(r"\D*", columns[0]).group()
    alike = stem and all(column.startswith(stem) for column in columns)
    others = [name for name in set(look.table.names) - set(columns) if name.startswith(stem)]
    return (f"{stem}*",) if alike and not others else columns


def _merged(sources):
    """One table for files that are read alike."""
    if len(sources) > 1 and len({repr(replace(source, name="*")) for source in sources}) == 1:
        suffixes = {Path(source.name).suffix for source in sources}
        return [replace(sources[0], name="*" + (suffixes.pop() if len(suffixes) == 1 else ""))]
    # Those that are read alike stand together.
    merged: dict[str, list[Source]] = {}
    for source in sources:
        merged.setdefault(repr(replace(source, name="*")), []).append(source)
    return [source for alike in merged.values() for source in alike]


def _answer_kind(looks):
    """The kind of rule for free text: JSON where most answers hold an object."""
    free = [look for look in looks if not holds_ratings(look.source)]
    if all(look.source.first for look in free):
        return "pair"
    texts = []
    for look in looks:
        if look.source.answers and look.source.rating in look.profiles:
            texts += list(look.profiles[look.source.rating].counts)[:200]
    objects = sum("{" in text and "}" in text for text in texts)
    return "json" if texts and objects > len(texts) / 2 else "number"
