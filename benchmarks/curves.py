"""What the cost depends on: one chart, drawn into benchmarks/curves.svg.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/curves.py

CPU time of one thread: one dimension, simulated ratings, interval alpha or quadratic
kappa with percentile limits. One thing varies, the others stay at 50 items, 3 raters,
5 levels and 2,000 resamples.
"""

from __future__ import annotations

import time
from pathlib import Path

import altair as alt
import numpy as np
import pandas as pd

from raters import Scale, agreement, draws, pairwise

USUAL = {"items": 50, "raters": 3, "levels": 5, "resamples": 2000}
VARIED = {
    "items": [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000],
    "raters": [2, 3, 5, 10, 30, 100, 300],
    "levels": [2, 3, 5, 10, 30, 100],
    "resamples": [100, 300, 1000, 3000, 10_000, 30_000, 100_000],
}
STATISTICS = {
    "interval alpha": "krippendorff_alpha_interval",
    "ordinal alpha": "krippendorff_alpha_ordinal",
    "quadratic kappa, 1 pair": "weighted_kappa_quadratic",
    "Spearman, 1 pair": "spearman_rho",
}
REPEATS = 5


def simulated(items, raters, levels, seed=0):
    """A long frame of one dimension."""
    rng = np.random.default_rng(seed)
    true = rng.normal((levels + 1) / 2, levels / 4, (items, 1))
    x = np.clip(np.rint(true + rng.normal(0, levels / 6, (items, raters))), 1, levels)
    item, rater = np.indices(x.shape).reshape(2, -1)
    names = np.array([f"r{n:03d}" for n in range(raters)])
    ids = np.array([f"i{n:06d}" for n in range(items)])
    return pd.DataFrame({"item": ids[item], "rater": names[rater], "rating": x.ravel()})


def once(frame, scale, statistic, resamples):
    """The public call."""
    if "kappa" in statistic or "spearman" in statistic:
        return pairwise(frame, scale, statistic, [("r000", "r001")], resamples=resamples)
    return agreement(frame, scale, statistic, resamples=resamples)


def seconds(work):
    """The median CPU time, draws made anew each time."""
    times = []
    for _ in range(REPEATS + 1):
        draws._kept.cache_clear()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return float(np.median(times[1:]))


def measure() -> pd.DataFrame:
    """CPU seconds for every value of everything that varies."""
    rows = []
    for what, values in VARIED.items():
        for value in values:
            at = USUAL | {what: value}
            frame = simulated(at["items"], at["raters"], at["levels"])
            scale = Scale(range(1, at["levels"] + 1))
            for label, name in STATISTICS.items():
                spent = seconds(lambda: once(frame, scale, name, at["resamples"]))  # noqa: B023
                rows.append((what, value, label, spent))
            print(what, value, [f"{row[-1]:.4f}" for row in rows[-len(STATISTICS) :]], flush=True)
    return pd.DataFrame(rows, columns=["what", "value", "statistic", "seconds"])


def chart(frame: pd.DataFrame) -> alt.Chart:
    """Four panels on logarithmic axes."""
    lines = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            alt.X("value:Q").scale(type="log").axis(grid=False).title(None),
            alt.Y("seconds:Q").scale(type="log", nice=False).title("CPU seconds"),
            # One list of names in both scales makes one legend of the two.
            alt.Color("statistic:N").scale(
                domain=list(STATISTICS), range=["#0072B2", "#D55E00", "#009E73", "#555555"]
            ),
            alt.StrokeDash("statistic:N").scale(
                domain=list(STATISTICS), range=[[1, 0], [6, 2], [2, 2], [8, 2, 2, 2]]
            ),
        )
        .properties(width=240, height=170)
    )
    return (
        lines.facet(alt.Facet("what:N").title(None).sort(list(VARIED)), columns=2)
        .resolve_scale(x="independent")
        .properties(title="What the cost depends on")
        .configure(background="white")
    )


if __name__ == "__main__":
    out = Path(__file__).with_name("curves.svg")
    chart(measure()).save(out)
    print(out)
