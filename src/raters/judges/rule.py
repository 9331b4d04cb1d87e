"""When a verdict on a judge is given, and in which words: one rule for all who give one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

# Found by simulation (benchmarks/verdicts.py): with fewer, "above" or "not inferior" is false
# more often than 5 and 8 times in a hundred. Both are asked for, since many items on which
# nobody differs tell judge and experts apart no better than a few.
LEAST_ITEMS = 10
LEAST_DISAGREE = 10
# "Within", "equivalent" and "not inferior" are about the size of a difference, not only about
# its direction: they ask for more, and for raters who leave the commonest level often enough.
LEAST_FOR_MARGIN = 100
LEAST_AWAY = 20
EXPERTS_ALPHA = 0.1  # where experts differ by their own exchange test


class Words(str):
    """A verdict as people read it, with the code by which programs know it.

    Parameters
    ----------
    code : str
    text : str

    Examples
    --------
    >>> Words("few_items", "cannot tell with n = 8").code
    'few_items'
    """

    code: str

    def __new__(cls, code: str, text: str) -> Words:
        """A text with a code."""
        made = super().__new__(cls, text)
        made.code = code
        return made


OPEN = "cannot tell"
ABOVE, BELOW = Words("above", "above the experts' ceiling"), Words("below", "below")
WITHIN = Words("within", "within it")
UNDEFINED, NO_INTERVAL = Words("undefined", "not defined"), Words("no_interval", "no interval")
ON_LINE = Words("on_line", f"{OPEN}: an end lies on the line, take more resamples")
DIFFER = Words("experts_differ", f"{OPEN}: the experts differ among themselves")
_NOTHING = Words("", "")
# All others say why nothing is decided.
DECIDED = (ABOVE.code, WITHIN.code, BELOW.code)
NOT_THERE = (UNDEFINED.code, NO_INTERVAL.code)


@dataclass(frozen=True)
class Standing:
    """Where a judge stands among the experts by the exchange test.

    Parameters
    ----------
    p : float
        Two-sided p-value of "the judge is one more expert"; NaN where it was not tested.
    up : bool
        Whether the judge agrees more than chance exchanges do.
    p_experts : float
        The experts' own smallest p-value times their number; NaN with two experts.
    resembles : str
        The expert with whom the judge agrees most.
    """

    p: float = np.nan
    up: bool = False
    p_experts: float = np.nan
    resembles: str = ""

    @property
    def experts_differ(self) -> bool:
        """Whether the experts are not exchangeable themselves."""
        return self.p_experts <= EXPERTS_ALPHA

    def against_above(self, alpha: float) -> Words:
        """What the exchange test has against "above", or ""."""
        if self.experts_differ:
            return DIFFER
        if self.up and self.p <= alpha:
            return _NOTHING
        text = f"{OPEN}: one more expert may come out so far above (exchange test)"
        return Words("one_more_expert", text)


@dataclass(frozen=True)
class Counts:
    """How much there is to decide from.

    Parameters
    ----------
    items : int
        Items that count.
    disagree : int
        Those of them on which somebody, judge or expert, differs from somebody else.
    away : int
        Ratings off the commonest level, of the rater who has fewest.
    """

    items: int
    disagree: int
    away: int


@dataclass(frozen=True)
class Ends:
    """The ends of an interval: each lies somewhere between two numbers, as draws are few.

    Parameters
    ----------
    low, high : tuple of float
    """

    low: tuple[float, float]
    high: tuple[float, float]


def too_few(counts: Counts, of_margin: bool = False) -> Words:
    """Why there is no verdict: too few items, or too few on which anybody differs; or "".

    Parameters
    ----------
    counts : Counts
    of_margin : bool
        Whether the verdict is about a margin, which asks for more.

    Returns
    -------
    Words

    Examples
    --------
    >>> too_few(Counts(50, 3, 40))
    'cannot tell: judge and experts differ on 3 of 50 items, 10 are needed'
    >>> too_few(Counts(8, 8, 6))
    'cannot tell with n = 8, 10 are needed'
    """
    least = LEAST_FOR_MARGIN if of_margin else LEAST_ITEMS
    if counts.items < least:
        return Words("few_items", f"{OPEN} with n = {counts.items}, {least} are needed")
    if counts.disagree < LEAST_DISAGREE:
        return Words(
            "few_disagree",
            f"{OPEN}: judge and experts differ on {counts.disagree} of {counts.items} items, "
            f"{LEAST_DISAGREE} are needed",
        )
    if of_margin and counts.away < LEAST_AWAY:
        return Words(
            "few_away",
            f"{OPEN}: a rater leaves the commonest level {counts.away} times, "
            f"{LEAST_AWAY} are needed",
        )
    return _NOTHING


def verdict(
    difference: float,
    wide: Ends,
    narrow: Iterable[Ends],
    counts: Counts,
    standing: Standing,
    margin: float = 0.1,
    alpha: float = 0.05,
) -> Words:
    """A difference in words.

    Parameters
    ----------
    difference : float
        The judge's agreement less the experts' own.
    wide : Ends
        Its interval of ``1 - alpha``, which decides about 0.
    narrow : iterable of Ends
        Those of ``1 - 2 alpha``, percentile and BCa, which decide about the margin: two
        one-sided tests at alpha. Both have to lie inside, as either alone does so too often.
    counts : Counts
    standing : Standing
    margin : float
        The largest difference that does not matter.
    alpha : float

    Returns
    -------
    Words
        See `benchmark`; its ``code`` is one of ``above, within, below, undefined, no_interval``,
        or why nothing is decided: ``few_items, few_disagree, few_away, experts_differ,
        one_more_expert, on_line, open``.

    Examples
    --------
    >>> one_more, many = Standing(p=0.4, p_experts=0.8), Counts(400, 300, 250)
    >>> wide, narrow = Ends((-0.06, -0.05), (0.1, 0.11)), [Ends((-0.05, -0.04), (0.07, 0.08))]
    >>> verdict(0.02, wide, narrow, many, one_more)
    'within it'
    >>> verdict(0.02, wide, narrow, Counts(9, 9, 9), one_more)
    'cannot tell with n = 9, 10 are needed'
    """
    if not np.isfinite(difference):
        return UNDEFINED
    few = too_few(counts)
    if few:
        return few
    if np.isnan([*wide.low, *wide.high]).any():
        return NO_INTERVAL
    low, high = _side(wide.low, 0), -_side(wide.high, 0)
    against = standing.against_above(alpha) if low > 0 else _NOTHING
    if low > 0 and not against:
        return ABOVE
    if high > 0:
        return BELOW
    inside = _inside(narrow, margin)
    few = too_few(counts, of_margin=True)
    if inside > 0 and not few:
        return WITHIN
    if against or inside > 0:
        return against or few
    if low == 0 or high == 0 or (inside == 0 and not few):
        return ON_LINE
    return Words("open", f"{OPEN} with n = {counts.items}")


def _inside(narrow, margin):
    """1 where all intervals lie inside the margin, 0 where more draws would have to tell."""
    least = 1
    for one in narrow:
        least = min(least, _side(one.low, -margin), -_side(one.high, margin))
        if least < 0:
            break
    return least


def _side(end, line):
    """1 where an end lies above a line, -1 below, 0 where more draws would have to tell."""
    return 1 if end[0] > line else -1 if not end[1] >= line else 0
