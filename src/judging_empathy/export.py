"""Every computed table of the study as CSV, with its provenance."""

from __future__ import annotations

import json
import os
import platform
import shutil
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from judging_empathy import models
from judging_empathy.audit.answers import answers
from judging_empathy.data import files
from judging_empathy.study import Study
from raters.errors import RatingsError
from raters.io.atomic import part_beside
from raters.io.write import NOTE, not_ours, sha256_of, write_csv
from raters.judges.ceiling import FIELDS

MADE_BY = "raters results"

# The tables of `raters results` in the order in which they are made; `audit` is the last.
_NAMES = (
    *("ratings", "pairwise", "alpha", "f1", "self_report", "openings", "verbosity", "vif"),
    *("replication", "benchmark", "judge_vs_crowd", "alt_test", "calibration", "baselines"),
    "crowd",
)
_OF_JUDGES = ("benchmark", "judge_vs_crowd")
_AUDIT = [
    *("question", "published", "plain", "effect", "conclusion_changed"),
    *("topic", "quantity", "why", "where", "note"),
]
_PACKAGES = ("raters", "numpy", "pandas", "scipy", "statsmodels")
RESAMPLES = 2000


def resamples_of(given: int | None) -> tuple[int, int]:
    """How many resamples the tables have, and how many the differences of judges.

    What is `given` holds for all tables. If nothing is: `RESAMPLES`, and `models.RESAMPLES` for
    ``benchmark`` and ``judge_vs_crowd``, whose verdicts hang on the ends of intervals.

    >>> resamples_of(None), resamples_of(500)
    ((2000, 10000), (500, 500))
    """
    return (RESAMPLES, models.RESAMPLES) if given is None else (given, given)


def all_tables(study: Study, resamples: int | None, seed: int) -> dict[str, pd.DataFrame]:
    """Every table of `write`, by file name without its ending.

    Name to DataFrame. Tables made from simulated ratings say so in ``note``. There is no ``audit``
    without resamples: its answers hang on intervals. For `resamples` see `resamples_of`.
    """
    resamples, of_judges = resamples_of(resamples)
    made = {
        name: study.table(name, of_judges if name in _OF_JUDGES else resamples, seed)
        for name in _NAMES
    }
    if resamples:
        found = answers(study, resamples, seed)
        found = found.drop(columns="plain").rename(columns={"plain_value": "plain"})
        made["audit"] = found[_AUDIT]
    if not study.stamp:
        return made
    return {name: _stamped(frame, study.stamp) for name, frame in made.items()}


def _stamped(frame, stamp):
    if "note" not in frame:
        return frame.assign(note=stamp)
    # Some notes begin with the stamp already.
    said = frame["note"].str.removeprefix(stamp).str.strip()
    return frame.assign(note=(stamp + " " + said).str.strip())


def write(out: Path, study: Study, resamples: int | None = None, seed: int = 2025) -> list[Path]:
    """Write every table as CSV (UTF-8, full precision) and `provenance.json`.

    The files written; see `all_tables`. The folder `out` is made when it does not exist. What an
    earlier run wrote there is replaced; other files stay. For `resamples` see `resamples_of`. Same
    data, seed and versions give the same bytes.

    An error says that `out` is a file, where no folder can be made, or which file there has the
    name of a table and is none of ours, or was changed.
    """
    if str(out) in ("", "."):
        raise RatingsError(
            f"--out {str(out)!r}, the folder you are in",
            "a folder for the tables alone",
            "name one, such as --out results",
        )
    out = Path(out)
    if out.exists() and not out.is_dir():
        raise RatingsError(f"--out {out}, which is a file", "a folder", "name another place")
    name = study.name  # an error in the files comes before a folder is made
    _refuse_others(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RatingsError(
            f"--out {out}, where no folder can be made: {error.strerror}",
            "a folder that exists or can be made",
            "name another place",
        ) from error
    made = all_tables(study, resamples, seed)
    part = part_beside(out / "tables")
    try:
        part.mkdir()
        for table, frame in made.items():
            # What the note says in words stays a field of the frames: the files have their columns.
            frame = frame.drop(columns=["undefined", *FIELDS], errors="ignore")
            write_csv(frame, part / f"{table}.csv")
        wrote = {path.name: sha256_of(path) for path in sorted(part.iterdir())}
        note = provenance(name, resamples, seed) | {"made_by": MADE_BY, "tables": wrote}
        text = json.dumps(note, indent=2, sort_keys=True) + "\n"
        (part / NOTE).write_text(text, encoding="utf-8", newline="\n")
        _refuse_others(out)  # again: the tables took a while
        paths = [out / name for name in (*(f"{table}.csv" for table in made), NOTE)]
        for path in paths:
            os.replace(part / path.name, path)
        for name in _names() - {path.name for path in paths}:  # an earlier run's, and now stale
            (out / name).unlink(missing_ok=True)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return paths


def _names():
    return {NOTE, "audit.csv", *(f"{name}.csv" for name in _NAMES)}


def _refuse_others(out):
    """An error where somebody else's file has the name of one of ours."""
    strange = [name for name in not_ours(out, MADE_BY, "tables") if name in _names()]
    if strange:
        raise RatingsError(
            f"--out {out}, which holds {strange[0]}, not as raters results wrote it",
            "a folder where no file of another origin has the name of a table",
            "name another folder, or move the file away",
        )


def provenance(study: str, resamples: int | None, seed: int) -> dict:
    """What a set of tables was made from.

    ``study``, ``resamples``, ``resamples_of_judges``, ``seed``, ``versions``, ``source`` and, for
    the published study, ``files`` with their sha256. For `resamples` see `resamples_of`.
    """
    resamples, of_judges = resamples_of(resamples)
    result = {
        "study": study,
        "resamples": resamples,
        "resamples_of_judges": of_judges,
        "seed": seed,
        "versions": {"python": platform.python_version()} | {p: version(p) for p in _PACKAGES},
    }
    if study == "simulated":
        return result | {"source": "simulated", "files": {}}
    return result | {
        "source": f"https://doi.org/{files.DOI}",
        "commit": files.COMMIT,
        "files": dict(files.store().registry),
    }
