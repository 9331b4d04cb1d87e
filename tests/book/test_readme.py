"""The README says what the book computes."""

import re
from pathlib import Path

import nbformat
import pytest

import judging_empathy as paper
from book.build.shared import Options
from judging_empathy import chart_data, sentences
from judging_empathy import models as judging
from judging_empathy import tables as results
from judging_empathy.audit import questions as audit
from raters.examples import copy_to
from raters.judges import benchmark
from raters.measures import MEAN

# In one process of the test run: the tables that several tests need are made once.
pytestmark = pytest.mark.xdist_group("readme")
ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
START = nbformat.read(ROOT / "notebooks" / "00_index.ipynb", as_version=4).cells
# As the first page computes them: the ends of these intervals lie close to 0.
SEED, OFTEN = Options().seed, 5 * Options().resamples


@pytest.fixture(scope="module")
def ratings():
    return paper.load("published")


@pytest.fixture(scope="module")
def against_experts(ratings):
    """The models' kappas less the experts' own, by kind of interval."""
    asked = {"statistics": results.KAPPA, "resamples": OFTEN, "seed": SEED}
    return {
        kind: benchmark(
            ratings,
            paper.scales(),
            paper.MODELS,
            readings=["paper", "single"],
            interval=kind,
            **asked,
        )
        for kind in ("percentile", "bca")
    }


@pytest.fixture(scope="module")
def against_the_crowd(ratings):
    found = judging.judge_vs_crowd_table(ratings, resamples=OFTEN, seed=SEED)
    return found[(found["reading"] == "single") & found["judge"].isin(paper.MODELS)]


def overall(found, reading="single"):
    """The means over all 21 dimensions, by model."""
    return judging.overall(found[found["reading"] == reading]).set_index("judge")


@pytest.mark.real_data
def test_the_finding_is_the_computed_one(ratings):
    pairs = results.pairs_table(ratings, resamples=0, seed=0)
    assert sentences.finding(pairs) in README


@pytest.mark.real_data
def test_the_sentence_on_models_and_experts_is_the_computed_one(against_experts):
    means = {kind: overall(found) for kind, found in against_experts.items()}
    standing = {
        model: {sentences.standing(*rows.loc[model, ["low", "high"]]) for rows in means.values()}
        for model in paper.MODELS
    }
    below = [paper.LABELS[model] for model, where in standing.items() if where == {"below"}]
    unsure = [paper.LABELS[model] for model, where in standing.items() if len(where) > 1]
    assert len(below) + len(unsure) == len(paper.MODELS)
    assert (
        f"Like for like, {sentences.listed(below)} stay below the experts' own agreement on "
        f"average; for {sentences.listed(unsure)} it depends on the kind of interval." in README
    )


@pytest.mark.real_data
def test_how_close_the_models_come_depends_on_all_that_is_named(against_experts):
    assert (
        "depends on the dimension, the model, and whether the model meets one expert or" in README
    )
    found = against_experts["percentile"]
    median, single = overall(found, "paper"), overall(found)
    assert (median["difference"] > single["difference"]).all()  # who meets the median gains
    assert single["high"].min() < single["low"].max()  # two models whose intervals lie apart
    each = found[(found["reading"] == "single") & (found["dimension"] != MEAN)]
    for _, rows in each.groupby("judge"):
        assert {"above", "below"} <= set(map(sentences.standing, rows["low"], rows["high"]))


@pytest.mark.real_data
def test_the_sentences_on_the_crowd_are_the_computed_ones(against_the_crowd):
    assert "On average all three agree with an expert better than the crowd does." in README
    assert (judging.overall(against_the_crowd)["low"] > 0).all()
    means = against_the_crowd[against_the_crowd["dimension"] == MEAN]
    clear = (means["low"] > 0).groupby(means["framework"]).sum()
    title = paper.frameworks().set_index("framework")["title"]
    said = ", ".join(f"{clear[name]} of 3 in {title[name]}" for name in paper.scales())
    assert said.replace("of 3 in", "of 3 models in", 1) in README


@pytest.mark.real_data
def test_the_width_of_an_interval_is_the_computed_one(ratings):
    pairs = results.pairs_table(ratings, Options().resamples, SEED)
    width = chart_data.expert_pairs(pairs).eval("high - low").median()
    assert f"The 95 % interval of a single kappa is typically {width:.2f} wide." in README


def test_there_are_twenty_questions():
    numbers = {re.match(r"\d+", number)[0] for number in audit.asked()["question"]}
    assert len(numbers) == 20 and "Twenty questions" in README


def test_the_answer_on_the_first_page_is_written_by_code():
    """What it says follows from the intervals: tests/study/test_judging.py."""
    assert "**Answer.**" not in START[0].source
    assert any(cell.source.endswith('answer["short"]') for cell in START[:5])


@pytest.mark.real_data
def test_the_count_of_reproduced_numbers_is_the_computed_one():
    report = paper.Study("published").table("replication", seed=1)
    exact = report[report["comparison"] == "digit"]["same"]
    drawn = report[report["comparison"] == "monte carlo"]["same"]
    assert f"{exact.sum():,} of {len(exact):,} printed numbers come out to the printed" in README
    assert f"{drawn.sum()} of {len(drawn)} that were drawn without a seed" in README


def test_every_file_it_links_to_is_there():
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.real_data
def test_its_chart_is_the_computed_one():
    import vl_convert

    from book import finding

    drawn = vl_convert.vegalite_to_svg(finding.finding().to_dict())
    kept = finding.TARGET.read_text(encoding="utf-8")
    # Widths of letters differ between machines: compare what the marks say, not where they are.
    marks = r'aria-label="([^"]*kappa[^"]*)"'
    assert re.findall(marks, drawn) == re.findall(marks, kept) != []


def test_its_lines_of_python_run_on_the_example_study(tmp_path, monkeypatch):
    [block] = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [line.split("#")[0].strip() for line in block.splitlines() if line]
    found = {}
    exec("\n".join(lines[:-2]), found)
    for line in lines[-2:]:
        result = eval(line, found)
        assert result["estimate"].notna().all() and (result["low"] < result["high"]).all()
