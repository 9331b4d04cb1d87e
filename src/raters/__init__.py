"""Agreement between raters, with intervals, and LLM judges against an expert benchmark."""

from raters.errors import RatingsError
from raters.frames import check_ratings, from_wide, round_ratings, with_reference
from raters.measures import agreement, compare, pairwise
from raters.patterns import counted
from raters.scale import Scale

# Reading files is loaded when it is first asked for: who has a frame already needs none of it.
_LATER = {
    "Config": "io.config",
    "Reading": "io.read",
    "ScaleRules": "io.config",
    "Source": "io.config",
    "inspect": "io.inspect",
    "read": "io.read",
}

__all__ = [
    "Config",
    "RatingsError",
    "Reading",
    "Scale",
    "ScaleRules",
    "Source",
    "agreement",
    "check_ratings",
    "compare",
    "counted",
    "from_wide",
    "inspect",
    "pairwise",
    "read",
    "round_ratings",
    "with_reference",
]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'raters' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"raters.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_LATER})
