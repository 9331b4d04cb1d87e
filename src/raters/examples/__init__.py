"""A small study to try things on, written for this project.

Thirty replies of a help desk, rated for how clear and how warm they are by three people
(``ratings.csv``) and one judge (``judge.jsonl``), with one deliberate fault of each common
kind. ``crowd.csv`` holds a small crowd: six people, four of them for each reply.
``raters.toml`` declares what each of them means. The ratings were made by a random
generator: nobody's data.
"""

from __future__ import annotations

from pathlib import Path

from raters.errors import RatingsError

FOLDER = Path(__file__).parent
FILES = ("ratings.csv", "judge.jsonl", "crowd.csv", "raters.toml")


def copy_to(folder) -> list[Path]:
    """Copy the example study.

    Parameters
    ----------
    folder : str or Path
        A folder that is not there yet, or an empty one.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    RatingsError
        Something is there already, or the folder cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> [path.name for path in copy_to(tempfile.mkdtemp() + "/study")]
    ['ratings.csv', 'judge.jsonl', 'crowd.csv', 'raters.toml']
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RatingsError(
            f"{folder}, which is there already", "a new or an empty folder", "name another one"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copies = [folder / name for name in FILES]
        for name, copy in zip(FILES, copies):
            copy.write_bytes((FOLDER / name).read_bytes())
    except OSError as error:
        raise RatingsError(
            f"{folder}, which cannot be written to ({error.strerror})",
            "a folder that can be made",
            "name another place",
        ) from error
    return copies
