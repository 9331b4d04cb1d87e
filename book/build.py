"""Build the book: run the notebooks, lay out a copy of the book, make the pages.

    python book/build.py --study auto --resamples 2000 --seed 2025

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
import ast
import contextlib
import importlib.metadata
import json
import multiprocessing
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import judge_data
import nbformat
import pandas as pd
import yaml

from judging_empathy.data.files import resolve
from raters.errors import RatingsError
from raters.show import renderer as book_renderer
from raters.show import tables as display

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ("auto", "published", "simulated")
FEWEST_RESAMPLES = 100  # fewer say nothing about the ends of a 95 % interval
SIMULATED = "Simulated ratings: these numbers are not the paper's."
RUN_TIMES = "run-times.js"
STATUS = """# Status of this book

Every chapter is a notebook. All of them were run from top to bottom for these pages, in one go and with the same data and parameters: a chapter that fails, warns or takes too long stops the build.

**Data and parameters.** {made}

**Versions.** Python {python}; {versions}. All others are in `requirements.txt`.

```{{raw}} html
<div id="status">
{table}
</div>
<noscript><p>How long each notebook took is in <a href="../_static/run-times.js">run-times.js</a>.</p></noscript>
<script defer src="../_static/run-times.js"></script>
<script defer src="../_static/status.js"></script>
```

Run times are those of the machine that built the pages, with other notebooks running beside. They are the one thing that two builds from the same files do not share.
"""  # noqa: E501
# For the notebooks' kernels: a fixed hash seed and one thread for linear algebra keep the
# numbers the same on every run; the notebooks already run side by side.
ENVIRONMENT = {
    "BOOK_BUILD": "1",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
# What the numbers and the charts depend on; the status page gives their versions.
PACKAGES = ("raters", "numpy", "pandas", "scipy", "altair", "vl-convert-python", "jupyter-book")
_SKIPPED = {"__pycache__", ".ipynb_checkpoints", "raw"}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class BuildError(RatingsError):
    """The book cannot be built; the message says what to do."""


@dataclass(frozen=True)
class Options:
    """What a build was asked for.

    Parameters
    ----------
    study : str
        "auto", "published" or "simulated".
    resamples, seed : int
        Passed to every notebook.
    """

    study: str = "auto"
    resamples: int = 2000
    seed: int = 2025


@dataclass(frozen=True)
class Run:
    """One notebook that was run.

    Parameters
    ----------
    name : str
        The notebook's name without ``.ipynb``.
    seconds : float
        How long it took.
    failure : str
        What went wrong and where; "" if nothing did.
    """

    name: str
    seconds: float
    failure: str = ""


# ------------------------------------------------------------------ what a result depends on


def _sha(data: bytes) -> str:
    return sha256(data).hexdigest()


def _tree(folder: Path):
    """The files below a folder that belong to the project, in a fixed order."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(p in _SKIPPED or p.startswith(".") or p.endswith(".egg-info") for p in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path


def _digest(root: Path, paths) -> str:
    """One checksum over names and contents."""
    lines = [f"{p.relative_to(root).as_posix()} {_sha(p.read_bytes())}" for p in paths]
    return _sha("\n".join(lines).encode())


def notebooks(root: Path) -> list[Path]:
    """The book's notebooks, in order; names that start with ``_`` are no part of it.

    Parameters
    ----------
    root : Path
        The project's folder.

    Returns
    -------
    list of Path

    Examples
    --------
    >>> any(path.stem == "_template" for path in notebooks(ROOT))
    False
    """
    found = sorted((root / "notebooks").glob("*.ipynb"))
    return [path for path in found if not path.name.startswith("_")]


def keys(root: Path, parameters: dict) -> dict[str, str]:
    """What each notebook's result depends on, as one checksum a notebook.

    In it: the notebook, every file of ``src`` and ``data``, the lock of the packages,
    Python's version, this script and the parameters. Downloaded files are in it by
    ``data/registry.txt``, against which they are checked when they are read.

    Parameters
    ----------
    root : Path
        The project's folder.
    parameters : dict
        What the notebooks are run with.

    Returns
    -------
    dict
        Notebook name to key.
    """
    shared = [*_tree(root / "src"), *_tree(root / "data"), root / "requirements.txt"]
    common = json.dumps(
        [
            _digest(root, [p for p in shared if p.is_file()]),
            _sha(Path(__file__).read_bytes()),
            platform.python_version(),
            parameters,
        ],
        sort_keys=True,
    )
    return {p.stem: _sha(common.encode() + p.read_bytes()) for p in notebooks(root)}


def is_fresh(root: Path, name: str, key: str) -> bool:
    """Whether the run copy of a notebook is there, whole, and made from the same inputs."""
    note, copy = (root / "_build" / "executed" / f"{name}.{end}" for end in ("json", "ipynb"))
    if not (note.is_file() and copy.is_file()):
        return False
    said = json.loads(note.read_text(encoding="utf-8"))
    return said["key"] == key and said["sha256"] == _sha(copy.read_bytes())


# ------------------------------------------------------------------------ running notebooks


def _parameters_cell(notebook, name: str):
    tagged = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise BuildError(
            f"{len(tagged)} cells tagged `parameters` in {name}",
            "exactly one, the second cell of the notebook",
            "copy the second cell of notebooks/_template.ipynb",
        )
    return tagged[0]


def _defaults(cell) -> dict:
    """The names that a parameters cell defines, each with the node of its value."""
    return {
        target.id: statement.value
        for statement in ast.parse(cell.source).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def check_parameters(path: Path, parameters: dict) -> None:
    """Refuse a notebook that would run with other values than it is given.

    papermill only logs a parameter that a notebook lacks, and where no cell is tagged the
    notebook's own values overwrite the given ones.

    Parameters
    ----------
    path : Path
        The notebook.
    parameters : dict
        What it is to be run with.

    Raises
    ------
    BuildError
        There is not exactly one parameters cell, or it does not define each parameter.
    """
    cell = _parameters_cell(nbformat.read(path, as_version=4), path.name)
    missing = sorted(set(parameters) - set(_defaults(cell)))
    if missing:
        raise BuildError(
            f"no {', '.join(missing)} in the parameters cell of {path.name}",
            f"a cell that defines {', '.join(sorted(parameters))}",
            "copy the second cell of notebooks/_template.ipynb",
        )


def run_notebook(source: Path, target: Path, parameters: dict, timeout: int) -> Run:
    """Run one notebook into `target`; on failure there is no target.

    What was done up to a failure stays in ``NAME.partial.ipynb`` beside the target.

    Parameters
    ----------
    source, target : Path
        The notebook, and where its run copy goes.
    parameters : dict
        Values for its parameters cell. Text stays text.
    timeout : int
        Seconds that one cell may take.

    Returns
    -------
    Run
    """
    import papermill

    os.environ.update(ENVIRONMENT)
    start = time.monotonic()
    partial = target.with_suffix(".partial.ipynb")
    try:
        papermill.execute_notebook(
            str(source),
            str(partial),
            parameters=parameters,
            kernel_name="python3",
            cwd=str(source.parent),
            progress_bar=False,
            log_output=False,
            execution_timeout=timeout,
            # Not ERROR: an idle kernel logs its own shutdown as an interrupt at that level.
            extra_arguments=["--log-level=CRITICAL"],
        )
        error = ""
    except Exception as problem:  # whatever it is, it is this notebook's failure to report
        error = _message(problem, timeout)
    run = nbformat.read(partial, as_version=4) if partial.is_file() else None
    failure = _failure(nbformat.read(source, as_version=4), run, error, source.name)
    if not failure:
        nbformat.write(_tidy(run, parameters), partial)
        partial.replace(target)
    return Run(source.stem, round(time.monotonic() - start, 1), failure)


def _message(problem: Exception, timeout: int) -> str:
    if type(problem).__name__ == "CellTimeoutError":
        return (
            f"CellTimeoutError: the cell took more than {timeout} s. "
            f"If it needs the time: --timeout {4 * timeout}, or make book TIMEOUT={4 * timeout}."
        )
    if traceback := getattr(problem, "traceback", None):  # papermill: of the failing cell
        return _ANSI.sub("", "\n".join(traceback))
    return f"{type(problem).__name__}: {str(problem).strip()}"


def _failure(source, run, error: str, name: str) -> str:
    """What went wrong in a run, "" if nothing did."""
    if run is None:
        return f"{name} could not be started:\n{error}"
    started = [c for c in run.cells if (c.metadata.get("papermill") or {}).get("start_time")]
    outputs = [(c, out) for c in started for out in c.get("outputs", [])]
    warned = [(c, o.text) for c, o in outputs if o.get("name") == "stderr"]
    if not error and len(started) < len(run.cells):
        # `sys.exit()` in a cell: papermill takes it for a good end and leaves out the rest
        error = "The notebook ended here; the cells below did not run."
    if error or not warned:
        return _at_cell(source, started[-1] if started else None, error, name) if error else ""
    cell, text = warned[0]
    return _at_cell(source, cell, f"A cell wrote to stderr (a warning?):\n{text}", name)


def _at_cell(source, cell, error: str, name: str) -> str:
    numbers = {c.id: number for number, c in enumerate(source.cells, 1)}
    number = numbers.get(cell.id) if cell else None
    place = f"cell {number} of {len(source.cells)}" if number else "the cell with its parameters"
    code = "\n".join("    " + line for line in (cell.source if cell else "").splitlines())
    return f"{name} failed in {place}:\n\n{code}\n\n{_ANSI.sub('', error).strip()}"


def _tidy(run, parameters: dict):
    """The run copy as it is published: no times, no paths, the values that it ran with."""
    run.metadata.pop("papermill", None)
    run.cells = [c for c in run.cells if "injected-parameters" not in c.metadata.get("tags", [])]
    count = 0
    for cell in run.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if cell.metadata.get("tags") == []:
            cell.metadata.pop("tags")
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
    cell = _parameters_cell(run, "the run copy")
    cell.source = _with_values(cell.source, _defaults(cell), parameters)
    nbformat.validate(run)
    return run


def _with_values(source: str, nodes: dict, values: dict) -> str:
    """Put the values that were used into the parameters cell; comments stay."""
    lines = source.splitlines()
    for name, node in nodes.items():
        if name in values and node.lineno == node.end_lineno:
            line = lines[node.lineno - 1].encode()  # ast counts bytes
            start, end = line[: node.col_offset], line[node.end_col_offset :]
            value = values[name]
            value = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
            lines[node.lineno - 1] = (start + value.encode() + end).decode()
    return "\n".join(lines)


def run_notebooks(root: Path, names, wanted: dict, parameters: dict, jobs: int, timeout: int):
    """Run notebooks side by side; report each as it ends, and stop the build if one fails.

    Parameters
    ----------
    root : Path
        The project's folder.
    names : list of str
        The notebooks to run.
    wanted : dict
        Their keys, see `keys`.
    parameters : dict
        Passed to each.
    jobs, timeout : int
        How many at once; seconds that one cell may take.

    Raises
    ------
    BuildError
        At least one failed. The others have run to their end.
    """
    executed = root / "_build" / "executed"
    executed.mkdir(parents=True, exist_ok=True)
    paths = {p.stem: p for p in notebooks(root)}
    for name in names:  # before anything runs: a failed run leaves no copy to publish
        for end in ("json", "ipynb", "partial.ipynb"):
            (executed / f"{name}.{end}").unlink(missing_ok=True)
        check_parameters(paths[name], parameters)
    failures = []
    context = multiprocessing.get_context("spawn")  # the same way of starting on every system
    with ProcessPoolExecutor(max(1, min(jobs, len(names))), mp_context=context) as pool:
        waiting = {
            pool.submit(
                run_notebook, paths[name], executed / f"{name}.ipynb", parameters, timeout
            ): name
            for name in names
        }
        for future in as_completed(waiting):
            run = _result(future, waiting[future])
            say(f"  {run.name}: {'FAILED' if run.failure else 'done'} in {run.seconds} s")
            if run.failure:
                failures.append(run.failure)
            else:
                _note_run(executed, run, wanted[run.name], parameters)
    if failures:
        raise BuildError(
            "\n\n".join(sorted(failures)),
            "notebooks in which every cell runs, in time and with no warning",
            "mend the cell; the outputs up to it are in _build/executed/NAME.partial.ipynb",
        )


def _result(future, name: str) -> Run:
    try:
        return future.result()
    except Exception as problem:  # the process itself died, for example out of memory
        return Run(name, 0.0, f"{name}.ipynb could not be run: {problem!r}")


def _note_run(executed: Path, run: Run, key: str, parameters: dict) -> None:
    copy = executed / f"{run.name}.ipynb"
    said = {"key": key, "sha256": _sha(copy.read_bytes()), "seconds": run.seconds, **parameters}
    _write(executed / f"{run.name}.json", json.dumps(said, indent=1).encode())


# ------------------------------------------------------------------------- laying out a copy


def book_config(root: Path, parameters: dict) -> str:
    """``_config.yml`` with what this build adds: the data's identity, and the word "simulated".

    Parameters
    ----------
    root : Path
        The project's folder.
    parameters : dict
        What the notebooks ran with; ``study`` is "published" or "simulated".

    Returns
    -------
    str
        YAML.
    """
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    html = config.setdefault("html", {})
    html["extra_footer"] = f'<p class="made-from">{made_from(root, parameters)}</p>'
    # The one line that Colab needs, for the page on how to run the book.
    install = f'%pip install "raters[study,charts] @ git+{config["repository"]["url"]}" '
    own = {"install_line": f"```python\n{install}krippendorff pingouin\n```"}
    sphinx = config.setdefault("sphinx", {}).setdefault("config", {})
    sphinx["myst_substitutions"] = {**sphinx.get("myst_substitutions", {}), **own}
    if parameters["study"] == "simulated":
        html["announcement"] = f'<p role="note">{SIMULATED}</p>'
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def made_from(root: Path, parameters: dict) -> str:
    """One sentence for the foot of every page: which data, which parameters."""
    registry, seal = root / "data" / "registry.txt", ""
    if parameters["study"] == "published" and registry.is_file():
        seal = f" (list of files: sha256 {_sha(registry.read_bytes())[:12]})"
    return (
        f"Computed from the {parameters['study']} ratings{seal}, "
        f"resamples {parameters['resamples']}, seed {parameters['seed']}."
    )


def stage_files(root: Path, parameters: dict) -> dict[str, Path | bytes]:
    """What the staged copy holds: place in it, and the file or the bytes that go there.

    It repeats the layout of the repository, so that "edit" and "launch" links point at
    the source notebooks.
    """
    files: dict[str, Path | bytes] = {"_config.yml": book_config(root, parameters).encode()}
    stories = root / "book" / judge_data.STORIES.name
    prose = [p for p in _tree(root / "book") if p.suffix != ".py" and p != stories]
    prose.append(root / "book" / "book_pages.py")  # Sphinx loads it from the copy
    plain = [p for p in _tree(root / "notebooks") if p.suffix != ".ipynb"]
    top = [root / "_toc.yml", root / "CITATION.cff", *sorted(root.glob("*.md"))]
    for path in [*top, *prose, *plain, *_tree(root / "data")]:
        if path.is_file():
            files[path.relative_to(root).as_posix()] = path
    for path in notebooks(root):
        files[f"notebooks/{path.name}"] = root / "_build" / "executed" / path.name
    files["book/status.md"] = status_page(root, parameters).encode()
    vendor = root / "_build" / "vendor"
    for name in book_renderer.vendor(vendor):
        files[f"book/_static/vendor/{name}"] = vendor / name
    if (root / "book" / "be-the-judge.md").is_file():
        shown = judge_data.build(parameters["study"], stories)
        files["book/_static/judge-data.js"] = judge_data.script(shown)
    return files


def status_page(root: Path, parameters: dict) -> str:
    """A page that says what each chapter was made from.

    Parameters
    ----------
    root : Path
        The project's folder, with the notebooks run.
    parameters : dict
        What they ran with.

    Returns
    -------
    str
        Markdown.
    """
    rows = []
    for path in notebooks(root):
        note = nbformat.read(path, as_version=4)
        title = next((c.source for c in note.cells if c.source.startswith("# ")), path.stem)
        codes = sum(c.cell_type == "code" for c in note.cells)
        title = title.partition("\n")[0].removeprefix("# ")
        rows.append((title, path.name, codes, _sha(path.read_bytes())[:12]))
    table = display.table(
        pd.DataFrame(rows, columns=["chapter", "notebook", "cells", "sha256 begins"]),
        "The notebooks of this book as they were run.",
    )
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    return STATUS.format(
        made=made_from(root, parameters),
        python=platform.python_version(),
        versions=versions,
        table=table._repr_html_(),
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def write_run_times(root: Path) -> None:
    """Put beside the pages how long each notebook took: what two builds do not share."""
    notes = sorted((root / "_build" / "executed").glob("*.json"))
    times = {f"{p.stem}.ipynb": json.loads(p.read_text("utf-8"))["seconds"] for p in notes}
    text = f"globalThis.runTimes = {json.dumps(times, indent=1)};\n"
    _write(root / "_build" / "html" / "_static" / RUN_TIMES, text.encode())


def sync(folder: Path, files: dict[str, Path | bytes]) -> None:
    """Make a folder hold exactly these files; what is right already is left alone.

    Parameters
    ----------
    folder : Path
        The copy.
    files : dict
        Place in the folder to the file, or the bytes, that go there.
    """
    for path in [p for p in folder.rglob("*") if p.is_file() or p.is_symlink()]:
        if path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.read_bytes()
        path = folder / name
        if not path.is_file() or path.read_bytes() != data:
            _write(path, data)


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)


# -------------------------------------------------------------------------------- the pages


def site_key(root: Path) -> str:
    """A checksum of everything that the pages are made from."""
    stage = root / "_build" / "stage"
    renderer = Path(book_renderer.__file__).read_bytes()
    lock = root / "requirements.txt"
    return _sha(
        "\n".join(
            [
                _digest(stage, sorted(p for p in stage.rglob("*") if p.is_file())),
                _sha(renderer),
                _digest(root, list(_tree(root / "src"))),  # the API page: docstrings
                _sha(Path(__file__).read_bytes()),
                _sha(lock.read_bytes()) if lock.is_file() else "",
                platform.python_version(),
            ]
        ).encode()
    )


def last_options(root: Path) -> Options | None:
    """What the book in ``_build/html`` was asked for; None if there is no book."""
    note = root / "_build" / "site.json"
    if not (note.is_file() and (root / "_build" / "html").is_dir()):
        return None
    return Options(**json.loads(note.read_text(encoding="utf-8"))["options"])


def site_is_fresh(root: Path, key: str) -> bool:
    """Whether ``_build/html`` is the result of a good build from the same files."""
    note = root / "_build" / "site.json"
    return last_options(root) is not None and (
        json.loads(note.read_text(encoding="utf-8"))["key"] == key
    )


def drop_site(root: Path) -> None:
    """Take the pages away, so that nobody takes them for the result of this build."""
    (root / "_build" / "site.json").unlink(missing_ok=True)
    for name in ("html", "site"):
        shutil.rmtree(root / "_build" / name, ignore_errors=True)


def make_pages(root: Path) -> None:
    """Let Jupyter Book make the pages, from nothing, with warnings as errors.

    Always from nothing: Sphinx does not repeat the warnings of pages that it does not
    read again, so a second try would pass.

    Parameters
    ----------
    root : Path
        The project's folder, with ``_build/stage`` laid out.

    Raises
    ------
    BuildError
        There was a warning or an error; it is in the message.
    """
    drop_site(root)
    build = root / "_build"
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build"]
    command += [str(build / "stage"), "--path-output", str(build / "site")]
    command += ["-W", "-n", "--keep-going"]
    environment = {**os.environ, **ENVIRONMENT, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the copy holds what was laid out, no more
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False
    )
    log = _ANSI.sub("", done.stdout.decode("utf-8", errors="replace"))
    (build / "book.log").write_text(log, encoding="utf-8")
    made = build / "site" / "_build" / "html"
    if done.returncode or not (made / "index.html").is_file():
        drop_site(root)
        told = [line for line in log.splitlines() if re.search(r"WARNING|ERROR|CRITICAL", line)]
        shown = "\n".join(told or log.splitlines()[-25:]).replace(str(build / "stage") + os.sep, "")
        raise BuildError(
            f"a book that Jupyter Book does not build clean:\n\n{shown}",
            "pages without a warning",
            "mend the pages named above; the whole log is _build/book.log",
        )
    made.replace(build / "html")
    write_run_times(root)
    shutil.rmtree(build / "site")


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
    parameters = {**asdict(options), "study": resolve(options.study)}
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
        _write(root / "_build" / "site.json", json.dumps(said, indent=1).encode())
    say(f"the book took {time.monotonic() - start:.1f} s")
    return root / "_build" / "html" / "index.html"


def _forget_removed(root: Path) -> None:
    """Drop the run copies of notebooks that are no longer in the book."""
    names = {p.stem for p in notebooks(root)}
    for path in (root / "_build" / "executed").glob("*"):
        if path.name.partition(".")[0] not in names:
            path.unlink()


# ------------------------------------------------------------------------- the command line


def say(text: str) -> None:
    """Tell the person who builds."""
    print(text, flush=True)


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
