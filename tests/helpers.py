"""What many tests are built from: a scale, long frames, and the parts of an error."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import settings

from raters.errors import RatingsError
from raters.scale import Scale

FIVE = Scale([1, 2, 3, 4, 5])


def examples(number):
    """How many examples hypothesis makes up for a test: an eighth of them in `make quick`."""
    quick = settings.get_current_profile_name() == "quick"
    return settings(max_examples=max(3, number // 8) if quick else number)


def refused(call, *parts):
    """The error of a call: it has three parts, and names each of the given words."""
    with pytest.raises(RatingsError) as caught:
        call()
    error = caught.value
    assert all((error.given, error.allowed, error.todo))
    for part in parts:
        assert part in str(error)
    return error


def long_frame(ratings, groups=None, items=None, **columns):
    """A long frame from rater -> ratings, item by item.

    `groups` is one group for all raters or a dictionary from rater to group; without it
    the frame has no such column. More columns are given by name, one value for all rows.
    """
    parts = []
    for rater, values in ratings.items():
        names = [f"i{n:03d}" for n in range(len(values))] if items is None else items
        part = pd.DataFrame({"item": names, "rater": rater, "rating": pd.Series(values)})
        if groups is not None:
            part["group"] = groups if isinstance(groups, str) else groups[rater]
        parts.append(part.assign(**columns))
    return pd.concat(parts, ignore_index=True)


def judged(ratings, groups=None):
    """A long frame in which raters whose name starts with e are experts, all others models."""
    known = {rater: "expert" if rater.startswith("e") else "llm" for rater in ratings}
    return long_frame(ratings, {**known, **(groups or {})})
