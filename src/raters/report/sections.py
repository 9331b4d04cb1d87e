"""The sections of the report, each from a `Analysis`: what was found, or why it was not.

Charts are imported inside: the package without the extra ``report`` has none.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from raters import defaults
from raters.judges.ceiling import verdict_counts
from raters.judges.rule import (
    DECIDED,
    EXPERTS_ALPHA,
    LEAST_DISAGREE,
    LEAST_FOR_MARGIN,
    LEAST_ITEMS,
    NOT_THERE,
)
from raters.measures import MEAN
from raters.report import checklist, methods
from raters.report.analysis import WIDTH, Analysis, Missing
from raters.report.page import (
    Section,
    bullets,
    figure,
    file_link,
    heading,
    paragraph,
    table,
    why_not,
)
from raters.results import ALL
from raters.show.tables import interval, number
from raters.text import count_of

_MOST_LINES = 40  # of a chart
_MOST_SERIES = 6
_NAMES = {
    "krippendorff_alpha_interval": "Krippendorff's alpha (interval)",
    "krippendorff_alpha_ordinal": "Krippendorff's alpha (ordinal)",
    "krippendorff_alpha_nominal": "Krippendorff's alpha (nominal)",
    "weighted_kappa_quadratic": "quadratic weighted kappa",
    "cohen_kappa": "Cohen's kappa",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2",
    "mean_percent_agreement": "percent agreement (mean of pairs)",
    "percent_agreement": "percent agreement",
}
# Right after the names: on a phone the rest has to be scrolled to.
_FIRST = {"estimate": "estimate", "interval": "interval"}


def _named(statistic):
    return _NAMES.get(statistic, statistic)


def _with_interval(frame, value="estimate"):
    """A table's rows with the interval in one cell, and names that people know."""
    found = frame.assign(
        interval=[
            interval(low, high) if np.isfinite(low) else ""
            for low, high in zip(frame["low"], frame["high"])
        ]
    )
    if "statistic" in found:
        found["statistic"] = found["statistic"].map(_named)
    return found.rename(columns={value: "estimate"}) if value != "estimate" else found


def _notes(frame, labels, most=30):
    """The notes, each once, with the rows that it is about."""
    about: dict[str, list[str]] = {}
    for row in frame[frame["note"].ne("")].to_dict("records"):
        name = ", ".join(_named(str(row[c])) for c in labels if row[c] not in ("", "all"))
        about.setdefault(row["note"], []).append(name)
    lines = []
    for note, names in about.items():
        names = list(dict.fromkeys(names))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        lines.append(f"{'; '.join(names[:3])}{more}: {note}.".removeprefix(": "))
    return (paragraph("Notes:", "file") + bullets(lines, most)) if lines else ""


# ------------------------------------------------------------------------------ in short
def summary(analysis: Analysis) -> Section:
    """What was found, in a few lines.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    lines = [str(analysis.reading).splitlines()[0] + "."]
    lines += _agreement_lines(analysis)
    lines += _judge_lines(analysis)
    lines += _warning_lines(analysis)
    return Section(bullets(lines))


def _main(analysis):
    """The main statistic of each kind of scale, of single dimensions."""
    rows = analysis.within
    names = {defaults.WITHIN[True][0], defaults.WITHIN[False][0]}
    return rows[rows["statistic"].isin(names) & (rows["dimension"] != MEAN)]


def _agreement_lines(analysis):
    if isinstance(analysis.within, Missing):
        return [f"Agreement within groups: not shown. {analysis.within.reason}"]
    lines = []
    for (group, statistic), rows in _main(analysis).groupby(["group", "statistic"], sort=False):
        known = rows[rows["estimate"].notna()]
        who = f"Group {group}, {_named(statistic)}"
        if any(analysis.sets_on(dimension) for dimension in rows["dimension"]):
            who += " of whole sets"
        if known.empty:
            lines.append(f"{who}: not defined. {rows['note'].iloc[0]}.")
            continue
        low, high = (known.loc[known["estimate"].agg(f)] for f in ("idxmin", "idxmax"))
        if len(rows) == 1:
            said = f"{number(low.estimate)}, interval {interval(low.low, low.high)}"
        else:
            said = (
                f"from {number(low.estimate)} ({low.dimension}) to {number(high.estimate)} "
                f"({high.dimension}) over {len(rows)} dimensions"
            )
        lost = len(rows) - len(known)
        lines.append(f"{who}: {said}{f'; {lost} not defined' if lost else ''}.")
    return lines


def _judge_lines(analysis):
    if isinstance(analysis.benchmark, Missing):
        return [f"Judges: not shown. {analysis.benchmark.reason}"]
    found = analysis.benchmark
    counts = verdict_counts(found[found["reading"] == "single"])
    lines = []
    for judge, rows in counts.groupby("judge", sort=False):
        total = rows.sum(numeric_only=True)
        parts = {
            "above the experts' agreement": total.above,
            f"within {analysis.margin:g} of the experts' agreement": total.within,
            "below the experts' agreement": total.below,
            "no verdict": total.cannot_tell,
            "not defined": total.other,
        }
        of = count_of(total.dimensions, "dimension")
        said = "; ".join(f"{what} on {n} of {of}" for what, n in parts.items() if n)
        lines.append(f"Judge {judge}: {said}.")
        lines += _mean_line(found[(found["judge"] == judge) & (found["reading"] == "single")])
    return lines


def _mean_line(rows):
    whole = rows[rows["framework"].eq(ALL) | rows["dimension"].eq(MEAN)]
    whole = whole[whole["difference"].notna()]
    if whole.empty:
        return []
    row = whole.iloc[-1]
    text = (
        f"Its mean difference from the experts' own agreement, {_named(row.statistic)}: "
        f"{number(row.difference)}, interval {interval(row.low, row.high)}."
    )
    if row.code not in (*DECIDED, *NOT_THERE):
        text += f" That decides nothing: {row.verdict}."
    return [text]


def _warning_lines(analysis):
    lines = [
        f"Look at this: {note}."
        for note in analysis.reading.notes
        if note.code in ("no-overlap", "lost-digits", "group-without-rating")
    ]
    found = [f for f in (analysis.within, analysis.pairs) if not isinstance(f, Missing)]
    asked = {
        part
        for frame in found
        for note in frame["note"]
        for part in note.split("; ")
        if "is a scale reversed?" in part
    }
    return lines + [f"Look at this: {part}." for part in sorted(asked)[:5]]


# ---------------------------------------------------------------------- the data as read
def data(analysis: Analysis) -> Section:
    """The data as read: what was left out and why, and how the raters rate.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    reading = analysis.reading
    parts = [
        table(reading.files, "The files.", {c: c for c in reading.files}, "files"),
        bullets([f"{note}." for note in reading.notes]),
        heading("Left out"),
        _dropped(reading),
    ]
    if len(reading.left_out):
        columns = {"file": "file", "reason": "reason", "n": "rows"}
        parts.append(table(reading.left_out, "No ratings, by declaration.", columns, "left_out"))
    missing = _missing_by_kind(reading)
    if len(missing):
        columns = {"file": "file", "cell": "written as", "n": "ratings"}
        parts.append(table(missing, "Missing ratings.", columns, "missing"))
    if len(reading.answers):
        columns = {"rater": "judge", "kind": "kind", "code": "why", "n": "answers"}
        parts.append(
            table(reading.answers, "What became of the answers in free text.", columns, "answers")
        )
    parts += [
        heading("The raters"),
        _raters(analysis),
        heading("Use of the levels"),
        _levels(analysis),
    ]
    return Section(*parts)


def _missing_by_kind(reading):
    """Why ratings are missing, with a row for refusals: the rows add up to all that are."""
    answers = reading.answers
    refused = answers[answers["kind"] == "refused"].groupby("file", sort=False)["n"].sum()
    rows = [reading.missing]
    if len(refused):
        refusals = {"file": refused.index, "cell": "a judge's refusal", "n": refused.to_numpy()}
        rows.append(pd.DataFrame(refusals))
    whole = pd.concat(rows, ignore_index=True)
    left = reading.counts["missing"] - int(whole["n"].sum())
    if left > 0 and len(reading.pairs):
        more = {"file": "", "cell": "a pair without a result in both orders", "n": [left]}
        whole = pd.concat([whole, pd.DataFrame(more)], ignore_index=True)
    return whole


def _dropped(reading):
    if not len(reading.problems):
        return paragraph("Every row could be read.")
    columns = {c: c for c in ("file", "line", "column", "value", "reason")}
    return table(reading.problems, "Rows that could not be read.", columns, "problems")


def _raters(analysis):
    columns = {c: c for c in analysis.raters}
    columns |= {"std": "standard deviation", "min": "lowest", "max": "highest"}
    return table(
        analysis.raters,
        "Who rated how much.",
        {c: columns[c] for c in analysis.raters},
        "raters",
    )


def _levels(analysis):
    found = analysis.levels.rename(columns={"group": "rater"})
    levels = list(dict.fromkeys(found["level"]))
    lines = len(found[["dimension", "rater"]].drop_duplicates())
    if lines > _MOST_LINES or len(levels) > 12:
        return why_not(
            f"Too many for a chart: {count_of(lines, 'line')} with "
            f"{count_of(len(levels), 'level')}. The numbers are in tables/levels.csv."
        )
    from raters.show import charts

    unused = found[found["n"] == 0]
    said = "Every level was used by every group."
    if len(unused):
        row = unused.iloc[0]
        on = "" if row["dimension"] == "all" else f" on {row['dimension']}"
        said = (
            f"{count_of(len(unused), 'level')} of a group{' and dimension' if on else ''} "
            f"{'was' if len(unused) == 1 else 'were'} never used, the first: "
            f"{row['level']} by {row['rater']}{on}."
        )
    chart = charts.shares(found, "Which levels does each group use?", said, levels)
    return figure(chart) + file_link("levels")


# --------------------------------------------------------------------------- agreement
def within(analysis: Analysis) -> Section:
    """Agreement within each group, with intervals.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    found = analysis.within
    if isinstance(found, Missing):
        return Section(why_not(found.reason))
    columns = {"group": "group", "dimension": "dimension"} | _FIRST
    columns |= {"statistic": "statistic", "n_items": "items", "n_ratings": "ratings"}
    alone = sorted(set(analysis.ratings["group"]) - set(analysis.groups))
    left = [f"Group {name} has one rater: there is no agreement within it." for name in alone]
    return Section(
        _agreement_chart(analysis),
        table(_with_interval(found), "Agreement within groups.", columns, "agreement"),
        _notes(found, ("group", "dimension", "statistic")),
        bullets(left),
    )


def _agreement_chart(analysis):
    from raters.show import charts

    rows = _main(analysis)
    rows = rows[rows["estimate"].notna()].rename(columns={"group": "series"})
    if rows.empty:
        return why_not("No coefficient is defined: the notes in the table say why.")
    if rows["dimension"].nunique() > _MOST_LINES or rows["series"].nunique() > _MOST_SERIES:
        return why_not("Too many dimensions or groups for a chart: see the table.")
    names = {_named(name) for name in rows["statistic"]}
    best = rows.loc[rows["estimate"].idxmax()]
    worst = rows.loc[rows["estimate"].idxmin()]
    found = f"highest {_with_place(best)}, lowest {_with_place(worst)}"
    said = (
        f"{' and '.join(sorted(names))}, with {100 * analysis.level:g} % intervals, n = "
        f"{rows['n_items'].max():,} items: {found if len(rows) > 1 else _with_place(best)}."
    )
    chart = charts.dots(rows, "How much does each group agree?", said, x_title="alpha")
    return figure(chart)


def _with_place(row):
    place = row.series if row.dimension == "all" else f"{row.series}, {row.dimension}"
    return f"{number(row.estimate)} ({place})"


def pairs(analysis: Analysis) -> Section:
    """Agreement of every two raters.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    found = analysis.pairs
    if isinstance(found, Missing):
        return Section(why_not(found.reason))
    columns = {"rater_a": "rater", "rater_b": "and", "dimension": "dimension"} | _FIRST
    columns |= {"statistic": "statistic", "n_items": "items"}
    return Section(
        table(_with_interval(found), "Pairs of raters.", columns, "pairs"),
        _notes(found, ("rater_a", "rater_b", "dimension")),
    )


# ------------------------------------------------------------------------------ judges
def judges(analysis: Analysis) -> Section:
    """Each judge against the experts' own agreement, with a verdict for each dimension.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    found = analysis.benchmark
    if isinstance(found, Missing):
        return Section(why_not(found.reason))
    single = found[found["reading"] == "single"]
    parts = [
        paragraph(
            "The ceiling is the mean agreement of two experts; a judge's value is its mean "
            "agreement with one expert, on the same items. A judge who is one more expert has "
            "a difference of 0. The exchange test asks whether it is one: within each item the "
            "ratings change hands at random, and p says how often the difference then lies as "
            'far out. "Above" needs this test beside the interval. "Within" needs the 90 % '
            f"interval inside the margin and {LEAST_FOR_MARGIN} items. No verdict is given below "
            f"{LEAST_ITEMS} items, or below {LEAST_DISAGREE} on which judge or experts differ."
        ),
        _judges_chart(analysis, single),
    ]
    for judge, rows in single.groupby("judge", sort=False):
        parts.append(heading(f"Judge {judge}"))
        parts.append(_verdicts(analysis, judge, rows))
        parts += _among_experts(rows)
        parts.append(_notes(rows, ("dimension", "statistic")))
        parts.append(_other_readings(found[found["judge"] == judge], judge))
    parts.append(file_link("benchmark", "decisions"))
    return Section(*parts)


def _judges_chart(analysis, rows):
    from raters.show import charts

    rows = rows[rows["difference"].notna()]
    rows = rows[rows["framework"] != ALL] if rows["framework"].nunique() > 1 else rows
    if rows.empty:
        return why_not("No difference is defined: the notes in the tables say why.")
    if rows["dimension"].nunique() > _MOST_LINES or rows["judge"].nunique() > _MOST_SERIES:
        return why_not("Too many dimensions or judges for a chart: see the tables.")
    counts = verdict_counts(rows)
    said = "; ".join(
        f"{r.judge}: {r.above} above, {r.within} within, {r.below} below, {r.cannot_tell} open"
        for r in counts.itertuples()
    )
    of = count_of(len(analysis.dimensions), "dimension")
    said = (
        f"Judge less experts, with {100 * analysis.level:g} % intervals; the grey band holds "
        f"differences up to {analysis.margin:g}. Of {of}, {said}."
    )
    chart = charts.against_line(
        rows,
        "Does a judge agree with experts as they agree with each other?",
        said,
        margin=analysis.margin,
        x_title="judge less experts",
    )
    return figure(chart)


def _verdicts(analysis, judge, rows):
    shown = _with_interval(rows, "difference")
    columns = {
        "dimension": "dimension",
        "estimate": "difference",
        "interval": "interval",
        "verdict": "verdict",
        "benchmark": "ceiling",
        "value": "judge",
        "n_items": "items",
        "n_disagree": "somebody differs on",
        "exchange": "p, exchange",
        "resembles": "nearest expert",
    }
    shown["exchange"] = shown["p_exchange"].map(_p)
    decisions = analysis.decisions
    if not isinstance(decisions, Missing):
        own = decisions[(decisions["judge"] == judge) & (decisions["test"] == "difference")]
        p = dict(zip(zip(own["framework"], own["dimension"]), own["p_adjusted"]))
        keys = zip(shown["framework"], shown["dimension"])
        shown["p"] = [_p(p.get(key)) for key in keys]
        columns["p"] = "p, Holm"
    return table(shown, f"Verdicts on {judge}: {_READINGS['single'][0]}.", columns)


def _among_experts(rows):
    """Where the experts fail the exchange test among themselves, in a sentence."""
    differ = rows[rows["p_experts"] <= EXPERTS_ALPHA]
    if differ.empty:
        return []
    on = ", ".join(dict.fromkeys(differ["dimension"]))
    return [
        paragraph(
            f"The experts fail the exchange test among themselves ({on}): they differ in level or "
            "care. There it says nothing of the judge, only which expert is nearest."
        )
    ]


# Names that people know for the readings of `raters.judges.benchmark`.
_READINGS = {
    "single": ("one expert at a time", "judge with one expert, less expert with expert"),
    "leave_one_out": (
        "one expert left out",
        "judge with the other experts, less the expert left out with them",
    ),
    "paper": (
        "experts' median",
        "judge with the experts' median, less the median of expert pairs (favours the judge)",
    ),
}


def _p(value):
    if value is None or pd.isna(value):
        return "–"
    return "< 0.001" if value < 0.001 else number(value, 3)


def _other_readings(rows, judge):
    counts = verdict_counts(rows)
    names = [_READINGS.get(reading, (reading, "")) for reading in counts["reading"]]
    counts["reading"], counts["what"] = zip(*names)
    columns = {"reading": "comparison", "above": "above", "within": "within", "below": "below"}
    columns |= {"cannot_tell": "cannot tell", "what": "what is compared"}
    return table(counts, f"Dimensions by verdict on {judge}, by kind of comparison.", columns)


def level_or_order(analysis: Analysis) -> Section:
    """Is a judge off in level, which can be corrected, or in order, which cannot?

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    found = analysis.shifts
    if isinstance(found, Missing):
        return Section(why_not(found.reason))
    parts = [
        paragraph(
            "A judge's error has three parts: level (everything too high or too low), spread, "
            "and order, which is whatever is left. Kappa is given as rated and after the shift "
            "of level is taken away, against the median of the experts."
        )
    ]
    for judge, rows in found.groupby("judge", sort=False):
        parts += [heading(f"Judge {judge}"), _shift_chart(found, judge, rows)]
        parts.append(_shift_table(analysis, judge, rows))
    parts.append(file_link("level_and_order", "reasons"))
    return Section(*parts)


def _shift_chart(found, judge, rows):
    from raters.show import charts_judge

    known = rows[rows["statistic"].str.startswith("weighted_kappa") & rows["estimate"].notna()]
    if known.empty:
        return why_not("Kappa is not defined: the notes in the table say why.")
    if known["dimension"].nunique() > _MOST_LINES:
        return why_not("Too many dimensions for a chart: see the table.")
    said = f"Quadratic weighted kappa with the experts' median. {_largest_gain(rows)}".strip()
    drawn = found[found["estimate"].notna()]
    title = "What is left when the shift of level is taken away?"
    return figure(charts_judge.level_and_order(drawn, judge, title, said))


def _largest_gain(rows):
    """Where kappa rises most without the shift, in the numbers that the table shows."""
    keys = ["framework", "dimension"]
    by = {name: part.set_index(keys)["estimate"] for name, part in rows.groupby("statistic")}
    if "kappa_gain_without_level" not in by:
        return ""
    gain = by["kappa_gain_without_level"].dropna()
    if gain.empty:
        return ""
    best = gain.idxmax()
    was, then = (
        number(by[name].get(best, np.nan))
        for name in ("weighted_kappa_quadratic", "weighted_kappa_quadratic_centred")
    )
    if gain[best] <= 0 or was == then:
        return "It does not rise without the shift" + (
            " on any dimension." if len(gain) > 1 else "."
        )
    on = "" if best[1] == "all" else f" on {best[1]}"
    most = " most" if len(gain) > 1 else ""
    return f"Without the shift it rises{most}{on}: from {was} to {then}."


def _shift_table(analysis, judge, rows):
    wide = rows.pivot_table(
        index=["framework", "dimension"], columns="statistic", values="estimate", sort=False,
        dropna=False,
    ).reset_index()  # fmt: skip
    ends = rows[rows["statistic"] == "mean_difference"].set_index(["framework", "dimension"])
    keys = list(zip(wide["framework"], wide["dimension"]))
    wide["interval"] = [interval(ends.loc[key, "low"], ends.loc[key, "high"]) for key in keys]
    columns = {"dimension": "dimension", "mean_difference": "judge less experts"}
    columns |= {"interval": "interval", "weighted_kappa_quadratic": "kappa as rated"}
    columns |= {"weighted_kappa_quadratic_centred": "kappa without the shift"}
    columns |= {"error_from_level": "share of error: level", "error_from_order": "order"}
    if not isinstance(analysis.reasons, Missing):
        own = analysis.reasons[analysis.reasons["judge"] == judge]
        verdict = dict(zip(zip(own["framework"], own["dimension"]), own["verdict"]))
        wide["verdict"] = [verdict.get(key, "") for key in keys]
        columns["verdict"] = "verdict"
    columns = {c: h for c, h in columns.items() if c in wide}
    return table(wide, f"Level and order of {judge}.", columns)


# ------------------------------------------------------------------------- single items
def items(analysis: Analysis) -> Section:
    """The items with the largest disagreements: to be read by somebody.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    parts = [
        paragraph("A coefficient does not say what went wrong. Read these items."),
        heading("Judge and experts"),
    ]
    gaps = analysis.gaps
    if isinstance(gaps, Missing):
        parts.append(why_not(gaps.reason))
    elif gaps.empty:
        parts.append(paragraph("There is no gap: judge and experts' median are equal everywhere."))
    else:
        columns = {"item": "item", "dimension": "dimension", "judge": "judge"}
        columns |= {"reference_rating": "experts", "judge_rating": "judge's rating", "gap": "gap"}
        columns |= {"lowest": "lowest expert", "highest": "highest expert"}
        parts.append(_gap_table(gaps, columns))
    splits = analysis.splits
    who = analysis.main_group[0] if analysis.main_group else "a group"
    parts.append(heading(f"Among {who}"))
    if isinstance(splits, Missing):
        parts.append(why_not(splits.reason))
    else:
        columns = {"item": "item", "dimension": "dimension", "given": "ratings"}
        measures = list(pd.unique(splits["measure"]))
        alone = len(measures) == 1
        columns |= {"n_ratings": "how many", "share": measures[0] if alone else "share"}
        columns |= {} if alone else {"measure": "of what"}
        parts.append(table(splits, f"Items on which {who} differ most.", columns, "largest_splits"))
    return Section(*parts)


def _gap_table(gaps, columns):
    # The same heading twice would read like one column.
    columns = dict(columns, judge="who")
    return table(gaps, "The largest gaps between a judge and the experts.", columns, "largest_gaps")


# -------------------------------------------------------------------------------- plan
def allows(analysis: Analysis) -> Section:
    """What this number of items allows, and what more would.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    planned = analysis.planned
    if isinstance(planned, Missing):
        return Section(why_not(planned.reason))
    if planned["width"].isna().all():
        return Section(why_not(f"No width is defined. {planned['note'].iloc[0]}."))
    parts = [
        paragraph(
            "Expected width of the interval, from end to end, if a study had so many items like "
            "these and the same raters. A first study with few items knows the width itself with "
            "error."
        )
    ]
    for judge, rows in planned.groupby("judge", sort=False):
        what = f"the difference of {judge} from the experts" if judge else "agreement of the group"
        wide = rows.pivot_table(index="dimension", columns="n_items", values="width", sort=False)
        wide.columns = [f"{n:,} items" for n in wide.columns]
        wide = wide.reset_index()
        caption = f"Width of the {100 * analysis.level:g} % interval: {what}."
        parts.append(table(wide, caption, {c: c for c in wide}))
    parts.append(_enough(analysis))
    return Section(*parts)


def _enough(analysis):
    rows = analysis.enough
    rows = rows.assign(
        what=[f"difference of {j}" if j else "agreement of the group" for j in rows["judge"]],
        least=[_count(n) for n in rows["n_items"]],
        by_root=[_count(n) for n in rows["by_root_n"]],
    )
    columns = {"dimension": "dimension", "what": "of what"}
    columns |= {"least": "items, of those looked at", "by_root": "items, by the root of n"}
    return table(rows, f"Items for an interval of width {WIDTH:g}.", columns, "items_needed")


def _count(value):
    return "more" if pd.isna(value) else f"{int(value):,}"


# ------------------------------------------------------------------------------- words
def methods_text(analysis: Analysis) -> Section:
    """A paragraph on methods to paste, with the works cited.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    text, works = methods.paragraph(analysis)
    return Section(paragraph(text, "paste"), heading("References"), bullets(works))


def checklist_table(analysis: Analysis) -> Section:
    """The checklist, filled in as far as the data can.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Section
    """
    rows = checklist.filled(analysis)
    known = int((rows["status"] == checklist.FROM_DATA).sum())
    open_items = int(rows["status"].isin([checklist.PARTLY, checklist.YOURS]).sum())
    columns = {"number": "no.", "part": "part", "item": "what to report"}
    columns |= {"answer": "what the data say", "status": "status"}
    rows["number"] = rows["number"].astype(str)
    return Section(
        paragraph(
            f"{known} of {len(rows)} points could be filled in from the data. "
            f"{open_items} only you can write or complete. After Kottner et al. (2011), with "
            "points on judges added."
        ),
        table(rows, "What to report.", columns),
    )


# The sections in their order: title, and what makes it.
SECTIONS: tuple[tuple[str, Callable[[Analysis], Section]], ...] = (
    ("In short", summary),
    ("The data as read", data),
    ("Agreement within groups", within),
    ("Pairs of raters", pairs),
    ("Judges against the experts", judges),
    ("Level or order", level_or_order),
    ("The largest disagreements", items),
    ("What this number of items allows", allows),
    ("Methods, to paste", methods_text),
    ("Checklist", checklist_table),
)
