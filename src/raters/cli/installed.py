"""What installed packages declare, found without the eighty milliseconds of importlib.metadata."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any


def entry_points(group: str) -> dict[str, str]:
    """The entry points of a group, by name.

    Name to ``"module:attribute"``; the first on `sys.path` where two have one name. A `group` is
    such as ``"raters.commands"``.

    >>> entry_points("console_scripts")["raters"]
    'raters.cli:main'
    """
    found: dict[str, str] = {}
    for text in _declared():
        section = ""
        for line in map(str.strip, text.splitlines()):
            if line.startswith("["):
                section = line.strip("[]")
            elif section == group and "=" in line:
                name, _, place = line.partition("=")
                found.setdefault(name.strip(), place.strip())
    return found


def load(place: str) -> Any:
    """What an entry point names.

    The `place` is written ``"module:attribute"``.

    An `ImportError` or `AttributeError` says that it is not there.

    >>> load("raters.cli:main").__name__
    'main'
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _declared() -> Iterator[str]:
    """The files entry_points.txt of the installed packages, in the order of sys.path."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:  # an archive, or a folder that is gone
            continue
        for name in names:
            if name.endswith(".dist-info"):
                try:
                    path = os.path.join(folder, name, "entry_points.txt")
                    with open(path, encoding="utf-8") as file:
                        yield file.read()
                except OSError:  # most packages declare none
                    continue
