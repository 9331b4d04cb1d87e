"""Every printed number of the study beside ours, by the recipe that gives it."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from judging_empathy.data.files import data_dir
from judging_empathy.data.names import EXPERTS, MEDIAN, SELF, scales, titled
from judging_empathy.tables import (
    KAPPA_PUBLISHED,
    PUBLISHED_MODELS,
    TAU_DRAWS,
    TAU_SEED,
    alpha_published_draws,
    openings_table,
    stacked_tau_draws,
    verbosity_table,
)
from raters import check_ratings, pairwise, with_reference
from raters.intervals import percentile_interval
from raters.matrices import tables
from raters.measures import MEAN

KEYS = ["table", "framework", "dimension", "rater_a", "rater_b", "group", "quantity"]
COLUMNS = [*KEYS, "printed", "ours", "difference", "comparison", "same", "note"]
# The study's words for raters, in ours.
_RATERS = {"experts": MEDIAN, "llm": "gemini"}
_PAIRS = [
    ("expert1", "expert2"),
    ("expert2", "expert3"),
    ("expert3", "expert1"),
    (MEDIAN, "crowd"),
    (MEDIAN, "gemini"),
    ("gemini", "crowd"),
]
_SUBJECTS = {
    "Expert 1 and Expert 2": ("expert1", "expert2"),
    "Experts and LLM": (MEDIAN, "gemini"),
    "Experts and Crowd": (MEDIAN, "crowd"),
    "LLM and Crowd": ("gemini", "crowd"),
    "Dataset Perceived Empathy": "perceived_empathy",
    "Dataset Empathetic Dialogues": "empatheticdialogues",
    "Dataset EPITOME": "epitome",
}
TITLES = {
    "weighted_kappa": "Weighted kappa",
    "spearman": "Spearman",
    "krippendorff_alpha": "Krippendorff's alpha",
    "verbosity_ols": "Words and ratings",
    "kappa_percentile": "Percentiles of kappa",
    "kappa_describe": "Summaries of kappa",
    "self_report_kendall_tau_b": "Self-reports, Kendall",
    "kruskal_wallis_opening": "Openings, Kruskal-Wallis",
    "opening_count": "Openings, number of chats",
    "annotation_count": "Numbers in the abstract",
}
_GROUPS = {"expert_pairs_63": "63 expert pairs", "all_126": "all 126 pairs"}
_BATCH = 1000  # draws behind each printed alpha interval
_BATCHES = 200
_MONTE_CARLO = 4.0  # standard errors allowed to an unseeded printed interval
_ALMOST_EXACT = 1e-9  # of the number: for those printed to more digits than arithmetic repeats


def printed_values() -> pd.DataFrame:
    """All printed numbers in one long frame, as text at their printed precision.

    ``table, framework, dimension, rater_a, rater_b, group, quantity, printed``.

    >>> int(printed_values().table.value_counts()["weighted_kappa"])
    378
    """
    folder = data_dir() / "published"
    parts = []
    for name in ("weighted_kappa", "spearman", "krippendorff_alpha", "verbosity_ols"):
        wide = pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)
        keys = [c for c in KEYS if c in wide]
        long = wide.melt(keys, var_name="quantity", value_name="printed")
        parts.append(long[long["printed"] != ""].assign(table=name))
    other = pd.read_csv(folder / "other.csv", dtype=str, keep_default_na=False)
    other = other.rename(columns={"analysis": "table", "subject": "group", "value": "printed"})
    frame = pd.concat([*parts, other], ignore_index=True)
    frame = frame.reindex(columns=[*KEYS, "printed"]).fillna("")
    for column in ("rater_a", "rater_b"):
        frame[column] = frame[column].replace(_RATERS)
    frame["dimension"] = frame["dimension"].replace("(mean)", MEAN)
    return _in_our_columns(frame)


def _in_our_columns(frame):
    """The printed tables' own words for dimension, rater and group, where ours stand."""
    tests = frame["table"] == "kruskal_wallis_opening"
    frame.loc[tests, "dimension"] = frame.loc[tests, "group"]
    frame.loc[tests, ["framework", "group"]] = ["lend_an_ear", ""]
    own = frame["table"] == "self_report_kendall_tau_b"
    frame.loc[own, "rater_b"] = frame.loc[own, "group"].replace(_RATERS)
    frame.loc[own, ["framework", "rater_a", "group"]] = ["perceived_empathy", SELF, ""]
    slopes = frame["table"] == "verbosity_ols"
    who = frame.loc[slopes, "quantity"].str.split("_", n=1)
    frame.loc[slopes, "group"] = who.str[0].replace({"llm": "gemini"})
    frame.loc[slopes, "quantity"] = who.str[1]
    return frame


def replicate(
    ratings: pd.DataFrame,
    reports: pd.DataFrame,
    words: pd.DataFrame,
    openings: pd.DataFrame,
    counts: dict[str, int],
    seed: int,
) -> pd.DataFrame:
    """Each printed number, ours by the same recipe, and whether they are the same.

    Columns `COLUMNS`. ``comparison`` is ``"digit"`` (ours rounds to what is printed) or ``"monte
    carlo"`` (printed from draws without a seed: the same when within four standard errors of such
    a printed value). The seed is that of the alpha intervals; Kendall's interval has the printed
    seed, 0.
    """
    ratings = check_ratings(ratings, scales())
    kappas = _kappas(ratings)
    ours = pd.concat(
        [
            kappas,
            _kappa_summaries(kappas),
            _spearmans(ratings),
            _alphas(ratings, seed),
            _verbosity(ratings, words),
            _self_reports(ratings, reports),
            _openings(ratings, openings),
            _counts(counts),
        ],
        ignore_index=True,
    ).reindex(columns=[*KEYS, "value", "error"])
    ours[KEYS] = ours[KEYS].fillna("")
    both = printed_values().merge(ours, on=KEYS, how="left", validate="one_to_one")
    columns = both[["printed", "value", "error"]]
    verdicts = [_verdict(*row) for row in columns.itertuples(index=False)]
    both[["ours", "difference", "comparison", "same"]] = pd.DataFrame(
        verdicts, index=both.index, columns=["ours", "difference", "comparison", "same"]
    )
    both["note"] = ""
    if ratings.attrs.get("study") == "published":
        counted = (both["table"] == "annotation_count") & ~both["same"]
        both.loc[counted, "note"] = "see the data card: the files hold another number"
    return both[COLUMNS]


def verdict(part: pd.DataFrame, what: str) -> str:
    """One sentence on some printed numbers.

    How many are the same; on simulated ratings that nothing can be compared. `part` is rows of the
    study's table ``replication``, and `what` says what they are, in the plural.
    """
    if part.attrs["study"] == "simulated":
        return "These ratings are simulated: there is nothing to compare with the paper."
    drawn = part["comparison"] == "monte carlo"
    exact = part[~drawn]["same"]
    sentence = f"{exact.sum():,} of {len(exact):,} printed {what} come out to the printed digit"
    if not drawn.any():
        return sentence + "."
    ends = part[drawn]["same"]
    return sentence + f"; {ends.sum()} of {len(ends)} unseeded ends are within Monte Carlo error."


def readable(report: pd.DataFrame) -> pd.DataFrame:
    """The report as a table to read: quantity, printed, ours, same.

    All text: ``quantity, printed, ours, same``; ours has one digit more than printed.
    """
    named = titled(report)
    parts = [named["table"].map(TITLES), named["quantity"], named["framework"], named["dimension"]]
    pair = named["rater_a"] + " and " + named["rater_b"]
    parts += [pair.where(named["rater_a"] != "", ""), named["group"].replace(_GROUPS)]
    quantity = [": ".join([row[0], ", ".join(filter(None, row[1:]))]) for row in zip(*parts)]
    ours = [_one_digit_more(p, v) for p, v in zip(report["printed"], report["ours"])]
    same = report["same"].map({True: "same", False: "NOT the same"})
    same = same.where(report["comparison"] == "digit", same + " (Monte Carlo)")
    return pd.DataFrame(
        {"quantity": quantity, "printed": report["printed"], "ours": ours, "same?": same}
    )


def _one_digit_more(printed, value):
    if "e" in printed:
        digits = len(printed.split("e")[0].replace("-", "").replace(".", ""))
        return f"{value:.{digits}e}"
    decimals = len(printed.partition(".")[2])
    return f"{value:.{decimals + 1 if decimals else 0}f}"


def _verdict(printed, value, error):
    """Ours, the difference, the kind of comparison and its outcome."""
    number = float(printed)
    difference = value - number
    exponent = Decimal(printed).as_tuple().exponent
    half = 0.5 * 10.0**exponent
    # A computed value just at the edge of rounding may fall either way in its last bits.
    tolerance = max(half * (1 + 1e-6), abs(number) * _ALMOST_EXACT)
    if np.isnan(error):
        return value, difference, "digit", bool(abs(difference) <= tolerance)
    return value, difference, "monte carlo", bool(abs(difference) <= _MONTE_CARLO * error + half)


def _rows(table, rows):
    return pd.DataFrame(rows).assign(table=table)


def _kappas(ratings):
    """Kappa, z and p of the printed pairs; kappa by our own formula, z by statsmodels."""
    both = with_reference(ratings)
    result = pairwise(both, scales(), KAPPA_PUBLISHED, _PAIRS, resamples=0)
    kappa = result.set_index(["framework", "dimension", "rater_a", "rater_b"])["estimate"]
    names = list(dict.fromkeys(r for pair in _PAIRS for r in pair))
    rows = []
    for table in tables(both, scales(), names):
        for a, b in _PAIRS:
            x = table.values[:, [names.index(a), names.index(b)]]
            z = kappa_z(x)
            labels = {"framework": table.framework, "dimension": table.dimension}
            labels |= {"rater_a": a, "rater_b": b}
            value = kappa[table.framework, table.dimension, a, b]
            for quantity, number in (("kappa", value), ("z", z), ("p_value", _two_sided(z))):
                rows.append({**labels, "quantity": quantity, "value": number})
    return _rows("weighted_kappa", rows)


def kappa_z(x: np.ndarray) -> float:
    """z of quadratic kappa by position: kappa over its non-null standard error.

    `x` has a row an item and the two raters in its columns, complete.

    `statsmodels.stats.inter_rater.cohens_kappa`; Fleiss, Cohen and Everitt (1969).

    >>> x = np.array([[1, 1], [2, 2], [3, 3], [3, 2], [1, 2], [2, 2]])
    >>> round(kappa_z(x), 3)
    3.0
    """
    values, code = np.unique(np.rint(100 * x).astype(int), return_inverse=True)
    code = code.reshape(x.shape)
    table = np.zeros((values.size, values.size))
    np.add.at(table, (code[:, 0], code[:, 1]), 1)
    found = cohens_kappa(table, wt="quadratic")
    return float(found.kappa / np.sqrt(found.var_kappa))


def _two_sided(z):
    return float(2 * stats.norm.sf(abs(z)))


def _kappa_summaries(kappas):
    """Percentiles and summaries, from kappas rounded to two decimals as printed."""
    rounded = kappas[kappas["quantity"] == "kappa"].assign(value=lambda d: d["value"].round(2))
    rounded["value"] += 0.0  # turns -0.0 into 0.0
    rows = []
    experts = rounded[rounded["rater_b"].isin(EXPERTS)]
    for group, part in (("all_126", rounded), ("expert_pairs_63", experts)):
        for q in (25, 50, 75):
            rows.append(
                {"table": "kappa_percentile", "group": group, "quantity": str(q)}
                | {"value": np.percentile(part["value"], q)}
            )
    for subject, what in [("all", None), *_SUBJECTS.items()]:
        part = rounded
        if isinstance(what, tuple):
            part = rounded[(rounded["rater_a"] == what[0]) & (rounded["rater_b"] == what[1])]
        elif what:
            part = rounded[rounded["framework"] == what]
        rows += [
            {"table": "kappa_describe", "group": subject, "quantity": name, "value": value}
            for name, value in part["value"].describe().items()
        ]
    return pd.DataFrame(rows)


def _spearmans(ratings):
    """Spearman's rho and p by scipy, and its interval by Fisher's transformation."""
    names = list(dict.fromkeys(r for pair in _PAIRS for r in pair))
    rows = []
    for table in tables(with_reference(ratings), scales(), names):
        for a, b in _PAIRS:
            x, y = (table.values[:, names.index(r)] for r in (a, b))
            found = stats.spearmanr(x, y)
            reach = stats.norm.ppf(0.975) / np.sqrt(len(x) - 3)
            low, high = np.tanh(np.arctanh(found.statistic) + np.array([-reach, reach]))
            labels = {"framework": table.framework, "dimension": table.dimension}
            values = {"rho": found.statistic, "p_value": found.pvalue, "low": low, "high": high}
            rows += [
                {**labels, "rater_a": a, "rater_b": b, "quantity": q, "value": v}
                for q, v in values.items()
            ]
    return _rows("spearman", rows)


def _alphas(ratings, seed):
    """Alpha by dimension, framework means, and their intervals with Monte Carlo error."""
    rows = []
    for group, raters in (("experts", EXPERTS), ("llms", PUBLISHED_MODELS)):
        found = list(tables(ratings, scales(), raters))
        for framework in dict.fromkeys(table.framework for table in found):
            here = [table for table in found if table.framework == framework]
            sums, draws = alpha_published_draws(here, _BATCH * _BATCHES, seed)
            labels = {"framework": framework, "group": group, "quantity": "alpha"}
            values = [s.estimate() for s in sums]
            rows += [
                {**labels, "dimension": table.dimension, "value": value}
                for table, value in zip(here, values)
            ]
            labels["dimension"] = MEAN
            rows.append({**labels, "value": np.mean(values)})
            rows += _interval_rows(labels, draws.mean(axis=0))
    return _rows("krippendorff_alpha", rows)


def _interval_rows(labels, draws):
    """Both ends from all draws, and the spread of an end that comes from 1,000 draws."""
    ends = percentile_interval(draws)[:2]
    batches = np.array([percentile_interval(b)[:2] for b in draws.reshape(_BATCHES, _BATCH)])
    errors = batches.std(axis=0, ddof=1)
    return [
        {**labels, "quantity": quantity, "value": value, "error": error}
        for quantity, value, error in zip(("low", "high"), ends, errors)
    ]


def _verbosity(ratings, words):
    names = {
        "ols_slope_published": "coef",
        "ols_slope_p_published": "p",
        "ols_slope_p_adjusted_published": "p_adjusted",
    }
    found = verbosity_table(ratings, words).query("statistic in @names")
    return found.assign(
        table="verbosity_ols", quantity=found["statistic"].map(names), value=found["estimate"]
    )[["table", "framework", "dimension", "group", "quantity", "value"]]


def _self_reports(ratings, reports):
    both = with_reference(pd.concat([ratings, reports], ignore_index=True))
    both = both[both["dimension"].isin(reports["dimension"].unique())]
    rows = []
    labels = {"framework": "perceived_empathy", "rater_a": SELF}
    for other in ("crowd", MEDIAN):
        tau, draws, n = stacked_tau_draws(both, reports, other, TAU_DRAWS, TAU_SEED)
        low, high, _ = percentile_interval(draws)
        each = pairwise(both, scales(), "kendall_tau_b", [(SELF, other)], resamples=0)
        values = {"tau": tau, "low": low, "high": high, "n_pairs": n}
        values["median_over_dimensions"] = each["estimate"].median()
        rows += [{**labels, "rater_b": other, "quantity": q, "value": v} for q, v in values.items()]
    return _rows("self_report_kendall_tau_b", rows)


def _openings(ratings, openings):
    names = {
        "kruskal_wallis_h_published": "H",
        "kruskal_wallis_p_published": "p",
        "kruskal_wallis_p_adjusted_published": "p_adjusted",
    }
    found = openings_table(ratings, openings).query("statistic in @names")
    tests = pd.DataFrame(
        {
            "table": "kruskal_wallis_opening",
            "framework": "lend_an_ear",
            "dimension": found["dimension"],
            "quantity": found["statistic"].map(names),
            "value": found["estimate"],
        }
    )
    counts = openings["opening"].value_counts()
    sizes = pd.DataFrame(
        {"table": "opening_count", "group": counts.index, "quantity": "n", "value": counts.values}
    )
    return pd.concat([tests, sizes], ignore_index=True)


def _counts(counts):
    return _rows(
        "annotation_count",
        [{"group": group, "quantity": "n", "value": float(n)} for group, n in counts.items()],
    )
