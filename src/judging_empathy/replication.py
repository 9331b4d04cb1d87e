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
    PAIRS,
    PUBLISHED_MODELS,
    TAU_DRAWS,
    TAU_SEED,
    alpha_published_draws,
    by_framework,
    openings_table,
    printed_pairs,
    stacked_tau_draws,
    verbosity_table,
    with_reports,
)
from raters import check_ratings, pairwise, with_reference
from raters.intervals import percentile_interval
from raters.measures import MEAN

KEYS = ["table", "framework", "dimension", "rater_a", "rater_b", "group", "quantity"]
COLUMNS = [*KEYS, "printed", "ours", "difference", "comparison", "same", "note"]
# The study's words for raters, in ours.
_RATERS = {"experts": MEDIAN, "llm": "gemini"}
_SUBJECTS = {
    "Expert 1 and Expert 2": {"rater_a": "expert1", "rater_b": "expert2"},
    "Experts and LLM": {"rater_a": MEDIAN, "rater_b": "gemini"},
    "Experts and Crowd": {"rater_a": MEDIAN, "rater_b": "crowd"},
    "LLM and Crowd": {"rater_a": "gemini", "rater_b": "crowd"},
    "Dataset Perceived Empathy": {"framework": "perceived_empathy"},
    "Dataset Empathetic Dialogues": {"framework": "empatheticdialogues"},
    "Dataset EPITOME": {"framework": "epitome"},
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
            _counted("annotation_count", counts),
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


def kappa_tests(ratings: pd.DataFrame) -> pd.DataFrame:
    """z of the printed kappas: kappa by position over its standard error.

    ``framework, dimension, rater_a, rater_b, kappa``; ``z`` with the variance that holds
    whatever kappa is, and ``z_null`` with that under kappa = 0.

    `statsmodels.stats.inter_rater.cohens_kappa`; Fleiss, Cohen and Everitt (1969).
    """
    rows = []
    for labels, x, _ in printed_pairs(ratings):
        values, code = np.unique(np.rint(100 * x), return_inverse=True)
        code = code.reshape(x.shape)
        counts = np.zeros((values.size, values.size))
        np.add.at(counts, (code[:, 0], code[:, 1]), 1)
        found = cohens_kappa(counts, wt="quadratic")
        z = found.kappa / np.sqrt([found.var_kappa, found.var_kappa0])
        rows.append({**labels, "kappa": found.kappa, "z": z[0], "z_null": z[1]})
    return pd.DataFrame(rows)


def two_sided(z: pd.Series) -> pd.Series:
    """The p-value of a standard normal z."""
    return 2 * stats.norm.sf(z.abs())


def _kappas(ratings):
    """Kappa, z and p of the printed pairs; kappa by our own formula, z by statsmodels."""
    result = pairwise(with_reference(ratings), scales(), KAPPA_PUBLISHED, PAIRS, resamples=0)
    labels = ["framework", "dimension", "rater_a", "rater_b"]
    wide = kappa_tests(ratings).drop(columns="kappa").merge(result[[*labels, "estimate"]])
    wide = wide.assign(kappa=wide["estimate"], p_value=two_sided(wide["z"]))
    long = wide.melt(labels, ["kappa", "z", "p_value"], "quantity", "value")
    return long.assign(table="weighted_kappa")


def _kappa_summaries(kappas):
    """Percentiles and summaries, from kappas rounded to two decimals as printed."""
    rounded = kappas[kappas["quantity"] == "kappa"].assign(value=lambda d: d["value"].round(2))
    rounded["value"] += 0.0  # turns -0.0 into 0.0
    experts = rounded[rounded["rater_b"].isin(EXPERTS)]
    rows = []
    for group, part in (("all_126", rounded), ("expert_pairs_63", experts)):
        quartiles = {str(q): np.percentile(part["value"], q) for q in (25, 50, 75)}
        rows += _one_each({"table": "kappa_percentile", "group": group}, quartiles)
    for subject, what in {"all": {}, **_SUBJECTS}.items():
        part = rounded[(rounded[list(what)] == pd.Series(what)).all(axis=1)]
        rows += _one_each({"table": "kappa_describe", "group": subject}, part["value"].describe())
    return pd.DataFrame(rows)


def fisher(rho: float, se: float) -> np.ndarray:
    """The 95 % interval of a correlation by Fisher's transformation, with its standard error."""
    return np.tanh(np.arctanh(rho) + stats.norm.ppf(0.975) * np.array([-se, se]))


def _spearmans(ratings):
    """Spearman's rho and p by scipy, and its interval by Fisher's transformation."""
    rows = []
    for labels, x, _ in printed_pairs(ratings):
        found = stats.spearmanr(*x.T)
        low, high = fisher(found.statistic, 1 / np.sqrt(len(x) - 3))
        values = {"rho": found.statistic, "p_value": found.pvalue, "low": low, "high": high}
        rows += _one_each(labels, values)
    return _rows("spearman", rows)


def _one_each(labels, values):
    return [{**labels, "quantity": name, "value": value} for name, value in values.items()]


def _alphas(ratings, seed):
    """Alpha by dimension, framework means, and their intervals with Monte Carlo error."""
    rows = []
    groups = {"experts": EXPERTS, "llms": PUBLISHED_MODELS}
    for of_groups in zip(*(by_framework(ratings, raters) for raters in groups.values())):
        for group, here in zip(groups, of_groups):
            sums, draws = alpha_published_draws(here, _BATCH * _BATCHES, seed)
            values = {table.dimension: s.estimate() for table, s in zip(here, sums)}
            values[MEAN] = np.mean(list(values.values()))
            labels = {"framework": here[0].framework, "group": group}
            rows += [
                {**labels, "quantity": "alpha", "dimension": dimension, "value": value}
                for dimension, value in values.items()
            ]
            rows += _interval_rows({**labels, "dimension": MEAN}, draws.mean(axis=0))
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
    names = {"": "coef", "_p": "p", "_p_adjusted": "p_adjusted"}
    found = _renamed(verbosity_table(ratings, words), "ols_slope", names)
    return found.assign(table="verbosity_ols")


def _renamed(found, start, names):
    """The rows by the published recipe, in the printed tables' words for quantities."""
    names = {f"{start}{ending}_published": name for ending, name in names.items()}
    found = found[found["statistic"].isin(names)]
    found = found.assign(quantity=found["statistic"].map(names), value=found["estimate"])
    return found[["framework", "dimension", "group", "quantity", "value"]]


def _self_reports(ratings, reports):
    both = with_reports(ratings, reports)
    rows = []
    labels = {"framework": "perceived_empathy", "rater_a": SELF}
    for other in ("crowd", MEDIAN):
        tau, draws, n = stacked_tau_draws(both, reports, other, TAU_DRAWS, TAU_SEED)
        low, high, _ = percentile_interval(draws)
        each = pairwise(both, scales(), "kendall_tau_b", [(SELF, other)], resamples=0)
        values = {"tau": tau, "low": low, "high": high, "n_pairs": n}
        values["median_over_dimensions"] = each["estimate"].median()
        rows += _one_each({**labels, "rater_b": other}, values)
    return _rows("self_report_kendall_tau_b", rows)


def _openings(ratings, openings):
    names = {"h": "H", "p": "p", "p_adjusted": "p_adjusted"}
    tests = _renamed(openings_table(ratings, openings), "kruskal_wallis_", names)
    tests = tests.drop(columns="group").assign(table="kruskal_wallis_opening")
    return pd.concat([tests, _counted("opening_count", openings["opening"].value_counts())])


def _counted(table, counts):
    return _rows(
        table, [{"group": g, "quantity": "n", "value": float(n)} for g, n in counts.items()]
    )
