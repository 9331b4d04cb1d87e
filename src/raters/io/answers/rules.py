"""The rules by which answers are read, and what becomes of an answer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from raters.errors import RatingsError
from raters.scale import Scale

KINDS = ("number", "json", "label", "pattern", "pair")

STATES = ("parsed", "refused", "missing", "unreadable")

POSITIONS = {
    "first": "first", "a": "first", "1": "first", "response a": "first", "answer a": "first",
    "second": "second", "b": "second", "2": "second", "response b": "second",
    "answer b": "second", "tie": "tie", "c": "tie", "equal": "tie", "draw": "tie", "both": "tie",
}  # fmt: skip

LONGEST = 200_000


@dataclass(frozen=True)
class Answer:
    """One answer as understood.

    Parameters
    ----------
    value : float, str or None
        The rating: a number, or the name of a level. None unless `kind` is ``"parsed"``.
    kind : {"parsed", "refused", "missing", "unreadable"}
        What became of the answer.
    code : str
        Why, in one word, for counting: ``ok, repaired, refusal, empty, ambiguous, off-step,
        out-of-range, no-score, not-json, cut-off, boolean, too-long``.
    reason : str
        Why, in words; empty for an answer that was read as it is.
    """

    value: float | str | None
    kind: str
    code: str = "ok"
    reason: str = ""


@dataclass(frozen=True)
class Rule:
    """How the answers of a judge are to be read.

    Parameters
    ----------
    scale : Scale
        What a rating may be.
    kind : {"number", "json", "label", "pattern", "pair"}
        A number marked as the score; a key of a JSON object; a name of a level; what a
        regular expression finds; or a position (first, second, tie) that is mapped back
        to the system that stood there.
    key : str
        The key of the JSON object, of its top level; ``"a.b"`` goes one deeper. Upper and
        lower case do not matter. In plain text it is one of the words that mark a number.
    pattern : str
        For ``"pattern"``: a regular expression whose first group is the rating.
    labels : mapping of str to level
        Other spellings of levels (for ``"pair"``: of first, second and tie).
    refusals : sequence of str
        More phrases that are a refusal.
    decimal : {".", ","}
        The decimal sign. A number with the other one is refused.

    Raises
    ------
    RatingsError
        A kind that does not exist, a pattern that is no regular expression or has no
        group, or other spellings of levels that are not on the scale.

    Examples
    --------
    >>> from raters.io.answers import parse
    >>> rule = Rule(Scale([1, 2, 3, 4, 5]))
    >>> parse("It makes 2 mistakes. Score: 4/5", rule).value
    4.0
    >>> parse("between 3 and 4", rule)
    Answer(value=None, kind='unreadable', code='ambiguous', reason="a range: '3 and 4'")
    """

    scale: Scale
    kind: str = "number"
    key: str = "score"
    pattern: str = ""
    labels: Mapping[str, object] = field(default_factory=dict)
    refusals: Sequence[str] = ()
    decimal: str = "."

    def __post_init__(self):
        if self.kind not in KINDS:
            raise RatingsError(f"answers of kind {self.kind!r}", ", ".join(KINDS), "name one")
        if self.decimal not in (".", ","):
            raise RatingsError(f"decimal={self.decimal!r}", "'.' or ','", "name one of them")
        if self.kind == "pattern":
            self._check_pattern()
        allowed = ("first", "second", "tie")
        for spelling, level in self.labels.items():
            known = level in allowed if self.kind == "pair" else self.allows(level)
            if not known:
                raise RatingsError(
                    f"the answer {spelling!r} read as {level!r}",
                    ", ".join(allowed) if self.kind == "pair" else self.scale.describe(),
                    "let labels name one of these",
                )

    def _check_pattern(self):
        try:
            groups = re.compile(self.pattern).groups
        except re.error as error:
            groups = f"{error}"
        if not isinstance(groups, int) or groups < 1:
            raise RatingsError(
                f"the pattern {self.pattern!r}" + (f" ({groups})" if groups else ""),
                "a regular expression with a group around the rating",
                r"write one such as 'Score: (\d+)'",
            )

    def allows(self, level: object) -> bool:
        """Whether a level is on the scale."""
        return not math.isnan(self.scale.value_of(level))


def unreadable(code: str, reason: str) -> Answer:
    """An answer without a rating, and why."""
    return Answer(None, "unreadable", code, reason)


def lowered(labels: Mapping[str, object]) -> dict[str, object]:
    """Spellings of levels in small letters."""
    return {str(name).strip().lower(): level for name, level in labels.items()}


def spellings_of(rule: Rule) -> dict[str, object]:
    """Each spelling of a level, in small letters."""
    levels = {str(level).strip().lower(): level for level in rule.scale.levels}
    return levels | lowered(rule.labels) | {name.lower(): name for name in rule.scale.outside}
