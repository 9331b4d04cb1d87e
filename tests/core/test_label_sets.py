"""Cells that hold several labels: every way to write a set is that set."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from helpers import examples, refused
from hypothesis import given
from hypothesis import strategies as st

from raters import Scale, agreement, check_ratings, pairwise
from raters.label_sets import by_label, read_sets, set_alpha

YES_NO = Scale([0, 1], measurement="nominal")


def frame_of(*cells, **columns):
    """Two raters, item by item."""
    items = [f"i{k // 2}" for k in range(len(cells))]
    ratings = pd.Series(cells, dtype=object)
    raters = ["a" if k % 2 == 0 else "b" for k in range(len(cells))]
    return pd.DataFrame({"item": items, "rater": raters, "rating": ratings, **columns})


def spelled(*cells, **options):
    return read_sets(frame_of(*cells), **options)[0]["rating"].tolist()


def test_every_kind_of_collection_is_a_set_of_labels():
    kinds = (list, tuple, set, frozenset, np.array, pd.Series, pd.Index)
    cells = [kind(["sport", " health", "sport"]) for kind in kinds if kind not in (set, frozenset)]
    cells += [{"sport", "health"}, frozenset({"sport", "health"}), "health;sport"]
    assert spelled(*cells) == ["health; sport"] * len(cells)
    assert spelled([], (), "", ["p"], None, np.nan) == ["", "", "", "p", None, None]


def test_numbers_are_labels_however_they_are_written():
    assert spelled([2, 10], ["10", "2"], "2;10", {10.0, 2}, np.array([2, 10]), 2, 2.0) == [
        *["10; 2"] * 5,
        *["2"] * 2,
    ]
    assert spelled("1.5", 1.5, True, "True") == ["1.5", "1.5", "True", "True"]
    column = frame_of("x", "x").assign(rating=[1.0, np.nan])
    assert read_sets(column)[0]["rating"].tolist() == ["1", None]


def test_the_result_does_not_depend_on_the_seed_of_hashes():
    """The printed form of a set does: nltk #1144 and others compare these."""
    code = (
        "import pandas as pd\n"
        "from raters.label_sets import read_sets\n"
        "sets = [{'a', 'b', 'c', 'd'}, frozenset('dcba')]\n"
        "print(read_sets(pd.DataFrame({'rating': sets}))[0]['rating'].tolist())"
    )
    for seed in "123":
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "['a; b; c; d', 'a; b; c; d']"


def test_sets_of_any_kind_go_through_agreement():
    texts = ["p;q", "q;p", "q", "q", "p", "p;q"]
    lists = [set(cell.split(";")) for cell in texts]
    results = [
        agreement(*read_sets(frame_of(*cells)), {"jaccard": set_alpha("jaccard")}, resamples=0)
        for cells in (texts, lists)
    ]
    assert [r["estimate"][0] for r in results] == pytest.approx([0.615385] * 2, abs=1e-6)


def test_a_label_may_hold_the_text_that_joins():
    ratings, scale = read_sets(frame_of("a; b|c", "c|a; b", "a|b", "c"), separator="|")
    assert ratings["rating"].tolist() == ["a;\\ b; c", "a;\\ b; c", "a; b", "c"]
    labels = by_label(ratings)
    assert labels["dimension"].unique().tolist() == ["a", "a; b", "b", "c"]
    assert labels.query("dimension == 'a; b'")["rating"].tolist() == [1, 1, 0, 0]
    # Sets of 2, 2, 2 and 1 labels; the last two share none.
    row = agreement(ratings, scale, {"jaccard": set_alpha("jaccard")}, resamples=0).iloc[0]
    # Values ab|c twice, a|b and c once: distances 1, 1/2 and 1 of 12 ordered pairs.
    expected = 1 - (1 / 2) / ((2 * 1 + 2 * 1 / 2 + 1) * 2 / 12)
    assert row["estimate"] == pytest.approx(expected, abs=1e-12)


LABELS = st.text(st.sampled_from(["a", ";", " ", "\\", "é", "1", "."]), min_size=1, max_size=6)


@examples(200)
@given(sets=st.lists(st.sets(LABELS, max_size=3), min_size=2, max_size=6))
def test_any_labels_are_read_again(sets):
    sets = [{label.strip() for label in one} - {""} for one in sets]
    if not set().union(*sets):
        refused(lambda: read_sets(frame_of(*sets)), "single label")
        return
    ratings, scale = read_sets(frame_of(*sets))
    labels = by_label(ratings)
    columns = labels.groupby("dimension")["rating"].agg(list)
    again = [{name for name, here in columns.items() if here[k]} for k in range(len(sets))]
    assert again == sets
    values = check_ratings(ratings, scale)["rating"].tolist()
    for k, one in enumerate(sets):
        assert [values[k] == v for v in values] == [one == other for other in sets]


def test_labels_that_read_as_numbers_stay_apart():
    ratings, scale = read_sets(frame_of("01;1", "1", "2", "1.0", "4000000000", "4000000000"))
    values = check_ratings(ratings, scale)["rating"].tolist()
    assert len(set(values)) == 5 and values[-1] == values[-2]
    assert np.isnan(scale.value_of("001"))
    kappa = pairwise(by_label(ratings), YES_NO, "cohen_kappa", resamples=0)
    assert kappa.set_index("dimension").loc["4000000000", "estimate"] == 1


def test_a_wrong_separator_is_refused():
    refused(lambda: read_sets(frame_of("p,q", "q")), "separator=';'", "'p,q'", "separator=','")
    refused(lambda: read_sets(frame_of("p;q", "q"), ","), "separator=';'", "[label]")
    refused(lambda: read_sets(frame_of("p|q", ["q"])), "separator='|'")
    refused(lambda: read_sets(frame_of("p\tq", "q")), "a tab")
    refused(lambda: read_sets(frame_of("p\nq", "q")), "a line end")
    # One cell with the separator shows that it is meant; a list is never split.
    assert spelled("p,q", "q;p,q") == ["p,q", "p,q; q"]
    assert spelled(["p,q"], ["q"]) == ["p,q", "q"]
    labels = frame_of("p,q", None)["rating"].map(lambda label: [label], na_action="ignore")
    assert spelled(*labels) == ["p,q", None]


@pytest.mark.parametrize(
    "cell", ["['p', 'q']", '["p", "q"]', "{'p'}", "('p', 'q')", "[]", "set()", "[1, 2]"]
)
def test_a_list_that_was_written_as_text_is_refused(cell):
    refused(lambda: read_sets(frame_of(cell, "q;p"), ";"), "written as text", "literal_eval")
    refused(lambda: read_sets(frame_of(cell, "q,p"), ","), "written as text")


def test_brackets_may_be_part_of_a_label():
    assert spelled("[unclear];p", "(1)") == ["[unclear]; p", "(1)"]


@pytest.mark.parametrize(
    ("cell", "part"),
    [
        ([None], "None of type NoneType"),
        ([np.nan, "p"], "nan of type float"),
        ([["p"]], "of type list"),
        ({"p": 1}, "of type dict"),
        (np.inf, "inf of type float"),
        (object(), "of type object"),
    ],
)
def test_what_is_no_label_is_refused(cell, part):
    refused(lambda: read_sets(frame_of(cell, "p")), part, "as a label")


def test_what_is_no_frame_of_sets_is_refused():
    frame = frame_of("p;q", "q")
    refused(lambda: read_sets(frame.rename(columns={"rating": "labels"})), "'labels'", "rename")
    refused(lambda: read_sets(frame["rating"]), "a Series")
    refused(lambda: read_sets(pd.concat([frame, frame[["rating"]]], axis=1)), "one column rating")
    for separator in ("", None, 1):
        refused(lambda s=separator: read_sets(frame, s), f"separator={separator!r}")
    refused(lambda: read_sets(frame_of("", " ; ")), "single label")
    refused(lambda: read_sets(frame_of(None, None)), "single label")
    refused(lambda: by_label(frame.drop(columns="rating")), "rating")
    refused(lambda: by_label(frame_of(["p"], ["q"])), "['p']", "read_sets")
    for cells in (["", ""], [None, None]):
        refused(lambda c=cells: by_label(frame_of(*c)), "single label")
    refused(lambda: set_alpha(["jaccard"]), "distance=['jaccard']")


def test_dimensions_of_labels_do_not_run_into_each_other():
    frame = frame_of("y: z", "z", dimension=["x", "x: y"])
    refused(lambda: by_label(read_sets(frame)[0]), "rename the dimensions")
    plain = by_label(read_sets(frame.assign(dimension=["x", "y"]))[0])
    assert plain["dimension"].tolist() == ["x: y: z", "y: y: z", "x: z", "y: z"]


def test_index_and_other_columns_are_kept():
    frame = frame_of("p;q", "q", note=["m", "n"])
    frame.index = [7, 7]
    ratings, _ = read_sets(frame)
    assert ratings.index.tolist() == [7, 7] and ratings["note"].tolist() == ["m", "n"]
    assert frame["rating"].tolist() == ["p;q", "q"]
