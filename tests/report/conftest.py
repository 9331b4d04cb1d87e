"""The reports that many tests read, each made once."""

import csv
import shutil

import pytest
from reports import EXPERTS, HOSTILE, LABELS, RATERS

from raters.examples import copy_to
from raters.io.config import Config, ScaleRules, Source
from raters.report import report
from raters.report.analysis import Analysis


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The report on the example study; `first` beside it is the same, from another run."""
    study = tmp_path_factory.mktemp("report") / "study"
    copy_to(study)
    out = study / "report"
    files = [study / "ratings.csv", study / "judge.jsonl"]
    for _ in range(2):
        assert report(files, out, study / "raters.toml", resamples=400) == out
        if not (study / "first").exists():
            shutil.copytree(out, study / "first")
    return out


@pytest.fixture(scope="module")
def example(folder):
    files = [folder.parent / "ratings.csv", folder.parent / "judge.jsonl"]
    return Analysis.read(files, folder.parent / "raters.toml", resamples=400)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report on labels, without a judge, in which every text tries something."""
    place = tmp_path_factory.mktemp("hostile")
    path = place / "<h1> 'x' \"y\".csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "rater", "rating"])
        for i, item in enumerate(HOSTILE):
            for j, rater in enumerate(RATERS):
                rows.writerow([item, rater, LABELS[(i + j) % 3]])
    config = Config(
        [Source(item="item", rater="rater", rating="rating")],
        ScaleRules(LABELS, measurement="nominal"),
        groups={EXPERTS: RATERS},
    )
    title = '</title><script>globalThis.stolen="title"</script> 1e3'
    report(path, place / "report", config, reference=[EXPERTS], resamples=50, title=title)
    return place / "report"
