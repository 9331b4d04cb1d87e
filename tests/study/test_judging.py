"""The study's tables about judges, against a second computation of each number."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

import judging_empathy as paper
from judging_empathy import models as judging
from judging_empathy import sentences
from judging_empathy import tables as results
from judging_empathy.data.names import CROWD, EXPERTS, MODELS
from raters import compare, with_reference
from raters.judges import decide
from raters.measures import MEAN

RESAMPLES, SEED = 200, 3
PUBLISHED = pytest.param("published", marks=pytest.mark.real_data)
KEYS = ["framework", "dimension"]


@pytest.fixture(scope="module", params=["simulated", PUBLISHED])
def ratings(request):
    return paper.load(request.param)


@pytest.fixture(scope="module")
def simulated():
    return paper.load("simulated")


@pytest.fixture(scope="module")
def found(ratings):
    return judging.benchmark_table(ratings, RESAMPLES, SEED)


@pytest.fixture(scope="module")
def crowd(ratings):
    return judging.judge_vs_crowd_table(ratings, RESAMPLES, SEED)


def columns(ratings, framework, dimension):
    rows = ratings[(ratings["framework"] == framework) & (ratings["dimension"] == dimension)]
    return rows.pivot(index="item", columns="rater", values="rating")


def kappa(a, b):
    """Quadratic kappa by value, also for means: by the pairs of all ratings."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return 1 - np.mean((a - b) ** 2) / np.mean((a[:, None] - b[None, :]) ** 2)


def rows_of(found, reading, statistic=results.KAPPA):
    chosen = (found["reading"] == reading) & (found["statistic"] == statistic)
    return judging.by_dimension(found[chosen]).itertuples(index=False)


# --- the benchmark -------------------------------------------------------------------


def test_panel_is_the_median_of_the_three_models(ratings):
    wide = columns(judging.judged(ratings), "lend_an_ear", "advice_giving")
    assert (wide[judging.PANEL] == wide[list(MODELS)].median(axis=1)).all()


def test_paper_reading_is_the_median_against_the_median_of_pairs(ratings, found):
    frame = judging.judged(ratings)
    for row in rows_of(found, "paper"):
        wide = columns(frame, row.framework, row.dimension)
        middle = wide[list(EXPERTS)].median(axis=1)
        pairs = [kappa(wide[a], wide[b]) for a, b in combinations(EXPERTS, 2)]
        assert row.value == pytest.approx(kappa(middle, wide[row.judge]))
        assert row.benchmark == pytest.approx(np.median(pairs))
        assert row.difference == pytest.approx(row.value - row.benchmark)


def test_single_reading_is_one_to_one_on_both_sides(ratings, found):
    for row in rows_of(found, "single"):
        wide = columns(ratings, row.framework, row.dimension)
        pairs = [kappa(wide[a], wide[b]) for a, b in combinations(EXPERTS, 2)]
        assert row.benchmark == pytest.approx(np.mean(pairs))
        if row.judge in MODELS:
            levels = sorted(paper.scales()[row.framework].levels)
            peer = [
                cohen_kappa_score(wide[e], wide[row.judge], labels=levels, weights="quadratic")
                for e in EXPERTS
            ]
            assert row.value == pytest.approx(np.mean(peer))


def test_leave_one_out_gives_judge_and_expert_the_same_yardstick(ratings, found):
    for row in rows_of(found, "leave_one_out"):
        if row.judge != "claude":
            continue
        wide = columns(ratings, row.framework, row.dimension)
        sides = {"judge": [], "expert": []}
        for expert in EXPERTS:
            others = wide[[e for e in EXPERTS if e != expert]].mean(axis=1)
            sides["judge"].append(kappa(others, wide["claude"]))
            sides["expert"].append(kappa(others, wide[expert]))
        assert row.value == pytest.approx(np.mean(sides["judge"]))
        assert row.benchmark == pytest.approx(np.mean(sides["expert"]))


def test_centred_kappa_is_kappa_of_ratings_with_equal_means(ratings, found):
    for row in rows_of(found, "single", judging.CENTRED):
        if row.judge != "gpt":
            continue
        wide = columns(ratings, row.framework, row.dimension)
        wide = wide - wide.mean()
        assert row.value == pytest.approx(np.mean([kappa(wide[e], wide["gpt"]) for e in EXPERTS]))


def test_overall_mean_is_that_of_21_dimensions(found):
    mean = judging.overall(found).set_index(["judge", "reading", "statistic"])["difference"]
    each = judging.by_dimension(found).groupby(["judge", "reading", "statistic"])["difference"]
    assert each.size().eq(21).all()
    pd.testing.assert_series_equal(each.mean().sort_index(), mean.sort_index())


def test_fewer_statistics_are_the_same_rows(ratings, found):
    part = judging.benchmark_table(ratings, RESAMPLES, SEED, statistics=[judging.RHO])
    whole = found[found["statistic"] == judging.RHO].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, whole)


# --- against the crowd -----------------------------------------------------------------


def test_difference_from_the_crowd_is_that_of_two_benchmarks(found, crowd):
    kappas = found.set_index([*KEYS, "reading", "statistic", "judge"])["value"]
    for row in crowd.itertuples():
        place = (row.framework, row.dimension, row.reading, row.statistic)
        assert row.value == pytest.approx(kappas[(*place, row.judge)])
        assert row.crowd == pytest.approx(kappas[(*place, CROWD)])
        assert row.difference == pytest.approx(row.value - row.crowd)
    assert set(crowd["judge"]) == {*MODELS, judging.PANEL}


@pytest.mark.parametrize("reading", ["paper", "single"])
def test_interval_and_p_are_those_of_compare(ratings, crowd, reading):
    """A second way to the same resamples: pairs of raters instead of readings."""
    experts = EXPERTS if reading == "single" else ["expert_median"]
    sides = {name: [(expert, name) for expert in experts] for name in ("claude", CROWD)}
    frame = with_reference(ratings)
    peer = compare(frame, paper.scales(), sides, results.KAPPA, RESAMPLES, SEED, test="holm")
    here = crowd[(crowd["judge"] == "claude") & (crowd["reading"] == reading)]
    both = judging.by_dimension(here).merge(peer, on=KEYS, suffixes=("", "_peer"))
    assert len(both) == 21
    for column in ("low", "high", "p", "p_adjusted"):
        assert both[column].tolist() == pytest.approx(both[f"{column}_peer"].tolist()), column
    assert both["difference"].tolist() == pytest.approx(both["estimate"].tolist())


def test_p_belongs_to_the_interval(crowd):
    excludes = (crowd["low"] > 0) | (crowd["high"] < 0)
    assert excludes[crowd["p"] < 0.05].all()
    # One is added to each count of draws, so a draw or two at the ends do not agree.
    assert (crowd.loc[excludes, "p"] <= 0.05 + 4 / (RESAMPLES + 1)).all()
    assert excludes.any() and not excludes.all()
    means = crowd[crowd["dimension"] == MEAN]
    assert (means["p"] == means["p_adjusted"]).all()


def test_without_resamples_there_are_estimates_only(simulated):
    frame = judging.judge_vs_crowd_table(simulated, 0, SEED)
    assert frame["difference"].notna().all()
    assert frame[["low", "high", "p", "p_adjusted"]].isna().all(axis=None)


# --- decisions ------------------------------------------------------------------------------


def test_decision_counts_are_counted_by_hand():
    where = {"judge": "j", "reading": "single", "framework": "f", "withheld": ""}
    rows = [
        {**where, "dimension": dimension, "test": test, "difference": gap, "p": p, "p_adjusted": q}
        for dimension, gap, *ps in (
            ("a", 0.2, (0.01, 0.03), (0.01, 0.02), (0.90, 1.0)),
            ("b", -0.3, (0.04, 0.09), (0.99, 1.0), (0.99, 1.0)),
            ("c", 0.0, (0.80, 0.80), (0.04, 0.08), (0.04, 0.05)),
            (MEAN, 0.0, (0.01, 0.01), (0.01, 0.01), (0.01, 0.01)),
        )
        for test, (p, q) in zip(("difference", "non-inferiority", "equivalence"), ps)
    ]
    withheld = {**where, "dimension": "d", "test": "difference", "difference": 0.4, "p": 0.01,
                "p_adjusted": 0.01, "withheld": "one more expert may, too"}  # fmt: skip
    rows = pd.DataFrame([*rows, withheld])
    counts = judging.decision_counts(rows).iloc[0].to_dict()
    assert counts == {
        **{"judge": "j", "reading": "single", "dimensions": 4},
        **{"above": 1, "below": 1, "open": 2, "not_inferior": 2, "equivalent": 1},
        **{"above_adjusted": 1, "below_adjusted": 0, "open_adjusted": 3},
        **{"not_inferior_adjusted": 1, "equivalent_adjusted": 1},
    }


def test_decision_counts_agree_with_the_intervals(ratings, found):
    decided = decide(
        judging.judged(ratings), paper.scales(), list(MODELS), resamples=RESAMPLES, seed=SEED
    )
    counts = judging.decision_counts(decided).set_index("judge")
    rows = pd.DataFrame(rows_of(found, "single"))
    for model in MODELS:
        here = rows[rows["judge"] == model]
        # p has one added, so an interval that ends near 0 may be on the other side.
        assert abs(counts.loc[model, "below"] - (here["high"] < 0).sum()) <= 1
        # The exchange test has to bear "above" out, too.
        assert counts.loc[model, "above"] <= (here["low"] > 0).sum() + 1
        assert counts.loc[model, ["above", "below", "open"]].sum() == 21
    assert (counts["below_adjusted"] <= counts["below"]).all()


def test_alt_test_table_has_both_alignments_and_all_together(ratings):
    frame = judging.alt_test_table(ratings)
    sizes = frame.groupby(["judge", "alignment"]).size()
    assert (sizes == 21 + 4 + 1).all() and len(sizes) == len(judging.JUDGES) * 2
    assert (judging.overall(frame)["n_items"] == 200).all()
    assert len(judging.by_dimension(frame)) == 21 * 10
    # The advantage of a model by hand: ties count for both.
    wide = columns(ratings, "epitome", "level_explorations")
    shares = []
    for expert in EXPERTS:
        others = wide[[e for e in EXPERTS if e != expert]]
        judge = others.eq(wide["gpt"], axis=0).mean(axis=1)
        shares.append((judge >= others.eq(wide[expert], axis=0).mean(axis=1)).mean())
    row = frame[(frame["dimension"] == "level_explorations") & (frame["judge"] == "gpt")]
    accuracy = row.set_index("alignment").loc["accuracy"]
    assert accuracy["advantage"] == pytest.approx(np.mean(shares))


# --- calibration, baselines, audit -----------------------------------------------------


def test_calibration_starts_from_the_kappas_of_the_pairs(ratings):
    frame = judging.calibration_table(ratings, 0, SEED)
    pairs = results.pairs_table(ratings, 0, SEED)
    pairs = pairs[(pairs["rater_a"] == "expert_median") & (pairs["statistic"] == results.KAPPA)]
    before = frame[(frame["quantity"] == "before") & (frame["statistic"] == results.KAPPA)]
    before = judging.by_dimension(before).merge(
        pairs, left_on=[*KEYS, "judge"], right_on=[*KEYS, "rater_b"]
    )
    assert len(before) == 21 * 4 * 5
    assert before["estimate_x"].tolist() == pytest.approx(before["estimate_y"].tolist())


def test_a_shift_is_learned_without_the_item(simulated):
    """The mean error after a shift by hand, each item left out: only folds differ."""
    frame = judging.calibration_table(simulated, 0, SEED)
    here = frame.query(
        "dimension == 'empathy' and judge == 'gpt' and method == 'shift' "
        "and statistic == 'mean_absolute_error'"
    ).set_index("quantity")["estimate"]
    wide = columns(simulated, "empatheticdialogues", "empathy")
    middle, judge = wide[list(EXPERTS)].median(axis=1), wide["gpt"]
    assert here["before"] == pytest.approx((judge - middle).abs().mean())
    gap = middle - judge
    left_out = (gap.sum() - gap) / (len(gap) - 1)
    by_hand = ((judge + left_out).clip(1, 5) - middle).abs().mean()
    assert here["after"] == pytest.approx(by_hand, abs=0.03)


def test_baselines_use_text_only_where_it_may_be_used(ratings):
    frame = paper.Study(ratings.attrs["study"]).table("baselines", 0, SEED)
    assert {"majority", "mean", "length", "crowd mean", *MODELS} <= set(frame["rater"])
    words = set(frame[frame["rater"] == "words"]["framework"])
    published = ratings.attrs["study"] == "published"
    shown = {"empatheticdialogues", "lend_an_ear"} if published else set()
    assert words - {"all frameworks"} == shown


# --- in words --------------------------------------------------------------------------------


def test_answers_in_words_follow_from_the_intervals(ratings, found, crowd):
    bca = judging.benchmark_table(ratings, RESAMPLES, SEED, [results.KAPPA], interval="bca")
    how = {"readings": "single", "adjustment": "holm", "resamples": RESAMPLES, "seed": SEED}
    decided = decide(ratings, paper.scales(), list(MODELS), **how)
    said = {name: one.text for name, one in sentences.answer(found, bca, crowd, decided).items()}
    assert list(said) == ["short", "expert", "dimensions", "crowd", "level"]
    rows = decided[(decided["test"] == "difference") & (decided["dimension"] != MEAN)]
    for model in MODELS:
        here = rows[(rows["judge"] == model) & (rows["p_adjusted"] <= 0.05)]
        here = here[here["withheld"] == ""]["difference"]
        name, below, above = paper.LABELS[model], (here < 0).sum(), (here > 0).sum()
        text = f"{name}: below the experts' own agreement on {below}, above it on {above}"
        assert text in said["dimensions"]
    single = found[(found["reading"] == "single") & (found["statistic"] == results.KAPPA)]
    mean = judging.overall(single).set_index("judge")
    assert f"{mean['benchmark'].iloc[0]:.2f}" in said["expert"]
    assert f"kappa of {mean['benchmark'].iloc[0]:.2f};" in said["short"]
    assert f"GPT-4o {mean.loc['gpt', 'value']:.2f}" in said["short"]
    assert sentences.gap(mean.loc["gpt"]) in said["expert"]


def _one_answer(single, bca):
    """The paragraph on experts, from made-up ends of the intervals of the means."""

    def frame(ends, **labels):
        rows = [
            {
                "judge": model,
                "framework": "all frameworks",
                "dimension": MEAN,
                "statistic": statistic,
                "benchmark": 0.5,
                "value": 0.4,
                "crowd": 0.3,
                "n_items": 200,
                "test": "difference",
                "p": 1.0,
                "p_adjusted": 1.0,
                "withheld": "",
                "difference": (low + high) / 2,
                "low": low,
                "high": high,
                "verdict": "below",
                "reading": "single",
                **labels,
            }
            for model, (low, high) in zip(MODELS, ends)
            for statistic in (results.KAPPA, judging.CENTRED, judging.RHO)
        ]
        one = [{**row, "framework": "epitome", "dimension": "level_explorations"} for row in rows]
        return pd.DataFrame(rows + one)

    found, other = frame(single), frame(bca)
    kappa = found[found["statistic"] == results.KAPPA]
    return sentences.answer(found, other, kappa, kappa)


def test_one_kind_of_interval_is_not_enough_for_a_claim():
    said = _one_answer(
        [(-0.1, 0.01), (-0.3, -0.1), (-0.2, 0.1)], [(-0.12, -0.01), (-0.3, -0.2), (-0.2, 0.1)]
    )
    short, said = said["short"].text, said["expert"].text
    assert "For GPT-4o the gap to another expert is real." in short
    assert "For Gemini and Claude, 200 conversations cannot tell a small gap from none." in short
    assert "So on average GPT-4o agrees with an expert less well" in said
    assert "For Gemini two standard kinds of interval disagree" in said and "−0.12 to −0.01" in said
    assert "Claude cannot be told apart" in said and "does not show that it is as good" in said


def test_words_for_better_models_and_for_a_crowd_that_is_not_beaten():
    ends = [(0.1, 0.2), (0.1, 0.3), (-0.1, 0.1)]
    said = _one_answer(ends, ends)
    assert "Gemini and GPT-4o agree with an expert better than another" in said["expert"].text
    assert "For Claude that is not shown." in said["crowd"].text
    assert "Gemini and GPT-4o agree with an expert better than another" in said["short"].text
    assert "Gemini and GPT-4o agree with an expert better than the crowd" in said["short"].text
    assert "For Claude, 200 conversations cannot tell" in said["short"].text


def test_names_are_readable(found):
    names = judging.named(found)
    assert set(names["judge"]) == {"Gemini", "GPT-4o", "Claude", "panel of three", "crowd"}
    assert set(names["reading"]) == set(judging.READINGS.values())
    assert "mean of dimensions" in set(names["dimension"])


def test_another_run_gives_the_same_numbers(simulated):
    for table in (judging.benchmark_table, judging.judge_vs_crowd_table):
        first, again = (table(simulated, 50, SEED) for _ in range(2))
        pd.testing.assert_frame_equal(first, again, check_exact=True)
        other = table(simulated, 50, SEED + 1)
        assert other["difference"].tolist() == first["difference"].tolist()
        assert other["low"].tolist() != first["low"].tolist()


def test_words_on_level_follow_from_the_intervals_not_from_the_estimates():
    ends = [(-0.1, 0.01), (-0.3, -0.1), (-0.2, 0.1)]
    said = _one_answer(ends, ends)["level"].text
    assert "With level out of it, GPT-4o still agrees less well than another expert." in said
    assert "In the order alone GPT-4o does." in said and "Gemini still" not in said
    unsure = [(-0.1, 0.1)] * 3
    said = _one_answer(unsure, unsure)["level"].text
    assert "no model is clearly below another expert. In the order alone none clearly is." in said
