"""Modules under the names that they had before the package was put in order.

Each still works for one release and says once, in a warning, where it is now.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# The name then -> where what it held is now.
MOVED = {
    "raters.benchmark": ("raters.judges",),
    "raters.charts": ("raters.show.charts",),
    "raters.charts_judge": ("raters.show.charts_judge",),
    "raters.coefficients.many": (
        "raters.coefficients.alpha",
        "raters.coefficients.chance",
        "raters.coefficients.concordance",
        "raters.coefficients.icc",
    ),
    "raters.coefficients.pair": (
        "raters.coefficients.kappa",
        "raters.coefficients.ranks",
        "raters.coefficients.f1",
        "raters.coefficients.pairs",
    ),
    "raters.config": ("raters.io.config",),
    "raters.coverage": ("raters.simulation",),
    "raters.display": ("raters.show.tables",),
    "raters.inspection": ("raters.io.inspect",),
    "raters.judge_answers": ("raters.io.answers",),
    "raters.narrow": ("raters.show.phone",),
    "raters.resampling": ("raters.draws", "raters.intervals"),
    "raters.study": ("judging_empathy",),
    "raters.tidy": ("raters.results",),
}


class Finder(Loader):
    """Finds a module under its old name: the last of the finders that Python asks."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module of an old name, or None for any other."""
        return ModuleSpec(name, Finder()) if name in MOVED else None

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """An ordinary module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Say where it is now, once, and take every name from there."""
        homes = MOVED[module.__name__]
        new = " and ".join(homes)
        warnings.warn(
            f"{module.__name__} is now {new}; the old name goes with the next release",
            FutureWarning,
            stacklevel=2,
        )
        module.__doc__ = f"Moved to {new}."

        def get(name: str) -> Any:
            if name == "__all__":
                return names()
            # A path, say, would make a package of it, and its modules would be loaded twice.
            if not name.startswith("__"):
                for home in map(import_module, homes):
                    if hasattr(home, name):
                        return getattr(home, name)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        def names() -> list[str]:
            found = [getattr(home, "__all__", dir(home)) for home in map(import_module, homes)]
            return sorted({name for some in found for name in some if name[0] != "_"})

        vars(module).update(__getattr__=get, __dir__=names)


def serve() -> None:
    """Let Python find the old names."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
