"""Free text of judges: read by declared rules that refuse rather than invent."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raters import RatingsError, Scale, check_ratings, pairwise
from raters.io.answers import LONGEST, Rule, order_effect, parse, settle_pairs

FIVE = Rule(Scale([1, 2, 3, 4, 5]))
TEN = Rule(Scale(list(range(1, 11))))
JSON = Rule(Scale([1, 2, 3, 4, 5]), "json")
LABELS = Rule(Scale(["toxic", "rude", "fine"], measurement="nominal"), "label")
PAIR = Rule(Scale(["X", "tie", "Y"], measurement="nominal"), "pair")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        (" 4.0 ", 4),
        ("**4**", 4),
        ("4.", 4),
        ("5 (no errors)", 5),
        ("2 - it misses the point", 2),
        ("Score: 3", 3),
        ("**Score:** 3", 3),
        ("**Rating: 3**\n\nIt names 2 feelings and 4 events.", 3),
        ("Two of 3 claims hold, so 1 fails. Score: 4", 4),
        ("Score (1-5): 2", 2),
        ("On a scale of 1 to 5, this reply is a 2.", 2),
        ("score = 5/5 (a 1 would be a refusal)", 5),
        ("I'd rate this a 4.", 4),
        ("I would give it 2 out of 5.", 2),
        ("3/5", 3),
        ("Rating: [[4]]. In all, 2 of the 5 criteria fail.", 4),
        ("A warm reply with one slip.\n\n4", 4),
        ("Score: 4 - good", 4),
        ("The maximum score is 5. Score: 3", 3),
        ("A score of 5 would need a question. Score: 3", 3),
        ("５", 5),
        ("Score: ٤", 4),
        ('{"score": 2, "max": 5}', 2),
        ("<think>Score: 2? No, 3.</think>Score: 4", 4),
        ("it may be 2, or 3\n</think>\n5", 5),
        ("<think>a <think>b</think> Score: 1</think> Score: 2", 2),
        ("I can't find a mistake. Score: 5", 5),
        ("Score: 3\nI repeat: score 3.", 3),
    ],
)
def test_a_number_that_is_marked_as_the_score(text, value):
    assert parse(text, FIVE).value == value
    assert parse(text, FIVE).kind == "parsed"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("between 3 and 4", "ambiguous"),
        ("3-4", "ambiguous"),
        ("2 to 3", "ambiguous"),
        ("Score: 3-4", "ambiguous"),
        ("Score: 3 or 4", "ambiguous"),
        ("Score: 4+", "ambiguous"),
        ("Score: 4½", "ambiguous"),
        ("Score: 80%", "ambiguous"),
        ("Score: 3,5", "ambiguous"),
        ("Score: 1,000", "ambiguous"),
        ("Score: 2\nScore: 4", "ambiguous"),
        ("Warmth score: 4, clarity score: 2", "ambiguous"),
        ("I cannot rate this above 2. Score: 2", "ambiguous"),
        ("Score: 4.5", "off-step"),
        (4.5, "off-step"),
        ("Score: 6", "out-of-range"),
        ("85", "out-of-range"),
        (0, "out-of-range"),
        ("-1", "out-of-range"),
        (9.2e124, "out-of-range"),
        ("Score: 4/10", "out-of-range"),
        ("On a scale of 1 to 10, I give it a 4", "out-of-range"),
        ("Not excellent, but acceptable.", "no-score"),
        ("It makes 3 claims about 2 people.", "no-score"),
        ("1. Warm\n2. Clear", "no-score"),
        ("The maximum score is 5.", "no-score"),
        ("Score: four", "no-score"),
        ("This is a 2 step process.", "no-score"),
        ("4 stars", "no-score"),
        ("3½", "no-score"),
        ("<think>Score: 3", "no-score"),
        ('{"score": 4, "why": "the text ends he', "cut-off"),
        ('{"score": 4, "score": 5}', "not-json"),
        (True, "boolean"),
        ("9" * (LONGEST + 1), "too-long"),
    ],
)
def test_everything_else_is_unreadable_with_a_reason(text, code):
    answer = parse(text, FIVE)
    assert (answer.value, answer.kind, answer.code) == (None, "unreadable", code)
    assert answer.reason


# ------------------------------------------------------- another maximum, bounds, revisions
@pytest.mark.parametrize(
    "text",
    [
        "Score: 4 of 10",
        "Score: 4 von 10",
        "Score: 4 (out of 10)",
        "Score: **4** out of 10",
        "Score: 4 out of ten",
        "Score: 4 points out of a possible 10",
        "4 (out of ten)",
        "I rate it 4 on a scale of 10",
        "I rate it 4 on a ten-point scale",
        "Scale: 1-10. Score: 4",
        "Auf einer Skala von 1 bis 10: Score: 4",
        "Rating: 4 (1-10)",
        "Rating: 4 (max 10)",
        "Rating: 4 (10 = best)",
        "Score: 4\nMaximum: 10",
        "Score: 4. The maximum score is 10.",
        '{"score": 4, "max": 10}',
        '{"score": 4, "out_of": "10"}',
    ],
)
def test_a_score_beside_another_maximum_is_refused(text):
    assert (parse(text, FIVE).kind, parse(text, FIVE).code) == ("unreadable", "out-of-range")
    # On a scale that ends there the same words are a score.
    assert parse(text, TEN).value == 4


@pytest.mark.parametrize(
    "text",
    [
        "Score: 4 out of five",
        "Score: 4 (max 5)",
        "Score: 4 on a scale of 5",
        "Score: 4 on a five-point scale",
        "Score: 4 (5 is best)",
        '{"score": 4, "max": 5}',
        "It uses a maximum of 3 questions. Score: 4",
        "Score: 4. It asks 2 questions instead.",
        "Score: 4. On a scale from 1 to 5 this is rather high.",
        "Score: 4\nTo correct it:\n1. Ask more.\n2. Say less.",
        "Actually, it names 2 feelings. Score: 4",
        "Initially 3; revised score: 4",
        "Score: 4. I would not change it.",
        "Score => 4",
    ],
)
def test_the_scales_own_maximum_and_other_numbers_do_not_hurt(text):
    assert parse(text, FIVE).value == 4


@pytest.mark.parametrize(
    "text",
    [
        "Score: 3. However, after reflection, I change my rating to 2.",
        "Score: 3. On reflection, 2.",
        "Score: 3. On reflection, two.",
        "Score: 3. Actually 2.",
        "Score: 3. Instead, 2.",
        "Score: 3. I would rather say 2",
        "Score: 3. Make that a 2!",
        "Score: 3. Final answer: 2",
        "Score: 3? No, 2.",
        "Rating: 3\n\nCorrection: 2",
        "3\n\nOn second thought: **2**",
        "3/5. I was too kind, so I revise it to 2.",
        '{"score": 3}\n\nOn reflection, 2.',
        "Label: toxic\n\nCorrection: rude",
        "toxic\nActually, rude.",
    ],
)
def test_a_score_that_is_taken_back_is_ambiguous(text):
    rule = LABELS if "toxic" in text else FIVE
    assert (parse(text, rule).kind, parse(text, rule).code) == ("unreadable", "ambiguous")


def test_a_verdict_that_is_taken_back_is_ambiguous():
    order = ("X", "Y")
    assert parse("Verdict: A. On reflection, B.", PAIR, order).code == "ambiguous"
    assert parse('{"score": "A"} Correction: B', PAIR, order).code == "ambiguous"
    assert parse("Verdict: A. Actually, a better one is hard to find.", PAIR, order).value == "X"


@pytest.mark.parametrize("before", ["", "Score: ", "I give it ", "Rating: **"])
@pytest.mark.parametrize(
    "text",
    [
        ">4", "> 4", ">=4", "<4", "≥4", "~4", "at least 4", "about 4", "around 4", "over 4",
        "4+", "4-5", "4–5", "4 or 5", "4 to 5", "4 or five", "4, maybe 5", "4 (or 5)",
        "4 or more", "4 at least", "4ish", "4-ish", "4 or so", "at least 4/5", "~4/5",
    ],
)  # fmt: skip
def test_a_bound_or_a_range_is_no_score(before, text):
    answer = parse(before + text, FIVE)
    assert (answer.value, answer.kind) == (None, "unreadable")


@pytest.mark.parametrize(
    "text",
    [
        "I cannot rate this conversation.",
        "I'm sorry, but I can't assist with that.",
        "As an AI language model, I am not able to judge people.",
        "I'm unable to provide a score for this text.",
        "It is not possible to score an empty reply.",
        "I won't engage with this content.",
        "I must decline to rate this.",
        "[refusal] content_filter",
    ],
)
def test_a_refusal_is_missing_and_never_a_number(text):
    answer = parse(text, FIVE)
    assert (answer.value, answer.kind) == (None, "refused")


def test_phrases_of_refusal_can_be_declared():
    rule = Rule(FIVE.scale, refusals=["keine Wertung"])
    assert parse("Hier gebe ich keine Wertung ab.", rule).kind == "refused"
    assert parse("Hier gebe ich keine Wertung ab.", FIVE).kind == "unreadable"


@pytest.mark.parametrize("text", [None, "", "  \n", "N/A", "none", float("nan"), '{"score": ""}'])
def test_nothing_is_missing(text):
    assert parse(text, FIVE).kind == "missing"


def test_the_decimal_sign_is_declared():
    halves = Scale([1, 1.5, 2, 2.5, 3])
    assert parse("Score: 2,5", Rule(halves, decimal=",")).value == 2.5
    assert parse("Score: 2.5", Rule(halves, decimal=",")).kind == "unreadable"
    assert parse("Score: 2.5", Rule(halves)).value == 2.5


def test_a_key_is_also_a_word_that_marks_a_number():
    assert parse("Warmth: 4", FIVE).kind == "unreadable"
    assert parse("Warmth: 4", Rule(FIVE.scale, key="warmth")).value == 4


# --------------------------------------------------------------------------------- JSON
@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        ('{"score": 4, "why": "ok"}', 4, "ok"),
        ('```json\n{"score": 3, "why": "fine",}\n```', 3, "repaired"),
        ('{"why": "leave ,} and ,] alone", "score": 5}', 5, "ok"),
        ('{"why": "leave ,} alone", "score": 5,}', 5, "repaired"),
        ("{'score': 2, 'pass': True, 'why': None}", 2, "repaired"),
        ('My verdict:\n{"parts": {"score": 5}, "score": 1}', 1, "ok"),
        ('{"score": "4"}', 4, "ok"),
        ('{"score": "4/5"}', 4, "ok"),
        ('{"SCORE": 3}', 3, "ok"),
        ('In {braces} first. {"score": 2}', 2, "ok"),
        ('{"score": 2} and again {"score": 2}', 2, "ok"),
        ('<think>{"score": 1}</think>{"score": 2}', 2, "ok"),
    ],
)
def test_json_is_parsed_as_it_is_and_mended_only_where_that_fails(text, value, code):
    answer = parse(text, JSON)
    assert (answer.value, answer.kind, answer.code) == (value, "parsed", code)


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ('{"why": "a long reason that never en', "unreadable", "cut-off"),
        ('{"score": null, "why": "cannot judge"}', "refused", "refusal"),
        ('{"score": true}', "unreadable", "boolean"),
        ('{"score": [3, 4]}', "unreadable", "ambiguous"),
        ('{"score": 3, "Score": 4, "sCore": 5}', "parsed", "ok"),
        ('{"Score": 4, "sCore": 5}', "unreadable", "ambiguous"),
        ('{"score": 3} {"score": 4}', "unreadable", "ambiguous"),
        ('{"rating": 3}', "unreadable", "no-score"),
        ('{"details": {"score": 3}}', "unreadable", "no-score"),
        ('{"score": 45}', "unreadable", "out-of-range"),
        ('{"score": NaN}', "unreadable", "out-of-range"),
        ('{"score": 1e999}', "unreadable", "out-of-range"),
        ("Score: 4", "unreadable", "not-json"),
        ("{'score': __import__('os')}", "unreadable", "not-json"),
        ('{"a":' * 30_000, "unreadable", "not-json"),
    ],
)
def test_json_without_one_clear_score(text, kind, code):
    answer = parse(text, JSON)
    assert (answer.kind, answer.code) == (kind, code)


def test_the_key_may_lie_deeper():
    rule = Rule(FIVE.scale, "json", key="result.warmth")
    assert parse('{"result": {"Warmth": 4}, "warmth": 1}', rule).value == 4


def test_a_label_within_json():
    assert parse('{"score": "Rude"}', Rule(LABELS.scale, "json")).value == "rude"


# ------------------------------------------------------------------------ labels, patterns
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("toxic", "toxic"),
        ("**Toxic**.", "toxic"),
        ("Label: rude", "rude"),
        ("It is not toxic at all.\nVerdict: fine", "fine"),
        ("The verdict is [[rude]]", "rude"),
        ('{"score": "fine"}', "fine"),
    ],
)
def test_a_label_that_is_marked_as_the_answer(text, value):
    assert parse(text, LABELS).value == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("This is not toxic.", "no-score"),
        ("Label: toxic or rude", "ambiguous"),
        ("Label: toxic\nLabel: fine", "ambiguous"),
        ("toxicity: high", "no-score"),
    ],
)
def test_a_label_that_is_only_spoken_of_is_none(text, code):
    assert parse(text, LABELS).code == code


def test_other_spellings_and_answers_outside_the_scale_are_declared():
    scale = Scale(["yes", "no"], measurement="nominal", outside=["unsure"])
    rule = Rule(scale, "label", labels={"y": "yes"})
    assert [parse(text, rule).value for text in ("Y", "Unsure", "no")] == ["yes", "unsure", "no"]
    with pytest.raises(RatingsError, match="'maybe' read as 'perhaps'"):
        Rule(scale, "label", labels={"maybe": "perhaps"})


def test_a_pattern_finds_what_its_group_holds():
    rule = Rule(FIVE.scale, "pattern", pattern=r"Note=(\S+?);")
    assert parse("a 3. Note=4; b", rule).value == 4
    assert parse("Note=4; Note=4;", rule).value == 4
    assert parse("Note=4; Note=5;", rule).code == "ambiguous"
    assert parse("Note=9;", rule).code == "out-of-range"
    assert parse("Score: 4", rule).code == "no-score"
    for pattern in ("Note", "(", ""):
        with pytest.raises(RatingsError, match="a regular expression with a group"):
            Rule(FIVE.scale, "pattern", pattern=pattern)


def test_rules_that_do_not_exist():
    with pytest.raises(RatingsError, match="kind 'guess'.*number, json, label, pattern, pair"):
        Rule(FIVE.scale, "guess")
    with pytest.raises(RatingsError, match="decimal='x'"):
        Rule(FIVE.scale, decimal="x")


# --------------------------------------------------------------------------------- pairs
def test_a_position_is_mapped_back_to_the_system_that_stood_there():
    assert parse("first", PAIR, ("Y", "X")).value == "Y"
    assert parse("My verdict: [[B]]", PAIR, ("Y", "X")).value == "X"
    assert parse("[[C]]", PAIR, ("Y", "X")).value == "tie"
    assert parse("Response A", PAIR, ("Y", "X")).value == "Y"
    assert parse("Both are fine", PAIR, ("Y", "X")).code == "no-score"
    assert parse("A", PAIR, ("Z", "X")).code == "out-of-range"
    with pytest.raises(RatingsError, match="without the order of the pair"):
        parse("first", PAIR)


def both_orders(results):
    """Rows for verdicts by pair: (in the order X, Y; in the order Y, X), as systems."""
    rows = []
    for item, (one, two) in results.items():
        rows += [(item, "X", "Y", one), (item, "Y", "X", two)]
    frame = pd.DataFrame(rows, columns=["item", "first", "second", "rating"]).assign(rater="j")
    return frame.sample(frac=1, random_state=1)


def test_a_win_that_does_not_survive_the_swap_is_a_tie():
    results = {"a": "XX", "b": "XY", "c": "YY", "d": "YX", "e": ("tie", "tie"), "f": ("X", "tie")}
    settled = settle_pairs(both_orders(results)).set_index("item")
    assert settled["result"].to_dict() == {
        "a": "X",
        "b": "inconsistent",
        "c": "Y",
        "d": "inconsistent",
        "e": "tie",
        "f": "inconsistent",
    }
    assert settled.loc[["b", "d", "f"], "rating"].tolist() == ["tie"] * 3
    effect = order_effect(both_orders(results))
    # Nine verdicts without ties; for the first position: a1, b1, b2, c2 and f1.
    assert effect["n_decisive"] == 9
    assert effect["share_of_first"] == pytest.approx(5 / 9)
    assert (effect["n_inconsistent"], effect["consistency"]) == (3, 0.5)


def test_a_pair_in_one_order_has_no_result():
    rows = both_orders({"a": "XX", "b": "YY"})
    rows = rows[~((rows["item"] == "b") & (rows["first"] == "X"))]
    settled = settle_pairs(rows).set_index("item")
    assert settled.loc["b", "result"] == "one order"
    assert settled.loc["b", "rating"] is None or np.isnan(settled.loc["b", "rating"])
    assert order_effect(rows)["n_one_order"] == 1
    assert np.isnan(order_effect(rows.iloc[:0])["consistency"])


# ------------------------------------------------------------- public reports, own data
def against(expert, answers, rule):
    """The judge's parsed values, and kappa with the expert."""
    parsed = [parse(text, rule).value for text in answers]
    frame = pd.DataFrame(
        {
            "item": [str(n) for n in range(len(answers))] * 2,
            "rater": ["expert"] * len(answers) + ["judge"] * len(answers),
            "rating": [float(v) for v in expert] + [np.nan if v is None else v for v in parsed],
        }
    )
    ratings = check_ratings(frame, rule.scale)
    names = ["weighted_kappa_quadratic", "percent_agreement"]
    rows = pairwise(ratings, rule.scale, names, resamples=0).set_index("statistic")["estimate"]
    return parsed, rows


def test_scores_inside_sentences():
    """openagent-eval #74, CriticEval #3, trulens #862: the first or last number is taken."""
    answers = [
        "Score: 8", "8/10", "It passes 7 checks and fails 1. Score: 9",
        "**Score: 7**\n\nThe answer has 2 gaps and cites 3 sources.",
        "Rating: [[6]]. In all, 4 of the 10 criteria fail.", "I would give it 4 out of 10.", "3",
        "Not excellent, but acceptable.", "Overall score = 10/10 (a 1 would be a refusal)",
        '{"score": 5, "max": 10}', "On a scale of 1 to 10, this answer is a 2.",
    ]  # fmt: skip
    parsed, rows = against([8, 7, 9, 6, 6, 5, 2, 4, 9, 5, 3], answers, TEN)
    assert parsed == [8, 8, 9, 7, 6, 4, 3, None, 10, 5, 2]
    assert rows["weighted_kappa_quadratic"] == pytest.approx(0.947368, abs=1e-6)


def test_answers_off_the_scale_are_not_clamped():
    """agent-eval-harness #182, langfuse #11604, unitxt #1960: another scale goes unnoticed."""
    answers = ["4", 4, "3-4", "2 to 3", 4.5, 6, 85, 0, -1, 9.2e124]
    answers += ["５", "2 (minor errors)", "N/A", "", None, "1"]
    expert = [4, 5, 3, 3, 3, 3, 3, 3, 3, 3, 5, 3, 3, 3, 3, 1]
    parsed, rows = against(expert, answers, FIVE)
    assert [v for v in parsed if v is not None] == [4, 4, 5, 2, 1]
    codes = pd.Series([parse(text, FIVE).code for text in answers]).value_counts()
    assert codes.to_dict() == {
        "ok": 5,
        "out-of-range": 5,
        "empty": 3,
        "ambiguous": 2,
        "off-step": 1,
    }
    assert rows["weighted_kappa_quadratic"] == pytest.approx(0.912281, abs=1e-6)


def test_broken_json_is_mended_and_valid_json_left_alone():
    """deepeval #929, #2332, #2770; promptfoo #1866: a clean-up damages valid answers."""
    answers = [
        '{"score": 4, "reason": "ok"}', '```json\n{"score": 3, "reason": "fine",}\n```',
        '{"reason": "ends in ,} or ,]", "score": 5}', "{'score': 2, 'pass': False}",
        'Here it is:\n{"details": {"score": 5}, "score": 1}', '{"reason": "never en',
        '{"score": "4"}', '{"Score": 3}', '{"score": null}', '{"score": true}',
    ]  # fmt: skip
    parsed, rows = against([4, 3, 4, 2, 1, 3, 4, 2, 3, 5], answers, JSON)
    assert parsed == [4, 3, 5, 2, 1, None, 4, 3, None, None]
    assert rows["weighted_kappa_quadratic"] == pytest.approx(0.901408, abs=1e-6)
    assert rows["percent_agreement"] == pytest.approx(5 / 7)


def test_pairs_judged_in_both_orders():
    """vanguarstew #87, evaluatorq #56, phoenix #9883: a judge that likes the first answer wins."""
    verdicts = {
        "p1": ("first", "second"), "p2": ("first", "first"), "p3": ("second", "first"),
        "p4": ("first", "first"), "p5": ("tie", "tie"), "p6": ("first", "second"),
        "p7": ("second", "second"), "p8": ("first", "tie"),
    }  # fmt: skip
    rows = []
    for item, pair in verdicts.items():
        for order, said in zip((("X", "Y"), ("Y", "X")), pair):
            rows.append((item, *order, parse(said, PAIR, order).value))
    frame = pd.DataFrame(rows, columns=["item", "first", "second", "rating"]).assign(rater="j")
    effect = order_effect(frame)
    assert (effect["n_inconsistent"], effect["consistency"], effect["n_decisive"]) == (4, 0.5, 13)
    assert effect["share_of_first"] == pytest.approx(0.615385, abs=1e-6)
    settled = settle_pairs(frame)
    assert settled["result"].value_counts().to_dict() == {
        "inconsistent": 4,
        "X": 2,
        "Y": 1,
        "tie": 1,
    }
    preferred = ["X", "Y", "Y", "X", "tie", "X", "tie", "X"]
    human = pd.DataFrame({"item": list(verdicts), "rater": "human", "rating": preferred})
    both = pd.concat([human, settled[["item", "rater", "rating"]]])
    rows = pairwise(both, PAIR.scale, ["percent_agreement", "cohen_kappa"], resamples=0)
    assert rows["estimate"].tolist() == pytest.approx([0.625, 0.454545], abs=1e-6)


# --------------------------------------------------------------------------------- care
@given(st.text(max_size=200) | st.none() | st.floats() | st.integers() | st.booleans())
def test_whatever_comes_is_a_level_or_has_a_reason(text):
    for rule in (FIVE, JSON, LABELS):
        answer = parse(text, rule)
        if answer.kind == "parsed":
            assert answer.value in rule.scale.levels
        else:
            assert answer.value is None and answer.reason


@given(st.integers(1, 5), st.text("abcdefg ,.\n", max_size=80))
def test_a_marked_score_is_read_in_any_prose_without_digits(score, prose):
    assert parse(f"{prose}\n\nScore: {score}", FIVE).value == score
    wrapped = json.dumps({"why": prose, "score": score})
    assert parse(f"```json\n{wrapped}\n```", JSON).value == score


@given(st.lists(st.integers(1, 5), min_size=2, max_size=4))
def test_several_scores_are_read_only_where_they_are_equal(scores):
    answer = parse("\n".join(f"Score: {score}" for score in scores), FIVE)
    assert answer.value == (scores[0] if len(set(scores)) == 1 else None)


@pytest.mark.parametrize(
    "piece",
    [
        "score ",
        "{",
        "{'a':",
        "<think>",
        "I can't ",
        "1,",
        "1 to ",
        "[[",
        "a b ",
        "no, ",
        "max ",
        "Score: 3. no ",
    ],
)
def test_long_answers_come_to_an_end(piece):
    text = piece * (50_000 // len(piece))
    for rule in (FIVE, JSON, LABELS):
        parse(text, rule)
