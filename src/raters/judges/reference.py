"""Who is held against whom: judges, and the raters or the group that are the reference.

A judge is a rater who is held against a reference: one rater, or the median, mean or
mode of a group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from raters.errors import RatingsError
from raters.frames import check_ratings, with_reference
from raters.matrices import Matrix
from raters.scale import Scale


def between(scale: Scale | Mapping) -> Scale | Mapping:
    """The same scale or scales, with numbers between the levels allowed.

    Parameters
    ----------
    scale : Scale or mapping
        As in `check_ratings`.

    Returns
    -------
    Scale or mapping
        For ratings that are means, medians of two, or predictions.

    Examples
    --------
    >>> between(Scale([1, 2, 3])).value_of(2.5)
    2.5
    """
    if isinstance(scale, Mapping):
        return {key: between(one) for key, one in scale.items()}
    return replace(scale, between=True) if isinstance(scale, Scale) else scale


def as_names(judges: str | Sequence[str]) -> list[str]:
    """One name or several, as a list without repetition.

    Parameters
    ----------
    judges : str or sequence of str

    Returns
    -------
    list of str

    Raises
    ------
    RatingsError
        No name at all.

    Examples
    --------
    >>> as_names("gpt")
    ['gpt']
    """
    names = [judges] if isinstance(judges, str) else list(dict.fromkeys(judges))
    if not names:
        raise RatingsError("no judge", "one rater or more", "name the judge: judges='gpt'")
    return names


def with_judged(
    ratings: pd.DataFrame,
    scale: Scale | Mapping,
    judges: str | Sequence[str],
    reference: str,
    how: str = "median",
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The checked frame with the reference in it, and the reference of each judge.

    Parameters
    ----------
    ratings : DataFrame
        The long frame; see `check_ratings`.
    scale : Scale or mapping
        The declared scale or scales.
    judges : str or sequence of str
        Raters to be held against the reference.
    reference : str
        A group, summarised item by item, or one rater. A judge who belongs to the group
        is held against the others of it.
    how : {"median", "mean", "mode"}
        How a group is summarised.

    Returns
    -------
    ratings : DataFrame
        With new rows for the reference, whose ratings may lie between the levels: use it
        with ``between(scale)``.
    references : dict
        Judge to the name of the rater who is the reference.

    Raises
    ------
    RatingsError
        From `check_ratings` and `with_reference`; an unknown judge or reference.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list("xxx"), "rater": ["a", "b", "gpt"],
    ...                       "group": ["expert", "expert", "llm"], "rating": [1, 2, 3]})
    >>> with_judged(frame, Scale([1, 2, 3]), ["gpt", "a"], "expert")[1]
    {'gpt': 'expert_median', 'a': 'expert_median_without_a'}
    """
    frame = check_ratings(ratings, scale)
    names, raters = as_names(judges), set(frame["rater"])
    unknown = [name for name in names if name not in raters]
    if unknown or reference in names:
        raise RatingsError(
            f"the judges {names} with the reference {reference!r}",
            f"judges and another rater or group as reference, of the raters {sorted(raters)}",
            "name raters that are in the frame, and no rater as judge and reference",
        )
    members = set(frame.loc[frame["group"] == reference, "rater"])
    references = {}
    for name in names:
        without = name if name in members else None
        frame, references[name] = add_reference(frame, reference, how, without)
    return frame, references


def add_reference(
    frame: pd.DataFrame, reference: str, how: str = "median", without: str | None = None
) -> tuple[pd.DataFrame, str]:
    """The reference as a rater of a checked frame: added if it is a group's summary.

    Parameters
    ----------
    frame : DataFrame
        From `check_ratings`.
    reference : str
        A group or a rater.
    how, without
        As in `with_reference`.

    Returns
    -------
    frame : DataFrame
        With the reference in it, once.
    name : str
        The rater who is the reference.

    Raises
    ------
    RatingsError
        No group and no rater has this name, or both have; from `with_reference`.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": ["x"], "rater": ["a"], "rating": [1]})
    >>> add_reference(check_ratings(frame, Scale([1, 2])), "a")[1]
    'a'
    """
    groups, raters = set(frame["group"]), set(frame["rater"])
    if (reference in groups) == (reference in raters):
        raise RatingsError(
            f"the reference {reference!r}",
            f"one of the groups {sorted(groups)} or one of the raters {sorted(raters)}",
            "name one of these; where a group and a rater have one name, rename one of the two",
        )
    if reference in raters:
        return frame, reference
    name = f"{reference}_{how}" + (f"_without_{without}" if without else "")
    made_here = frame.attrs.get("references", ())
    if name in raters and name in made_here:
        return frame, name
    if name in raters:
        raise RatingsError(
            f"the reference {reference!r}, while a rater is already called {name!r}",
            "a frame without that rater, or that rater as reference",
            f"leave the rows out, or pass reference={name!r}",
        )
    frame = with_reference(frame, reference, how, name, without)
    frame.attrs["references"] = (*made_here, name)
    return frame, name


def reference_raters(
    ratings: pd.DataFrame, reference: str | Sequence[str], judges: Sequence[str] = ()
) -> list[str]:
    """The experts: the raters of a group, or those named; two or more, none a judge.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame.
    reference : str or sequence of str
        A group of the frame, or raters.
    judges : sequence of str
        Who is to be judged.

    Returns
    -------
    list of str

    Raises
    ------
    RatingsError
        A rater, judge or group that is not there; fewer than two experts; a judge among
        them.

    Examples
    --------
    >>> frame = pd.DataFrame({"rater": list("ab"), "group": "expert"})
    >>> reference_raters(frame, "expert")
    ['a', 'b']
    """
    refuse_unknown(ratings, judges, "judges")
    if len(set(judges)) < len(judges):
        raise RatingsError(f"the judges {list(judges)}", "each once", "name each judge once")
    if isinstance(reference, str):
        experts = sorted(ratings.loc[ratings["group"] == reference, "rater"].unique())
        if not experts:
            raise RatingsError(
                f"the reference group {reference!r}",
                f"a group of the frame: {sorted(ratings['group'].unique())}",
                "name the experts' group, or the experts: reference=['ann', 'bob']",
            )
    else:
        experts = list(dict.fromkeys(reference))
        refuse_unknown(ratings, experts, "experts")
    among = [name for name in judges if name in experts]
    if among:
        raise RatingsError(
            f"the judge {among[0]!r}, who is one of the experts {experts}",
            "a judge who is not part of the benchmark",
            "name another judge, or name the experts without this one: reference=[...]",
        )
    if len(experts) < 2:
        raise RatingsError(
            f"the experts {experts}",
            "two experts or more: one alone has no agreement to be a ceiling",
            "add an expert, or report the judge's agreement with this one (pairwise)",
        )
    return experts


def panel(
    ratings: pd.DataFrame,
    raters: Sequence[str],
    how: str = "median",
    name: str | None = None,
    least: int | None = None,
) -> pd.DataFrame:
    """Add a rater who is the panel of several: their median, mean or majority.

    Parameters
    ----------
    ratings : DataFrame
        A checked long frame.
    raters : sequence of str
        Two raters or more.
    how : {"median", "mean", "majority"}
        How they become one. The majority is the most frequent rating; where several are
        equally frequent there is none, and the item has no rating.
    name : str, optional
        The new rater's name. Default ``"panel_<how>"``.
    least : int, optional
        How many of the panel have to have rated an item. Default: more than half of them,
        as in `raters.with_reference`; `raters.judges.votes` counts who was there.

    Returns
    -------
    DataFrame
        The frame with the new rows at its end; their group is ``"panel"``. A mean, or
        the median of an even number, may lie between levels: declare
        ``Scale(..., between=True)`` to go on with it, or use `round_ratings`.

    Raises
    ------
    RatingsError
        Fewer than two raters, or one twice; a rater who is not in the frame; an unknown
        `how`; a name that is taken.

    Examples
    --------
    >>> frame = pd.DataFrame({"item": list("xxx"), "rater": list("abc"), "rating": [1, 2, 2]})
    >>> frame = check_ratings(frame, Scale([1, 2, 3]))
    >>> panel(frame, ["a", "b", "c"], how="majority")[["rater", "rating"]].to_numpy()[-1].tolist()
    ['panel_majority', 2.0]
    """
    ways = {"median": "median", "mean": "mean", "majority": "mode"}
    if how not in ways:
        raise RatingsError(f"how={how!r}", ", ".join(ways), "name one of these")
    raters = list(raters) if not isinstance(raters, str) else [raters]
    refuse_unknown(ratings, raters, "raters of the panel")
    if len(raters) < 2 or len(set(raters)) < len(raters):
        raise RatingsError(
            f"a panel of {raters}", "two different raters or more", "name each rater once"
        )
    members = ratings[ratings["rater"].isin(raters)].assign(group="panel")
    name = name or f"panel_{how}"
    if name in set(ratings["rater"]):
        raise RatingsError(
            f"the new rater {name!r}, whose name is taken",
            "a name that no rater of the frame has",
            "give another one: name='...'",
        )
    both = with_reference(members, group="panel", how=ways[how], name=name, least=least)
    new = both[both["rater"] == name].assign(group="panel")
    result = pd.concat([ratings, new], ignore_index=True)
    result.attrs = dict(ratings.attrs)
    return result


def ordered(table: Matrix) -> None:
    """Refuse a scale without order.

    Parameters
    ----------
    table : Matrix
        One dimension.

    Raises
    ------
    RatingsError
        The scale is nominal.
    """
    if table.scale.measurement == "nominal":
        raise RatingsError(
            f"the nominal scale of {table.dimension} ({table.scale.describe()})",
            "levels with an order, on which a rating can be higher or lower",
            "declare the order: Scale([...], measurement='ordinal')",
        )


def refuse_unknown(ratings: pd.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse names that no rater of the frame has; `what` says what they are."""
    unknown = [name for name in names if name not in set(ratings["rater"])]
    if unknown:
        raise RatingsError(
            f"the {what} {unknown}",
            f"raters of the frame: {sorted(ratings['rater'].unique())}",
            "name raters that are in the frame",
        )
