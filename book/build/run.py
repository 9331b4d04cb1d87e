"""Run the notebooks whose inputs changed, side by side, into ``_build/executed``."""

from __future__ import annotations

import ast
import json
import os
import platform
import shutil
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import nbformat

from book.build import kernels
from book.build.shared import (
    ANSI,
    ENVIRONMENT,
    BuildError,
    digest,
    notebooks,
    say,
    sha,
    tree,
    write,
)

HERE = Path(__file__).parent
OWN = (
    "imports.py",
    "kernels.py",
    "run.py",
    "shared.py",
)  # what of this package an executed notebook depends on


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


def keys(root: Path, parameters: dict) -> dict[str, str]:
    """What each notebook's result depends on, as one checksum a notebook.

    In it: the notebook, every file of ``src`` and ``data``, the lock of the packages,
    Python's version, the scripts that run them and the parameters. Downloaded files are in
    it by ``data/registry.txt``, against which they are checked when they are read.

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
    common = _common(root, parameters)
    return {p.stem: sha(common.encode() + p.read_bytes()) for p in notebooks(root)}


def _common(root: Path, parameters: dict) -> str:
    """What the results of all notebooks depend on, as text."""
    shared = [*tree(root / "src"), *tree(root / "data"), root / "requirements.txt"]
    return json.dumps(
        [
            digest(root, [p for p in shared if p.is_file()]),
            digest(HERE, [HERE / name for name in OWN]),
            platform.python_version(),
            parameters,
        ],
        sort_keys=True,
    )


def shared_tables(root: Path, parameters: dict) -> Path:
    """The folder in which chapters keep the study's tables for one another.

    It holds what belongs to this state of code, data and parameters, and nothing else.
    """
    tables = root / "_build" / "tables"
    folder = tables / sha(_common(root, parameters).encode())[:16]
    for other in set(tables.glob("*")) - {folder}:
        shutil.rmtree(other)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def is_fresh(root: Path, name: str, key: str) -> bool:
    """Whether the run copy of a notebook is there, whole, and made from the same inputs."""
    note, copy = (root / "_build" / "executed" / f"{name}.{end}" for end in ("json", "ipynb"))
    if not (note.is_file() and copy.is_file()):
        return False
    said = json.loads(note.read_text(encoding="utf-8"))
    return said["key"] == key and said["sha256"] == sha(copy.read_bytes())


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


def defaults(cell) -> dict:
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
    missing = sorted(set(parameters) - set(defaults(cell)))
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
            **kernels.manager(),
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
        return ANSI.sub("", "\n".join(traceback))
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
    return f"{name} failed in {place}:\n\n{code}\n\n{ANSI.sub('', error).strip()}"


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
    cell.source = _with_values(cell.source, defaults(cell), parameters)
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
    modules = {m for name in names for m in kernels.imported(nbformat.read(paths[name], 4))}
    environment = {**os.environ, "JUDGING_EMPATHY_TABLES": str(shared_tables(root, parameters))}
    with ProcessPoolExecutor(
        max(1, min(jobs, len(names))),
        mp_context=kernels.processes(modules),
        initializer=kernels.adopt,
        initargs=(environment,),
    ) as pool:
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
                note_run(executed, run, wanted[run.name], parameters)
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


def note_run(executed: Path, run: Run, key: str, parameters: dict) -> None:
    """Write beside a run copy what it was made from."""
    copy = executed / f"{run.name}.ipynb"
    said = {"key": key, "sha256": sha(copy.read_bytes()), "seconds": run.seconds, **parameters}
    write(executed / f"{run.name}.json", json.dumps(said, indent=1).encode())
