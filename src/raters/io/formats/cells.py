"""One cell on its declared scale: a rating, a missing one, or a reason why it is neither."""

from __future__ import annotations

import re

from raters.io.config import ScaleRules
from raters.io.formats.base import ID_JUNK, LabelSet
from raters.io.notes import Note
from raters.label_sets import labels_of, normal, spelled
from raters.text import count_of

_NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)?|[.,]\d+)([eE][-+]?\d+)?")
_WIDE_DIGITS = {ord("０") + n: str(n) for n in range(10)} | {ord("−"): "-", 0xA0: None}


def number(text: str, decimal: str = ".") -> float | None:
    """A cell as a number, or None: never more than what is written.

    None for words, for thousands separators and for the other decimal sign.

    >>> number(" 3 "), number("3,5", ","), number("3,5"), number("1,000")
    (3.0, 3.5, None, None)
    """
    text = text.strip().translate(_WIDE_DIGITS)
    other = "," if decimal == "." else "."
    if other in text or not _NUMBER.fullmatch(text):
        return None
    return float(text.replace(",", "."))


def read_cell(
    text: str | None, rules: ScaleRules, decimal: str = "."
) -> tuple[float | str | None, str, str]:
    """One cell on its scale.

    Three things: a number on a numeric scale, otherwise the name of a level; the code of a missing
    rating; why a cell is bad.

    >>> rules = ScaleRules([1, 2, 3], missing=[0])
    >>> read_cell("2.0", rules), read_cell("0", rules)
    ((2.0, 'ok', ''), (None, 'missing', '0'))
    """
    if isinstance(text, LabelSet):
        labels = labels_of(text)
        if rules.sets:
            return _read_set(labels, rules)
        if len(labels) > 1:
            what = f"a list of {count_of(len(labels), 'label')}"
            reason = f"{what}, which a scale with sets = true can hold"
            return None, "bad", Note(reason, "several-labels")
        text = "".join(labels)
    text = (text or "").strip(ID_JUNK)
    if not text:
        return None, "missing", "empty cell"
    for code in rules.missing:
        as_number = isinstance(code, (int, float)) and not isinstance(code, bool)
        if text == str(code).strip() or (as_number and number(text, decimal) == code):
            return None, "missing", str(code)
    if text in rules.recode:
        return named_level(rules.recode[text], rules), "ok", ""
    if rules.sets:
        return _read_set({normal(one) for one in text.split(rules.separator)} - {""}, rules)
    if text in rules.scale.outside:
        return text, "ok", ""
    if rules.numeric:
        return _read_number(text, rules, decimal)
    known = rules.scale.value_of(text)
    if known == known:
        return text, "ok", ""
    alike = [str(v) for v in rules.levels if str(v).strip().lower() == text.lower()]
    hint = f"; it differs from {alike[0]!r} in upper and lower case" if alike else ""
    return None, "bad", _off(rules, hint)


def _off(rules, hint):
    return Note(f"not on the scale {rules.scale.describe()}{hint}", "off-scale")


def named_level(level: object, rules: ScaleRules) -> float | str:
    """A declared level as it stands in a frame of ratings: its number, or its name."""
    return rules.scale.value_of(level) if rules.numeric else str(level).strip()


def _read_number(text, rules, decimal):
    value = number(text, decimal)
    if value is None:
        if text.startswith("date "):
            reason = "a date: spreadsheets turn entries such as 3-4 into dates"
            return None, "bad", Note(reason, "date")
        other = "," if decimal == "." else "."
        if number(text, other) is not None:
            reason = f"the decimal sign {other!r}, where {decimal!r} is declared"
            return None, "bad", Note(reason, "decimal-sign")
        reason = f"no number, on the scale {rules.scale.describe()}"
        return None, "bad", Note(reason, "no-number")
    known = rules.scale.value_of(value)
    if known == known:
        return known, "ok", ""
    hint = "; if 0 means 'not rated', declare missing = [0]" if value == 0 else ""
    return None, "bad", _off(rules, hint)


def _read_set(labels, rules):
    for label in sorted(labels):
        known = rules.scale.value_of(label)
        if known != known:
            reason = f"{label!r} is not on the scale {rules.scale.describe()}"
            return None, "bad", Note(reason, "off-scale")
    return spelled(labels), "ok", ""
