"""What people wait for, as multiples of P: the CPU time of `python -c "import pandas"`.

    python benchmarks/waiting.py [--book]

Each command starts as a process of its own, some times in turn with the others, and the
median counts, children included. `--book` also runs all notebooks and builds the book in a
copy of this folder, which takes some minutes. Nothing else should run at the same time.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
PYTHON = [sys.executable]
RATERS = [*PYTHON, "-m", "raters"]
PANDAS = "python -c 'import pandas'"
AT_MOST = "at most"


def commands(example: Path, out: Path) -> dict[str, tuple[list[str], float, int]]:
    """What is measured: the command, the most that it may take in P, how often it is run."""
    ratings = str(example / "ratings.csv")
    return {
        PANDAS: ([*PYTHON, "-c", "import pandas"], 1.0, 7),
        "raters --help": ([*RATERS, "--help"], 0.2, 7),
        "raters --version": ([*RATERS, "--version"], 0.2, 7),
        "from raters import agreement": ([*PYTHON, "-c", "from raters import agreement"], 1.4, 7),
        "raters agreement, the example study": ([*RATERS, "agreement", ratings], 2.0, 5),
        "raters report, the example study": (
            [*RATERS, "report", ratings, str(example / "judge.jsonl"), "--out", str(out / "r")],
            5.0,
            3,
        ),
        "raters results": ([*RATERS, "results", "--out", str(out / "tables")], 25.0, 2),
    }


def cpu_seconds(command: list[str], folder: Path) -> float:
    """The CPU time of a command with all that it starts and waits for.

    Parameters
    ----------
    command : list of str
        The program and its arguments. It has to end well.
    folder : Path
        Where it runs.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile("w+") as told:
        started = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=told)
        if started.wait():
            told.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{told.read()}")
    with contextlib.suppress(ChildProcessError):  # what it left running, see `main`
        while True:
            os.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(book: bool = False) -> pd.DataFrame:
    """Run everything; the median CPU seconds and their ratio to P.

    Parameters
    ----------
    book : bool
        Also `make book`, from nothing, in a copy of this folder.

    Returns
    -------
    DataFrame
        A row for each command.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        example = [*RATERS, "example", "--out", str(folder / "study"), "--quiet"]
        subprocess.run(example, check=True, stdout=subprocess.DEVNULL)
        asked = commands(folder / "study", folder)
        times = {what: [] for what in asked}
        for turn in range(max(often for _, _, often in asked.values())):
            for what, (command, _, often) in asked.items():
                if turn < often:
                    shutil.rmtree(folder / "r", ignore_errors=True)
                    times[what].append(cpu_seconds(command, folder / "study"))
        rows = {what: (statistics.median(taken), asked[what][1]) for what, taken in times.items()}
        if book:
            rows["make book, all notebooks to run"] = (book_seconds(folder / "book"), 250.0)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["CPU s", AT_MOST])
    frame.insert(1, "P", frame["CPU s"] / frame.loc[PANDAS, "CPU s"])
    return frame


def book_seconds(copy: Path) -> float:
    """The CPU time of a book built from nothing, in a copy of this folder."""
    skipped = shutil.ignore_patterns(".git", ".venv*", "_build", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=skipped)
    command = [*PYTHON, "-m", "book.build", "--root", str(copy)]
    return cpu_seconds(command, ROOT)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--book", action="store_true", help="build the book as well")
    if sys.platform == "linux":  # PR_SET_CHILD_SUBREAPER: this process inherits orphans
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    frame = measure(parser.parse_args().book)
    print("What people wait for: CPU time, against P, that of importing pandas")
    print(frame.to_string(float_format="{:.2f}".format))


if __name__ == "__main__":
    main()
