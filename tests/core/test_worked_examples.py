"""The coefficients give the answers that the textbooks print, and the digits behind them."""

import numpy as np
import pytest
import worked_examples

from raters import Scale
from raters import coefficients as c


def ratings(name):
    """The data set as items x raters."""
    rows = np.array(getattr(worked_examples, name), float)
    if name.endswith("_TABLE"):
        cells = np.argwhere(rows >= 0) + 1
        return np.repeat(cells, rows.astype(int).ravel(), axis=0).astype(float)
    if name.endswith("_COUNTS"):
        # Who of the raters chose what was not printed, and does not matter to these coefficients.
        return np.array([np.repeat(np.arange(1.0, row.size + 1), row.astype(int)) for row in rows])
    return rows


def scale(name, x):
    """The declared levels: the categories of a table, otherwise those from lowest to highest."""
    levels = len(getattr(worked_examples, name)[0]) if name.endswith(("_TABLE", "_COUNTS")) else 0
    low = 0 if np.nanmin(x) == 0 else 1
    return Scale(range(low, int(max(levels, np.nanmax(x))) + 1))


def coefficient(statistic):
    if statistic == "weighted_kappa":
        return c.weighted_kappa(worked_examples.COHEN_1968_DISAGREEMENT_WEIGHTS)
    return {**c.PAIR, **c.MANY}[statistic]


def test_every_data_set_has_an_answer():
    data = {name for name in dir(worked_examples) if name.isupper()}
    used = {row[0] for row in worked_examples.EXPECTED}
    assert len(worked_examples.EXPECTED) == 75
    assert data == used | {"EXPECTED", "COHEN_1968_DISAGREEMENT_WEIGHTS"}


@pytest.mark.parametrize(
    ("data", "statistic", "what", "printed", "value"), worked_examples.EXPECTED
)
def test_published_answers(data, statistic, what, printed, value):
    x = ratings(data)
    declared = scale(data, x)
    statistic, _, category = statistic.partition(" of category ")
    if category:  # this category against the rest
        x = np.where(x == float(category), 1.0, 2.0)
        declared = Scale([1, 2])
    sums = coefficient(statistic)(x, declared)
    low, high = sums.analytic_interval(0.95)
    found = {"estimate": sums.estimate(), "error": sums.analytic_error(), "low": low, "high": high}
    # The error of alpha comes from irrCAC, which puts the agreement after its small-sample
    # correction into one term; ours is the delta method throughout.
    near = 3e-4 if what == "error" and "alpha" in statistic else 1e-10
    assert found[what] == pytest.approx(value, rel=0, abs=near)
    if printed:
        assert f"{found[what]:.{len(printed.partition('.')[2])}f}" == printed
