"""Questions 7, 14 and 15: the intervals of alpha, of a correlation and of a mean."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from judging_empathy.audit.questions import ALPHA, KEYS, Found, claim, question
from judging_empathy.data.names import CROWD, EXPERTS, LABELS, MEDIAN, SELF, scales
from judging_empathy.replication import fisher
from judging_empathy.tables import printed_pairs, with_reports
from raters.coefficients import krippendorff_alpha_interval, spearman_rho
from raters.draws import multiplicities
from raters.intervals import on_the_line, percentile_interval
from raters.matrices import tables
from raters.measures import MEAN
from raters.show.tables import number, with_interval

# The standard deviation of the noise on plotted ratings, as the published cells have it.
JITTER = 0.25
# Krippendorff (2019): below it not even tentative conclusions.
TENTATIVE = 0.667
_PE = "perceived_empathy"
_THREE = (SELF, CROWD, MEDIAN)
_MOST = 200_000  # resamples where an end of an interval lies on the line


def clipped_draws(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """What the cut at 0 and 1 does to the experts' alpha on the published draws.

    One row a dimension: ``clipped`` (share of draws), ``constant`` (draws without any variation,
    where alpha is not defined), ``low_clipped`` and ``low``.
    """
    rows = []
    for table in tables(ratings, scales(), EXPERTS):
        times = multiplicities(len(table.items), resamples, seed, table.framework)
        draws = krippendorff_alpha_interval(table.values, table.scale).resampled(
            (times > 0).astype(float)
        )
        clipped = np.clip(draws, 0, 1)
        lows = [percentile_interval(values)[0] for values in (clipped, draws)]
        share, constant = ((draws < 0) | (draws > 1)).mean(), np.isnan(draws).sum()
        rows.append((table.framework, table.dimension, float(share), int(constant), *lows))
    return pd.DataFrame(rows, columns=[*KEYS, "clipped", "constant", "low_clipped", "low"])


def rho_intervals(ratings: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Spearman's rho of the printed pairs with three intervals.

    126 rows: ``framework, dimension, rater_a, rater_b, rho``; for each of ``fisher``,
    ``bonett_wright`` and ``resampled``: ``low_*``, ``high_*``, ``width_*`` and ``inside_*``, the
    share of resampled rhos within the interval.

    Fisher's standard error 1 / sqrt(n - 3) holds for Pearson's r. Bonett and Wright
    (2000), Psychometrika 65, 23-28: sqrt((1 + rho^2 / 2) / (n - 3)).
    """
    rows = []
    for labels, x, scale in printed_pairs(ratings):
        sums = spearman_rho(x, scale)
        rho = sums.estimate()
        draws = sums.resampled(multiplicities(len(x), resamples, seed, labels["framework"]))
        defined = draws[np.isfinite(draws)]  # rho is not, where a draw has one rating only
        error = 1 / np.sqrt(len(x) - 3)
        ends = {
            "fisher": fisher(rho, error),
            "bonett_wright": fisher(rho, error * np.sqrt(1 + rho**2 / 2)),
            "resampled": percentile_interval(draws)[:2],
        }
        row = {**labels, "rho": rho}
        for name, (low, high) in ends.items():
            row |= {f"low_{name}": low, f"high_{name}": high, f"width_{name}": high - low}
            row[f"inside_{name}"] = ((defined >= low) & (defined <= high)).mean()
        rows.append(row)
    return pd.DataFrame(rows)


def mean_intervals(
    ratings: pd.DataFrame, reports: pd.DataFrame, resamples: int, seed: int
) -> pd.DataFrame:
    """Mean ratings on the six self-reported dimensions, with two intervals.

    ``rater, estimate``; ``low_rows, high_rows`` by t with 300 independent rows; ``low, high`` from
    resampled conversations. Rows for the self-reports, the crowd and the expert median, and for
    each two the difference of their means: under rows, ``low_rows`` and ``high_rows`` are the gap
    between the ends of the two intervals.
    """
    both = with_reports(ratings, reports)
    parts = {rater: both.loc[both["rater"] == rater, ["item", "rating"]] for rater in _THREE}
    by_item = {rater: part.groupby("item")["rating"].mean() for rater, part in parts.items()}

    def drawn(rater, count):
        values = by_item[rater].to_numpy()
        return multiplicities(len(values), count, seed, _PE) @ values / len(values)

    found, rows = {}, []
    for rater, part in parts.items():
        mean, n = part["rating"].mean(), len(part)
        half = stats.sem(part["rating"]) * stats.t.ppf(0.975, n - 1)
        found[rater] = mean, half
        ends = percentile_interval(drawn(rater, resamples))[:2]
        rows.append((rater, mean, mean - half, mean + half, *ends))
    for a, b in combinations(found, 2):
        (one, half), (two, other) = found[a], found[b]
        gap, both_halves, count = one - two, half + other, resamples
        draws = drawn(a, count) - drawn(b, count)
        # The ends say whether two differ: where chance decides that, more draws are taken.
        while on_the_line(draws, 0) and 0 < count <= _MOST // 10:
            count *= 10
            draws = drawn(a, count) - drawn(b, count)
        ends = percentile_interval(draws)[:2]
        rows.append((f"{a} - {b}", gap, gap - both_halves, gap + both_halves, *ends))
    columns = ["rater", "estimate", "low_rows", "high_rows", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _alpha_intervals(m):
    """The experts' alpha with intervals by both recipes: dimensions and framework means."""
    rows = m.table("alpha")
    rows = rows[rows["group"] == "expert"]
    parts = [
        rows[rows["statistic"] == name].set_index(KEYS)[["estimate", "low", "high"]]
        for name in (f"{ALPHA}_published", ALPHA)
    ]
    return parts[0].add_suffix("_published").join(parts[1].add_suffix("_plain"))


@question("7a")
def _multiplicity(m):
    found = _alpha_intervals(m)
    width = pd.DataFrame(
        {name: found[f"high_{name}"] - found[f"low_{name}"] for name in ("published", "plain")}
    )
    mean = width.index.get_level_values("dimension") == MEAN
    ratio = width["plain"] / width["published"]
    single = found[~mean]
    return claim(
        width.loc[mean, "published"].mean(),
        width.loc[mean, "plain"].mean(),
        f"The plain intervals of the framework means are {number(ratio[mean].min())} to "
        f"{number(ratio[mean].max())} times as wide; of single dimensions "
        f"{number(ratio[~mean].min())} to {number(ratio[~mean].max())} times.",
        f"The experts' whole interval above {TENTATIVE:g}",
        single["low_published"] > TENTATIVE,
        single["low_plain"] > TENTATIVE,
    )


@question("7b")
def _clipping(m):
    found = m.table("clipped_draws")
    return claim(
        found["low_clipped"].min(),
        found["low"].min(),
        f"{(found['clipped'] > 0).sum()} of {len(found)} dimensions have draws that are cut off, "
        f"at most {100 * found['clipped'].max():.1f} % of them. The lower end moves by at most "
        f"{number((found['low'] - found['low_clipped']).abs().max(), 3)}. Draws with one rating "
        f"only: {found['constant'].sum()} of {len(found) * m.resamples:,}.",
        "The interval reaches 0",
        found["low_clipped"] <= 0,
        found["low"] <= 0,
    )


@question("14")
def _rho(m):
    found = m.table("rho_intervals")
    wider = found["width_bonett_wright"] / found["width_fisher"]
    resampled = found["width_resampled"] / found["width_fisher"]
    clear = {
        name: (found[f"low_{name}"] > 0) | (found[f"high_{name}"] < 0)
        for name in ("fisher", "bonett_wright", "resampled")
    }
    return claim(
        found["width_fisher"].mean(),
        found["width_bonett_wright"].mean(),
        f"Bonett and Wright's are up to {number(wider.max())} times as wide, on average "
        f"{number(wider.mean())}; resampled ones {number(resampled.min())} to "
        f"{number(resampled.max())} times, on average {number(resampled.mean())}. Fisher's hold "
        f"{100 * found['inside_fisher'].mean():.1f} % of the resampled values, the others "
        f"{100 * found['inside_bonett_wright'].mean():.1f} %. By resampling "
        f"{clear['resampled'].sum()} exclude 0.",
        "The interval excludes 0",
        clear["fisher"],
        clear["bonett_wright"],
    )


@question("15a")
def _noise(m):
    here = m.ratings[m.ratings["dimension"].isin(m.study.self_reports["dimension"].unique())]
    spread = here.loc[here["rater"] == CROWD, "rating"].std()
    wrong = 2 * stats.norm.sf(0.5 / JITTER)
    return Found(
        float(np.hypot(spread, JITTER)),
        float(spread),
        f"About {100 * wrong:.0f} % of the points are expected nearer to another level than to "
        f"their own. The means and intervals in the figure come from the values without noise.",
        "no",
        "The noise is in the picture only: no number is computed from it.",
    )


@question("15b")
def _three_hundred_rows(m):
    found = m.table("mean_intervals")
    pairs = found["rater"].str.contains(" - ")
    single, gaps = found[~pairs], found[pairs]
    width = [single["high_rows"] - single["low_rows"], single["high"] - single["low"]]
    ratio = width[1] / width[0]
    return claim(
        width[0].mean(),
        width[1].mean(),
        f"The plain intervals are {number(ratio.min(), 1)} to {number(ratio.max(), 1)} times as "
        "wide. "
        + "; ".join(
            f"{_names(row.rater)} {with_interval(row)}" for row in gaps.itertuples(index=False)
        )
        + ".",
        "Two of self-report, crowd and experts differ",
        (gaps["low_rows"] > 0) | (gaps["high_rows"] < 0),
        (gaps["low"] > 0) | (gaps["high"] < 0),
    )


def _names(pair):
    return " less ".join(LABELS[rater] for rater in pair.split(" - "))
