"""Copies of the chapters for students: the exercises stay, their solutions go.

    python -m book.student --out _build/student

An exercise is a text, a cell tagged `exercise` in which the reader answers, and one or
more cells tagged `solution`. A copy lacks the last. A second call rewrites only what the
chapters' changes ask for; a copy that a student has changed is left alone, see `--force`.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from hashlib import sha256
from pathlib import Path

import nbformat

from book import judge_data
from judging_empathy.data.metadata import dimensions, frameworks
from raters.errors import RatingsError

ROOT = Path(__file__).resolve().parents[1]
EXERCISE, SOLUTION = "exercise", "solution"
# The checksum of each copy as it was written: how a student's change is noticed.
WRITTEN = ".written.json"
CLASS = "class-exercise"
COLUMNS = ["framework", "dimension", "item", "rater", "group", "rating"]


def tagged(cell, tag: str) -> bool:
    """Whether a cell has a tag."""
    return tag in cell.metadata.get("tags", [])


def without_solutions(notebook):
    """The student's copy of a chapter.

    Parameters
    ----------
    notebook : NotebookNode
        The chapter.

    Returns
    -------
    NotebookNode
        A new notebook without the cells tagged `solution`, and without outputs.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> answer = new_code_cell("# your answer", metadata={"tags": [EXERCISE]})
    >>> secret = new_code_cell("assert 1 + 1 == 2", metadata={"tags": [SOLUTION]})
    >>> [cell.source for cell in without_solutions(new_notebook(cells=[answer, secret])).cells]
    ['# your answer']
    """
    copy = nbformat.from_dict(json.loads(json.dumps(notebook)))
    copy.cells = [cell for cell in copy.cells if not tagged(cell, SOLUTION)]
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return copy


# ------------------------------------------------------------------------ rating in class


def handout() -> str:
    """The conversations written for this project, to print and to rate without a network.

    Returns
    -------
    str
        Markdown: how to rate, what is asked, the conversations.
    """
    asked = dimensions().query("framework == @judge_data.FRAMEWORK")
    scale = frameworks().set_index("framework").loc[judge_data.FRAMEWORK, "anchors"]
    parts = [
        "# Rate how the supporter answers",
        "People here talk about trouble at work, and some of them sound hopeless. If that is close "
        "to you, leave it out, or talk to somebody: findahelpline.com lists free lines by country.",
        f"Rate the *supporter*, over the whole conversation: {scale}. Rate alone. Don't go back. "
        "There is no right answer. Write your ratings into `ratings-form.csv`.",
        "\n".join(f"- **{d.title}.** {d.question} {d.definition}" for d in asked.itertuples()),
    ]
    for story in judge_data.read_stories(judge_data.STORIES):
        turns = "\n\n".join(f"**{who}:** {text}" for who, text in story["turns"])
        parts.append(f"## {story['item']}\n\n{turns}")
    parts.append("Conversations: written for this project, CC BY 4.0.")
    return "\n\n".join(parts) + "\n"


def form() -> str:
    """The table that each student fills in: a row for each dimension and conversation.

    Returns
    -------
    str
        CSV in the columns of the page "Be the judge"; rater and rating are empty.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for dimension in dimensions().query("framework == @judge_data.FRAMEWORK")["dimension"]:
        for story in judge_data.read_stories(judge_data.STORIES):
            table.writerow([judge_data.WRITTEN, dimension, story["item"], "", "reader", ""])
    return text.getvalue()


# --------------------------------------------------------------------------- writing copies


def copies(root: Path) -> dict[str, bytes]:
    """Everything that students get: name of the file to its content.

    Parameters
    ----------
    root : Path
        The project's folder.

    Returns
    -------
    dict
    """
    chapters = sorted(p for p in (root / "notebooks").glob("*.ipynb") if p.name[0] != "_")
    if not chapters:
        raise RatingsError(
            f"no chapter in {root / 'notebooks'}",
            "notebooks/NN_name.ipynb",
            "call this script from a copy of the repository, or give --root",
        )
    files = {}
    for path in chapters:
        copy = without_solutions(nbformat.read(path, as_version=4))
        nbformat.validate(copy)
        files[path.name] = (nbformat.writes(copy) + "\n").encode()
    files[f"{CLASS}/handout.md"] = handout().encode()
    files[f"{CLASS}/ratings-form.csv"] = form().encode()
    return files


def write(files: dict[str, bytes], out: Path, force: bool = False) -> dict[str, int]:
    """Write the copies; all of them, or none if a student's work would be lost.

    Parameters
    ----------
    files : dict
        From `copies`.
    out : Path
        The folder they go to.
    force : bool
        Overwrite changed copies, too.

    Returns
    -------
    dict
        How many files were ``written`` and how many ``kept`` as they were.

    Raises
    ------
    RatingsError
        A file in the folder is not as this script wrote it.
    """
    note = out / WRITTEN
    before = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else {}
    there = {name: (out / name).read_bytes() for name in files if (out / name).is_file()}
    stale = {name for name in files if there.get(name) != files[name]}
    changed = sorted(n for n in stale & set(there) if _sha(there[n]) != before.get(n))
    if changed and not force:
        raise RatingsError(
            f"files in {out} that somebody has changed: {', '.join(changed)}",
            "a folder without them, or with the copies as they were written",
            "move them, give another folder (OUT=), or overwrite them with --force (FORCE=1)",
        )
    for name in sorted(stale):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(files[name])
    marks = {name: _sha(data) for name, data in files.items()}
    out.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps(marks, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return {"written": len(stale), "kept": len(files) - len(stale)}


def _sha(data: bytes) -> str:
    return sha256(data).hexdigest()


def main(arguments=None) -> int:
    """Run from the command line.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the command line.

    Returns
    -------
    int
        0, or 1 where nothing was written.
    """
    parser = argparse.ArgumentParser(description="Write the chapters without their solutions.")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "student")
    parser.add_argument("--force", action="store_true", help="overwrite changed copies, too")
    parser.add_argument("--root", type=Path, default=ROOT, help="another folder laid out as this")
    asked = parser.parse_args(arguments)
    try:
        done = write(copies(asked.root), asked.out, asked.force)
    except RatingsError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{asked.out}: {done['written']} files written, {done['kept']} up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
