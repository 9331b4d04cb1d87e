"""Simulated ratings by experts and judges, and what is true of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy

from raters.errors import RatingsError
from raters.simulation import true_agreement

_NODES = 200
_MOST = 20_000_000  # ratings


def simulated(
    items: int,
    raters: int,
    judges: int,
    levels: int,
    reliability: float,
    shift: float,
    seed: int,
) -> pd.DataFrame:
    """A long frame of simulated ratings.

    ``item, rater, group, rating``. `items`, `raters`, `judges` and `levels` say how many; the
    experts use all levels equally often. `reliability` is the correlation of what two raters see
    before they choose a level, and `shift` is how much higher a judge sees every item, in standard
    deviations of what is seen.

    An error names a number that is too small or too large, or a reliability that is none.

    >>> frame = simulated(4, 2, 1, 5, 0.6, 0.0, seed=1)
    >>> frame["rater"].unique().tolist()
    ['expert 1', 'expert 2', 'judge 1']
    """
    _check(items, raters, judges, levels, reliability, shift, seed)
    rng = np.random.default_rng(seed)
    people = raters + judges
    true = rng.standard_normal((items, 1))
    seen = np.sqrt(reliability) * true
    seen = seen + np.sqrt(1 - reliability) * rng.standard_normal((items, people))
    seen[:, raters:] += shift
    x = np.searchsorted(_cuts(levels), seen) + 1
    names = [f"expert {k + 1}" for k in range(raters)] + [f"judge {k + 1}" for k in range(judges)]
    groups = ["expert"] * raters + ["judge"] * judges
    width = len(str(items))
    return pd.DataFrame(
        {
            "item": np.repeat([f"item {i + 1:0{width}d}" for i in range(items)], people),
            "rater": np.tile(names, items),
            "group": np.tile(groups, items),
            "rating": x.ravel(),
        }
    )


def truth(levels: int, reliability: float, shift: float) -> dict[str, float]:
    """Quadratic kappa with infinitely many items: of two experts, of an expert and a judge.

    Name to value. Interval alpha of the experts has the limit of their kappa. The arguments are
    those of `simulated`.

    >>> {name: round(value, 3) for name, value in truth(5, 0.6, 0.5).items()}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'kappa of two experts': 0.548, 'kappa of expert and judge': 0.479,
     'judge less experts': -0.069, 'mean rating, judge less expert': 0.648}
    """
    experts = true_agreement(reliability, np.full(levels, 1 / levels))
    node, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    weight = weight / weight.sum()
    expert, judge = (_means(levels, reliability, node, s) for s in (0.0, shift))
    first, second = weight @ expert, weight @ judge
    apart = second - first
    spread = _variance(levels, 0.0) + _variance(levels, shift) + apart**2
    kappa = 2 * float(weight @ (expert * judge) - first * second) / spread
    return {
        "kappa of two experts": experts,
        "kappa of expert and judge": float(kappa),
        "judge less experts": float(kappa - experts),
        "mean rating, judge less expert": float(apart),
    }


def _cuts(levels):
    return scipy.special.ndtri(np.arange(1, levels) / levels)


def _means(levels, reliability, node, shift):
    """The mean level of an item, by what is true of it."""
    apart = _cuts(levels)[:, None] - shift - np.sqrt(reliability) * node
    return levels - scipy.special.ndtr(apart / np.sqrt(1 - reliability)).sum(axis=0)


def _variance(levels, shift):
    below = np.concatenate([[0], scipy.special.ndtr(_cuts(levels) - shift), [1]])
    shares, level = np.diff(below), np.arange(1, levels + 1)
    return float(shares @ level**2 - (shares @ level) ** 2)


def _check(items, raters, judges, levels, reliability, shift, seed):
    least = {"items": (items, 1), "raters": (raters, 0), "judges": (judges, 0)}
    least |= {"levels": (levels, 2), "seed": (seed, 0), "raters and judges": (raters + judges, 1)}
    for name, (value, fewest) in least.items():
        if value < fewest:
            raise RatingsError(f"{name} = {value}", f"{fewest} or more", "give a larger number")
    if items * (raters + judges) > _MOST or levels > 1000:
        raise RatingsError(
            f"{items * (raters + judges):,} ratings on {levels:,} levels",
            f"{_MOST:,} ratings on 1,000 levels",
            "give smaller numbers",
        )
    if not 0 <= reliability < 1:
        raise RatingsError(
            f"reliability = {reliability}", "a number from 0 to below 1", "give 0.6, say"
        )
    if not np.isfinite(shift):
        raise RatingsError(f"shift = {shift}", "a number", "give 0.5, say")
