"""How often is agreement found where nobody looks? A table, in Markdown.

    python benchmarks/null.py                      # a few minutes
    python benchmarks/null.py --replications 200   # a quick look

Three raters (two for coefficients of pairs) who draw their ratings at random, whatever the
item. Per cent of studies with p < 0.05 by the permutation test, of those in which the
coefficient is defined. Same seed, same numbers.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from raters.coefficients import MANY, PAIR, Ratings
from raters.measures import _NO_TEST, _NOT_PERMUTED, _W
from raters.permutations import permutation_test
from raters.scale import Scale
from raters.simulation import EVEN, LOPSIDED

SHARES = {"even": EVEN, "lopsided": LOPSIDED, "two, 10 %": (0.9, 0.1), "two, 5 %": (0.95, 0.05)}
ITEMS = (10, 20, 50, 200)


def found(case, replications, permutations, seed, only=()):
    """The share of studies of a regime with p < 0.05, for each coefficient."""
    shares, n = case
    levels = np.arange(1.0, len(SHARES[shares]) + 1)
    scale = Scale(levels.tolist())
    rng = np.random.default_rng([seed, list(SHARES).index(shares), n])
    p = {}
    for study in range(replications):
        x = rng.choice(levels, size=(n, 3), p=SHARES[shares])
        for known, columns in ((PAIR, 2), (MANY, 3)):
            ratings = Ratings(x[:, :columns], scale)
            for name, function in known.items():
                untested = name.startswith(_NO_TEST) or name == _NOT_PERMUTED
                if untested or (only and name not in only):
                    continue
                one = permutation_test(
                    function, ratings, study, permutations=permutations, upper=name == _W
                )
                p.setdefault(name, []).append(one)
    result = {}
    for name, values in p.items():
        defined = np.array(values)[np.isfinite(values)]
        result[name] = 100 * np.mean(defined < 0.05 + 1e-9) if defined.size else np.nan
    return result


def main(arguments: list[str] | None = None) -> None:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=1000, help="simulated studies a cell")
    parser.add_argument("--permutations", type=int, default=199, help="in each study")
    parser.add_argument("--seed", type=int, default=2025)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--only", nargs="+", default=(), help="names of coefficients")
    given = vars(parser.parse_args(arguments))
    workers = given.pop("jobs")
    cases = list(product(SHARES, ITEMS))
    with ProcessPoolExecutor(workers) as pool:
        running = [pool.submit(found, case, **given) for case in cases]
        columns = [one.result() for one in running]
    print("| coefficient | " + " | ".join(f"{shares}, n = {n}" for shares, n in cases) + " |")
    print("| --- |" + " ---: |" * len(cases))
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(f"{column[name]:.1f}" for column in columns) + " |")


if __name__ == "__main__":
    main()
