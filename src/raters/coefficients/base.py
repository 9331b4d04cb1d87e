"""What all coefficients share: sums over items, and the ratio that may be undefined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from raters.errors import RatingsError

# Below this share of its largest term a denominator is rounding noise. With whole
# numbers it is exactly zero; means such as 2.667 leave about 1e-16 of the terms.
_NOISE = 1e-12
# A coefficient rests on few items if at most so many (or such a share) of them hold any
# rating but the most common one. With fewer than _MANY_ITEMS there is nothing to point out.
_MANY_ITEMS, _FEW_ITEMS, _FEW_SHARE = 10, 2, 0.05
SAME = 1e-9  # ratings that differ by less are one value
_STEP = 1e-3  # of an item's weight, for the derivative in `Sums.analytic_error`


@dataclass(frozen=True)
class Sums:
    """Per-item terms and the function of their totals.

    Parameters
    ----------
    terms : ndarray, shape (k, items)
        What each item adds to the totals. An item that does not count adds 0.
    finish : callable
        Takes totals of shape (k, ...), returns values of shape (...).
    n_items, n_ratings : int
        Items and ratings that count.
    note : str
        What a reader must know about this table of ratings, or "".
    smooth : callable, optional
        In place of `finish` for the analytic standard error, where the literature
        linearises a slightly different function.
    sampled : int
        Items that the analytic variance counts; 0 for the large-sample variance
        without n / (n - 1).
    known_interval : callable, optional
        Takes the coverage, returns ``(low, high)``: where the field has an interval
        of its own, in place of estimate and analytic standard error.
    """

    terms: np.ndarray
    finish: Callable[[np.ndarray], np.ndarray]
    n_items: int
    n_ratings: int
    note: str = ""
    smooth: Callable[[np.ndarray], np.ndarray] | None = None
    sampled: int = 0
    known_interval: Callable[[float], tuple[float, float]] | None = None

    def total(self) -> np.ndarray:
        """The totals of the ratings as they are, shape (k,)."""
        return self.terms.sum(axis=1)

    def estimate(self) -> float:
        """The coefficient of the ratings as they are."""
        return float(self.finish(self.total()))

    def resampled(self, times: np.ndarray) -> np.ndarray:
        """The coefficient on resamples of the items.

        Parameters
        ----------
        times : ndarray, shape (resamples, items)
            How often each item counts; see `resampling.multiplicities`.

        Returns
        -------
        ndarray, shape (resamples,)
            NaN where the coefficient is not defined.
        """
        return self.finish(self.terms @ times.T)

    def without_each(self) -> np.ndarray:
        """The coefficient without one item: totals less a column, shape (items,)."""
        return self.finish(self.total()[:, None] - self.terms)

    def analytic_interval(self, level: float) -> tuple[float, float]:
        """The interval that the field prints, without resampling.

        Parameters
        ----------
        level : float
            Coverage.

        Returns
        -------
        low, high : float
            The coefficient's own interval where it has one (ICC, rank correlations);
            otherwise the estimate and its analytic standard error, with the t
            distribution where Gwet's variance is used, the normal one elsewhere.
        """
        if self.known_interval is not None:
            return self.known_interval(level)
        tail = (1 + level) / 2
        n = self.sampled
        reach = stats.norm.ppf(tail) if not n else stats.t.ppf(tail, n - 1) if n > 1 else np.nan
        estimate, error = self.estimate(), self.analytic_error()
        return estimate - reach * error, estimate + reach * error

    def analytic_error(self) -> float:
        """The delta-method standard error, the one the field prints.

        Notes
        -----
        The root of the summed squares of the coefficient's derivatives by the
        weight of each item (infinitesimal jackknife), by a five-point difference.
        For kappa this is the formula of Fleiss, Cohen and Everitt (1969); for AC1,
        Fleiss, Conger, Brennan-Prediger and alpha, with n / (n - 1), that of Gwet
        (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 6.
        """
        if self.n_items < 2:
            return np.nan
        finish = self.smooth or self.finish
        total = self.total()[:, None]
        at = {h: finish(total + h * _STEP * self.terms) for h in (-2, -1, 1, 2)}
        slope = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * _STEP)
        n = self.sampled
        correction = 1.0 if not n else n / (n - 1) if n > 1 else np.nan
        return float(np.sqrt(correction * np.sum(slope**2)))

    def jackknife_error(self) -> float:
        """The leave-one-item-out standard error, over the items that count."""
        return jackknife_error(self.without_each()[np.any(self.terms != 0, axis=0)])


def jackknife_error(without: np.ndarray) -> float:
    """The standard error from the values without one item each; NaN for fewer than two.

    Notes
    -----
    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 11.
    """
    n = without.size
    if n < 2:
        return np.nan
    return float(np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2)))


def ratio(numerator, denominator, size):
    """numerator / denominator, NaN where the denominator is zero or rounding noise of `size`."""
    numerator, denominator = np.asarray(numerator, float), np.asarray(denominator, float)
    defined = np.abs(denominator) > _NOISE * np.abs(size)
    result = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    return np.divide(numerator, denominator, out=result, where=defined)


def centre(values):
    """A whole number near the mean: sums of squares stay small, zeros stay exact."""
    return np.rint(np.nanmean(values)) if np.isfinite(values).any() else 0.0


def notes(*parts):
    """What there is to say, as one note."""
    return "; ".join(part for part in parts if part)


def declared_table(table, scale):
    """Distances of all declared levels, as a function that looks up those of some values."""
    table = np.asarray(table, float)
    levels = list(np.round(scale.values, 9))
    if table.shape != (len(levels), len(levels)) or not np.isfinite(table).all():
        raise RatingsError(
            f"weights of shape {table.shape}",
            f"a finite weight for each pair of the {len(levels)} levels {scale.describe()}",
            "give a square table in the order of the scale",
        )

    def of(values):
        between = [v for v in values if v not in levels]
        if between:
            raise RatingsError(
                f"the rating {between[0]:g}, which lies between levels",
                "ratings that are levels: the weights are declared for levels only",
                "round the ratings first (round_ratings)",
            )
        place = [levels.index(v) for v in values]
        return table[np.ix_(place, place)]

    return of


def variation_note(x, what, scale):
    """Why there is nothing to agree on, or little, where that is so.

    `x` is (items, raters) with the ratings that count.
    """
    there = np.isfinite(x)
    given = x[there]
    if not given.size:
        return f"not defined: no item has {what}"
    # A level that nearly all items hold alone is the middle one of all ratings.
    common = np.partition(given, given.size // 2)[given.size // 2]
    other = there & (np.abs(np.where(there, x, common) - common) > SAME)
    others = np.count_nonzero(other.any(axis=1))
    if not others:
        name = scale.name_of(common)
        return f"not defined: all {given.size} ratings are {name}, no variation to agree on"
    items = np.count_nonzero(there.any(axis=1))
    if items < _MANY_ITEMS or others > max(_FEW_ITEMS, _FEW_SHARE * items):
        return ""
    share = 1 - np.count_nonzero(other) / given.size
    return (
        f"{share:.1%} of the ratings are {scale.name_of(common)}: "
        f"the coefficient rests on {others} of {items} items, those with another rating"
    )


def mid_ranks(counts, n):
    """Mid-ranks of levels less the mean rank, from their counts along the first axis."""
    return np.cumsum(counts, axis=0) - counts / 2 - n / 2


def level_counts(x, values):
    """How often each item got each value, shape (values, items)."""
    return (np.round(x, 9)[None, :, :] == values[:, None, None]).sum(axis=2).astype(float)


def observed_values(x):
    """The different values that occur, sorted."""
    return np.unique(np.round(x[np.isfinite(x)], 9))


def declared_values(x, scale):
    """The values of the scale, and values between them that occur, sorted."""
    return np.unique(np.concatenate([np.round(scale.values, 9), observed_values(x)]))


def weights(values, kind, scale):
    """Agreement weights of pairs of values: 1 on the diagonal, 0 at the largest distance."""
    if kind == "identity":
        return np.eye(values.size)
    distance = np.abs(values[:, None] - values[None, :]) / (scale.high - scale.low)
    return 1 - distance ** {"linear": 1, "quadratic": 2}[kind]
