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
    ratings = paper.load("published")
    others = (paper.self_reports, paper.words, paper.openings, paper.annotation_counts)
    report = replication.replicate(ratings, *(read("published") for read in others), seed=1)
    assert f"{report['same'].sum():,} of {len(report):,} printed numbers" in README


def test_every_file_it_links_to_is_there():
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", README)
    assert links
    root = Path(__file__).parents[1]
    assert [link for link in links if not (root / link).exists()] == []
