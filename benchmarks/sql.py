"""Ten million ratings in a file: counted by a database, against pandas and krippendorff.

    python benchmarks/sql.py [--ratings 10000000] [--threads 1 2]

The ratings are simulated, written in parts to one Parquet file in a temporary folder and
read from there by everybody. Each line of the table is a process of its own: wall time,
CPU time and peak memory include what it imports; "work" does not.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

RATERS = ["ann", "bob", "cat"]
DIMENSIONS = ["care", "calm", "warmth"]
ITEMS_AT_ONCE = 200_000
RESAMPLES = 10_000
STATISTIC = "krippendorff_alpha_interval"


def write(path: Path, ratings: int, seed: int = 0) -> None:
    """Simulated ratings of three raters on three dimensions, 2 % missing, in mixed order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    each = len(RATERS) * len(DIMENSIONS)
    items = -(-ratings // each)
    names = {"rater": RATERS, "dimension": DIMENSIONS}
    writer = None
    for start in range(0, items, ITEMS_AT_ONCE):
        n = min(ITEMS_AT_ONCE, items - start)
        quality = rng.normal(3, 1, size=(n, 1, len(DIMENSIONS)))
        given = quality + rng.normal(0, 0.8, size=(n, len(RATERS), len(DIMENSIONS)))
        given = np.clip(np.rint(given), 1, 5).ravel()[: ratings - start * each]
        order = rng.permutation(given.size)
        item, rater, dimension = np.unravel_index(order, (n, len(RATERS), len(DIMENSIONS)))
        codes = {"rater": rater, "dimension": dimension}
        part = {
            name: pa.DictionaryArray.from_arrays(pa.array(code, pa.int32()), names[name])
            for name, code in codes.items()
        }
        part["item"] = pa.array(item + start + 10**17).cast(pa.string())
        missing = rng.random(given.size) < 0.02
        part["rating"] = pa.array(given[order].astype("int8"), mask=missing)
        part = pa.table(part)
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    writer.close()


def by_database(path, threads):
    """Our way: patterns counted by DuckDB."""
    from raters import Scale
    from raters.sql import counted

    start = time.perf_counter()
    found = counted(path, Scale([1, 2, 3, 4, 5]), threads=threads)
    steps = {"counted": time.perf_counter() - start}
    return found, steps


def counts_only(path, threads):
    """Patterns and counts, without a coefficient."""
    found, steps = by_database(path, threads)
    patterns = [len(table.counts) for table in found.tables]
    return steps | {"said": f"{sum(patterns)} patterns of {found.tables[0].counts.sum():,} items"}


def alphas(path, threads):
    """Alpha of each dimension with the intervals of 10,000 resamples."""
    from raters import agreement

    found, steps = by_database(path, threads)
    start = time.perf_counter()
    result = agreement(found, statistics=STATISTIC, resamples=RESAMPLES)
    steps["alpha"] = time.perf_counter() - start
    return steps | {"said": " ".join(f"{x:.6f}" for x in result.sort_values("dimension").estimate)}


def in_pandas(path, threads):
    """The same alphas, without intervals, by pandas and krippendorff."""
    import krippendorff
    import pandas as pd
    import pyarrow as pa

    pa.set_cpu_count(threads)
    start = time.perf_counter()
    frame = pd.read_parquet(path)
    wide = frame.groupby(["dimension", "item", "rater"], observed=True)["rating"].first()
    wide = wide.unstack("rater")
    steps = {"counted": time.perf_counter() - start}
    start = time.perf_counter()
    found = [
        krippendorff.alpha(
            part.to_numpy(float).T, level_of_measurement="interval", value_domain=[1, 2, 3, 4, 5]
        )
        for _, part in sorted(wide.groupby(level="dimension", observed=True))
    ]
    steps["alpha"] = time.perf_counter() - start
    return steps | {"said": " ".join(f"{x:.6f}" for x in found)}


WAYS = {
    "raters[sql]: patterns only": counts_only,
    f"raters[sql]: alpha, {RESAMPLES:,} resamples": alphas,
    "pandas + krippendorff: alpha, no interval": in_pandas,
}


def alone(way, path, threads):
    """One way in a process of its own: its steps, CPU time and peak memory."""
    command = [sys.executable, __file__, "--way", way, "--path", path, "--threads", str(threads)]
    limits = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    done = subprocess.run(command, env=os.environ | limits, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def report(way, path, threads):
    """What `alone` reads: the last line of the output."""
    steps = WAYS[way](path, threads)
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Linux counts the peak in kilobytes.
    print(json.dumps(steps | {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss / 1e3}))


def measure(ratings, threads):
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "ratings.parquet")
        write(Path(path), ratings)
        size = Path(path).stat().st_size / 1e6
        print(f"{ratings:,} ratings, {size:,.0f} MB of Parquet")
        print(f"{'':45} threads  read, s  alpha, s  CPU, s  peak, MB  result")
        for number in threads:
            for way in WAYS:
                row = alone(way, path, number)
                print(
                    f"{way:45} {number:7} {row['counted']:8.2f} {row.get('alpha', np.nan):9.2f} "
                    f"{row['cpu']:7.2f} {row['peak']:9,.0f}  {row['said']}"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ratings", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--way", choices=WAYS, help="(used by the script itself)")
    parser.add_argument("--path", help="(used by the script itself)")
    given = parser.parse_args()
    if given.way:
        report(given.way, given.path, given.threads[0])
    else:
        measure(given.ratings, given.threads)
