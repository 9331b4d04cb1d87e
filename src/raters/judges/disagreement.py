"""Why a judge and a reference disagree: level, spread or order; near misses or far ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from raters.coefficients import PAIR, Sums
from raters.coefficients.base import NO_ERROR, NO_SPLIT, NO_VARIATION, Reason, notes, ratio
from raters.coefficients.pairs import moments
from raters.coefficients.ratings import NO_SHARED_ITEM, Ratings
from raters.draws import Draws
from raters.errors import RatingsError
from raters.judges.reference import between, ordered, with_judged
from raters.matrices import tables
from raters.results import difference, estimates, to_frame, with_means
from raters.scale import Scale

WHO = ["framework", "dimension", "judge", "reference"]
GAIN = "kappa_gain_without_level"
_IN_UNITS = ("mean_difference", "error_where_split", "error_elsewhere", "difference")
SHARES = ("error_from_level", "error_from_spread", "error_from_order")
_SPLIT = ("error_where_split", "error_elsewhere", "difference", "rank_correlation")


# --- coefficients of reference and judge ---------------------------------------


def _moments(x, scale, finish, undefined):
    """Sums with the terms n, a, b, a^2, b^2, (a - b)^2; `undefined` says why a NaN is one."""
    r = Ratings.of(x, scale)
    sums = moments(r, finish, r.shared_note)
    if r.both.any() and np.isnan(sums.estimate()):
        return replace(sums, note=notes(undefined, sums.note))
    return sums


def spread_ratio(x: np.ndarray, scale: Scale) -> Sums:
    """Standard deviation of the second rater over that of the first.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Reference and judge; items rated by both count.
    scale : Scale
        Its values are the numbers.

    Returns
    -------
    Sums
        Below 1 where the judge uses less of the scale. Undefined when the first rater
        gives one rating to all items.

    Examples
    --------
    >>> spread_ratio(np.array([[1, 2], [3, 3], [5, 4]]), Scale([1, 2, 3, 4, 5])).estimate()
    0.5
    """

    def finish(totals):
        n, a, b, aa, bb, _ = totals
        squared = ratio(n * bb - b * b, n * aa - a * a, n * aa)
        return np.sqrt(np.maximum(squared, 0))

    return _moments(x, scale, finish, Reason(NO_VARIATION, "the reference tells no items apart"))


def error_share(part: str):
    """What share of the squared error is due to level, spread or order.

    Parameters
    ----------
    part : {"level", "spread", "order"}
        Which share.

    Returns
    -------
    callable
        A coefficient that takes ``(x, scale)``, with reference and judge as columns. The
        three shares add up to 1. Undefined when there is no error.

    Notes
    -----
    The mean squared error is ``(mean difference)^2 + (s_judge - s_reference)^2 +
    2 s_judge s_reference (1 - r)``, with standard deviations s over n and the correlation
    r: what a shift, another spread, and another order of the items add. Source: Theil
    (1966), Applied Economic Forecasting, ch. 2 (bias, variance and covariance proportions).
    The order part holds the noise of the reference as well as that of the judge.

    Raises
    ------
    RatingsError
        `part` is none of the three.

    Examples
    --------
    >>> x = np.array([[1, 2], [2, 3], [3, 4]])
    >>> error_share("level")(x, Scale([1, 2, 3, 4])).estimate()
    1.0
    """
    if part not in ("level", "spread", "order"):
        raise RatingsError(f"part={part!r}", "level, spread, order", "name one of these")

    def finish(totals):
        n, a, b, aa, bb, d = totals
        # All times n^2, so that whole-numbered ratings keep whole numbers.
        level = (b - a) ** 2
        va, vb = np.maximum(n * aa - a * a, 0), np.maximum(n * bb - b * b, 0)
        spread = (np.sqrt(va) - np.sqrt(vb)) ** 2
        parts = {"level": level, "spread": spread, "order": n * d - level - spread}
        return ratio(parts[part], n * d, n * (aa + bb))

    return lambda x, scale: _moments(x, scale, finish, Reason(NO_ERROR, "no error to divide"))


_COEFFICIENTS = {
    "mean_difference": PAIR["mean_difference"],
    "weighted_kappa_quadratic": PAIR["weighted_kappa_quadratic"],
    "weighted_kappa_quadratic_centred": PAIR["weighted_kappa_quadratic_centred"],
    "spearman_rho": PAIR["spearman_rho"],
    "spread_ratio": spread_ratio,
    **{name: error_share(name.removeprefix("error_from_")) for name in SHARES},
}


# --- level against order --------------------------------------------------------


def _pairs(ratings, scale, judges, reference, how) -> Iterator[tuple]:
    """Every dimension and judge: labels, (reference, judge) columns, scale, items."""
    frame, references = with_judged(ratings, scale, judges, reference, how)
    for table in tables(frame, between(scale)):
        ordered(table)
        for judge, name in references.items():
            x = table.values[:, [table.raters.index(name), table.raters.index(judge)]]
            where = (table.framework, table.dimension, judge, name)
            yield dict(zip(WHO, where)), x, table.scale, table.items


def level_and_order(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = True,
) -> pd.DataFrame:
    """Is a judge off in level, in spread, or in the order of the items?

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales, not nominal.
    judges : str or sequence of str
        Raters to be held against the reference.
    reference : str
        A group, summarised item by item, or one rater. A judge who belongs to the group
        is held against the others of it.
    how : {"median", "mean", "mode"}
        How a group is summarised.
    resamples, seed, level
        As in `agreement`.
    mean : bool
        Also the means over the dimensions of each framework and over all.

    Returns
    -------
    DataFrame
        ``framework, dimension, judge, reference, statistic, estimate, low, high, n_items,
        n_ratings, note``. Statistics: ``mean_difference`` (judge less reference),
        ``weighted_kappa_quadratic``, the same ``_centred`` (after the shift of level is
        taken away), ``kappa_gain_without_level`` (their difference, on the same
        resamples), ``spearman_rho``, ``spread_ratio``, and the shares of the squared
        error ``error_from_level``, ``_spread``, ``_order`` (see `error_share`).

    Raises
    ------
    RatingsError
        From `check_ratings`; an unknown judge, group or rater; a nominal scale.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": [1, 2, 3] * 2, "rater": list("aaabbb"),
    ...                       "rating": [1, 2, 3, 2, 3, 4]})
    >>> found = level_and_order(frame, Scale([1, 2, 3, 4]), "b", "a", resamples=0)
    >>> found.set_index("statistic").estimate.round(2).to_dict()["kappa_gain_without_level"]
    0.43
    """
    results = []
    for labels, x, declared, items in _pairs(ratings, scale, judges, reference, how):
        draws = Draws(len(items), resamples, seed, labels["framework"])
        labelled = [
            ({**labels, "statistic": name}, of(x, declared)) for name, of in _COEFFICIENTS.items()
        ]
        by_name = {one.labels["statistic"]: one for one in estimates(labelled, draws)}
        centred = by_name["weighted_kappa_quadratic_centred"]
        gain = difference(
            {**labels, "statistic": GAIN}, centred, by_name["weighted_kappa_quadratic"]
        )
        results += [*by_name.values(), gain]
    return _framed(results, level, mean)


def _framed(results, level, mean):
    results = with_means(results, _IN_UNITS) if mean else results
    return to_frame(results, [*WHO, "statistic"], level)


def why(found: pd.DataFrame) -> pd.DataFrame:
    """What `level_and_order` found, in one row and in words.

    Parameters
    ----------
    found : DataFrame
        From `level_and_order`, with intervals.

    Returns
    -------
    DataFrame
        ``framework, dimension, judge, reference``, a column for each statistic,
        ``n_items`` and ``verdict``: ``"mostly level"``, ``"mostly spread"`` or ``"mostly
        order"`` where the whole interval of that share of the squared error lies above
        one half; else ``"level and order"`` where the interval of the mean difference
        excludes 0; else ``"cannot tell with n = ..."``. Where there is no error:
        ``"no disagreement"``.

    Raises
    ------
    RatingsError
        The frame is another one, or has no intervals.

    Notes
    -----
    "Order" means whatever is neither level nor spread. A good judge's error is order too,
    as every single rating has noise: read the size of kappa first.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list(range(8)) * 2, "rater": ["a"] * 8 + ["b"] * 8,
    ...                       "rating": [1, 2, 3, 1, 2, 3, 1, 3, 3, 4, 5, 3, 4, 5, 3, 4]})
    >>> found = level_and_order(frame, Scale([1, 2, 3, 4, 5]), "b", "a", resamples=200)
    >>> why(found).verdict.tolist()
    ['mostly level']
    """
    needed = {*WHO, "statistic", "estimate", "low", "high", "undefined"}
    if not needed <= set(found.columns) or not set(SHARES) <= set(found["statistic"]):
        raise RatingsError(
            f"a frame with the columns {list(map(str, found.columns))}",
            "what level_and_order returns",
            "call level_and_order first",
        )
    if found["low"].isna().all() and found["estimate"].notna().any():
        raise RatingsError(
            "results without intervals",
            "results with intervals, on which the verdict rests",
            "call level_and_order with resamples=2000, say",
        )
    rows = []
    for where, part in found.groupby(WHO, sort=False):
        part = part.set_index("statistic")
        n = int(part["n_items"].max())
        said = {"n_items": n, "verdict": _verdict(part, n)}
        rows.append({**dict(zip(WHO, where)), **part["estimate"].to_dict(), **said})
    return pd.DataFrame(rows)


def _verdict(part, n):
    if np.isnan(part.loc["mean_difference", "estimate"]):
        return NO_SHARED_ITEM
    shares = part.loc[list(SHARES)]
    if shares["estimate"].isna().all():
        return _no_shares(part)
    for name in SHARES:
        if shares.loc[name, "low"] > 0.5:
            return f"mostly {name.removeprefix('error_from_')}"
    low, high = part.loc["mean_difference", ["low", "high"]]
    return "level and order" if low > 0 or high < 0 else f"cannot tell with n = {n}"


def _no_shares(part):
    """A mean over dimensions has no shares where one of its dimensions has none."""
    first = part.loc[SHARES[0]]
    return "no disagreement" if first["undefined"] == NO_ERROR else first["note"]


# --- near misses and far ones ---------------------------------------------------


def steps_apart(x: np.ndarray, scale: Scale) -> np.ndarray:
    """How many levels the second rater is above the first.

    Parameters
    ----------
    x : ndarray, shape (items, 2)
        Reference and judge.
    scale : Scale
        The declared scale; steps are counted in its levels, whatever their values.

    Returns
    -------
    ndarray, shape (items,)
        Whole numbers for ratings that are levels; NaN where one of the two has none.

    Examples
    --------
    >>> steps_apart(np.array([[1, 4], [4, 1], [2, 2]]), Scale([1, 2, 4])).tolist()
    [2.0, -2.0, 0.0]
    """
    levels = np.sort(scale.values)
    place = np.interp(x, levels, np.arange(levels.size))
    gap = place[:, 1] - place[:, 0]
    return np.where(np.isfinite(x).all(axis=1), gap, np.nan)


_STEPS = {
    "exact": lambda gap: np.abs(gap) < 0.5,
    "adjacent": lambda gap: (np.abs(gap) >= 0.5) & (np.abs(gap) < 1.5),
    "cross": lambda gap: np.abs(gap) >= 1.5,
    "judge_higher": lambda gap: gap >= 0.5,
    "judge_lower": lambda gap: gap <= -0.5,
}


def step_errors(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = True,
) -> pd.DataFrame:
    """How far off a judge is: shares of hits, near misses and far ones.

    Parameters
    ----------
    ratings, scale, judges, reference, how, resamples, seed, level, mean
        As in `level_and_order`.

    Returns
    -------
    DataFrame
        The columns of `level_and_order`. Statistics, all shares of the items: ``exact``,
        ``adjacent`` (one level off), ``cross`` (two or more), and ``judge_higher``,
        ``judge_lower``. The first three add up to 1, and so do ``exact`` and the last two.

    Raises
    ------
    RatingsError
        As `level_and_order`.

    Notes
    -----
    Adjacent and cross errors: Xu et al. (2026), LAK, arXiv 2601.11920. A rating between
    two levels stands at its place between them; less than half a level off counts as
    exact, less than one and a half as adjacent.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 2, "rater": list("aaaabbbb"),
    ...                       "rating": [1, 2, 3, 4, 1, 3, 1, 4]})
    >>> found = step_errors(frame, Scale([1, 2, 3, 4]), "b", "a", resamples=0)
    >>> found.estimate.tolist()
    [0.5, 0.25, 0.25, 0.25, 0.25]
    """
    results = []
    for labels, x, declared, items in _pairs(ratings, scale, judges, reference, how):
        gap, note = steps_apart(x, declared), Ratings.of(x, declared).shared_note
        labelled = [
            ({**labels, "statistic": name}, _share(holds(gap), np.isfinite(gap), note))
            for name, holds in _STEPS.items()
        ]
        results += estimates(labelled, Draws(len(items), resamples, seed, labels["framework"]))
    return _framed(results, level, mean)


def _share(holds, there, note):
    n = int(there.sum())
    terms = np.array([there, holds & there], float)
    return Sums(terms, lambda t: ratio(t[1], t[0], 1.0), n, 2 * n, note)


def confusion(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
) -> pd.DataFrame:
    """How often the judge gave each level where the reference gave each level.

    Parameters
    ----------
    ratings, scale, judges, reference, how
        As in `level_and_order`.

    Returns
    -------
    DataFrame
        One row for each two declared levels, also those that nobody used: ``framework,
        dimension, judge, reference, reference_level, judge_level`` (names of levels),
        ``n`` items, ``share`` of the items where the reference gave its level (NaN
        where it never did), ``n_items``, ``note``.

    Raises
    ------
    RatingsError
        As `level_and_order`.

    Notes
    -----
    A rating half way between two levels counts one half in each; any other rating
    between levels counts in the nearest one.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": [1, 2, 3] * 2, "rater": list("aaabbb"),
    ...                       "rating": [1, 1, 2, 1, 2, 2]})
    >>> confusion(frame, Scale([1, 2, 3]), "b", "a").n.to_numpy().reshape(3, 3).tolist()
    [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    rows = []
    for labels, x, declared, _ in _pairs(ratings, scale, judges, reference, how):
        r = Ratings.of(x, declared)
        (a, b), note = r.sides, r.shared_note
        first, second = _memberships(a, declared), _memberships(b, declared)
        if not all(((m == 0) | (m == 1)).all() for m in (first, second)):
            note = notes(note, "ratings half way between levels count one half in each")
        counts, size = first.T @ second, first.sum(axis=0)
        shares = ratio(counts, size[:, None], 1.0)
        levels = [declared.name_of(value) for value in sorted(declared.values)]
        for i, here in enumerate(levels):
            for j, there in enumerate(levels):
                numbers = {"n": counts[i, j], "share": shares[i, j], "n_items": a.size}
                place = {"reference_level": here, "judge_level": there}
                rows.append({**labels, **place, **numbers, "note": note})
    columns = [*WHO, "reference_level", "judge_level", "n", "share", "n_items", "note"]
    return pd.DataFrame(rows, columns=columns)


def _memberships(values, scale):
    """One row an item: 1 at its level, or one half at each of two levels."""
    levels = np.sort(scale.values)
    place = np.interp(values, levels, np.arange(levels.size))
    half = np.abs(place % 1 - 0.5) < 1e-9
    low = np.where(half, np.floor(place), np.rint(place)).astype(int)
    high = np.where(half, np.ceil(place), np.rint(place)).astype(int)
    result = np.zeros((values.size, levels.size))
    rows = np.arange(values.size)
    np.add.at(result, (rows, low), 0.5)
    np.add.at(result, (rows, high), 0.5)
    return result


# --- items -----------------------------------------------------------------------


def item_gaps(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
    most: int | None = None,
) -> pd.DataFrame:
    """The items, those with the largest gap between judge and reference first.

    Parameters
    ----------
    ratings, scale, judges, reference, how
        As in `level_and_order`.
    most : int, optional
        So many rows for each judge. Default: all.

    Returns
    -------
    DataFrame
        ``framework, dimension, judge, reference, item, reference_rating, judge_rating,
        gap`` (judge less reference), ``share`` (the gap's size as a share of the scale's
        length, by which the rows are sorted), and how the raters behind the reference
        differ: ``lowest, highest, range, variance`` (NaN for fewer than two of them).

    Raises
    ------
    RatingsError
        As `level_and_order`; `most` is no whole number above 0.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": [1, 2, 3] * 2, "rater": list("aaabbb"),
    ...                       "rating": [1, 1, 2, 1, 3, 1]})
    >>> item_gaps(frame, Scale([1, 2, 3]), "b", "a", most=2)[["item", "gap"]].values.tolist()
    [['2', 2.0], ['3', -1.0]]
    """
    if most is not None and (not isinstance(most, (int, np.integer)) or most < 1):
        raise RatingsError(f"most={most!r}", "a whole number above 0", "give 10, say")
    parts = []
    for labels, x, declared, items, panel in _with_panel(ratings, scale, judges, reference, how):
        part = pd.DataFrame(x, columns=["reference_rating", "judge_rating"]).assign(
            **labels, item=items, **_spread_of(panel)
        )
        part["gap"] = part["judge_rating"] - part["reference_rating"]
        part["share"] = part["gap"].abs() / (declared.high - declared.low)
        parts.append(part[np.isfinite(x).all(axis=1)])
    columns = [*WHO, "item", "reference_rating", "judge_rating", "gap", "share"]
    result = pd.concat(parts)[[*columns, "lowest", "highest", "range", "variance"]]
    # Equal gaps stand in the order of judge, framework, dimension, item.
    result = result.sort_values(["judge", "framework", "dimension", "item"], kind="stable")
    result = result.sort_values("share", ascending=False, kind="stable")
    result = result if most is None else result.groupby("judge", sort=False).head(most)
    return result.reset_index(drop=True)


def _with_panel(ratings, scale, judges, reference, how):
    """As `_pairs`, with the ratings of the raters behind the reference."""
    frame, references = with_judged(ratings, scale, judges, reference, how)
    members = sorted(set(frame.loc[frame["group"] == reference, "rater"]))
    panels = {
        (table.framework, table.dimension): table.values
        for table in tables(frame, between(scale), members or [reference])
    }
    for labels, x, declared, items in _pairs(ratings, scale, judges, reference, how):
        panel = panels[labels["framework"], labels["dimension"]]
        others = [place for place, name in enumerate(members) if name != labels["judge"]]
        yield labels, x, declared, items, panel[:, others] if members else panel


def _spread_of(panel):
    inside = np.where(np.isfinite(panel), panel, np.nan)
    n = np.isfinite(inside).sum(axis=1)
    total = np.nansum(inside, axis=1)
    mean = ratio(total, n, 0.0)
    squares = np.nansum((inside - mean[:, None]) ** 2, axis=1)
    few = n < 2
    low = np.where(n > 0, np.min(inside, axis=1, where=~np.isnan(inside), initial=np.inf), np.nan)
    high = np.where(n > 0, np.max(inside, axis=1, where=~np.isnan(inside), initial=-np.inf), np.nan)
    return {
        "lowest": low,
        "highest": high,
        "range": np.where(few, np.nan, high - low),
        "variance": np.where(few, np.nan, ratio(squares, n - 1, 0.0)),
    }


def where_raters_split(
    ratings: pd.DataFrame,
    scale,
    judges: str | Sequence[str],
    reference: str = "expert",
    how: str = "median",
    steps: float = 1,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = True,
) -> pd.DataFrame:
    """Is the judge's error larger where the reference's own raters differ?

    Parameters
    ----------
    ratings, scale, judges, how, resamples, seed, level, mean
        As in `level_and_order`.
    reference : str
        A group of two raters or more.
    steps : float
        The raters split on an item where their lowest and highest rating are so many
        levels apart or more.

    Returns
    -------
    DataFrame
        The columns of `level_and_order`. Statistics: ``error_where_split`` and
        ``error_elsewhere`` (mean absolute difference of judge and reference), their
        ``difference`` on the same resamples, and ``rank_correlation`` of the raters' range
        with that error, which needs no threshold. ``n_items`` of the first two are those items.

    Raises
    ------
    RatingsError
        As `level_and_order`; a reference that is one rater; `steps` not above 0.

    Notes
    -----
    Where raters split, their summary is less certain, so part of a larger error there is
    the reference's own.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list("wxyz") * 3, "rater": ["a"] * 4 + ["b"] * 4 + ["j"] * 4,
    ...                       "group": ["expert"] * 8 + ["llm"] * 4,
    ...                       "rating": [1, 2, 3, 1, 1, 2, 1, 3, 1, 2, 4, 4]})
    >>> found = where_raters_split(frame, Scale([1, 2, 3, 4]), "j", resamples=0)
    >>> found.estimate.tolist()
    [2.0, 0.0, 2.0, 1.0]
    """
    if not steps > 0:
        raise RatingsError(f"steps={steps!r}", "a number above 0", "give 1, or 2")
    results = []
    for labels, x, declared, items, panel in _with_panel(ratings, scale, judges, reference, how):
        if panel.shape[1] < 2:
            raise RatingsError(
                f"the reference {reference!r} of {panel.shape[1]} rater for {labels['judge']}",
                "a group with two raters or more beside the judge",
                "name such a group: reference='expert'",
            )
        spread = _spread_of(panel)
        apart = steps_apart(np.column_stack([spread["lowest"], spread["highest"]]), declared)
        apart[np.isnan(spread["range"])] = np.nan
        error = np.abs(x[:, 1] - x[:, 0])
        error[~np.isfinite(error)] = np.nan
        sums = _split_sums(apart, error, steps, declared)
        labelled = [({**labels, "statistic": name}, one) for name, one in zip(_SPLIT, sums)]
        results += estimates(labelled, Draws(len(items), resamples, seed, labels["framework"]))
    return _framed(results, level, mean)


def _split_sums(apart, error, steps, scale):
    """The four statistics of `where_raters_split` for one dimension and judge."""
    there = np.isfinite(apart) & np.isfinite(error)
    split, rest = there & (apart >= steps - 1e-9), there & (apart < steps - 1e-9)
    size = np.where(there, error, 0.0)
    terms = np.array([split, split * size, rest, rest * size], float)

    def at(t):
        return ratio(t[1], t[0], 1.0)

    def elsewhere(t):
        return ratio(t[3], t[2], 1.0)

    def sums(finish, which):
        n = int(which.sum())
        missing = notes(
            "" if split.any() else f"the raters split on no item by {steps:g} levels",
            "" if rest.any() else f"the raters split on every item by {steps:g} levels",
        )
        result = Sums(terms, finish, n, 2 * n, "")
        bad = Reason(NO_SPLIT, missing) if np.isnan(result.estimate()) else ""
        return Sums(terms, finish, n, 2 * n, bad)

    yield sums(at, split)
    yield sums(elsewhere, rest)
    yield sums(lambda t: at(t) - elsewhere(t), there)
    yield _rank_correlation(np.column_stack([apart, error]), scale)


def _rank_correlation(x, scale):
    """Spearman of range and error; its reasons name these, not two raters."""
    sums = PAIR["spearman_rho"](x, scale)
    note = ""
    if np.isnan(sums.estimate()):
        note = Reason(NO_VARIATION, "all items have one range, or one error")
    return Sums(sums.terms, sums.finish, sums.n_items, sums.n_ratings, note)
