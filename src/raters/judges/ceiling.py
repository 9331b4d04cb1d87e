"""A judge against the experts' own agreement, on the same items and the same resamples.

Experts disagree among themselves: their agreement is the ceiling that a judge is
measured by. How far the judge is from it depends on what either side is compared with,
so there are several readings, and each result is a difference with a paired interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from raters.coefficients.base import notes
from raters.draws import Draws
from raters.errors import RatingsError
from raters.intervals import check_level, monte_carlo_error
from raters.judges.exchange import EXCHANGES, standings
from raters.judges.paired import Asked, Difference, differences_of
from raters.judges.readings import IN_TURN, READINGS
from raters.judges.rule import DECIDED, NOT_THERE, Ends, Words, verdict
from raters.results import MEAN

# What a program needs to know of a verdict beside its interval; files leave them out.
FIELDS = ["code", "n_disagree", "p_exchange", "p_experts", "resembles"]
RESULT = [
    "judge",
    "framework",
    "dimension",
    "reading",
    "statistic",
    "benchmark",
    "value",
    "difference",
    "low",
    "high",
    "n_items",
    "verdict",
    "note",
    "undefined",
    *FIELDS,
]
_INTERVALS = ("percentile", "bca")


def benchmark(
    ratings: pd.DataFrame,
    scale,
    judge: str | Sequence[str],
    reference: str | Sequence[str] = "expert",
    statistics: str | Sequence[str] | Mapping[str, Callable] = "weighted_kappa_quadratic",
    readings: str | Sequence[str] = READINGS[:3],
    resamples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    mean: bool = True,
    margin: float = 0.1,
) -> pd.DataFrame:
    """Does a judge agree with the experts as well as the experts do among themselves?

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales.
    judge : str or sequence of str
        The rater or raters to be judged.
    reference : str or sequence of str
        The experts: a group of the frame, or the names of two raters or more.
    statistics : str, sequence of str, or mapping of str to callable
        Names from `coefficients.PAIR` or `coefficients.MANY`, for which higher is better;
        or functions of ``(x, scale)`` that return `Sums`. One of `MANY`, such as alpha,
        is computed for two raters at a time, but for the reading ``replacement``.
    readings : str or sequence of {"paper", "single", "leave_one_out", "replacement"}
        What is compared with what; see Notes.
    resamples, seed, level : int, int, float
        As in `agreement`: the same draws of items for everybody, for each framework
        its own.
    interval : {"percentile", "bca"}
        How the interval of the difference is made.
    mean : bool
        Also the mean over the dimensions of each framework, and over all dimensions of
        all frameworks, where there are several. Frameworks have their own items, which
        are drawn independently.
    margin : float
        The largest difference, up or down, that does not matter to you.

    Returns
    -------
    DataFrame
        One row a judge, framework, dimension, reading and statistic: ``benchmark`` (the
        experts' agreement), ``value`` (the judge's), ``difference`` with ``low, high``,
        ``n_items``, ``verdict``, ``note``; see Notes for the fields after these.

    Raises
    ------
    RatingsError
        From `check_ratings`; fewer than two experts; a judge who is an expert or is not
        in the frame; an unknown reading, statistic or interval; a margin that is not
        positive.

    Notes
    -----
    The readings, with k the coefficient of two raters:

    - ``paper``: k of the judge with the median of the experts, less the median of k over
      the expert pairs. A median of several is steadier than one expert, so even an
      exchangeable expert would come out ahead: the reading favours the judge. With
      three simulated experts one more comes out 0.08 ahead where their kappa is 0.55, and
      0.05 where it is 0.74.
    - ``single``: the mean of k of the judge with each expert, less the mean of k over the
      expert pairs. Like for like: the difference is 0 for a judge who is one more expert.
    - ``leave_one_out``: each expert is left out in turn. The mean of k of the judge with
      the mean of the others, less the mean of k of the left-out expert with the same.
      Also 0 for one more expert, and less noisy, since the yardstick is steadier.
    - ``replacement``, for coefficients of `MANY` only: the mean of the coefficient of the
      group in which the judge has taken one expert's place, less that of the experts.
      Two of the three raters stay the same, so it is a smaller difference than ``single``.

    All sides use the same items: those that the judge and two experts or more rated.
    ``leave_one_out`` and ``replacement`` use what the expert in question rated. Means,
    medians and differences are taken anew on each resample, so intervals are paired.

    On a nominal scale the experts' median and mean are their mode. Coefficients that know
    only equal or not (F1, percent agreement, Cohen's kappa and others outside
    `NEEDS_ORDER`) and functions of your own get a median or mean rounded to the nearest
    level, and the note says so. F1 weighted by the reference depends on who is the
    reference: the expert is, and among experts each of a pair in turn.

    How the intervals do, with 50 simulated items, five levels and kappa of experts near 0.55:
    those of one dimension hold the truth 93 to 95 % of the time where levels are used
    evenly. Those of a mean over 20 dimensions, 94 % there, but 89 % where 70 % of the ratings
    have one level and the judge's level is shifted. A median of few pairs is not smooth: the
    percentile interval of ``paper`` lies too high (the truth was below 11 % of them),
    ``interval="bca"`` less so (5 %). Where few items are rated differently all of them lie
    too high: with two classes, 50 items and raters who agree on 95 % of them, 15 % lie above 0
    for a judge who is one more expert.

    Verdicts (`raters.judges.rule`): below 10 items, or below 10 on which judge or experts
    differ, ``cannot tell``, and how many there are. ``below`` if the interval lies below 0;
    ``above the experts' ceiling`` if it lies above and `exchange_test` bears it out, which
    needs experts who are exchangeable among themselves; ``within it`` if the interval of
    ``1 - 2 (1 - level)``, percentile and BCa, lies inside the margin, with 100 items or more
    of which each rater rates 20 off the commonest level; otherwise ``cannot tell`` with the
    reason. An end within twice its Monte Carlo error of the line that decides is on the line.
    `benchmarks/verdicts.py` says how often such verdicts are false: a judge who is one more
    of three exchangeable experts is above in at most 4 % of studies with 5 to 200 items.

    Verdicts are one by one: with 21 dimensions some come out by chance. `decisions.decide`
    gives error rates over all dimensions. The field ``code`` is the verdict for programs (see
    `rule.verdict`); ``n_disagree`` (items on which judge or
    experts differ), ``p_exchange``, ``p_experts`` and ``resembles`` are those of
    `exchange_test`, in the reading ``single`` whatever the row's.

    Source: the leave-one-out comparison follows Calderon, Reichart and Dror (2025), The
    Alternative Annotator Test for LLM-as-a-Judge, section 3; equivalence by an interval
    inside a margin is Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15,
    657-680.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 3, "rater": list("aaaabbbbcccc"),
    ...                       "group": ["expert"] * 8 + ["llm"] * 4,
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 4, 1, 2, 2]})
    >>> found = benchmark(frame, Scale([1, 2, 3, 4]), "c", readings="single", resamples=200)
    >>> found[["benchmark", "value", "difference"]].round(2).to_numpy()[0].tolist()
    [0.9, -0.61, -1.51]
    >>> found.verdict[0]
    'cannot tell with n = 4, 10 are needed'
    """
    check_margin(margin)
    check_interval(interval, level)
    found = differences(
        ratings, scale, judge, reference, statistics, readings, resamples, seed, mean,
        without_each=True, exchanges=min(resamples, EXCHANGES),
    )  # fmt: skip
    rows = [
        row_of(one, level, interval) | _in_words(said(one, level, interval, margin))
        for one in found
        if one.labels["replaced"] in ("", IN_TURN)
    ]
    return pd.DataFrame(rows, columns=RESULT)


def row_of(one: Difference, level: float, interval: str = "percentile") -> dict:
    """A difference as a row of a result: labels, numbers, note and fields.

    Parameters
    ----------
    one : Difference
    level : float
        Coverage of the interval.
    interval : {"percentile", "bca"}

    Returns
    -------
    dict
    """
    low, high, note = ends(one, level, interval)
    at = one.standing
    return {
        **one.labels,
        "benchmark": one.benchmark,
        "value": one.value,
        "difference": one.difference,
        "low": low,
        "high": high,
        "n_items": one.n_items,
        "note": note,
        "undefined": one.undefined,
        "n_disagree": one.n_disagree,
        "p_exchange": at.p,
        "p_experts": at.p_experts,
        "resembles": at.resembles,
    }


def _in_words(verdict):
    return {"verdict": str(verdict), "code": verdict.code}


def said(one: Difference, level: float, interval: str, margin: float) -> Words:
    """The verdict on a difference: see `raters.judges.rule.verdict`.

    Parameters
    ----------
    one : Difference
    level : float
        Coverage of the interval that decides about 0.
    interval : {"percentile", "bca"}
    margin : float

    Returns
    -------
    Words
    """
    alpha = 1 - level
    wide = _ranges(one, alpha / 2, interval)
    narrow = (_ranges(one, alpha, kind) for kind in _INTERVALS)
    return verdict(one.difference, wide, narrow, one.basis, one.standing, margin, alpha)


def _ranges(one, tail, interval):
    """Where the ends of an interval lie, give or take twice their Monte Carlo error.

    A share of B draws has the error ``sqrt(tail (1 - tail) / B)``: the ends at the shares
    that much smaller and larger enclose the end that more draws would give. Where draws are
    so few that the smaller share is none, the end may lie anywhere farther out.
    """
    error = monte_carlo_error(tail, one.draws.size)
    b, c = ends(one, 1 - 2 * min(tail + error, 0.5 - 1e-9), interval)[:2]
    known = np.isfinite([b, c]).all()
    a, d = (-np.inf, np.inf) if known else (np.nan, np.nan)
    if tail > error:
        a, d = ends(one, 1 - 2 * (tail - error), interval)[:2]
    return Ends((a, b), (c, d))


def verdicts(
    result: pd.DataFrame,
    judge: str | None = None,
    reading: str = "single",
    statistic: str | None = None,
    digits: int = 2,
) -> pd.DataFrame:
    """One judge's verdicts, to be read by a person.

    Parameters
    ----------
    result : DataFrame
        From `benchmark`.
    judge, statistic : str, optional
        Which. Needed where the result holds several.
    reading : str
        Which reading.
    digits : int
        Decimals of the numbers.

    Returns
    -------
    DataFrame
        Columns ``framework, dimension, ceiling, <judge>, difference, verdict``, as text;
        ``difference`` holds the interval too. The framework is left out where there is
        only one.

    Raises
    ------
    RatingsError
        No such judge, reading or statistic in the result, or several and none named.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 3, "rater": list("aaaabbbbcccc"),
    ...                       "group": ["expert"] * 8 + ["llm"] * 4,
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 4, 1, 2, 2]})
    >>> found = benchmark(frame, Scale([1, 2, 3, 4]), "c", resamples=200, mean=False)
    >>> verdicts(found)[["ceiling", "c", "verdict"]].to_numpy().tolist()
    [['0.90', '-0.61', 'cannot tell with n = 4, 10 are needed']]
    """
    rows = result[result["reading"] == _one("reading", reading, result["reading"])]
    rows = rows[rows["judge"] == _one("judge", judge, rows["judge"])]
    rows = rows[rows["statistic"] == _one("statistic", statistic, rows["statistic"])]

    def text(value, sign=""):
        return f"{value:{sign}.{digits}f}" if np.isfinite(value) else "-"

    table = pd.DataFrame(
        {
            "framework": rows["framework"],
            "dimension": rows["dimension"],
            "ceiling": rows["benchmark"].map(text),
            rows["judge"].iloc[0]: rows["value"].map(text),
            "difference": [
                f"{text(row.difference, '+')} [{text(row.low, '+')}, {text(row.high, '+')}]"
                for row in rows.itertuples()
            ],
            "verdict": rows["verdict"],
        }
    ).reset_index(drop=True)
    return table if table["framework"].nunique() > 1 else table.drop(columns="framework")


def verdict_counts(result: pd.DataFrame) -> pd.DataFrame:
    """How many dimensions have which verdict, for each judge and reading.

    Parameters
    ----------
    result : DataFrame
        From `benchmark`. Rows for means over dimensions are left out.

    Returns
    -------
    DataFrame
        ``judge, reading, statistic, above, within, below, cannot_tell, other,
        dimensions``; ``other`` counts results without a verdict: not defined, or
        no interval.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 3, "rater": list("aaaabbbbcccc"),
    ...                       "group": ["expert"] * 8 + ["llm"] * 4,
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 4, 1, 2, 2]})
    >>> found = benchmark(frame, Scale([1, 2, 3, 4]), "c", readings="single", resamples=200)
    >>> verdict_counts(found)[["above", "within", "below", "cannot_tell"]].to_numpy().tolist()
    [[0, 0, 0, 1]]
    """
    rows = result[result["dimension"] != MEAN]
    keys = ["judge", "reading", "statistic"]
    said = pd.DataFrame(
        {
            **{code: rows["code"] == code for code in DECIDED},
            "cannot_tell": ~rows["code"].isin([*DECIDED, *NOT_THERE]),
            "other": rows["code"].isin(NOT_THERE),
        }
    ).astype(int)
    groups = pd.concat([rows[keys], said.assign(dimensions=1)], axis=1).groupby(keys, sort=False)
    return groups.sum().reset_index()


def differences(
    ratings: pd.DataFrame,
    scale,
    judge: str | Sequence[str],
    reference: str | Sequence[str] = "expert",
    statistics: str | Sequence[str] | Mapping[str, Callable] = "weighted_kappa_quadratic",
    readings: str | Sequence[str] = READINGS[:3],
    resamples: int = 10_000,
    seed: int = 0,
    mean: bool = True,
    without_each: bool = False,
    exchanges: int = 0,
) -> list[Difference]:
    """The differences of `benchmark` with their value on every resample.

    Parameters
    ----------
    ratings, scale, judge, reference, statistics, readings, resamples, seed, mean
        As in `benchmark`.
    without_each : bool
        Also compute each difference without one item, as BCa intervals need it.
    exchanges : int
        How many exchanges of the judge with the experts tell where it stands; see
        `exchange_test`. Default: it is not asked.

    Returns
    -------
    list of Difference
        In the order of `benchmark`'s rows. The reading ``replacement`` has a row for
        each expert, and one for their mean.

    Raises
    ------
    RatingsError
        As in `benchmark`.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 3, "rater": list("aaaabbbbcccc"),
    ...                       "group": ["expert"] * 8 + ["llm"] * 4,
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 4, 1, 2, 2]})
    >>> found = differences(frame, Scale([1, 2, 3, 4]), "c", readings="single", resamples=5)
    >>> found[0].draws.shape
    (5,)
    """
    asked = Asked.of(ratings, scale, judge, reference, statistics, readings, mean)
    found = differences_of(
        asked, lambda table: Draws(len(table.items), resamples, seed, table.framework), without_each
    )
    if not exchanges:
        return found
    at = standings(asked, exchanges, seed)
    return [replace(one, standing=at(one)) for one in found]


def ends(one: Difference, level: float, interval: str = "percentile") -> tuple[float, float, str]:
    """The interval of a difference, and its note with what the interval adds to it.

    Parameters
    ----------
    one : Difference
        From `differences`.
    level : float
        Coverage.
    interval : {"percentile", "bca"}
        How; ``"bca"`` needs `without_each`.

    Returns
    -------
    low, high : float
        NaN where the difference or its interval is not defined, and where all resamples
        give one value: an interval of width 0 would say that the difference is known.
    note : str

    Examples
    --------
    >>> one = Difference({}, 50.0, np.arange(101.0), n_items=3, n_ratings=9)
    >>> ends(one, 0.5)
    (25.0, 75.0, '')
    """
    low, high, undefined = one.percentile_ends(level)
    parts = [one.note]
    if undefined > 0:
        count = round(undefined * one.draws.size)
        parts.append(f"undefined on {count} of {one.draws.size} resamples, left out")
    if interval == "bca" and one.draws.size and np.isfinite(one.estimate):
        low, high, _ = one.bca_ends(level)
        if np.isnan(low) and undefined < 1:
            parts.append("no BCa interval: every resample lies on one side of the estimate")
    if high - low <= 0:
        low = high = np.nan
        parts.append(
            f"no interval: all resamples give one value (judge and experts differ on "
            f"{one.n_disagree} of {one.n_items} items)"
        )
    return low, high, notes(*parts)


def check_margin(margin: float) -> None:
    """Refuse a margin that is not a positive number.

    Parameters
    ----------
    margin : float
        What a user gave.

    Raises
    ------
    RatingsError
        It is not a finite number above 0.
    """
    number = isinstance(margin, (int, float, np.number)) and not isinstance(margin, bool)
    if not number or not 0 < margin < np.inf:
        raise RatingsError(
            f"margin={margin!r}",
            "a number above 0, in units of the coefficient",
            "give the largest difference that does not matter to you, such as 0.1",
        )


def check_interval(interval: str, level: float) -> None:
    """Refuse an unknown kind of interval, or a level that is none.

    Parameters
    ----------
    interval : str
        ``"percentile"`` or ``"bca"``.
    level : float
        Between 0 and 1.

    Raises
    ------
    RatingsError
        One of them is something else.
    """
    if interval not in _INTERVALS:
        raise RatingsError(f"interval={interval!r}", ", ".join(_INTERVALS), "name one of these")
    check_level(level)


def _one(what, name, there):
    """The one judge, reading or statistic that is meant."""
    there = list(dict.fromkeys(there))
    if name is None and len(there) == 1:
        return there[0]
    if name not in there:
        raise RatingsError(
            f"{what}={name!r}" if name is not None else f"no {what}, and {len(there)} to choose of",
            f"one of the result's: {', '.join(there)}",
            f"name it: {what}='...'",
        )
    return name
