"""What the questions about a judge share: the reference, results on shared resamples, folds.

A judge is a rater who is held against a reference: one rater, or the median, mean or
mode of a group. A result keeps its bootstrap values, so that means and differences of
results are taken resample by resample.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from raters.coefficients import Sums
from raters.coefficients.base import notes, ratio
from raters.coefficients.pairs import on_rows
from raters.coefficients.ratings import Ratings
from raters.draws import multiplicities
from raters.errors import RatingsError
from raters.frames import check_ratings, with_reference
from raters.intervals import percentile_interval
from raters.matrices import Matrix
from raters.measures import MEAN
from raters.scale import Scale

ALL = "all frameworks"
IN_UNITS = ("mean_difference", "mean_absolute_error")
_WHERE = ("framework", "dimension")
_NUMBERS = ["estimate", "low", "high", "n_items", "n_ratings", "note"]


def between(scale):
    """The same scale or scales, with numbers between the levels allowed.

    Parameters
    ----------
    scale : Scale or mapping
        As in `check_ratings`.

    Returns
    -------
    Scale or mapping
        For ratings that are means, medians of two, or predictions.

    Examples
    --------
    >>> between(Scale([1, 2, 3])).value_of(2.5)
    2.5
    """
    if isinstance(scale, Mapping):
        return {key: between(one) for key, one in scale.items()}
    return replace(scale, between=True) if isinstance(scale, Scale) else scale


def as_names(judges: str | Sequence[str]) -> list[str]:
    """One name or several, as a list without repetition.

    Parameters
    ----------
    judges : str or sequence of str

    Returns
    -------
    list of str

    Raises
    ------
    RatingsError
        No name at all.

    Examples
    --------
    >>> as_names("gpt")
    ['gpt']
    """
    names = [judges] if isinstance(judges, str) else list(dict.fromkeys(judges))
    if not names:
        raise RatingsError("no judge", "one rater or more", "name the judge: judges='gpt'")
    return names


def with_judged(
    ratings: pd.DataFrame, scale, judges: str | Sequence[str], reference: str, how: str = "median"
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The checked frame with the reference in it, and the reference of each judge.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales.
    judges : str or sequence of str
        Raters to be held against the reference.
    reference : str
        A group, summarised item by item, or one rater. A judge who belongs to the group
        is held against the others of it.
    how : {"median", "mean", "mode"}
        How a group is summarised.

    Returns
    -------
    ratings : DataFrame
        With new rows for the reference, whose ratings may lie between the levels: use it
        with ``between(scale)``.
    references : dict
        Judge to the name of the rater who is the reference.

    Raises
    ------
    RatingsError
        From `check_ratings` and `with_reference`; an unknown judge or reference.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list("xxx"), "rater": ["a", "b", "gpt"],
    ...                       "group": ["expert", "expert", "llm"], "rating": [1, 2, 3]})
    >>> with_judged(frame, Scale([1, 2, 3]), ["gpt", "a"], "expert")[1]
    {'gpt': 'expert_median', 'a': 'expert_median_without_a'}
    """
    frame = check_ratings(ratings, scale)
    names, known = as_names(judges), set(frame["rater"])
    unknown = [name for name in names if name not in known]
    if unknown or reference in names:
        raise RatingsError(
            f"the judges {names} with the reference {reference!r}",
            f"judges and another rater or group as reference, of the raters {sorted(known)}",
            "name raters that are in the frame, and no rater as judge and reference",
        )
    members = set(frame.loc[frame["group"] == reference, "rater"])
    references = {}
    for name in names:
        without = name if name in members else None
        frame, references[name] = add_reference(frame, reference, how, without)
    return frame, references


def add_reference(
    frame: pd.DataFrame, reference: str, how: str = "median", without: str | None = None
) -> tuple[pd.DataFrame, str]:
    """The reference as a rater of a checked frame: added if it is a group's summary.

    Parameters
    ----------
    frame : DataFrame
        From `check_ratings`.
    reference : str
        A group or a rater.
    how, without
        As in `with_reference`.

    Returns
    -------
    frame : DataFrame
        With the reference in it, once.
    name : str
        The rater who is the reference.

    Raises
    ------
    RatingsError
        No group and no rater has this name, or both have; from `with_reference`.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["x"], "rater": ["a"], "rating": [1]})
    >>> add_reference(check_ratings(frame, Scale([1, 2])), "a")[1]
    'a'
    """
    groups, known = set(frame["group"]), set(frame["rater"])
    if (reference in groups) == (reference in known):
        raise RatingsError(
            f"the reference {reference!r}",
            f"one of the groups {sorted(groups)} or one of the raters {sorted(known)}",
            "name one of these; where a group and a rater have one name, rename one of the two",
        )
    if reference in known:
        return frame, reference
    name = f"{reference}_{how}" + (f"_without_{without}" if without else "")
    made_here = frame.attrs.get("references", ())
    if name in known and name in made_here:
        return frame, name
    if name in known:
        raise RatingsError(
            f"the reference {reference!r}, while a rater is already called {name!r}",
            "a frame without that rater, or that rater as reference",
            f"leave the rows out, or pass reference={name!r}",
        )
    frame = with_reference(frame, reference, how, name, without)
    frame.attrs["references"] = (*made_here, name)
    return frame, name


@dataclass(frozen=True)
class Result:
    """One number with its bootstrap values, before it becomes a row.

    Parameters
    ----------
    labels : dict
        What it is: ``framework``, ``dimension`` and the caller's own columns.
    estimate : float
        NaN where it is not defined; `note` says why.
    draws : ndarray, shape (resamples,)
        Its value on each resample of the items.
    n_items, n_ratings : int
        What counts.
    note : str
        What a reader must know.
    """

    labels: dict
    estimate: float
    draws: np.ndarray
    n_items: int
    n_ratings: int
    note: str = ""


@dataclass
class Draws:
    """The resamples of the items of each framework, drawn once.

    Parameters
    ----------
    resamples, seed : int
        As in `agreement`; the draws are the same as there.
    """

    resamples: int
    seed: int

    def __post_init__(self):
        self._known = {}

    def result(self, labels: dict, sums: Sums, n_items: int) -> Result:
        """A coefficient with its value on every resample of the framework's items."""
        key = labels["framework"]
        if key not in self._known:
            self._known[key] = multiplicities(n_items, self.resamples, self.seed, key)
        draws = sums.resampled(self._known[key])
        return Result(labels, sums.estimate(), draws, sums.n_items, sums.n_ratings, sums.note)


def mean_of(labels: dict, results: Sequence[Result], over: str | None = None) -> Result:
    """The mean of some results, resample by resample.

    Parameters
    ----------
    labels : dict
        The labels of the mean.
    results : sequence of Result
        At least one.
    over : str, optional
        The label that tells the results apart, to name those without a value. Default:
        they are repetitions of one thing, whose notes are kept.

    Returns
    -------
    Result
        NaN where one of the results is.

    Examples
    --------
    >>> one = Result({"d": "x"}, 0.2, np.array([0.1, 0.3]), 5, 10)
    >>> two = Result({"d": "y"}, 0.4, np.array([0.5, 0.3]), 5, 10)
    >>> round(mean_of({}, [one, two], "d").estimate, 6)
    0.3
    """
    if over is None:
        note = notes(*dict.fromkeys(result.note for result in results))
        n_ratings = max(result.n_ratings for result in results)
    else:
        undefined = [str(r.labels[over]) for r in results if np.isnan(r.estimate)]
        note = f"not defined: no value for {', '.join(undefined)}" if undefined else ""
        n_ratings = sum(result.n_ratings for result in results)
    return Result(
        labels,
        float(np.mean([result.estimate for result in results])),
        np.mean([result.draws for result in results], axis=0),
        max(result.n_items for result in results),
        n_ratings,
        note,
    )


def difference(labels: dict, first: Result, second: Result) -> Result:
    """The first less the second, on the same resamples.

    Parameters
    ----------
    labels : dict
        The labels of the difference.
    first, second : Result
        From one `Draws`.

    Returns
    -------
    Result
    """
    return Result(
        labels,
        first.estimate - second.estimate,
        first.draws - second.draws,
        min(first.n_items, second.n_items),
        max(first.n_ratings, second.n_ratings),
        notes(*dict.fromkeys((first.note, second.note))),
    )


def with_means(results: Iterable[Result], in_units: Collection[str] = ()) -> list[Result]:
    """The results, then their means over the dimensions of a framework, then over all.

    Parameters
    ----------
    results : iterable of Result
        One for each dimension and each set of other labels.
    in_units : collection of str
        Statistics in the units of the scale: their mean over frameworks says so.

    Returns
    -------
    list of Result
        Means over one dimension only are left out. A mean over fewer dimensions than
        others says so. Resamples of two frameworks are drawn apart, as their items are
        other items.
    """
    results = list(results)
    dimensions = list(dict.fromkeys(tuple(r.labels[c] for c in _WHERE) for r in results))
    within = {f: sum(f == one for one, _ in dimensions) for f, _ in dimensions}
    size = within | {ALL: len(dimensions)}
    kinds = {}
    for result in results:
        rest = {k: v for k, v in result.labels.items() if k not in _WHERE}
        framework = result.labels["framework"]
        places = [framework] * (within[framework] > 1) + [ALL] * (len(within) > 1)
        for place in places:
            labels = {"framework": place, "dimension": MEAN, **rest}
            kinds.setdefault(tuple(map(str, labels.values())), (labels, []))[1].append(result)
    means = []
    for labels, members in kinds.values():
        mean = mean_of(labels, members, "dimension")
        place, n = labels["framework"], len(members)
        few = f"mean over {n} of {size[place]} dimensions" if n < size[place] else ""
        mixed = place == ALL and labels.get("statistic") in in_units
        units = "mean over scales with units of their own" if mixed else ""
        means.append(replace(mean, n_items=_items(members), note=notes(mean.note, few, units)))
    means.sort(key=lambda one: one.labels["framework"] == ALL)
    return results + means


def _items(members):
    """Items behind some results: dimensions of a framework share theirs, frameworks do not."""
    most = {}
    for result in members:
        framework = result.labels["framework"]
        most[framework] = max(most.get(framework, 0), result.n_items)
    return sum(most.values())


def to_frame(results: Iterable[Result], columns: Sequence[str], level: float) -> pd.DataFrame:
    """The results as a tidy frame with percentile intervals.

    Parameters
    ----------
    results : iterable of Result
        Rows.
    columns : sequence of str
        The labels, in order.
    level : float
        Coverage.

    Returns
    -------
    DataFrame
        `columns`, then ``estimate, low, high, n_items, n_ratings, note``.
    """
    rows = []
    for result in results:
        low, high, undefined = percentile_interval(result.draws, level)
        said = result.note
        if np.isnan(result.estimate):
            low = high = np.nan
        elif undefined > 0:
            share = f"undefined on {undefined:.1%} of {result.draws.size} resamples, left out"
            said = notes(said, share)
        numbers = (result.estimate, low, high, result.n_items, result.n_ratings, said)
        rows.append({**result.labels, **dict(zip(_NUMBERS, numbers))})
    return pd.DataFrame(rows, columns=[*columns, *_NUMBERS])


@dataclass(frozen=True)
class Folds:
    """Which items a fit may see: a random order of the items, and the fold of each.

    Parameters
    ----------
    order : ndarray of int, shape (items,)
        Items in random order.
    fold : ndarray of int, shape (items,)
        The fold of each item.
    """

    order: np.ndarray
    fold: np.ndarray

    def splits(self, usable: np.ndarray, n_train: int | None = None):
        """The training items and the test items of each fold.

        Parameters
        ----------
        usable : ndarray of bool, shape (items,)
            Items that can be learned from.
        n_train : int, optional
            Learn from so many items only: the first ones in the random order.

        Yields
        ------
        train : ndarray of int
            Never an item of the fold.
        test : ndarray of bool, shape (items,)
            The items of the fold.
        """
        for number in range(self.fold.max() + 1):
            test = self.fold == number
            train = self.order[(usable & ~test)[self.order]]
            if train.size < max(1, n_train or 1):
                raise RatingsError(
                    f"{train.size} items to learn from outside a fold",
                    f"{n_train or 1} or more with a rating by the judge and by the reference",
                    "label more items, take more folds, or a smaller n_train",
                )
            yield train[:n_train], test


def folds_of(reference: np.ndarray, folds: int, seed: int, key: str = "", repeat: int = 0) -> Folds:
    """Random folds of equal size with the same mixture of ratings, up to one item.

    Parameters
    ----------
    reference : ndarray, shape (items,)
        What is to be predicted; NaN where missing.
    folds : int
        From 2 to the number of items (each item alone).
    seed : int
        The seed. Same seed, same folds.
    key : str
        Names the set of items, so that each set has its own folds.
    repeat : int
        Which repetition.

    Returns
    -------
    Folds

    Raises
    ------
    RatingsError
        Fewer than 2 folds, or more than items.

    Notes
    -----
    Stratified: items are sorted by the reference, equal ones at random, and each run of so
    many items as there are folds gives one to each. With plain random folds, a fold
    whose items lie above the mean leaves a training part below it, so that predictions run
    against the truth: a judge who knows nothing would get a correlation below 0.

    Examples
    --------
    >>> found = folds_of(np.array([1.0, 1, 2, 2, 3, 3]), 2, seed=1)
    >>> found.fold.reshape(3, 2).sum(axis=1).tolist()
    [1, 1, 1]
    """
    n_items = len(reference)
    if not isinstance(folds, (int, np.integer)) or not 2 <= folds <= n_items:
        raise RatingsError(
            f"folds={folds!r} for {n_items} items",
            "a whole number from 2 to the number of items",
            "take 10, or 5 where there are few items",
        )
    rng = np.random.default_rng([seed, repeat, zlib.crc32(key.encode())])
    order = rng.permutation(n_items)
    in_line = order[np.argsort(np.asarray(reference)[order], kind="stable")]
    fold = np.empty(n_items, int)
    for start in range(0, n_items, folds):
        run = in_line[start : start + folds]
        fold[run] = rng.permutation(folds)[: run.size]
    return Folds(order, fold)


def mean_absolute_error(x: np.ndarray, scale: Scale) -> Sums:
    """Mean of the absolute differences of two raters, in the scale's own units.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Two raters; items rated by both count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        0 is perfect. Defined for constant ratings too.

    Examples
    --------
    >>> mean_absolute_error(np.array([[1, 2], [3, 3]]), Scale([1, 2, 3])).estimate()
    0.5
    """
    r = Ratings.of(x, scale)
    a, b = r.sides
    n = r.items(r.both)
    terms = on_rows(r.both, [np.ones_like(a), np.abs(a - b)])
    finish = lambda t: ratio(t[1], t[0], 0.0)  # noqa: E731
    return Sums(terms, finish, n, 2 * n, r.shared_note, counts=r.counts)


def ordered(table: Matrix) -> None:
    """Refuse a scale without order.

    Parameters
    ----------
    table : Matrix
        One dimension.

    Raises
    ------
    RatingsError
        The scale is nominal.
    """
    if table.scale.measurement == "nominal":
        raise RatingsError(
            f"the nominal scale of {table.dimension} ({table.scale.describe()})",
            "levels with an order, on which a rating can be higher or lower",
            "declare the order: Scale([...], measurement='ordinal')",
        )


def nearest_level(values: np.ndarray, scale: Scale) -> np.ndarray:
    """Each rating as the nearest level of the scale.

    Parameters
    ----------
    values : ndarray
        Ratings; NaN stays NaN.
    scale : Scale
        The declared scale.

    Returns
    -------
    ndarray
        Half way between two levels: the even one of whole-numbered levels, as
        `round_ratings` does, and otherwise the one at an even place (counted from 0).

    Examples
    --------
    >>> nearest_level(np.array([1.4, 2.5, 3.5]), Scale([1, 2, 3, 4])).tolist()
    [1.0, 2.0, 4.0]
    """
    levels = np.sort(scale.values)
    place = np.interp(values, levels, np.arange(levels.size))
    whole = np.array_equal(levels, levels[0] + np.arange(levels.size)) and levels[0] % 1 == 0
    first = levels[0] if whole else 0.0
    result = np.full(np.shape(values), np.nan)
    there = np.isfinite(values)
    result[there] = levels[(np.rint(place[there] + first) - first).astype(int)]
    return result
