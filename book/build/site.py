"""Let Jupyter Book make the pages from the copy: ``_build/html``."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from book.build.shared import ANSI, ENVIRONMENT, BuildError, Options, digest, sha, tree, write

HERE = Path(__file__).parent
RUN_TIMES = "run-times.js"


def site_key(root: Path) -> str:
    """A checksum of everything that the pages are made from."""
    stage = root / "_build" / "stage"
    lock = root / "requirements.txt"
    return sha(
        "\n".join(
            [
                digest(stage, sorted(p for p in stage.rglob("*") if p.is_file())),
                digest(root, list(tree(root / "src"))),  # the API page: docstrings
                digest(HERE, list(tree(HERE))),
                sha(lock.read_bytes()) if lock.is_file() else "",
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
    # -P: what lies in the folder that make was called from is not on the path
    command = [
        sys.executable,
        "-P",
        "-c",
        "from jupyter_book.cli.main import main; main()",
        "build",
    ]
    command += [str(build / "stage"), "--path-output", str(build / "site")]
    command += ["-W", "-n", "--keep-going"]
    environment = {**os.environ, **ENVIRONMENT, "NO_COLOR": "1", "PYTHONUTF8": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # the copy holds what was laid out, no more
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False
    )
    log = ANSI.sub("", done.stdout.decode("utf-8", errors="replace"))
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


def write_run_times(root: Path) -> None:
    """Put beside the pages how long each notebook took: what two builds do not share."""
    notes = sorted((root / "_build" / "executed").glob("*.json"))
    times = {f"{p.stem}.ipynb": json.loads(p.read_text("utf-8"))["seconds"] for p in notes}
    text = f"globalThis.runTimes = {json.dumps(times, indent=1)};\n"
    write(root / "_build" / "html" / "_static" / RUN_TIMES, text.encode())
