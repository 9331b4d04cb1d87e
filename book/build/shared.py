"""What the steps of the build share: the project's folder, its files, what is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from raters.errors import RatingsError

ROOT = Path(__file__).resolve().parents[2]
SIMULATED = "Simulated ratings: these numbers are not the paper's."
# For the notebooks' kernels: a fixed hash seed and one thread for linear algebra keep the
# numbers the same on every run; the notebooks already run side by side.
ENVIRONMENT = {
    "BOOK_BUILD": "1",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
_SKIPPED = {"__pycache__", ".ipynb_checkpoints", "raw"}
ANSI = re.compile(r"\x1b\[[0-9;]*m")  # the colours of a terminal


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


def say(text: str) -> None:
    """Tell the person who builds."""
    print(text, flush=True)


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


# ---------------------------------------------------------------------------------- files


def sha(data: bytes) -> str:
    """The checksum of some bytes."""
    return sha256(data).hexdigest()


def tree(folder: Path):
    """The files below a folder that belong to the project, in a fixed order."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(p in _SKIPPED or p.startswith(".") or p.endswith(".egg-info") for p in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path


def digest(root: Path, paths) -> str:
    """One checksum over names and contents."""
    lines = [f"{p.relative_to(root).as_posix()} {sha(p.read_bytes())}" for p in paths]
    return sha("\n".join(lines).encode())


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
            write(path, data)


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)
