"""Do the 95 % intervals hold the true value in 95 % of studies? A table, in Markdown.

    python benchmarks/coverage.py                      # the full study: a few minutes
    python benchmarks/coverage.py --replications 200   # a quick look

Simulated raters with known agreement; alpha of three raters and quadratic kappa of two,
percentile and BCa. Same seed, same numbers. The chapter "How sure are we?" runs a small
version of this.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import product

from raters.simulation import EVEN, LOPSIDED, coverage

ITEMS = (20, 50, 200)
RELIABILITY = (0.3, 0.6, 0.85)
SHARES = {"even": EVEN, "lopsided": LOPSIDED}
COLUMNS = ("levels", "true", "n_items", "statistic", "interval")
NUMBERS = ("covered", "error", "below", "above", "width", "undefined")


def _one(job):
    (name, reliability, n_items), options = job
    frame = coverage(n_items, reliability, SHARES[name], **options)
    frame.insert(0, "levels", name)
    return frame


def main(arguments: list[str] | None = None) -> None:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=2000, help="simulated studies a row")
    parser.add_argument("--resamples", type=int, default=2000, help="resamples in each study")
    parser.add_argument("--seed", type=int, default=2025)
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    given = vars(parser.parse_args(arguments))
    workers = given.pop("jobs")
    jobs = [(case, given) for case in product(SHARES, RELIABILITY, ITEMS)]
    print(
        f"{given['replications']:,} simulated studies a row, {given['resamples']:,} resamples "
        f"in each, seed {given['seed']}; promised: 0.950\n"
    )
    print("| " + " | ".join((*COLUMNS, *NUMBERS)) + " |")
    print("| " + " | ".join("---" for _ in (*COLUMNS, *NUMBERS)) + " |")
    with ProcessPoolExecutor(workers) as pool:
        for frame in pool.map(_one, jobs):
            for row in frame.to_dict("records"):
                row["true"] = f"{row['true']:.3f}"
                cells = [str(row[c]) for c in COLUMNS] + [f"{row[c]:.3f}" for c in NUMBERS]
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
