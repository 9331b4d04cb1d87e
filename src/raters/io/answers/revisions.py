"""Answers that are taken back by what follows them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real

from raters.io.answers.rules import Answer, unreadable
from raters.io.answers.text import NUMBER

# A score may be taken back: "Score: 3. On reflection, 2."
_REVISED = re.compile(
    r"\b(?:chang(?:e|ed|ing)|correct(?:ion|ed|ing)?|revis(?:e|ed|ing|ion)|amend(?:ed|ing|ment)?|"
    r"adjust(?:ed|ing|ment)?|lower(?:ed|ing)?|rais(?:e|ed|ing)|updat(?:e|ed|ing)|(?:up|down)grad"
    r"(?:e|ed|ing)|reconsider(?:ed|ing|ation)?|reflection|second\s+thoughts?|actually|instead|"
    r"rather|final(?:ly)?|wait|sorry|no|meant|make\s+(?:that|it)|scratch\s+that|edit|"
    r"korrektur|korrigiert?|eigentlich|vielmehr|doch|stattdessen|endgültig)\b",
    re.I,
)

_LOOKED_AT = 160  # characters after a word of revision

# Where a rating may stand: after a sign or a word that leads to it, and before a stop.
_LEADS = (
    r"(?:^|[:,.;!?(=>–—\"'*_`\[-]|\b(?:to|an?|as|is|be|of|with|say|give|it|that|at|now|"
    r"score|rating|grade|label|answer|verdict|zu|auf|ist|eine?))[\s\"'*_`(\[]*"
)


def unless_revised(answer: Answer, after: str, others: Others) -> Answer:
    """The answer, unless what follows it takes it back for another one of `others`."""
    if answer.kind != "parsed":
        return answer
    for word in _REVISED.finditer(after):
        rest = after[word.end() : word.end() + _LOOKED_AT]
        for match in others.pattern.finditer(rest):
            told = others.level_of(match["level"])
            if told is not None and told != answer.value:
                said = (word.group() + rest[: match.end("level")])[-60:].strip()
                was = f"{answer.value:g}" if isinstance(answer.value, Real) else answer.value
                return unreadable("ambiguous", f"{was}, which is revised: {said!r}")
    return answer


@dataclass(frozen=True)
class Others:
    """How levels are found in what follows a score, and which one a spelling is."""

    pattern: re.Pattern
    level_of: Callable


@lru_cache(maxsize=64)
def any_of(names: tuple[str, ...]) -> re.Pattern:
    """One of these spellings where a rating may stand."""
    # Before a letter it counts something ("2 questions"); "2. Ask" on a line is a list.
    choice = "|".join(re.escape(n) if n != NUMBER else n for n in names)
    return re.compile(
        rf"{_LEADS}(?<![\w.])(?!(?<=\n)\d+[.)][ \t]+\w)(?P<level>{choice})(?![\w%])"
        r"(?=[\s\"'*_`)\]]*(?:[.,;:!?(–—/-]|$|\n"
        r"|\b(?:out|instead|now|because|since|as|and|but|then)\b))",
        re.I,
    )
