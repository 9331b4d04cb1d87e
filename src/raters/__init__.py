"""Agreement between raters, with intervals, and LLM judges against an expert benchmark."""

import sys

# `python -m raters` looks for modules in the working folder first: a `typing.py` that lies beside
# somebody's ratings would be run. No command needs a module from there.
if sys.argv[:1] == ["-m"] and "raters" in sys.orig_argv and not sys.flags.safe_path:
    del sys.path[0]

from importlib import import_module
from typing import TYPE_CHECKING, Any

from raters import moved

if TYPE_CHECKING:
    from raters.errors import RatingsError as RatingsError
    from raters.frames import check_ratings as check_ratings
    from raters.frames import from_wide as from_wide
    from raters.frames import round_ratings as round_ratings
    from raters.frames import with_reference as with_reference
    from raters.io.config import Config as Config
    from raters.io.config import ScaleRules as ScaleRules
    from raters.io.config import Source as Source
    from raters.io.inspect import inspect as inspect
    from raters.io.read import Reading as Reading
    from raters.io.read import read as read
    from raters.measures import agreement as agreement
    from raters.measures import compare as compare
    from raters.measures import pairwise as pairwise
    from raters.patterns import counted as counted
    from raters.scale import Scale as Scale

# A name is loaded when it is first asked for: `import raters` alone takes no time.
_HOMES = {
    "Config": "io.config",
    "RatingsError": "errors",
    "Reading": "io.read",
    "Scale": "scale",
    "ScaleRules": "io.config",
    "Source": "io.config",
    "agreement": "measures",
    "check_ratings": "frames",
    "compare": "measures",
    "counted": "patterns",
    "from_wide": "frames",
    "inspect": "io.inspect",
    "pairwise": "measures",
    "read": "io.read",
    "round_ratings": "frames",
    "with_reference": "frames",
}

__all__ = sorted(_HOMES)
__version__ = "0.1.0"

moved.serve()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'raters' has no attribute {name!r}")
    value = getattr(import_module(f"raters.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
