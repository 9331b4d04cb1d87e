"""Anyone's files as one long frame: what is declared, what is odd, and what never vanishes."""

import json
import os
import random
import resource
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from raters import RatingsError, agreement, pairwise
from raters.io.config import Config, ScaleRules, Source
from raters.io.formats import Limits
from raters.io.formats.base import encoding_of
from raters.io.inspect import inspect, read_as_proposed
from raters.io.read import read
from raters.label_sets import by_label, set_alpha

FIVE = ScaleRules([1, 2, 3, 4, 5])
LONG = Source(item="item", rater="rater", rating="rating")
SIX_DIGITS = {"rel": 0, "abs": 1e-6}


def labels(*levels, **rules):
    return ScaleRules(levels, measurement="nominal", **rules)


def wide(**more):
    return Source(layout="wide-by-rater", item="item", **more)


def written(tmp_path, text, name="ratings.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return path


def cells(reading):
    """The ratings as a dict from (item, rater) to rating."""
    rows = reading.ratings
    return dict(zip(zip(rows["item"], rows["rater"]), rows["rating"]))


def counted(frame, key):
    return dict(zip(frame[key], frame["n"]))


def pair_values(reading, *names):
    rows = pairwise(reading.ratings, reading.scale, list(names), resamples=0)
    return rows["estimate"].tolist()


def many_values(reading, *names):
    return agreement(reading.ratings, reading.scale, list(names), resamples=0)["estimate"].tolist()


# --------------------------------------------------------------------------------- layouts
SAME = {("a", "ann"): 1, ("a", "bob"): 2, ("b", "ann"): 3, ("b", "bob"): 5}


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("item,rater,rating\na,ann,1\na,bob,2\nb,ann,3\nb,bob,5\n", LONG),
        ("item,ann,bob\na,1,2\nb,3,5\n", wide()),
        ("item,note,ann,bob\na,x,1,2\nb,y,3,5\n", wide(columns=["ann", "bob"])),
        ("item,note,ann,bob\na,x,1,2\nb,y,3,5\n", wide(columns=["[ab]*"])),
        ("who,a,b\nann,1,3\nbob,2,5\n", Source(layout="wide-by-item", rater="who")),
        ("item\tann\tbob\na\t1\t2\nb\t3\t5\n", wide()),
        ("title\n\nitem;ann;bob\na;1;2\nb;3;5\n", wide(rows_before_header=1, delimiter=";")),
        ("sep=;\nitem;ann;bob\na;1;2\nb;3;5\n", wide()),
        ("key,score\na|ann,1\na|bob,2\nb|ann,3\nb|bob,5\n",
         Source(split={"key": "{item}|{rater}"}, item="item", rater="rater", rating="score")),
    ],
)  # fmt: skip
def test_every_layout_gives_the_same_ratings(tmp_path, text, source):
    assert cells(read(written(tmp_path, text), Config([source], FIVE))) == SAME


def test_columns_for_dimensions_and_for_both(tmp_path):
    text = "item,who,warm,clear\na,ann,1,2\na,bob,3,4\n"
    source = Source(layout="wide-by-dimension", item="item", rater="who")
    reading = read(written(tmp_path, text), Config([source], FIVE))
    rows = reading.ratings.set_index(["dimension", "item", "rater"])["rating"]
    assert rows["warm", "a", "bob"] == 3 and rows["clear", "a", "ann"] == 2
    text = "item,ann_warm,ann_clear,bob_warm,bob_clear\na,1,2,3,4\n"
    source = Source(layout="wide-by-name", item="item", names="{rater}_{dimension}")
    again = read(written(tmp_path, text, "b.csv"), Config([source], FIVE))
    assert (
        again.ratings.set_index(["dimension", "item", "rater"])["rating"].to_dict()
        == rows.to_dict()
    )
    bad = written(tmp_path, "item,ann\na,1\n", "c.csv")
    with pytest.raises(RatingsError, match=r"'ann', which does not fit '\{rater\}_\{dimension\}'"):
        read(bad, Config([source], FIVE))


def test_several_files_with_tables_of_their_own(tmp_path):
    experts = written(tmp_path, "item;score\na;4\nb;5\n", "expert_ann.csv")
    judge = written(
        tmp_path, '{"id": "a", "said": "Score: 3"}\n{"id": "b", "said": "5"}\n', "judge.jsonl"
    )
    config = Config(
        [
            Source(
                name="expert_*.csv",
                item="item",
                rating="score",
                rater_from_file="expert_{rater}.csv",
            ),
            Source(
                name="*.jsonl",
                item="id",
                rating="said",
                rater_is="model",
                answers=True,
                group_is="judge",
            ),
        ],
        FIVE,
        groups={"expert": ["ann"]},
    )
    reading = read([experts, judge], config)
    assert cells(reading) == {
        ("a", "ann"): 4,
        ("b", "ann"): 5,
        ("a", "model"): 3,
        ("b", "model"): 5,
    }
    assert dict(zip(reading.ratings["rater"], reading.ratings["group"])) == {
        "ann": "expert",
        "model": "judge",
    }
    assert reading.ratings[["file", "line"]].to_numpy().tolist() == [
        ["expert_ann.csv", 2], ["expert_ann.csv", 3], ["judge.jsonl", 1], ["judge.jsonl", 2],
    ]  # fmt: skip
    assert reading.files[["format", "ratings"]].to_numpy().tolist() == [["csv", 2], ["jsonl", 2]]


def test_files_of_the_same_name_are_told_apart(tmp_path):
    paths = []
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        paths.append(written(tmp_path / who, f"item,rater,rating\na,{who},1\n"))
    reading = read(
        paths, Config([Source(name="*", item="item", rater="rater", rating="rating")], FIVE)
    )
    assert reading.ratings["file"].tolist() == [str(path) for path in paths]
    with pytest.raises(RatingsError, match="ratings.csv twice"):
        read([paths[0], paths[0]], Config([LONG], FIVE))


def test_the_frame_is_ready_for_agreement(tmp_path):
    text = "item,rater,dimension,rating\n" + "".join(
        f"{i},{r},{d},{(i + len(r)) % 3 + 1}\n"
        for i in range(6)
        for r in ("ann", "eve")
        for d in "xy"
    )
    source = Source(item="item", rater="rater", dimension="dimension", rating="rating")
    config = Config([source], FIVE, {"y": ScaleRules([1, 2, 3])})
    reading = read(written(tmp_path, text), config)
    assert reading.scale["y"].levels == (1, 2, 3) and reading.scale["x"].levels == (1, 2, 3, 4, 5)
    rows = agreement(reading.ratings, reading.scale, ["krippendorff_alpha_ordinal"], resamples=0)
    assert rows["estimate"].tolist() == [1.0, 1.0]


# ------------------------------------------------------------- public reports, own data
def test_a_file_that_a_spreadsheet_saved(tmp_path):
    """pandas #4793, #13497; orange3 #7000; label-studio #4033: a mark, a line break, a comma."""
    text = (
        '"item","text","expert","judge"\r\n1,"short",pos,pos\r\n2,"with, comma",neg,neg\r\n'
        '3,"two\nlines",pos,neg\r\n4,a stray, comma,neg,neg\r\n5,"naïve café",pos,pos\r\n'
        '6,"says ""ok""",neg,neg\r\n7,"end",neg,pos\r\n'
    )
    path = written(tmp_path, text, encoding="utf-8-sig")
    config = Config([wide(columns=["expert", "judge"])], labels("neg", "pos"))
    with pytest.raises(
        RatingsError, match="1 row that cannot be read.*line 6.*5 fields where 4"
    ) as error:
        read(path, config)
    assert error.value.problems["value"].tolist() == ["4,a stray, comma,neg,neg"]
    reading = read(path, config, drop_at_most=1)
    assert reading.ratings["item"].unique().tolist() == ["1", "2", "3", "5", "6", "7"]
    assert pair_values(reading, "percent_agreement", "cohen_kappa") == pytest.approx([2 / 3, 1 / 3])
    assert reading.ratings["line"].tolist()[-2:] == [9, 9]
    assert any("1 row dropped: ratings.csv line 6" in note for note in reading.notes)


def test_na_and_none_may_be_labels(tmp_path):
    """pandas #10647, #24681, #55032: most of the agreement disappears in the reading."""
    expert = ["toxic", "None", "None", "NA", "None", "toxic", "", "NA", "None", "toxic"]
    judge = ["toxic", "None", "None", "NA", "toxic", "toxic", "None", "None", "None", ""]
    text = "item,expert,judge\n" + "".join(
        f"{n},{a},{b}\n" for n, (a, b) in enumerate(zip(expert, judge))
    )
    path = written(tmp_path, text)
    reading = read(path, Config([wide()], labels("toxic", "None", "NA")))
    assert pair_values(reading, "percent_agreement", "cohen_kappa") == pytest.approx([0.75, 0.6])
    assert counted(reading.missing, "cell") == {"empty cell": 2}
    as_missing = read(path, Config([wide()], labels("toxic", "None", missing=["NA"])))
    assert counted(as_missing.missing, "cell") == {"empty cell": 2, "NA": 3}
    found = [w.message for w in inspect(path).warnings if w.code == "missing-or-label"]
    assert len(found) == 2 and "'None'" in found[0] and "'NA'" in found[1]


def test_semicolons_and_decimal_commas(tmp_path):
    """rio #159, CSV.jl #83, readr #521: 3,5 becomes text, 35, or two columns."""
    text = "item;r1;r2;r3\n" + "".join(
        f"{n};{row}\n" for n, row in enumerate(
            ["3,5;4,0;3,5", "1,0;1,5;1,0", "4,5;5,0;4,0", "2,0;2,5;2,5", "3,0;3,0;3,5", "5;4,5;5,0"]
        )
    )  # fmt: skip
    path = written(tmp_path, text)
    halves = ScaleRules([1 + n / 2 for n in range(9)], measurement="interval")
    reading = read(path, Config([wide(decimal=",")], halves))
    values = reading.ratings["rating"]
    assert (values.min(), values.max(), len(values)) == (1, 5, 18)
    assert values.mean() == pytest.approx(3.277778, **SIX_DIGITS)
    expected = [0.93621, 0.943262, 0.941926]
    assert many_values(reading, "krippendorff_alpha_interval", "icc2", "icc3") == pytest.approx(
        expected, **SIX_DIGITS
    )
    text = "\n".join(reading.notes)
    assert "separated by ';', decimal sign ','" in text and "from 1 to 5, mean 3.278" in text
    with pytest.raises(RatingsError, match="the decimal sign ',', where '.' is declared"):
        read(path, Config([wide()], halves))
    source = inspect(path).config.files[0]
    assert (source.delimiter, source.decimal) == (";", ",")


def test_zero_that_means_not_rated_is_asked_about(tmp_path):
    """nltk #3752: counted as the lowest rating it ruins agreement."""
    text = "rater,j1,j2,j3,j4,j5,j6,j7,j8\n"
    text += "r1,5,4,0,2,1,0,3,4\nr2,5,0,3,2,1,4,3,0\nr3,0,4,3,2,2,4,0,5\n"
    path = written(tmp_path, text)
    source = Source(layout="wide-by-item", rater="rater")
    with pytest.raises(
        RatingsError, match=r"6 rows .*if 0 means 'not rated', declare missing = \[0\]"
    ):
        read(path, Config([source], FIVE))
    reading = read(path, Config([source], ScaleRules([1, 2, 3, 4, 5], missing=[0])))
    assert (reading.counts["ratings"], reading.counts["missing"]) == (18, 6)
    assert counted(reading.missing, "cell") == {"0": 6}
    names = ["krippendorff_alpha_ordinal", "krippendorff_alpha_interval"]
    assert many_values(reading, *names) == pytest.approx([0.948894, 0.933723], **SIX_DIGITS)
    seen = inspect(path)
    assert [w.code for w in seen.warnings] == ["zero"]
    # The proposal does not use the zeros until somebody says what they are.
    assert 0 not in seen.config.scale.levels
    with pytest.raises(RatingsError, match="6 rows"):
        read(path, seen.config)


def test_one_rating_in_many_spellings(tmp_path):
    """scikit-learn #33045, pandas #20828: 4, 4.0, "4" and " 4 " are compared as they are."""
    expert = written(
        tmp_path, "item,score\nq1,4\nq2,3\nq3,5\nq4,2\nq5,\nq6,1\nq7,4\nq8,3\n", "expert.csv"
    )
    said = ['"4"', "3", "5.0", '"3.0"', '"2"', "1", '"5"', '" 3 "']
    lines = "".join(f'{{"item": "q{n}", "score": {s}}}\n' for n, s in enumerate(said, 1))
    judge = written(tmp_path, lines, "judge.jsonl")
    config = Config([Source(item="item", rating="score", rater_from_file="{rater}.*")], FIVE)
    reading = read([expert, judge], config)
    names = ["percent_agreement", "cohen_kappa", "weighted_kappa_quadratic"]
    assert pair_values(reading, *names) == pytest.approx(
        [0.714286, 0.631579, 0.91358], **SIX_DIGITS
    )
    assert any("7 of 8 items have ratings of two raters" in note for note in reading.notes)
    assert any(w.code == "numbers-as-text" for w in inspect([expert, judge]).warnings)


def test_a_rater_who_runs_the_scale_backwards(tmp_path):
    """jasp #1066, #1148; irw #2114: alpha collapses and nothing points to the cause."""
    text = "item,rater_a,rater_b,rater_c\n1,1,1,5\n2,2,2,4\n3,3,4,2\n4,4,4,2\n"
    text += "5,5,5,1\n6,4,5,1\n7,2,2,4\n8,1,1,5\n"
    path = written(tmp_path, text)
    names = ["krippendorff_alpha_ordinal", "krippendorff_alpha_interval"]
    stored = read(path, Config([wide()], FIVE))
    assert many_values(stored, *names) == pytest.approx([-0.305316, -0.304478], **SIX_DIGITS)
    turned = read(path, Config([wide()], FIVE, reversed={"raters": ["rater_c"]}))
    assert turned.ratings.query("rater == 'rater_c'")["rating"].tolist() == [1, 2, 4, 4, 5, 5, 2, 1]
    assert many_values(turned, *names) == pytest.approx([0.962548, 0.965672], **SIX_DIGITS)
    assert any("reversed on the declared scale: raters 'rater_c'" in note for note in turned.notes)
    seen = inspect(path)
    assert [w.code for w in seen.warnings] == ["backwards"]
    assert "'rater_c' runs against all others" in seen.warnings[0].message
    assert not seen.config.reversed


def test_raters_in_rows_are_told_by_the_name_of_the_column(tmp_path):
    """jasp #2318, fast-krippendorff #9, statsmodels #7657: the matrix is read transposed."""
    rows = ["1,2,3,4,5,3", "1,2,3,5,5,3", "2,2,3,4,4,3", "1,3,3,4,5,2"]
    text = "annotator,u1,u2,u3,u4,u5,u6\n" + "".join(f"a{n},{row}\n" for n, row in enumerate(rows))
    path = written(tmp_path, text)
    reading = read(path, inspect(path).config)
    assert (reading.counts["raters"], reading.counts["items"]) == (4, 6)
    names = [
        "krippendorff_alpha_ordinal",
        "krippendorff_alpha_interval",
        "krippendorff_alpha_nominal",
    ]
    assert many_values(reading, *names) == pytest.approx(
        [0.883076, 0.870349, 0.484305], **SIX_DIGITS
    )


def test_cells_that_hold_sets_of_labels(tmp_path):
    """fast-krippendorff #21, nltk #294, #1144: 'a;b' and 'b;a' are compared as texts."""
    text = (
        "item,rater_a,rater_b\nt1,health;politics,politics;health\nt2,sport,sport\n"
        "t3,politics,politics; economy\nt4,health,sport\n"
        "t5,economy;politics;economy,economy;politics\n"
        "t6,sport;health,health\n"
    )
    path = written(tmp_path, text)
    reading = read(
        path, Config([wide()], labels("health", "politics", "sport", "economy", sets=True))
    )
    scale = reading.scale["all"]
    rows = [
        agreement(reading.ratings, scale, {name: set_alpha(name)}, resamples=0)["estimate"].iloc[0]
        for name in ("exact", "jaccard", "masi")
    ]
    assert rows == pytest.approx([0.431034, 0.544828, 0.510593], **SIX_DIGITS)
    assert sorted(by_label(reading.ratings)["dimension"].unique())[0] == "all: economy"
    assert inspect(path).config.scale.sets
    with pytest.raises(RatingsError, match="'sport' is not on the scale"):
        read(path, Config([wide()], labels("health", "politics", "economy", sets=True)))


def test_scores_in_sentences_and_verdicts_on_positions(tmp_path):
    """openagent-eval #74; vanguarstew #87: the whole way from the log to the note."""
    answers = ["Score: 8", "8/10", "It passes 7 checks. Score: 9", "Not excellent, but acceptable."]
    lines = "".join(
        json.dumps({"item": n, "expert": 7, "raw": a}) + "\n" for n, a in enumerate(answers)
    )
    path = written(tmp_path, lines, "judge.jsonl")
    source = Source(layout="wide-by-rater", item="item", columns=["expert", "raw"], answers=True)
    ten = ScaleRules(list(range(1, 11)))
    with pytest.raises(RatingsError, match="line 4 column raw .'Not excellent, but acceptable.'"):
        read(path, Config([source], ten))
    reading = read(path, Config([source], ten), drop_at_most=1)
    assert reading.ratings.query("rater == 'raw'")["rating"].tolist() == [8, 8, 9]
    assert any("of 4 answers of raw: 3 parsed, 1 unreadable" in note for note in reading.notes)

    orders = [
        ("p1", "X", "Y", "first"),
        ("p1", "Y", "X", "second"),
        ("p2", "Y", "X", "[[A]]"),
        ("p2", "X", "Y", "A"),
    ]
    lines = "".join(
        json.dumps(dict(zip(("pair", "first", "second", "verdict"), o))) + "\n" for o in orders
    )
    judge = written(tmp_path, lines, "verdicts.jsonl")
    human = written(tmp_path, "pair,preferred\np1,X\np2,Y\n", "human.csv")
    config = Config(
        [
            Source(name="human.csv", item="pair", rating="preferred", rater_is="human"),
            Source(
                name="*",
                item="pair",
                rating="verdict",
                rater_is="judge",
                first="first",
                second="second",
            ),
        ],
        labels("X", "tie", "Y"),
    )
    reading = read([human, judge], config)
    assert cells(reading) == {
        ("p1", "human"): "X",
        ("p2", "human"): "Y",
        ("p1", "judge"): "X",
        ("p2", "judge"): "tie",
    }
    assert reading.pairs["result"].tolist() == ["X", "inconsistent"]
    assert any("1 of 2 pairs change their result with the order" in note for note in reading.notes)


def test_a_refusal_is_missing(tmp_path):
    said = ["Score: 4", "I cannot rate this.", "", "N/A"]
    lines = "".join(json.dumps({"item": n, "said": text}) + "\n" for n, text in enumerate(said))
    path = written(tmp_path, lines, "judge.jsonl")
    reading = read(
        path, Config([Source(item="item", rating="said", rater_is="j", answers=True)], FIVE)
    )
    assert reading.ratings["rating"].isna().tolist() == [False, True, True, True]
    assert reading.counts["answers"] == {"parsed": 1, "refused": 1, "missing": 2}


# --------------------------------------------------------------------------------- problems
def test_nothing_vanishes(tmp_path):
    text = (
        "item,rater,rating\na,ann,1\n,ann,2\nb,,3\nc,ann,7\nd,ann,x\ne,ann\nf,ann,\n\n,,\na,ann,2\n"
        'g,ann,4\nh,ann,"5"x\ni,ann,3\n'
    )
    path = written(tmp_path, text)
    reading = read(path, Config([LONG], FIVE), drop_at_most=7)
    reasons = dict(zip(reading.problems["line"], reading.problems["reason"]))
    assert list(reasons) == [3, 4, 5, 6, 7, 11, 13]
    assert reasons[3] == "no item" and reasons[4] == "no rater"
    assert reasons[5].startswith("not on the scale") and reasons[6].startswith("no number")
    assert reasons[7] == "2 fields where 3 are expected"
    assert reasons[
        11
    ] == "a second rating of item a by ann (2, not 1); the first: ratings.csv line 2".replace(
        "2, not 1", "2.0, not 1.0"
    )
    assert "no valid CSV" in reasons[13]
    assert cells(reading).keys() == {("a", "ann"), ("f", "ann"), ("g", "ann"), ("i", "ann")}
    rows = 12  # of the file, without the empty ones
    assert len(reading.problems) + len(reading.ratings) == rows - 1
    assert counted(reading.left_out, "reason") == {"empty row": 2}
    for allowed in (0, 6):
        with pytest.raises(
            RatingsError, match=rf"7 rows .*; {allowed} may be dropped.*drop_at_most = 7"
        ):
            read(path, Config([LONG], FIVE, drop_at_most=allowed))
    assert len(read(path, Config([LONG], FIVE, drop_at_most=7)).problems) == 7


def test_a_message_lists_kinds_of_problems_and_not_every_row(tmp_path):
    text = "item,rater,rating\n" + "".join(f"{n},ann,9\n" for n in range(500))
    with pytest.raises(RatingsError, match="line 2 .*line 3 .*line 4 .* and 497 more") as error:
        read(written(tmp_path, text), Config([LONG], FIVE))
    assert len(str(error.value)) < 700
    assert len(error.value.problems) == 500


@pytest.mark.parametrize(("how", "kept"), [("first", 1), ("last", 2)])
def test_which_of_two_ratings_is_kept_is_declared(tmp_path, how, kept):
    path = written(tmp_path, "item,rater,rating\na,ann,1\na,ann,\na,ann,2\nb,ann,\nb,ann,\n")
    reading = read(path, Config([LONG], FIVE, duplicates=how))
    assert reading.ratings["rating"].tolist()[0] == kept
    assert len(reading.ratings) == 2
    assert sum(counted(reading.left_out, "reason").values()) == 3
    with pytest.raises(RatingsError, match="a second rating of item a by ann"):
        read(path, Config([LONG], FIVE))


def test_missing_codes_recoding_and_answers_outside(tmp_path):
    text = "item,ann,bob\na,99,4 - agree\nb,skip,unsure\nc, 3.0 ,5\n"
    rules = ScaleRules(
        [1, 2, 3, 4, 5], missing=[99, "skip"], recode={"4 - agree": 4}, outside=["unsure"]
    )
    reading = read(written(tmp_path, text), Config([wide()], rules))
    found = cells(reading)
    assert found["a", "bob"] == 4 and found["b", "bob"] == "unsure" and found["c", "ann"] == 3
    assert counted(reading.missing, "cell") == {"99": 1, "skip": 1}
    assert (
        agreement(reading.ratings, reading.scale, ["krippendorff_alpha_ordinal"], resamples=0)
        is not None
    )


def test_what_is_reversed_twice_stays(tmp_path):
    text = "item,rater,dimension,rating\na,ann,warm,1\na,ann,rude,1\na,bob,warm,2\na,bob,rude,2\n"
    source = Source(item="item", rater="rater", dimension="dimension", rating="rating")
    turned = {"raters": ["ann"], "dimensions": ["rude"]}
    reading = read(written(tmp_path, text), Config([source], FIVE, reversed=turned))
    assert reading.ratings["rating"].tolist() == [5, 1, 2, 4]
    with pytest.raises(RatingsError, match=r"reversed raters that do not occur: 'eve'.*'ann'"):
        read(written(tmp_path, text), Config([source], FIVE, reversed={"raters": ["eve"]}))


def test_groups_by_column_name_and_pattern(tmp_path):
    text = "item,rater,kind,rating\na,ann,x,1\na,w-1,y,2\na,w-2,y,3\na,zoe,,4\n"
    path = written(tmp_path, text)
    by_column = Source(item="item", rater="rater", rating="rating", group="kind")
    assert read(path, Config([by_column], FIVE)).ratings["group"].tolist() == ["x", "y", "y", "all"]
    groups = {"expert": ["ann", "eve"], "crowd": ["w-*"]}
    reading = read(path, Config([LONG], FIVE, groups=groups))
    assert reading.ratings["group"].tolist() == ["expert", "crowd", "crowd", "other"]
    text = "\n".join(reading.notes)
    assert "in no declared group, so in 'other': 'zoe'" in text
    assert "in a declared group, but without a rating: 'eve'" in text


def test_ids_are_text_and_lost_digits_are_told(tmp_path):
    text = 'item,rater,rating\n007,ann,1\n7,ann,2\n="0042",ann,3\n1.2346E+19,ann,4\n8.0,ann,5\n'
    text += "12345678901234567890,ann,1\n12345678901234500000,ann,2\n"
    path = written(tmp_path, text)
    reading = read(path, Config([LONG], FIVE))
    assert reading.ratings["item"].tolist() == [
        "007", "7", "0042", "1.2346E+19", "8.0", "12345678901234567890", "12345678901234500000",
    ]  # fmt: skip
    text = "\n".join(reading.notes)
    for told in (
        "1.2346E+19: their digits are lost",
        "8.0 and 8 are different ids",
        "end in zeros after 15",
    ):
        assert told in text
    assert [w.code for w in inspect(path).warnings].count("lost-digits") == 3


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Source(item="id", rater="rater", rating="rating"), r"without the column 'id'.*'rater', "),
        (Source(item="item", rating="rating"), "of which the rater is not declared.*rater_is"),
        (Source(rater="rater", rating="rating"), "of which the item is not declared"),
        (Source(item="item", rater="rater"), "of which the rating is not declared"),
        (Source(item="item", rater="rater", rating="rating", delimiter=";"), "delimiter ';'"),
        (Source(name="x.csv", item="item"), r"nothing is declared.*\['x.csv'\]"),
        (wide(columns=["Q*"]), r"without the columns 'Q\*'"),
        (Source(item="item", rating="rating", rater_from_file="a_{rater}.csv"), "does not fit"),
        (Source(item="item", rater="rater", rating="x", encoding="utf-99"), "encoding 'utf-99'"),
    ],
)  # fmt: skip
def test_a_declaration_that_does_not_fit_the_file(tmp_path, source, message):
    path = written(tmp_path, "item,rater,rating\na,ann,1\n")
    with pytest.raises(RatingsError, match=message):
        read(path, Config([source], FIVE))


def test_a_scale_is_never_guessed(tmp_path):
    path = written(tmp_path, "item,rater,rating\na,ann,1\n")
    with pytest.raises(RatingsError, match="'all' without a scale"):
        read(path, Config([LONG]))


def test_a_file_without_a_rating(tmp_path):
    with pytest.raises(RatingsError, match="without a single row of ratings"):
        read(written(tmp_path, "item,rater,rating\n"), Config([LONG], FIVE))
    with pytest.raises(RatingsError, match="not one rating could be read .2 empty cells"):
        read(
            written(tmp_path, "item,rater,rating\na,ann,\nb,ann,\n", "b.csv"), Config([LONG], FIVE)
        )
    with pytest.raises(RatingsError, match="Given: no file"):
        read([], Config([LONG], FIVE))


def test_levels_that_differ_in_case_get_a_hint(tmp_path):
    path = written(tmp_path, "item,rater,rating\na,ann,Pos\n")
    with pytest.raises(RatingsError, match="differs from 'pos' in upper and lower case"):
        read(path, Config([LONG], labels("neg", "pos")))


def test_truth_values_are_levels_where_they_are_declared(tmp_path):
    path = written(
        tmp_path, '{"i": 1, "r": "a", "v": true}\n{"i": 2, "r": "a", "v": false}\n', "x.jsonl"
    )
    source = Source(item="i", rater="r", rating="v")
    assert read(path, Config([source], labels(False, True))).ratings["rating"].tolist() == [
        "True",
        "False",
    ]
    with pytest.raises(RatingsError, match="'True'.*no number"):
        read(path, Config([source], ScaleRules([0, 1])))


def test_what_a_notebook_shows_is_what_is_printed(tmp_path):
    path = written(tmp_path, "item,ann,bob\nx,1,2\ny,3,3\n")
    for one in (inspect(path), read(path, Config([wide()], FIVE))):
        assert repr(one) == str(one) and len(repr(one)) < 600


def test_a_reading_prints_and_gives_its_counts(tmp_path):
    path = written(tmp_path, "item,ann,bob\na,1,2\nb,3,\n")
    reading = read(path, Config([wide()], FIVE))
    assert str(reading).startswith(
        "3 ratings of 2 items by 2 raters on 1 dimension; 1 missing, 0 dropped"
    )
    data = json.loads(json.dumps(reading.to_dict()))
    assert data["counts"]["ratings"] == 3 and data["missing"] == [
        {"file": "ratings.csv", "cell": "empty cell", "n": 1}
    ]
    path = Config([wide()], FIVE).save(tmp_path / "raters.toml")
    assert read(tmp_path / "ratings.csv", path).counts == reading.counts


# --------------------------------------------------------------------------------- inspect
def test_what_is_odd_is_told_and_the_proposal_can_be_read(tmp_path):
    text = "item,rater,rating\n" + "".join(
        f"{n},{r},{n % 5 + 1}\n" for n in range(20) for r in ("ann", "bob")
    )
    path = written(tmp_path, text + "3,ann,2\n4,eve,55\nx,zoe,4\n")
    seen = inspect(path)
    codes = [w.code for w in seen.warnings]
    assert set(codes) == {"off-scale", "duplicates", "no-overlap"}
    assert "1 ratings are 55" in next(w.message for w in seen.warnings if w.code == "off-scale")
    assert seen.config.scale.levels == (1, 2, 3, 4, 5)
    assert Config.from_toml(seen.to_toml()) == seen.config
    assert "# Look at this: ratings.csv: 1 ratings are 55" in seen.to_toml()
    data = json.loads(json.dumps(seen.to_dict()))
    assert data["warnings"][0]["todo"] and data["files"][0]["rows"] == 43
    assert "rating: rating (6 different" in str(seen)
    saved = seen.save(tmp_path / "raters.toml")
    assert len(read(path, saved, drop_at_most=2).problems) == 2


def test_mixed_decimal_signs_case_and_encoding_are_told(tmp_path):
    text = 'item,ann,bob\na,1.5,"2,5"\nb,1.5,2\nc,3,3\nd,2.5,2\ne,1.5,2.5\n'
    assert "decimal-signs" in {w.code for w in inspect(written(tmp_path, text)).warnings}
    text = "item,ann,bob\na,Pos,pos\nb,neg,neg\nc,é,pos\n"
    path = written(tmp_path, text, "b.csv", "cp1252")
    seen = inspect(path)
    assert {"case", "encoding"} <= {w.code for w in seen.warnings}
    assert seen.config.files[0].encoding == "cp1252"
    with pytest.raises(RatingsError, match=r"line 4 of .*b.csv is not utf-8 .byte e9.*cp1252"):
        read(path, Config([wide()], labels("Pos", "pos", "neg", "é")))
    assert "é" in set(
        read(path, Config([wide(encoding="cp1252")], labels("Pos", "pos", "neg", "é"))).ratings[
            "rating"
        ]
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_inspect_reads_what_windows_writes(tmp_path, encoding):
    path = written(tmp_path, "item;ann;bob\r\nä;1;2\r\nb;3;4\r\nc;5;5\r\n", encoding=encoding)
    seen = inspect(path)
    assert seen.config.files[0].delimiter == ";"
    assert cells(read(path, seen.config))["ä", "bob"] == 2


def test_real_zeros_are_left_alone(tmp_path):
    rng = np.random.default_rng(5)
    true = rng.integers(0, 5, 60)
    text = "item,ann,bob\n" + "".join(
        f"{n},{t},{max(0, t - (n % 7 == 0))}\n" for n, t in enumerate(true)
    )
    seen = inspect(written(tmp_path, text))
    assert seen.config.scale.levels == (0, 1, 2, 3, 4)
    assert not seen.warnings


def test_columns_of_prose_are_no_ratings(tmp_path):
    text = "id,text,expert,judge,comment\n" + "".join(
        f"{n},some words {n},pos,{'pos' if n else 'neg'},note {n}\n" for n in range(6)
    )
    source = inspect(written(tmp_path, text)).config.files[0]
    assert (source.item, source.columns) == ("id", ("expert", "judge"))
    with pytest.raises(RatingsError, match="no column looks like ratings"):
        inspect(
            written(tmp_path, "id,text\n" + "".join(f"{n},words {n}\n" for n in range(30)), "b.csv")
        )


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        # A comment that two people wrote is different in each row where it is filled.
        ("comment,reply,ann,bob", "{c},q{i},{a},{b}", ("wide-by-rater", "reply", "")),
        ("comment,reply,rater,score", "{c},q{h},{r},{a}", ("long", "reply", "rater")),
        # A column that is called like an item and holds nothing; a number of the row.
        ("sample,reply,rater,score", ",q{h},{r},{a}", ("long", "reply", "rater")),
        ("row,reply,rater,score", "{i},q{h},{r},{a}", ("long", "reply", "rater")),
        ("rater,no,warm,clear", "{r},{h}00,{a},{b}", ("wide-by-dimension", "no", "rater")),
        # Nothing names the items: it is said, and not invented.
        ("comment,ann,bob", "{c},{a},{b}", ("wide-by-rater", "", "")),
    ],
)
def test_the_item_is_a_column_that_is_filled(tmp_path, header, row, expected):
    rows = [
        row.format(i=i, h=i // 2, r="ab"[i % 2], a=i % 5 + 1, b=(i + i // 3) % 5 + 1,
                   c=f"note {i}" if i in (3, 8) else "")
        for i in range(20)
    ]  # fmt: skip
    seen = inspect(written(tmp_path, "\n".join([header, *rows]) + "\n"))
    source = seen.config.files[0]
    assert (source.layout, source.item, source.rater) == expected
    if not source.item:
        assert any("the item is not declared" in one.message for one in seen.warnings)


def test_free_text_and_verdicts_are_noticed(tmp_path):
    lines = "".join(
        json.dumps({"item": n, "answer": f'{{"score": {n}, "why": "x"}}'}) + "\n"
        for n in range(1, 5)
    )
    seen = inspect(written(tmp_path, lines, "judge.jsonl"))
    assert seen.config.files[0].answers and seen.config.answers["kind"] == "json"
    assert seen.config.files[0].rater_from_file == "{rater}.*"


# --------------------------------------------------------------------------------- care
def in_bounds(call, message, megabytes=300):
    """The error in three parts, without much memory."""
    tracemalloc.start()
    try:
        with pytest.raises(RatingsError, match=message) as error:
            call()
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1_000_000
    finally:
        tracemalloc.stop()
    assert error.value.given and error.value.allowed and error.value.todo
    assert len(str(error.value)) < 2000


SMALL = Limits(line=2_000_000, document=5_000_000)


@pytest.mark.parametrize(
    "call", [lambda p: read(p, Config([LONG], FIVE), limits=SMALL), lambda p: inspect(p, SMALL)]
)
@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"item,rater,rating\na,ann,", "longer than 2,000,000 characters|cell that is longer"),
        (b'item,rater,rating\na,ann,"', "longer than 2,000,000|cell that is longer|never closes"),
        (b'{"item": "', "longer than 2,000,000 characters|one JSON document of"),
        (b'[{"item": "', "one JSON document of"),
        (b"", "longer than 2,000,000 characters"),
    ],
)
def test_one_endless_line(tmp_path, call, start, message):
    path = tmp_path / "big"
    with open(path, "wb") as file:
        file.write(start)
        for _ in range(60):
            file.write(b"x" * 1_000_000)
    in_bounds(lambda: call(path), message, megabytes=60)


def test_a_sparse_gigabyte_is_refused_at_once(tmp_path):
    path = tmp_path / "sparse.csv"
    with open(path, "wb") as file:
        file.write(b"item,rater,rating\na,ann,1\n")
        os.truncate(path, 1 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    in_bounds(lambda: read(path, Config([LONG], FIVE)), "zero bytes|longer than 50,000,000", 400)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 700_000


def test_ten_thousand_columns(tmp_path):
    n = 10_000
    text = "item," + ",".join(f"r{k}" for k in range(n)) + "\n"
    text += "".join(
        f"{i}," + ",".join(str((i + k) % 5 + 1) for k in range(n)) + "\n" for i in range(10)
    )
    path = written(tmp_path, text)
    reading = read(path, Config([wide()], FIVE))
    assert (reading.counts["raters"], reading.counts["ratings"]) == (n, 10 * n)
    assert len(str(reading)) < 1000
    in_bounds(lambda: read(path, Config([LONG], FIVE)), "'r9' and 9,989 more|without the column")
    seen = inspect(path)
    assert seen.config.files[0].columns == ("r*",) and len(str(seen)) < 3000
    # Columns of which no two hold the same cells: each is not compared with each.
    rows = [",".join([f"i{i}", *(f"w{k}_{i % 3}" for k in range(n))]) for i in range(12)]
    path = written(tmp_path, "\n".join([text.partition("\n")[0], *rows]) + "\n")
    assert len(str(inspect(path))) < 3000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the empty file"),
        (b"\xef\xbb\xbf", "without a header row|no text"),
        (b"\n\n\n", "without a header row"),
        (b"item,rater,rating\na,ann,\xff\n", "is not utf-8 .byte ff"),
        ("item,rater,rating\na,ann,1\n".encode("utf-16")[:-1], "is not utf-16"),
        (
            b'item,rater,rating\na,ann,1\nb,"ann,2\n',
            "opens in the record of line 3 and never closes",
        ),
        (b'[{"item": 1, "rater": "a", "rating": 2}, {"item": 2', "no valid JSON: it is cut off"),
        (b"[1, 2]", "2 rows that cannot be read.*no JSON object|without a single"),
        (b"[]", "without a list of records"),
        (b'{"item": 1', "without a list|no valid JSON"),
        (b"[" * 100_000, "no valid JSON .nested too deeply"),
        (b'{"a":1}\n' + b'{"a":' * 50_000, "without the column|cannot be read"),
        (b"PAR1 and no more", "a damaged file"),
        (b"PK\x03\x04", "a damaged zip file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "is not utf-8|no text"),
    ],
)
def test_damaged_files_are_errors_in_three_parts(tmp_path, content, message):
    path = written(tmp_path, content, "data")
    in_bounds(lambda: read(path, Config([LONG], FIVE)), message)


def test_a_damaged_workbook(tmp_path):
    path = tmp_path / "book.xlsx"
    pd.DataFrame({"item": ["a"] * 500, "ann": range(500)}).to_excel(path, index=False)
    whole = path.read_bytes()
    config = Config([wide()], FIVE)
    path.write_bytes(whole[: len(whole) // 2])
    in_bounds(lambda: read(path, config), "a damaged zip file")
    place = whole.index(b"xl/worksheets/sheet1.xml") + 60
    path.write_bytes(whole[:place] + b"\x00" * 200 + whole[place + 200 :])
    in_bounds(lambda: read(path, config), "a damaged")
    path.write_bytes(whole)
    in_bounds(lambda: read(path, config, limits=Limits(document=1000)), "bytes when unpacked")


def test_what_is_no_file(tmp_path):
    config = Config([LONG], FIVE)
    in_bounds(lambda: read(tmp_path, config), "Given: the folder")
    in_bounds(lambda: read(tmp_path / "no.csv", config), "Given: no file .*no.csv")
    in_bounds(lambda: read("a\0b", config), "null|cannot be read|no file")
    in_bounds(lambda: read("/dev/zero", config), "no regular file|no file")


def exports():
    """A small export of every kind that is JSON."""
    records = [
        {"id": n, "text": "é", "label": ["a"], "rater": "r", "score": n % 3} for n in range(9)
    ]
    stars = {"from_name": "c", "type": "rating", "value": {"rating": 3}}
    choices = {"from_name": "d", "type": "choices", "value": {"choices": ["a"]}}
    done = [
        {"completed_by": {"id": 1}, "result": [stars, choices]},
        {"completed_by": 2, "result": [stars], "was_cancelled": False},
    ]
    flat = {"l.responses": ["a"], "l.responses.users": ["u"], "l.responses.status": ["submitted"]}
    told = {"user_id": "u", "status": "submitted", "values": {"l": {"value": "a"}}}
    score = {"score": 1, "assertion": {"metric": "m", "provider": {"id": "j"}}}
    chat = {"model": "m", "choices": [{"message": {"content": "4"}, "finish_reason": "stop"}]}
    said = {"model": "m", "output": [{"content": [{"text": "4"}]}]}
    sample = {"id": 1, "scores": {"s": {"value": {"a": 1}}}, "output": {"completion": "4"}}
    return [
        records,
        [{"id": 1, "data": {"t": 1}, "annotations": done, "predictions": []}],
        [{"id": 1, "text": "t"} | flat],
        [{"id": 1, "fields": {"t": "x"}, "responses": [told], "metadata": {}}],
        [{"id": 1, "fields": {"t": "x"}, "responses": {"l": [{"value": "a", "user_id": "u"}]}}],
        [{"id": 1, "text": "t", "label": [{"user_id": "u", "value": "a", "status": "submitted"}]}],
        [{"id": 1, "text": "t", "annotations": [{"label": 1, "user": 1}]}],
        [{"_input_hash": 1, "answer": "accept", "accept": ["a"], "_annotator_id": "x"}],
        [{"custom_id": "a", "response": {"status_code": 200, "body": b}} for b in (chat, said)],
        [{"provider": {"id": "m"}, "vars": {"v": 1}, "testCase": {}, "prompt": {"raw": "p"},
          "gradingResult": {"componentResults": [score]}, "response": {"output": "4"}}],
        {"evalId": "e", "results": {"results": [{"provider": "m", "response": {"output": "4"}}]}},
        {"eval": {"model": "m", "task": "t"}, "samples": [sample]},
    ]  # fmt: skip


def seeds(tmp_path):
    """Small files of every kind, to be damaged."""
    frame = pd.DataFrame({"item": list("abcdefgh"), "ann": range(8), "bob": range(8)})
    frame.to_excel(tmp_path / "seed.xlsx", index=False)
    frame.to_parquet(tmp_path / "seed.parquet")
    texts = [
        frame.to_csv(index=False),
        frame.to_csv(index=False, sep=";", decimal=",", quoting=1),
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.Y|v\n\n#Text=a\n1-1\t0-1\ta\tq[1]|r\n",
    ]
    for export in exports():
        texts.append(json.dumps(export))
        if isinstance(export, list):
            texts.append("".join(json.dumps(one) + "\n" for one in export))
    return [text.encode() for text in texts] + [
        (tmp_path / name).read_bytes() for name in ("seed.xlsx", "seed.parquet")
    ]


def turned(value, rng, share=0.15):
    """A copy of an export in which some values are of another type, or are gone."""
    if rng.random() < share:
        return rng.choice(
            [None, True, 0, -1.5, "x", "", [], {}, [None], [[1]], {"a": {}}, {"id": 1}]
        )
    if isinstance(value, dict):
        kept = {key: turned(inside, rng, share) for key, inside in value.items()}
        return {key: inside for key, inside in kept.items() if rng.random() > share / 3}
    if isinstance(value, list):
        return [turned(inside, rng, share) for inside in value]
    return value


def damaged(content, rng):
    """A copy with bytes cut, changed, doubled, or pieces that readers stumble over."""
    content = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(content) + 1) if content else 0
        kind = rng.randrange(6)
        if kind == 0:
            del content[place:]
        elif kind == 1 and content:
            content[place % len(content)] = rng.randrange(256)
        elif kind == 2:
            content[place:place] = rng.choice(
                [
                    b'"',
                    b",,,",
                    b"\0",
                    b"\xff\xfe",
                    b"\r",
                    b"{}",
                    b"[",
                    b"null",
                    b"\\ud800",
                    b"1e999",
                    b"NaN",
                    b"\xe2\x80\xa8",
                    b"-" * 50,
                ]
            )
        elif kind == 3:
            end = min(len(content), place + rng.randint(1, 40))
            content[place:place] = content[place:end]
        elif kind == 4:
            del content[place : place + rng.randint(1, 30)]
        else:
            content[place:place] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
    return bytes(content)


def try_to_read(path, rng):
    """Read and inspect a file: nothing but a result or an error in three parts."""
    rules = ScaleRules([0, 1, 2, 3, 4], missing=["NA"])
    names = ScaleRules(["a", "q", "r"], measurement="nominal", sets=True)
    config = rng.choice(
        [
            Config([Source(layout="wide-by-rater", item="item")], rules),
            Config([Source(item="id", rater="rater", rating="score")], rules, duplicates="last"),
            Config([Source(rater_is="x")], names),
            Config([Source(rater_is="x", answers=True)], rules),
            Config([Source(layout="wide-by-item", rater="item", header_rows=2)], rules),
            Config([Source(item="id", rating="score", rater_is="x", first="text", second="rater")],
                   ScaleRules(["é", "tie", "r"], measurement="nominal")),
        ]
    )  # fmt: skip
    refused = 0
    for call in (lambda: read(path, config, drop_at_most=10**9), lambda: inspect(path, SMALL)):
        try:
            outcome = call()
        except RatingsError as error:
            refused += 1
            assert error.given and error.allowed and error.todo
        else:
            assert json.dumps(outcome.to_dict()) and str(outcome).encode()
            if hasattr(outcome, "to_toml"):
                assert Config.from_toml(outcome.to_toml()) == outcome.config
    return refused


def test_damaged_files_of_every_kind_are_read_or_refused(tmp_path):
    rng = random.Random(20_26)
    kinds = seeds(tmp_path)
    path = tmp_path / "fuzzed"
    refused, tries = 0, 300
    for tried in range(tries):
        path.write_bytes(damaged(kinds[tried % len(kinds)], rng))
        refused += try_to_read(path, rng)
    assert 0 < refused < 2 * tries


def test_exports_with_values_of_other_types_are_read_or_refused(tmp_path):
    rng = random.Random(7)
    kinds = exports()
    path = tmp_path / "fuzzed"
    refused, tries = 0, 300
    for tried in range(tries):
        export = turned(kinds[tried % len(kinds)], rng)
        if isinstance(export, list) and tried % 2:
            path.write_text("".join(json.dumps(one) + "\n" for one in export))
        else:
            path.write_text(json.dumps(export))
        refused += try_to_read(path, rng)
    assert 0 < refused < 2 * tries


def test_reading_is_three_lines_and_loads_when_it_is_asked_for(tmp_path):
    written(tmp_path, "item,rater,rating\nx,ann,1\nx,bob,1\ny,ann,3\ny,bob,2\n", "r.csv")
    toml = Config([LONG], FIVE).to_toml()
    (tmp_path / "raters.toml").write_text(toml)
    code = (
        "import sys, raters\n"
        "assert not {'raters.io.read', 'raters.io.inspect'} & set(sys.modules)\n"
        "assert {'read', 'inspect', 'Config'} <= set(dir(raters)) & set(raters.__all__)\n"
        "reading = raters.read('r.csv', 'raters.toml')\n"
        "print(raters.pairwise(reading.ratings, reading.scale, 'percent_agreement', resamples=0)"
        "['estimate'].item())\n"
        "import raters.io.read; assert callable(raters.read) and callable(raters.inspect)\n"
        "try: raters.rede\n"
        "except AttributeError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["0.5", "module 'raters' has no attribute 'rede'"], (
        done.stderr
    )


def test_read_as_proposed_is_inspect_and_read_in_one(tmp_path):
    text = "item,ann,bob,cleo\n" + "".join(
        f"i{k},{k % 5 + 1},{k % 5 + 1},{5 - k % 5}\n" for k in range(20)
    )
    path = written(tmp_path, text + "bad,9,1,1\n")
    rules, groups = FIVE, {"expert": ["ann", "bob"]}
    reading, warnings = read_as_proposed(path, rules, groups, drop_at_most=1)
    config = replace(inspect(path).config, scale=rules, scales={}, groups=groups)
    again = read(path, config, drop_at_most=1)
    pd.testing.assert_frame_equal(reading.ratings, again.ratings)
    assert (reading.notes, reading.counts) == (again.notes, again.counts)
    assert [one.code for one in warnings] == ["backwards"]
    with pytest.raises(RatingsError, match="1 row that cannot be read"):
        read_as_proposed(path, rules)


def test_many_ratings_keep_their_lines_and_need_little_memory(tmp_path):
    n = 200_000
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "item": np.repeat(np.arange(n // 10), 10),
            "rater": np.tile([f"r{k}" for k in range(10)], n // 10),
            "rating": rng.integers(1, 6, n),
        }
    )
    path = tmp_path / "many.csv"
    frame.to_csv(path, index=False)
    reading = read(path, Config([LONG], FIVE))
    assert reading.counts["ratings"] == n
    assert reading.ratings["rating"].mean() == pytest.approx(frame["rating"].mean())
    assert reading.ratings["line"].iloc[-1] == n + 1
    # The whole command, in a process of its own, for its memory.
    command = [sys.executable, "-m", "raters", "agreement", str(path), "--scale", "1,2,3,4,5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0 and "200,000 ratings of 20,000 items" in done.stdout
    assert after.ru_maxrss < 1_000_000  # kB, of the largest child so far


def test_an_encoding_is_checked_by_name(tmp_path):
    path = written(tmp_path, "x")
    for name in ("rot13", "base64", "", "utf-99", "hex", "undefined"):
        if name:
            with pytest.raises(RatingsError, match="the encoding"):
                encoding_of(path, name)
        else:
            assert encoding_of(path, name) == "utf-8"
