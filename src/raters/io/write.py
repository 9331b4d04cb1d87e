"""Tables as files: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from raters.errors import RatingsError, install
from raters.io.atomic import part_beside


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write the frame as CSV: UTF-8, a comma, line breaks as on Unix, the same bytes each time."""
    frame.to_csv(
        path, index=False, lineterminator="\n", encoding="utf-8", errors="backslashreplace"
    )


def write_table(frame: pd.DataFrame, path, replace: bool = False) -> Path:
    """Write a CSV or Parquet file, by the ending of its name.

    `replace` says whether a file that is there may be replaced.

    An error names another ending, a file that is there, or a folder that is not.
    """
    path = Path(path)
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
