"""The tables behind the audit: each published computation beside its plain alternative."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.outliers_influence import variance_inflation_factor

from judging_empathy import replication
from judging_empathy.data.names import CROWD, EXPERTS, MEDIAN, MODELS, SELF, scales
from judging_empathy.tables import KAPPA, KAPPA_PUBLISHED
from raters import pairwise, round_ratings, with_reference
from raters.coefficients import kendall_tau_b, krippendorff_alpha_interval, spearman_rho
from raters.draws import multiplicities
from raters.intervals import percentile_interval
from raters.judges import calibration
from raters.matrices import tables
from raters.measures import MEAN
from raters.multiplicity import adjusted

KEYS = ["framework", "dimension"]
# Where the published table turns green, in the code and in its caption.
THRESHOLD_IN_CODE, THRESHOLD_IN_CAPTION = 0.58, 0.55
_STARS = (0.05, 0.01, 0.001)
_ORDERS = 50  # in which eight ratings are summed
DISMISSING = "dismissing_emotions"
_PE = "perceived_empathy"
_LE = "lend_an_ear"


def printed_pairs() -> list[tuple[str, str]]:
    """The six pairs of raters of the printed tables.

    Returns
    -------
    list of (str, str)

    Examples
    --------
    >>> printed_pairs()[-1]
    ('gemini', 'crowd')
    """
    printed = replication.printed_values().query("table == 'weighted_kappa'")
    pairs = printed[["rater_a", "rater_b"]].drop_duplicates()
    return list(pairs.itertuples(index=False, name=None))


def p_values(ratings: pd.DataFrame) -> pd.DataFrame:
    """z, p and stars of the printed kappas under two variances.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.

    Returns
    -------
    DataFrame
        126 rows: ``framework, dimension, rater_a, rater_b, kappa``; ``z, p, stars`` with
        the variance that holds whatever kappa is, as published; ``z_null, p_null,
        stars_null`` with the variance under kappa = 0; ``stars_rounded`` from p rounded
        to three decimals.

    Notes
    -----
    `statsmodels.stats.inter_rater.cohens_kappa`; Fleiss, Cohen and Everitt (1969).

    Examples
    --------
    >>> from judging_empathy import Study
    >>> len(p_values(Study("simulated").ratings))
    126
    """
    pairs = printed_pairs()
    names = list(dict.fromkeys(rater for pair in pairs for rater in pair))
    rows = []
    for table in tables(with_reference(ratings), scales(), names):
        for a, b in pairs:
            x = np.rint(100 * table.values[:, [names.index(a), names.index(b)]])
            seen = np.unique(x)
            counts = pd.crosstab(x[:, 0], x[:, 1]).reindex(index=seen, columns=seen, fill_value=0)
            found = cohens_kappa(counts.to_numpy(), wt="quadratic")
            z = found.kappa / np.sqrt([found.var_kappa, found.var_kappa0])
            rows.append((table.framework, table.dimension, a, b, found.kappa, *z))
    frame = pd.DataFrame(rows, columns=[*KEYS, "rater_a", "rater_b", "kappa", "z", "z_null"])
    for end in ("", "_null"):
        frame[f"p{end}"] = 2 * stats.norm.sf(frame[f"z{end}"].abs())
        frame[f"stars{end}"] = _stars(frame[f"p{end}"])
    frame["stars_rounded"] = _stars(frame["p"].round(3))
    return frame


def _stars(p):
    return sum((p < limit).astype(int) for limit in _STARS)


def highlighted(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """The printed kappas, where each threshold colours them, and their intervals.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    resamples, seed : int
        Bootstrap of items.

    Returns
    -------
    DataFrame
        126 rows: ``framework, dimension, rater_a, rater_b``; ``kappa`` as printed;
        ``by_code``, ``by_caption`` (coloured); ``low, high`` of kappa by value.
    """
    both, pairs = with_reference(ratings), printed_pairs()
    printed = pairwise(both, scales(), KAPPA_PUBLISHED, pairs, resamples=0)
    plain = pairwise(both, scales(), KAPPA, pairs, resamples, seed)
    kappa = printed["estimate"].round(2) + 0.0
    return printed[[*KEYS, "rater_a", "rater_b"]].assign(
        kappa=kappa,
        by_code=kappa > THRESHOLD_IN_CODE,
        by_caption=kappa >= THRESHOLD_IN_CAPTION,
        low=plain["low"],
        high=plain["high"],
    )


def clipped_draws(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """What the cut at 0 and 1 does to the experts' alpha on the published draws.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    resamples, seed : int
        Draws of items.

    Returns
    -------
    DataFrame
        One row a dimension: ``clipped`` (share of draws), ``constant`` (draws without any
        variation, where alpha is not defined), ``low_clipped`` and ``low``.
    """
    rows = []
    for table in tables(ratings, scales(), EXPERTS):
        times = multiplicities(len(table.items), resamples, seed, table.framework)
        draws = krippendorff_alpha_interval(table.values, table.scale).resampled(
            (times > 0).astype(float)
        )
        rows.append(
            {
                "framework": table.framework,
                "dimension": table.dimension,
                "clipped": float(((draws < 0) | (draws > 1)).mean()),
                "constant": int(np.isnan(draws).sum()),
                "low_clipped": percentile_interval(np.clip(draws, 0, 1))[0],
                "low": percentile_interval(draws)[0],
            }
        )
    return pd.DataFrame(rows)


def median_of_pairs(ratings: pd.DataFrame) -> pd.DataFrame:
    """The median kappa of the expert pairs: of the two that are found, and of all three.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.

    Returns
    -------
    DataFrame
        ``framework, dimension, two, three, gemini``; the last is Gemini's kappa with the
        expert median.
    """
    pairs = [*combinations(EXPERTS, 2), (MEDIAN, "gemini")]
    found = pairwise(with_reference(ratings), scales(), KAPPA, pairs, resamples=0)
    wide = found.pivot_table("estimate", KEYS, ["rater_a", "rater_b"], sort=False)
    experts = wide[pairs[:3]]
    without = experts.drop(columns=[("expert1", "expert3")])
    columns = {"two": without.median(axis=1), "three": experts.median(axis=1)}
    return pd.DataFrame({**columns, "gemini": wide[pairs[3]]}).reset_index()


def expert_f1(ratings: pd.DataFrame) -> pd.DataFrame:
    """Weighted F1 of expert 1 and Gemini with a median that holds expert 1, and without.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.

    Returns
    -------
    DataFrame
        ``framework, dimension``; ``expert1, gemini`` with the median of three;
        ``expert1_apart, gemini_apart`` with that of experts 2 and 3, halves rounded to the
        even level.
    """
    both = with_reference(ratings)
    both = round_ratings(with_reference(both, without="expert1", name="others"))
    pairs = [(one, rater) for one in (MEDIAN, "others") for rater in ("expert1", "gemini")]
    found = pairwise(both, scales(), "f1_weighted", pairs, resamples=0)
    wide = found.pivot_table("estimate", KEYS, ["rater_a", "rater_b"], sort=False)[pairs]
    wide.columns = [rater + ("" if one == MEDIAN else "_apart") for one, rater in pairs]
    return wide.reset_index()


def chance_lines(baselines: pd.DataFrame) -> pd.DataFrame:
    """The F1 of chance as 1/K, and of always giving the most frequent rating.

    Parameters
    ----------
    baselines : DataFrame
        From `baselines`.

    Returns
    -------
    DataFrame
        ``framework, dimension, one_in_k, majority``.
    """
    rows = baselines[baselines["statistic"] == "f1_weighted"]
    rows = rows[(rows["rater"] == "majority") & (rows["compared_with"] == MEDIAN)]
    rows = rows[rows["dimension"] != MEAN]
    levels = rows["framework"].map({name: len(scale.levels) for name, scale in scales().items()})
    lines = rows[KEYS].assign(one_in_k=1 / levels, majority=rows["estimate"])
    return lines.reset_index(drop=True)


def told(
    ratings: pd.DataFrame,
    reports: pd.DataFrame,
    labels: Mapping[str, str],
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Self-reports and others, apart for seekers who were told different things.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    reports : DataFrame
        `study.self_reports`.
    labels : mapping
        `Study.labels_told`: item to one of two things.
    resamples, seed : int
        Bootstrap of items.

    Returns
    -------
    DataFrame
        ``rater, quantity, told, estimate, low, high, n_items``. Quantities are ``tau``
        (mean over the six dimensions; also ``within``, the mean of both groups by their
        size) and ``rating`` (the rater's mean). ``told`` is one of the two, ``difference``
        (first less second, by name) or ``within``.

    Notes
    -----
    Items are resampled over both groups; a resample counts in each group the items that
    are there.
    """
    names = sorted(set(labels.values()))
    both = with_reference(pd.concat([ratings, reports], ignore_index=True))
    both = both[both["dimension"].isin(reports["dimension"].unique())]
    raters = [SELF, MEDIAN, CROWD]
    found = list(tables(both, scales(), raters))
    member = np.array([[labels[item] == name for item in found[0].items] for name in names])
    times = multiplicities(len(found[0].items), resamples, seed, found[0].framework)
    # The ratings as they are come first, then the resamples.
    times = np.vstack([np.ones(len(found[0].items)), times])
    rows = []
    for place, rater in enumerate(raters):
        means = np.mean([table.values[:, place] for table in found], axis=0)
        values = {n: (times * k) @ means / (times @ k) for n, k in zip(names, member)}
        rows += _told_rows(rater, "rating", values, member)
        if rater == SELF:
            continue
        taus = [kendall_tau_b(table.values[:, [0, place]], table.scale) for table in found]
        values = {
            n: np.mean([tau.resampled(times * k) for tau in taus], axis=0)
            for n, k in zip(names, member)
        }
        size = np.array([times @ k for k in member])
        values["within"] = sum(s * values[n] for s, n in zip(size, names)) / size.sum(axis=0)
        rows += _told_rows(rater, "tau", values, member)
    return pd.DataFrame(rows)


def _told_rows(rater, quantity, values, member):
    first, second, *_ = values
    values = {**values, "difference": values[first] - values[second]}
    sizes = dict(zip((first, second), member.sum(axis=1)))
    for name, draws in values.items():
        low, high, _ = percentile_interval(draws[1:])
        yield {
            **{"rater": rater, "quantity": quantity, "told": name, "estimate": draws[0]},
            **{"low": low, "high": high, "n_items": int(sizes.get(name, member.shape[1]))},
        }


def slopes(ratings: pd.DataFrame, words: pd.DataFrame) -> pd.DataFrame:
    """Slopes on words: the experts' with clustered errors, and experts less Gemini.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    words : DataFrame
        `study.words`.

    Returns
    -------
    DataFrame
        One row a dimension: ``slope`` of the experts (150 rows) with ``p_clustered``, and
        ``contrast`` (the experts' slope less Gemini's, from the difference of their
        ratings on each conversation) with ``low, high, p, p_adjusted``; slopes in levels
        a word, errors that allow for unequal variance (HC3), Benjamini-Hochberg.
    """
    data = ratings.merge(words, on=["framework", "item"], validate="many_to_one")
    rows = []
    for (framework, dimension), part in data.groupby(KEYS, sort=False):
        experts = part[part["rater"].isin(EXPERTS)]
        wide = part.pivot(index=["item", "words"], columns="rater", values="rating").reset_index()
        gap = wide[list(EXPERTS)].mean(axis=1) - wide["gemini"]
        clustered = _line(experts["rating"], experts["words"]).fit(
            cov_type="cluster", cov_kwds={"groups": pd.factorize(experts["item"])[0]}
        )
        fit = _line(gap, wide["words"]).fit(cov_type="HC3")
        low, high = fit.conf_int()[1]
        rows.append(
            {
                **{"framework": framework, "dimension": dimension},
                **{"slope": clustered.params[1], "p_clustered": clustered.pvalues[1]},
                **{"contrast": fit.params[1], "low": low, "high": high, "p": fit.pvalues[1]},
            }
        )
    frame = pd.DataFrame(rows)
    return frame.assign(p_adjusted=adjusted(frame["p"], "bh"))


def _line(y, x):
    return sm.OLS(y.to_numpy(float), sm.add_constant(x.to_numpy(float)))


def library_vif(ratings: pd.DataFrame) -> pd.DataFrame:
    """statsmodels' variance inflation: its default, and the columns as they are or centred.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.

    Returns
    -------
    DataFrame
        One row a dimension: ``default``, ``uncentred``, ``centred``.

    Notes
    -----
    `statsmodels.stats.outliers_influence.variance_inflation_factor`, 0.15 or later, which
    has an argument ``standardize`` that is on by default.
    """
    experts = ratings[ratings["rater"].isin(EXPERTS)]
    rows = []
    for framework, part in experts.groupby("framework", sort=False):
        wide = part.pivot(index=["rater", "item"], columns="dimension", values="rating")
        wide = wide[list(part["dimension"].unique())]
        values = wide.to_numpy()
        centred = (wide - wide.mean()).to_numpy()
        for place, dimension in enumerate(wide.columns):
            rows.append(
                {
                    **{"framework": framework, "dimension": dimension},
                    "default": variance_inflation_factor(values, place),
                    "uncentred": variance_inflation_factor(values, place, standardize=False),
                    "centred": variance_inflation_factor(centred, place, standardize=False),
                }
            )
    return pd.DataFrame(rows)


def ties(ratings: pd.DataFrame, openings: pd.DataFrame) -> pd.DataFrame:
    """What the last bit of a mean does to the Kruskal-Wallis test of the openings.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    openings : DataFrame
        `study.openings`.

    Returns
    -------
    DataFrame
        One row a dimension: ``h`` with means rounded to nine decimals, so that equal means
        tie; ``lowest`` and ``highest`` h, and ``lowest_p``, ``highest_p``, with means as
        they come out when the same eight ratings are summed in 50 different orders.
    """
    here = with_reference(ratings)
    here = here[here["framework"] == _LE]
    rng = np.random.default_rng(0)
    rows = []
    for dimension, part in here.groupby("dimension", sort=False):
        wide = part.pivot(index="item", columns="rater", values="rating")
        groups = [wide.index.isin(rows["item"]) for _, rows in openings.groupby("opening")]
        tests = []
        for _ in range(_ORDERS):
            means = np.zeros(len(wide))
            for place in rng.permutation(wide.shape[1]):
                means = means + wide.iloc[:, place].to_numpy()
            means /= wide.shape[1]
            tests.append(stats.kruskal(*(means[group] for group in groups)))
        plain = stats.kruskal(*(means.round(9)[group] for group in groups))
        h, p = np.array([[test.statistic, test.pvalue] for test in tests]).T
        rows.append(
            {
                **{"framework": _LE, "dimension": dimension, "h": plain.statistic},
                **{"lowest": h.min(), "highest": h.max()},
                **{"lowest_p": p.min(), "highest_p": p.max()},
            }
        )
    return pd.DataFrame(rows)


def rho_intervals(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Spearman's rho of the printed pairs with three intervals.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    resamples, seed : int
        Bootstrap of items.

    Returns
    -------
    DataFrame
        126 rows: ``framework, dimension, rater_a, rater_b, rho``; for each of ``fisher``,
        ``bonett_wright`` and ``resampled``: ``low_*``, ``high_*``, ``width_*`` and
        ``inside_*``, the share of resampled rhos within the interval.

    Notes
    -----
    Fisher's standard error 1 / sqrt(n - 3) holds for Pearson's r. Bonett and Wright
    (2000), Psychometrika 65, 23-28: sqrt((1 + rho^2 / 2) / (n - 3)).
    """
    pairs = printed_pairs()
    names = list(dict.fromkeys(rater for pair in pairs for rater in pair))
    reach = stats.norm.ppf(0.975)
    rows = []
    for table in tables(with_reference(ratings), scales(), names):
        times = multiplicities(len(table.items), resamples, seed, table.framework)
        for a, b in pairs:
            x = table.values[:, [names.index(a), names.index(b)]]
            sums = spearman_rho(x, table.scale)
            rho, draws = sums.estimate(), sums.resampled(times)
            defined = draws[np.isfinite(draws)]  # rho is not, where a draw has one rating only
            error = 1 / np.sqrt(len(x) - 3)
            errors = {"fisher": error, "bonett_wright": error * np.sqrt(1 + rho**2 / 2)}
            ends = {
                name: np.tanh(np.arctanh(rho) + np.array([-reach, reach]) * se)
                for name, se in errors.items()
            }
            ends["resampled"] = percentile_interval(draws)[:2]
            row = dict(zip([*KEYS, "rater_a", "rater_b"], (table.framework, table.dimension, a, b)))
            row["rho"] = rho
            for name, (low, high) in ends.items():
                row |= {f"low_{name}": low, f"high_{name}": high, f"width_{name}": high - low}
                row[f"inside_{name}"] = ((defined >= low) & (defined <= high)).mean()
            rows.append(row)
    return pd.DataFrame(rows)


def mean_intervals(
    ratings: pd.DataFrame, reports: pd.DataFrame, resamples: int, seed: int
) -> pd.DataFrame:
    """Mean ratings on the six self-reported dimensions, with two intervals.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    reports : DataFrame
        `study.self_reports`.
    resamples, seed : int
        Bootstrap of items.

    Returns
    -------
    DataFrame
        ``rater, estimate``; ``low_rows, high_rows`` by t with 300 independent rows;
        ``low, high`` from resampled conversations. Rows for the self-reports, the crowd and
        the expert median, and for each two the difference of their means: under rows,
        ``low_rows`` and ``high_rows`` are the gap between the ends of the two intervals.
    """
    both = with_reference(pd.concat([ratings, reports], ignore_index=True))
    both = both[both["dimension"].isin(reports["dimension"].unique())]
    found, rows = {}, []
    for rater in (SELF, CROWD, MEDIAN):
        part = both[both["rater"] == rater]
        by_item = part.groupby("item")["rating"].mean()
        times = multiplicities(len(by_item), resamples, seed, _PE)
        draws = times @ by_item.to_numpy() / len(by_item)
        mean, n = part["rating"].mean(), len(part)
        half = stats.sem(part["rating"]) * stats.t.ppf(0.975, n - 1)
        found[rater] = mean, half, draws
        rows.append((rater, mean, mean - half, mean + half, *percentile_interval(draws)[:2]))
    for a, b in combinations(found, 2):
        (one, half, draws), (two, other, others) = found[a], found[b]
        gap, both_halves = one - two, half + other
        ends = percentile_interval(draws - others)[:2]
        rows.append((f"{a} - {b}", gap, gap - both_halves, gap + both_halves, *ends))
    columns = ["rater", "estimate", "low_rows", "high_rows", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def repaired(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Dismissing emotions: the models before and after recalibration on held-out items.

    Parameters
    ----------
    ratings : DataFrame
        The study's long frame.
    resamples, seed : int
        Bootstrap of items; folds.

    Returns
    -------
    DataFrame
        As `calibration`, for a shift, a line and an isotonic map.
    """
    return calibration(
        ratings[ratings["dimension"] == DISMISSING],
        scales(),
        list(MODELS),
        methods=("shift", "linear", "isotonic"),
        resamples=resamples,
        seed=seed,
        mean=False,
    )
