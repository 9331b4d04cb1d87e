"""What a report on agreement should say: a checklist, filled in as far as the ratings allow.

The items follow the guidelines for reporting reliability and agreement studies (Kottner et
al., 2011, Journal of Clinical Epidemiology 64, 96-106); those on judges, levels and shared
ratings are of this project.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from raters.text import count_of, few

FROM_DATA, PARTLY, YOURS = "from the data", "in part: complete it", "yours to write"
NOT_HERE = "does not apply"


@dataclass(frozen=True)
class Item:
    """One thing to report.

    Parameters
    ----------
    part : str
        The heading under which it stands.
    text : str
        What to say.
    why : str
        What goes wrong without it.
    status : {"from the data", "in part: complete it", "yours to write"}
        Who can know it.
    answer : callable, optional
        A `raters.report.analysis.Analysis` -> what the data say, as text ("" for nothing).
    """

    part: str
    text: str
    why: str
    status: str = YOURS
    answer: Callable | None = None


def table() -> pd.DataFrame:
    """The checklist, empty.

    Returns
    -------
    DataFrame
        ``number, part, item, why, status``.

    Examples
    --------
    >>> table().loc[0, ["part", "status"]].tolist()
    ['Question', 'yours to write']
    """
    rows = [(n, i.part, i.text, i.why, i.status) for n, i in enumerate(ITEMS, start=1)]
    return pd.DataFrame(rows, columns=["number", "part", "item", "why", "status"])


def filled(analysis) -> pd.DataFrame:
    """The checklist with what the data say.

    Parameters
    ----------
    analysis : raters.report.analysis.Analysis

    Returns
    -------
    DataFrame
        ``number, part, item, answer, status``; points on judges "do not apply" where
        there is none.
    """
    rows = []
    for number, item in enumerate(ITEMS, start=1):
        answer = item.answer(analysis) if item.answer else ""
        status = item.status if answer or item.status == YOURS else YOURS
        if item.part == "Judge" and not analysis.judges:
            answer, status = "no judge is declared", NOT_HERE
        rows.append((number, item.part, item.text, answer, status))
    return pd.DataFrame(rows, columns=["number", "part", "item", "answer", "status"])


# ------------------------------------------------------------------ what the data can say
def _margin(analysis):
    if not analysis.judges:
        return ""
    return f"differences up to {analysis.margin:g} were taken not to matter"


def _raters(analysis):
    rows = analysis.raters.groupby("group", sort=False)["rater"]
    return "; ".join(f"{group}: {count_of(len(names), 'rater')}" for group, names in rows)


def _items(analysis):
    counts = analysis.reading.counts
    return f"{count_of(counts['items'], 'item')}, {count_of(counts['ratings'], 'rating')}"


def _complete(analysis):
    counts = analysis.reading.counts
    frame = analysis.ratings[analysis.ratings["rating"].notna()]
    per_item = frame.groupby(["dimension", "item"], sort=False).size()
    return (
        f"{' to '.join(f'{n:,}' for n in sorted({per_item.min(), per_item.max()}))} "
        "ratings of an item; "
        f"{counts['missing']:,} missing, {counts['dropped']:,} rows dropped, "
        f"{counts['left_out']:,} left out by declaration"
    )


def _scales(analysis):
    said = {}
    for dimension in analysis.dimensions:
        scale = analysis.scale_of(dimension)
        names, kind = [scale.name_of(v) for v in scale.values], scale.measurement
        if analysis.sets_on(dimension):
            # Not the combinations that occur, which are the levels of the scale.
            names, kind = analysis.reading.config.rules_of(dimension).levels, "sets of labels"
        levels = few(names).replace("'", "")
        said.setdefault(f"{levels} ({kind})", []).append(dimension)
    if len(said) == 1:
        return next(iter(said))
    return "; ".join(f"{', '.join(names[:4])}: {text}" for text, names in list(said.items())[:6])


def _missing(analysis):
    config = analysis.reading.config
    rules = [r for r in (config.scale, *config.scales.values()) if r is not None]
    codes = dict.fromkeys(str(cell) for one in rules for cell in one.missing)
    parts = [f"missing: empty cells{''.join(f', {code}' for code in codes)}"]
    parts += [f"reversed {key}: {', '.join(who)}" for key, who in config.reversed.items() if who]
    return "; ".join(parts)


def _judges(analysis):
    return f"named in the files: {', '.join(analysis.judges)}" if analysis.judges else ""


def _answers(analysis):
    kinds = analysis.reading.counts["answers"]
    return ", ".join(f"{n:,} {kind}" for kind, n in kinds.items())


def _order(analysis):
    pairs = analysis.reading.pairs
    return f"{count_of(len(pairs), 'pair')} shown in both orders" if len(pairs) else ""


def _statistics(analysis):
    found = analysis.tables
    names = [
        name
        for key in ("agreement", "pairs", "benchmark")
        if key in found
        for name in found[key]["statistic"].unique()
    ]
    return ", ".join(dict.fromkeys(names))


def _intervals(analysis):
    draws = "2,000" if analysis.resamples is None else f"{analysis.resamples:,}"
    return (
        f"{100 * analysis.level:g} % percentile intervals from {draws} resamples of items"
        f"{', up to 10,000 for judges' if analysis.resamples is None and analysis.judges else ''}; "
        f"seed {analysis.seed}"
    )


def _pairable(_analysis):
    return (
        "alpha uses items with two ratings or more; two raters are compared on the items "
        "that both rated; nothing is filled in"
    )


def _many_tests(analysis):
    if not analysis.judges or len(analysis.dimensions) < 2:
        return ""
    return f"verdicts one by one, and tests with Holm's correction over {len(analysis.dimensions)}"


def _ceiling(analysis):
    if len(analysis.experts) < 2 or not analysis.judges:
        return ""
    return (
        "the mean kappa of judge and expert less the mean kappa of two experts, on the same "
        "items and resamples"
    )


def _shift(analysis):
    return "see the section Level or order" if "level_and_order" in analysis.tables else ""


def _all_dimensions(analysis):
    return (
        f"all {len(analysis.dimensions)}, with interval and n"
        if "agreement" in analysis.tables
        else ""
    )


def _undefined(analysis):
    found = analysis.tables
    keys = [key for key in ("agreement", "pairs", "benchmark") if key in found]
    value = {"benchmark": "difference"}
    n = sum(int(found[key][value.get(key, "estimate")].isna().sum()) for key in keys)
    if not keys:
        return ""
    return f"{count_of(n, 'result')} not defined, each with its reason" if n else "all are defined"


def _versions(_analysis):
    return "files with sha256 and all versions: provenance.json"


ITEMS: tuple[Item, ...] = (
    Item("Question", "What is rated, and how each dimension is defined",
         "nobody can tell what the raters agreed about"),
    Item("Question", "What the result is for, and who bears a wrong rating",
         "an agreement is high enough only for a purpose"),
    Item("Question", "The threshold or margin, fixed before the ratings were looked at",
         "a threshold chosen afterwards always fits", PARTLY, _margin),
    Item("Raters", "How many raters of each kind",
         "agreement among two says little about the next rater", FROM_DATA, _raters),
    Item("Raters", "Who they are, how chosen, trained and paid",
         "experts of one school agree more than experts do"),
    Item("Raters", "Whether they rated alone, without seeing each other or the judge",
         "shared drafts and suggestions look like agreement"),
    Item("Items", "How many items", "intervals hang on it", FROM_DATA, _items),
    Item("Items", "How the items were chosen, and from what",
         "agreement on easy items does not carry over"),
    Item("Items", "How many ratings each item has, and what is missing",
         "items that were skipped are seldom the easy ones", FROM_DATA, _complete),
    Item("Scale", "The levels in order, and what they mean to the rater",
         "weights and ranks come from the order", PARTLY, _scales),
    Item("Scale", "What counts as missing, and what was reversed or recoded",
         "a 0 for 'not rated' becomes the lowest rating", FROM_DATA, _missing),
    Item("Judge", "Model, version, date and settings",
         "the same name answers differently next month", PARTLY, _judges),
    Item("Judge", "The prompt, word by word, and how it was arrived at",
         "a prompt tuned on these items is tested on its own training data"),
    Item("Judge", "How many answers were parsed, refused or unreadable",
         "parsers that guess make ratings that nobody gave", FROM_DATA, _answers),
    Item("Judge", "Repeated runs, and both orders where it compares",
         "chance and position look like judgement", PARTLY, _order),
    Item("Judge", "Whether it may have seen the items or their ratings before",
         "memory is not judgement"),
    Item("Analysis", "The coefficient, its weights, and why this one",
         "coefficients differ by more than raters do", PARTLY, _statistics),
    Item("Analysis", "How intervals were made, and what was resampled",
         "a number without an interval invites false certainty", FROM_DATA, _intervals),
    Item("Analysis", "What was done about missing ratings",
         "dropping incomplete items changes the items", FROM_DATA, _pairable),
    Item("Analysis", "What a judge is compared with: the experts' own agreement, like for like",
         "a judge compared with a median looks better than any expert", FROM_DATA, _ceiling),
    Item("Analysis", "Whether a disagreement is one of level or of order",
         "a level can be corrected, an order cannot", FROM_DATA, _shift),
    Item("Analysis", "How many comparisons were made, and what was done about it",
         "one in twenty differs by chance", FROM_DATA, _many_tests),
    Item("Results", "Every dimension, with interval and n, not only the mean",
         "a mean hides the dimension that fails", FROM_DATA, _all_dimensions),
    Item("Results", "Results that are not defined, and why",
         "an undefined kappa reported as 0 or 1 is an invention", FROM_DATA, _undefined),
    Item("Results", "The largest disagreements, read by somebody",
         "a coefficient does not say what went wrong"),
    Item("Sharing", "The ratings of each rater, not only their mean or majority",
         "nobody can check or reuse a majority"),
    Item("Sharing", "Code, versions, seed and checksums", "a result that cannot be run again",
         FROM_DATA, _versions),
    Item("Sharing", "Limits: what these items, raters and this judge do not stand for",
         "others will use the result elsewhere"),
)  # fmt: skip
