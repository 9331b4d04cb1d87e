"""Agreement between raters, with intervals, and LLM judges against an expert benchmark."""

from raters.agreement import agreement, compare, pairwise
from raters.errors import RatingsError
from raters.frames import check_ratings, counted, from_wide, round_ratings, with_reference
from raters.scale import Scale

__all__ = [
    "RatingsError",
    "Scale",
    "agreement",
    "check_ratings",
    "compare",
    "counted",
    "from_wide",
    "pairwise",
    "round_ratings",
    "with_reference",
]
