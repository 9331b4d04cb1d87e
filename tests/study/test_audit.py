"""The audit: all twenty questions, the numbers known from elsewhere, and second computations."""

import re
from itertools import combinations

import krippendorff
import nbformat
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from docutils.nodes import make_id
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score

import judging_empathy as paper
from judging_empathy import crowd, replication
from judging_empathy.audit import answers as audit
from judging_empathy.audit import intervals, kappas, questions, robustness
from judging_empathy.data import files
from raters import RatingsError
from raters.draws import multiplicities

# In one process of the test run: the answers, which take a while, are made once.
pytestmark = pytest.mark.xdist_group("audit")

SEED = 2025
PUBLISHED = pytest.param("published", marks=pytest.mark.real_data)
EXPERTS = list(paper.EXPERTS)


@pytest.fixture(scope="module")
def answered():
    """The answers of a study, computed once."""
    made = {}

    def of(study):
        if study not in made:
            made[study] = audit.answers(
                paper.Study(study), 2000 if study == "published" else 100, SEED
            )
        return made[study]

    return of


@pytest.fixture(scope="module", params=["simulated", PUBLISHED])
def study(request):
    return request.param


@pytest.fixture(scope="module")
def ratings(study):
    return paper.load(study)


@pytest.fixture(scope="module")
def wide(ratings):
    """Items x raters, with the expert median, for each dimension."""
    frames = {}
    for dimension, part in ratings.groupby("dimension", sort=False):
        frame = part.pivot(index="item", columns="rater", values="rating")
        frames[dimension] = frame.assign(expert_median=frame[EXPERTS].median(axis=1))
    return frames


@pytest.fixture(scope="module")
def row(answered):
    """Row of the published answers by question."""
    return answered("published").set_index("question").loc


def counts(text, pattern):
    """The whole numbers that a pattern finds in a sentence."""
    return [int(n.replace(",", "")) for n in re.search(pattern, text).groups()]


# --- what there is ----------------------------------------------------------------------


def test_every_question_is_there_once_and_in_order(study, answered):
    found = answered(study)
    assert list(found) == audit.COLUMNS
    numbers = found["question"].str.extract(r"^(\d+)([a-z]?)$")
    assert list(dict.fromkeys(numbers[0].astype(int))) == list(range(1, 21))
    for _, part in numbers.groupby(0, sort=False):
        letters = "".join(part[1])
        assert letters in ("", "abcdef"[: len(part)])
    assert found.attrs["study"] == study


def test_every_answer_is_whole(study, answered):
    found = answered(study)
    for column in ("topic", "code_does", "plain", "quantity", "effect", "why", "where"):
        assert (found[column].str.len() > 3).all(), column
    for column in ("code_does", "plain", "effect", "why"):
        assert found[column].str.endswith(".").all(), column
    unknown = found["conclusion_changed"] == questions.UNKNOWN
    assert set(found.loc[~unknown, "conclusion_changed"]) <= set(questions.CHANGED)
    assert np.isfinite(found.loc[~unknown, ["published", "plain_value"]].to_numpy()).all()
    assert not found.loc[~unknown, ["effect", "why"]].stack().str.contains(r"\bnan\b|–").any()


def test_simulated_answers_say_so_and_leave_open_what_they_cannot_know(answered):
    found = answered("simulated")
    assert found["note"].eq(paper.stamp(paper.load("simulated"))).all()
    unknown = found[found["conclusion_changed"] == questions.UNKNOWN]
    assert unknown["question"].tolist() == ["10b", "17b"]
    assert unknown[["published", "plain_value"]].isna().all(axis=None)
    assert unknown["why"].str.startswith("Not defined: the simulated").all()


@pytest.mark.real_data
def test_published_answers_are_all_defined(answered):
    found = answered("published")
    assert set(found["conclusion_changed"]) == set(questions.CHANGED)
    assert found["note"].eq("").all()


def test_links_lead_to_headings_of_the_chapters(answered):
    folder = files.data_dir().parent / "notebooks"
    for where in answered("simulated")["where"].unique():
        page, heading = where.split("#")
        cells = nbformat.read(folder / f"{page}.ipynb", as_version=4).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        assert heading in map(make_id, re.findall(r"(?m)^#+ (.+)$", text)), where


def test_the_table_to_read_has_a_row_a_question_and_links(answered):
    shown = audit.readable(answered("simulated"))
    assert shown.frame.shape == (20, 6)
    html = shown._repr_html_()
    assert html.count('<tr role="row">') == 21
    assert len(re.findall('<td [^>]*role="cell" data-label="effect">', html)) == 20
    assert "<td>" not in html
    assert '<a href="07_crowd.html#level-or-order">chapter 7, level or order</a>' in html
    assert not re.search(r"\d\d_\w+#", html)
    assert "(b) " in shown.frame["effect"].iloc[4] and "(a)" not in shown.frame["effect"].iloc[0]


def test_summary_counts_questions_by_the_part_that_changes_most():
    frame = pd.DataFrame(
        {
            "question": ["1", "2a", "2b", "3a", "3b", "10"],
            "conclusion_changed": [
                "no",
                "no",
                "yes",
                questions.UNKNOWN,
                "partly",
                questions.UNKNOWN,
            ],
        }
    )
    found = audit.summary(frame).set_index("conclusion_changed")
    assert found["questions"].to_dict() == {"yes": 1, "partly": 1, "no": 1, questions.UNKNOWN: 1}
    assert found["parts"].sum() == len(frame)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([True] * 20, [True] * 19 + [False], "no"),  # one in twenty
        ([True] * 19, [True] * 18 + [False], "partly"),
        ([True, False], [False, False], "yes"),
        ([False, False], [True, True], "yes"),
        ([1, -1, 1], [1, 0, 0], "partly"),
    ],
)
def test_when_a_claim_has_changed(before, after, expected):
    assert questions.changed(before, after) == expected


def test_tables_that_are_there_are_used():
    study = paper.Study("simulated")
    vif = study.table("vif")
    vif["estimate"] = np.where(vif["statistic"] == "vif", 11.0, 9.0)
    study._tables["vif",] = vif
    found = questions.ANSWERS["12a"](audit.Evidence(study, 20, SEED))
    assert (found.published, found.plain) == (0, 21)


def test_same_seed_same_answers(answered):
    evidence = audit.Evidence(paper.Study("simulated"), 100, SEED)
    before = answered("simulated").set_index("question")
    for number in ("3a", "10a", "14", "19b"):
        again, row = questions.ANSWERS[number](evidence), before.loc[number]
        assert (again.published, again.plain) == (row["published"], row["plain_value"])
        assert (again.effect, again.why) == (row["effect"], row["why"])


# --- known numbers of the study -----------------------------------------------------------


@pytest.mark.real_data
def test_alpha_among_the_models_as_printed_is_that_of_two(row):
    printed = replication.printed_values().query(
        "table == 'krippendorff_alpha' and group == 'llms' and dimension != 'mean of dimensions'"
    )
    assert row["1", "published"] == pytest.approx(printed["printed"].astype(float).mean(), abs=1e-3)
    assert row["1", "plain_value"] != pytest.approx(row["1", "published"], abs=0.01)


@pytest.mark.real_data
def test_readings_of_the_benchmark(row):
    pattern = r"Gemini (\d+) below, (\d+) above, (\d+) open"
    assert counts(row["3a", "effect"], pattern) == [1, 0, 20]
    assert counts(row["3a", "effect"], pattern.replace("Gemini", "GPT-4o")) == [11, 0, 10]
    assert counts(row["3a", "effect"], pattern.replace("Gemini", "Claude")) == [7, 1, 13]
    assert row["3b", "plain_value"] < row["3a", "plain_value"] < row["3a", "published"]


@pytest.mark.real_data
def test_intervals_of_alpha_are_too_narrow_by_the_published_recipe(row):
    low, high = map(float, re.findall(r"[\d.]+\d", row["7a", "effect"])[:2])
    assert 1.10 <= low <= 1.15 and 1.27 <= high <= 1.32
    assert row["7a", "plain_value"] > 1.1 * row["7a", "published"]


@pytest.mark.real_data
def test_other_known_counts(row):
    assert row["10a", "conclusion_changed"] == "yes"
    assert "2 of 2 by the published recipe, 0 by the plain one" in row["10a", "why"]
    assert (row["12a", "published"], row["12a", "plain_value"]) == (11, 2)
    assert (row["12b", "conclusion_changed"]) == "partly"
    assert (row["16", "published"], row["16", "plain_value"]) == (2844, 2971)
    assert row["6", "published"] < row["6", "plain_value"]


@pytest.mark.real_data
def test_two_pairs_and_the_intervals_of_rho_follow_from_the_printed_values(row):
    printed = replication.printed_values()
    kappa = printed[(printed["table"] == "weighted_kappa") & (printed["quantity"] == "kappa")]
    kappa = kappa.assign(value=kappa["printed"].astype(float))
    experts = kappa[kappa["rater_b"].isin(EXPERTS)]
    by = experts.pivot(index="dimension", columns=["rater_a", "rater_b"], values="value")
    assert row["8", "plain_value"] == pytest.approx(by.median(axis=1).mean(), abs=0.005)
    two = by[[("expert1", "expert2"), ("expert2", "expert3")]].median(axis=1)
    assert row["8", "published"] == pytest.approx(two.mean(), abs=0.005)
    assert row["6", "published"] == (kappa["value"] > kappas.THRESHOLD_IN_CODE).sum()
    assert row["6", "plain_value"] == (kappa["value"] >= kappas.THRESHOLD_IN_CAPTION).sum()
    rho = printed[printed["table"] == "spearman"].pivot(
        index=["dimension", "rater_a", "rater_b"], columns="quantity", values="printed"
    )
    width = rho["high"].astype(float) - rho["low"].astype(float)
    assert row["14", "published"] == pytest.approx(width.mean(), abs=0.003)


@pytest.mark.real_data
def test_printed_p_values_give_the_printed_stars(row):
    printed = replication.printed_values().query("table == 'weighted_kappa'")
    p = printed.loc[printed["quantity"] == "p_value", "printed"].astype(float)
    stars = sum((p < limit).sum() for limit in (0.05, 0.01, 0.001))
    assert row["5b", "published"] == stars
    assert row["5a", "published"] == (p < 0.05).sum()


# --- second computations ------------------------------------------------------------------


def by_hand(table):
    """Quadratic kappa by position, with the two variances of Fleiss, Cohen and Everitt (1969)."""
    table = table / (n := table.sum())
    k = len(table)
    i, j = np.indices(table.shape)
    w = 1 - (i - j) ** 2 / (k - 1) ** 2
    a, b = table.sum(axis=1), table.sum(axis=0)
    po, pe = (w * table).sum(), (w * np.outer(a, b)).sum()
    rows, columns = w @ b, a @ w
    ends = rows[:, None] + columns[None, :]
    kappa = (po - pe) / (1 - pe)
    null = (np.outer(a, b) * (w - ends) ** 2).sum() - pe**2
    other = (table * (w - ends * (1 - kappa)) ** 2).sum() - (kappa - pe * (1 - kappa)) ** 2
    return kappa, other / (n * (1 - pe) ** 2), null / (n * (1 - pe) ** 2)


def test_p_values_by_the_formulas(ratings, wide):
    found = kappas.p_values(ratings)
    assert len(found) == 126
    for one in found.iloc[::9].itertuples():
        x, y = (
            np.rint(100 * wide[one.dimension][r]).to_numpy() for r in (one.rater_a, one.rater_b)
        )
        seen = np.unique([x, y])
        table = np.zeros((seen.size, seen.size))
        np.add.at(table, (np.searchsorted(seen, x), np.searchsorted(seen, y)), 1)
        kappa, other, null = by_hand(table)
        assert one.kappa == pytest.approx(kappa)
        assert one.p == pytest.approx(2 * stats.norm.sf(abs(kappa) / np.sqrt(other)), abs=1e-12)
        assert one.p_null == pytest.approx(2 * stats.norm.sf(abs(kappa) / np.sqrt(null)), abs=1e-12)
        assert one.stars == (one.p < 0.05) + (one.p < 0.01) + (one.p < 0.001)
    assert (found["stars_rounded"] <= found["stars"]).all()


def test_two_and_three_pairs_by_another_library(ratings, wide):
    found = kappas.median_of_pairs(ratings).set_index("dimension")
    levels = {name: list(scale.values) for name, scale in paper.scales().items()}
    for dimension, one in found.iloc[::5].iterrows():
        labels = levels[one["framework"]]
        by_library = {
            pair: cohen_kappa_score(
                *(wide[dimension][r].astype(int) for r in pair), labels=labels, weights="quadratic"
            )
            for pair in combinations(EXPERTS, 2)
        }
        two = [by_library["expert1", "expert2"], by_library["expert2", "expert3"]]
        assert one["two"] == pytest.approx(np.median(two))
        assert one["three"] == pytest.approx(np.median(list(by_library.values())))


def test_f1_of_expert_1_by_another_library(ratings, wide):
    found = kappas.expert_f1(ratings).set_index("dimension")
    for dimension, frame in wide.items():
        others = np.rint(frame[["expert2", "expert3"]].median(axis=1)).astype(int)
        median = frame["expert_median"].astype(int)
        for rater in ("expert1", "gemini"):
            rated = frame[rater].astype(int)
            one = f1_score(median, rated, average="weighted", zero_division=0)
            apart = f1_score(others, rated, average="weighted", zero_division=0)
            assert found.loc[dimension, rater] == pytest.approx(one)
            assert found.loc[dimension, f"{rater}_apart"] == pytest.approx(apart)


def test_clipped_draws_by_another_library(ratings, wide):
    found = intervals.clipped_draws(ratings, 40, SEED).set_index("dimension")
    dimension = found["clipped"].idxmax()
    framework = found.loc[dimension, "framework"]
    x = wide[dimension][EXPERTS].to_numpy()
    draws = [
        krippendorff.alpha(x[times > 0].T, level_of_measurement="interval")
        for times in multiplicities(50, 40, SEED, framework)
    ]
    assert found.loc[dimension, "clipped"] == np.mean(np.array(draws) < 0)
    assert found.loc[dimension, "low"] == pytest.approx(np.quantile(draws, 0.025))
    assert found.loc[dimension, "low_clipped"] == pytest.approx(
        np.quantile(np.clip(draws, 0, 1), 0.025)
    )


def test_slopes_by_statsmodels(ratings, study):
    words = paper.words(study)
    found = robustness.slopes(ratings, words).set_index("dimension")
    data = ratings.merge(words, on=["framework", "item"])
    for dimension in ("empathy", "m_accepted", "dismissing_emotions"):
        part = data[data["dimension"] == dimension]
        # The contrast is the interaction of words and rater, each expert one third.
        means = part[part["rater"].isin(EXPERTS)].groupby("item")["rating"].mean()
        gemini = part[part["rater"] == "gemini"].set_index("item")
        slope = [
            np.polyfit(gemini["words"], side.loc[gemini.index], 1)[0]
            for side in (means, gemini["rating"])
        ]
        assert found.loc[dimension, "contrast"] == pytest.approx(slope[0] - slope[1])
        experts = part[part["rater"].isin(EXPERTS)]
        design = sm.add_constant(experts["words"].to_numpy(float))
        fit = sm.OLS(experts["rating"].to_numpy(), design).fit()
        # Sandwich by hand, with the small-sample factor of clustered errors.
        inverse = np.linalg.inv(design.T @ design)
        scores = design * fit.resid[:, None]
        sums = pd.DataFrame(scores).groupby(experts["item"].to_numpy()).sum().to_numpy()
        g, n = len(sums), len(scores)
        error = inverse @ (sums.T @ sums) @ inverse * g / (g - 1) * (n - 1) / (n - 2)
        p = 2 * stats.norm.sf(abs(fit.params[1]) / np.sqrt(error[1, 1]))
        assert found.loc[dimension, "p_clustered"] == pytest.approx(p, abs=1e-10)
    assert found["p_adjusted"].to_numpy() == pytest.approx(
        stats.false_discovery_control(found["p"])
    )


def test_variance_inflation_with_and_without_an_intercept(ratings):
    found = robustness.library_vif(ratings).set_index("dimension")
    experts = ratings[ratings["rater"].isin(EXPERTS) & (ratings["framework"] == "lend_an_ear")]
    frame = experts.pivot(index=["rater", "item"], columns="dimension", values="rating")
    for dimension in frame:
        others = frame.drop(columns=dimension).to_numpy()
        plain = sm.OLS(frame[dimension].to_numpy(), sm.add_constant(others)).fit()
        without = sm.OLS(frame[dimension].to_numpy(), others).fit()
        for column in ("default", "centred"):
            assert found.loc[dimension, column] == pytest.approx(1 / (1 - plain.rsquared))
        assert found.loc[dimension, "uncentred"] == pytest.approx(1 / (1 - without.rsquared))


def test_ties_hold_the_test_with_exact_means(ratings, study, wide):
    openings = paper.openings(study)
    found = robustness.ties(ratings, openings).set_index("dimension")
    assert (found["lowest"] <= found["highest"]).all()
    for dimension, one in found.iterrows():
        mean = wide[dimension].mean(axis=1).round(9)
        groups = [mean.loc[part["item"]] for _, part in openings.groupby("opening")]
        assert one["h"] == pytest.approx(stats.kruskal(*groups).statistic)


def test_whole_ratings_have_no_noise_to_break_ties(ratings, study):
    whole = ratings.assign(rating=np.rint(ratings["rating"]))
    found = robustness.ties(whole, paper.openings(study))
    # Sums of whole numbers are exact in any order.
    assert found["lowest"].tolist() == found["highest"].tolist()
    assert found["h"].to_numpy() == pytest.approx(found["lowest"].to_numpy())


def test_intervals_of_rho_by_the_formulas(ratings, wide):
    found = intervals.rho_intervals(ratings, 300, SEED)
    for one in found.iloc[::10].itertuples():
        rho = stats.spearmanr(*(wide[one.dimension][r] for r in (one.rater_a, one.rater_b)))[0]
        assert one.rho == pytest.approx(rho)
        z = np.arctanh(rho)
        for low, high, error in (
            (one.low_fisher, one.high_fisher, 1 / np.sqrt(47)),
            (one.low_bonett_wright, one.high_bonett_wright, np.sqrt((1 + rho**2 / 2) / 47)),
        ):
            assert np.tanh(z - 1.959964 * error) == pytest.approx(low, abs=1e-6)
            assert np.tanh(z + 1.959964 * error) == pytest.approx(high, abs=1e-6)
    assert (found["inside_resampled"] >= 0.94).all()  # more where draws have equal values
    assert (found["width_bonett_wright"] >= found["width_fisher"]).all()


def test_intervals_of_a_mean(ratings, study):
    reports = paper.self_reports(study)
    found = intervals.mean_intervals(ratings, reports, 2000, SEED).set_index("rater")
    own = reports["rating"]
    low, high = stats.t.interval(0.95, len(own) - 1, own.mean(), stats.sem(own))
    assert found.loc["self_report", ["low_rows", "high_rows"]].tolist() == pytest.approx(
        [low, high]
    )
    by_item = reports.groupby("item")["rating"].mean()
    error = by_item.std(ddof=0) / np.sqrt(50)  # what the bootstrap of a mean estimates
    width = found.loc["self_report", "high"] - found.loc["self_report", "low"]
    assert width == pytest.approx(2 * 1.96 * error, rel=0.08)
    crowd = ratings[(ratings["rater"] == "crowd") & ratings["dimension"].isin(reports["dimension"])]
    gap = by_item - crowd.groupby("item")["rating"].mean()
    pair = found.loc["self_report - crowd"]
    assert pair["estimate"] == pytest.approx(gap.mean())
    assert pair["high"] - pair["low"] == pytest.approx(
        2 * 1.96 * gap.std(ddof=0) / np.sqrt(50), rel=0.08
    )


def test_tau_and_ratings_apart_by_what_was_said(ratings, study, wide):
    reports = paper.self_reports(study)
    own = reports.pivot(index="item", columns="dimension", values="rating")
    labels = {item: "ai" if place % 3 else "human" for place, item in enumerate(own.index)}
    found = robustness.told(ratings, reports, labels, 200, SEED).set_index(
        ["rater", "quantity", "told"]
    )
    taus = {}
    for name in ("ai", "human"):
        items = [item for item in own.index if labels[item] == name]
        taus[name] = np.mean(
            [stats.kendalltau(own.loc[items, d], wide[d].loc[items, "crowd"])[0] for d in own]
        )
        one = found.loc[("crowd", "tau", name)]
        assert (one["estimate"], one["n_items"]) == (pytest.approx(taus[name]), len(items))
        mean = found.loc[("self_report", "rating", name), "estimate"]
        assert mean == pytest.approx(own.loc[items].to_numpy().mean())
    gap = found.loc[("crowd", "tau", "difference")]
    assert gap["estimate"] == pytest.approx(taus["ai"] - taus["human"])
    assert gap["low"] < gap["estimate"] < gap["high"]
    within = (33 * taus["ai"] + 17 * taus["human"]) / 50
    assert found.loc[("crowd", "tau", "within"), "estimate"] == pytest.approx(within)


@pytest.mark.real_data
def test_what_seekers_were_told_comes_from_the_file():
    labels = paper.Study("published").labels_told
    assert pd.Series(labels).value_counts().tolist() == [26, 24]
    assert paper.Study("simulated").labels_told is None


@pytest.mark.real_data
def test_the_crowd_of_many_raters(answered):
    single = paper.Study("published").single_ratings
    found = crowd.gain(paper.load("published"), single, 0, SEED)
    one = found[(found["dimension"] == "empathy") & (found["statistic"] == "reliability")]
    one = one.set_index("n_raters")["estimate"]
    raw = single.query("dimension == 'empathy'")
    x = raw.pivot(index="item", columns="rater", values="rating").to_numpy()
    between = 2 * x.mean(axis=1).var(ddof=1)
    inside = ((x - x.mean(axis=1, keepdims=True)) ** 2).sum() / 50
    icc = (between - inside) / (between + inside)  # Shrout and Fleiss, ICC(1,1), two raters
    assert one[1.0] == pytest.approx(icc)
    assert one[10.0] == pytest.approx(10 * icc / (1 + 9 * icc))


def test_without_resamples_there_is_no_answer():
    for resamples in (0, -1, "many"):
        with pytest.raises(RatingsError, match="rest on intervals"):
            audit.answers(paper.Study("simulated"), resamples)


def test_chance_lines(study):
    found = paper.Study(study).table("baselines", 0, SEED)
    lines = kappas.chance_lines(found).set_index("dimension")
    for name, scale in paper.scales().items():
        assert (lines.loc[lines["framework"] == name, "one_in_k"] == 1 / len(scale.levels)).all()
    assert lines["majority"].between(0, 1).all() and len(lines) == 21
    assert ("words" in set(found["rater"])) == (study == "published")
