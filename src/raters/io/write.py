"""Tables as files: whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import pandas as pd

from raters.errors import RatingsError, install
from raters.io.atomic import part_beside

NOTE = "provenance.json"  # in a folder of ours: what was written there, and from what
_BLOCK = 1 << 20


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write the frame as CSV: UTF-8, a comma, line breaks as on Unix, the same bytes each time."""
    frame.to_csv(
        path, index=False, lineterminator="\n", encoding="utf-8", errors="backslashreplace"
    )


def write_table(frame: pd.DataFrame, path, replace: bool = False, inputs: Iterable = ()) -> Path:
    """Write a CSV or Parquet file, by the ending of its name.

    `replace` says whether a file that is there may be replaced; one of the `inputs` never is.

    An error names another ending, a file that is there, or a folder that is not.
    """
    path = Path(path)
    refuse_inputs(path, inputs)
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise RatingsError(f"{path}", "a name that ends in .csv or .parquet", "name another file")
    if path.is_dir() or (path.exists() and not replace):
        raise RatingsError(
            f"{path}, which is there already",
            "a new file",
            "name another one" if path.is_dir() else "name another one, or add --force",
        )
    if not path.parent.is_dir():
        raise RatingsError(f"{path.parent}, which is no folder", "a folder", "make it first")
    part = part_beside(path)
    try:
        if path.suffix.lower() == ".csv":
            write_csv(whole_numbers(frame), part)
        else:
            _write_parquet(frame, part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path


def refuse_inputs(path: Path, inputs: Iterable) -> None:
    """An error where a file to be written is one of those that are read."""
    if path.exists() and any(Path(one).exists() and path.samefile(one) for one in inputs):
        raise RatingsError(
            f"{path}, which is one of the files that are read",
            "a file of its own: what is read is never replaced",
            "name another file",
        )


def not_ours(folder: Path, made_by: str, listed: str = "files") -> list[str]:
    """What a folder holds that `made_by` did not write there, or that was changed since.

    The folder's note has, under `listed`, the sha256 of what was written.
    """
    there = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir())
    try:
        note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        wrote = dict(note[listed]) if note.get("made_by") == made_by else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        wrote = {}
    known = [NOTE] if wrote else []
    strange = [name for name in there if name not in wrote and name not in known]
    return strange + [n for n in there if n in wrote and sha256_of(folder / n) != wrote[n]]


def sha256_of(path: Path) -> str:
    """The sha256 of a file, in hexadecimal digits."""
    digest = sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def whole_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with 3 instead of 3.0 where a column of ratings holds whole numbers only."""
    if "rating" not in frame or frame["rating"].dtype != float:
        return frame
    known = frame["rating"].dropna()
    if not (known == known.round()).all() or (known.abs() > 2**53).any():
        return frame
    return frame.assign(rating=frame["rating"].astype("Int64"))


def _write_parquet(frame, path):
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise RatingsError(
            "a Parquet file without the package pyarrow",
            "a CSV file, or the extra parquet",
            f"name a file that ends in .csv, or {install('parquet')}",
        ) from error
    frame.to_parquet(path, index=False)
