"""Labels, positions in pairs and what a pattern finds, where it is marked as the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Real

from raters.io.answers.numbers import by_number, score_of
from raters.io.answers.revisions import Others, any_of, unless_revised
from raters.io.answers.rules import POSITIONS, Answer, Rule, lowered, spellings_of, unreadable
from raters.io.answers.text import NUMBER, bare_text

_LABEL_MARK = (
    r"\b(?:label|verdict|answer|rating|category|class|classification|decision|choice|winner|"
    r"score|grade|sentiment|judge?ment|preference)\b\s*(?:is|=|:|-|->)+[\s\"'*_`\[(]*"
)

_BRACKETS_ANY = re.compile(r"\[\[([^\[\]]{1,60})\]\]")

_LINE = re.compile(r"^(.+)$", re.M)


def by_label(said: str, spellings: Mapping[str, object]) -> Answer:
    """The label that is marked as the answer."""
    names = sorted(spellings, key=len, reverse=True)
    clean = bare_text(said)
    if clean in spellings:
        return Answer(spellings[clean], "parsed")
    choice = "|".join(re.escape(name) for name in names)
    marked = re.compile(
        rf"{_LABEL_MARK}(?P<label>{choice})(?!\w)(?P<after>\s*(?:/|,|\bor\b|\band\b)\s*\w+)?", re.I
    )
    found = [(spellings[m["label"].lower()], m.end("label")) for m in marked.finditer(said)]
    if any(m["after"] and bare_text(re.sub(r"^\s*(?:/|,|or|and)\s*", "", m["after"])) in spellings
           for m in marked.finditer(said)):  # fmt: skip
        return unreadable("ambiguous", "several labels at once")
    found += _bare_ones(_BRACKETS_ANY, said, spellings)
    found = found or _bare_ones(_LINE, said, spellings)
    different = list(dict.fromkeys(label for label, _ in found))
    if len(different) == 1:
        after = said[min(end for _, end in found) :]
        return unless_revised(Answer(different[0], "parsed"), after, labels_of(spellings))
    if different:
        names = ", ".join(map(str, different))
        return unreadable("ambiguous", f"several different labels: {names}")
    return unreadable("no-score", "no label that is marked as the answer")


def _bare_ones(pattern, said, spellings):
    """The labels that are all of what a pattern finds, and where each ends."""
    matches = [(bare_text(m.group(1)), m.end()) for m in pattern.finditer(said)]
    return [(spellings[name], end) for name, end in matches if name in spellings]


def position_of(answer: Answer, order: tuple[str, str], rule: Rule) -> Answer:
    """The system that stood where the answer says."""
    if answer.kind != "parsed":
        return answer
    system = {"first": order[0], "second": order[1], "tie": "tie"}[answer.value]
    if rule.allows(system):
        return Answer(system, "parsed")
    return unreadable("out-of-range", f"{system!r} is none of {rule.scale.describe()}")


def by_pattern(said: str, rule: Rule) -> Answer:
    """What the rule's regular expression finds."""
    found = list(dict.fromkeys(m.group(1) for m in re.finditer(rule.pattern, said)))
    if not found or found == [None]:
        return unreadable("no-score", f"nothing that the pattern {rule.pattern!r} finds")
    if len(found) > 1:
        return unreadable("ambiguous", f"several different scores: {', '.join(map(str, found))}")
    return scalar(found[0], rule, None)


def scalar(text: str, rule: Rule, order: tuple[str, str] | None) -> Answer:
    """A short text that is the rating itself."""
    if rule.kind == "pair":
        return position_of(by_label(text, {**POSITIONS, **lowered(rule.labels)}), order, rule)
    if bare_text(text) in (spellings := spellings_of(rule)):
        level = spellings[bare_text(text)]
        return Answer(rule.scale.value_of(level) if isinstance(level, Real) else level, "parsed")
    if re.fullmatch(NUMBER, text.strip()):
        return score_of(text.strip(), rule)
    return by_number(text, rule)


def labels_of(spellings: Mapping[str, object]) -> Others:
    """Other labels."""
    names = tuple(sorted(spellings, key=len, reverse=True))
    return Others(any_of(names), lambda text: spellings.get(text.lower()))
