"""Exports as the tools write them: found by content, told apart from what is no rating.

The examples were written for these tests; their shapes are those of the tools' documents.
"""

import json
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from raters import RatingsError, agreement, pairwise
from raters.io.config import Config, ScaleRules, Source
from raters.io.formats import FORMATS, Limits, detect, load
from raters.io.formats.base import propose_encoding
from raters.io.inspect import inspect
from raters.io.read import read
from raters.label_sets import by_label, labels_of, spelled

FIVE = ScaleRules([1, 2, 3, 4, 5])
SIX_DIGITS = {"rel": 0, "abs": 1e-6}


def labels(*levels, **rules):
    return ScaleRules(levels, measurement="nominal", **rules)


def written(tmp_path, name, content):
    """A file from text, from an object (JSON) or from a list of objects (JSONL)."""
    path = tmp_path / name
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(one) + "\n" for one in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def cells(reading):
    """The ratings as a dict from (dimension, item, rater) to rating."""
    rows = reading.ratings
    return dict(zip(zip(rows["dimension"], rows["item"], rows["rater"]), rows["rating"]))


def left(reading):
    return dict(zip(reading.left_out["reason"], reading.left_out["n"]))


def estimate(reading, statistic, dimension="all"):
    rows = agreement(reading.ratings, reading.scale, [statistic], resamples=0)
    return rows.set_index("dimension").loc[dimension, "estimate"]


# --------------------------------------------------------------------------- Label Studio
def result(control, kind, value):
    held = [value] if kind in ("choices", "textarea") else value
    return {"from_name": control, "to_name": "text", "type": kind, "value": {kind: held}}


def annotation(by, *results, **more):
    person = {"id": by, "email": f"{by}@example.org"} if by % 2 else by
    return {
        "id": by,
        "completed_by": person,
        "result": list(results),
        "was_cancelled": False,
    } | more


def label_studio():
    pos, neg, neu = (result("tone", "choices", v) for v in ("Positive", "Negative", "Neutral"))
    stars = {n: result("stars", "rating", n) for n in range(1, 6)}
    ratings = {
        101: [(7, pos, stars[4]), (8, pos, stars[5])],
        102: [(7, neg, stars[2]), (8, neu, stars[2])],
        103: [(9, pos, stars[4]), (8, stars[4], pos)],
        104: [(7, neg, stars[1]), (9, neg, stars[1])],
        105: [(8, neu, stars[3]), (9, pos, stars[3])],
    }
    tasks = [
        {
            "id": task,
            "data": {"text": f"text {task}", "key": f"k{task}"},
            "annotations": [annotation(by, *results) for by, *results in done],
            "predictions": [],
        }
        for task, done in ratings.items()
    ]
    # Skipped with and without a choice, submitted empty, predicted, drafted, a span.
    tasks[2]["annotations"].insert(0, annotation(7, was_cancelled=True))
    tasks[4]["annotations"].insert(0, annotation(7, pos, stars[5], was_cancelled=True))
    tasks[3]["annotations"].insert(1, annotation(8))
    tasks[0]["predictions"] = [{"id": 900, "model_version": "m", "result": [neg, stars[1]]}]
    tasks[1]["drafts"] = [{"id": 3, "result": [pos]}]
    span = {"from_name": "part", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["x"]}}
    tasks[0]["annotations"][0]["result"].append(span)
    return tasks


def test_label_studio_skips_drafts_and_predictions_are_no_ratings(tmp_path):
    """label-studio #347, #2042, #4699, #7308: each has been counted as a rating."""
    path = written(tmp_path, "export.json", label_studio())
    assert detect(path) == "label-studio"
    config = Config(
        scales={"tone": labels("Positive", "Neutral", "Negative"), "stars": FIVE}, files=[Source()]
    )
    reading = read(path, config)
    assert sorted(reading.ratings["rater"].unique()) == ["7", "8", "9"]
    assert reading.ratings.groupby("dimension").size().to_dict() == {"stars": 10, "tone": 10}
    assert cells(reading)["stars", "103", "8"] == 4
    assert estimate(reading, "krippendorff_alpha_nominal", "tone") == pytest.approx(
        0.419355, **SIX_DIGITS
    )
    stars = reading.ratings[reading.ratings["dimension"] == "stars"]
    alpha = agreement(stars, FIVE.scale, ["krippendorff_alpha_ordinal"], resamples=0)["estimate"]
    assert alpha.iloc[0] == pytest.approx(0.95443, **SIX_DIGITS)
    found = left(reading)
    assert found.pop("label on a part of the text or image, which is no rating of the item") == 1
    assert found == {
        "skipped annotation": 2,
        "empty annotation": 1,
        "prediction of a model": 1,
        "draft": 1,
    }
    assert any("2 left out: skipped annotation" in note for note in reading.notes)


def test_label_studio_items_may_be_named_by_their_data(tmp_path):
    path = written(tmp_path, "export.json", label_studio())
    config = Config(
        [Source(item="data.key")], FIVE, {"tone": labels("Positive", "Neutral", "Negative")}
    )
    assert ("stars", "k101", "7") in cells(read(path, config))


def test_label_studio_several_choices_are_a_set(tmp_path):
    many = {"from_name": "topics", "type": "choices", "value": {"choices": ["b", "a"]}}
    tasks = [{"id": 1, "data": {}, "annotations": [annotation(2, many), annotation(4, many)]}]
    path = written(tmp_path, "export.json", tasks)
    with pytest.raises(RatingsError, match="'a; b'.*a list of 2 labels.*sets = true"):
        read(path, Config([Source()], labels("a", "b", "c")))
    reading = read(path, Config([Source()], labels("a", "b", "c", sets=True)))
    assert reading.ratings["rating"].tolist() == ["a; b", "a; b"]
    assert reading.scale["topics"].levels == ("", "a; b")


def test_labels_of_a_list_are_labels_whatever_signs_they_hold(tmp_path):
    """One spelling of sets everywhere: what a list holds is never split."""
    odd = ScaleRules(["a", "b", "a; b", "c;d"], measurement="nominal", sets=True)
    lines = [
        {"item": "x", "rater": "ann", "rating": ["a; b", "c;d"]},
        {"item": "x", "rater": "bob", "rating": ["b", "a"]},
        {"item": "y", "rater": "ann", "rating": "a; b"},  # a text is split, as always
        {"item": "y", "rater": "bob", "rating": ["a; b"]},
        {"item": "z", "rater": "ann", "rating": []},
        {"item": "z", "rater": "bob", "rating": None},
    ]
    path = written(tmp_path, "r.jsonl", lines)
    source = Source(item="item", rater="rater", rating="rating")
    reading = read(path, Config([source], odd))
    found = {key[1:]: value for key, value in cells(reading).items()}
    two, one = spelled(["a", "b"]), spelled(["a; b"])
    assert two != one and labels_of(one) == {"a; b"}
    assert found["x", "ann"] == spelled(["c;d", "a; b"])
    assert (found["x", "bob"], found["y", "ann"], found["y", "bob"]) == (two, two, one)
    # An empty list is an answer without a label; null is none.
    assert found["z", "ann"] == "" and reading.counts["missing"] == 1
    assert set(by_label(reading.ratings.dropna())["dimension"]) == {
        f"all: {label}" for label in odd.levels
    }
    # What is proposed reads the same.
    proposed = inspect(path)
    assert set(proposed.config.scale.levels) == set(odd.levels) and proposed.config.scale.sets
    # Another separator for texts says nothing of lists.
    commas = read(path, Config([source], replace(odd, separator=",")))
    assert cells(commas)["all", "x", "bob"] == two and cells(commas)["all", "y", "ann"] == one


def test_rankings_are_no_ratings(tmp_path):
    """A list in an order would be read as a set of labels."""
    order = {"from_name": "order", "type": "ranker", "value": {"ranker": ["b", "a"]}}
    words = {"from_name": "why", "type": "textarea", "value": {"text": ["as I like it"]}}
    stars = {"from_name": "stars", "type": "rating", "value": {"rating": 4}}
    tasks = [{"id": 1, "data": {}, "annotations": [annotation(2, order, words, stars)]}]
    reading = read(written(tmp_path, "ls.json", tasks), Config([Source()], FIVE))
    assert cells(reading) == {("stars", "1", "2"): 4}
    assert left(reading) == {
        "ranking of several options, which is no rating of the item": 1,
        "answer in free text": 1,
    }
    with pytest.raises(RatingsError, match="without a single row of ratings .1 ranking of"):
        tasks[0]["annotations"] = [annotation(2, order)]
        read(written(tmp_path, "ls.json", tasks), Config([Source()], FIVE))


def argilla_two(**answers):
    responses = {
        question: [{"value": v, "user_id": u} for u, v in zip(["u1", "u2"], values)]
        for question, values in answers.items()
    }
    return {"id": "r", "fields": {"text": "t"}, "responses": responses}


@pytest.mark.parametrize(
    "ranks",
    [
        [["a", "b", "c"], ["b", "a", "c"]],
        [[{"value": "a", "rank": 1}, {"value": "b", "rank": 2}]] * 2,
    ],
)
def test_argilla_rankings_are_no_sets_of_labels(tmp_path, ranks):
    many = labels("a", "b", "c", sets=True)
    both = argilla_two(order=ranks, topics=[["a"], ["b", "a"]])
    reading = read(written(tmp_path, "r.json", [both]), Config([Source()], many))
    assert cells(reading) == {("topics", "r", "u1"): "a", ("topics", "r", "u2"): "a; b"}
    assert left(reading) == {"ranking of several options, which is no rating of the item": 2}
    with pytest.raises(RatingsError, match="2 ranking of several options"):
        read(written(tmp_path, "r.json", [argilla_two(order=ranks)]), Config([Source()], many))
    # The same labels in one order may be a set that two people chose.
    same = argilla_two(topics=[["a", "b"], ["a", "b"]])
    reading = read(written(tmp_path, "r.json", [same]), Config([Source()], many))
    assert reading.counts["ratings"] == 2


def test_argilla_spans_are_left_out(tmp_path):
    span = [{"start": 0, "end": 2, "label": "a"}]
    with pytest.raises(RatingsError, match="2 label on a part of the text"):
        path = written(tmp_path, "r.json", [argilla_two(where=[span, span])])
        read(path, Config([Source()], labels("a", "b")))


# --------------------------------------------------------------------------- Prodigy
def prodigy(answer, by, task=1, **more):
    return {"_input_hash": task, "_task_hash": task * 10, "_annotator_id": f"set-{by}",
            "_session_id": f"set-{by}", "text": "t", "answer": answer} | more  # fmt: skip


def test_prodigy_choices_and_what_was_ignored(tmp_path):
    options = [{"id": "warm", "text": "Warm"}, {"id": "cold", "text": "Cold"}]
    lines = [
        prodigy("accept", "ann", 1, accept=["warm"], options=options),
        prodigy("accept", "bob", 1, accept=["cold"], options=options),
        prodigy("ignore", "ann", 2, accept=[], options=options),
        prodigy("reject", "bob", 2, accept=["warm"], options=options),
        prodigy("accept", "bob", 3, accept=["warm"], options=options),
    ]
    path = written(tmp_path, "db.jsonl", lines)
    assert detect(path) == "prodigy"
    reading = read(path, Config([Source()], labels("cold", "warm")))
    assert cells(reading) == {
        ("choice", "1", "set-ann"): "warm",
        ("choice", "1", "set-bob"): "cold",
        ("choice", "3", "set-bob"): "warm",
    }
    assert left(reading) == {"ignored example": 1, "rejected example": 1}


def test_prodigy_yes_or_no_on_a_label(tmp_path):
    lines = [
        prodigy("accept", "ann", label="WARM"),
        prodigy("reject", "bob", label="WARM"),
        prodigy("reject", "ann", label="LONG"),
        prodigy("ignore", "bob", label="LONG"),
        {"_input_hash": 5, "_task_hash": 6, "text": "no answer", "answer": "maybe"},
    ]
    path = written(tmp_path, "db.jsonl", lines)
    config = Config([Source()], labels("reject", "accept"))
    with pytest.raises(RatingsError, match=r"line 5 column answer \('maybe'\).*other than accept"):
        read(path, config)
    reading = read(path, config, drop_at_most=1)
    assert cells(reading) == {
        ("WARM", "1", "set-ann"): "accept",
        ("WARM", "1", "set-bob"): "reject",
        ("LONG", "1", "set-ann"): "reject",
    }


# --------------------------------------------------------------------------- Argilla
A, B, C = (f"0f0e8f6a-0000-4000-8000-00000000000{x}" for x in "abc")
RESPONSES = {
    "r1": [(A, "pos", "submitted"), (B, "pos", "submitted"), (C, "pos", "submitted")],
    "r2": [(C, "pos", "discarded"), (A, "neg", "submitted"), (B, "neg", "submitted")],
    "r3": [(B, "pos", "submitted"), (A, "neg", "submitted")],
    "r4": [(A, "neg", "submitted"), (B, "neg", "draft"), (C, "neg", "submitted")],
    "r5": [],
    "r6": [(C, "pos", "submitted"), (B, "neg", "submitted"), (A, "neg", "submitted")],
}


def argilla_flat():
    """Version 2, to_list(flatten=True): parallel lists in any order of users."""
    return [
        {
            "id": record,
            "text": "t",
            "label.suggestion": "pos",
            "label.suggestion.agent": "m",
            "label.responses": [value for _, value, _ in found] or None,
            "label.responses.users": [user for user, _, _ in found] or None,
            "label.responses.status": [status for _, _, status in found] or None,
        }
        for record, found in RESPONSES.items()
    ]


def argilla_one():
    """Version 1, to_argilla records."""
    return [
        {
            "id": record,
            "fields": {"text": "t"},
            "external_id": None,
            "responses": [
                {"user_id": u, "status": s, "values": {"label": {"value": v}}} for u, v, s in found
            ],
            "suggestions": [{"question_name": "label", "value": "pos"}],
        }
        for record, found in RESPONSES.items()
    ]


def argilla_one_flat():
    """Version 1, as a data set: a list of answers under the question."""
    return [
        {
            "id": record,
            "text": "t",
            "label": [{"user_id": u, "value": v, "status": s} for u, v, s in found],
            "label-suggestion": "pos",
        }
        for record, found in RESPONSES.items()
    ]


@pytest.mark.parametrize("records", [argilla_flat, argilla_one, argilla_one_flat])
def test_argilla_only_submitted_responses_are_ratings(tmp_path, records):
    """argilla #3274, #4396: only the first response kept, or everything under one item."""
    path = written(tmp_path, "records.json", records())
    assert detect(path) == "argilla"
    reading = read(path, Config([Source()], labels("neg", "pos")))
    assert reading.counts["ratings"] == 12
    assert sorted(reading.ratings["rater"].unique()) == [A, B, C]
    assert cells(reading)["label", "r2", A] == "neg"
    assert estimate(reading, "krippendorff_alpha_nominal", "label") == pytest.approx(
        0.371429, **SIX_DIGITS
    )
    assert left(reading) == {
        "discarded response": 1,
        "draft response": 1,
        "record without a response": 1,
        "suggestion of a model": 6,
    }


def test_argilla_two_as_json_says_nothing_of_the_status(tmp_path):
    records = [
        {
            "id": record,
            "fields": {"text": "t"},
            "metadata": {"source": "x"},
            "suggestions": {"label": {"value": "pos", "score": 0.9, "agent": "m"}},
            "responses": {
                "label": [{"value": v, "user_id": u} for u, v, s in found if s == "submitted"]
            },
            "vectors": {},
            "status": "completed",
        }
        for record, found in RESPONSES.items()
    ]  # fmt: skip
    path = written(tmp_path, "records.json", records)
    assert detect(path) == "argilla"
    reading = read(path, Config([Source(group="metadata.source")], labels("neg", "pos")))
    assert reading.counts["ratings"] == 12
    assert set(reading.ratings["group"]) == {"x"}
    assert any("12 responses say nothing of their status" in note for note in reading.notes)


# --------------------------------------------------------------------------- doccano
def test_files_of_people_are_joined_by_id(tmp_path):
    """inception #2219, doccano #1960, #2329: rows side by side give kappa 1 for no shared item."""
    told = {
        "a": {1: "POS", 2: "NEG", 3: "POS", 4: "NEG"},
        "b": {5: "POS", 6: "NEG", 7: "POS", 8: "NEG"},
        "c": {6: "NEG", 2: "NEG", 4: "POS", 3: "POS"},
    }
    paths = [
        written(
            tmp_path,
            f"annotator_{who}.jsonl",
            [{"id": i, "text": "t", "label": [v], "Comments": []} for i, v in said.items()],
        )
        for who, said in told.items()
    ]
    assert {detect(path) for path in paths} == {"doccano"}
    config = Config([Source(rater_from_file="annotator_{rater}.jsonl")], labels("POS", "NEG"))
    reading = read(paths, config)
    assert (reading.counts["raters"], reading.counts["items"], reading.counts["ratings"]) == (
        3,
        8,
        12,
    )
    assert estimate(reading, "krippendorff_alpha_nominal") == pytest.approx(0.533333, **SIX_DIGITS)
    pairs = pairwise(
        reading.ratings, reading.scale, ["cohen_kappa", "percent_agreement"], resamples=0
    )
    pairs = pairs.set_index(["rater_a", "rater_b", "statistic"])["estimate"]
    assert np.isnan(pairs["a", "b", "cohen_kappa"]) and np.isnan(pairs["b", "c", "cohen_kappa"])
    assert pairs["a", "c", "cohen_kappa"] == pytest.approx(0.4)
    assert pairs["a", "c", "percent_agreement"] == pytest.approx(2 / 3)
    text = "\n".join(reading.notes)
    assert "a and b share no item" in text
    assert "b and c share one item only" in text
    assert "4 of 8 items have ratings of two raters or more" in text


def test_doccano_spans_and_the_older_form(tmp_path):
    new = [{"id": 1, "text": "t", "label": [[0, 2, "PER"]]}, {"id": 2, "text": "t", "label": []},
           {"id": 3, "text": "t", "label": ["b", "a"]}]  # fmt: skip
    reading = read(
        written(tmp_path, "x.jsonl", new), Config([Source()], labels("a", "b", sets=True))
    )
    assert cells(reading) == {("all", "3", "x"): "a; b"}
    assert left(reading)["document without a label"] == 1
    told = [{"label": 3, "user": 1}, {"label": 4, "user": 2}]
    old = [{"id": 1, "text": "t", "annotations": told, "meta": {}}]
    config = Config([Source(rater="annotator")], labels("3", "4"))
    assert cells(read(written(tmp_path, "old.jsonl", old), config)) == {
        ("all", "1", "1"): "3",
        ("all", "1", "2"): "4",
    }


# --------------------------------------------------------------------------- WebAnno
WEBANNO = """#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Tone|value|strength
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value
#T_RL=webanno.custom.Rel|kind|BT_webanno.custom.Tone


#Text=Oh dear me
1-1\t0-2\tOh\tsad[1]\t2[1]\t_\t_\t_
1-2\t3-7\tdear\tsad[1]\t2[1]\tPER|LOC\t_\t_
1-3\t8-10\tme\t_\t_\t_\t_\t_
"""


def test_inception_tokens_are_items_and_features_dimensions(tmp_path):
    folder = tmp_path / "doc1.txt"
    folder.mkdir()
    path = written(folder, "ann.tsv", WEBANNO)
    other = written(folder, "bob.tsv", WEBANNO.replace("sad[1]\t2[1]\tPER", "_\t_\tPER"))
    assert detect(path) == "webanno"
    tone = labels("_", "sad")
    scales = {
        "Tone.value": tone,
        "Tone.strength": ScaleRules([1, 2, 3], missing=["_"]),
        "NamedEntity.value": labels("_", "PER", "LOC", sets=True),
    }
    reading = read([path, other], Config([Source()], scales=scales))
    found = cells(reading)
    assert found["Tone.value", "doc1.txt:1-2", "ann"] == "sad"
    assert found["Tone.value", "doc1.txt:1-2", "bob"] == "_"
    assert found["NamedEntity.value", "doc1.txt:1-2", "ann"] == "LOC; PER"
    assert reading.counts["items"] == 3
    assert left(reading)["relation or chain layer"] == 1
    bad = written(folder, "cut.tsv", WEBANNO + "1-4\t11\n")
    with pytest.raises(RatingsError, match="cut.tsv line 11 .*fewer columns than the layers"):
        read(bad, Config([Source()], scales=scales))


def test_inception_what_cannot_be_compared_by_token_is_no_rating(tmp_path):
    """A part of a token, and a label that is written like the sign for no annotation."""
    text = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Tone|value\n\n1-1\t0-2\tOh\t_\n"
    config = Config([Source()], labels("_", "sad"))
    part = written(tmp_path, "ann.tsv", text + "1-1.1\t0-1\tO\tsad\n")
    with pytest.raises(RatingsError, match="line 5 .*an annotation of a part of a token"):
        read(part, config)
    assert any("each token is an item" in note for note in read(part, config, 1).notes)
    escaped = written(tmp_path, "bob.tsv", text + "1-2\t3-4\tX\t\\_\n")
    with pytest.raises(RatingsError, match="line 5 .*not on the scale"):
        read(escaped, config)


# --------------------------------------------------------------------------- judges' logs
def batch(custom_id, content, finish="stop", status=200, **message):
    body = {
        "model": "model-1",
        "choices": [{"message": {"content": content} | message, "finish_reason": finish}],
    }
    response = {"status_code": status, "request_id": "x", "body": body}
    return {"id": "b", "custom_id": custom_id, "response": response, "error": None}


def test_an_openai_batch_with_refusals_and_failures(tmp_path):
    lines = [
        batch("c1|warmth", "Score: 4"),
        batch("c1|advice", '{"score": 2,}'),
        batch("c2|warmth", None, refusal="I will not rate this."),
        batch("c2|advice", "Score: 2 or 3"),
        batch("c3|warmth", [{"type": "text", "text": "Score: 5"}]),
        batch("c3|advice", "It is", finish="length"),
        {"custom_id": "c4|warmth", "response": None, "error": {"code": "batch_expired"}},
        batch("c4|advice", "x", status=500),
        {
            "custom_id": "c5|warmth",
            "error": None,
            "response": {
                "status_code": 200,
                "body": {
                    "model": "model-1",
                    "output": [
                        {"type": "reasoning", "summary": []},
                        {"type": "message", "content": [{"type": "output_text", "text": "1"}]},
                    ],
                },
            },
        },
    ]
    path = written(tmp_path, "out.jsonl", lines)
    assert detect(path) == "openai-batch"
    source = Source(
        split={"custom_id": "{item}|{dimension}"}, item="item", dimension="dimension", answers=True
    )
    reading = read(path, Config([source], FIVE), drop_at_most=2)
    found = cells(reading)
    assert found["warmth", "c1", "model-1"] == 4
    assert found["advice", "c1", "model-1"] == 2
    assert found["warmth", "c3", "model-1"] == 5
    assert found["warmth", "c5", "model-1"] == 1
    assert np.isnan(found["warmth", "c2", "model-1"])
    assert reading.counts["answers"] == {"parsed": 4, "refused": 1, "unreadable": 2}
    assert left(reading) == {"failed request (status none)": 1, "failed request (status 500)": 1}
    assert reading.problems["line"].tolist() == [4, 6]
    assert any(
        "1 answer cut off at the length limit; the first in line 6" in n for n in reading.notes
    )
    with pytest.raises(RatingsError, match="2 rows that cannot be read"):
        read(path, Config([source], FIVE))


def promptfoo_result(test, score, output, provider="openai:m"):
    def part(metric, value):
        return {
            "pass": value > 0.5,
            "score": value,
            "assertion": {"type": "llm-rubric", "metric": metric, "provider": "judge-1"},
        }

    return {
        "testIdx": test,
        "promptIdx": 0,
        "provider": {"id": provider, "label": ""},
        "vars": {"conv": f"c{test}", "text": "t"},
        "prompt": {"raw": "p", "label": "p"},
        "response": {"output": output},
        "success": True,
        "score": score,
        "gradingResult": {
            "pass": True,
            "score": score,
            "componentResults": [part("warm", score), part("clear", 1)],
        },
    }


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_promptfoo_as_graded_or_as_answered(tmp_path, name):
    results = [promptfoo_result(0, 0, "Score: 2"), promptfoo_result(1, 0.5, {"score": 4})]
    whole = results if name.endswith("l") else {
        "evalId": "e", "results": {"version": 3, "results": results, "stats": {}}, "config": {},
    }  # fmt: skip
    path = written(tmp_path, name, whole)
    assert detect(path) == "promptfoo"
    answered = read(path, Config([Source(item="vars.conv", answers=True)], FIVE))
    assert cells(answered) == {("all", "c0", "openai:m"): 2, ("all", "c1", "openai:m"): 4}
    graded = Source(item="vars.conv", rater="grader", dimension="metric", rating="score")
    graded = read(path, Config([graded], ScaleRules([0, 0.5, 1])))
    assert cells(graded) == {
        ("warm", "c0", "judge-1"): 0,
        ("clear", "c0", "judge-1"): 1,
        ("warm", "c1", "judge-1"): 0.5,
        ("clear", "c1", "judge-1"): 1,
    }


def inspect_log():
    def sample(id_, value, completion):
        return {
            "id": id_,
            "epoch": 1,
            "input": "q",
            "target": "a",
            "output": {"model": "m", "completion": completion},
            "scores": {
                "qa": {"value": value, "answer": "x"},
                "tone": {"value": {"warm": 3, "clear": 4}},
            },
            "metadata": {"source": "s"},
        }

    broken = {"id": 3, "epoch": 1, "error": {"message": "timeout"}, "scores": {}}
    samples = [sample(1, "C", "Score: 4"), sample("q2", "I", "Score: 1"), broken]
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "vendor/judge"},
        "plan": {},
        "samples": samples,
    }


def test_an_inspect_log_by_scorer_and_by_answer(tmp_path):
    path = written(tmp_path, "log.json", inspect_log())
    assert detect(path) == "inspect"
    source = Source(rater_is="judge", dimension="scorer")
    scales = {"qa": labels("I", "P", "C"), "tone.warm": FIVE, "tone.clear": FIVE}
    found = cells(read(path, Config([source], scales=scales)))
    assert found["qa", "1", "judge"] == "C" and found["tone.clear", "q2", "judge"] == 4
    answered = read(path, Config([Source(rater="model", rating="completion", answers=True)], FIVE))
    assert cells(answered) == {("all", "1", "vendor/judge"): 4, ("all", "q2", "vendor/judge"): 1}
    assert left(answered) == {"sample with an error": 1}


def test_an_inspect_archive(tmp_path):
    log = inspect_log()
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("header.json", json.dumps({k: v for k, v in log.items() if k != "samples"}))
        for sample in log["samples"]:
            parts.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    assert detect(path) == "inspect"
    answered = read(path, Config([Source(rater="model", rating="completion", answers=True)], FIVE))
    assert cells(answered) == {("all", "1", "vendor/judge"): 4, ("all", "q2", "vendor/judge"): 1}
    with pytest.raises(RatingsError, match="more than 10 bytes when unpacked"):
        load(path, Source(format="inspect"), None, Limits(document=10))


# --------------------------------------------------------------------------- surveys
def test_a_survey_with_three_header_rows_and_a_preview(tmp_path):
    """edsl #683, rio #101, QualtricsTools #36: header rows and previews become respondents."""
    answers = {
        "R_1": "5421", "R_2": "5521", "R_0": "1111", "R_3": "4412", "R_4": "5431", "R_5": "4521",
    }  # fmt: skip
    lines = ["Status,Finished,ResponseId,Q1_1,Q1_2,Q1_3,Q1_4"]
    lines.append(
        "Response Type,Finished,Response ID," + ",".join(f'"Rate it.\nAnswer {n}"' for n in "ABCD")
    )
    ids = ["status", "finished", "_recordId", "QID1_1", "QID1_2", "QID1_3", "QID1_4"]
    lines.append(",".join('"{""ImportId"": ""' + one + '""}"' for one in ids))
    for who, given in answers.items():
        status = "Survey Preview" if who == "R_0" else "IP Address"
        lines.append(",".join([status, "True", who, *given]))
    lines.append("IP Address,False,R_6,5,,,")
    path = written(tmp_path, "survey.csv", "\r\n".join(lines) + "\r\n")
    seen = inspect(path)
    source = seen.config.files[0]
    assert (source.header_rows, source.layout, source.rater) == (3, "wide-by-item", "ResponseId")
    assert source.columns == ("Q1_1", "Q1_2", "Q1_3", "Q1_4")
    assert source.leave_out == {"Status": ("Survey Preview",)}
    reading = read(path, seen.config)
    assert (reading.counts["raters"], reading.counts["items"], reading.counts["ratings"]) == (
        6,
        4,
        21,
    )
    assert estimate(reading, "krippendorff_alpha_ordinal") == pytest.approx(0.808673, **SIX_DIGITS)
    assert estimate(reading, "krippendorff_alpha_interval") == pytest.approx(0.880435, **SIX_DIGITS)
    assert left(reading) == {"extra header row": 2, "Status = Survey Preview": 1}
    assert any("1 unfinished response" in str(warning) for warning in seen.warnings)
    # The header rows end on line 7, for the questions have line breaks in them.
    assert reading.ratings["line"].min() == 8


def test_a_form_has_a_row_for_each_respondent(tmp_path):
    text = (
        "Timestamp,Email Address,How warm? [Reply 1],How warm? [Reply 2]\n"
        "2/1/2026 9:00:00,ann@example.org,4 - warm,2 - cool\n"
        "2/1/2026 9:05:00,bob@example.org,5 - very warm,2 - cool\n"
    )
    path = written(tmp_path, "form.csv", text)
    source = inspect(path).config.files[0]
    assert (source.layout, source.rater) == ("wide-by-item", "Email Address")
    recode = {"2 - cool": 2, "4 - warm": 4, "5 - very warm": 5}
    reading = read(path, Config([source], ScaleRules([1, 2, 3, 4, 5], recode=recode)))
    assert cells(reading)["all", "How warm? [Reply 1]", "bob@example.org"] == 5


# --------------------------------------------------------------------------- Excel, Parquet
def test_an_excel_sheet(tmp_path):
    path = tmp_path / "book.xlsx"
    frame = pd.DataFrame({"item": ["007", "8"], "ann": [4, None], "bob": ["3", 5.0]})
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"x": [1]}).to_excel(book, sheet_name="notes", index=False)
        frame.to_excel(book, sheet_name="ratings", index=False)
    assert detect(path) == "excel"
    source = Source(sheet="ratings", layout="wide-by-rater", item="item")
    reading = read(path, Config([source], FIVE))
    rows = reading.ratings.set_index(["item", "rater"])["rating"]
    assert rows["007", "ann"] == 4 and rows["007", "bob"] == 3 and rows["8", "bob"] == 5
    assert np.isnan(rows["8", "ann"])
    assert reading.ratings["line"].tolist() == [2, 2, 3, 3]
    with pytest.raises(RatingsError, match=r"the sheet 'other'.*\['notes', 'ratings'\]"):
        read(path, Config([Source(sheet="other", layout="wide-by-rater", item="item")], FIVE))


def workbook(path, sheets):
    """A workbook from the rows of its sheets."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


MERGED = [
    ["Reply", "ann", None, "bob", None, "Comment"],
    [None, "warm", "clear", "warm", "clear", None],
    ["001", 1, 2, 3, 4, None],
    ["002", 5, 4, 3, 2, "so so"],
    ["003", 2, None, 1, 1, None],
]


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_a_merged_header_is_joined_and_proposed(tmp_path, kind):
    """One row names the raters, the next one their dimensions; by hand: bob on 002 is 3 and 2."""
    if kind == "xlsx":
        path = workbook(tmp_path / "r.xlsx", {"Ratings": MERGED})
    else:
        lines = [",".join("" if one is None else str(one) for one in row) for row in MERGED]
        path = written(tmp_path, "r.csv", "\n".join(lines) + "\n")
    seen = inspect(path)
    assert any("two header rows" in one.message for one in seen.warnings)
    reading = read(path, seen.config)
    found = cells(reading)
    assert len(found) == 12 and reading.counts["missing"] == 1
    assert found["warm", "002", "bob"] == 3 and found["clear", "002", "bob"] == 2
    assert found["clear", "001", "ann"] == 2
    # Without the join nothing is taken for a rating that is none, and it is said.
    wide_ = Source(layout="wide-by-rater", item="Reply", columns=["ann", "bob"])
    with pytest.raises(RatingsError, match=r"line 2 column ann \('warm'\)"):
        read(path, Config([wide_], FIVE))
    notes = read(path, Config([wide_], FIVE), drop_at_most=2).notes
    assert any("2 columns without a name in the header, not read: number 3, 5" in n for n in notes)


def test_names_that_stand_twice_in_an_excel_header_are_numbered(tmp_path):
    rows = [["id", "score", "score"], ["x", 1, 2], ["y", 3, 4]]
    path = workbook(tmp_path / "r.xlsx", {"a": rows})
    columns = ["score (column 2)", "score (column 3)"]
    config = Config([Source(layout="wide-by-rater", item="id", columns=columns)], FIVE)
    reading = read(path, config)
    assert cells(reading)["all", "y", "score (column 3)"] == 4
    assert any("more than one column is called 'score'" in note for note in reading.notes)


def test_a_sheet_for_each_rater(tmp_path):
    def rows(first, second):
        return [["reply", "warm"], ["001", first], ["002", second]]

    sheets = {"ann": rows(1, 2), "bob": rows(2, 3), "README": [["Rate each reply"]]}
    path = workbook(tmp_path / "r.xlsx", sheets)
    seen = inspect(path)
    assert seen.config.files[0].sheets == ("ann", "bob")
    assert sum(one.code == "sheets" for one in seen.warnings) == 2
    reading = read(path, replace(seen.config, scale=FIVE))
    assert {key[1:]: value for key, value in cells(reading).items()} == {
        ("001", "ann"): 1, ("002", "ann"): 2, ("001", "bob"): 2, ("002", "bob"): 3,
    }  # fmt: skip
    long = Source(item="reply", rater="sheet", rating="warm", sheets=["*"])
    with pytest.raises(RatingsError, match="sheet 'README' without the column|without a single"):
        workbook(tmp_path / "r.xlsx", sheets | {"README": [["Rate"], ["each"]]})
        read(path, Config([long], FIVE))
    workbook(tmp_path / "r.xlsx", {"ann": rows(1, 2), "bob": rows(2, 9)})
    with pytest.raises(RatingsError, match=r"r.xlsx line 3 column bob!warm \('9'\)"):
        read(path, Config([long], FIVE))
    for source, message in [
        (replace(long, sheets=["cleo"]), "the sheet 'cleo' of"),
        (replace(long, sheets=["a*"], sheet=""), None),
    ]:
        if message:
            with pytest.raises(RatingsError, match=message):
                read(path, Config([source], FIVE))
        else:
            assert read(path, Config([source], FIVE)).counts["raters"] == 1
    with pytest.raises(RatingsError, match="sheet = 'ann' and sheets"):
        replace(long, sheet="ann")
    workbook(tmp_path / "r.xlsx", {"a": [["sheet", "reply", "warm"], ["x", "001", 1]]})
    with pytest.raises(RatingsError, match="a column called 'sheet'"):
        read(path, Config([long], FIVE))
    text = written(tmp_path, "r.csv", "reply,sheet,warm\n001,ann,1\n")
    with pytest.raises(RatingsError, match="sheets of an Excel workbook"):
        read(text, Config([long], FIVE))


def test_excel_dates_and_error_values_are_no_ratings(tmp_path):
    import datetime

    import openpyxl

    book = openpyxl.Workbook()
    rows = [
        ["item", "ann"],
        ["a", datetime.datetime(2026, 4, 3)],
        ["b", "#N/A"],
        ["c", 2],
        [None, None],
    ]
    for row in rows:
        book.active.append(row)
    path = tmp_path / "dates.xlsx"
    book.save(path)
    config = Config([Source(layout="wide-by-rater", item="item")], FIVE)
    reading = read(path, config, drop_at_most=2)
    assert reading.problems["line"].tolist() == [2, 3]
    assert "spreadsheets turn entries such as 3-4 into dates" in reading.problems["reason"][0]
    assert "an error value" in reading.problems["reason"][1]


def test_parquet_with_gaps_and_long_ids(tmp_path):
    frame = pd.DataFrame(
        {
            "item": ["12345678901234567890", "2", "2"],
            "rater": pd.Categorical(["ann", "ann", "bob"]),
            "rating": pd.array([4, None, 5], dtype="Int64"),
            "text": ["x", None, "y"],
        }
    )
    path = tmp_path / "ratings.parquet"
    frame.to_parquet(path)
    assert detect(path) == "parquet"
    reading = read(path, Config([Source(item="item", rater="rater", rating="rating")], FIVE))
    assert reading.ratings["item"].tolist() == frame["item"].tolist()
    assert reading.ratings["rating"].tolist()[::2] == [4, 5]
    assert reading.counts["missing"] == 1


@pytest.mark.parametrize(("module", "extra"), [("openpyxl", "excel"), ("pyarrow", "parquet")])
def test_a_missing_library_names_its_extra(tmp_path, monkeypatch, module, extra):
    path = tmp_path / "x"
    frame = pd.DataFrame({"item": ["a", "b"], "ann": [1, 2]})
    frame.to_excel(tmp_path / "x.xlsx") if extra == "excel" else frame.to_parquet(path)
    path = tmp_path / "x.xlsx" if extra == "excel" else path
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(RatingsError, match=rf'pip install "\.\[{extra}\]"'):
        load(path, Source(format=detect(path)))


# --------------------------------------------------------------------------- told apart
@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.txt", "item,ann\nx,1\n", "csv"),
        ("b.dat", '{"item": 1, "score": 2}\n{"item": 2, "score": 3}\n', "jsonl"),
        ("c.csv", '[{"item": 1, "score": 2}]', "json"),
        ("d.json", '{"data": [{"item": 1, "score": 2}]}', "json"),
        ("e.json", '{"item": 1, "score": 2}', "jsonl"),
        ("f.jsonl", '\ufeff{"item": 1,\n{"item": 2, "score": 3}\n', "jsonl"),
    ],
)
def test_formats_are_found_by_content_and_not_by_name(tmp_path, name, content, kind):
    assert detect(written(tmp_path, name, content)) == kind


def test_a_record_that_is_longer_than_what_is_looked_at(tmp_path):
    long = "x" * 200_000
    tasks = [
        {"id": 1, "data": {"text": long}, "annotations": [annotation(2, result("a", "rating", 3))]}
    ]
    assert detect(written(tmp_path, "a.json", tasks)) == "label-studio"
    lines = [{"text": long, "_input_hash": 1, "answer": "accept"}] * 2
    assert detect(written(tmp_path, "b.jsonl", lines)) == "prodigy"
    assert detect(written(tmp_path, "c.jsonl", [{"text": long, "score": 1}] * 2)) == "jsonl"


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel file.*save it as .xlsx"),
        (b"\x1f\x8b\x08", "gzip.*unpack it first"),
        (b"%PDF-1.7", "a PDF.*export the table"),
        (b"PK\x03\x04broken", "a damaged zip file"),
        (b"$FL2@(#) SPSS", "an SPSS file.*save it as CSV"),
        (b"<stata_dta><header>", "a Stata file.*export it as CSV"),
        (b"ARROW1\0\0", "an Arrow or Feather file.*Parquet or CSV"),
        (b"\x00\x01\x02\x03", "no text .it holds zero bytes.*utf-16-le"),
    ],
)
def test_other_kinds_of_files_are_named(tmp_path, start, message):
    path = tmp_path / "file"
    path.write_bytes(start)
    with pytest.raises(RatingsError, match=message):
        detect(path)


def test_a_zip_with_something_else(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("ratings.csv", "a,b\n")
    with pytest.raises(RatingsError, match=r"a zip file with \['ratings.csv'\]"):
        detect(path)
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("content.xml", "<office/>")
    with pytest.raises(RatingsError, match="an OpenDocument file.*save it as .xlsx"):
        detect(path)


def test_a_declared_format_goes_before_what_is_found(tmp_path):
    lines = [{"id": 1, "text": "t", "label": ["a"]}, {"id": 2, "text": "t", "label": ["b"]}]
    path = written(tmp_path, "x.jsonl", lines)
    assert detect(path) == "doccano"
    source = Source(format="jsonl", item="id", rating="label", rater_is="ann")
    assert cells(read(path, Config([source], labels("a", "b"))))["all", "2", "ann"] == "b"
    with pytest.raises(RatingsError, match="the format 'word'.*label-studio"):
        load(path, type("S", (), {"format": "word"}))
    with pytest.raises(RatingsError, match="no regular|without a span layer"):
        load(path, Source(format="webanno"))


def test_every_format_has_a_title_and_known_columns_are_roles():
    roles = {"item", "rater", "dimension", "rating"}
    for name, one in FORMATS.items():
        assert one.title and set(one.columns) <= roles, name


@pytest.mark.parametrize(
    ("encoding", "proposed"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("utf-16", "utf-16"), ("cp1252", "cp1252"),
     ("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be")],
)  # fmt: skip
def test_encodings_are_proposed_from_the_bytes(tmp_path, encoding, proposed):
    path = tmp_path / "x.csv"
    path.write_bytes("item,ann\nnaïve café,1\n".encode(encoding))
    name, doubt = propose_encoding(path)
    assert name == proposed
    assert bool(doubt) == (encoding in ("cp1252", "utf-16-le", "utf-16-be"))
