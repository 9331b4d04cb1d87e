"""Make the folder of a report: whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import RatingsError, install
from raters.io.atomic import part_beside, put
from raters.io.config import Config
from raters.io.read import named_paths
from raters.io.write import NOTE, not_ours, sha256_of, write_csv
from raters.report.analysis import Analysis
from raters.report.methods import versions
from raters.show.tables import spreadsheet_safe, stamped
from raters.text import count_of

if TYPE_CHECKING:
    from raters.report.page import Section

MADE_BY = "raters report"
_NEEDED = ("altair", "vl_convert", "jinja2", "nbformat")


def report(
    files,
    out,
    config: Config | str | Path,
    judges: Sequence[str] = (),
    reference: Sequence[str] = ("expert",),
    resamples: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    margin: float = 0.1,
    title: str = "",
    drop_at_most: int | None = None,
    replace: bool = False,
    working: Callable = lambda what: nullcontext(),
) -> Path:
    """Write a folder with the whole analysis of some ratings.

    Parameters
    ----------
    files : str, Path or sequence of them
        The ratings; see `raters.read`.
    out : str or Path
        The folder: one that is not there, an empty one, or a report, which is replaced.
    config : Config, str or Path
        What is declared of the files.
    judges : sequence of str
        Who is judged. Default: the group called "judge"; there may be none.
    reference : sequence of str
        The experts: a group, or the names of raters.
    resamples : int, optional
        Of items. Default: 2000, and up to 10000 for judges.
    seed, level, margin
        As in `raters.judges.benchmark`.
    title : str
        Of the page. Default: made of the files' names.
    drop_at_most : int, optional
        As in `raters.read`.
    replace : bool
        Replace the folder whatever it holds.
    working : callable
        Called with what is being done; returns a context manager. For progress.

    Returns
    -------
    Path
        The folder: ``index.html`` (one file that needs nothing else), ``report.ipynb``
        (executed), ``tables/*.csv``, ``raters.toml``, ``provenance.json``.

    Raises
    ------
    RatingsError
        From `raters.read`; a judge or a reference that was named and is not there; a
        folder that holds something else; a package that is not installed.

    Notes
    -----
    Two runs write the same bytes, but for the time in ``provenance.json``. In the tables an
    apostrophe stands before texts that a spreadsheet would take for a formula (= + - @, tab
    and line breaks). The folder is made beside its place and put there when it is whole;
    what a run that was killed left there is removed.

    Examples
    --------
    >>> from raters.examples import FOLDER
    >>> files = [FOLDER / "ratings.csv", FOLDER / "judge.jsonl"]
    >>> report(files, FOLDER, FOLDER / "raters.toml")
    Traceback (most recent call last):
    raters.errors.RatingsError: Given: ...examples, which holds ratings.csv. Allowed: ...
    """
    _check_installed()
    paths = [path for path, _ in named_paths(files)]
    out = Path(out)
    declaration = [] if isinstance(config, Config) else [Path(config)]
    _check_place(out, [*paths, *declaration], replace)
    config, declared = _declared(config)
    options = {
        "judges": list(judges), "reference": list(reference), "resamples": resamples,
        "seed": seed, "level": level, "margin": margin, "drop_at_most": drop_at_most,
    }  # fmt: skip
    hashes = [sha256_of(path) for path in paths]
    with working("reading"):
        analysis = Analysis.read(paths, config, **options)
    part = part_beside(out)
    # Again: a report that was put aside may be back.
    _check_place(out, [*paths, *declaration], replace)
    try:
        part.mkdir()
        # A stamp of the notebook that asks says what its ratings are, not what these are.
        with working("the report"), stamped(""):
            (part / "raters.toml").write_bytes(declared)
            _fill(part, out, paths, analysis, {**options, "title": title}, hashes)
        put(part, out)
    except OSError as error:
        raise RatingsError(
            f"{out}, which cannot be written ({error.strerror or error})",
            "a folder that can be made, in a folder that is there",
            "name another place, or make room",
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return out


# ----------------------------------------------------------------------------- the place
def _check_installed():
    absent = [name for name in _NEEDED if not _installed(name)]
    if absent:
        raise RatingsError(
            f"a report without the packages {', '.join(absent)}",
            "the extra report; inspect, agreement and benchmark need none",
            install("report"),
        )


def _installed(name):
    try:
        return find_spec(name) is not None
    except ImportError:
        return False


def _check_place(out, paths, replace):
    here = out.absolute()
    if not here.parent.is_dir():
        raise RatingsError(
            f"{out}, in a folder that is not there", "a folder within one that is", "make it first"
        )
    if not (out.exists() or out.is_symlink()):
        return
    plain = out.is_dir() and not out.is_symlink()
    inside = [path for path in (*paths, Path.cwd()) if path.resolve().is_relative_to(out.resolve())]
    if inside or not plain:
        what = f"which holds {inside[0].name}" if plain else "which is no folder"
        raise RatingsError(
            f"{out}, {what}", "a folder of its own for the report", "name another place"
        )
    strange = not_ours(out, MADE_BY)
    if strange and not replace:
        raise RatingsError(
            f"{out}, which holds {strange[0]} and is no report as raters wrote it",
            "a folder that is not there, or a report, which is replaced",
            "name another place, or add --force (replace=True) to lose what is in it",
        )


# ------------------------------------------------------------------------------ the folder
def _declared(config):
    """The config, and the bytes of its file: a user's comments stay."""
    if isinstance(config, Config):
        return config, config.to_toml().encode()
    found = Config.load(config)
    return found, Path(config).read_bytes()


def _fill(part, out, paths, analysis, options, hashes):
    from raters.report import notebook, page

    # Seen from the folder, which keeps its parent: the notebook can be run again there.
    base = out.absolute().parent.resolve() / out.name
    files = [os.path.relpath(path.resolve(), base) for path in paths]
    made = _sections(analysis, part)
    title = options["title"] or "Agreement report: " + ", ".join(p.name for p in paths[:3])
    line = "Made by raters report " + versions()["raters"] + f" from {', '.join(files)}."
    _write(part / "index.html", page.page(made, title, line))
    parameters = {"files": files, "config": "raters.toml", **options}
    _write(part / "report.ipynb", notebook.written(made, parameters))
    _write_note(part, paths, files, options, hashes)


def _sections(analysis, folder):
    from raters.report.page import Titled
    from raters.report.sections import SECTIONS

    try:
        made = [Titled(title, make(analysis)) for title, make in SECTIONS]
        return [*made, Titled("Files", write_tables(analysis, folder / "tables"))]
    except (RatingsError, ImportError, OSError):
        raise
    except Exception as error:
        raise RatingsError(
            f"ratings on which the report fails ({type(error).__name__}: {error})",
            "any ratings: this is a fault of raters, not yours",
            "report it with a small example; raters agreement and raters benchmark may still work",
        ) from error


def _write(path, text):
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def write_tables(analysis: Analysis, folder: str | Path) -> Section:
    """Write every table of an analysis as CSV.

    Parameters
    ----------
    analysis : Analysis
    folder : str or Path
        It is made where it is not there.

    Returns
    -------
    Section
        The list of them.
    """
    from raters.report.page import Section, bullets

    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    lines = []
    for name, frame in analysis.tables.items():
        frame = frame.drop(columns=["undefined", "code"], errors="ignore")  # in words beside
        write_csv(spreadsheet_safe(frame), folder / f"{name}.csv")
        lines.append(f"tables/{name}.csv: {count_of(len(frame), 'row')}")
    return Section(bullets(lines))


def _write_note(part, paths, files, options, hashes):
    """What was read and written. A file that has changed since it was read is an error."""
    changed = [path for path, known in zip(paths, hashes, strict=True) if sha256_of(path) != known]
    if changed:
        raise RatingsError(
            f"{changed[0]}, which changed while the report was made",
            "files that stay as they are",
            "wait until nothing writes to it, and make the report again",
        )
    wrote = sorted(p.relative_to(part).as_posix() for p in part.rglob("*") if p.is_file())
    note = {
        "made_by": MADE_BY,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "options": options,
        "ratings": [
            {"file": name, "bytes": path.stat().st_size, "sha256": known}
            for path, name, known in zip(paths, files, hashes)
        ],
        "files": {name: sha256_of(part / name) for name in wrote},
    }
    text = json.dumps(note, indent=1) + "\n"
    (part / NOTE).write_text(text, encoding="utf-8", newline="\n")
