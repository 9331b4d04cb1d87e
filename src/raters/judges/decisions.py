"""Decisions with an error rate: is a judge as good as an expert, may it stand in for one?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import scipy

from raters.coefficients.base import notes
from raters.errors import RatingsError
from raters.frames import check_ratings
from raters.intervals import bca_share_below, monte_carlo_error
from raters.judges.ceiling import check_interval, check_margin, differences, row_of
from raters.judges.exchange import EXCHANGES
from raters.judges.paired import Difference
from raters.judges.readings import IN_TURN
from raters.judges.reference import reference_raters
from raters.judges.rule import ON_LINE, UNDEFINED, too_few
from raters.matrices import tables
from raters.multiplicity import adjusted
from raters.results import ALL, MEAN

DECISIONS = [
    "judge",
    "framework",
    "dimension",
    "reading",
    "statistic",
    "test",
    "margin",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
    "decision",
    "n_items",
    "note",
    "undefined",
    "n_disagree",
    "withheld",
    "code",
]
REPLACEMENT = [
    "judge",
    "framework",
    "dimension",
    "replaced",
    "statistic",
    "benchmark",
    "value",
    "difference",
    "low",
    "high",
    "n_items",
    "note",
    "undefined",
    "n_disagree",
]
BY_RATER = [
    "judge",
    "framework",
    "dimension",
    "rater",
    "alignment",
    "epsilon",
    "advantage",
    "rater_advantage",
    "p",
    "p_adjusted",
    "won",
    "n_items",
    "note",
]
ALT_TEST = [
    "judge",
    "framework",
    "dimension",
    "alignment",
    "epsilon",
    "winning_rate",
    "advantage",
    "n_raters",
    "n_items",
    "verdict",
    "note",
]
POOLED = "all dimensions"
TESTS = ("difference", "non-inferiority", "equivalence")
ALIGNMENTS = ("accuracy", "neg_rmse")
_FAMILIES = ("all", "dimension")
_NOT_SHOWN = "not shown"
_TIE = 1e-9  # scores that differ by less are one score


def decide(
    ratings: pd.DataFrame,
    scale,
    judge: str | Sequence[str],
    reference: str | Sequence[str] = "expert",
    statistics: str | Sequence[str] | Mapping[str, Callable] = "weighted_kappa_quadratic",
    readings: str | Sequence[str] = "single",
    margin: float = 0.1,
    alpha: float = 0.05,
    adjustment: str = "holm",
    resamples: int = 10_000,
    seed: int = 0,
    mean: bool = True,
) -> pd.DataFrame:
    """Does a judge differ from the experts' ceiling, is it no worse, is it equivalent?

    Parameters
    ----------
    ratings, scale, judge, reference, statistics, readings, resamples, seed, mean
        As in `benchmark`.
    margin : float
        The largest difference that does not matter, in units of the coefficient. Declare
        it before you look.
    alpha : float
        Error rate of a decision; with `adjustment` that of a family of decisions.
    adjustment : {"holm", "bh", "by", "none"}
        How p-values are adjusted; see `adjust`. A family is one judge, reading, statistic
        and test over all dimensions of all frameworks. Means over dimensions are not part
        of it: their p-values stay as they are.

    Returns
    -------
    DataFrame
        Three rows, one a ``test``, for each row of `benchmark`: ``difference`` (two-sided;
        decision ``above``, ``below``), ``non-inferiority`` (decision ``not inferior``) and
        ``equivalence`` (``equivalent``), or ``not shown``. ``low, high`` is the interval
        that belongs to the test: ``1 - alpha`` for a difference, ``1 - 2 alpha`` for the
        other two, unadjusted. ``p, p_adjusted``; ``withheld`` where the rule gives none.

    Raises
    ------
    RatingsError
        As in `benchmark`; an unknown adjustment; an alpha that is not between 0 and 0.5;
        no resamples.

    Notes
    -----
    p-values are shares of the resampled differences, with one added to count and number:
    twice the smaller share on either side of 0 (difference); of those at or below -margin, or
    the BCa share below it if that is larger (non-inferiority); the larger of that and of the
    same above margin (equivalence: two one-sided tests). So they match the intervals:
    equivalence is shown at alpha when the ``1 - 2 alpha`` intervals, percentile and BCa, lie
    inside the margin.

    ``withheld`` says why nothing is decided (`raters.judges.rule`): below 10 items, or below 10
    on which somebody differs, there is no p; tests of a margin ask for 100 items, and for
    raters who leave the commonest level 20 times; ``above`` needs `exchange_test`. An adjusted
    p within twice its Monte Carlo error of alpha is on the line.

    A simulated judge exactly at the margin (0.1) is not inferior, at alpha 0.05 by percentiles
    alone, in 10 % of studies with 50 items on five even levels, in 13 % on five lopsided ones
    and in 25 % where one class has 5 %; by the rule here in 3 to 8 % of those that it decides
    (`benchmarks/verdicts.py`).

    Sources: Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15, 657-680 (two
    one-sided tests); Davison and Hinkley (1997), Bootstrap Methods and their Application,
    ch. 4 and 5 (the added one, and tests by intervals).

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 3, "rater": list("aaaabbbbcccc"),
    ...                       "group": ["expert"] * 8 + ["llm"] * 4,
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 4, 1, 2, 2]})
    >>> found = decide(frame, Scale([1, 2, 3, 4]), "c", resamples=200, mean=False)
    >>> found[["test", "decision"]].to_numpy().tolist()[:2]
    [['difference', 'cannot tell with n = 4, 10 are needed'],
     ['non-inferiority', 'cannot tell with n = 4, 100 are needed']]
    """
    check_margin(margin)
    _between("alpha", alpha, 0.5)
    adjusted([], adjustment)
    if resamples == 0:
        raise RatingsError("resamples=0", "1 or more", "tests need resamples: leave it out")
    found = differences(
        ratings, scale, judge, reference, statistics, readings, resamples, seed, mean,
        without_each=True, exchanges=min(resamples, EXCHANGES),
    )  # fmt: skip
    rows = [
        _tested(one, test, margin, alpha)
        for one in found
        if one.labels["replaced"] in ("", IN_TURN)
        for test in TESTS
    ]
    frame = pd.DataFrame(rows)
    frame["p_adjusted"] = frame["p"]
    of_dimensions = frame[frame["dimension"] != MEAN]
    for _, family in of_dimensions.groupby(["judge", "reading", "statistic", "test"]):
        frame.loc[family.index, "p_adjusted"] = adjusted(family["p"], adjustment)
    frame["decision"] = [_decision(row, alpha, resamples) for row in frame.itertuples()]
    return frame[DECISIONS]


def _between(name, value, high):
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not 0 < value < high:
        raise RatingsError(
            f"{name}={value!r}", f"a number between 0 and {high:g}", f"give {name} as such a number"
        )


def _tested(one, test, margin, alpha):
    at_zero = test == "difference"
    withheld, p = too_few(one.basis, of_margin=not at_zero), np.nan
    if np.isfinite(one.difference) and np.isfinite(one.draws).any() and not withheld:
        p = p_of(one, test, margin)
        if at_zero and one.difference > 0:
            withheld = one.standing.against_above(alpha)
    return row_of(one, 1 - (alpha if at_zero else 2 * alpha)) | {
        "test": test,
        "margin": np.nan if at_zero else margin,
        "p": p,
        "withheld": str(withheld) if np.isfinite(one.difference) else "",
        "code": withheld.code if np.isfinite(one.difference) else UNDEFINED.code,
    }


def p_of(one: Difference, test: str, margin: float) -> float:
    """The p-value of a test of a difference; see `decide`.

    Parameters
    ----------
    one : Difference
        With its values without each item.
    test : {"difference", "non-inferiority", "equivalence"}
    margin : float

    Returns
    -------
    float
    """
    draws = one.draws[np.isfinite(one.draws)]

    def share(beyond):
        return (1 + np.count_nonzero(beyond)) / (1 + draws.size)

    def by_bca(point):
        return bca_share_below(draws, point, one.estimate, *one.leave_one_out())

    if test == "difference":
        return min(1.0, 2 * min(share(draws <= 0), share(draws >= 0)))
    worse = max(share(draws <= -margin), by_bca(-margin))
    if test == "non-inferiority":
        return worse
    return max(worse, share(draws >= margin), 1 - by_bca(margin))


def _decision(row, alpha, resamples):
    if np.isnan(row.p):
        return row.withheld or str(UNDEFINED)
    # Twice the error that so few draws leave in p, stretched as the adjustment does.
    shares = 2 if row.test == "difference" else 1
    error = shares * monte_carlo_error(row.p / shares, resamples)
    if abs(row.p_adjusted - alpha) <= error * row.p_adjusted / row.p:
        return str(ON_LINE)
    if row.p_adjusted > alpha:
        return _NOT_SHOWN
    if row.test == "difference":
        return row.withheld or ("above" if row.difference > 0 else "below")
    return {"non-inferiority": "not inferior", "equivalence": "equivalent"}[row.test]


def replacement(
    ratings: pd.DataFrame,
    scale,
    judge: str | Sequence[str],
    reference: str | Sequence[str] = "expert",
    statistics: str | Sequence[str] = "krippendorff_alpha_interval",
    resamples: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    mean: bool = True,
) -> pd.DataFrame:
    """How the experts' agreement changes when the judge takes the place of one of them.

    Parameters
    ----------
    ratings, scale, judge, reference, resamples, seed, level, interval, mean
        As in `benchmark`.
    statistics : str or sequence of str
        Names from `coefficients.MANY`.

    Returns
    -------
    DataFrame
        One row a judge, dimension, statistic and expert ``replaced``, and one for the
        mean over the experts (``"each in turn"``): ``benchmark`` is the experts'
        agreement, ``value`` that of the group with the judge, ``difference`` with its
        paired interval.

    Raises
    ------
    RatingsError
        As in `benchmark`.

    Notes
    -----
    The judge counts where the expert it replaces rated. One expert of several changes, so
    the difference is a part of that between judge and expert: of three pairs of raters
    two change.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 3, "rater": list("aaaabbbbcccc"),
    ...                       "group": ["expert"] * 8 + ["llm"] * 4,
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 4, 1, 2, 2]})
    >>> found = replacement(frame, Scale([1, 2, 3, 4]), "c", resamples=0)
    >>> found[["replaced", "difference"]].round(2).to_numpy().tolist()
    [['a', -1.49], ['b', -1.24], ['each in turn', -1.36]]
    """
    check_interval(interval, level)
    found = differences(
        ratings, scale, judge, reference, statistics, "replacement", resamples, seed, mean,
        without_each=interval == "bca",
    )  # fmt: skip
    return pd.DataFrame([row_of(one, level, interval) for one in found], columns=REPLACEMENT)


def alt_test(
    ratings: pd.DataFrame,
    scale,
    judge: str | Sequence[str],
    reference: str | Sequence[str] = "expert",
    alignment: str = "neg_rmse",
    epsilon: float = 0.2,
    q: float = 0.05,
    min_items: int = 30,
    min_raters: int = 3,
    over: str = "all",
    pooled: bool = True,
) -> pd.DataFrame:
    """The alternative annotator test: may the judge be used in place of a human rater?

    Parameters
    ----------
    ratings, scale, judge, reference
        As in `benchmark`.
    alignment : {"neg_rmse", "accuracy"}
        How close a rating is to those of the other raters on an item: minus the root of
        the mean squared difference, or the share that is equal.
    epsilon : float
        What the judge's lower cost is worth, as a probability, from 0 to below 1. The
        authors suggest 0.2 for experts, 0.15 for skilled raters, 0.1 for a crowd.
    q : float
        False discovery rate.
    min_items : int
        A rater with fewer items is left out; the authors' advice for the t test is 30.
    min_raters : int
        Fewest raters in the reference. The authors advise 3; the test can be computed
        with 2.
    over : {"all", "dimension"}
        The family of p-values that one correction covers: all raters and dimensions of a
        judge, as the authors advise for several domains, or each dimension's raters alone.
    pooled : bool
        Also all dimensions of a framework taken together, and all of all frameworks; each
        with a correction of its own.

    Returns
    -------
    DataFrame
        One row a judge and dimension: ``winning_rate`` (omega), the share of raters that
        the judge may replace; ``advantage`` (rho), the mean over raters of the share of
        items on which the judge is at least as close to the other raters as the rater is;
        ``n_raters``, ``n_items``, ``verdict`` (``passes`` when omega is 0.5 or more),
        ``note``.

    Raises
    ------
    RatingsError
        As in `benchmark`; fewer than `min_raters` raters; an unknown alignment or family;
        epsilon, q, min_items or min_raters out of range; ``"neg_rmse"`` on a nominal scale.

    Notes
    -----
    Rater j is left out. On each item S(f) is the alignment of the judge with the raters
    who remain, S(h) that of rater j; W_f = 1 if S(f) >= S(h), W_h = 1 if S(h) >= S(f). A
    one-sided t test of the paired differences W_h - W_f has the null hypothesis that their
    mean is epsilon or more. The p-values are adjusted by Benjamini and Yekutieli; omega is
    the share rejected at q, rho the mean of W_f. Items need the judge and two raters.

    Pooled rows take the mean of W_f and W_h over the dimensions of an item first, so that
    each item counts once: its ratings are no independent evidence. Where all differences
    are equal the t test has no variance; the p-value is then its limit, 0 or 1, and the
    note says so.

    A judge who does not pass may still be as good as an expert: of 200 simulated studies
    with 50 items and a judge exchangeable with three experts (kappa 0.55), 36 % passed at
    epsilon 0.2. At the null hypothesis 1 % did.

    Source: Calderon, Reichart and Dror (2025), The Alternative Annotator Test for
    LLM-as-a-Judge, Proc. ACL 2025 (long papers), 16051-16081, section 3.

    Examples
    --------
    >>> from raters import Scale
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(2, 5, 50)
    >>> frame = pd.DataFrame({
    ...     "item": list(range(50)) * 4, "rater": np.repeat(["a", "b", "c", "judge"], 50),
    ...     "group": np.repeat(["expert"] * 3 + ["llm"], 50),
    ...     "rating": np.concatenate([true + rng.integers(-1, 2, 50) for _ in range(4)])})
    >>> found = alt_test(frame, Scale([1, 2, 3, 4, 5]), "judge", pooled=False)
    >>> found[["winning_rate", "verdict"]].round(2).to_numpy().tolist()
    [[0.67, 'passes']]
    """
    found = alt_test_by_rater(
        ratings,
        scale,
        judge,
        reference,
        alignment,
        epsilon,
        q,
        min_items,
        min_raters,
        over,
        pooled,
    )
    rows = []
    for keys, part in found.groupby(ALT_TEST[:5], sort=False):
        tested = part[part["p"].notna()]
        rate = tested["won"].mean() if len(tested) else np.nan
        passed = "passes" if rate >= 0.5 else "does not pass"
        rows.append(
            {
                **dict(zip(ALT_TEST[:5], keys)),
                "winning_rate": rate,
                "advantage": tested["advantage"].mean(),
                "n_raters": len(tested),
                "n_items": int(part["n_items"].max()),
                "verdict": passed if len(tested) else UNDEFINED,
                "note": notes(
                    *(f"{row.rater}: {row.note}" for row in part.itertuples() if row.note)
                ),
            }
        )
    return pd.DataFrame(rows, columns=ALT_TEST)


def alt_test_by_rater(
    ratings: pd.DataFrame,
    scale,
    judge: str | Sequence[str],
    reference: str | Sequence[str] = "expert",
    alignment: str = "neg_rmse",
    epsilon: float = 0.2,
    q: float = 0.05,
    min_items: int = 30,
    min_raters: int = 3,
    over: str = "all",
    pooled: bool = True,
) -> pd.DataFrame:
    """The tests that `alt_test` counts: the judge against each rater who is left out.

    Parameters
    ----------
    ratings, scale, judge, reference, alignment, epsilon, q, min_items, min_raters
        As in `alt_test`.
    over, pooled
        As in `alt_test`.

    Returns
    -------
    DataFrame
        One row a judge, dimension and rater: ``advantage`` and ``rater_advantage``, the
        shares of items on which the judge is at least as close to the others as the rater,
        and the other way round; ``p, p_adjusted, won, n_items, note``.

    Raises
    ------
    RatingsError
        As in `alt_test`.

    Examples
    --------
    >>> from raters import Scale
    >>> frame = pd.DataFrame({"item": [1, 2, 3, 4] * 4, "rater": np.repeat(list("abcj"), 4),
    ...                       "group": ["expert"] * 12 + ["llm"] * 4,
    ...                       "rating": [1, 2, 4, 3, 1, 3, 4, 3, 2, 2, 4, 3, 1, 2, 4, 4]})
    >>> found = alt_test_by_rater(frame, Scale([1, 2, 3, 4]), "j", min_items=4)
    >>> found[["rater", "advantage"]].to_numpy().tolist()
    [['a', 0.75], ['b', 0.75], ['c', 0.75]]
    """
    _check_alt_test(alignment, epsilon, q, min_items, min_raters, over)
    ratings = check_ratings(ratings, scale)
    judges = [judge] if isinstance(judge, str) else list(judge)
    raters = reference_raters(ratings, reference, judges)
    if len(raters) < min_raters:
        raise RatingsError(
            f"the raters {raters}",
            f"{min_raters} or more to be replaced",
            "add raters, or set min_raters=2 knowing that two have no majority to agree with",
        )
    found = list(tables(ratings, scale, [*raters, *judges]))
    _check_order(found, alignment)
    rows = []
    for place, name in enumerate(judges, start=len(raters)):
        won = {
            (table.framework, table.dimension): _wins(table.values, len(raters), place, alignment)
            for table in found
        }
        for (framework, dimension), keys in _parts(won, pooled).items():
            for j, rater in enumerate(raters):
                labels = (name, framework, dimension, rater, alignment, epsilon)
                here = [np.array([won[key][:, :, j] for key in same]) for same in keys]
                rows.append(dict(zip(BY_RATER, labels)) | _t_test(here, epsilon, min_items))
    frame = pd.DataFrame(rows, columns=[c for c in BY_RATER if c not in ("p_adjusted", "won")])
    apart = (frame["dimension"] == POOLED) | (over == "dimension")
    family = [frame["judge"], *(frame[c].where(apart, "") for c in ("framework", "dimension"))]
    frame["p_adjusted"] = frame.groupby(family)["p"].transform(lambda p: adjusted(p, "by"))
    frame["won"] = frame["p_adjusted"] <= q
    return frame[BY_RATER]


def _check_alt_test(alignment, epsilon, q, min_items, min_raters, over):
    for what, value, allowed in (("alignment", alignment, ALIGNMENTS), ("over", over, _FAMILIES)):
        if value not in allowed:
            raise RatingsError(f"{what}={value!r}", ", ".join(allowed), "name one of these")
    if epsilon != 0:
        _between("epsilon", epsilon, 1)
    _between("q", q, 1)
    for what, value in (("min_items", min_items), ("min_raters", min_raters)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or value < 2:
            raise RatingsError(f"{what}={value!r}", "a whole number of 2 or more", "give one")


def _check_order(found, alignment):
    nominal = [t.dimension for t in found if t.scale.measurement == "nominal"]
    if alignment == "neg_rmse" and nominal:
        raise RatingsError(
            f"alignment='neg_rmse' on {nominal[0]}, a nominal scale",
            "alignment='accuracy'",
            "labels have no distances: use accuracy",
        )


def _parts(keys, pooled):
    """What is tested: each dimension, those of a framework together, and all of them.

    Each is a list with a list of (framework, dimension) for each framework.
    """
    by_framework = {}
    for key in keys:
        by_framework.setdefault(key[0], []).append(key)
    parts = {key: [[key]] for key in keys}
    if pooled:
        parts |= {(f, POOLED): [same] for f, same in by_framework.items() if len(same) > 1}
        if len(by_framework) > 1:
            parts[ALL, POOLED] = list(by_framework.values())
    return parts


def _wins(x, n_raters, place, alignment):
    """W_f and W_h for each item and rater who is left out, shape (2, items, raters).

    NaN where there is nothing to compare: no rating by judge or rater, or nobody else.
    """
    humans, judge = x[:, :n_raters], x[:, place]
    won = np.full((2, len(x), n_raters), np.nan)
    for j in range(n_raters):
        others = np.delete(humans, j, axis=1)
        f, h = _alignment(judge, others, alignment), _alignment(humans[:, j], others, alignment)
        both = ~np.isnan(f) & ~np.isnan(h)
        won[0, both, j] = f[both] >= h[both] - _TIE
        won[1, both, j] = h[both] >= f[both] - _TIE
    return won


def _alignment(one, others, alignment):
    """Alignment of a rating with those of the others who rated the item; NaN for none."""
    if alignment == "neg_rmse":  # answers outside the levels have no distance
        one = np.where(np.isfinite(one), one, np.nan)
        others = np.where(np.isfinite(others), others, np.nan)
    count = (~np.isnan(others)).sum(axis=1)
    known = ~np.isnan(one) & (count > 0)
    a, b = one[known, None], others[known]
    with np.errstate(invalid="ignore"):
        gap = np.abs(a - b)  # inf - inf: an answer outside the levels agrees with nothing
    if alignment == "accuracy":
        sums, finish = (gap <= _TIE).sum(axis=1), lambda mean: mean
    else:
        sums, finish = np.nansum(gap**2, axis=1), lambda mean: -np.sqrt(mean)
    score = np.full(len(one), np.nan)
    score[known] = finish(sums / count[known])
    return score


def _t_test(won, epsilon, min_items):
    """One rater, over one or more dimensions: an item has one value, the mean of its own.

    `won` holds for each framework W_f and W_h, shape (dimensions, 2, items).
    """
    means = []
    for part in won:
        count = (~np.isnan(part)).sum(axis=0)
        sums = np.nansum(part, axis=0)
        means.append(sums[:, count[0] > 0] / count[:, count[0] > 0])
    judge, human = np.concatenate(means, axis=1)
    n = judge.size
    result = {"advantage": np.nan, "rater_advantage": np.nan, "p": np.nan, "n_items": n}
    if n:
        result |= {"advantage": judge.mean(), "rater_advantage": human.mean()}
    if n < min_items:
        return result | {"note": f"left out: {n} items, fewer than {min_items}"}
    gap = human - judge
    spread = gap.std(ddof=1)
    if spread > _TIE:
        t = (gap.mean() - epsilon) / (spread / np.sqrt(n))
        return result | {"p": float(scipy.special.stdtr(n - 1, t)), "note": ""}
    note = f"W_h - W_f is {gap.mean():g} on all {n} items: the t test rests on no variation"
    return result | {"p": 0.0 if gap.mean() < epsilon - _TIE else 1.0, "note": note}
