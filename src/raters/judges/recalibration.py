"""Recalibrating a judge on items that experts rated, tested on items held out.

A judge's rating is mapped to what the reference would have given. The map is fitted on
training items and used on the others, so no item helps to predict itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import pandas as pd

from raters.coefficients import PAIR, Ratings, Sums, chosen
from raters.coefficients.base import SAME, notes, ratio
from raters.coefficients.pairs import on_rows
from raters.draws import Draws
from raters.errors import RatingsError
from raters.frames import COLUMNS
from raters.judges.folds import folds_of
from raters.judges.reference import between, ordered, with_judged
from raters.matrices import Matrix, tables
from raters.results import Estimate, difference, estimates, mean_of, to_frame, with_means
from raters.scale import Scale, nearest_level

GROUP = "recalibrated"
_LABELS = ["framework", "dimension", "judge", "reference", "method", "n_train"]
IN_UNITS = ("mean_difference", "mean_absolute_error")

# A fit takes training ratings of judge and reference and the scale, and returns the map
# and what to say about it.
Fit = Callable[[np.ndarray, np.ndarray, Scale], tuple[Callable[[np.ndarray], np.ndarray], str]]


# --- the error in units of the scale ------------------------------------------------


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


STATISTICS = {**PAIR, "mean_absolute_error": mean_absolute_error}


# --- the maps ----------------------------------------------------------------------


def _shift(judge, reference, scale):
    by = reference.mean() - judge.mean()
    return lambda values: values + by, ""


def _linear(judge, reference, scale):
    """Least squares; a judge with one rating predicts the mean of the reference."""
    centred = judge - judge.mean()
    slope = float(ratio(centred @ reference, centred @ centred, judge.size * scale.high**2))
    if np.isnan(slope):
        mean = reference.mean()
        said = "the judge gave all training items one rating: its map is a constant"
        return lambda values: np.full(values.shape, mean), said
    start = reference.mean() - slope * judge.mean()
    return lambda values: start + slope * values, "a falling line" if slope < 0 else ""


def _moments(judge, reference, scale):
    """The reference's mean and standard deviation: a line whose slope is never negative."""
    spread = judge.std()
    if spread <= SAME:
        return _linear(judge, reference, scale)
    slope = reference.std() / spread
    return lambda values: reference.mean() + slope * (values - judge.mean()), ""


def _isotonic(judge, reference, scale):
    """The closest map that never falls, straight between training ratings, flat beyond."""
    from scipy.optimize import isotonic_regression

    seen, place, counts = np.unique(judge, return_inverse=True, return_counts=True)
    means = np.bincount(place, reference) / counts
    fitted = isotonic_regression(means, weights=counts.astype(float)).x
    return lambda values: np.interp(values, seen, fitted), ""


def _ordinal(judge, reference, scale):
    """Level to level, never falling, with the least absolute error, then the least change.

    Without the demand not to fall, this is the reference's median at each level of the
    judge. A level that the judge did not use in training stays where it is, as far as its
    neighbours let it.
    """
    levels = np.sort(scale.values)
    at = np.searchsorted(levels, nearest_level(judge, scale))
    apart = np.abs(reference[:, None] - levels)
    cost = np.zeros((levels.size, levels.size))
    np.add.at(cost, at, apart)
    # The second aim must not outweigh the smallest difference of the first.
    change = np.abs(levels[:, None] - levels)
    cost += change * 1e-6 * np.diff(levels).min() / (change.sum() + 1)
    return _level_map(cost, levels), ""


def _level_map(cost, levels):
    """The cheapest map from levels to levels that never falls, by dynamic programming."""
    best, back = cost[0], []
    for row in cost[1:]:
        # Cheapest way to reach each target from a target that is not above it.
        cheapest = np.minimum.accumulate(best)
        back.append(np.maximum.accumulate(np.where(best == cheapest, np.arange(best.size), 0)))
        best = cheapest + row
    target = [int(np.argmin(best))]
    for step in reversed(back):
        target.append(int(step[target[-1]]))
    mapped = levels[target[::-1]]
    return lambda values: np.interp(values, levels, mapped)


METHODS: dict[str, Fit] = {
    "shift": _shift,
    "moments": _moments,
    "linear": _linear,
    "isotonic": _isotonic,
    "ordinal": _ordinal,
}


# --- honest prediction -------------------------------------------------------------


def out_of_fold(
    judge: np.ndarray, reference: np.ndarray, scale: Scale, fit: Fit, folds, n_train=None
) -> tuple[np.ndarray, str]:
    """Each item's rating by a map that was fitted without it.

    Parameters
    ----------
    judge, reference : ndarray, shape (items,)
        NaN where one did not rate.
    scale : Scale
        Predictions beyond its ends are moved to the ends.
    fit : callable
        One of `METHODS`.
    folds : Folds
        From `folds_of`.
    n_train : int, optional
        Items to fit on in each fold. Default: all outside it.

    Returns
    -------
    predictions : ndarray, shape (items,)
        NaN where the judge did not rate.
    note : str
        In how many folds the fit had something to say.

    Examples
    --------
    >>> y = np.array([1.0, 2, 3, 4, 5, 4])
    >>> judged = np.array([1.0, 1, 2, 3, 4, 3])
    >>> out_of_fold(judged, y, Scale([1, 2, 3, 4, 5]), METHODS["shift"],
    ...             folds_of(y, 6, seed=0))[0].round(2).tolist()
    [2.0, 1.8, 2.8, 3.8, 4.8, 3.8]
    """
    usable = np.isfinite(judge) & np.isfinite(reference)
    result, said = np.full(judge.shape, np.nan), []
    for train, test in folds.splits(usable, n_train):
        use, remark = fit(judge[train], reference[train], scale)
        test = test & np.isfinite(judge)
        result[test] = np.clip(use(judge[test]), scale.low, scale.high)
        said += [remark] if remark else []
    remarks = [f"{one} (in {said.count(one)} fits)" for one in dict.fromkeys(said)]
    return result, notes(*remarks)


@dataclass(frozen=True)
class _Mapped:
    """One judge on one dimension, recalibrated in one way, once for each repeat."""

    table: Matrix
    judge: str
    reference: str
    method: str
    n_train: int | None
    before: np.ndarray
    predictions: list[np.ndarray]
    note: str


def _mapped(ratings, scale, judges, reference, how, methods, folds, repeats, n_train, seed):
    """The checked frame, and every `_Mapped` of it as an iterator."""
    methods = [methods] if isinstance(methods, str) else list(methods)
    unknown = [name for name in methods if name not in METHODS]
    if unknown or not methods:
        raise RatingsError(f"the methods {unknown}", ", ".join(METHODS), "name some of these")
    sizes = [n_train] if n_train is None or isinstance(n_train, (int, np.integer)) else n_train
    for name, value in (("repeats", repeats), *(("n_train", n) for n in sizes if n is not None)):
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise RatingsError(f"{name}={value!r}", "a whole number above 0", f"correct {name}")
    frame, references = with_judged(ratings, scale, judges, reference, how)
    options = (methods, folds, repeats, list(sizes), seed)
    return frame, _each(frame, between(scale), references, *options)


def _each(frame, scale, references, methods, folds, repeats, sizes, seed) -> Iterator[_Mapped]:
    for table in tables(frame, scale):
        ordered(table)
        for judge, name in references.items():
            x = table.values[:, [table.raters.index(name), table.raters.index(judge)]]
            cuts = [folds_of(x[:, 0], folds, seed, table.framework, r) for r in range(repeats)]
            for n in sizes:
                for method in methods:
                    done = [
                        out_of_fold(x[:, 1], x[:, 0], table.scale, METHODS[method], cut, n)
                        for cut in cuts
                    ]
                    predictions = [one for one, _ in done]
                    said = notes(*dict.fromkeys(note for _, note in done))
                    yield _Mapped(table, judge, name, method, n, x, predictions, said)


def recalibrate(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
    methods: str | Sequence[str] = ("shift", "moments", "linear", "isotonic", "ordinal"),
    folds: int = 10,
    repeats: int = 1,
    n_train: int | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Add the judge's ratings after recalibration, each by a map fitted without the item.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales, not nominal.
    judges : str or sequence of str
        Raters to recalibrate.
    reference : str
        A group, summarised item by item, or one rater. A judge who belongs to the group
        is held against the others of it.
    how : {"median", "mean", "mode"}
        How a group is summarised.
    methods : str or sequence of str
        ``"shift"``: add the mean difference, and move what lies beyond the scale to its
        end, as all methods do: that cut is part of what is gained. ``"moments"``: give the
        judge the mean and the standard deviation of the reference. ``"linear"``:
        least-squares line.
        ``"isotonic"``: the closest map that never falls. ``"ordinal"``: level to level,
        to the reference's median level, never falling.
    folds : int
        The items are cut into so many parts with the same mixture of reference ratings;
        each part is predicted from the others.
    repeats : int
        Cut anew so many times.
    n_train : int, optional
        Fit on so many of the other items only, as if only these had been labelled.
    seed : int
        Seed of the folds.

    Returns
    -------
    DataFrame
        The checked frame, the reference, and a rater ``"<judge>, <method>"`` (with ``"
        (<repeat>)"`` where there are several) of the group ``"recalibrated"``. Such ratings
        may lie between levels: pass `raters.judges.between` of the scale from here on.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown judge, reference or method; a nominal scale; more
        folds than items, or too few items to learn from.

    Notes
    -----
    A map that does not fall leaves the order of the items as it is, up to ties: it repairs
    level and spread, and no rank correlation. (Maps differ a little from fold to fold,
    so ranks over all items can change a little.) The least-squares maps, linear and
    isotonic, pull towards the mean as far as the judge is unsure: they make errors small,
    and kappa too, as it wants the reference's spread. For kappa take shift or moments.
    Of a judge who knows nothing, kappa stays at 0 (within 0.005 for all methods in 400
    simulated studies of 50 items), but the rank correlation after a least-squares map falls
    to about -0.1: its slope is fitted to the other side of the held-out items. So take rank
    correlations before recalibration.
    Source of the design: Stone (1974), J. Royal Statistical Society B 36, 111-147; of
    the isotonic map: Barlow et al. (1972), Statistical Inference under Order Restrictions.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list("uvwxyz") * 2, "rater": ["a"] * 6 + ["j"] * 6,
    ...                       "rating": [2, 3, 4, 5, 2, 4, 1, 2, 3, 4, 1, 3]})
    >>> found = recalibrate(frame, Scale([1, 2, 3, 4, 5]), "j", "a", methods="shift", folds=3)
    >>> found[found.rater == "j, shift"].rating.tolist()
    [2.0, 3.0, 4.0, 5.0, 2.0, 4.0]
    """
    if n_train is not None and not isinstance(n_train, (int, np.integer)):
        raise RatingsError(
            f"n_train={n_train!r}", "one whole number", "call recalibrate once for each size"
        )
    frame, found = _mapped(
        ratings, scale, judges, reference, how, methods, folds, repeats, n_train, seed
    )
    parts = [frame]
    for one in found:
        for number, values in enumerate(one.predictions, 1):
            name = f"{one.judge}, {one.method}" + (f" ({number})" if repeats > 1 else "")
            parts.append(rows_of(one.table, name, values))
    result = pd.concat(parts, ignore_index=True)
    result.attrs = dict(frame.attrs)
    return result


def rows_of(table: Matrix, rater: str, values: np.ndarray, group: str = GROUP) -> pd.DataFrame:
    """A rater's ratings of one dimension as rows of the long frame."""
    rows = pd.DataFrame({"item": table.items, "rating": values}).assign(
        framework=table.framework, dimension=table.dimension, rater=rater, group=group
    )
    return rows.loc[rows["rating"].notna(), COLUMNS]


def calibration(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
    methods: str | Sequence[str] = ("shift", "moments", "linear", "isotonic", "ordinal"),
    statistics: str | Sequence[str] = ("weighted_kappa_quadratic", "mean_absolute_error"),
    folds: int = 10,
    repeats: int = 1,
    n_train: int | Sequence[int] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = True,
) -> pd.DataFrame:
    """Agreement of the judge with the reference before and after recalibration.

    Parameters
    ----------
    ratings, scale, judges, reference, how, methods, folds, repeats, seed
        As in `recalibrate`.
    statistics : str or sequence of str
        Names from `coefficients.PAIR`, or ``"mean_absolute_error"``. Least-squares maps
        serve the error, not kappa; see `recalibrate`.
    n_train : int or sequence of int, optional
        Sizes of the training part. Several give a learning curve: how many labelled items
        recalibration needs. Take ``repeats=20``, say, as small parts differ much. A small
        part is a part of the larger ones.
    resamples, level
        As in `agreement`.
    mean : bool
        Also the means over the dimensions of each framework and over all.

    Returns
    -------
    DataFrame
        ``framework, dimension, judge, reference, method, n_train, statistic, quantity,
        estimate, low, high, n_items, n_ratings, note``. ``quantity`` is ``before``,
        ``after`` (mean over the repeats) or ``difference``, after less before on the same
        resamples. ``n_train`` is 0 where all other items were used. Where the interval of
        the difference lies above 0, recalibration helps on items like these.

    Raises
    ------
    RatingsError
        As `recalibrate`; an unknown statistic.

    Notes
    -----
    Items are resampled with their predictions; the maps are not fitted anew on each
    resample, so the intervals hold the chance of the test items, not that of the
    training items. See `recalibrate` for what a map can and cannot repair.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list("uvwxyz") * 2, "rater": ["a"] * 6 + ["j"] * 6,
    ...                       "rating": [2, 3, 4, 5, 2, 4, 1, 2, 3, 4, 1, 3]})
    >>> found = calibration(frame, Scale([1, 2, 3, 4, 5]), "j", "a", "median", "shift",
    ...                     "weighted_kappa_quadratic", folds=3, resamples=0)
    >>> found.set_index("quantity").estimate.round(2).to_dict()
    {'before': 0.71, 'after': 1.0, 'difference': 0.29}
    """
    _, found = _mapped(
        ratings, scale, judges, reference, how, methods, folds, repeats, n_train, seed
    )
    results = []
    for one in found:
        draws = Draws(len(one.table.items), resamples, seed, one.table.framework)
        functions = chosen(statistics, STATISTICS, one.table.scale)
        results += _before_and_after(one, functions, draws)
    results = with_means(results, IN_UNITS) if mean else results
    return to_frame(results, [*_LABELS, "statistic", "quantity"], level)


def _before_and_after(one, functions, draws) -> Iterator[Estimate]:
    """Before, after and their difference, of each statistic."""
    where = (one.table.framework, one.table.dimension, one.judge, one.reference)
    labels = dict(zip(_LABELS, (*where, one.method, one.n_train or 0)))
    columns = [("before", one.before[:, 1]), *(("after", column) for column in one.predictions)]
    labelled = [
        (
            labels | {"statistic": name, "quantity": quantity},
            of(np.column_stack([one.before[:, 0], column]), one.table.scale),
        )
        for name, of in functions.items()
        for quantity, column in columns
    ]
    for _, same in groupby(estimates(labelled, draws), key=lambda e: e.labels["statistic"]):
        before, *repeats = same
        note = notes(repeats[0].note, one.note)
        after = replace(mean_of(repeats[0].labels, repeats), note=note)
        yield from (before, after)
        yield difference(before.labels | {"quantity": "difference"}, after, before)
