"""Every computed table of the study as CSV, with its provenance."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from raters import study as paper
from raters.errors import RatingsError
from raters.study import files, replication, results

_PACKAGES = ("raters", "numpy", "pandas", "scipy", "statsmodels")


def all_tables(study: str, resamples: int, seed: int) -> dict[str, pd.DataFrame]:
    """Every table of `write`, by file name without its ending.

    Parameters
    ----------
    study : {"auto", "published", "simulated"}
        Which ratings.
    resamples, seed : int
        Bootstrap of items.

    Returns
    -------
    dict
        Name to DataFrame. Tables made from simulated ratings say so in ``note``.
    """
    ratings, reports = paper.load(study), paper.self_reports(study)
    words, openings = paper.words(study), paper.openings(study)
    counts = paper.annotation_counts(study)
    made = {
        "ratings": ratings,
        "pairwise": results.pairs_table(ratings, resamples, seed),
        "alpha": results.alpha_table(ratings, resamples, seed),
        "f1": results.f1_table(ratings, resamples, seed),
        "self_report": results.self_report_table(ratings, reports, resamples, seed),
        "openings": results.openings_table(ratings, openings),
        "verbosity": results.verbosity_table(ratings, words),
        "vif": results.vif_table(ratings),
        "replication": replication.replicate(ratings, reports, words, openings, counts, seed),
    }
    stamp = paper.stamp(ratings)
    return {name: _stamped(frame, stamp) for name, frame in made.items()} if stamp else made


def _stamped(frame, stamp):
    if "note" not in frame:
        return frame.assign(note=stamp)
    return frame.assign(note=(stamp + " " + frame["note"]).str.strip())


def write(out: Path, study: str = "auto", resamples: int = 2000, seed: int = 2025) -> list[Path]:
    """Write every table as CSV (UTF-8, full precision) and `provenance.json`.

    Parameters
    ----------
    out : Path
        The folder; made when it does not exist. Files of these names are replaced.
    study : {"auto", "published", "simulated"}
        Which ratings.
    resamples, seed : int
        Bootstrap of items. Same data, seed and versions give the same bytes.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    RatingsError
        `out` is a file, or from the computation.
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
    name = files.resolve(study)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RatingsError(
            f"--out {out}, where no folder can be made: {error.strerror}",
            "a folder that exists or can be made",
            "name another place",
        ) from error
    made = all_tables(name, resamples, seed)
    paths = []
    for table, frame in made.items():
        paths.append(out / f"{table}.csv")
        frame.to_csv(paths[-1], index=False, encoding="utf-8", lineterminator="\n")
    paths.append(out / "provenance.json")
    text = json.dumps(provenance(name, resamples, seed), indent=2, sort_keys=True)
    paths[-1].write_text(text + "\n", encoding="utf-8", newline="\n")
    return paths


def provenance(study: str, resamples: int, seed: int) -> dict:
    """What a set of tables was made from.

    Parameters
    ----------
    study : {"published", "simulated"}
        Which ratings.
    resamples, seed : int
        Bootstrap of items.

    Returns
    -------
    dict
        ``study``, ``resamples``, ``seed``, ``versions``, ``source`` and, for the
        published study, ``files`` with their sha256.
    """
    result = {
        "study": study,
        "resamples": resamples,
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
