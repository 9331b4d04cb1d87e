"""The tidy frame of results: one row a result, and readable where it is shown."""

from __future__ import annotations

import pandas as pd

from raters.show.tables import Table, interval, number

RESULT = [
    "framework",
    "dimension",
    "rater_a",
    "rater_b",
    "group",
    "statistic",
    "estimate",
    "low",
    "high",
    "n_items",
    "n_ratings",
    "note",
]
_LABELS = RESULT[:6]
_MOST_ROWS = 60


class Results(pd.DataFrame):
    """A frame of results that prints for reading; everything else is pandas.

    What is the same in every row stands in the caption, the interval in one cell, and
    numbers are rounded. The numbers in the frame itself are as they are, and whatever is
    computed from it without these columns prints as pandas does.

    Examples
    --------
    >>> rows = [["all", "warmth", "a", b, "all", "cohen_kappa", k, k - 0.2, k + 0.2, 20, 40, ""]
    ...         for b, k in (("b", 0.5123), ("c", 0.25))]
    >>> Results(rows, columns=RESULT)
    warmth, a, cohen_kappa, n_items 20, n_ratings 40
    rater_b estimate     interval
          b     0.51 0.31 to 0.71
          c     0.25 0.05 to 0.45
    """

    @property
    def _constructor(self):
        return Results

    def readable(self) -> Table:
        """The results as a table to read.

        Returns
        -------
        Table
            Shows itself as HTML in a notebook and as text in a terminal.
        """
        # A single result keeps its labels in the table: there is nothing to leave out.
        same = [c for c in [*_LABELS, "n_items", "n_ratings"] if len(self) > 1 and self._one(c)]
        labels = [c for c in _LABELS if c not in same and not self[c].eq("").all()]
        shown = pd.DataFrame({c: self[c].astype(str) for c in labels or ["dimension"]})
        shown["estimate"] = self["estimate"].map(number)
        if self[["low", "high"]].notna().any(axis=None):
            ends = zip(self["low"], self["high"])
            shown[self._interval_heading()] = [interval(low, high) for low, high in ends]
        for column in ("p", "p_adjusted"):
            if column in self:
                shown[column] = [_p(value) for value in self[column]]
        for column in ("n_items", "n_ratings"):
            if column not in same:
                shown[column] = self[column]
        if self["note"].ne("").any():
            shown["note"] = self["note"]
        said = [self[c].iloc[0] for c in same if c in _LABELS]
        said = [text for text in said if text not in ("", "all")]  # "all": nothing was named
        said += [f"{c} {self[c].iloc[0]}" for c in same if c not in _LABELS]
        if len(shown) > _MOST_ROWS:
            said.append(f"the first {_MOST_ROWS} of {len(shown)} rows")
        return Table(shown.head(_MOST_ROWS), ", ".join(said) or "Results", 2)

    def _one(self, column):
        return self[column].nunique() == 1

    def _interval_heading(self):
        level = self.attrs.get("level")
        return f"{100 * level:g} % interval" if level else "interval"

    def _is_whole(self):
        return set(RESULT) <= set(self.columns) and len(self) > 0

    def __repr__(self):
        return repr(self.readable()) if self._is_whole() else super().__repr__()

    def _repr_html_(self):
        return self.readable()._repr_html_() if self._is_whole() else super()._repr_html_()


def _p(value):
    if pd.isna(value):
        return number(value)
    return "< 0.001" if value < 0.001 else number(value, 3)
