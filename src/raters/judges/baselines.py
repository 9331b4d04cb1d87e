"""Cheap baselines against the same reference: what a judge must beat to be worth its price.

Each baseline is a rater: it learns from the reference's ratings of some items and rates
the others. What it learns from an item never reaches that item's own rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
import pandas as pd

from raters.coefficients import chosen
from raters.draws import Draws
from raters.errors import RatingsError, install
from raters.frames import check_ratings, with_reference
from raters.judges.folds import folds_of
from raters.judges.recalibration import IN_UNITS, METHODS, rows_of
from raters.judges.recalibration import STATISTICS as KNOWN
from raters.judges.reference import add_reference, as_names, between, ordered
from raters.matrices import tables
from raters.results import difference, estimates, to_frame, with_means
from raters.scale import nearest_level

GROUP = "baseline"
WORDS = "words"
STATISTICS = (
    "weighted_kappa_quadratic",
    "spearman_rho",
    "percent_agreement",
    "f1_weighted",
    "mean_absolute_error",
)
# Coefficients that ask whether two ratings are equal: predictions go to the nearest level.
_EQUAL = {"percent_agreement", "cohen_kappa", "scott_pi"}
# Coefficients on which a constant has its fold-to-fold differences; see `_sums`.
_AS_GIVEN = {"percent_agreement", "mean_absolute_error", "mean_difference"}
_COLUMNS = ["framework", "dimension", "rater", "compared_with", "statistic"]
_ALPHAS = np.logspace(-2, 3, 11)


# --- the baselines -----------------------------------------------------------------


def _majority(y, scale):
    """The most frequent rating; of several, the one nearest to the median, then the lower."""
    values, counts = np.unique(np.round(y, 9), return_counts=True)
    modes = values[counts == counts.max()]
    return modes[np.argmin(np.abs(modes - np.median(y)))]


CONSTANTS = {
    "majority": _majority,
    "median": lambda y, scale: np.median(y),
    "mean": lambda y, scale: np.mean(y),
}


def add_baselines(
    ratings: pd.DataFrame,
    scale,
    reference: str = "expert",
    how: str = "median",
    constants: str | Sequence[str] = ("majority", "mean"),
    features: Mapping[str, Mapping] | None = None,
    texts: Mapping | None = None,
    groups: Mapping[str, str] | None = None,
    folds: int = 10,
    seed: int = 0,
) -> pd.DataFrame:
    """Add raters who know next to nothing, each rating the items it did not learn from.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales, not nominal.
    reference : str
        A group, summarised item by item, or one rater.
    how : {"median", "mean", "mode"}
        How a group is summarised.
    constants : str or sequence of str
        Of ``"majority"`` (the most frequent rating of the training items), ``"median"``
        and ``"mean"``.
    features : mapping of str to mapping, optional
        Name to a mapping (or Series) from item, or from ``(framework, item)``, to a number,
        such as the length of a text: a straight line is fitted.
    texts : mapping, optional
        Item, or ``(framework, item)``, to text: a ridge regression on its words (tf-idf),
        the rater ``"words"``. Needs scikit-learn.
    groups : mapping of str to str, optional
        Name to a group of the frame: its mean is that rater, such as
        ``{"crowd mean": "crowd"}``. Nothing is fitted.
    folds : int
        Each part of the items is predicted from the others.
    seed : int
        Seed of the folds.

    Returns
    -------
    DataFrame
        The checked frame, the reference, and the baselines as raters of the group
        ``"baseline"``. Their ratings may lie between levels: pass `raters.judges.between`
        of the scale from here on.

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown reference, constant or group; a name that is
        taken; an item without number or text; scikit-learn is missing; more folds than
        items.

    Notes
    -----
    A framework whose items have no text at all gets no rater ``"words"``, and likewise for
    features. Words, their weights and the strength of the ridge are learned anew in each
    fold from its training items (the strength by leave-one-out among them). Predictions
    beyond the ends of the scale are moved to the ends.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list("uvwxyz"), "rater": "a", "rating": [2, 3, 2, 2, 5, 2]})
    >>> found = add_baselines(frame, Scale([1, 2, 3, 4, 5]), "a", constants="majority", folds=3)
    >>> found[found.rater == "majority"].rating.tolist()
    [2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    """
    constants = [constants] if isinstance(constants, str) else list(constants)
    unknown = [name for name in constants if name not in CONSTANTS]
    if unknown:
        raise RatingsError(f"the constants {unknown}", ", ".join(CONSTANTS), "name some of these")
    frame, name = add_reference(check_ratings(ratings, scale), reference, how)
    features, groups = dict(features or {}), dict(groups or {})
    _free_names(frame, [*constants, *features, *groups, *([WORDS] if texts is not None else [])])
    for new, group in groups.items():
        frame = with_reference(frame, group, "mean", new)
        frame.loc[frame["rater"] == new, "group"] = GROUP
    lookups = {one: _Lookup(f"the feature {one!r}", numbers) for one, numbers in features.items()}
    text_of = None if texts is None else _Lookup("texts", texts)
    parts = [frame]
    for table in tables(frame, between(scale)):
        ordered(table)
        y = table.values[:, table.raters.index(name)]
        cut = folds_of(y, folds, seed, table.framework)
        for one in constants:
            parts.append(rows_of(table, one, _constant(y, table.scale, cut, CONSTANTS[one]), GROUP))
        for one, lookup in lookups.items():
            if (x := lookup.of(table)) is not None:
                parts.append(rows_of(table, one, _line(x, y, table.scale, cut), GROUP))
        if text_of is not None and (x := text_of.of(table)) is not None:
            parts.append(rows_of(table, WORDS, _ridge(x, y, table.scale, cut), GROUP))
    for lookup in [*lookups.values(), *([text_of] if text_of else [])]:
        lookup.refuse_unused()
    result = pd.concat(parts, ignore_index=True)
    result.attrs = dict(frame.attrs)
    return result


def _free_names(frame, names):
    taken = [name for name in names if name in set(frame["rater"]) or names.count(name) > 1]
    if taken:
        raise RatingsError(
            f"baselines with the names {sorted(set(taken))}",
            "names that no rater and no other baseline has",
            "rename the feature, the group's mean or the rater",
        )


class _Lookup:
    """Numbers or texts of items, by item or by framework and item."""

    def __init__(self, what, given):
        self.what, self.used = what, False
        pairs = given.items()  # a mapping or a Series
        self.known = {
            tuple(map(str, key)) if isinstance(key, tuple) else str(key): value
            for key, value in pairs
        }

    def of(self, table):
        """One value for each item; None where no item of the table has one."""
        keys = [((table.framework, item), item) for item in table.items]
        found = [self.known.get(both, self.known.get(item)) for both, item in keys]
        there = [value is not None and value == value for value in found]
        if not any(there):
            return None
        if not all(there):
            lacking = [item for item, known in zip(table.items, there) if not known]
            raise RatingsError(
                f"{self.what}: nothing for the items {lacking[:5]} of {table.framework}",
                "a value for every item of a framework, or for none of them",
                "add the missing ones, or leave the items out",
            )
        self.used = True
        return found

    def refuse_unused(self):
        """Ids that fit no item at all are a mistake, not an absence."""
        if not self.used:
            raise RatingsError(
                f"{self.what} for {list(self.known)[:3]}",
                "values by item, or by (framework, item), with the ids of the frame",
                "compare the ids with the column item",
            )


def _by_fold(y, scale, cut, learn):
    """Predictions of every item by what `learn` makes of the training items."""
    result = np.full(y.shape, np.nan)
    for train, test in cut.splits(np.isfinite(y)):
        result[test] = np.clip(learn(train)(np.flatnonzero(test)), scale.low, scale.high)
    return result


def _constant(y, scale, cut, of):
    def learn(train):
        value = of(y[train], scale)
        return lambda places: np.full(places.size, value)

    return _by_fold(y, scale, cut, learn)


def _line(x, y, scale, cut):
    x = np.asarray(x, float)

    def learn(train):
        use, _ = METHODS["linear"](x[train], y[train], scale)
        return lambda places: use(x[places])

    return _by_fold(y, scale, cut, learn)


def _ridge(texts, y, scale, cut):
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import RidgeCV
        from sklearn.pipeline import make_pipeline
    except ImportError as error:
        raise RatingsError(
            "texts, but scikit-learn is not installed",
            "the baseline 'words' with scikit-learn",
            f"leave texts= out, or {install('judge')}",
        ) from error

    def learn(train):
        model = make_pipeline(TfidfVectorizer(sublinear_tf=True), RidgeCV(alphas=_ALPHAS))
        model.fit([texts[place] for place in train], y[train])
        return lambda places: model.predict([texts[place] for place in places])

    return _by_fold(y, scale, cut, learn)


# --- judges against them -------------------------------------------------------------


def against_baselines(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
    constants: str | Sequence[str] = ("majority", "mean"),
    features: Mapping[str, Mapping] | None = None,
    texts: Mapping | None = None,
    groups: Mapping[str, str] | None = None,
    folds: int = 10,
    statistics: str | Sequence[str] | Mapping = STATISTICS,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = True,
) -> pd.DataFrame:
    """Does a judge agree with the reference better than something cheap does?

    Parameters
    ----------
    ratings, scale, reference, how, constants, features, texts, groups, folds, seed
        As in `add_baselines`.
    judges : str or sequence of str
        Raters outside the reference's group.
    statistics : str, sequence of str, or mapping
        Names from `coefficients.PAIR`, or ``"mean_absolute_error"``; or names with
        functions. Where ratings must be equal to agree (percent agreement, F1,
        unweighted kappa) predictions and means go to the nearest level first.
    resamples, level
        As in `agreement`.
    mean : bool
        Also the means over the dimensions of each framework and over all.

    Returns
    -------
    DataFrame
        ``framework, dimension, rater, compared_with, statistic, estimate, low, high,
        n_items, n_ratings, note``. Each rater, judge or baseline, with the reference
        (``compared_with`` is the reference), and each judge less each baseline on the
        same resamples (``compared_with`` is the baseline). Of errors less is better.

    Raises
    ------
    RatingsError
        As `add_baselines`; an unknown judge or statistic; a judge of the reference's group.

    Notes
    -----
    A baseline has learned from the reference's ratings of other items, which a judge has
    not: it knows the level that experts use. A judge that loses to a constant in error and
    wins in rank correlation needs recalibration, not replacement. Kappa of a constant is 0
    and its rank correlation is not defined, so look at the error too; for these coefficients
    a constant is taken as one number, its mean over the folds. Predictions by least
    squares are pulled towards the mean, which kappa punishes and the error rewards. Intervals hold
    the chance of the items that are tested, not that of the items learned from.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list("uvwxyz") * 2, "rater": ["a"] * 6 + ["j"] * 6,
    ...                       "rating": [2, 3, 4, 5, 2, 4, 1, 3, 4, 4, 1, 3]})
    >>> found = against_baselines(frame, Scale([1, 2, 3, 4, 5]), "j", "a", constants="mean",
    ...                           statistics="mean_absolute_error", folds=3, resamples=0)
    >>> found[["rater", "compared_with", "estimate"]].round(2).values.tolist()
    [['j', 'a', 0.67], ['mean', 'a', 1.0], ['j', 'mean', -0.33]]
    """
    judges = as_names(judges)
    constants = [constants] if isinstance(constants, str) else list(constants)
    frame = add_baselines(
        ratings, scale, reference, how, constants, features, texts, groups, folds, seed
    )
    frame, name = add_reference(frame, reference, how)
    _only_others(frame, judges, reference)
    raters = [*judges, *dict.fromkeys(frame.loc[frame["group"] == GROUP, "rater"])]
    results = []
    for table in tables(frame, between(scale), [name, *raters]):
        functions = _functions(statistics, table.scale)
        labelled = [pair for one in functions.items() for pair in _sums(table, *one, constants)]
        draws = Draws(len(table.items), resamples, seed, table.framework)
        by_statistic = groupby(estimates(labelled, draws), key=lambda one: one.labels["statistic"])
        for _, same in by_statistic:
            results += _compared(list(same), judges)
    results = with_means(results, IN_UNITS) if mean else results
    return to_frame(results, _COLUMNS, level)


def _only_others(frame, judges, reference):
    groups = frame.drop_duplicates("rater").set_index("rater")["group"]
    wrong = [j for j in judges if groups.get(j) in (None, reference, GROUP) or j == reference]
    if wrong:
        raise RatingsError(
            f"the judges {wrong} against the reference {reference!r}",
            "raters of the frame who are no part of the reference",
            "name others; for a rater of the group, take the others' frame without that rater",
        )


def _functions(statistics, scale):
    if isinstance(statistics, Mapping):
        return dict(statistics)
    return chosen(statistics, KNOWN, scale)


def _sums(table, statistic, of, constants):
    """Every rater of one dimension with the reference: labels and coefficient."""
    reference, *raters = table.raters
    where = {"framework": table.framework, "dimension": table.dimension}
    values = table.values
    if statistic in _EQUAL or statistic.startswith("f1_"):
        values = np.where(np.isfinite(values), nearest_level(values, table.scale), values)
    for place, rater in enumerate(raters, 1):
        x = values[:, [0, place]]
        if np.isnan(x[:, 1]).all():
            continue  # a feature or text that this framework has not
        if rater in constants and statistic not in _AS_GIVEN and not statistic.startswith("f1_"):
            # One constant knows nothing of an item; its small changes from fold to fold run
            # against the held-out items, and ranks would make much of them.
            x[:, 1] = np.where(np.isnan(x[:, 1]), np.nan, np.nanmean(x[:, 1]))
        labels = {**where, "rater": rater, "compared_with": reference, "statistic": statistic}
        yield labels, of(x, table.scale)


def _compared(results, judges):
    """Every rater of one dimension with the reference, then judges less baselines."""
    yield from results
    by_rater = {one.labels["rater"]: one for one in results}
    for judge in judges:
        for other in by_rater:
            if judge in by_rater and other not in judges:
                labels = by_rater[judge].labels | {"compared_with": other}
                yield difference(labels, by_rater[judge], by_rater[other])
