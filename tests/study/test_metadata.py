"""The tables of frameworks, dimensions and raters."""

from __future__ import annotations

import importlib

import pandas as pd
import pytest

from judging_empathy.data.files import data_dir
from raters.errors import RatingsError

# The package has a function of that name, which hides the module.
tables = importlib.import_module("judging_empathy.data.metadata")


def test_what_there_is():
    frameworks, dimensions, raters = tables.frameworks(), tables.dimensions(), tables.raters()
    order = ["empatheticdialogues", "epitome", "perceived_empathy", "lend_an_ear"]
    assert frameworks.framework.tolist() == order
    assert dimensions.groupby("framework", sort=False).size().tolist() == [3, 3, 9, 6]
    assert dimensions.dimension.is_unique and dimensions.polarity.sum() == 15
    assert raters.rater.tolist() == (
        ["expert1", "expert2", "expert3", "gemini", "gpt", "claude", "crowd"]
    )
    scales = [tables.levels(text) for text in frameworks.levels]
    assert scales == [(1, 2, 3, 4, 5), (0, 1, 2), (1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 5)]


def test_short_labels_are_short_and_different():
    for table in (tables.frameworks(), tables.dimensions()):
        assert table.short.str.len().max() <= 16
        assert table.title.is_unique and table.short.is_unique


def test_anchors_name_every_level_or_are_said_to_be_unknown():
    for row in tables.frameworks().itertuples():
        named = [int(part.split()[0]) for part in row.anchors.split(";") if part]
        assert named in ([], list(tables.levels(row.levels)))
        assert row.anchors or "not found" in row.anchors_note


def test_text_of_two_frameworks_is_never_shown():
    policy = tables.frameworks().set_index("framework").text_policy
    assert policy.tolist() == ["attribution", "never", "never", "show"]


def test_tables_agree_with_the_printed_values():
    printed = pd.read_csv(data_dir() / "published" / "krippendorff_alpha.csv")
    printed = printed[printed.dimension != "(mean)"]
    keys = ["framework", "dimension"]
    ours = set(map(tuple, tables.dimensions()[keys].to_numpy()))
    assert set(map(tuple, printed[keys].to_numpy())) == ours


@pytest.mark.parametrize("text", ["", "1", "1 2 two", "2 1", "1 1 2", "1.5 2"])
def test_levels_that_are_no_scale(text):
    with pytest.raises(RatingsError, match="whole numbers that increase"):
        tables.levels(text)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("dimensions", ",-1,", ",-2,", ["polarity", "advice_giving", "'-2'"]),
        ("dimensions", "\nlend_an_ear,adv", "\nlend,adv", ["'lend'", "advice_giving"]),
        ("dimensions", ",self_oriented,", ",advice_giving,", ["'advice_giving' twice"]),
        ("dimensions", "polarity", "sign", ["sign", "polarity"]),
        ("dimensions", "Fluency,Fluency", "Fluency,", ["''", "short", "fluency"]),
        ("frameworks", "0 1 2", "0 2 1", ["'0 2 1'"]),
        ("frameworks", ",never,", ",sometimes,", ["'sometimes'", "text_policy", "epitome"]),
        ("raters", ",llm,", ",model,", ["'model'", "gemini"]),
    ],
)
def test_edited_table(tmp_path, monkeypatch, name, old, new, words):
    for table in ("frameworks", "dimensions", "raters"):
        text = (data_dir() / f"{table}.csv").read_text(encoding="utf-8")
        if table == name:
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / f"{table}.csv").write_text(text, encoding="utf-8")
    monkeypatch.setattr(tables, "data_dir", lambda: tmp_path)
    with pytest.raises(RatingsError) as error:
        getattr(tables, name)()
    for word in words:
        assert word in str(error.value)


def test_dimensions_in_another_order(tmp_path, monkeypatch):
    for table in ("frameworks", "dimensions"):
        lines = (data_dir() / f"{table}.csv").read_text(encoding="utf-8").splitlines()
        if table == "dimensions":
            lines = [lines[0], *lines[:0:-1]]
        (tmp_path / f"{table}.csv").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(tables, "data_dir", lambda: tmp_path)
    with pytest.raises(RatingsError, match="another order"):
        tables.dimensions()


def test_missing_table(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "data_dir", lambda: tmp_path)
    with pytest.raises(RatingsError, match="restore it with git"):
        tables.raters()
