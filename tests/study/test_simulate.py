"""The simulated study: the shape of the real one, always the same, and marked as what it is."""

import numpy as np
import pandas as pd
import pytest

import judging_empathy as paper
from judging_empathy import replication
from judging_empathy.data import files, simulate
from judging_empathy.data.names import RATERS, scales
from raters import RatingsError, check_ratings


@pytest.fixture(scope="module")
def ratings():
    return paper.load("simulated")


@pytest.fixture(scope="module")
def kappas(ratings):
    """The simulated ratings' kappas beside the printed ones."""
    ours = replication._kappas(ratings).query("quantity == 'kappa'")
    printed = replication.printed_values().query(
        "table == 'weighted_kappa' and quantity == 'kappa'"
    )
    both = ours.merge(printed, on=replication.KEYS[:5], validate="one_to_one")
    assert len(both) == 126
    return both.assign(printed=both["printed"].astype(float))


def test_shape_is_that_of_the_study(ratings):
    assert len(ratings) == 7350 == 21 * 50 * 7
    dimensions = paper.dimensions()
    assert list(ratings["dimension"].unique()) == list(dimensions["dimension"])
    assert list(ratings["framework"].unique()) == list(dimensions["framework"].unique())
    assert tuple(ratings["rater"].unique()) == RATERS
    cells = ratings.groupby(["framework", "dimension", "item", "rater"]).size()
    assert (cells == 1).all() and ratings["rating"].notna().all()
    items = ratings.groupby("framework", sort=False)["item"].agg(lambda x: sorted(set(x)))
    for prefix, codes in zip(paper.frameworks()["prefix"], items, strict=True):
        assert codes == [f"{prefix}{n:02d}" for n in range(1, 51)]


def test_rows_are_in_the_order_of_the_published_frame(ratings):
    order = ["framework", "dimension", "item", "rater"]
    codes = [pd.factorize(ratings[c])[0] for c in ("framework", "dimension")]
    codes += [ratings["item"].str[2:].astype(int), ratings["rater"].map(RATERS.index)]
    keys = pd.DataFrame(dict(zip(order, codes, strict=True)))
    assert keys.equals(keys.sort_values(order, ignore_index=True))


@pytest.mark.real_data
def test_keys_are_those_of_the_published_frame(ratings):
    keys = ["framework", "dimension", "item", "rater", "group"]
    pd.testing.assert_frame_equal(ratings[keys], paper.load("published")[keys])


def test_every_rating_is_on_its_scale_and_only_the_crowd_is_between_levels(ratings):
    checked = check_ratings(ratings, scales())
    for framework, part in checked.groupby("framework"):
        one = part[part["rater"] != "crowd"]["rating"]
        assert set(one) <= set(scales()[framework].values)
        crowd = part[part["rater"] == "crowd"]["rating"]
        between = (crowd != crowd.round()).any()
        assert between == (framework != "epitome"), framework


def test_the_same_every_time_whatever_was_drawn_before(ratings):
    np.random.seed(3)  # noqa: NPY002  what a notebook may have done before
    pd.testing.assert_frame_equal(paper.load("simulated"), ratings, check_exact=True)
    for make in (paper.self_reports, paper.words, paper.openings):
        pd.testing.assert_frame_equal(make("simulated"), make("simulated"), check_exact=True)


def test_a_changed_copy_does_not_change_the_next_one():
    first = paper.load("simulated")
    first["rating"] = 0
    assert paper.load("simulated")["rating"].nunique() > 1


def test_kappas_are_near_the_printed_ones(kappas):
    difference = kappas["value"] - kappas["printed"]
    assert abs(difference.mean()) < 0.12 and difference.abs().mean() < 0.18
    assert np.corrcoef(kappas["value"], kappas["printed"])[0, 1] > 0.7


def test_models_are_nearer_to_the_experts_than_the_crowd_is(kappas):
    with_median = kappas[kappas["rater_a"] == "expert_median"]
    means = with_median.groupby("rater_b")["value"].mean()
    assert means["gemini"] > means["crowd"] + 0.1


def test_each_rater_uses_the_scale_as_in_the_study(ratings):
    moments = pd.read_csv(files.data_dir() / "moments.csv").set_index(["dimension", "rater"])
    found = ratings.groupby(["dimension", "rater"])["rating"].agg(["mean", "std"])
    found = found.loc[moments.index]
    assert abs(found["mean"] - moments["mean"]).mean() < 0.15
    assert abs(found["std"] - moments["sd"]).mean() < 0.2


def test_companions_fit_the_frame(ratings):
    reports = paper.self_reports("simulated")
    assert list(reports) == list(ratings) and len(reports) == 300
    assert reports["rating"].isin(range(1, 8)).all()
    assert set(reports["item"]) == set(ratings.query("framework == 'perceived_empathy'")["item"])
    # Dimensions run fastest, as in the study's file.
    assert reports["dimension"].iloc[:6].nunique() == 6 and reports["item"].iloc[:6].nunique() == 1
    items = ratings.drop_duplicates(["framework", "item"])
    words = paper.words("simulated")
    pd.testing.assert_frame_equal(
        words[["framework", "item"]], items[["framework", "item"]].reset_index(drop=True)
    )
    assert (words["words"] > 0).all()
    openings = paper.openings("simulated")
    assert set(openings["item"]) == set(ratings.query("framework == 'lend_an_ear'")["item"])
    assert openings["opening"].value_counts()["job_loss"] == 12


def test_the_stamp_is_on_the_simulated_study_and_only_there(ratings):
    assert ratings.attrs["study"] == "simulated"
    assert paper.stamp(ratings) == simulate.STAMP
    assert "imulated" in simulate.STAMP and "not the paper's" in simulate.STAMP


@pytest.mark.real_data
def test_the_published_study_has_no_stamp():
    assert paper.stamp(paper.load("published")) == ""
    assert paper.load("auto").attrs["study"] == "published"


def test_without_files_and_network_the_choice_is_explicit(monkeypatch, tmp_path):
    """`auto` becomes simulated; `published` does not."""
    store = files.Store({"a.csv": "0" * 64}, tmp_path, base_url="http://127.0.0.1:9/", attempts=1)
    monkeypatch.setattr(files, "store", lambda: store)
    assert paper.load("auto").attrs["study"] == "simulated"
    with pytest.raises(RatingsError):
        paper.load("published")
