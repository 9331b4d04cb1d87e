"""Build the book: run the notebooks, lay out a copy of the book, make the pages.

    python -m book.build --study auto --resamples 2000 --seed 2025

1. Each notebook whose inputs changed is run by papermill into ``_build/executed``.
2. ``_build/stage`` becomes a copy of the book in which the notebooks are the run ones.
3. Jupyter Book makes ``_build/html`` from it, with warnings as errors.

``_build/html`` exists only while it is the result of a build that went well; a request that
cannot be met, such as a mistyped folder of ratings, leaves it alone. The pages hold no
times and no paths, so two builds give the same bytes. One file differs: how long each
notebook took is in ``_static/run-times.js``, which the status page shows.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
import time
from dataclasses import asdict
from pathlib import Path

from book.build.run import is_fresh, keys, run_notebooks
from book.build.shared import ROOT, SIMULATED, BuildError, Options, notebooks, say, sync, write
from book.build.site import drop_site, last_options, make_pages, site_is_fresh, site_key
from book.build.stage import stage_files
from judging_empathy.data.files import store
from raters.errors import RatingsError

STUDIES = ("auto", "published", "simulated")
FEWEST_RESAMPLES = 100  # fewer say nothing about the ends of a 95 % interval


def make_book(root: Path, options: Options, jobs: int, timeout: int, only: str = "") -> Path:
    """Bring the book up to date: run what changed, then make the pages if anything did.

    Parameters
    ----------
    root : Path
        The project's folder.
    options : Options
        Study, resamples and seed.
    jobs, timeout : int
        Notebooks at once; seconds that one cell may take.
    only : str
        Run just this notebook, and make no pages.

    Returns
    -------
    Path
        The first page, or the run copy of the one notebook.

    Raises
    ------
    BuildError
        A notebook failed, or the pages have a warning.
    """
    start = time.monotonic()
    parameters = {**asdict(options), "study": store().resolve(options.study)}
    if parameters["study"] == "simulated" and options.study == "auto":
        say("The study's files were not found and could not be fetched. " + SIMULATED)
    wanted = keys(root, parameters)
    if only:
        wanted = {name: key for name, key in wanted.items() if name == Path(only).stem}
    if not wanted:
        raise BuildError(
            f"the notebook {only!r}" if only else "no notebook",
            "one of " + (", ".join(p.stem for p in notebooks(root)) or "notebooks/NN_name.ipynb"),
            "check the name and the folder",
        )
    stale = [name for name, key in wanted.items() if not is_fresh(root, name, key)]
    say(f"{len(wanted) - len(stale)} notebooks are up to date, {len(stale)} to run")
    if stale:
        drop_site(root)
        run_notebooks(root, stale, wanted, parameters, jobs, timeout)
    if only:
        return root / "_build" / "executed" / f"{Path(only).stem}.ipynb"
    _forget_removed(root)
    try:
        sync(root / "_build" / "stage", stage_files(root, parameters))
    except BaseException:  # the notebooks are newer than the pages
        drop_site(root)
        raise
    key = site_key(root)
    if site_is_fresh(root, key):
        say("the pages are up to date")
    else:
        say("making the pages")
        make_pages(root)
        said = {"key": key, "options": asdict(options), "parameters": parameters}
        write(root / "_build" / "site.json", json.dumps(said, indent=1).encode())
    say(f"the book took {time.monotonic() - start:.1f} s")
    return root / "_build" / "html" / "index.html"


def _forget_removed(root: Path) -> None:
    """Drop the run copies of notebooks that are no longer in the book."""
    names = {p.stem for p in notebooks(root)}
    for path in (root / "_build" / "executed").glob("*"):
        if path.name.partition(".")[0] not in names:
            path.unlink()


# ------------------------------------------------------------------------- the command line


@contextlib.contextmanager
def one_at_a_time(root: Path):
    """Let a second build of the same folder wait for the first; a killed one blocks nobody."""
    (root / "_build").mkdir(exist_ok=True)
    with open(root / "_build" / ".lock", "a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def command_line() -> argparse.ArgumentParser:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="Run the notebooks and build the book.")
    asked = Options()
    parser.add_argument("--study", default=asked.study, help=" or ".join(STUDIES))
    parser.add_argument("--resamples", default=str(asked.resamples), metavar="N")
    parser.add_argument("--seed", default=str(asked.seed), metavar="N")
    jobs = os.cpu_count() or 1
    parser.add_argument("--jobs", default=str(jobs), metavar="N", help="notebooks run at once")
    parser.add_argument("--timeout", default="300", metavar="N", help="seconds a cell may take")
    parser.add_argument("--only", default="", metavar="NAME", help="run one notebook, no pages")
    parser.add_argument("--root", type=Path, default=ROOT, help="another folder laid out as this")
    return parser


def whole_number(name: str, text: str, least: int) -> int:
    """The number that was given for an option, before anything runs with it.

    Parameters
    ----------
    name : str
        The option, as make spells it.
    text : str
        What was given.
    least : int
        The smallest number that makes sense.

    Returns
    -------
    int

    Raises
    ------
    BuildError
        It is not a whole number, or too small.
    """
    if not re.fullmatch(r"\s*[+-]?\d+\s*", text, re.ASCII) or int(text) < least:
        raise BuildError(
            f"{name}={text}",
            f"a whole number of {least} or more",
            f"choose one, or leave {name} out for what the book is published with",
        )
    return int(text)


def options_of(given: argparse.Namespace) -> Options:
    """What a command asks for, refused if the pages could not be made from it.

    Parameters
    ----------
    given : Namespace
        From `command_line`.

    Returns
    -------
    Options

    Raises
    ------
    BuildError
        A study that there is not; numbers with which there would be no intervals.
    """
    if given.study not in STUDIES:
        raise BuildError(
            f"STUDY={given.study}",
            " or ".join(STUDIES),
            "choose one, or leave STUDY out: the published ratings where they can be had",
        )
    return Options(
        given.study,
        whole_number("RESAMPLES", given.resamples, FEWEST_RESAMPLES),
        whole_number("SEED", given.seed, 0),
    )


def main(arguments: list[str] | None = None) -> int:
    """Build; return 0 if all went well, 1 with a message if not."""
    given = command_line().parse_args(arguments)
    root = given.root.resolve()
    try:
        options = options_of(given)
        jobs = whole_number("--jobs", given.jobs, 1)
        timeout = whole_number("TIMEOUT", given.timeout, 1)
        with one_at_a_time(root):
            page = make_book(root, options, jobs, timeout, given.only)
    except RatingsError as problem:
        parts = f"Given: {problem.given}\n\nAllowed: {problem.allowed}.\nTo do: {problem.todo}."
        print(f"\nThe book was not built.\n\n{parts}", file=sys.stderr, flush=True)
        if not given.only and last_options(root):
            print(
                "\nThe book that was there before is left as it was.", file=sys.stderr, flush=True
            )
        return 1
    say(f"Open {os.path.relpath(page)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
