"""The README says what the book computes."""

import re
from pathlib import Path

import pytest

from raters import study as paper
from raters.study import replication, results, views

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.real_data
def test_the_finding_is_the_computed_one():
    pairs = results.pairs_table(paper.load("published"), resamples=0, seed=0)
    assert views.finding(pairs) in README


@pytest.mark.real_data
def test_the_count_of_reproduced_numbers_is_the_computed_one():
    report = replication.report("published", seed=1)
    exact = report[report["comparison"] == "digit"]["same"]
    drawn = report[report["comparison"] == "monte carlo"]["same"]
    assert f"{exact.sum():,} of {len(exact):,} printed numbers come out to the printed" in README
    assert f"{drawn.sum()} of {len(drawn)} that were drawn without a seed" in README


def test_every_file_it_links_to_is_there():
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", README)
    assert links
    root = Path(__file__).parents[1]
    assert [link for link in links if not (root / link).exists()] == []


@pytest.mark.real_data
def test_its_chart_is_the_computed_one():
    import finding
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(finding.finding().to_dict())
    kept = finding.TARGET.read_text(encoding="utf-8")
    # Widths of letters differ between machines: compare what the marks say, not where they are.
    marks = r'aria-label="([^"]*kappa[^"]*)"'
    assert re.findall(marks, drawn) == re.findall(marks, kept) != []
