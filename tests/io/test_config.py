"""`raters.toml`: what is declared, written and read back."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raters import RatingsError
from raters.io.config import Config, ScaleRules, Source, pattern_of

FIVE = ScaleRules([1, 2, 3, 4, 5])

EXAMPLE = """
[[files]]
name = "experts.csv"
format = "csv"
delimiter = ";"
decimal = ","
layout = "wide-by-rater"
item = "text"
columns = ["ann", "bob"]

[[files]]
name = "*.jsonl"
item = "id"
rating = "said"
rater_is = "judge"
answers = true
leave_out = {state = ["test", "preview"]}
split = {id = "{item}|{dimension}"}

[scale]
levels = [1, 2, 3, 4, 5]
missing = [0, "NA"]
recode = {"4 - agree" = 4}

[scales.tone]
levels = ["cold", "warm"]
measurement = "nominal"

[reversed]
dimensions = ["tone"]

[groups]
expert = ["ann", "bob"]
crowd = ["w-*"]

[answers]
kind = "json"
key = "score"

[reading]
duplicates = "first"
drop_at_most = 3
"""


def test_the_text_of_a_file_becomes_what_it_declares():
    config = Config.from_toml(EXAMPLE)
    assert [source.name for source in config.files] == ["experts.csv", "*.jsonl"]
    assert config.source_of("experts.csv").decimal == ","
    assert config.source_of("run7.jsonl").rater_is == "judge"
    assert config.rules_of("anything").missing == (0, "NA")
    assert config.rules_of("tone").scale.levels == ("cold", "warm")
    assert config.answer_rule("anything").kind == "json"
    assert (config.duplicates, config.drop_at_most) == ("first", 3)


def test_what_is_written_reads_back_equal_and_is_written_equal_again(tmp_path):
    config = Config.from_toml(EXAMPLE)
    path = config.save(tmp_path / "raters.toml", {"scale": ["look\nat this"], "top": ["note"]})
    again = Config.load(path)
    assert again == config
    assert again.to_toml() == config.to_toml()
    text = path.read_text(encoding="utf-8")
    assert "# look\n# at this\n[scale]" in text
    assert not list(tmp_path.glob(".*raters-part"))


words = st.text(st.characters(codec="utf-8"), max_size=12)
names = st.text(string.ascii_letters + ' äß"\\\n#=[]', min_size=1, max_size=8)


@given(
    item=words,
    sheet=words,
    columns=st.lists(words, max_size=3),
    levels=st.lists(names, min_size=2, max_size=4, unique_by=str.strip),
    groups=st.dictionaries(words, st.lists(words, max_size=2), max_size=2),
    leave=st.dictionaries(words, st.lists(words | st.integers(-5, 5), max_size=2), max_size=2),
    step=st.floats(0.01, 100, allow_nan=False),
    answers=st.booleans(),
)
def test_any_text_survives_the_round_trip(
    item, sheet, columns, levels, groups, leave, step, answers
):
    if any(not level.strip() for level in levels):
        levels = ["a", "b"]
    source = Source(item=item, sheet=sheet, columns=columns, leave_out=leave, answers=answers)
    scales = {item: ScaleRules([0, step], measurement="interval"), "x": ScaleRules(levels)}
    config = Config([source], FIVE, scales, groups=groups)
    assert Config.from_toml(config.to_toml({"groups": [sheet]})) == config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("levels = [1, 2", "level = [1, 2"), r"Given: raters.toml: \[scale\]: level\. .*levels"),
        (('layout = "wide-by-rater"', 'layout = "tall"'), r"layout = 'tall'.*'wide-by-item'"),
        (('decimal = ","', 'decimal = "·"'), r"decimal = '·'"),
        (('delimiter = ";"', 'delimiter = ";;"'), r"delimiter = ';;'.*one character"),
        (('format = "csv"', 'format = "xls"'), r"format = 'xls'.*'label-studio'"),
        (("answers = true", 'answers = "yes"'), r"answers = 'yes'.*true or false"),
        (("drop_at_most = 3", "drop_at_most = -1"), r"drop_at_most = -1"),
        (("drop_at_most = 3", "drop_at_most = 3.0"), r"drop_at_most = 3.0.*a whole number"),
        (('duplicates = "first"', 'duplicates = "mean"'), r"duplicates = 'mean'.*'last'"),
        (("missing = [0,", "missing = [5,"), r"5 as missing and as a level of 1, 2, 3, 4, 5"),
        (('agree" = 4', 'agree" = 9'), r"recode: '4 - agree' = 9"),
        (("[1, 2, 3, 4, 5]", "[1, [2], 3]"), r"\[2\] on a scale"),
        (("[1, 2, 3, 4, 5]", "[1, 1]"), r"two or more different levels"),
        (('expert = ["ann"', 'expert = [1, "ann"'), r"\[groups\] expert.*a list of names"),
        (('kind = "json"', 'kind = "guess"'), r"answers: kind = 'guess'"),
        (('key = "score"', 'keys = "score"'), r"answers: keys"),
        (("[reversed]", "[reversal]"), r"Given: raters.toml: reversal"),
        (('"{item}|{dimension}"', '"item"'), r"the pattern 'item'"),
        (("[[files]]\nname = \"*", "[[files]\nname = \"*"), r"no valid TOML"),
        (("levels = [1, 2, 3, 4, 5]\n", ""), r"\[scale\] without levels"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(change, message):
    assert change[0] in EXAMPLE
    with pytest.raises(RatingsError, match=message):
        Config.from_toml(EXAMPLE.replace(*change, 1))


def test_a_file_that_nothing_is_declared_of():
    with pytest.raises(RatingsError, match=r"other.txt.*'experts.csv', '\*.jsonl'"):
        Config.from_toml(EXAMPLE).source_of("other.txt")


def test_a_dimension_without_a_scale():
    with pytest.raises(RatingsError, match=r"'tone' without a scale.*\['warmth'\]"):
        Config(scales={"warmth": FIVE}).rules_of("tone")


def test_an_edited_file_is_not_replaced_unless_told(tmp_path):
    path = tmp_path / "raters.toml"
    path.write_text("# mine\n")
    with pytest.raises(RatingsError, match="there already"):
        Config().save(path)
    assert path.read_text() == "# mine\n"
    Config().save(path, overwrite=True)
    assert Config.load(path) == Config()


def test_places_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(RatingsError, match="cannot be written"):
        Config().save(tmp_path / "no" / "raters.toml")
    with pytest.raises(RatingsError, match="cannot be read"):
        Config.load(tmp_path / "raters.toml")
    (tmp_path / "raters.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RatingsError, match="cannot be read"):
        Config.load(tmp_path / "raters.toml")


def test_a_name_goes_before_a_pattern_in_groups_and_files():
    config = Config(groups={"crowd": ["a*"], "expert": ["ann"]})
    assert [config.group_of(name) for name in ("ann", "abe", "bob")] == ["expert", "crowd", None]
    assert Source(name="data[1].csv").fits("data[1].csv")


def test_reversal_mirrors_the_declared_scale():
    assert [FIVE.reverse(level) for level in (1.0, 2.0, 3.5)] == [5.0, 4.0, 2.5]
    words = ScaleRules(["low", "medium", "high"])
    assert [words.reverse(level) for level in words.levels] == ["high", "medium", "low"]
    uneven = ScaleRules([0, 1, 5])
    with pytest.raises(RatingsError, match="levels lie symmetrically"):
        uneven.reverse(0.0)
    with pytest.raises(RatingsError, match="a reversal"):
        ScaleRules(["a", "b"], measurement="nominal").reverse("a")


def test_patterns_take_what_stands_between():
    found = pattern_of("{item}|{dimension}").fullmatch("conv.7|warmth (a|b)")
    assert found.groupdict() == {"item": "conv.7", "dimension": "warmth (a|b)"}
    assert pattern_of("annotator_{rater}.*").fullmatch("annotator_a.jsonl")["rater"] == "a"
    with pytest.raises(RatingsError, match="each once"):
        pattern_of("{rater}-{rater}")


def test_verdicts_need_both_systems():
    with pytest.raises(RatingsError, match="both, or neither"):
        Source(first="a")
    with pytest.raises(RatingsError, match=r"names = '\{who\}'"):
        Source(layout="wide-by-name", names="{who}")
    with pytest.raises(RatingsError, match="header_rows = 0"):
        Source(header_rows=0)
