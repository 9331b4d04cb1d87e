"""Run a notebook with papermill: `python -m raters.report.execute FOLDER`.

A process of its own, so that the kernel's remarks and what is left over by an interruption
do not land on the user's screen, and so that it can be ended with its kernel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

TEMPLATE, MADE, GIVEN, WRONG = "template.ipynb", "report.ipynb", "parameters.json", "error.json"
_PATIENCE = 10  # seconds that a process gets to end its kernel


def execute(folder: Path, parameters: dict) -> None:
    """Run the template in a folder with these parameters.

    Parameters
    ----------
    folder : Path
        Holds the template; the executed notebook is written beside it.
    parameters : dict
        Texts, numbers and lists: they arrive as they are.

    Raises
    ------
    NotebookError
        A cell failed.
    """
    (folder / GIVEN).write_text(json.dumps(parameters), encoding="utf-8")
    child = subprocess.Popen(
        [sys.executable, "-m", "raters.report.execute", str(folder)],
        # Nothing is written to it: it ends when this process does, whatever ended it.
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        # A Ctrl-C reaches the parent only, which ends this process in its own way.
        start_new_session=True,
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    try:
        said = child.stderr.read()
        child.wait()
    except BaseException:
        _end(child)
        raise
    finally:
        child.stdin.close()
    child.stderr.close()
    wrong = folder / WRONG
    if wrong.is_file():
        error = json.loads(wrong.read_text(encoding="utf-8"))
        raise NotebookError(error["name"], error["value"])
    if child.returncode:
        lines = said.decode("utf-8", "replace").strip().splitlines()
        raise NotebookError("the notebook did not run", lines[-1] if lines else "no message")
    for name in (TEMPLATE, GIVEN):
        (folder / name).unlink()


class NotebookError(Exception):
    """A cell that failed.

    Parameters
    ----------
    name, value : str
        Of the error.
    """

    def __init__(self, name: str, value: str):
        self.name, self.value = name, value
        super().__init__(f"{name}: {value}")


def _end(child):
    """End the process; a kernel whose parent is gone ends itself."""
    for stop in (child.terminate, child.kill):
        stop()
        try:
            child.wait(_PATIENCE)
            break
        except subprocess.TimeoutExpired:
            continue
    child.stderr.close()


def _end_with_parent():
    """End when the process that started this one is gone, even if it was killed."""
    # Not through sys.stdin: Python's end would wait for the lock of its buffer.
    while os.read(0, 1):
        pass
    # A kernel whose parent is gone ends itself.
    os._exit(1)


def main(folder: str) -> int:
    """Run the template of a folder; what goes wrong in a cell is written into a file.

    Parameters
    ----------
    folder : str

    Returns
    -------
    int
        0, or 1 where a cell failed.
    """
    import papermill

    place = Path(folder)
    parameters = json.loads((place / GIVEN).read_text(encoding="utf-8"))
    try:
        papermill.execute_notebook(
            str(place / TEMPLATE),
            str(place / MADE),
            parameters=parameters,
            cwd=folder,
            kernel_name="python3",
            progress_bar=False,
        )
    except papermill.PapermillExecutionError as error:
        text = json.dumps({"name": error.ename, "value": str(error.evalue)})
        (place / WRONG).write_text(text, encoding="utf-8")
        return 1
    return 0


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.exit(main(sys.argv[1]))
