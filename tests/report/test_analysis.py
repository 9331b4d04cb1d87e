"""What the report computes: each result once, with statistics that fit the scale."""

import os
import re

import numpy as np
import pandas as pd
import pytest
from reports import FIVE, LONG, small

import raters
from raters import RatingsError, defaults
from raters.cli import simulated
from raters.io.config import Config, ScaleRules, Source
from raters.report import methods, report
from raters.report.analysis import Analysis, Missing

pytestmark = pytest.mark.xdist_group("report")


def test_the_tables_hold_what_the_functions_give(folder, example):
    found = pd.read_csv(folder / "tables" / "agreement.csv")
    wanted = raters.agreement(
        example.ratings[example.ratings["group"] == "expert"], example.scale,
        "krippendorff_alpha_interval", resamples=400,
    )  # fmt: skip
    rows = found[found["statistic"] == "krippendorff_alpha_interval"].head(2)
    for column in ("estimate", "low", "high"):
        assert np.array_equal(rows[column], wanted[column])
    known = pd.read_csv(folder / "tables" / "benchmark.csv")
    single = raters.judges.benchmark(
        example.ratings, example.scale, "judge-1", readings="single", resamples=400
    )
    rows = known[known["reading"] == "single"]
    assert np.array_equal(rows["difference"], single["difference"])
    assert rows["verdict"].tolist() == single["verdict"].tolist()


def test_a_judge_without_experts_is_told_what_is_missing(tmp_path):
    analysis = small(tmp_path, "item,rater,group,rating\na,m,judge,1\nb,m,judge,2\na,x,crowd,1\n")
    assert analysis.experts == () and "reference group 'expert'" in analysis.no_benchmark
    assert isinstance(analysis.benchmark, Missing) and isinstance(analysis.shifts, Missing)


def test_what_was_named_must_be_there(tmp_path):
    path = tmp_path / "r.csv"
    simulated.simulated(10, 2, 1, 5, 0.6, 0, 1).to_csv(path, index=False)
    config = Config([LONG], FIVE)
    for options, part in [
        ({"judges": ["nobody"]}, "'nobody'"),
        ({"reference": ["nobody"]}, "'nobody'"),
        ({"reference": ["expert 1", "nobody"]}, "nobody"),
        ({"judges": ["expert 1"]}, "'expert 1'"),
        ({"resamples": 0}, "resamples=0"),
        ({"level": 1.5}, "1.5"),
        ({"margin": -1}, "margin=-1"),
        ({"seed": -1}, "seed=-1"),
    ]:
        with pytest.raises(RatingsError, match=re.escape(part)):
            Analysis.read([path], config, **options)
        with pytest.raises(RatingsError, match=re.escape(part)):
            report(path, tmp_path / "out", config, **options)
    assert sorted(os.listdir(tmp_path)) == ["r.csv"]


def test_dimensions_with_and_without_an_order_each_get_their_statistics(tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        (f"i{i}", who, "expert" if who != "m" else "judge", dim,
         rng.integers(1, 6) if dim == "warm" else rng.choice(["yes", "no"]))
        for i in range(12) for who in ("a", "b", "m") for dim in ("warm", "kind")
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["item", "rater", "group", "dimension", "rating"])
    frame.to_csv(tmp_path / "r.csv", index=False)
    source = Source(item="item", rater="rater", rating="rating", group="group",
                    dimension="dimension")  # fmt: skip
    scales = {"warm": FIVE, "kind": ScaleRules(["yes", "no"], measurement="nominal")}
    analysis = Analysis.read([tmp_path / "r.csv"], Config([source], scales=scales), resamples=20)
    for found in (analysis.within, analysis.pairs, analysis.benchmark, analysis.decisions):
        used = found[found["dimension"] == "kind"]["statistic"].unique()
        assert all(defaults.fits(name, ordered=False) for name in used) and len(used)
        assert "warm" in set(found["dimension"])
    assert set(analysis.shifts["dimension"]) == {"warm"}
    assert {"warm", "kind"} <= set(analysis.splits["dimension"])
    text, works = methods.paragraph(analysis)
    assert "Cohen's kappa (Cohen, 1960)" in text and "quadratic weighted kappa" in text
    assert any(work.startswith("Cohen, J. (1960)") for work in works)


def test_the_largest_splits_by_hand(tmp_path):
    text = "item,rater,group,rating\n" + "".join(
        f"{item},{who},expert,{value}\n"
        for item, values in {"p": (1, 5), "q": (2, 3), "r": (4, 4)}.items()
        for who, value in zip("ab", values)
    )
    found = small(tmp_path, text).splits
    assert found[["item", "given", "share"]].to_numpy().tolist() == [
        ["p", "1, 5", 1.0], ["q", "2, 3", 0.25],
    ]  # fmt: skip
