"""Simulated raters: their true agreement, and how often intervals hold it."""

import numpy as np
import pytest
from helpers import FIVE
from scipy.stats import multivariate_normal, norm

from raters import RatingsError
from raters.coefficients import MANY, PAIR
from raters.simulation import EVEN, LOPSIDED, coverage, simulated_levels, true_agreement


@pytest.mark.parametrize("shares", [EVEN, LOPSIDED, (0.5, 0.5)])
@pytest.mark.parametrize("reliability", [0.0, 0.3, 0.9])
def test_the_true_value_is_that_of_the_bivariate_normal(reliability, shares):
    shares = np.array(shares)
    level = np.arange(1, len(shares) + 1)
    mean = shares @ level
    cuts = -norm.ppf(np.cumsum(shares)[:-1])
    both = multivariate_normal([0, 0], [[1, reliability], [reliability, 1]])
    product = sum(both.cdf([a, b]) for a in cuts for b in cuts) + 2 * mean - 1
    expected = (product - mean**2) / (shares @ level**2 - mean**2)
    assert true_agreement(reliability, shares) == pytest.approx(expected, abs=1e-6)


def test_both_statistics_come_near_it_with_many_items():
    x = simulated_levels(200_000, 2, 0.6, LOPSIDED, np.random.default_rng(1))
    true = true_agreement(0.6, LOPSIDED)
    assert MANY["krippendorff_alpha_interval"](x, FIVE).estimate() == pytest.approx(true, abs=0.01)
    assert PAIR["weighted_kappa_quadratic"](x, FIVE).estimate() == pytest.approx(true, abs=0.01)


def test_levels_are_used_as_often_as_asked():
    x = simulated_levels(100_000, 1, 0.6, LOPSIDED, np.random.default_rng(1))
    assert np.bincount(x.astype(int).ravel())[1:] / 100_000 == pytest.approx(LOPSIDED, abs=0.01)


def test_coverage_is_near_what_is_promised_and_repeats():
    found = coverage(100, replications=200, resamples=300, seed=1)
    assert found["covered"].between(0.88, 0.99).all()
    assert (found["below"] + found["above"] + found["covered"]).to_list() == pytest.approx([1] * 4)
    assert found.equals(coverage(100, replications=200, resamples=300, seed=1))


@pytest.mark.parametrize("wrong", [{"reliability": 1.0}, {"shares": (0.5, 0.6)}, {"shares": (1,)}])
def test_what_cannot_be_simulated_is_refused(wrong):
    with pytest.raises(RatingsError):
        coverage(10, replications=1, resamples=10, **wrong)
