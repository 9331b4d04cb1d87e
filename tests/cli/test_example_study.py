"""The example study, and the two pages of the book that walk through it: as printed, so it runs."""

import csv
import json
import re
import shlex
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import raters
from raters import RatingsError
from raters.cli import main
from raters.examples import FOLDER, copy_to
from raters.io.config import Config
from raters.io.inspect import inspect
from raters.io.read import read

BOOK = Path(__file__).parent.parent.parent / "book"
FILES = ["ratings.csv", "judge.jsonl"]


@pytest.fixture
def study(tmp_path, monkeypatch):
    copy_to(tmp_path / "study")
    monkeypatch.chdir(tmp_path / "study")
    return tmp_path / "study"


@pytest.fixture
def reading(study):
    return read(FILES, "raters.toml")


# ------------------------------------------------------------------------------- the study
def test_inspect_sees_the_deliberate_faults():
    seen = {one.code: one.message for one in inspect(FOLDER / "ratings.csv").warnings}
    assert set(seen) == {
        "bad-rows", "lost-digits", "off-scale", "missing-words", "duplicates", "zero", "backwards",
    }  # fmt: skip
    assert "'cleo'" in seen["backwards"] and "4.30188E+11" in seen["lost-digits"]


def test_the_proposal_as_it_is_stops_and_names_the_rows(study):
    seen = inspect("ratings.csv")
    with pytest.raises(RatingsError, match=r"line 15 column rating \('55'\)") as caught:
        read("ratings.csv", seen.config)
    assert {15, 27, 162} <= set(caught.value.problems["line"])


def test_as_declared_every_row_is_accounted_for(reading):
    assert reading.counts == {
        "files": 2, "items": 30, "raters": 4, "dimensions": 2, "ratings": 226, "missing": 7,
        "dropped": 5, "left_out": 3,
        "answers": {"missing": 1, "parsed": 55, "refused": 1, "unreadable": 3},
    }  # fmt: skip
    # 181 rows of people (with the second thought and the one with a comma), 60 answers.
    assert 181 + 60 == 226 + 7 + 5 + 3
    assert list(reading.problems["line"]) == [15, 162, 16, 28, 33]


def test_the_ratings_are_those_that_an_independent_reading_finds(reading):
    text = (FOLDER / "ratings.csv").read_text(encoding="utf-8-sig")
    wanted = {}
    for row in list(csv.reader(StringIO(text)))[1:]:
        item, rater, dimension, rating = row[:4]
        bad = len(row) > 5 or rating in ("55", "0", "n/a") or "E+" in item
        if not bad:
            value = float(rating)
            wanted[item, rater, dimension] = 6 - value if rater == "cleo" else value
    people = reading.ratings[(reading.ratings["group"] == "expert")].dropna(subset="rating")
    keys = zip(people["item"], people["rater"], people["dimension"])
    assert dict(zip(keys, people["rating"])) == wanted
    # The judge: what is marked as the score, by eye.
    judged = reading.ratings[reading.ratings["rater"] == "judge-1"].dropna(subset="rating")
    given = dict(zip(zip(judged["item"], judged["dimension"]), judged["rating"]))
    for line in (FOLDER / "judge.jsonl").read_text().splitlines():
        answer = json.loads(line)
        said = re.sub(r"<think>.*?</think>", "", answer["output"])
        found = re.search(r'Score: (\d)(?:/5)?$|"score": (\d)|^(\d)$', said)
        value = float(next(filter(None, found.groups()))) if found else None
        value = None if value == 6 else value
        assert given.get((answer["item"], answer["dimension"])) == value


def test_the_reversed_rater_was_the_trouble(reading):
    experts = reading.ratings[reading.ratings["group"] == "expert"]
    turned = experts.assign(
        rating=np.where(experts["rater"] == "cleo", 6 - experts["rating"], experts["rating"])
    )
    right, wrong = (
        raters.agreement(frame, reading.scale, resamples=0)["estimate"]
        for frame in (experts, turned)
    )
    assert (right > 0.7).all() and (wrong < 0.1).all()


def test_the_crowd_is_read_beside_the_others_and_changes_nothing_of_theirs(study, reading):
    whole = read([*FILES, "crowd.csv"], "raters.toml")
    groups = whole.ratings.groupby("group")["rater"].nunique()
    assert groups.to_dict() == {"crowd": 6, "expert": 3, "judge": 1}
    others = whole.ratings[whole.ratings["group"] != "crowd"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, reading.ratings)
    people = whole.ratings[whole.ratings["group"] == "crowd"]
    assert (people.groupby(["item", "dimension"])["rater"].nunique() == 4).all()
    assert not any("declared group" in note for note in reading.notes)


def test_the_example_is_not_copied_over_anything(study):
    with pytest.raises(RatingsError, match="study, which is there already"):
        copy_to(study)
    with pytest.raises(RatingsError, match="ratings.csv"):
        copy_to(study / "ratings.csv" / "below")


# ----------------------------------------------------------------------------- the pages
def blocks(name, kinds):
    text = (BOOK / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```({kinds})\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def same(printed, real):
    """The same lines; a line of three dots stands for any number of them."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()) + r"[ ]*\n"
        for line in printed.splitlines()
    )
    return re.fullmatch(pattern, real if real.endswith("\n") else real + "\n")


def test_the_walk_through_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    last = ""
    ran = 0
    for kind, text in blocks("bring-your-own", "console|python|text"):
        if kind == "python":
            exec(text, names)
            last = capsys.readouterr().out
        elif kind == "text":
            assert same(text, last), last
        else:
            for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
                if command.startswith("cd "):
                    monkeypatch.chdir(tmp_path / command[3:])
                    continue
                words = shlex.split(command)
                assert words[0] == "raters"
                code = main(words[1:])
                out, err = capsys.readouterr()
                assert code == (1 if printed.startswith("raters: Given") else 0), err
                if printed:
                    assert same(printed, out or err), out + err
            ran += 1
    assert ran >= 5 and (tmp_path / "study" / "report" / "index.html").is_file()


def label_studio():
    def one(by, value, **more):
        result = {"from_name": "quality", "type": "rating", "value": {"rating": value}}
        topic = {"from_name": "topic", "type": "choices", "value": {"choices": ["work"]}}
        return {"completed_by": by, "result": [result, topic], **more}

    return [
        {"id": n, "data": {"text": "t"}, "annotations": [one(1, a), one(2, b)], "predictions": []}
        for n, (a, b) in enumerate([(1, 2), (3, 3), (5, 4), (2, 2)])
    ]


def argilla():
    def answer(user, value):
        return {"user_id": user, "value": value, "status": "submitted"}

    return [
        {"id": f"r{n}", "fields": {"text": "t"},
         "responses": {"rating": [answer("ann", a), answer("bob", b)]}}
        for n, (a, b) in enumerate([(1, 2), (3, 3), (5, 4)])
    ]  # fmt: skip


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def prodigy():
    choices = [("helpful", "helpful"), ("helpful", "not helpful"), ("not helpful",) * 2]
    return lines(
        {"_input_hash": n, "_task_hash": n, "_annotator_id": who, "answer": "accept",
         "accept": [value], "_view_id": "choice"}
        for n, pair in enumerate(choices) for who, value in zip(("ann", "bob"), pair)
    )  # fmt: skip


def webanno(entity):
    return (
        "#FORMAT=WebAnno TSV 3.3\n"
        "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n\n"
        "#Text=Ann met Bob\n1-1\t0-3\tAnn\thttp://x\tPER\t\n1-2\t4-7\tmet\t_\t_\t\n"
        f"1-3\t8-11\tBob\t_\t{entity}\t\n"
    )


def judged(make):
    return [make(f"i{n}", score) for n, score in enumerate([1, 2, 3, 4, 5, 3])]


def batch(item, score):
    message = {"content": json.dumps({"score": score})}
    body = {"model": "gpt-x", "choices": [{"message": message, "finish_reason": "stop"}]}
    return {"custom_id": f"run-1|{item}", "response": {"status_code": 200, "body": body}}


def promptfoo(item, score):
    return {"testIdx": 0, "vars": {"id": item}, "provider": {"id": "openai:m"}, "success": True,
            "response": {"output": f"Score: {score}"}, "gradingResult": {"score": 1}}  # fmt: skip


def sample(item, score):
    return {"id": item, "epoch": 1, "output": {"completion": f"Score: {score}"}, "scores": {}}


EXPERTS = "item,rater,rating\n" + "".join(
    f"i{n},{who},{value}\n"
    for n, pair in enumerate([(1, 2), (2, 2), (3, 4), (4, 4), (5, 5), (2, 3)])
    for who, value in zip(("ann", "bob"), pair)
)
DOCCANO = [{"id": n, "text": "t", "label": [label]}
           for n, label in enumerate(["positive", "negative", "positive"])]  # fmt: skip
SURVEY = (
    "Status,ResponseId,Q1_1,Q1_2,Q1_3\n"
    'Response Type,Response ID,"How warm?\nfirst",second,third\n'
    '"{""ImportId"":""status""}","{""ImportId"":""_recordId""}",'
    '"{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}","{""ImportId"":""QID1_3""}"\n'
    "IP Address,R_1,1,3,5\nIP Address,R_2,2,3,4\nSurvey Preview,R_3,5,5,5\n"
)
VERDICTS = [
    {"item": "p1", "judge": "m", "first": "X", "second": "Y", "verdict": "[[A]]"},
    {"item": "p1", "judge": "m", "first": "Y", "second": "X", "verdict": "[[B]]"},
    {"item": "p2", "judge": "m", "first": "X", "second": "Y", "verdict": "[[A]]"},
    {"item": "p2", "judge": "m", "first": "Y", "second": "X", "verdict": "[[A]]"},
]
# Heading -> the files of its command, and what the output has to say.
TOOLS = {
    "Label Studio": ({"project.json": json.dumps(label_studio())}, "4 items by 2 raters"),
    "Prodigy": ({"ratings.jsonl": prodigy()}, "3 items by 2 raters"),
    "Argilla": ({"records.json": json.dumps(argilla())}, "3 items by 2 raters"),
    "doccano": (
        {"ann.jsonl": lines(DOCCANO), "bob.jsonl": lines(DOCCANO[::-1])}, "3 items by 2 raters",
    ),
    "INCEpTION and WebAnno": (
        {"doc1/ann.tsv": webanno("PER"), "doc1/bob.tsv": webanno("LOC")}, "3 items by 2 raters",
    ),
    "Google Forms": (
        {"form.csv": "Timestamp,Email Address,How warm is 1?,How warm is 2?,Comment\n"
         "1,ann@example.org,3,5 - very,x\n2,bob@example.org,4,2,\n"}, "2 items by 2 raters",
    ),
    "Qualtrics": ({"survey.csv": SURVEY}, "3 items by 2 raters"),
    "Excel, and CSV from a spreadsheet": ({"ratings.xlsx": {
        "ratings": {"reply": ["a", "b", "c"], "ann": [1, 2, 3], "bob": [1, 3, 3]},
    }}, "3 items by 2 raters"),
    "A workbook with a sheet for each rater": ({"raters.xlsx": {
        "ann": {"reply": ["a", "b", "c"], "warm": [1, 2, 3], "clear": [5, 4, 3]},
        "bob": {"reply": ["a", "b", "c"], "warm": [1, 3, 3], "clear": [5, 4, 2]},
        "README": {"Please rate every reply": []},
    }}, "12 ratings of 3 items by 2 raters on 2 dimensions"),
    "A header of two rows": (
        {"coding.csv": "Our study,,,,\n,ann,,bob,\nreply,warm,clear,warm,clear\n"
         "a,1,5,1,5\nb,2,4,3,n/a\nc,3,3,3,2\n"},
        "11 ratings of 3 items by 2 raters on 2 dimensions; 1 missing",
    ),
    "A file for each rater": (
        {"rater_ann.csv": "reply,score\na,1\nb,2\nc,3\n",
         "rater_bob.csv": "reply,score\nc,3\na,1\nb,3\n"}, "3 items by 2 raters",
    ),
    "OpenAI batch output": (
        {"ratings.csv": EXPERTS, "batch_output.jsonl": lines(judged(batch))}, "gpt-x, reading",
    ),
    "promptfoo": (
        {"ratings.csv": EXPERTS,
         "results.json": json.dumps({"evalId": "e", "results": {"results": judged(promptfoo)}})},
        "openai:m, reading",
    ),
    "Inspect": (
        {"ratings.csv": EXPERTS,
         "log.json": json.dumps({"eval": {"model": "openai/m", "task": "t"},
                                 "samples": judged(sample)})},
        "openai/m, reading",
    ),
    "Several labels for one item": (
        {"emotions.csv": "item,rater,labels\na,ann,joy; fear\na,bob,fear;joy\nb,ann,;\nb,bob,joy\n"
         "c,ann,anger\nc,bob,\nd,ann,joy\nd,bob,joy; anger\n"},
        "sets of labels count as equal only if they are identical",
    ),
    "A judge that compares two answers": ({"verdicts.jsonl": lines(VERDICTS)}, "settled.csv"),
}  # fmt: skip


def tools_of_the_page():
    text = (BOOK / "from-other-tools.md").read_text(encoding="utf-8")
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        toml = re.search(r"```toml\n(.*?)```", part, re.DOTALL)
        command = re.search(r"```console\n\$ (.*)\n```", part)
        if toml:
            found[part.splitlines()[0]] = (toml.group(1), command.group(1))
    return found


def test_every_tool_of_the_page_is_tried_here():
    assert set(tools_of_the_page()) == set(TOOLS)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_command_of_each_tool_works_with_its_toml(tool, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    toml, command = tools_of_the_page()[tool]
    Path("raters.toml").write_text(toml, encoding="utf-8")
    files, expected = TOOLS[tool]
    for name, content in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        if isinstance(content, dict):
            with pd.ExcelWriter(name) as book:
                for sheet, columns in content.items():
                    pd.DataFrame(columns).to_excel(book, sheet_name=sheet, index=False)
        else:
            Path(name).write_text(content, encoding="utf-8")
    Config.load("raters.toml")
    code = main(shlex.split(command)[1:])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert expected in out
    if tool == "A judge that compares two answers":
        settled = pd.read_csv("settled.csv")
        assert dict(zip(settled["item"], settled["rating"])) == {"p1": "X", "p2": "tie"}
