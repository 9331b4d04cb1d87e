"""How fast a million ratings are read, as a multiple of what pandas takes for the same file.

    python benchmarks/reading.py

CPU time of this process for `raters.read`, and of a process of its own for `raters agreement`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import raters

RATINGS = 1_000_000


def main() -> None:
    """Print the two ratios and the memory of the command."""
    rng = np.random.default_rng(1)
    items, names = RATINGS // 10, [f"r{k}" for k in range(10)]
    frame = pd.DataFrame(
        {
            "item": np.repeat(np.arange(items), 10),
            "rater": np.tile(names, items),
            "rating": rng.integers(1, 6, RATINGS),
        }
    )
    config = raters.Config(
        [raters.Source(item="item", rater="rater", rating="rating")],
        raters.ScaleRules([1, 2, 3, 4, 5]),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        frame.to_csv(path, index=False)
        by_pandas = _seconds(lambda: pd.read_csv(path, dtype=str))
        print(f"raters.read: {_seconds(lambda: raters.read(path, config)) / by_pandas:.1f}")
        command = [sys.executable, "-m", "raters", "agreement", str(path), "--scale", "1,2,3,4,5"]
        subprocess.run(command, check=True, capture_output=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"raters agreement: {(used.ru_utime + used.ru_stime) / by_pandas:.1f}")
    print(f"memory of the command: {used.ru_maxrss / 1024:,.0f} MB")


def _seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
