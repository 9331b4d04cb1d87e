"""How fast the bootstrap is, as ratios against other libraries in the same run.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/speed.py

CPU time of one thread. A peer computes one coefficient of one resample at a time;
its time for a few resamples is scaled up to all of them. Ratios vary by some tens of
per cent from machine to machine and from run to run: read the order of magnitude.
"""

from __future__ import annotations

import statistics
import time
import warnings

import krippendorff
import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from raters import agreement, check_ratings, pairwise, with_reference
from raters import study as paper
from raters.coefficients import MANY, PAIR
from raters.frames import tables

RESAMPLES = 10_000
REPEATS = 5
PAIRS = [
    ("expert1", "expert2"),
    ("expert2", "expert3"),
    ("expert3", "expert1"),
    ("expert_median", "crowd"),
    ("expert_median", "gemini"),
    ("gemini", "crowd"),
]


def seconds(work, repeats=REPEATS):
    """The median CPU time of some runs, after one that does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def a_few_resamples(matrices, one, resamples=5, seed=0):
    """CPU seconds of a peer for all resamples, scaled up from a few."""
    rng = np.random.default_rng(seed)
    drawn = [[rng.integers(0, len(x), len(x)) for _ in range(resamples)] for x in matrices]

    def work():
        for x, rows in zip(matrices, drawn, strict=True):
            for row in rows:
                one(x[row])

    return seconds(work, repeats=3) * RESAMPLES / resamples


def statsmodels_kappa(x):
    """Quadratic kappa of one resample by statsmodels, its table made first."""
    values, code = np.unique(x, return_inverse=True)
    table = np.zeros((values.size, values.size))
    np.add.at(table, tuple(code.reshape(x.shape).T), 1)
    return cohens_kappa(table, wt="quadratic", return_results=False)


def measure() -> pd.DataFrame:
    """The table of times and ratios."""
    ratings = with_reference(check_ratings(paper.load("auto"), paper.scales()))
    scales, experts = paper.scales(), {"experts": list(paper.EXPERTS)}
    rank = ["spearman_rho", "kendall_tau_b", "f1_weighted"]
    others = [name for name in PAIR if name not in [*rank, "f1_macro"]]
    whole = ratings[ratings["rater"] != "crowd"]
    rows = []

    def row(what, ours, peer="", theirs=np.nan):
        rows.append((what, ours, peer, theirs, theirs / ours))

    alphas = seconds(lambda: agreement(ratings, scales, groups=experts, resamples=RESAMPLES))
    expert_tables = [t.values for t in tables(ratings, scales, paper.EXPERTS)]
    peer = a_few_resamples(
        expert_tables,
        lambda x: krippendorff.alpha(reliability_data=x.T, level_of_measurement="interval"),
    )
    row("21 interval alphas, 3 experts", alphas, "krippendorff in a loop", peer)

    kappas = seconds(lambda: pairwise(ratings, scales, pairs=PAIRS, resamples=RESAMPLES))
    names = list(dict.fromkeys(r for pair in PAIRS for r in pair))
    matrices = [
        t.values[:, [names.index(a), names.index(b)]]
        for t in tables(ratings, scales, names)
        for a, b in PAIRS
    ]
    codes = [np.unique(x, return_inverse=True)[1].reshape(x.shape).astype(int) for x in matrices]
    peer = a_few_resamples(
        codes, lambda x: cohen_kappa_score(x[:, 0], x[:, 1], weights="quadratic")
    )
    row("126 quadratic kappas", kappas, "scikit-learn in a loop", peer)
    row("", kappas, "statsmodels in a loop", a_few_resamples(codes, statsmodels_kappa))

    families = list(MANY)
    row(
        "all families for many raters, BCa",
        seconds(
            lambda: agreement(
                ratings, scales, families, experts, resamples=RESAMPLES, interval="bca"
            ),
            repeats=3,
        ),
    )
    row(
        f"{len(others)} statistics of 6 pairs, BCa",
        seconds(
            lambda: pairwise(ratings, scales, others, PAIRS, resamples=RESAMPLES, interval="bca"),
            repeats=3,
        ),
    )
    row(
        "rank and F1 statistics of 5 expert and model pairs, BCa",
        seconds(
            lambda: pairwise(
                whole,
                scales,
                rank,
                [p for p in PAIRS if "crowd" not in p],
                resamples=RESAMPLES,
                interval="bca",
            ),
            repeats=3,
        ),
    )
    columns = ["what", "ours, s", "peer", "peer, s", "ratio"]
    return pd.DataFrame(rows, columns=columns)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the peers' on undefined resamples
    print(f"{RESAMPLES:,} resamples, CPU time of one thread, {REPEATS} runs, median")
    print(measure().to_string(index=False, float_format="{:,.2f}".format, na_rep=""))
