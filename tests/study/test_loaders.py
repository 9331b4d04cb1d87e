"""The loader: on a made-up copy of the study's files with all their traps, and on the real ones."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from judging_empathy.data import files
from judging_empathy.data.loaders import (
    SELF_REPORTED,
    count_words,
    load_annotation_counts,
    load_conversations,
    load_crowd_raw,
    load_openings,
    load_published,
    load_rating_counts,
    load_self_reports,
    load_words,
)
from judging_empathy.data.metadata import dimensions, frameworks, levels
from raters.errors import RatingsError
from raters.frames import COLUMNS

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
    header = ["id", "age_d", *SELF_REPORTED, "responseR", "labelR"]
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


@pytest.fixture
def broken(whole, tmp_path):
    """A copy of the folder in which one file may be spoiled."""

    def spoil(name, change):
        for path in whole.rglob("*.csv"):
            target = tmp_path / path.relative_to(whole)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
        before = (tmp_path / name).read_bytes()
        after = change(before)
        assert after != before, "nothing was spoiled"
        (tmp_path / name).write_bytes(after)
        return tmp_path

    return spoil


def fails(call, *words):
    with pytest.raises(RatingsError) as error:
        call()
    message = str(error.value)
    assert message.startswith("Given: ") and ". Allowed: " in message and ". To do: " in message
    for word in words:
        assert word in message, (word, message)
    for _, ids in ID.values():
        assert not any(key in message for key in ids), "an id in a message"
    return message


def line_of(path: Path, piece: bytes) -> int:
    """The line in which an editor shows the first such piece."""
    return path.read_bytes().split(piece)[0].count(b"\n") + 1


# --------------------------------------------------------------------------- ratings
def test_every_rating_lands_where_it_belongs(whole):
    frame = load_published(whole)
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
    frames = [
        load_published(whole), load_crowd_raw(whole), load_self_reports(whole),
        load_words(whole), load_openings(whole), load_rating_counts(whole),
    ]  # fmt: skip
    secret = {key for _, ids in ID.values() for key in ids} | {f"person{k}" for k in range(20)}
    for frame in frames:
        cells = set(frame.select_dtypes(exclude="number").to_numpy().ravel())
        assert not cells & secret
        assert max(map(len, cells), default=0) < 30


GEMINI_LE = "annotations/lend_an_ear/gemini_ratings.csv"
EXPERT1 = "annotations/perceived_empathy/expert1_ratings.csv"


@pytest.mark.parametrize("value", ["2.5", "0", "6", "-1"])
def test_rating_off_the_scale_below_text_of_many_lines(broken, value):
    # The last cell of the tenth record; every record begins with text over several lines.
    end_of_text = b'""\n",'

    def change(raw):
        parts = raw.split(end_of_text)
        ratings, rest = parts[10].split(b"\n", 1)
        parts[10] = ratings[: ratings.rindex(b",") + 1] + value.encode() + b"\n" + rest
        return end_of_text.join(parts)

    folder = broken(GEMINI_LE, change)
    line = line_of(folder / GEMINI_LE, f",{value}\n".encode())
    assert line > 40
    fails(lambda: load_published(folder), GEMINI_LE, f"line {line},", repr(value), "1 2 3 4 5")


@pytest.mark.parametrize("value", ["x", "", "nan", "inf", "1_0", "3;0", "3,5", "NA", "0x2"])
def test_rating_that_is_no_number(broken, value):
    def change(raw):
        lines = raw.split(b"\n")
        cells = lines[4].split(b",")
        cells[-1] = f'"{value}"'.encode()
        lines[4] = b",".join(cells)
        return b"\n".join(lines)

    folder = broken(EXPERT1, change)
    fails(lambda: load_published(folder), EXPERT1, "line 5,", repr(value), "not a number")


def test_experts_may_not_use_halves_and_the_crowd_may(broken):
    name = "annotations/epitome/crowd_ratings.csv"
    folder = broken(name, lambda raw: raw.replace(b",1.0", b",0.5", 1))
    frame = load_published(folder)
    assert (frame.query("framework == 'epitome' and rater == 'crowd'").rating == 0.5).sum() == 1
    folder = broken(name, lambda raw: raw.replace(b",2.0", b",2.1", 1))
    fails(lambda: load_published(folder), "'2.1'", "numbers between them", name)


def test_missing_file(broken):
    folder = broken(EXPERT1, lambda raw: b"")
    (folder / EXPERT1).unlink()
    fails(lambda: load_published(folder), EXPERT1, "CHECK=1")


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_empty_file(broken, content):
    fails(lambda: load_published(broken(EXPERT1, lambda raw: content)), EXPERT1, "'id'")


def test_missing_and_doubled_column(broken):
    folder = broken(EXPERT1, lambda raw: raw.replace(b"m_seen", b"m_sean"))
    fails(lambda: load_published(folder), "no column 'm_seen'", EXPERT1, "line 1")
    folder = broken(EXPERT1, lambda raw: raw.replace(b"m_affirmed", b"m_seen"))
    fails(lambda: load_published(folder), EXPERT1, "column 'm_")


def test_cut_row_and_extra_cell(broken):
    folder = broken(EXPERT1, lambda raw: raw[: raw.rindex(b",")])
    fails(lambda: load_published(folder), EXPERT1, "line 51", "9 cells", "10 cells")
    folder = broken(EXPERT1, lambda raw: raw.replace(b"\n", b"\n1,", 7).replace(b"\n1,", b"\n", 6))
    fails(lambda: load_published(folder), EXPERT1, "line 8", "11 cells")


def test_open_quote(broken):
    folder = broken(GEMINI_LE, lambda raw: raw[: raw.rindex(b'"')])
    fails(lambda: load_published(folder), GEMINI_LE, "closed quotes")


def test_not_utf8(broken):
    folder = broken(EXPERT1, lambda raw: raw + b"\xff\xfe")
    fails(lambda: load_published(folder), EXPERT1, "UTF-8")


def test_blank_lines_and_byte_order_mark_do_no_harm(broken, whole):
    folder = broken(EXPERT1, lambda raw: b"\xef\xbb\xbf" + raw.replace(b"\n", b"\n\n", 3) + b"\n\n")
    pd.testing.assert_frame_equal(load_published(folder), load_published(whole))


def drop_line(raw, number):
    lines = raw.split(b"\n")
    del lines[number - 1]
    return b"\n".join(lines)


def test_duplicate_id(broken):
    def change(raw):
        lines = raw.split(b"\n")
        lines[9] = lines[3]
        return b"\n".join(lines)

    fails(lambda: load_published(broken(EXPERT1, change)), EXPERT1, "line 10", "line 4")


def test_missing_row(broken):
    folder = broken(EXPERT1, lambda raw: drop_line(raw, 12))
    message = fails(lambda: load_published(folder), f"{EXPERT1} has no row for the item in")
    assert "expert2_ratings.csv, line" in message


def test_same_row_missing_everywhere(broken):
    folder = broken(EXPERT1, lambda raw: drop_line(raw, 12))
    kept = {line.split(b",")[0] for line in (folder / EXPERT1).read_bytes().split(b"\n")}
    for rater in RATERS[1:]:
        path = folder / f"annotations/perceived_empathy/{rater}_ratings.csv"
        end = b"\r\n" if b"\r\n" in path.read_bytes() else b"\n"
        place = 1 if rater in ("gpt", "claude") else 0
        lines = [x for x in path.read_bytes().split(end) if x]
        lines = [x for k, x in enumerate(lines) if k == 0 or x.split(b",")[place] in kept]
        path.write_bytes(end.join(lines))
    fails(lambda: load_published(folder), "49 items", "50 items")


def test_id_that_lost_digits(broken):
    name = "annotations/lend_an_ear/expert2_ratings.csv"
    ids = ID["lend_an_ear"][1]
    folder = broken(name, lambda raw: raw.replace(ids[7].encode(), b"2.0990101e19"))
    line = line_of(folder / name, b"2.0990101e19")
    fails(lambda: load_published(folder), name, f"line {line},", "digits")


def test_empty_id(broken):
    name = "annotations/lend_an_ear/expert2_ratings.csv"
    folder = broken(name, lambda raw: raw.replace(ID["lend_an_ear"][1][7].encode(), b" "))
    fails(lambda: load_published(folder), name, "no id")


# --------------------------------------------------------------------------- the rest
def test_crowd_raw(whole):
    raw = load_crowd_raw(whole)
    assert raw.columns.tolist() == COLUMNS and set(raw.group) == {"crowd"}
    chats = raw[raw.framework == "empatheticdialogues"]
    assert len(chats) == 300 and set(chats.rater) == {"evaluator1", "evaluator2"}
    forms = raw[raw.framework == "lend_an_ear"]
    assert len(forms) == 600 and forms.rater.nunique() == 20
    assert forms.rater.str.fullmatch(r"C0\d\d").all()
    assert forms.rating.isna().sum() == 6 * 12
    assert not raw.duplicated(COLUMNS[:4]).any()


def test_crowd_raw_same_person_twice(broken):
    name = "original_data/sample_lend_an_ear_annotations.csv"
    folder = broken(name, lambda raw: raw.replace(b"person1,", b"person0,", 1))
    fails(lambda: load_crowd_raw(folder), name, "same person", "line 2")


def test_self_reports(whole, broken):
    reports = load_self_reports(whole)
    assert reports.columns.tolist() == ["item", "file_order", "responseR", "labelR", *SELF_REPORTED]
    assert reports.item.nunique() == 50 and reports.file_order.is_monotonic_increasing
    assert reports.file_order.between(1, 100).all()
    number = reports.item.str[2:].astype(int) - 1  # ids of the fixture sort by number
    assert (reports.understood == 1 + (2 * number) % 7).all()
    assert (reports.caredfor == 1 + (2 * number + 5) % 7).all()
    name = "original_data/perceived_empathy_self_ratings.csv"
    lost = ID["perceived_empathy"][1][3].encode()
    fails(lambda: load_self_reports(broken(name, lambda raw: raw.replace(lost, b"other"))), "lacks")


def test_words_are_those_of_the_supporter(whole):
    words = load_words(whole)
    assert len(words) == 200 and words.words.min() == 5 and words.words.max() == 54
    for framework in ("lend_an_ear", "empatheticdialogues"):
        turns = load_conversations(framework, whole)
        said = turns[turns.speaker == "Supporter"].groupby("item").text
        counted = said.apply(lambda texts: sum(map(count_words, texts)))
        given = words[words.framework == framework].set_index("item").words
        assert (counted == given).all()


@pytest.mark.parametrize("value", ["2.5", "0", "many", ""])
def test_words_that_are_no_count(broken, value):
    name = "annotations/epitome/sample_ratings_crowdsourced.csv"
    folder = broken(name, lambda raw: raw.replace(b",20\n", f",{value}\n".encode()))
    line = line_of(folder / name, f",{value}\n".encode())
    fails(lambda: load_words(folder), name, f"line {line},", repr(value))


def test_openings(whole, broken):
    openings = load_openings(whole)
    expected = {"promotion_passed_over": 17, "job_loss": 17, "overlooked_undervalued": 16}
    assert openings.opening.value_counts().to_dict() == expected
    name = "original_data/sample_lend_an_ear_conversations.csv"
    folder = broken(name, lambda raw: raw.replace(b"promotion", b"luck", 1))
    fails(lambda: load_openings(folder), name, "fits 0 openings")


def test_conversations(whole, broken):
    turns = load_conversations("lend_an_ear", whole)
    assert turns.columns.tolist() == ["item", "turn", "speaker", "text"]
    assert turns.groupby("item").turn.max().eq(3).all() and turns.item.nunique() == 50
    assert turns.attrs["licence"] == "MIT"
    turns = load_conversations("empatheticdialogues", whole)
    assert "_comma_" not in " ".join(turns.text) and turns.text.iloc[0] == "Well, I lost"
    assert turns.attrs["licence"] == "CC BY-NC 4.0" and "Rashkin" in turns.attrs["citation"]
    name = "original_data/sample_lend_an_ear_conversations.csv"
    folder = broken(name, lambda raw: raw.replace(b"Seeker: They", b"They", 1))
    fails(lambda: load_conversations("lend_an_ear", folder), name, "before the first turn")


@pytest.mark.parametrize("framework", ["epitome", "perceived_empathy", "other"])
def test_conversations_that_are_not_shown(framework):
    # No folder: refused before any file is looked for.
    reason = {"epitome": "suicide", "perceived_empathy": "request", "other": "'other'"}
    fails(lambda: load_conversations(framework), framework, reason[framework], "lend_an_ear")


def test_counts(whole):
    table = load_rating_counts(whole).set_index(["group", "framework"])
    assert table.loc["crowd", "ratings"].tolist() == [300, 150, 9 * 151, 528]
    assert table.loc[("crowd", "lend_an_ear"), "cells"] == 600
    assert table.query("how == 'inferred'").index.tolist() == [("crowd", "perceived_empathy")]
    counts = load_annotation_counts(whole)
    expected = {"expert": 3150, "llm": 3150, "crowd": 300 + 150 + 9 * 151 + 528}
    assert counts == expected | {"conversations": 200}


# --------------------------------------------------------------------------- the real files
@pytest.fixture(scope="module")
def real():
    return files.require()


@pytest.mark.real_data
def test_real_frame_agrees_with_the_authors_combined_table(real):
    """Their table joins the files in another way: 50 items x 8 raters side by side."""
    frame = load_published()
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
    frame, raw = load_published(), load_crowd_raw()
    means = raw.groupby(COLUMNS[:3])["rating"].mean()
    crowd = frame[frame.rater == "crowd"].set_index(COLUMNS[:3])["rating"]
    assert len(means) == 450
    np.testing.assert_allclose(means, crowd.loc[means.index], atol=1e-12)
    assert raw[raw.framework == "lend_an_ear"].rater.nunique() == 116


@pytest.mark.real_data
def test_real_evaluations_are_the_selfeval_column(real):
    name = real / "original_data/sample_empatheticdialogues.csv"
    rows = pd.read_csv(name, dtype=str).drop_duplicates("conv_id").sort_values("conv_id")
    raw = load_crowd_raw().query("framework == 'empatheticdialogues'")
    wide = raw.pivot(index="item", columns=["rater", "dimension"], values="rating").astype(int)
    for cells, (_, row) in zip(rows.selfeval, wide.iterrows(), strict=True):
        parts = [[row[f"evaluator{k}", d] for d in DIMENSIONS["empatheticdialogues"]]
                 for k in (1, 2)]  # fmt: skip
        order = ["empathy", "relevance", "fluency"]
        assert DIMENSIONS["empatheticdialogues"] == order
        assert cells == "_".join("|".join(map(str, part)) for part in parts)


@pytest.mark.real_data
def test_real_words_are_those_of_the_supporter(real):
    words = load_words()
    assert words.groupby("framework").size().eq(50).all()
    for framework in ("lend_an_ear", "empatheticdialogues"):
        turns = load_conversations(framework)
        said = turns[turns.speaker == "Supporter"].groupby("item").text
        counted = said.apply(lambda texts: sum(map(count_words, texts)))
        given = words[words.framework == framework].set_index("item").words
        assert (counted == given).all()
    posts = pd.read_csv(real / "original_data/sample_epitome.csv", dtype=str)
    posts = posts.sort_values("sp_id").response_post.map(count_words).tolist()
    assert posts == words[words.framework == "epitome"].words.tolist()


@pytest.mark.real_data
def test_real_openings_and_self_reports():
    counts = load_openings().opening.value_counts().to_dict()
    printed = pd.read_csv(files.data_dir() / "published" / "other.csv")
    printed = printed[printed.analysis == "opening_count"].set_index("subject").value
    assert counts == printed.astype(int).to_dict()
    reports = load_self_reports()
    assert set(reports.responseR) == {"human response"}, "no reply by a model in the sample"
    assert reports.labelR.value_counts().to_dict() == {"human label": 26, "ai label": 24}


@pytest.mark.real_data
def test_real_counts_and_the_one_that_does_not_reproduce():
    counts = load_annotation_counts()
    printed = pd.read_csv(files.data_dir() / "published" / "other.csv")
    printed = printed[printed.analysis == "annotation_count"].set_index("subject").value.astype(int)
    assert {k for k in counts if counts[k] != printed[k]} == {"crowd"}
    crowd = load_rating_counts().query("group == 'crowd'")
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
    for frame in (load_published(), load_crowd_raw(), load_self_reports(), load_words()):
        assert not set(frame.select_dtypes(exclude="number").to_numpy().ravel()) & secret
