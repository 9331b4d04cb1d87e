"""The contract: what a scale and a frame of ratings may be, and how a wrong one is refused."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from helpers import FIVE, refused

from raters import (
    Scale,
    agreement,
    check_ratings,
    counted,
    round_ratings,
    with_reference,
)
from raters.frames import COLUMNS
from raters.matrices import tables
from raters.scale import scale_for


def long(**columns):
    return pd.DataFrame({"item": ["x", "y"], "rater": "a", "rating": [1, 2], **columns})


@pytest.mark.parametrize(
    ("levels", "options"),
    [
        ([1], {}),
        ([1, 1, 2], {}),
        ([3, 2, 1], {}),
        (["a", "b"], {"values": [1]}),
        (["a", "b"], {"values": [1, np.inf]}),
        ([1, 2], {"measurement": "metric"}),
    ],
)
def test_a_scale_that_is_none_is_refused(levels, options):
    refused(lambda: Scale(levels, **options))


def test_text_levels_keep_the_declared_order():
    scale = Scale(["low", "medium", "high"])
    assert [scale.value_of(name) for name in ("high", " low ", "medium")] == [3, 1, 2]
    assert np.isnan(scale.value_of("hgh"))


@pytest.mark.parametrize("rating", [4, 4.0, "4", " 4 ", "4.0", np.int64(4), np.float32(4)])
def test_one_rating_has_many_spellings(rating):
    assert FIVE.value_of(rating) == 4


@pytest.mark.parametrize("rating", [0, 6, 4.5, "4-5", "four", "", True, np.inf, "nan"])
def test_what_is_not_on_the_scale_has_no_value(rating):
    assert np.isnan(FIVE.value_of(rating))


def test_between_allows_means_but_no_value_outside():
    scale = Scale([1, 2, 3], between=True)
    assert scale.value_of(2.667) == 2.667
    assert np.isnan(scale.value_of(3.01))


def test_truth_values_and_the_scales_they_fit():
    assert Scale(["False", "True"]).value_of(True) == 2
    truth = Scale([False, True])
    assert truth.values == (0.0, 1.0)
    for rating in (True, np.True_, 1, 1.0, "True", "true", " 1 "):
        assert truth.value_of(rating) == 1
    assert truth.value_of(0) == truth.value_of("false") == 0
    assert Scale([0, 1]).value_of(True) == 1 and np.isnan(Scale([0, 1, 2]).value_of(True))
    x = np.array([[True, True], [True, False]])
    table = counted({"w": x}, truth, raters=["a", "b"]).tables[0]
    assert table.values.tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize(
    "levels", [["0", "1", "2"], [Decimal(0), Decimal(1), Decimal(2)], [0, 1, 2]]
)
def test_a_number_means_the_level_that_is_written_like_it(levels):
    scale = Scale(levels)
    for rating in (0, "0", 0.0, "0.0", Decimal(0), np.int8(0)):
        assert scale.value_of(rating) == 0
    frame = pd.DataFrame({"item": [1, 2, 1, 2], "rater": list("aabb"), "rating": [1, 2, "1", "2"]})
    checked = check_ratings(frame, scale)
    assert check_ratings(checked, scale)["rating"].tolist() == [1, 2, 1, 2]
    refused(lambda: check_ratings(frame, scale, missing=[1]), "the code 1", "which is a rating")


def test_levels_that_read_as_numbers_keep_them_whatever_their_order():
    odd = Scale(["3", "1", "2"], measurement="nominal")
    assert [odd.value_of(x) for x in (3, "3", 1.0, "2")] == [3, 3, 1, 2]
    refused(lambda: Scale(["3", "1", "2"]), "'3'", "increase")
    mixed = Scale([1, 2, "other"], measurement="nominal")
    assert mixed.values == (1, 2, 3) and mixed.value_of("other") == 3
    assert Scale(["1_0", "nan", "inf"], measurement="nominal").values == (1, 2, 3)


@pytest.mark.parametrize(
    ("levels", "options"),
    [
        ({"low", "high"}, {}),
        ({"low": 1, "high": 2}, {}),
        ("abc", {}),
        (5, {}),
        (None, {}),
        ([[1], [2]], {}),
        (["a", None], {}),
        (["a", np.nan], {}),
        ([1, np.inf], {}),
        (["a", "a "], {}),
        ([1, "1"], {}),
        (["\u00e9", "e\u0301"], {}),
        ([1.0, 1.0 + 1e-9], {}),
        ([0, 10**400], {}),
        ([1e15, 2e15], {}),
        (["a", "b"], {"values": [1, 1], "measurement": "nominal"}),
        (["a", "b"], {"values": ["x", "y"]}),
        (["a", "b"], {"values": [1, None]}),
        (["a", "b"], {"values": {"a": 1, "b": 2}}),
        ([1, 2, 3], {"values": [0, 1, 4]}),
        ([1, 5], {"between": True, "outside": ["3"]}),
        (pd.Categorical(["a", "b"]), {}),
    ],
)
def test_what_is_no_scale(levels, options):
    refused(lambda: Scale(levels, **options))


def test_an_ordered_categorical_is_a_scale_in_the_order_of_its_categories():
    cells = pd.Categorical(["hi", "lo", "lo"], categories=["lo", "mid", "hi"], ordered=True)
    assert Scale(cells).levels == Scale(cells.dtype).levels == ("lo", "mid", "hi")


@pytest.mark.parametrize("rating", [0.1 + 0.2, np.float32(0.3), "0.3", 0.3])
def test_noise_in_the_last_digits_is_no_other_rating(rating):
    tenths = Scale([0.1, 0.2, 0.3])
    assert tenths.value_of(rating) == 0.3
    assert np.isnan(tenths.value_of(0.3001)) and tenths.name_of(tenths.value_of(rating)) == "0.3"
    assert Scale(np.arange(0, 1.01, 0.1)).value_of(0.3) == pytest.approx(0.3)


def test_long_numbers_are_written_out():
    assert Scale([1234567, 1234568]).describe() == "1234567, 1234568"
    assert Scale(range(100)).describe() == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..., 99"


def test_scales_by_numbered_dimension():
    assert scale_for({1: FIVE}, "all", "1") is FIVE
    refused(lambda: scale_for({"d": [1, 2, 3]}, "all", "d"), "'d'", "list")


def test_scale_for_looks_from_the_closest_name_outwards():
    three = Scale([0, 1, 2])
    known = {("f", "d"): three, "f": FIVE}
    assert scale_for(known, "f", "d") is three
    assert scale_for(known, "f", "other") is FIVE
    refused(lambda: scale_for(known, "g", "d"), "'d'", "'g'")
    refused(lambda: scale_for([1, 2, 3], "f", "d"), "list")


def test_a_frame_gets_the_known_form():
    result = check_ratings(long(extra=1), FIVE)
    assert list(result) == COLUMNS
    assert result["rating"].dtype == float
    assert set(result["framework"]) == {"all"}


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
def test_missing_stays_missing(missing):
    result = check_ratings(long(rating=pd.Series([1, missing], dtype=object)), FIVE)
    assert result["rating"].isna().tolist() == [False, True]


def test_nullable_integers_and_categoricals_are_read_as_they_are():
    assert check_ratings(long(rating=pd.array([1, None], "Int64")), FIVE)["rating"].iloc[0] == 1
    ordered = pd.Categorical(["high", "low"], ["low", "high"], ordered=True)
    assert check_ratings(long(rating=ordered), Scale(["low", "high"]))["rating"].tolist() == [2, 1]


def test_off_the_scale_names_item_rater_and_value():
    refused(
        lambda: check_ratings(long(rating=[1, 7]), FIVE), "7", "item y", "rater a", "1, 2, 3, 4, 5"
    )
    refused(lambda: check_ratings(long(rating=[1, np.inf]), FIVE), "inf")


def test_long_lists_of_wrong_values_are_cut_and_counted():
    frame = pd.DataFrame({"item": range(9), "rater": "a", "rating": 9})
    refused(lambda: check_ratings(frame, FIVE), "and 4 more")


def test_ids_stay_text_with_all_their_digits():
    ids = ["98765432109876543210", "98765432109876543211"]
    assert check_ratings(long(item=ids), FIVE)["item"].tolist() == ids


def test_ids_that_lost_digits_are_refused():
    refused(lambda: check_ratings(long(item=[2.0e19, 1.0]), FIVE), "item", "digits")
    refused(lambda: check_ratings(long(rater=["a", None]), FIVE), "rater", "row 1")


def test_missing_columns_are_named():
    refused(lambda: check_ratings(pd.DataFrame({"item": [1]}), FIVE), "rater", "rating")
    refused(lambda: check_ratings(np.ones((2, 2)), FIVE), "ndarray")


def test_duplicates_are_listed_or_resolved_by_name():
    frame = pd.DataFrame({"item": ["x"] * 2, "rater": "a", "rating": [2, 4]})
    refused(lambda: check_ratings(frame, FIVE), "item x by a")
    for how, value in (("first", 2), ("last", 4), ("mean", 3)):
        assert check_ratings(frame, FIVE, duplicates=how)["rating"].tolist() == [value]
    refused(lambda: check_ratings(frame, FIVE, duplicates="drop"), "'drop'")


def test_a_rater_in_two_groups_is_refused():
    refused(lambda: check_ratings(long(group=["g", "h"]), FIVE), "rater a", "g, h")


def test_the_index_of_the_frame_does_not_matter():
    frame = long().set_index(pd.Index([9, 9]))
    assert check_ratings(frame, FIVE)["rating"].tolist() == [1, 2]


def test_tables_match_items_by_id_and_not_by_position():
    frame = pd.DataFrame({"item": list("xyyx"), "rater": list("aabb"), "rating": [1, 2, 3, 4]})
    (table,) = tables(check_ratings(frame, FIVE), FIVE)
    assert table.items == ("x", "y")
    assert table.values.tolist() == [[1, 4], [2, 3]]
    refused(lambda: list(tables(check_ratings(frame, FIVE), FIVE, ["c"])), "'c'")


def test_with_reference_is_the_median_of_those_who_rated():
    frame = pd.DataFrame(
        {"item": list("xxxyy"), "rater": list("abcab"), "group": "g", "rating": [1, 2, 5, 2, 3]}
    )
    result = with_reference(check_ratings(frame, FIVE), "g")
    assert result[result.rater == "g_median"]["rating"].tolist() == [2, 2.5]
    refused(lambda: with_reference(result, "nobody"), "'nobody'")
    refused(lambda: with_reference(result, "g", "modus"), "'modus'")


def test_round_ratings_goes_to_the_even_neighbour():
    frame = check_ratings(
        pd.DataFrame({"item": range(3), "rater": list("aab"), "rating": [1.5, 2.5, 2.5]}),
        Scale([1, 2, 3], between=True),
    )
    assert round_ratings(frame)["rating"].tolist() == [2, 2, 2]
    assert round_ratings(frame, ["a"])["rating"].tolist() == [2, 2, 2.5]


# ----------------------------------------------------------- labels that pandas may swallow
@pytest.mark.parametrize("word", ["None", "NA", "null", "N/A", "nan"])
def test_a_label_that_pandas_takes_for_missing_is_said(word, tmp_path):
    path = tmp_path / "ratings.csv"
    rows = [("a", "joy", word), ("b", "joy", "joy"), ("c", word, word), ("d", "fear", "fear")]
    path.write_text("item,rater,rating\n" + "".join(
        f"{item},{who},{cell}\n" for item, *two in rows for who, cell in zip("xy", two)
    ))  # fmt: skip
    scale = Scale(["joy", "fear", word], measurement="nominal")
    swallowed = pd.read_csv(path, dtype=str)
    kept = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    notes = [
        agreement(frame, scale, "krippendorff_alpha_nominal", resamples=0)["note"].iloc[0]
        for frame in (swallowed, kept)
    ]
    assert f"no rating is {word!r}" in notes[0] and "keep_default_na=False" in notes[0]
    assert "keep_default_na" not in notes[1]
    # An ordinary label that nobody used is no reason to ask.
    other = Scale(["joy", "fear", "none of them"], measurement="nominal")
    note = agreement(swallowed, other, "krippendorff_alpha_nominal", resamples=0)["note"].iloc[0]
    assert "keep_default_na" not in note
