"""A judge against the experts' own agreement, on the same items and the same resamples.

Experts disagree among themselves: their agreement is the ceiling that a judge is
measured by. How far the judge is from it depends on what either side is compared with,
so there are several readings, and each result is a difference with a paired interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

import numpy as np
import pandas as pd

from raters.coefficients import MANY, NEEDS_ORDER, PAIR, chosen
from raters.coefficients.base import notes
from raters.draws import multiplicities
from raters.errors import RatingsError
from raters.frames import check_ratings, with_reference
from raters.intervals import bca_interval, percentile_interval
from raters.matrices import tables
from raters.measures import MEAN

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
]
READINGS = ("paper", "single", "leave_one_out", "replacement")
ALL = "all frameworks"
ABOVE, WITHIN, BELOW = "above the experts' ceiling", "within it", "below"
OPEN, UNDEFINED, NO_INTERVAL = "cannot tell", "not defined", "no interval"
IN_TURN = "each in turn"  # the mean over the experts that the judge replaces
_INTERVALS = ("percentile", "bca")
_WHO = 3  # pairs of raters that a note names
# These count positions among the values that occur, so a mean would be a level of its own.
_BY_POSITION = {"weighted_kappa_quadratic_published"}


@dataclass(frozen=True)
class Difference:
    """A judge's agreement less the experts' own, with its value on every resample.

    Parameters
    ----------
    labels : dict
        ``judge, framework, dimension, reading, statistic, replaced``; the last is ""
        but for the reading ``replacement``.
    benchmark, value : float
        The experts' agreement, and the judge's.
    draws : ndarray, shape (resamples,)
        Value less benchmark on each resample of the items; NaN where one is undefined.
    without : ndarray, shape (items,)
        The difference without one item each, for the items that count; empty if not
        asked for.
    counted : ndarray of bool
        Which items of the framework count, one entry an item.
    note : str
        What a reader must know, or "".
    """

    labels: dict
    benchmark: float
    value: float
    draws: np.ndarray
    without: np.ndarray
    counted: np.ndarray
    note: str

    @property
    def difference(self) -> float:
        """Value less benchmark."""
        return self.value - self.benchmark

    @property
    def n_items(self) -> int:
        """Items that count."""
        return int(self.counted.sum())


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
        The largest difference, up or down, that does not matter to you. A judge is
        "within" the ceiling only if the whole interval lies between -margin and margin.

    Returns
    -------
    DataFrame
        One row a judge, framework, dimension, reading and statistic: ``benchmark`` (the
        experts' agreement), ``value`` (the judge's), ``difference`` with ``low, high``,
        ``n_items``, ``verdict``, ``note``.

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

    How the intervals do, with 50 simulated items: those of one dimension hold the truth 93
    to 95 % of the time where levels are used evenly. Those of a mean over 20 dimensions, 94 %
    there, but 89 % where 70 % of the ratings have one level and the judge's level is shifted.
    A median of few pairs is not smooth: the percentile interval of ``paper`` lies too high
    (the truth was below 11 % of them), ``interval="bca"`` less so (5 %).

    Verdicts, from the interval: ``above the experts' ceiling`` (low > 0), ``below``
    (high < 0), ``within it`` (inside the margin), otherwise ``cannot tell with n = ...``.
    They are one by one: with 21 dimensions about one difference that is 0 leaves 0 out by
    chance. `decisions.decide` gives error rates over all dimensions.

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
    'cannot tell with n = 4'
    """
    check_margin(margin)
    check_interval(interval, level)
    found = differences(
        ratings,
        scale,
        judge,
        reference,
        statistics,
        readings,
        resamples,
        seed,
        mean,
        without_each=interval == "bca",
    )
    rows = []
    for one in found:
        if one.labels["replaced"] not in ("", IN_TURN):
            continue
        low, high, note = ends(one, level, interval)
        rows.append(
            {
                **one.labels,
                "benchmark": one.benchmark,
                "value": one.value,
                "difference": one.difference,
                "low": low,
                "high": high,
                "n_items": one.n_items,
                "verdict": verdict(one.difference, low, high, one.n_items, margin),
                "note": note,
            }
        )
    return pd.DataFrame(rows, columns=RESULT)


def verdict(difference: float, low: float, high: float, n_items: int, margin: float = 0.1) -> str:
    """A difference and its interval in words.

    Parameters
    ----------
    difference, low, high : float
        The judge's agreement less the experts' own, and its interval.
    n_items : int
        Items that count.
    margin : float
        The largest difference that does not matter.

    Returns
    -------
    str
        See `benchmark`.

    Examples
    --------
    >>> verdict(0.02, -0.2, 0.2, n_items=50)
    'cannot tell with n = 50'
    >>> verdict(0.02, -0.05, 0.08, n_items=400)
    'within it'
    """
    if not np.isfinite(difference):
        return UNDEFINED
    if not np.isfinite([low, high]).all():
        return NO_INTERVAL
    if low > 0:
        return ABOVE
    if high < 0:
        return BELOW
    if -margin < low and high < margin:
        return WITHIN
    return f"{OPEN} with n = {n_items}"


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
    [['0.90', '-0.61', 'cannot tell with n = 4']]
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
            "above": rows["verdict"] == ABOVE,
            "within": rows["verdict"] == WITHIN,
            "below": rows["verdict"] == BELOW,
            "cannot_tell": rows["verdict"].str.startswith(OPEN),
            "other": rows["verdict"].isin([UNDEFINED, NO_INTERVAL]),
        }
    ).astype(int)
    groups = pd.concat([rows[keys], said.assign(dimensions=1)], axis=1).groupby(keys, sort=False)
    return groups.sum().reset_index()


def panel(
    ratings: pd.DataFrame,
    raters: Sequence[str],
    how: str = "median",
    name: str | None = None,
) -> pd.DataFrame:
    """Add a rater who is the panel of several: their median, mean or majority.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame.
    raters : sequence of str
        Two raters or more.
    how : {"median", "mean", "majority"}
        How they become one. The majority is the most frequent rating; where several are
        equally frequent there is none, and the item has no rating.
    name : str, optional
        The new rater's name. Default ``"panel_<how>"``.

    Returns
    -------
    DataFrame
        The frame with the new rows at its end; their group is ``"panel"``. A mean, or
        the median of an even number, may lie between levels: declare
        ``Scale(..., between=True)`` to go on with it, or use `round_ratings`.

    Raises
    ------
    RatingsError
        Fewer than two raters, or one twice; a rater who is not in the frame; an unknown
        `how`; a name that is taken.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list("xxx"), "rater": list("abc"), "rating": [1, 2, 2]})
    >>> frame = check_ratings(frame, Scale([1, 2, 3]))
    >>> panel(frame, ["a", "b", "c"], how="majority")[["rater", "rating"]].to_numpy()[-1].tolist()
    ['panel_majority', 2.0]
    """
    ways = {"median": "median", "mean": "mean", "majority": "mode"}
    if how not in ways:
        raise RatingsError(f"how={how!r}", ", ".join(ways), "name one of these")
    raters = list(raters) if not isinstance(raters, str) else [raters]
    _known(ratings, raters, "raters of the panel")
    if len(raters) < 2 or len(set(raters)) < len(raters):
        raise RatingsError(
            f"a panel of {raters}", "two different raters or more", "name each rater once"
        )
    members = ratings[ratings["rater"].isin(raters)].assign(group="panel")
    name = name or f"panel_{how}"
    if name in set(ratings["rater"]):
        raise RatingsError(
            f"the new rater {name!r}, whose name is taken",
            "a name that no rater of the frame has",
            "give another one: name='...'",
        )
    both = with_reference(members, group="panel", how=ways[how], name=name)
    new = both[both["rater"] == name].assign(group="panel")
    result = pd.concat([ratings, new], ignore_index=True)
    result.attrs = dict(ratings.attrs)
    return result


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
) -> list[Difference]:
    """The differences of `benchmark` with their value on every resample.

    Parameters
    ----------
    ratings, scale, judge, reference, statistics, readings, resamples, seed, mean
        As in `benchmark`.
    without_each : bool
        Also compute each difference without one item, as BCa intervals need it.

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
    ratings = check_ratings(ratings, scale)
    judges = [judge] if isinstance(judge, str) else list(judge)
    if not judges:
        raise RatingsError("no judge", "one rater or more", "name them: judge='...'")
    experts = reference_raters(ratings, reference, judges)
    readings = _checked_readings(readings, statistics)
    key = times = None
    by_framework = {}
    for table in tables(ratings, scale, [*experts, *judges]):
        if table.framework != key:
            key = table.framework
            times = multiplicities(len(table.items), resamples, seed, key)
        by_framework.setdefault(key, [])
        by_framework[key] += _of_table(
            table, experts, judges, statistics, readings, times, without_each
        )
    if not mean:
        return [row for rows in by_framework.values() for row in rows]
    means = [_means(rows) for rows in by_framework.values()]
    result = []
    for rows, mean_rows in zip(by_framework.values(), means):
        several = len({row.labels["dimension"] for row in rows}) > 1
        result += [*rows, *mean_rows] if several else rows
    return result + _over_frameworks(list(by_framework.values()), means)


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
        NaN where the difference or its interval is not defined.
    note : str

    Examples
    --------
    >>> draws = np.arange(101.0)
    >>> one = Difference({}, 0.0, 50.0, draws, np.empty(0), np.ones(3, bool), "")
    >>> ends(one, 0.5)
    (25.0, 75.0, '')
    """
    if not np.isfinite(one.difference):
        return np.nan, np.nan, one.note
    low, high, undefined = percentile_interval(one.draws, level)
    said = []
    if undefined > 0:
        count = round(undefined * one.draws.size)
        said = [f"undefined on {count} of {one.draws.size} resamples, left out"]
    if interval == "bca" and one.draws.size:
        low, high = bca_interval(one.draws, one.difference, one.without, level)
        if np.isnan(low) and undefined < 1:
            said += ["no BCa interval: every resample lies on one side of the estimate"]
    return low, high, notes(one.note, *said)


def reference_raters(ratings: pd.DataFrame, reference, judges: Sequence[str] = ()) -> list[str]:
    """The experts: the raters of a group, or those named; two or more, none a judge.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame.
    reference : str or sequence of str
        A group of the frame, or raters.
    judges : sequence of str
        Who is to be judged.

    Returns
    -------
    list of str

    Raises
    ------
    RatingsError
        A rater, judge or group that is not there; fewer than two experts; a judge among
        them.

    Examples
    --------
    >>> frame = pd.DataFrame({"rater": list("ab"), "group": "expert"})
    >>> reference_raters(frame, "expert")
    ['a', 'b']
    """
    _known(ratings, judges, "judges")
    if len(set(judges)) < len(judges):
        raise RatingsError(f"the judges {list(judges)}", "each once", "name each judge once")
    if isinstance(reference, str):
        experts = sorted(ratings.loc[ratings["group"] == reference, "rater"].unique())
        if not experts:
            raise RatingsError(
                f"the reference group {reference!r}",
                f"a group of the frame: {sorted(ratings['group'].unique())}",
                "name the experts' group, or the experts: reference=['ann', 'bob']",
            )
    else:
        experts = list(dict.fromkeys(reference))
        _known(ratings, experts, "experts")
    among = [name for name in judges if name in experts]
    if among:
        raise RatingsError(
            f"the judge {among[0]!r}, who is one of the experts {experts}",
            "a judge who is not part of the benchmark",
            "name another judge, or name the experts without this one: reference=[...]",
        )
    if len(experts) < 2:
        raise RatingsError(
            f"the experts {experts}",
            "two experts or more: one alone has no agreement to be a ceiling",
            "add an expert, or report the judge's agreement with this one (pairwise)",
        )
    return experts


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
    percentile_interval(np.empty(0), level)


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


def _known(ratings, names, what):
    unknown = [name for name in names if name not in set(ratings["rater"])]
    if unknown:
        raise RatingsError(
            f"the {what} {unknown}",
            f"raters of the frame: {sorted(ratings['rater'].unique())}",
            "name raters that are in the frame",
        )


def _checked_readings(readings, statistics):
    readings = [readings] if isinstance(readings, str) else list(readings)
    unknown = [name for name in readings if name not in READINGS]
    if unknown or not readings:
        raise RatingsError(
            f"the reading {unknown[0]!r}" if unknown else "no reading",
            ", ".join(READINGS),
            "name one of these",
        )
    if isinstance(statistics, Mapping):
        return readings
    names = [statistics] if isinstance(statistics, str) else list(statistics)
    if "mean_difference" in names:
        raise RatingsError(
            "the statistic 'mean_difference', of which more is not better",
            "coefficients of agreement",
            "use pairwise for shifts of level",
        )
    pairs_only = [name for name in names if name not in MANY]
    if "replacement" in readings and pairs_only:
        raise RatingsError(
            f"the reading 'replacement' of {pairs_only[0]!r}, which takes two raters",
            f"a coefficient of any number of raters: {', '.join(MANY)}",
            "choose one of these, or leave the reading out",
        )
    return readings


def _functions(statistics, scale):
    if isinstance(statistics, Mapping):
        return dict(statistics)
    found = {}
    for name in [statistics] if isinstance(statistics, str) else list(statistics):
        found |= chosen(name, MANY if name in MANY else PAIR, scale)
    return found


@dataclass
class _Values:
    """Coefficients of columns of one table, each computed and resampled once."""

    scale: object
    sums: dict = field(default_factory=dict)
    draws: dict = field(default_factory=dict)

    def add(self, name, function, *columns):
        """The key of a coefficient of some columns."""
        x = np.column_stack(columns)
        key = (name, x.tobytes())
        if key not in self.sums:
            self.sums[key] = function(x, self.scale)
        return key

    def resample(self, times):
        """The coefficients on all resamples."""
        self.draws = {key: sums.resampled(times) for key, sums in self.sums.items()}


@dataclass(frozen=True)
class _Side:
    """Coefficients that are summarised into one number, and whose they are."""

    keys: list
    who: list
    how: Callable = np.mean

    def of(self, values):
        """Summarised over the coefficients; the shape of one of them is left."""
        return self.how(np.array(values), axis=0)


def _of_table(table, experts, judges, statistics, readings, times, without_each):
    """All differences of one dimension."""
    values = _Values(table.scale)
    functions = _functions(statistics, table.scale)
    planned = []
    for place, judge in enumerate(judges, start=len(experts)):
        cases = {
            misses: _Case(table, experts, place, judge, misses)
            for misses in {_counts_misses(name) for name in functions}
        }
        for reading in readings:
            for name, function in functions.items():
                case = cases[_counts_misses(name)]
                labels = {
                    "judge": judge,
                    "framework": table.framework,
                    "dimension": table.dimension,
                    "reading": reading,
                    "statistic": name,
                }
                sides = _SIDES[reading](case, values, name, function)
                between = case.between(name)
                planned += [
                    (labels | {"replaced": who}, case, value, ceiling, notes(between, note))
                    for who, value, ceiling, note in sides
                ]
    values.resample(times)
    return [_difference(values, without_each, *plan) for plan in planned]


def _difference(values, without_each, labels, case, value, ceiling, note):
    estimate = {key: values.sums[key].estimate() for key in {*value.keys, *ceiling.keys}}
    result = [side.of([estimate[key] for key in side.keys]) for side in (ceiling, value)]
    draws = [side.of([values.draws[key] for key in side.keys]) for side in (ceiling, value)]
    without = [np.empty(0), np.empty(0)]
    if without_each:
        without = [
            side.of([values.sums[key].without_each()[case.counted] for key in side.keys])
            for side in (ceiling, value)
        ]
    said = _said(values, value, ceiling) if case.counted.any() else ""
    return Difference(
        labels,
        float(result[0]),
        float(result[1]),
        draws[1] - draws[0],
        without[1] - without[0],
        case.counted,
        notes(case.note, note, said),
    )


def _said(values, *sides):
    """The coefficients' notes, each once, with the raters whom it is about."""
    about = {}
    parts = [pair for side in sides for pair in zip(side.keys, side.who)]
    for key, who in parts:
        if values.sums[key].note:
            about.setdefault(values.sums[key].note, []).append(who)
    said = []
    for note, whose in about.items():
        whose = list(dict.fromkeys(whose))
        more = f" and {len(whose) - _WHO} more" if len(whose) > _WHO else ""
        said.append(f"{note} ({', '.join(whose[:_WHO])}{more})")
    return notes(*said)


class _Case:
    """One judge and the experts on one dimension, on the items that serve both sides.

    An answer outside the levels is a rating only for coefficients that count it as a miss.
    """

    def __init__(self, table, names, place, judge_name, misses):
        x = table.values if misses else np.where(np.isinf(table.values), np.nan, table.values)
        experts, judge = x[:, : len(names)], x[:, place]
        rated = ~np.isnan(experts)
        there = ~np.isnan(judge)
        self.counted = there & (rated.sum(axis=1) >= 2)
        self.experts = np.where(self.counted[:, None], experts, np.nan)
        self.judge = np.where(self.counted, judge, np.nan)
        self.names, self.judge_name, self.scale = names, judge_name, table.scale
        anybody = rated.any(axis=1) | there
        alone = int((there & anybody & ~self.counted).sum())
        absent = int((anybody & ~there).sum())
        if self.counted.any():
            self.note = notes(
                f"items without a rating by {judge_name}, left out on both sides: {absent}"
                if absent
                else "",
                f"items with fewer than two experts, left out: {alone}" if alone else "",
            )
        else:
            self.note = f"not defined: no item with ratings by {judge_name} and two experts"

    def pairs(self, name, function, values):
        """The expert pairs; each both ways round where the first is the reference."""
        places = range(len(self.names))
        pairs = (permutations if _one_sided(name) else combinations)(places, 2)
        keys, who = [], []
        for a, b in pairs:
            keys.append(values.add(name, function, self.experts[:, a], self.experts[:, b]))
            who.append(f"{self.names[a]} and {self.names[b]}")
        return keys, who

    def between(self, name):
        """A note on the judge's ratings that are no level, where only equal counts."""
        if _by_distance(name) or name.startswith("f1_"):  # F1 itself refuses them
            return ""
        judge = self.judge[np.isfinite(self.judge)]
        levels = np.array(self.scale.values, float)
        off = int((np.abs(judge[:, None] - levels).min(axis=1, initial=np.inf) > 1e-9).sum())
        return (
            f"ratings by {self.judge_name} between levels, which equal none: {off} (round_ratings)"
            if off
            else ""
        )

    def with_judge(self, expert):
        """How a note calls the judge and an expert."""
        return f"{self.names[expert]} and {self.judge_name}"


def _counts_misses(name):
    """Whether an answer outside the levels counts; a user's own function gets to see it."""
    known = name in PAIR or name in MANY or name.startswith("f1_")
    return not known or name.startswith("f1_") or "percent_agreement" in name


def _by_distance(name):
    """Whether a number between levels is as good as a level."""
    return name in NEEDS_ORDER and name not in _BY_POSITION


def _one_sided(name):
    """Whether it matters which of two raters comes first; unknown for a user's own function."""
    return name.startswith("f1_weighted") or (name not in PAIR and name not in MANY)


def _paper(case, values, name, function):
    reference, note = _reference(case.experts, "median", name, case.scale)
    key = values.add(name, function, reference, case.judge)
    value = _Side([key], [f"expert median and {case.judge_name}"])
    yield "", value, _Side(*case.pairs(name, function, values), np.median), note


def _single(case, values, name, function):
    places = range(len(case.names))
    keys = [values.add(name, function, case.experts[:, j], case.judge) for j in places]
    value = _Side(keys, [case.with_judge(j) for j in places])
    yield "", value, _Side(*case.pairs(name, function, values)), ""


def _leave_one_out(case, values, name, function):
    keys, said = {"judge": [], "expert": []}, []
    for j in range(len(case.names)):
        expert = case.experts[:, j]
        others, note = _reference(np.delete(case.experts, j, axis=1), "mean", name, case.scale)
        # The same items for both: those that the expert who is left out rated too.
        others = np.where(np.isnan(expert), np.nan, others)
        keys["judge"].append(values.add(name, function, others, case.judge))
        keys["expert"].append(values.add(name, function, others, expert))
        said.append(note)
    value = _Side(
        keys["judge"], [f"experts without {one} and {case.judge_name}" for one in case.names]
    )
    ceiling = _Side(keys["expert"], [f"experts without {one} and {one}" for one in case.names])
    yield "", value, ceiling, notes(*dict.fromkeys(said))


def _replacement(case, values, name, function):
    everybody = values.add(name, function, *case.experts.T)
    ceiling = _Side([everybody], ["experts"])
    keys, who = [], []
    for j, expert in enumerate(case.names):
        x = case.experts.copy()
        x[:, j] = np.where(np.isnan(x[:, j]), np.nan, case.judge)
        keys.append(values.add(name, function, *x.T))
        who.append(f"{case.judge_name} for {expert}")
        yield expert, _Side(keys[-1:], who[-1:]), ceiling, ""
    yield IN_TURN, _Side(keys, who), ceiling, ""


_SIDES = {
    "paper": _paper,
    "single": _single,
    "leave_one_out": _leave_one_out,
    "replacement": _replacement,
}


def _reference(x, how, name, scale):
    """The experts as one column: median or mean, on levels where the coefficient needs them."""
    x = np.where(np.isfinite(x), x, np.nan)
    summary = np.full(len(x), np.nan)
    there = np.isfinite(x).any(axis=1)
    if scale.measurement == "nominal":
        summary[there] = [_mode(row) for row in x[there]]
        return summary, f"labels have no {how}: the experts' mode is the reference"
    summary[there] = {"median": np.nanmedian, "mean": np.nanmean}[how](x[there], axis=1)
    if _by_distance(name):
        return summary, ""
    rounded = _to_levels(summary, scale)
    changed = int((np.abs(rounded - summary) > 1e-9).sum())
    return rounded, f"the experts' {how} rounded to the nearest level" if changed else ""


def _mode(row):
    values, counts = np.unique(row[np.isfinite(row)], return_counts=True)
    first = counts == counts.max()
    return values[first][0] if first.sum() == 1 else np.nan


def _to_levels(x, scale):
    """The nearest level; of two equally near the even one, as `round_ratings` does."""
    levels = np.array(scale.values, float)
    gap = np.abs(np.nan_to_num(x)[:, None] - levels)
    near = gap <= gap.min(axis=1, keepdims=True) + 1e-9
    nearest = np.argmax(near * np.where(levels % 2 == 0, 2, 1), axis=1)
    return np.where(np.isnan(x), np.nan, levels[nearest])


def _kinds(rows: Iterable[Difference]):
    """Rows that differ by framework and dimension only."""
    kinds = {}
    for row in rows:
        labels = {k: v for k, v in row.labels.items() if k not in ("framework", "dimension")}
        kinds.setdefault(tuple(labels.items()), []).append(row)
    return kinds


def _undefined(rows):
    names = [row.labels["dimension"] for row in rows if np.isnan(row.difference)]
    return f"not defined: no value for {', '.join(names)}" if names else ""


def _means(rows):
    """Means over the dimensions of one framework, resample by resample."""
    found = []
    for members in _kinds(rows).values():
        counted = np.any([row.counted for row in members], axis=0)
        without = np.empty(0)
        if members[0].without.size:
            # An item that does not count in a dimension changes nothing there.
            filled = [_filled(row) for row in members]
            without = np.mean(filled, axis=0)[counted]
        found.append(
            Difference(
                members[0].labels | {"dimension": MEAN},
                float(np.mean([row.benchmark for row in members])),
                float(np.mean([row.value for row in members])),
                np.mean([row.draws for row in members], axis=0),
                without,
                counted,
                _undefined(members),
            )
        )
    return found


def _filled(row):
    without = np.full(row.counted.size, row.difference)
    without[row.counted] = row.without
    return without


def _over_frameworks(by_framework, means):
    """Means over all dimensions of all frameworks, whose items are drawn independently."""
    if len(by_framework) < 2:
        return []
    singles = _kinds(row for rows in by_framework for row in rows)
    found = []
    for kind, parts in _kinds(row for rows in means for row in rows).items():
        rows = singles[kind]
        if len(parts) < len(by_framework):  # a statistic that some scales do not have
            continue
        count = [sum(r.labels["framework"] == m.labels["framework"] for r in rows) for m in parts]
        share = [n / len(rows) for n in count]
        found.append(
            Difference(
                parts[0].labels | {"framework": ALL},
                float(np.mean([row.benchmark for row in rows])),
                float(np.mean([row.value for row in rows])),
                np.sum([part * row.draws for part, row in zip(share, parts)], axis=0),
                _jackknife_over(parts, share),
                np.concatenate([row.counted for row in parts]),
                _undefined(rows),
            )
        )
    return found


def _jackknife_over(means, share):
    """The overall mean without one item each: only that item's framework moves.

    Each framework's values are centred, so that their own small bias does not look like
    a difference between items.
    """
    if not all(row.without.size for row in means):
        return np.empty(0)
    overall = sum(part * row.difference for part, row in zip(share, means))
    return np.concatenate(
        [overall + part * (row.without - row.without.mean()) for part, row in zip(share, means)]
    )
