"""What the commands and the report compute from ratings as read: the public functions, with
statistics that fit each dimension's scale, and sizes that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from raters.coefficients import NEEDS_ORDER, NEEDS_RATERS
from raters.errors import RatingsError
from raters.judges.ceiling import benchmark
from raters.judges.reference import reference_raters
from raters.label_sets import SEPARATOR
from raters.measures import MEAN, agreement, pairwise
from raters.scale import Scale, scale_for

# The first one is the main one: shown in charts, used for planning.
WITHIN = {
    True: ("krippendorff_alpha_interval", "krippendorff_alpha_ordinal", "gwet_ac2",
           "mean_percent_agreement"),
    False: ("krippendorff_alpha_nominal", "gwet_ac1", "mean_percent_agreement"),
}  # fmt: skip
PAIRS = {
    True: ("weighted_kappa_quadratic", "percent_agreement"),
    False: ("cohen_kappa", "percent_agreement"),
}
RESAMPLES, OF_JUDGES = 2000, 10_000
_CELLS = 25_000_000  # of draws (200 MB) that a default may ask for
_DRAWN = 50_000_000  # items times draws, of agreement within groups, that take seconds
_MOST_CELLS = 120_000_000  # of draws (1 GB) that anybody may ask for
_FEWEST = 200  # resamples; fewer say nothing about an interval
_CROWD = 50  # raters of a group above which columns are places, not people
_MATRIX = 150_000_000  # cells of items by raters (1.2 GB)
PLACE = "rating no. "
WHOLE_SETS = (
    "sets of labels count as equal only if they are identical: "
    'raters.label_sets.set_alpha("jaccard") gives part credit'
)


@dataclass(frozen=True)
class Kind:
    """The dimensions with an order, or those without one.

    Parameters
    ----------
    ratings : DataFrame
    scale : Scale or dict
    ordered : bool
    """

    ratings: pd.DataFrame
    scale: Scale | dict
    ordered: bool


def kinds(ratings: pd.DataFrame, scale) -> list[Kind]:
    """Ratings split by whether the scale has an order: their statistics differ.

    Parameters
    ----------
    ratings : DataFrame
        A long frame with the column ``dimension``.
    scale : Scale or dict

    Returns
    -------
    list of Kind
        One or two, ordered dimensions first.

    Examples
    --------
    >>> frame = pd.DataFrame({"dimension": ["a", "b"], "item": "x", "rater": "r", "rating": 1})
    >>> scales = {"a": Scale([1, 2]), "b": Scale([1, 2], measurement="nominal")}
    >>> [(kind.ordered, len(kind.ratings)) for kind in kinds(frame, scales)]
    [(True, 1), (False, 1)]
    """
    names = list(pd.unique(ratings["dimension"]))
    ordered = {n: scale_for(scale, "all", n).measurement != "nominal" for n in names}
    if len(set(ordered.values())) == 1:
        return [Kind(ratings, scale, next(iter(ordered.values())))]
    has_order = ratings["dimension"].map(ordered).astype(bool)
    return [Kind(ratings[has_order == yes], scale, yes) for yes in (True, False)]


def groups_with_two(ratings: pd.DataFrame) -> dict[str, list[str]]:
    """The groups that have two raters or more with a rating, and who they are.

    Parameters
    ----------
    ratings : DataFrame

    Returns
    -------
    dict of str to list of str
    """
    rated = ratings[ratings["rating"].notna()]
    who = rated[["group", "rater"]].drop_duplicates()
    members = {str(g): sorted(rows) for g, rows in who.groupby("group", sort=False)["rater"]}
    return {name: raters for name, raters in members.items() if len(raters) > 1}


def within_groups(
    ratings: pd.DataFrame,
    scale,
    statistics: Sequence[str] = (),
    resamples: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    mean: bool = True,
) -> pd.DataFrame:
    """`raters.measures` of each group, with statistics that fit the scale.

    Parameters
    ----------
    ratings : DataFrame
    scale : Scale or dict
    statistics : sequence of str
        Default: `WITHIN`.
    resamples : int, optional
        Default: 2000, or fewer for very many items that differ in their ratings.
    seed, level, interval, mean
        As in `raters.measures`.

    Returns
    -------
    DataFrame
        As `raters.measures`.

    Raises
    ------
    RatingsError
        From `raters.measures`; no group has two raters; too many raters for a
        coefficient that asks who gave a rating.

    Notes
    -----
    In a group of more than 50 raters the columns are places: an item's first rating, its
    second, and so on. For coefficients that do not ask who gave a rating that is the same,
    and a crowd of thousands fits in memory.
    """
    rows = []
    for kind in kinds(ratings, scale):
        groups = groups_with_two(kind.ratings)
        chosen = list(statistics) or WITHIN[kind.ordered]
        frame, groups = _in_places(kind.ratings, groups, chosen)
        if groups:
            mean_too = mean and frame["dimension"].nunique() > 1 and interval != "analytic"
            draws = _draws_within(frame, kind.scale, groups, mean_too, resamples)
            options = {"resamples": draws, "seed": seed, "level": level, "interval": interval}
            part = agreement(frame, kind.scale, chosen, groups, mean=mean_too, **options)
            rows.append(_with_note_on_sets(part, kind.scale))
    if not rows:
        raise RatingsError(
            "ratings in which no group has two raters",
            "a group of two raters or more; the groups: "
            + "; ".join(f"{group}: {n}" for group, n in _sizes(ratings).items()),
            "declare [groups] in raters.toml, or look at pairs of raters",
        )
    return _joined(rows)


def of_sets(scale: Scale) -> bool:
    """Whether a scale's levels are sets of labels, as `raters.read` makes them.

    Parameters
    ----------
    scale : Scale

    Returns
    -------
    bool

    Examples
    --------
    >>> of_sets(Scale(["", "a", "a; b"], measurement="nominal"))
    True
    """
    names = [str(level) for level in scale.levels]
    return scale.measurement == "nominal" and "" in names and any(SEPARATOR in n for n in names)


def _with_note_on_sets(rows, scale):
    """Results on sets of labels say how sets are compared."""
    whole = {name: of_sets(scale_for(scale, "all", name)) for name in pd.unique(rows["dimension"])
             if name != MEAN}  # fmt: skip
    whole[MEAN] = any(whole.values())
    if not whole[MEAN]:
        return rows
    attrs = dict(rows.attrs)
    notes = [
        "; ".join(filter(None, [WHOLE_SETS, note])) if whole.get(name) else note
        for name, note in zip(rows["dimension"], rows["note"])
    ]
    rows = rows.assign(note=notes)
    rows.attrs = attrs
    return rows


def _draws_within(ratings, scale, groups, mean, given):
    """How many resamples: what was asked for, or 2000 where they take seconds."""
    if given is not None:
        return given
    items = ratings["item"].nunique()
    scales = [scale_for(scale, "all", name) for name in pd.unique(ratings["dimension"])]
    # Items with the same ratings are drawn together; for a mean of dimensions each alone.
    levels = 1 + max(len(one.values) for one in scales)
    different = levels ** min(max(map(len, groups.values())), 20)
    alike = not mean and not any(one.between for one in scales)
    drawn = min(items, different) if alike else items
    return min(RESAMPLES, max(_FEWEST, _DRAWN // max(drawn, 1)))


def _sizes(ratings):
    who = ratings[["group", "rater"]].drop_duplicates()
    return who.groupby("group", sort=False)["rater"].nunique().head(8).to_dict()


def _in_places(ratings, groups, statistics):
    """Large groups by place: an item's first rating, its second, ..."""
    ratings = ratings[ratings["rater"].isin({r for members in groups.values() for r in members})]
    large = [name for name, members in groups.items() if len(members) > _CROWD]
    if large and not NEEDS_RATERS.intersection(statistics):
        crowd = ratings["group"].isin(large)
        crowded = ratings[crowd & ratings["rating"].notna()]
        place = crowded.groupby(["dimension", "item", "group"], sort=False).cumcount() + 1
        crowded = crowded.assign(rater=crowded["group"] + ": " + PLACE + place.astype(str))
        ratings = pd.concat([ratings[~crowd], crowded])
        small = {name: members for name, members in groups.items() if name not in large}
        groups = {name: groups_with_two(ratings).get(name, []) for name in [*small, *large]}
        groups = {name: members for name, members in groups.items() if members}
    items = ratings["item"].nunique()
    cells = items * sum(map(len, groups.values()))
    if cells > _MATRIX:
        raise RatingsError(
            f"{items:,} items by {sum(map(len, groups.values())):,} raters",
            f"{_MATRIX:,} cells or fewer for coefficients that ask who gave a rating",
            "choose statistics that do not (alpha, Fleiss' kappa, Gwet's AC), "
            "or count the ratings in a database (raters.sql)",
        )
    return ratings, groups


def _joined(rows):
    if len(rows) == 1:
        return rows[0]
    whole = pd.concat(rows, ignore_index=True)
    whole.attrs = dict(rows[0].attrs)
    return whole


def between_pairs(
    ratings: pd.DataFrame,
    scale,
    statistics: Sequence[str] = (),
    pairs: Sequence[tuple[str, str]] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
) -> pd.DataFrame:
    """`raters.pairwise` of every pair, with statistics that fit the scale.

    Parameters
    ----------
    ratings : DataFrame
    scale : Scale or dict
    statistics : sequence of str
        Default: `PAIRS`.
    pairs : sequence of (str, str), optional
        Default: all.
    resamples, seed, level, interval
        As in `raters.pairwise`.

    Returns
    -------
    DataFrame
        As `raters.pairwise`.

    Raises
    ------
    RatingsError
        From `raters.pairwise`.
    """
    rows = []
    for kind in kinds(ratings, scale):
        there = set(kind.ratings["rater"])
        here = None if pairs is None else [p for p in pairs if set(p) <= there]
        if (here is None and len(there) > 1) or here:
            options = {"resamples": resamples, "seed": seed, "level": level, "interval": interval}
            chosen = list(statistics) or PAIRS[kind.ordered]
            found = pairwise(kind.ratings, kind.scale, chosen, here, **options)
            rows.append(_with_note_on_sets(found, kind.scale))
    if not rows:
        raise RatingsError(
            f"ratings by {ratings['rater'].nunique()} rater", "two raters or more", "add a rater"
        )
    return _joined(rows)


def resamples_for(n_items: int, given: int | None, usual: int = OF_JUDGES) -> int:
    """How many resamples of so many items: those asked for, or what fits in memory.

    Parameters
    ----------
    n_items : int
    given : int or None
        What the user asked for.
    usual : int
        The default for few items.

    Returns
    -------
    int

    Raises
    ------
    RatingsError
        More than fit in memory.

    Examples
    --------
    >>> resamples_for(50, None), resamples_for(50_000, None), resamples_for(50, 100)
    (10000, 500, 100)
    """
    chosen = given
    if given is None:
        chosen = min(usual, max(_FEWEST, _CELLS // max(n_items, 1)))
    if chosen * n_items > _MOST_CELLS:
        raise RatingsError(
            f"{n_items:,} items and {chosen:,} resamples, which do not fit in memory",
            f"items times resamples up to {_MOST_CELLS:,}",
            "ask for fewer resamples, or take a random part of the items: "
            "verdicts change little beyond some ten thousand",
        )
    return chosen


def judges_of(ratings: pd.DataFrame, judges: Sequence[str] = ()) -> list[str]:
    """The judges: those named, or the raters of the group "judge".

    Parameters
    ----------
    ratings : DataFrame
    judges : sequence of str

    Returns
    -------
    list of str
        Empty where none is named and no group is called so.

    Raises
    ------
    RatingsError
        A name that no rater has.
    """
    there = set(ratings["rater"])
    unknown = [name for name in judges if name not in there]
    if unknown:
        raise RatingsError(
            f"the judge {unknown[0]!r}",
            f"one of the raters: {_few(sorted(there))}",
            "name a rater of the files",
        )
    return list(dict.fromkeys(judges)) or sorted(
        set(ratings.loc[ratings["group"] == "judge", "rater"])
    )


def _few(names, most=12):
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def experts_of(ratings: pd.DataFrame, reference: Sequence[str], judges: Sequence[str]) -> list[str]:
    """The raters that judges are held against: a group's, or those named.

    Parameters
    ----------
    ratings : DataFrame
    reference : sequence of str
        One group, or two raters or more.
    judges : sequence of str

    Returns
    -------
    list of str

    Raises
    ------
    RatingsError
        As `raters.judges.reference_raters`.
    """
    named = reference[0] if len(reference) == 1 else list(reference)
    return reference_raters(ratings, named, list(judges))


def against_experts(
    ratings: pd.DataFrame,
    scale,
    judges: Sequence[str],
    experts: Sequence[str],
    statistics: Sequence[str] = (),
    readings: Sequence[str] = ("single", "leave_one_out", "paper"),
    resamples: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    interval: str = "percentile",
    margin: float = 0.1,
) -> pd.DataFrame:
    """`raters.judges.benchmark`, with statistics that fit the scale.

    Parameters
    ----------
    ratings : DataFrame
    scale : Scale or dict
    judges, experts : sequence of str
    statistics : sequence of str
        Default: the first of `PAIRS`.
    readings : sequence of str
    resamples : int, optional
        Default: `resamples_for`.
    seed, level, interval, margin
        As in `raters.judges.benchmark`.

    Returns
    -------
    DataFrame
        As `raters.judges.benchmark`; its attrs hold ``level`` and ``resamples``.

    Raises
    ------
    RatingsError
        From `raters.judges.benchmark`; the judges and experts share no dimension.
    """
    rows = []
    for kind, here in with_both(ratings, scale, judges, experts):
        used = resamples_for(kind.ratings["item"].nunique(), resamples)
        statistic = list(statistics) or PAIRS[kind.ordered][0]
        found = benchmark(
            kind.ratings, kind.scale, here, list(experts), statistic, list(readings), used,
            seed, level, interval, True, margin,
        )  # fmt: skip
        rows.append(_with_note_on_sets(found, kind.scale))
    whole = pd.concat(rows, ignore_index=True)
    whole.attrs = {"level": level, "resamples": used, "seed": seed, "margin": margin}
    return whole


def with_both(ratings, scale, judges, experts) -> Iterator[tuple[Kind, list[str]]]:
    """The kinds of dimensions on which experts and judges have ratings, and which judges.

    Parameters
    ----------
    ratings : DataFrame
    scale : Scale or dict
    judges, experts : sequence of str

    Yields
    ------
    (Kind, list of str)

    Raises
    ------
    RatingsError
        There is none.
    """
    found = False
    people = ratings[ratings["rater"].isin([*judges, *experts])]
    for kind in kinds(people, scale):
        there = set(kind.ratings.loc[kind.ratings["rating"].notna(), "rater"])
        here = [name for name in judges if name in there]
        if here and set(experts) <= there:
            found = True
            yield kind, here
    if not found:
        raise RatingsError(
            f"the judges {_few(list(judges))} and the reference {_few(list(experts))}",
            "judge and reference with ratings on one dimension",
            "check the names of the dimensions in the files",
        )


def fits(statistic: str, ordered: bool) -> bool:
    """Whether a statistic means something on a scale with or without an order.

    Parameters
    ----------
    statistic : str
    ordered : bool

    Returns
    -------
    bool
    """
    return ordered or statistic not in NEEDS_ORDER
