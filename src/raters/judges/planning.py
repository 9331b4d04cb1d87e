"""How many items, how many raters: from the ratings of a first study."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from raters.coefficients import MANY, PAIR, Sums, chosen
from raters.coefficients.base import (
    NO_VARIANCE,
    NOT_MODELLED,
    NOTHING_SHARED,
    PART_UNDEFINED,
    TOO_FEW_ITEMS,
    Reason,
    code_of,
    ratio,
)
from raters.coefficients.ratings import centre
from raters.draws import Draws
from raters.errors import RatingsError
from raters.frames import check_ratings
from raters.intervals import percentile_interval
from raters.judges.reference import add_reference, between, ordered
from raters.matrices import tables
from raters.results import MEAN, estimates, to_frame, with_means

PLAN = [
    "framework",
    "dimension",
    "statistic",
    "quantity",
    "n_items",
    "n_raters",
    "estimate",
    "width",
    "reaches",
    "assumption",
    "note",
    "undefined",
]
# Coefficients of values, which a model of values can stand for.
MODELLED = ("krippendorff_alpha_interval", "icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k")
_MOST_PANELS, _STUDIES = 20, 250
_RESAMPLED = "items as observed, raters as observed"
_MODEL = "two-way normal model of values, for the ratio to the observed number of raters"


# --- how wide an interval will be ----------------------------------------------------


def plan(
    ratings: pd.DataFrame,
    scale,
    statistic: str = "krippendorff_alpha_interval",
    raters: str | Sequence[str] = "expert",
    judge: str | None = None,
    n_items: Sequence[int] = (25, 50, 100, 200, 400),
    n_raters: Sequence[int] | None = None,
    width: float | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = True,
) -> pd.DataFrame:
    """How wide an interval will be with so many items and raters.

    Parameters
    ----------
    ratings : DataFrame
        The long frame of a first study; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales.
    statistic : str
        A name from `coefficients.MANY`, of all raters, or from `coefficients.PAIR`: the
        mean over the pairs of raters.
    raters : str or sequence of str
        A group, or two raters or more.
    judge : str, optional
        A rater beside them, for a statistic of pairs. Then the rows are about the judge:
        ``judge`` (the mean over the pairs of judge and rater) and ``difference`` (that
        mean less the mean over the pairs of raters).
    n_items : sequence of int
        Numbers of items to look at.
    n_raters : sequence of int, optional
        Numbers of raters, 2 or more (with a judge: 1 or more, and no difference for 1).
        Default: as many as there are.
    width : float, optional
        The wanted width of the interval, from end to end.
    resamples : int
        Simulated studies for each number of items.
    seed : int
        The seed.
    level : float
        Coverage of the interval.
    mean : bool
        Also the mean over the dimensions of each framework.

    Returns
    -------
    DataFrame
        ``framework, dimension, statistic, quantity, n_items, n_raters, estimate, width,
        reaches, assumption, note``. ``width`` is the expected width, ``estimate`` the mean
        over the simulated studies, ``reaches`` whether the width is at most the wanted one
        (missing where none is wanted or the width is not defined). See `smallest_n`.

    Raises
    ------
    RatingsError
        From `check_ratings`; unknown raters or statistic; a number that is none; more
        raters than observed with a statistic that the model cannot stand for.

    Notes
    -----
    A study of n items is a draw of n items with replacement from the observed ones (Efron
    and Tibshirani, 1993, ch. 25); the width is that of the middle part of the coefficient
    over such studies, which an interval over resampled items estimates. It holds the
    chance of items, with the raters as they are. With fewer raters than
    observed it is the mean over panels: every choice of raters, or 20 random ones. With
    more, the ratio of the widths is taken from ratings simulated with the variance
    components of items, raters and error (Shrout and Fleiss, 1979), normal, unrounded, with
    as many items as observed; the new raters are drawn like the old ones. A first study
    with few items tells the width itself with error, and no kind of item that it had not
    can turn up.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list(range(6)) * 2, "rater": ["a"] * 6 + ["b"] * 6,
    ...                       "rating": [1, 2, 3, 4, 5, 3, 1, 3, 3, 5, 4, 2]})
    >>> found = plan(frame, Scale([1, 2, 3, 4, 5]), raters=["a", "b"], n_items=[20, 80])
    >>> found[["n_items", "width"]].round(1).values.tolist()
    [[20.0, 0.3], [80.0, 0.1]]
    """
    frame = check_ratings(ratings, scale)
    names = _members(frame, raters)
    sizes = [len(names)] if n_raters is None else list(n_raters)
    known = _known(statistic, judge, frame, names)
    _whole("n_items", n_items, 2)
    _whole("n_raters", sizes, 1 if judge else 2)
    _wanted(width)
    if max(sizes) > len(names) and (judge or statistic not in MODELLED):
        raise RatingsError(
            f"{max(sizes)} raters for {statistic}, with {len(names)} observed",
            f"at most {len(names)}; more for {', '.join(MODELLED)}, without a judge",
            "choose one of these, or plan with the raters that there are",
        )
    columns = [*names, judge] if judge else names
    simulated = _Simulated(statistic, known, judge is not None, resamples, seed, level)
    rows = []
    for framework, found in _by_framework(tables(frame, scale, columns)):
        for n in n_items:
            rows += simulated.rows(framework, found, int(n), sizes, mean)
    result = pd.DataFrame(rows)
    result["reaches"] = pd.array([pd.NA] * len(result), "boolean")
    if width is not None:
        there = result["width"].notna()
        result.loc[there, "reaches"] = result.loc[there, "width"] <= width
    keys = ["framework", "dimension", "quantity", "n_raters", "n_items"]
    order = result[keys].apply(lambda c: c if c.name[:2] == "n_" else pd.factorize(c)[0])
    return result.loc[order.sort_values(keys, kind="stable").index, PLAN].reset_index(drop=True)


def _members(frame, raters):
    if isinstance(raters, str):
        names = sorted(set(frame.loc[frame["group"] == raters, "rater"]))
    else:
        names = list(raters)
    if len(set(names)) < 2:
        raise RatingsError(
            f"the raters {raters!r}, which are {len(set(names))}",
            f"a group with two raters or more, of {sorted(set(frame['group']))}, or their names",
            "name a group or two raters",
        )
    return names


def _known(statistic, judge, frame, names):
    if judge is None:
        return PAIR if statistic in PAIR else MANY
    if statistic not in PAIR or judge in names or judge not in set(frame["rater"]):
        raise RatingsError(
            f"the judge {judge!r} with the statistic {statistic!r}",
            f"a rater of the frame beside {names}, and one of {', '.join(PAIR)}",
            "name such a rater and a statistic of two raters",
        )
    return PAIR


def _whole(name, values, least):
    wrong = [v for v in values if not isinstance(v, (int, np.integer)) or v < least]
    if wrong or not len(list(values)):
        raise RatingsError(
            f"{name}={list(values)}", f"whole numbers of {least} or more", f"correct {name}"
        )


def _wanted(width):
    if width is not None and not width > 0:
        raise RatingsError(f"width={width!r}", "a number above 0", "give 0.2, say")


def _by_framework(found):
    groups = {}
    for table in found:
        groups.setdefault(table.framework, []).append(table)
    return groups.items()


class _Simulated:
    """Simulated studies of one statistic."""

    def __init__(self, statistic, known, judged, resamples, seed, level):
        self.statistic, self.known, self.judged = statistic, known, judged
        self.resamples, self.seed, self.level = resamples, seed, level
        self._known_ratios = {}

    def rows(self, framework, found, n, sizes, mean):
        """All rows of one framework and one number of items."""
        rng = np.random.default_rng([self.seed, n, zlib.crc32(framework.encode())])
        observed = len(found[0].items)
        times = rng.multinomial(n, np.full(observed, 1 / observed), self.resamples).astype(float)
        for size in sizes:
            there = len(found[0].raters) - self.judged
            draws = {t.dimension: self._panels(t, times, min(size, there)) for t in found}
            quantities = ["judge", "difference"] if self.judged else ["agreement"]
            for place, quantity in enumerate(quantities):
                if quantity == "difference" and size < 2:
                    continue
                labels = {"framework": framework, "statistic": self.statistic, "quantity": quantity}
                labels |= {"n_items": n, "n_raters": size, "assumption": _RESAMPLED}
                here = {d: panels[place] for d, panels in draws.items()}
                if size > there:
                    yield from self._modelled(labels, here, found, size)
                else:
                    for dimension, values in here.items():
                        yield {**labels, "dimension": dimension, **self._summary(values)}
                if mean and len(found) > 1:
                    whole = np.mean(list(here.values()), axis=0)
                    yield {**labels, "dimension": MEAN, **self._mean(whole, size > there)}

    def _mean(self, values, modelled):
        if not modelled:
            return self._summary(values)
        said = Reason(NOT_MODELLED, "the model knows single dimensions, not how they go together")
        return {"estimate": np.nan, "width": np.nan, "assumption": _MODEL, **_why(said)}

    def _panels(self, table, times, size):
        """The statistic on every study by every panel: quantities x panels x studies."""
        people = range(len(table.raters) - self.judged)
        panels = list(combinations(people, size))
        if len(panels) > _MOST_PANELS:
            rng = np.random.default_rng([self.seed, size])
            panels = [panels[i] for i in sorted(rng.choice(len(panels), _MOST_PANELS, False))]
        of = chosen(self.statistic, self.known, table.scale)[self.statistic]
        values = table.values

        def on(columns):
            return of(values[:, list(columns)], table.scale).resampled(times)

        if self.known is MANY:
            return np.array([[on(panel) for panel in panels]])
        pairs = {pair: on(pair) for pair in combinations(people, 2)} if size > 1 else {}
        among = [
            np.mean([pairs[p] for p in combinations(panel, 2)], axis=0) for panel in panels if pairs
        ]
        if not self.judged:
            return np.array([among])
        last = len(table.raters) - 1
        single = [on((person, last)) for person in people]
        judge = [np.mean([single[person] for person in panel], axis=0) for panel in panels]
        return np.array([judge, np.subtract(judge, among)] if pairs else [judge])

    def _summary(self, values):
        """Expected estimate and width: means over the panels."""
        ends = [percentile_interval(one, self.level) for one in values]
        widths = np.array([high - low for low, high, _ in ends])
        lost = np.mean([undefined for _, _, undefined in ends])
        if np.isnan(widths).any():
            said = Reason(PART_UNDEFINED, "no study of some panel has a value")
            return {"estimate": np.nan, "width": np.nan, **_why(said)}
        said = f"undefined in {lost:.1%} of the simulated studies, left out" if lost > 0 else ""
        return {"estimate": np.nanmean(values), "width": widths.mean(), **_why(said)}

    def _modelled(self, labels, here, found, size):
        labels = {**labels, "assumption": _MODEL}
        for table in found:
            whole = table.values[np.isfinite(table.values).all(axis=1)]
            known = self._summary(here[table.dimension])
            row = {**labels, "dimension": table.dimension, **known}
            if whole.shape[0] < 2 or np.ptp(whole) == 0:
                said = Reason(TOO_FEW_ITEMS, "too few items that all rated, or no variation")
                yield {**row, "estimate": np.nan, "width": np.nan, **_why(said)}
                continue
            longer, wider = self._by_model(table, whole, size)
            yield {**row, "estimate": row["estimate"] + longer, "width": row["width"] * wider}

    def _by_model(self, table, whole, size):
        """What more raters change: estimate, and width as a ratio. The same for every n,
        as both widths shrink with its root."""
        key = (table.framework, table.dimension, size)
        if key not in self._known_ratios:
            name = zlib.crc32("/".join(key[:2]).encode())
            rng = np.random.default_rng([self.seed, size, name])
            parts, n = variance_components(whole), len(whole)
            now = self._model(parts, table.scale, n, whole.shape[1], rng)
            then = self._model(parts, table.scale, n, size, rng)
            change = then["estimate"] - now["estimate"], then["width"] / now["width"]
            self._known_ratios[key] = change
        return self._known_ratios[key]

    def _model(self, parts, scale, n, k, rng):
        """Studies of n items by panels of k raters, by the model."""
        values = []
        for _ in range(_MOST_PANELS):
            raters = rng.normal(0, np.sqrt(parts["rater"]), k)
            items = rng.normal(0, np.sqrt(parts["item"]), (_STUDIES * n, 1))
            x = items + raters + rng.normal(0, np.sqrt(parts["error"]), (_STUDIES * n, k))
            sums = MANY[self.statistic](x, scale)
            terms = sums.terms.reshape(len(sums.terms), _STUDIES, n).sum(axis=2)
            values.append(sums.finish(terms))
        return self._summary(np.array(values))


def _why(note):
    return {"note": str(note), "undefined": code_of(note)}


def variance_components(x: np.ndarray) -> dict[str, float]:
    """Variances of items, raters and error, from complete ratings.

    Parameters
    ----------
    x : ndarray, shape (items, raters)
        Without missing ratings.

    Returns
    -------
    dict
        ``item``, ``rater``, ``error``; what comes out negative is 0.

    Notes
    -----
    From the mean squares of the two-way analysis of variance with one rating a cell:
    Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428.

    Examples
    --------
    >>> variance_components(np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]))
    {'item': 1.0, 'rater': 0.5, 'error': 0.0}
    """
    n, k = x.shape
    rows, columns = x.mean(axis=1), x.mean(axis=0)
    between_items = k * rows.var(ddof=1)
    between_raters = n * columns.var(ddof=1)
    rest = x - rows[:, None] - columns + x.mean()
    error = float((rest**2).sum() / ((n - 1) * (k - 1)))
    return {
        "item": max(0.0, float(between_items - error) / k),
        "rater": max(0.0, float(between_raters - error) / n),
        "error": error,
    }


def smallest_n(planned: pd.DataFrame, width: float) -> pd.DataFrame:
    """The smallest number of items, of those planned with, that reaches a width.

    Parameters
    ----------
    planned : DataFrame
        From `plan`.
    width : float
        The wanted width of the interval.

    Returns
    -------
    DataFrame
        One row a framework, dimension, statistic, quantity and number of raters:
        ``n_items`` (missing where no planned number reaches it), ``width`` there or with
        the most items, and ``by_root_n``: the number that the width with the most items
        leads to, as widths shrink with the root of n.

    Raises
    ------
    RatingsError
        `width` is not above 0; the frame is not from `plan`.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list(range(6)) * 2, "rater": ["a"] * 6 + ["b"] * 6,
    ...                       "rating": [1, 2, 3, 4, 5, 3, 1, 3, 3, 5, 4, 2]})
    >>> found = plan(frame, Scale([1, 2, 3, 4, 5]), raters=["a", "b"], n_items=[20, 80])
    >>> smallest_n(found, width=0.15).n_items.tolist()
    [80]
    """
    _wanted(width)
    if not set(PLAN) <= set(planned.columns):
        raise RatingsError(
            f"a frame with the columns {list(map(str, planned.columns))}",
            "what plan returns",
            "call plan first",
        )
    keys = ["framework", "dimension", "statistic", "quantity", "n_raters"]
    rows = []
    for where, part in planned.groupby(keys, sort=False):
        part = part.sort_values("n_items")
        most = part.iloc[-1]
        enough = part[part["width"] <= width]
        row = most if enough.empty else enough.iloc[0]
        needed = most["n_items"] * (most["width"] / width) ** 2
        rows.append(
            {
                **dict(zip(keys, where)),
                "n_items": pd.NA if enough.empty else int(row["n_items"]),
                "width": row["width"],
                "by_root_n": pd.NA if np.isnan(needed) else int(np.ceil(needed)),
                "note": most["note"] if np.isnan(most["width"]) else "",
            }
        )
    return pd.DataFrame(rows).astype({"n_items": "Int64", "by_root_n": "Int64"})


# --- one rater against the mean of several -----------------------------------------


def gain_from_raters(
    ratings: pd.DataFrame,
    scale,
    raters: str = "crowd",
    k: Sequence[float] = (1, 2, 3, 5, 10, np.inf),
    criterion: str | None = None,
    how: str = "median",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    mean: bool = True,
) -> pd.DataFrame:
    """What the mean of k raters is worth, for raters who are drawn anew for each item.

    Parameters
    ----------
    ratings : DataFrame
        The long frame with single ratings, not means; see `check_ratings`. Items may have
        different raters, and different numbers of them.
    scale : Scale or mapping
        The declared scale or scales, not nominal.
    raters : str
        The group.
    k : sequence of float
        Numbers of raters, 1 or more; ``numpy.inf`` for as many as one likes.
    criterion : str, optional
        A group or a rater to hold the mean against. Default: reliability only.
    how : {"median", "mean", "mode"}
        How a group as criterion is summarised.
    resamples, seed, level
        As in `agreement`.
    mean : bool
        Also the means over the dimensions of each framework and over all.

    Returns
    -------
    DataFrame
        ``framework, dimension, group, criterion, n_raters, statistic, estimate, low, high,
        n_items, n_ratings, note``. Statistics: ``reliability`` (the correlation of two such
        means), and with a criterion ``correlation`` and ``weighted_kappa_quadratic`` of
        the mean with it. The last is what averaging cannot lift over a shift of level.

    Raises
    ------
    RatingsError
        From `check_ratings`; nobody is in the group; a number below 1; a nominal scale.

    Notes
    -----
    With the variance T of items and W within items, ``T / (T + W / k)``: the formula of
    Spearman (1910) and Brown (1910), British Journal of Psychology 3, for ICC(1,1) (Shrout
    and Fleiss, 1979). W is pooled over items with two ratings or more, T is the variance of
    the items' means less what W adds to it, or 0 where that is negative. The covariance with
    the criterion does not depend on k; the variance of the mean does. A correlation can come
    out above 1 by chance where T is small; it is not cut off. Where k is the number that
    rated every item, the kappa is that of the observed means.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": list("wxyz") * 2, "rater": ["a"] * 4 + ["b"] * 4,
    ...                       "group": "crowd", "rating": [1, 2, 4, 4, 2, 2, 3, 4]})
    >>> found = gain_from_raters(frame, Scale([1, 2, 3, 4]), k=[1, 2], resamples=0)
    >>> found.estimate.round(3).tolist()
    [0.838, 0.912]
    """
    frame = check_ratings(ratings, scale)
    members = sorted(set(frame.loc[frame["group"] == raters, "rater"]))
    if not members:
        raise RatingsError(
            f"the group {raters!r}", f"one of {sorted(set(frame['group']))}", "name one of these"
        )
    if not len(list(k)) or any(not one >= 1 for one in k):
        raise RatingsError(f"k={list(k)}", "numbers of 1 or more", "give [1, 3, 10], say")
    name = ""
    if criterion is not None:
        frame, name = add_reference(frame, criterion, how)
    if name in members or criterion == raters:
        raise RatingsError(
            f"the criterion {criterion!r} for the group {raters!r}",
            "a group or a rater outside it",
            "name another one, or none",
        )
    results = []
    for table in tables(frame, between(scale), [*members, *([name] if name else [])]):
        ordered(table)
        x = table.values[:, : len(members)]
        y = table.values[:, -1] if name else None
        where = {"framework": table.framework, "dimension": table.dimension}
        where |= {"group": raters, "criterion": name}
        labelled = [
            ({**where, "n_raters": float(one), "statistic": statistic}, sums)
            for one in k
            for statistic, sums in _gains(x, y, one).items()
        ]
        results += estimates(labelled, Draws(len(table.items), resamples, seed, table.framework))
    columns = ["framework", "dimension", "group", "criterion", "n_raters", "statistic"]
    return to_frame(with_means(results) if mean else results, columns, level)


def _gains(x, y, k):
    """The statistics for the mean of k raters, from sums over items."""
    there = np.isfinite(x)
    m = there.sum(axis=1)
    used = m > 0 if y is None else (m > 0) & np.isfinite(y)
    inside = np.where(there, x, 0.0) - np.where(there, centre(x[there]), 0.0)
    item = ratio(inside.sum(axis=1), m, 0.0)
    squares = np.where(there, (inside - item[:, None]) ** 2, 0.0).sum(axis=1)
    c = np.zeros(len(x)) if y is None else y - centre(x[there])
    with np.errstate(divide="ignore"):
        parts = [np.ones(len(x)), item, item**2, squares, m - 1, 1 / m, c, c * c, item * c]
    terms = np.where(used, np.array(parts, float), 0.0)
    n_ratings = int(m[used].sum())

    def variances(t):
        n, a, aa, ss, df, inverse = t[:6]
        within = ratio(ss, df, 0.0)
        true = ratio(aa - ratio(a * a, n, 1.0), n - 1, 0.0) - within * ratio(inverse, n, 1.0)
        # A variance below 0 would make every extrapolation to more raters nonsense.
        true = np.maximum(true, 0.0)
        return true, true + within / k

    def with_criterion(t):
        n, a, c, cc, ac = t[0], t[1], t[6], t[7], t[8]
        _, of_mean = variances(t)
        covariance = ratio(ac - ratio(a * c, n, 1.0), n - 1, 0.0)
        of_criterion = ratio(cc - ratio(c * c, n, 1.0), n - 1, 0.0)
        return covariance, np.where(of_mean > 0, of_mean, np.nan), of_criterion

    def reliability(t):
        true, of_mean = variances(t)
        return ratio(true, np.where(of_mean > 0, of_mean, np.nan), t[2] / np.maximum(t[0], 1))

    def correlation(t):
        covariance, of_mean, of_criterion = with_criterion(t)
        return ratio(covariance, np.sqrt(of_mean * of_criterion), 0.0)

    def kappa(t):
        covariance, of_mean, of_criterion = with_criterion(t)
        n, shift = t[0], ratio(t[1] - t[6], t[0], 1.0)
        shrink = (n - 1) / np.maximum(n, 1)
        return ratio(2 * shrink * covariance, shrink * (of_mean + of_criterion) + shift**2, 0.0)

    found = {"reliability": reliability}
    if y is not None:
        found |= {"correlation": correlation, "weighted_kappa_quadratic": kappa}
    return {name: _gain_sums(terms, of, used, n_ratings, m) for name, of in found.items()}


def _gain_sums(terms, finish, used, n_ratings, m):
    sums = Sums(terms, finish, int(used.sum()), n_ratings)
    note = ""
    if np.isnan(sums.estimate()):
        note = Reason(NO_VARIANCE, "no variance is left, or none of the criterion's")
        if not (m[used] > 1).any():
            why = "no item has two ratings, so nothing tells how raters differ"
            note = Reason(NOTHING_SHARED, why)
    elif sums.estimate() == 0:
        note = "the items' means differ no more than chance makes them"
    return Sums(terms, finish, sums.n_items, n_ratings, note)
