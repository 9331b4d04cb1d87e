"""The files as frames: a made-up copy of them with all their traps, and the real ones."""

from __future__ import annotations

import csv
import io
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from judging_empathy import Study
from judging_empathy.data import files
from judging_empathy.data.loaders import PublishedFiles, count_words
from judging_empathy.data.metadata import dimensions, frameworks, levels
from judging_empathy.study import TABLES
from raters.errors import RatingsError
from raters.frames import COLUMNS

SEEN = ["understood", "validated", "affirmed", "seen", "accepted", "caredfor"]
RATERS = ["expert1", "expert2", "expert3", "gemini", "gpt", "claude", "crowd"]
ID = {
    "empatheticdialogues": ("conv_id", [f"hit:{n}_conv:{2 * n}" for n in range(90, 140)]),
    "epitome": ("sp_id", [f"x{n:02d}zz" for n in range(50)]),
    "perceived_empathy": ("id", [f"{n:024x}" for n in range(50)]),
    # The last digits differ only beyond what a float can hold.
    "lend_an_ear": ("conversation_id", [str(20_990_101_000_000_000_000 + n) for n in range(50)]),
}
PREFIX = {"empatheticdialogues": "ED", "epitome": "EP", "perceived_empathy": "PE",
          "lend_an_ear": "LE"}  # fmt: skip
DIMENSIONS = dimensions().groupby("framework")["dimension"].agg(list).to_dict()
LEVELS = {r.framework: levels(r.levels) for r in frameworks().itertuples()}
OPENINGS = ["No promotion for me", "They took my job today", "I feel detached lately"]


def truth(framework, dimension, n, rater):
    """The made-up rating of item number n (in the order of `ID`)."""
    levels = LEVELS[framework]
    k = 3 * DIMENSIONS[framework].index(dimension) + 5 * RATERS.index(rater) + n
    value = levels[k % len(levels)]
    if rater == "crowd" and framework != "epitome":
        return min(value + (k % 3) / 3, levels[-1])
    return value


def text_of(n, words):
    """A conversation whose supporter says so many words, over several lines."""
    said = ["word"] * words
    return (
        f"Seeker: {OPENINGS[n % 3]}, so tired.\nSupporter: {' '.join(said[:2])}\n\n"
        f'{" ".join(said[2:])}\nSeeker: thanks, "you"\n'
    )


def write(path: Path, header, rows, end="\n", last=True):
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=end).writerows([header, *rows])
    text = out.getvalue() if last else out.getvalue().removesuffix(end)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def rating_file(folder, framework, rater, rng):
    """One rating file with the traps that the real file of that rater has."""
    column, ids = ID[framework]
    names = list(rng.permutation(DIMENSIONS[framework]))
    header, rows = [column], []
    with_text = rater == "gemini" and framework != "perceived_empathy"
    if framework == "epitome" and rater not in ("gpt", "claude"):
        header.append("rp_id")
    if with_text:
        header.append("full_conversation")
    for n in rng.permutation(50):
        row = [ids[n]]
        row += [f"y{n:02d}"] if "rp_id" in header else []
        row += [text_of(n, 6)] if with_text else []
        values = [truth(framework, name, n, rater) for name in names]
        as_floats = rater in ("gpt", "claude", "crowd")
        row += [float(v) if as_floats or (rater == "expert1" and n % 2) else v for v in values]
        rows.append(row)
    header += names
    if rater in ("gpt", "claude"):
        header, rows = ["", *header], [[k, *row] for k, row in enumerate(rows)]
    if rater == "gemini" and framework == "lend_an_ear":
        header, rows = ["Unnamed: 0", *header], [[3 * k, *row] for k, row in enumerate(rows)]
    crlf = rater == "expert3"
    end = "\r\n" if crlf else "\n"
    write(folder / f"annotations/{framework}/{rater}_ratings.csv", header, rows, end, not crlf)


def other_files(folder, rng):
    for framework, (column, ids) in ID.items():
        if framework != "lend_an_ear":
            rows = [[ids[n], 5 + n] for n in rng.permutation(50)]
            name = f"annotations/{framework}/sample_ratings_crowdsourced.csv"
            write(folder / name, [column, "response_length"], rows)
    column, ids = ID["lend_an_ear"]
    rows = [[ids[n], text_of(n, 5 + n), 5 + n] for n in rng.permutation(50)]
    header = [column, "full_conversation", "response_length"]
    write(folder / "original_data/sample_lend_an_ear_conversations.csv", header, rows)

    names = DIMENSIONS["lend_an_ear"][::-1]
    rows = [
        [f"person{(7 * n + k) % 20}", ids[n], *("" if k == n % 9 else float(1 + (n + k + d) % 5)
                                               for d in range(6)), "a\r\nquote"]
        for n in range(50) for k in range(2)
    ]  # fmt: skip
    header = ["user_id", column, *names, "example"]
    write(folder / "original_data/sample_lend_an_ear_annotations.csv", header, rows)

    column, ids = ID["empatheticdialogues"]
    names = DIMENSIONS["empatheticdialogues"]
    header = [column, "utterance", "selfeval", *(f"{d}{k}" for k in (1, 2) for d in names)]
    header += ["full_conversation"]
    rows = [
        [ids[n], f"turn {turn}", "", *(float(1 + (n + k) % 5) for k in range(6)),
         f"Seeker: Well_comma_ I lost \n Seeker: it\n Supporter: {'word ' * (5 + n)}\n"]
        for n in range(50) for turn in range(4)
    ]  # fmt: skip
    write(folder / "original_data/sample_empatheticdialogues.csv", header, rows)

    ids = ID["perceived_empathy"][1]
    names = DIMENSIONS["perceived_empathy"]
    rows = [[ids[n], *(round(1 + (n + d) / (3 + (n == 7)) % 6, 9) for d in range(9))]
            for n in range(50)]  # fmt: skip
    name = "original_data/sample_perceived_empathy_annotations.csv"
    write(folder / name, ["OriginalDiscloserID", *names], rows)
    header = ["id", "age_d", *SEEN, "responseR", "labelR"]
    rows = [
        [f"f{n:023x}" if n % 2 else ids[n // 2], 30, *(1 + (n + d) % 7 for d in range(6)),
         "human response", "ai label" if n % 3 else "human label"]
        for n in rng.permutation(100)
    ]  # fmt: skip
    write(folder / "original_data/perceived_empathy_self_ratings.csv", header, rows, "\r\n", False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    rng = np.random.default_rng(1)
    for framework in ID:
        for rater in RATERS:
            rating_file(folder, framework, rater, rng)
    other_files(folder, rng)
    return folder


# --------------------------------------------------------------------------- ratings
def test_every_rating_lands_where_it_belongs(whole):
    frame = PublishedFiles(whole).ratings
    assert frame.columns.tolist() == COLUMNS and len(frame) == 7350
    assert frame.rating.dtype == "float64" and frame.notna().all().all()
    code = {
        (framework, item): f"{PREFIX[framework]}{rank:02d}"
        for framework, (_, ids) in ID.items()
        for rank, item in enumerate(sorted(ids), 1)
    }
    expected = [
        (framework, dimension, code[framework, ids[n]], rater,
         "llm" if rater in ("gemini", "gpt", "claude") else rater.rstrip("123"),
         truth(framework, dimension, n, rater))
        for framework, (_, ids) in ID.items()
        for dimension in DIMENSIONS[framework]
        for n in sorted(range(50), key=lambda n, ids=ids: ids[n])
        for rater in RATERS
    ]  # fmt: skip
    expected = pd.DataFrame(expected, columns=COLUMNS)
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_no_id_and_no_text_in_any_frame(whole):
    found = PublishedFiles(whole)
    frames = [found.ratings, found.crowd_raw, found.seekers, found.words, found.openings]
    frames.append(found.rating_counts)
    secret = {key for _, ids in ID.values() for key in ids} | {f"person{k}" for k in range(20)}
    for frame in frames:
        cells = set(frame.select_dtypes(exclude="number").to_numpy().ravel())
        assert not cells & secret
        assert max(map(len, cells), default=0) < 30


def test_blank_lines_and_byte_order_mark_do_no_harm(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "copy")
    file = tmp_path / "copy" / "annotations/perceived_empathy/expert1_ratings.csv"
    raw = file.read_bytes().replace(b"\n", b"\n\n", 3)
    file.write_bytes(b"\xef\xbb\xbf" + raw + b"\n\n")
    pd.testing.assert_frame_equal(
        PublishedFiles(tmp_path / "copy").ratings, PublishedFiles(whole).ratings
    )


# --------------------------------------------------------------------------- the rest
def test_crowd_raw(whole):
    raw = PublishedFiles(whole).crowd_raw
    assert raw.columns.tolist() == COLUMNS and set(raw.group) == {"crowd"}
    chats = raw[raw.framework == "empatheticdialogues"]
    assert len(chats) == 300 and set(chats.rater) == {"evaluator1", "evaluator2"}
    forms = raw[raw.framework == "lend_an_ear"]
    assert len(forms) == 600 and forms.rater.nunique() == 20
    assert forms.rater.str.fullmatch(r"C0\d\d").all()
    assert forms.rating.isna().sum() == 6 * 12
    assert not raw.duplicated(COLUMNS[:4]).any()


def test_self_reports(whole):
    reports = PublishedFiles(whole).seekers
    assert reports.columns.tolist() == ["item", "file_order", "responseR", "labelR", *SEEN]
    assert reports.item.nunique() == 50 and reports.file_order.is_monotonic_increasing
    assert reports.file_order.between(1, 100).all()
    number = reports.item.str[2:].astype(int) - 1  # ids of the fixture sort by number
    assert (reports.understood == 1 + (2 * number) % 7).all()
    assert (reports.caredfor == 1 + (2 * number + 5) % 7).all()


def test_words_are_those_of_the_supporter(whole):
    words = PublishedFiles(whole).words
    assert len(words) == 200 and words.words.min() == 5 and words.words.max() == 54
    for framework in ("lend_an_ear", "empatheticdialogues"):
        turns = PublishedFiles(whole).conversations(framework)
        said = turns[turns.speaker == "Supporter"].groupby("item").text
        counted = said.apply(lambda texts: sum(map(count_words, texts)))
        given = words[words.framework == framework].set_index("item").words
        assert (counted == given).all()


def test_openings(whole):
    openings = PublishedFiles(whole).openings
    expected = {"promotion_passed_over": 17, "job_loss": 17, "overlooked_undervalued": 16}
    assert openings.opening.value_counts().to_dict() == expected


def test_conversations(whole):
    turns = PublishedFiles(whole).conversations("lend_an_ear")
    assert turns.columns.tolist() == ["item", "turn", "speaker", "text"]
    assert turns.groupby("item").turn.max().eq(3).all() and turns.item.nunique() == 50
    assert turns.attrs["licence"] == "MIT"
    turns = PublishedFiles(whole).conversations("empatheticdialogues")
    assert "_comma_" not in " ".join(turns.text) and turns.text.iloc[0] == "Well, I lost"
    assert turns.attrs["licence"] == "CC BY-NC 4.0" and "Rashkin" in turns.attrs["citation"]


@pytest.mark.parametrize(
    "framework, reason",
    [("epitome", "suicide"), ("perceived_empathy", "request"), ("other", "'other'")],
)
def test_conversations_that_are_not_shown(tmp_path, framework, reason):
    # An empty folder: refused before any file is looked for.
    with pytest.raises(RatingsError, match="lend_an_ear") as caught:
        PublishedFiles(tmp_path).conversations(framework)
    assert framework in str(caught.value) and reason in str(caught.value)


def test_counts(whole):
    table = PublishedFiles(whole).rating_counts.set_index(["group", "framework"])
    assert table.loc["crowd", "ratings"].tolist() == [300, 150, 9 * 151, 528]
    assert table.loc[("crowd", "lend_an_ear"), "cells"] == 600
    assert table.query("how == 'inferred'").index.tolist() == [("crowd", "perceived_empathy")]


# --------------------------------------------------------------------------- the real files
@pytest.fixture(scope="module")
def real():
    return files.store().require()


@cache
def published_files():
    """The real files, each read once."""
    return PublishedFiles(files.store().require())


@pytest.mark.real_data
def test_real_frame_agrees_with_the_authors_combined_table(real):
    """Their table joins the files in another way: 50 items x 8 raters side by side."""
    frame = published_files().ratings
    name = real / "annotations/combined_annotations_across_methods_and_datasets.csv"
    combined = pd.read_csv(name, dtype=str, keep_default_na=False)
    blocks = {
        "lend_an_ear": ("lend_an_ear_conversation_id", "annotation_method"),
        "perceived_empathy": ("perceived_conversation_id", "annotation_method.1"),
        "empatheticdialogues": ("empathetic_conversation_id", "annotation_method.2"),
        "epitome": ("epitome_conversation_id", "annotation_method.3"),
    }
    names = {"crowd": "crowd", "gpt": "gpt", "claude": "claude", "llm": "gemini"}
    names |= {f"expert{k}": f"expert{k}" for k in (1, 2, 3)} | {"experts": "expert_median"}
    median = frame[frame.group == "expert"].groupby(COLUMNS[:3])["rating"].median()
    compared = 0
    for framework, (column, method) in blocks.items():
        code = {key: f"{PREFIX[framework]}{rank:02d}"
                for rank, key in enumerate(sorted(set(combined[column])), 1)}  # fmt: skip
        for dimension in DIMENSIONS[framework]:
            ours = frame[(frame.framework == framework) & (frame.dimension == dimension)]
            ours = ours.set_index(["item", "rater"])["rating"].to_dict()
            rows = zip(combined[column], combined[method], combined[dimension], strict=True)
            for key, rater, value in rows:
                item, rater = code[key], names.get(rater, rater)
                if rater == "expert_median":
                    mine = median[framework, dimension, item]
                else:
                    mine = ours[item, rater]
                assert abs(mine - float(value)) < 1e-8, (framework, dimension, item, rater)
                compared += 1
    assert compared == 21 * 50 * 8


@pytest.mark.real_data
def test_real_crowd_means_come_from_the_raw_ratings():
    frame, raw = published_files().ratings, published_files().crowd_raw
    means = raw.groupby(COLUMNS[:3])["rating"].mean()
    crowd = frame[frame.rater == "crowd"].set_index(COLUMNS[:3])["rating"]
    assert len(means) == 450
    np.testing.assert_allclose(means, crowd.loc[means.index], atol=1e-12)
    assert raw[raw.framework == "lend_an_ear"].rater.nunique() == 116


@pytest.mark.real_data
def test_real_evaluations_are_the_selfeval_column(real):
    name = real / "original_data/sample_empatheticdialogues.csv"
    rows = pd.read_csv(name, dtype=str).drop_duplicates("conv_id").sort_values("conv_id")
    raw = published_files().crowd_raw.query("framework == 'empatheticdialogues'")
    wide = raw.pivot(index="item", columns=["rater", "dimension"], values="rating").astype(int)
    for cells, (_, row) in zip(rows.selfeval, wide.iterrows(), strict=True):
        parts = [[row[f"evaluator{k}", d] for d in DIMENSIONS["empatheticdialogues"]]
                 for k in (1, 2)]  # fmt: skip
        order = ["empathy", "relevance", "fluency"]
        assert DIMENSIONS["empatheticdialogues"] == order
        assert cells == "_".join("|".join(map(str, part)) for part in parts)


@pytest.mark.real_data
def test_real_words_are_those_of_the_supporter(real):
    words = published_files().words
    assert words.groupby("framework").size().eq(50).all()
    for framework in ("lend_an_ear", "empatheticdialogues"):
        turns = published_files().conversations(framework)
        said = turns[turns.speaker == "Supporter"].groupby("item").text
        counted = said.apply(lambda texts: sum(map(count_words, texts)))
        given = words[words.framework == framework].set_index("item").words
        assert (counted == given).all()
    posts = pd.read_csv(real / "original_data/sample_epitome.csv", dtype=str)
    posts = posts.sort_values("sp_id").response_post.map(count_words).tolist()
    assert posts == words[words.framework == "epitome"].words.tolist()


@pytest.mark.real_data
def test_real_openings_and_self_reports():
    counts = published_files().openings.opening.value_counts().to_dict()
    printed = pd.read_csv(files.data_dir() / "published" / "other.csv")
    printed = printed[printed.analysis == "opening_count"].set_index("subject").value
    assert counts == printed.astype(int).to_dict()
    reports = published_files().seekers
    assert set(reports.responseR) == {"human response"}, "no reply by a model in the sample"
    assert reports.labelR.value_counts().to_dict() == {"human label": 26, "ai label": 24}


@pytest.mark.real_data
def test_real_counts_and_the_one_that_does_not_reproduce():
    counts = Study("published").annotation_counts
    printed = pd.read_csv(files.data_dir() / "published" / "other.csv")
    printed = printed[printed.analysis == "annotation_count"].set_index("subject").value.astype(int)
    assert {k for k in counts if counts[k] != printed[k]} == {"crowd"}
    crowd = published_files().rating_counts.query("group == 'crowd'")
    assert crowd.ratings.tolist() == [300, 150, 1359, 1162] and crowd.ratings.sum() == 2971


@pytest.mark.real_data
def test_real_ids_are_in_no_frame(real):
    secret = set()
    for name in ("original_data/perceived_empathy_self_ratings.csv",
                 "original_data/sample_lend_an_ear_annotations.csv"):  # fmt: skip
        table = pd.read_csv(real / name, dtype=str)
        secret |= set(table["id"]) | set(table.get("user_id", []))
    secret = {key for key in secret if len(key) > 5}
    assert len(secret) > 455
    for frame in (
        published_files().ratings,
        published_files().crowd_raw,
        published_files().seekers,
        published_files().words,
    ):
        assert not set(frame.select_dtypes(exclude="number").to_numpy().ravel()) & secret


def test_a_study_of_a_study_is_the_same_and_loads_nothing_again(monkeypatch):
    first = Study("simulated")
    made = first.table("vif")
    monkeypatch.setattr("judging_empathy.study.Simulated", None)
    monkeypatch.setitem(TABLES, "vif", lambda: None)
    again = Study(first)
    assert again.name == "simulated" and again.ratings.equals(first.ratings)
    assert again.table("vif").equals(made)
