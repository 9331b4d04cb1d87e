"""How fast the bootstrap is, as ratios against other libraries in the same run.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/speed.py

CPU time of one thread. A peer computes one coefficient of one resample at a time;
its time for a few resamples is scaled up to all of them. Ratios vary by some tens of
per cent from machine to machine and from run to run: read the order of magnitude.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

import judging_empathy as paper
from raters import Scale, agreement, check_ratings, counted, draws, pairwise, with_reference
from raters.coefficients import MANY, PAIR
from raters.matrices import tables

RESAMPLES = 10_000
REPEATS = 7
IRRCAC = Path(__file__).parent / ".venv-irrcac" / "bin" / "python"  # made by `make bench`
MANY_ITEMS = 1_000_000
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


def anew(work):
    """The same work with draws made anew: those of a seed are kept between calls."""

    def first():
        draws._kept.cache_clear()
        work()

    return first


def irrcac_seconds(matrices):
    """CPU seconds of irrCAC for all resamples; NaN where it is not installed."""
    if not IRRCAC.exists():
        return np.nan
    rng = np.random.default_rng(0)
    drawn = [x[rng.integers(0, len(x), len(x))] for x in matrices]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrices.npz"
        np.savez(path, *drawn)
        command = [IRRCAC, Path(__file__).with_name("irrcac.py"), path]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout) * RESAMPLES


def many_items():
    """CPU seconds and extra memory of alpha's bootstrap, a million items, 21 dimensions."""
    scale = Scale(range(1, 8))
    rng = np.random.default_rng(0)

    def matrix():
        true = rng.normal(4, 1.3, (MANY_ITEMS, 1))
        seen = np.rint(true + rng.normal(0, 0.8, (MANY_ITEMS, 3)))
        return np.clip(seen, 1, 7).astype(np.int8)

    data = {f"dimension {n}": matrix() for n in range(21)}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    agreement(counted(data, scale, ["a", "b", "c"]), resamples=RESAMPLES)
    spent = time.process_time() - start
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"seconds": spent, "megabytes": more / 1024}


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
    others = [name for name in PAIR if name not in [*rank, "f1_macro", "f1_micro"]]
    whole = ratings[ratings["rater"] != "crowd"]
    rows = []

    def row(what, ours, peer="", theirs=np.nan):
        rows.append((what, ours, peer, theirs, theirs / ours))

    def all_alphas():
        agreement(ratings, scales, groups=experts, resamples=RESAMPLES)

    alphas, alphas_anew = seconds(all_alphas), seconds(anew(all_alphas))
    expert_tables = [t.values for t in tables(ratings, scales, paper.EXPERTS)]
    peer = a_few_resamples(
        expert_tables,
        lambda x: krippendorff.alpha(reliability_data=x.T, level_of_measurement="interval"),
    )
    row("21 interval alphas, 3 experts", alphas, "krippendorff in a loop", peer)
    row("", alphas, "irrCAC in a loop", irrcac_seconds(expert_tables))
    row("the same, draws made anew", alphas_anew, "krippendorff in a loop", peer)

    def all_kappas():
        pairwise(ratings, scales, pairs=PAIRS, resamples=RESAMPLES)

    kappas, kappas_anew = seconds(all_kappas), seconds(anew(all_kappas))
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
    row("the same, draws made anew", kappas_anew, "scikit-learn in a loop", peer)

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
        f"{len(others)} statistics of 6 pairs (no ranks, no F1), BCa",
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
    if "--many-items" in sys.argv:
        print(json.dumps(many_items()))
        sys.exit()
    warnings.simplefilter("ignore")  # the peers' on undefined resamples
    print(f"{RESAMPLES:,} resamples, CPU time of one thread, {REPEATS} runs, median")
    print(measure().to_string(index=False, float_format="{:,.3g}".format, na_rep=""))
    # A process of its own, for its memory.
    command = [sys.executable, __file__, "--many-items"]
    big = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(
        f"alpha of {MANY_ITEMS:,} items x 21 dimensions, 3 raters: {big['seconds']:.1f} s, "
        f"{big['megabytes']:.0f} MB beyond the data"
    )
    if not IRRCAC.exists():
        print("irrCAC is not installed: `make bench` puts it into an environment of its own")
