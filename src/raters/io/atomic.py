"""Files and folders that are there whole or not at all, also after a run that was killed."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

# What only we write: leftovers of these names may be removed.
_PART, _OLD = ".raters-part", ".raters-old"


def part_beside(path: Path) -> Path:
    """Where to write what is to become `path`: beside it, hidden, with the number of this run.

    Nothing is there. What runs that were killed (and so could not clear up) left there of the same
    file or folder is removed, and if one was killed between putting the old one aside and the new
    one in its place, the old one is put back.
    """
    here = path.absolute()
    # Parts, then old ones.
    left = sorted(_left_over(here), key=lambda one: one.suffix, reverse=True)
    for one in left:
        if one.suffix == _OLD and not (here.exists() or here.is_symlink()):
            os.replace(one, here)
        elif one.is_dir() and not one.is_symlink():
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)
    return here.with_name(f".{here.name}.{os.getpid()}{_PART}")


def put(part: Path, path: Path) -> None:
    """Put a folder in its place; what was there goes away only then."""
    here = path.absolute()
    if not here.exists():
        os.replace(part, here)
        return
    old = part.with_suffix(_OLD)
    os.replace(here, old)
    try:
        os.replace(part, here)
    except BaseException:
        os.replace(old, here)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _left_over(here):
    """What runs that are no more left beside a file or folder."""
    name = re.compile(rf"\.{re.escape(here.name)}\.(\d+)(?:{_PART}|{_OLD})")
    try:
        beside = list(here.parent.iterdir())
    except OSError:  # the writing itself says what is wrong with the folder
        return
    for one in beside:
        match = name.fullmatch(one.name)
        if match and not _runs(int(match[1])):
            yield one


def _runs(number):
    """Whether a process with this number runs, other than this one; if in doubt, it does."""
    if number == os.getpid():
        return False  # in a container, each run may have the same number
    if os.name != "posix":
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
