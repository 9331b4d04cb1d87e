"""What all coefficients share: sums over items, and the ratio that may be undefined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from raters.draws import exact_totals, total
from raters.errors import RatingsError
from raters.scale import SAME

# Below this share of its largest term a denominator is rounding noise. With whole
# numbers it is exactly zero; means such as 2.667 leave about 1e-16 of the terms.
_NOISE = 1e-12
_STEP = 1e-3  # of an item's weight, for the derivative in `Sums.analytic_error`


# Codes of the reasons why there is no value; the note says each in a sentence.
NOTHING_SHARED = "nothing_shared"  # no item has the ratings that are needed
NO_VARIATION = "no_variation"  # ratings, or one side's, that tell no items apart
TOO_FEW_ITEMS = "too_few_items"
NO_VARIANCE = "no_variance"  # an estimated variance that is not above 0
BETWEEN_LEVELS = "between_levels"
LEVEL_UNUSED = "level_unused"
NEGATIVE_VALUES = "negative_values"
RATER_WITHOUT_RATINGS = "rater_without_ratings"
NO_ERROR = "no_error"  # nothing to divide by causes
NO_SPLIT = "no_split"  # raters who split on no item, or on every item
NOT_MODELLED = "not_modelled"
PART_UNDEFINED = "part_undefined"  # one of the results that a mean is taken of
NO_VALUE = "no_value"  # any other reason


class Reason(str):
    """A sentence that says why there is no value, with the code of the reason.

    Parameters
    ----------
    code : str
        One of the codes of this module, for programs.
    sentence : str
        For people; "not defined: " stands before it.

    Examples
    --------
    >>> why = Reason(NO_VARIATION, "all 20 ratings are 3")
    >>> why, why.code
    ('not defined: all 20 ratings are 3', 'no_variation')
    """

    code: str

    def __new__(cls, code: str, sentence: str) -> Reason:
        """Put the sentence in the words that all reasons have."""
        return cls._of(f"not defined: {sentence}", code)

    @classmethod
    def _of(cls, text, code):
        reason = super().__new__(cls, text)
        reason.code = code
        return reason


def code_of(note: str) -> str:
    """The code of the reason that a note gives; "" where it gives none.

    Parameters
    ----------
    note : str

    Returns
    -------
    str

    Examples
    --------
    >>> code_of("20 items left out")
    ''
    """
    return getattr(note, "code", "")


@dataclass(frozen=True)
class Sums:
    """Per-item terms and the function of their totals.

    Parameters
    ----------
    terms : ndarray, shape (k, rows)
        What an item of each row adds to the totals. An item that does not count adds 0.
    finish : callable
        Takes totals of shape (k, ...), returns values of shape (...).
    n_items, n_ratings : int
        Items and ratings that count.
    note : str
        What a reader must know about this table of ratings, or ""; a `Reason` where it says
        why there is no value.
    smooth : callable, optional
        Takes totals, and the totals of the ratings as they are, for the analytic
        standard error, where the literature linearises a slightly different function.
    sampled : int
        Items that the analytic variance counts; 0 for the large-sample variance
        without n / (n - 1).
    known_interval : callable, optional
        Takes the coverage, returns ``(low, high)``: where the field has an interval
        of its own, in place of estimate and analytic standard error.
    known_test : callable, optional
        Takes these sums, returns the p-value of the test that the field knows for "no
        agreement beyond chance".
    counts : ndarray, shape (rows,), optional
        How many items each row stands for. Default: one.
    permuted : callable, optional
        Gives the p-value of "no agreement" by permuting the raters' ratings over the items.
    """

    terms: np.ndarray
    finish: Callable[[np.ndarray], np.ndarray]
    n_items: int
    n_ratings: int
    note: str = ""
    smooth: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    sampled: int = 0
    known_interval: Callable[[float], tuple[float, float]] | None = None
    known_test: Callable[[Sums], float] | None = None
    counts: np.ndarray | None = None
    permuted: Callable[[], float] | None = None

    def total(self) -> np.ndarray:
        """The totals of the ratings as they are, shape (k,)."""
        return total(self.terms, self.counts)

    def estimate(self) -> float:
        """The coefficient of the ratings as they are."""
        return float(self.finish(self.total()))

    def resampled(self, times: np.ndarray) -> np.ndarray:
        """The coefficient on resamples of the items.

        Parameters
        ----------
        times : ndarray, shape (resamples, rows)
            How many items of each row are drawn; see `draws.multiplicities`.

        Returns
        -------
        ndarray, shape (resamples,)
            NaN where the coefficient is not defined.
        """
        return self.finish(exact_totals(self.terms, times.T))

    def without_each(self) -> np.ndarray:
        """The coefficient without one item of each row, shape (rows,)."""
        return self.finish(self.total()[:, None] - self.terms)

    def counted(self) -> np.ndarray:
        """Which rows count, shape (rows,)."""
        return np.any(self.terms != 0, axis=0)

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
        reach = scipy.special.stdtrit(n - 1, tail) if n > 1 else np.nan
        reach = reach if n else scipy.special.ndtri(tail)
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
        (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 5.
        """
        if self.n_items < 2:
            return np.nan
        total = self.total()
        finish = self.finish
        if self.smooth is not None:
            finish = lambda totals: self.smooth(totals, total)  # noqa: E731
        at = {h: finish(total[:, None] + h * _STEP * self.terms) for h in (-2, -1, 1, 2)}
        slope = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * _STEP)
        n = self.sampled
        correction = 1.0 if not n else n / (n - 1) if n > 1 else np.nan
        often = 1 if self.counts is None else self.counts
        return float(np.sqrt(correction * np.sum(often * slope**2)))

    def analytic_test(self) -> float:
        """The p-value that the field prints for "no agreement beyond chance", two-sided.

        Returns
        -------
        float
            By the coefficient's own test where it has one (kappa, rank correlations,
            Kendall's W, ICC); otherwise from the estimate over its analytic standard
            error.
        """
        if self.known_test is not None:
            return self.known_test(self)
        estimate, error = self.estimate(), self.analytic_error()
        if not error > SAME:  # none, but for rounding
            return np.nan
        z = abs(estimate / error)
        n = self.sampled
        return float(2 * (scipy.special.stdtr(n - 1, -z) if n else scipy.special.ndtr(-z)))

    def jackknife_error(self) -> float:
        """The leave-one-item-out standard error, over the items that count."""
        here = self.counted()
        counts = None if self.counts is None else self.counts[here]
        return jackknife_error(self.without_each()[here], counts)


def jackknife_error(without: np.ndarray, counts: np.ndarray | None = None) -> float:
    """The standard error from the values without one item each; NaN for fewer than two.

    Parameters
    ----------
    without : ndarray, shape (rows,)
        The coefficient without one item of each row.
    counts : ndarray, shape (rows,), optional
        How many items each row stands for. Default: one.

    Notes
    -----
    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 11.
    """
    counts = np.ones(without.size) if counts is None else counts
    n = counts.sum()
    if n < 2:
        return np.nan
    gap = without - counts @ without / n
    return float(np.sqrt((n - 1) / n * (counts @ gap**2)))


def ratio(numerator, denominator, size):
    """numerator / denominator, NaN where the denominator is zero or rounding noise of `size`."""
    numerator, denominator = np.asarray(numerator, float), np.asarray(denominator, float)
    size = np.asarray(size, float)
    if denominator.size > 1 and denominator.min() > _NOISE * max(size.max(), -size.min()):
        return numerator / denominator  # the usual case, seen at little cost
    undefined = np.abs(denominator) <= _NOISE * np.abs(size)
    result = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    return np.divide(numerator, denominator, out=result, where=~undefined)


def notes(*parts: str) -> str:
    """What there is to say, as one note; with a reason among it, the first one's code stays.

    Parameters
    ----------
    *parts : str
        Notes; empty ones are left out.

    Returns
    -------
    str

    Examples
    --------
    >>> notes("", "two items left out", "one rater only")
    'two items left out; one rater only'
    """
    text = "; ".join(part for part in parts if part)
    code = next(filter(None, map(code_of, parts)), "")
    return Reason._of(text, code) if code else text


def declared_table(table, scale, symmetric=False):
    """Distances of all declared levels, as a function that looks up those of some values."""
    try:
        table = np.asarray(table, float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    levels = list(np.round(scale.values, 9))
    if table.shape != (len(levels), len(levels)) or not np.isfinite(table).all():
        raise RatingsError(
            f"weights of shape {table.shape}",
            f"a finite weight for each pair of the {len(levels)} levels {scale.describe()}",
            "give a square table in the order of the scale",
        )

    if table.diagonal().any() or not table.any() or (symmetric and (table != table.T).any()):
        raise RatingsError(
            "weights that are no distances: "
            + ("not 0 on the diagonal" if table.diagonal().any() else "all 0, or not symmetric"),
            "0 for equal levels, more for levels farther apart"
            + (", the same in both directions" if symmetric else ""),
            "give distances; from agreement weights, with 1 on the diagonal, take 1 - weights",
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


def running(x):
    """Cumulative sums along the first axis: row by row, which is far faster than `cumsum`."""
    result = np.array(x, float)
    for place in range(1, len(result)):
        result[place] += result[place - 1]
    return result


def mid_ranks(counts, n):
    """Mid-ranks of levels less the mean rank, from their counts along the first axis."""
    return running(counts) - counts / 2 - n / 2


def weights(values, kind, scale):
    """Agreement weights of pairs of values: 1 on the diagonal, 0 at the largest distance."""
    if kind == "identity":
        return np.eye(values.size)
    distance = np.abs(values[:, None] - values[None, :]) / (scale.high - scale.low)
    return 1 - distance ** {"linear": 1, "quadratic": 2}[kind]
