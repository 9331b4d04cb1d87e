"""What the book says about its results: sentences whose words follow from the numbers.

They hold for simulated ratings as well. Each takes the frame that the page shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from judging_empathy import models as judging
from judging_empathy.chart_data import against_each_expert, bands
from judging_empathy.chart_data import islands as chart_islands
from judging_empathy.data import files
from judging_empathy.data.names import CROWD, EXPERTS, LABELS, MODELS
from judging_empathy.tables import KAPPA
from raters.judges import verdict_counts
from raters.judges.rule import LEAST_FOR_MARGIN
from raters.measures import MEAN
from raters.results import ALL
from raters.show import tables as display
from raters.show.tables import interval, number, with_interval


def made_from(ratings: pd.DataFrame, resamples: int, seed: int) -> display.Markdown:
    """What a page is made from, in a line; a warning when the ratings are simulated."""
    items = len(ratings.drop_duplicates(["framework", "item"]))
    size = f"{len(ratings):,} ratings of {items} conversations"
    how = f"{resamples:,} resamples of conversations, seed {seed}"
    if ratings.attrs["study"] == "published":
        return display.say(
            f"Made from: the study's published ratings ({size}; {len(files.store().registry)} "
            f"files, each checked by sha256, commit {files.COMMIT[:7]}); {how}."
        )
    return display.say(
        f"**Simulated ratings: these numbers are not the paper's.** This page shows made-up "
        f"ratings of the study's shape ({size}; {how}). They are made from the printed kappas "
        "and from each rater's mean and spread, so they resemble the study. Sentences that "
        "compare with the paper mean nothing here."
    )


def finding(pairs: pd.DataFrame) -> str:
    """The sentence under the book's first chart."""
    mean = against_each_expert(pairs).groupby("series")["estimate"].mean()
    return (
        "Mean kappa over 21 dimensions with a single expert: "
        f"{bands(pairs)['estimate'].mean():.2f} for another expert, "
        f"{mean['Gemini']:.2f} for Gemini, {mean['Claude']:.2f} for Claude, "
        f"{mean['GPT-4o']:.2f} for GPT-4o, {mean['crowd']:.2f} for the crowd "
        "(n = 50 conversations a dimension)."
    )


def islands(pairs: pd.DataFrame) -> str:
    """How the models agree on dismissing emotions, how the experts, and how one with the other."""
    rows = chart_islands(pairs)
    both = {
        (first, second): rows[
            rows["rater_a"].isin([LABELS[n] for n in first])
            & rows["rater_b"].isin([LABELS[n] for n in second])
        ]["estimate"]
        for first, second in ((MODELS, MODELS), (EXPERTS, EXPERTS), (EXPERTS, MODELS))
    }
    models, experts, across = (f"{k.min():.2f} to {k.max():.2f}" for k in both.values())
    return (
        f"On dismissing emotions the models agree with each other at kappas of {models}, the "
        f"experts at {experts}, and an expert with a model at {across} (n = 50 conversations)."
    )


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["Gemini", "Claude", "GPT-4o"]), listed(["Gemini"])
    ('Gemini, Claude and GPT-4o', 'Gemini')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def standing(low: float, high: float) -> str:
    """Where an interval of a difference lies: ``"above"``, ``"below"`` or ``"open"``."""
    return "above" if low > 0 else "below" if high < 0 else "open"


def agrees(names: Sequence[str], verb: str = "agree", ending: str = "s") -> str:
    """Who agrees, with the verb in its number.

    >>> agrees(["Gemini", "Claude"]), agrees(["Gemini"])
    ('Gemini and Claude agree', 'Gemini agrees')
    """
    return f"{listed(names)} {verb}{ending * (len(names) == 1)}"


def answer(
    found: pd.DataFrame, bca: pd.DataFrame, crowd: pd.DataFrame, decided: pd.DataFrame
) -> dict[str, display.Markdown]:
    """What the study can say about its models, in short paragraphs.

    ``short``, ``expert``, ``dimensions``, ``crowd``, ``level``. The words follow from where the
    intervals lie, so they also hold for simulated ratings. `found` is the study's table
    ``benchmark``, or the part of it that is about the models in the reading ``single``; `bca` the
    same for kappa, with BCa intervals; `decided` what `decide` says of them, corrected.
    """
    models = [LABELS[name] for name in MODELS]
    frames = [judging.named(frame[frame["reading"] == "single"]) for frame in (found, bca, crowd)]
    kappa, centred, rho, other, against = (
        judging.overall(frame[frame["statistic"] == statistic]).set_index("judge")
        for frame, statistic in zip(
            [frames[0]] * 3 + frames[1:], (KAPPA, judging.CENTRED, judging.RHO, KAPPA, KAPPA)
        )
    )
    return {
        "short": _short(kappa, other, against, models),
        "expert": _against_an_expert(kappa, other, models),
        "dimensions": _by_dimension(decided, models),
        "crowd": _against_the_crowd(against, models),
        "level": _level(centred, rho, models),
    }


def gap(row: pd.Series) -> str:
    """A difference with its interval, for a sentence."""
    return with_interval(row, "difference")


def by_judge(rows: pd.DataFrame, value: str = "difference") -> str:
    """The models' and the crowd's values with their intervals, as far as they are there."""
    rows = rows.set_index("judge")
    there = [name for name in (*MODELS, CROWD) if name in rows.index]
    return "; ".join(f"{LABELS[name]} {with_interval(rows.loc[name], value)}" for name in there)


def _gaps(rows, names):
    return "; ".join(f"{name} {gap(rows.loc[name])}" for name in names)


def _places(kappa, bca, models):
    """Where the two kinds of interval of each model lie."""
    return {
        name: {standing(rows.loc[name, "low"], rows.loc[name, "high"]) for rows in (kappa, bca)}
        for name in models
    }


def _short(kappa, bca, against, models):
    """The answer of the book, for the first screen of a phone."""
    where = _places(kappa, bca, models)
    best = sorted(models, key=lambda name: -kappa.loc[name, "value"])
    reached = [f"{name} {number(kappa.loc[name, 'value'])}" for name in best]
    reached[0] = reached[0].replace(best[0], f"{best[0]} reaches")
    reached.append(f"the crowd {number(against['crowd'].iloc[0])}")
    below, above = ([name for name in models if where[name] == {p}] for p in ("below", "above"))
    rest = [name for name in models if name not in (*below, *above)]
    better = [name for name in models if against.loc[name, "low"] > 0]
    said = []
    if below:
        said.append(f"For {listed(below)} the gap to another expert is real.")
    if above:
        said.append(f"{agrees(above)} with an expert better than another expert does.")
    if rest:
        items = kappa["n_items"].iloc[0]
        said.append(f"For {listed(rest)}, {items} conversations cannot tell a small gap from none.")
    if better:
        who = "All models" if len(better) == len(models) else listed(better)
        said.append(f"{who} agree with an expert better than the crowd does, on average.")
    return display.say(
        f"""**Answer.** Two experts agree with each other at a mean kappa of
        {number(kappa["benchmark"].iloc[0])}; 1 is perfect, 0 is chance. With an expert
        {listed(reached)}. {" ".join(said)}"""
    )


def for_the_models(median: pd.DataFrame, tested: pd.DataFrame) -> str:
    """What the two usual yardsticks say for the models: the median, and a model as a rater.

    `median` is `benchmark` in the reading ``paper``, `tested` the table of the alternative
    annotator test.
    """
    rows = judging.overall(judging.named(median)).set_index("judge")
    all_items = (tested["framework"] == ALL) & (tested["alignment"] == "accuracy")
    verdicts = tested[all_items].set_index("judge")["verdict"]
    passed = [LABELS[name] for name in MODELS if verdicts[name] == "passes"]
    failed = [LABELS[name] for name in MODELS if verdicts[name] != "passes"]
    said = [f"{agrees(passed, 'pass', 'es')}"] * bool(passed)
    said += [f"{agrees(failed, 'do', 'es')} not"] * bool(failed)
    return (
        "**What speaks for the models.** The paper holds a model against the *median* of the three "
        "experts, which is steadier than one expert. By this yardstick the differences from the "
        f"experts are: {_gaps(rows, [LABELS[name] for name in MODELS])}. And in a published test "
        "that asks whether a model could take the place of one expert, "
        f"{listed(said)}, on all conversations together ([chapter 6](06_models))."
    )


def _against_an_expert(kappa, bca, models):
    where = _places(kappa, bca, models)
    said = []
    for place, words in (("below", "less well than"), ("above", "better than")):
        sure = [name for name in models if where[name] == {place}]
        if sure:
            said.append(f"So on average {agrees(sure)} with an expert {words} another expert does.")
    for name in models:
        if where[name] == {"open"}:
            said.append(
                f"{name} cannot be told apart from another expert on average, which does "
                "not show that it is as good."
            )
        elif len(where[name]) > 1:
            b = bca.loc[name]
            said.append(
                f"For {name} two standard kinds of interval disagree: the other one (BCa) runs "
                f"from {interval(b.low, b.high)}. We call it undecided."
            )
    return display.say(
        f"""**Against another expert.** Two experts agree with each other with a mean kappa of
        {number(kappa["benchmark"].iloc[0])} (1 is perfect, 0 is chance; 21 dimensions, n = 50
        conversations each). A model's kappa with an expert, less that, with its 95 % interval:
        {_gaps(kappa, models)}. {" ".join(said)}"""
    )


def _by_dimension(decided, models):
    counts = judging.named(judging.decision_counts(decided)).set_index("judge")
    parts = "; ".join(
        f"{name}: below the experts' own agreement on {counts.loc[name, 'below_adjusted']}, above "
        f"it on {counts.loc[name, 'above_adjusted']}"
        for name in models
    )
    return display.say(
        f"""**Dimension by dimension.** Of {counts["dimensions"].iloc[0]} dimensions, corrected for
        as many tests (Holm): {parts}. On the others nothing is decided, and that does not mean
        equal: to show that a difference is smaller than {judging.MARGIN}, {LEAST_FOR_MARGIN}
        conversations are needed, and each dimension has fifty."""
    )


def _against_the_crowd(rows, models):
    better = [name for name in models if rows.loc[name, "low"] > 0]
    rest = [name for name in models if name not in better]
    said = []
    if better:
        who = "" if rest else "All of "
        said.append(f"{who}{agrees(better)} with an expert better than the crowd does on average.")
    if rest:
        said.append(f"For {listed(rest)} that is not shown.")
    return display.say(
        f"""**Against the crowd.** {" ".join(said)} Difference of mean kappas:
        {_gaps(rows, models)}. "The crowd" is four different groups of people."""
    )


def _level(centred, rho, models):
    level_out, order_alone = (
        [name for name in models if rows.loc[name, "high"] < 0] for rows in (centred, rho)
    )
    still = "no model is clearly below another expert."
    if level_out:
        still = f"{agrees(level_out, 'still agree')} less well than another expert."
    order = f"{agrees(order_alone, 'do', 'es')}." if order_alone else "none clearly is."
    return display.say(
        f"""**Level and order.** Some raters use a scale higher or lower than others. With the
        means of all raters made equal, the same differences are: {_gaps(centred, models)}. In
        the order of the conversations alone (Spearman's correlation): {_gaps(rho, models)}.
        With level out of it, {still} In the order alone {order} Labels by experts repair a
        difference of level, not one of order."""
    )


# --- chapter 7: the crowd ---------------------------------------------------------------


def level_or_order(level: pd.DataFrame) -> str:
    """Whether the distance between Gemini and the crowd is mostly level, or mostly order."""
    mean = level[level["framework"] == "all frameworks"]
    mean = mean.set_index(["judge", "statistic"])["estimate"]
    before, after = (
        mean["gemini", name] - mean["crowd", name] for name in (KAPPA, judging.CENTRED)
    )
    goes = f"goes from {number(before)} to {number(after)}"
    if after <= before / 2:
        return (
            f"Without the shift the distance between Gemini and the crowd {goes}: by these "
            "estimates most of it is level."
        )
    shift = level[(level["judge"] == "crowd") & (level["statistic"] == "mean_difference")]
    shift = shift[shift["dimension"] != MEAN]
    return (
        f"The crowd's mean lies above the experts' on {(shift['estimate'] > 0).sum()} of 21 "
        f"dimensions, clearly on {(shift['low'] > 0).sum()}, and clearly below on "
        f"{(shift['high'] < 0).sum()}. Gemini gains from a shift, too, by "
        f"{number(mean['gemini', 'kappa_gain_without_level'])}. The distance between Gemini and "
        f"the crowd {goes}. So by these estimates, which have errors of their own, a smaller part "
        "of that distance is level and the larger part is order and spread."
    )


# --- chapter 6: models against experts ----------------------------------------------------


def one_more_expert(fourth: Mapping[int, tuple[float, pd.DataFrame]]) -> str:
    """What the tests say about simulated judges who are one more expert."""
    share, held = fourth[50]
    ahead, even = (held.loc[reading, "difference"] for reading in ("paper", "single"))
    error = 2 / np.sqrt(len(even))
    within = {
        n: (rows.loc["single", "verdict"] == "within it").mean() for n, (_, rows) in fourth.items()
    }
    return (
        f"{len(even)} simulated studies with 50 conversations each; the experts' mean kappa is "
        f"{held.loc['single', 'benchmark'].mean():.2f}. The fourth expert **passes the alternative "
        f"annotator test in {share:.0%}** of them (with 200 conversations in "
        f"{fourth[200][0]:.0%}). **Against the median this expert comes out "
        f"{number(ahead.mean())} ahead** of the others (± {ahead.std() * error:.2f}), with single "
        f"experts {number(even.mean())} (± {even.std() * error:.2f}); ± is two standard errors. "
        f"That such a judge is within 0.1 of the experts is shown in {within[50]:.0%} of the "
        f"studies (with 200 conversations in {within[200]:.0%}): below {LEAST_FOR_MARGIN} "
        "conversations nothing is shown."
    )


def what_a_shift_repairs(repaired: pd.DataFrame, bands: pd.DataFrame) -> str:
    """What is left after a shift on dismissing emotions, and whether a line is better."""
    after = repaired[(repaired["quantity"] == "after") & repaired["judge"].isin(MODELS)]
    one = after[(after["dimension"] == "dismissing_emotions") & (after["method"] == "shift")]
    one = one[one["statistic"] == KAPPA]["estimate"]
    low, high = bands.set_index("dimension").loc["dismissing_emotions", ["low", "high"]]
    maps = judging.overall(after).pivot_table("estimate", "method", "statistic")
    kappa, error = maps[KAPPA], maps["mean_absolute_error"]
    return (
        f"On dismissing emotions the shifted models reach {number(one.min())} to "
        f"{number(one.max())} with the experts' *median*; single experts have {low:.2f} to "
        f"{high:.2f} with each other. A shift repairs level, not order. Is a straight line better, "
        "fitted by least squares? It brings the three models a mean kappa of "
        f"{kappa['linear']:.2f} where a shift brings {kappa['shift']:.2f}, and a mean error of "
        f"{error['linear']:.2f} levels in place of {error['shift']:.2f}. Such a line pulls ratings "
        "towards the middle, which suits an error better than kappa."
    )


# --- chapter 9: robustness ----------------------------------------------------------------


def rows_or_conversations(units: pd.DataFrame, tau: pd.DataFrame) -> str:
    """What changes when conversations are resampled in place of rows."""
    width = (units["high"] - units["low"]).groupby(units["unit"]).mean()
    clear = (units["low"] > 0).groupby(units["unit"]).sum()
    models = tau[tau["dimension"] == MEAN].set_index("rater_b").loc[list(MODELS)]
    taus = listed([f"{with_interval(row)} for {LABELS[name]}" for name, row in models.iterrows()])
    return (
        "**What we learned.** With conversations as the unit the intervals are "
        f"{width['50 conversations'] / width['300 rows']:.1f} times as wide. Tau is clearly above "
        f"zero for {clear['300 rows']} of 2 (experts, crowd) with rows and for "
        f"{clear['50 conversations']} of 2 with conversations. An interval that holds zero does "
        f"not show that there is no link. For the models the mean tau is {taus}: three more "
        "intervals, not corrected for looking at several."
    )


def told(rows: pd.DataFrame | None) -> str:
    """Whether it matters what the seekers were told; None where that is not known."""
    if rows is None:
        return "Nothing to say on simulated ratings."
    row = rows.set_index(["rater", "quantity", "told"])
    own = row.loc[("self_report", "rating", "difference")]
    levels = f"{number(own.estimate)} levels ({interval(own.low, own.high)})"
    gaps, within = (
        [row.loc[(who, "tau", which)] for who in ("expert_median", "crowd")]
        for which in ("difference", "within")
    )
    zero = sum(one.low <= 0 <= one.high for one in gaps)
    return (
        f'**What we learned.** Self-reports of those told "AI" less the others\': {levels}. The '
        "difference of tau between the groups has an interval that includes zero for "
        f"{zero} of 2. Within groups tau is {number(within[0].estimate)} with the experts and "
        f"{number(within[1].estimate)} with the crowd. Two dozen seekers a group are too few to "
        "see a moderate effect of the label."
    )


def up_and_down(slopes: pd.DataFrame) -> str:
    """On how many dimensions the slope on length is clearly up, and clearly down."""
    up = (slopes["low"] > 0).groupby(slopes["series"]).sum()
    down = (slopes["high"] < 0).groupby(slopes["series"]).sum()
    return (
        f"The slope is clearly up on {up['experts']} and clearly down on {down['experts']} of 21 "
        f"dimensions for the experts; for Gemini up on {up['Gemini']}, down on {down['Gemini']}. "
        "Clearly: its 95 % interval excludes 0 (one row a conversation, n = 50 each)."
    )


def slopes_that_differ(compared: pd.DataFrame) -> str:
    """On how many dimensions the two slopes differ, before and after correction."""
    return (
        "The slopes of experts and Gemini differ on "
        f"{(compared['p'] < 0.05).sum()} of 21 dimensions, on "
        f"{(compared['p_adjusted'] < 0.05).sum()} after correction for 21 tests "
        "(Benjamini-Hochberg, n = 50 each)."
    )


def order_or_level(gaps: pd.DataFrame, means: pd.DataFrame) -> str:
    """What a model does better than a line on length, and what not."""
    key = gaps.set_index(["statistic", "compared_with"])
    strict, error = key.loc[(KAPPA, "length")], key.loc[("mean_absolute_error", "length")]
    lines = means[
        (means["compared_with"] == "length") & (means["statistic"] == "mean_absolute_error")
    ].set_index("rater")
    worse, better = (
        ", ".join(LABELS[rater] for rater in lines.index[there]) or "none"
        for there in (lines["low"] > 0, lines["high"] < 0)
    )
    return (
        f"**What we learned.** In kappa Gemini is above the line on length by {strict.gap} on "
        f"average, and clearly so on {strict.clear} dimensions. In error the difference is "
        f"{error.gap}. Models with a clearly larger mean error than that line: {worse}. With a "
        f"clearly smaller one: {better}. A model is needed for the *order* of conversations. A "
        "study that needs their *level* has to recalibrate first."
    )


def labels_that_help(curve: pd.DataFrame, total: pd.DataFrame) -> str:
    """From how many labelled conversations on recalibration helps, and what is left."""
    one = curve[(curve["dimension"] == "dismissing_emotions") & (curve["method"] == "shift")]
    one = one[one["judge"].isin(MODELS) & (one["statistic"] == KAPPA)]
    value = one.groupby(["quantity", "n_train"])["estimate"].mean()
    shifts = total[total["method"] == "shift"]
    helps = (shifts["low"] > 0).groupby(shifts["n_train"]).sum()
    moments = total[(total["method"] == "moments") & (total["n_train"] == 3)]
    return (
        f"**What we learned.** A shift from 3 labelled conversations helps {helps[3]} of 4 judges "
        f"clearly, from 10 conversations {helps[10]}, from 40 {helps[40]}. Matching the spread as "
        f"well needs more labels: with 3 it helps {(moments['low'] > 0).sum()} clearly and harms "
        f"{(moments['high'] < 0).sum()}. On dismissing emotions the models' mean kappa goes from "
        f"{number(value['before', 5])} to {number(value['after', 5])} with 5 labelled "
        f"conversations and to {number(value['after', 40])} with 40. What is left is order, and no "
        "map of the ratings mends that."
    )


# --- chapter 11: plan and report your own study ---------------------------------------------


def paragraph_to_copy(
    found: pd.DataFrame, bca: pd.DataFrame, tested: pd.DataFrame, resamples: int
) -> str:
    """The paragraph of a report on Gemini, with this study's numbers."""
    whole, counts = judging.overall(found).iloc[0], verdict_counts(found).iloc[0]
    holm, margin = judging.decision_counts(tested).iloc[0], judging.MARGIN
    other = judging.overall(bca).iloc[0]
    return f"""> Three experts and a language model (Gemini 2.5 Pro, one run) rated {whole.n_items}
    conversations, {whole.n_items // 4} in each of four frameworks, on {counts.dimensions}
    dimensions. Agreement is quadratically weighted kappa by value. The experts' own agreement is
    the mean of the three pairs, the model's the mean with each expert, so that both face single
    experts. Intervals are 95 % percentile intervals of {resamples:,} bootstrap resamples
    of conversations, paired for differences. Mean kappa was {whole.benchmark:.2f} among experts and
    {whole.value:.2f} for the model, a difference of {gap(whole)}; the BCa interval is
    {interval(other.low, other.high)}. Dimension by dimension, the model was above the experts on
    {counts.above}, below on {counts.below} and not distinguishable on
    {counts.cannot_tell + counts.within}; after Holm's correction {holm.above_adjusted} and
    {holm.below_adjusted} remained. With a margin of {margin}, equivalence was shown on
    {holm.equivalent_adjusted} dimensions (it asks for {LEAST_FOR_MARGIN} conversations).
    Non-significance is not read as equality."""
