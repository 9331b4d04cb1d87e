"""Anyone's files as one long frame: what is declared, what is odd, and what never vanishes."""

import copy
import json
import pickle
import resource
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from rating_files import FIVE, LONG, cells, counted, labels, wide, written

from raters import RatingsError, agreement, pairwise
from raters.io.config import Config, ScaleRules, Source
from raters.io.formats.base import encoding_of
from raters.io.inspect import inspect
from raters.io.notes import Note
from raters.io.read import read
from raters.label_sets import by_label, set_alpha

SIX_DIGITS = {"rel": 0, "abs": 1e-6}


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


def test_a_note_keeps_its_code():
    note = Note("1 item id has lost its digits", "lost-digits")
    assert copy.deepcopy(note).code == pickle.loads(pickle.dumps(note)).code == note.code
    assert note.within("").code == note.code and json.dumps([note]) == f'["{note}"]'


def test_notes_and_problems_carry_codes(tmp_path):
    path = written(tmp_path, "item,ann,bob\nx,1,2\ny,9,3\nz,zwei,\n")
    reading = read(path, Config([wide()], FIVE, drop_at_most=2))
    assert reading.problems["code"].tolist() == ["off-scale", "no-number"]
    told = reading.to_dict()
    assert told["notes"] == list(reading.notes) and len(told["codes"]) == len(told["notes"])
    assert {"layout", "text", "missing", "dropped", "range", "rated-once"} <= set(told["codes"])
    assert json.loads(json.dumps(told)) == told


def test_an_encoding_is_checked_by_name(tmp_path):
    path = written(tmp_path, "x")
    for name in ("rot13", "base64", "", "utf-99", "hex", "undefined"):
        if name:
            with pytest.raises(RatingsError, match="the encoding"):
                encoding_of(path, name)
        else:
            assert encoding_of(path, name) == "utf-8"
