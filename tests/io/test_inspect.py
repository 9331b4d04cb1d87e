"""What is proposed for a file, and what is told of it.

Files as they come from surveys, spreadsheets, tools and models, each with known ratings: a first
user writes the proposal, changes the lines that the warnings name, and reads.
"""

import csv
import json
import random
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from helpers import refused
from rating_files import FIVE, cells, labels, wide, written

import raters
from raters import RatingsError
from raters.cli import main
from raters.io.config import Config
from raters.io.inspect import inspect, read_as_proposed
from raters.io.read import read

ITEMS = [f"{n + 1:03d}" for n in range(24)]


def rated(seed, noise=0.8, shift=0.0):
    """Ratings of all items from 1 to 5 that follow the same truth."""
    true = np.random.default_rng(7).normal(size=len(ITEMS))
    seen = 3 + 1.2 * true + shift + noise * np.random.default_rng(seed).normal(size=len(ITEMS))
    return np.clip(np.round(seen), 1, 5).astype(int).tolist()


def proposed(capsys, *files, **changes):
    """The written proposal with some lines changed, and the warnings by kind."""
    toml = Path("raters.toml")
    assert main(["inspect", *files, "--write", str(toml), "--quiet"]) == 0
    capsys.readouterr()
    text = toml.read_text(encoding="utf-8")
    for old, new in changes.values():
        assert old in text, text
        text = text.replace(old, new, 1)
    toml.write_text(text, encoding="utf-8")
    seen = raters.inspect(files)
    return Config.load(toml), [one.code for one in seen.warnings]


def found(reading):
    rows = reading.ratings.dropna(subset="rating")
    return dict(zip(zip(rows["dimension"], rows["item"], rows["rater"]), rows["rating"]))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_qualtrics_export_with_loops_and_zeros(capsys):
    people = [f"R_{name}" for name in "abcde"]
    loops = [f"{n + 1}_Q5_{k}" for n in range(8) for k in (1, 2)]
    first = ["StartDate", "Status", "Progress", "Finished", "ResponseId", *loops, "Q9"]
    wanted = {}
    with open("Survey+May.csv", "w", newline="", encoding="utf-8-sig") as file:
        rows = csv.writer(file)
        rows.writerow(first)
        asked = [f"Reply {name}:\nplease rate" for name in loops]
        rows.writerow(["Start Date", "Type", "Progress", "Finished", "ID", *asked, "Comments?"])
        rows.writerow([json.dumps({"ImportId": name}) for name in first])
        rng = random.Random(3)
        for person in ["R_test", *people]:
            cells = [rated(rng.randrange(99))[n] for n in range(8) for _ in (1, 2)]
            cells[rng.randrange(16)] = 0
            status = "Survey Preview" if person == "R_test" else "IP Address"
            said = "nice, but long" if person == "R_c" else ""
            rows.writerow(["2026-05-01", status, 100, person != "R_b", person, *cells, said])
            if person != "R_test":
                wanted |= {
                    (name[-1], name[0], person): cell for name, cell in zip(loops, cells) if cell
                }
    config, kinds = proposed(capsys, "Survey+May.csv", zero=("missing = []", "missing = [0]"))
    source = config.files[0]
    assert source.layout == "wide-by-name" and source.names == "{item}_Q5_{dimension}"
    assert source.rater == "ResponseId" and source.leave_out == {"Status": ("Survey Preview",)}
    assert {"header-rows", "previews", "zero"} <= set(kinds)
    reading = raters.read("Survey+May.csv", "raters.toml")
    assert found(reading) == wanted and reading.counts["missing"] == 5


def test_a_coding_sheet_with_a_title_merged_names_and_means(capsys):
    people = {"Ann": (rated(1), rated(2)), "Bob": (rated(3), rated(4))}
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Coding of project Kindness: do not sort"])
    sheet.append([])
    sheet.append(["Conversation", None, "Ann", None, "Bob", None, "Remarks"])
    sheet.append(["No.", "Topic", "warm", "clear", "warm", "clear", None])
    sheet.merge_cells("C3:D3")
    wanted = {}
    for n, item in enumerate(ITEMS):
        cells = [values[n] for pair in people.values() for values in pair]
        shown = ["n/a" if n == 4 and k == 0 else cell for k, cell in enumerate(cells)]
        sheet.append([item, ["job", "loss"][n % 2], *shown, "hm" if n == 6 else None])
        for rater, pair in people.items():
            for dimension, values in zip(("warm", "clear"), pair):
                wanted[dimension, item, rater] = values[n]
    del wanted["warm", "005", "Ann"]
    sheet.append(["Mean", None, 3.1, 3.2, 2.9, 3.0])
    book.save("coding.xlsx")
    config, kinds = proposed(
        capsys, "coding.xlsx",
        mean=("names = ", 'leave_out = {"Conversation_No." = ["Mean"]}\nnames = '),
    )  # fmt: skip
    source = config.files[0]
    assert (source.rows_before_header, source.header_rows, source.header_join) == (2, 2, "_")
    assert source.names == "{rater}_{dimension}" and source.item == "Conversation_No."
    assert source.columns == ("Ann_warm", "Ann_clear", "Bob_warm", "Bob_clear")
    assert {"header-rows", "totals", "off-scale"} <= set(kinds)
    assert found(raters.read("coding.xlsx", "raters.toml")) == wanted


def answers(scores):
    """What a model wrote, in four ways, and three answers without a score."""
    ways = [
        "<think>\nFirst I thought of a 2.\n</think>\n\nScore: {}",
        '```json\n{{"reasoning": "fine", "score": {},}}\n```',
        "**Rating:** {}/5\n\nThe reply names the feeling.",
        '{{"score": {}, "reason": "ok"}}',
    ]
    texts = [ways[n % 4].format(score) for n, score in enumerate(scores)]
    texts[3] = "I'm sorry, but I can't rate this conversation."
    texts[7] = "Somewhere between 3 and 4."
    texts[11] = ""
    return texts


def test_a_judges_answers_beside_the_experts(capsys):
    with open("experts.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["conversation_id", "annotator", "warmth"])
        for seed, name in enumerate(("ann", "bob", "cleo")):
            rows.writerows(zip(ITEMS, [name] * len(ITEMS), rated(seed)))
    scores = rated(9, shift=0.4)
    with open("answers.jsonl", "w") as file:
        for item, text in zip(ITEMS, answers(scores)):
            file.write(json.dumps({"conversation_id": item, "model": "m-1", "temperature": 0,
                                   "response": text}) + "\n")  # fmt: skip
    files = ["experts.csv", "answers.jsonl"]
    config, kinds = proposed(
        capsys, *files,
        drop=("drop_at_most = 0", "drop_at_most = 1"),
        groups=("# Who is", '[groups]\nexpert = ["ann", "bob", "cleo"]\njudge = ["m-1"]\n# '),
    )  # fmt: skip
    # One column of ratings is no dimension of its own: the answers have none either.
    assert [source.rating for source in config.files] == ["warmth", "response"]
    assert config.files[1].answers and "no-dimension" not in kinds
    assert "answers in free text of 'm-1'" in Path("raters.toml").read_text()
    reading = raters.read(files, "raters.toml")
    judge = {item: v for (_, item, rater), v in found(reading).items() if rater == "m-1"}
    lost = {ITEMS[n] for n in (3, 7, 11)}
    assert judge == {item: v for item, v in zip(ITEMS, scores) if item not in lost}
    assert reading.counts["answers"] == {
        "parsed": 21, "refused": 1, "unreadable": 1, "missing": 1,
    }  # fmt: skip
    assert main(["benchmark", *files, "--quiet", "--resamples", "100"]) == 0
    assert "m-1, reading single" in capsys.readouterr().out
    # Who the experts are is not guessed; what to write is said as an option.
    Path("raters.toml").unlink()
    quick = ["--scale", "1,2,3,4,5", "--drop-at-most", "1", "--judge", "m-1", "--quiet"]
    assert main(["benchmark", *files, *quick]) == 1
    assert "--reference ann --reference bob" in capsys.readouterr().err


def test_files_without_a_common_dimension_are_told(capsys):
    Path("experts.csv").write_text("item,rater,warm,clear\n" + "".join(
        f"{item},{name},{n % 5 + 1},{n % 3 + 1}\n"
        for n, item in enumerate(ITEMS) for name in ("ann", "bob")
    ))  # fmt: skip
    Path("judge.csv").write_text(
        "item,rater,rating\n" + "".join(f"{i},m,{n % 5 + 1}\n" for n, i in enumerate(ITEMS))
    )
    seen = raters.inspect(["experts.csv", "judge.csv"])
    (one,) = [one for one in seen.warnings if one.code == "no-dimension"]
    assert "'clear', 'warm'" in one.message and "dimension_is" in one.todo


def test_a_label_studio_project_with_skips_and_comments(capsys):
    wanted, tasks = {}, []
    kinds = ["advice", "comfort"]
    for n, item in enumerate(ITEMS):
        made = []
        for by, mail in ((11, "ann@example.org"), (12, "bob@example.org"), (13, "cleo@x.org")):
            if (n + by) % 9 == 0:
                continue
            skipped = (n + by) % 10 == 0
            stars, kind = rated(by)[n], kinds[(n * by) % 2]
            if not skipped:
                wanted["warmth", item, str(by)] = stars
                wanted["kind", item, str(by)] = kind
            result = [
                {"type": "rating", "from_name": "warmth", "value": {"rating": stars}},
                {"type": "choices", "from_name": "kind", "value": {"choices": [kind]}},
                {"type": "textarea", "from_name": "why", "value": {"text": ["hm"]}},
            ]
            who = {"id": by, "email": mail}
            result = [] if skipped else result
            made.append({"completed_by": who, "was_cancelled": skipped, "result": result})
        tasks.append({"id": 500 + n, "annotations": made, "drafts": [], "predictions": [],
                      "data": {"conv_id": item}})  # fmt: skip
    Path("project.json").write_text(json.dumps(tasks))
    item = ('item = "task"', 'item = "data.conv_id"')
    config, codes = proposed(capsys, "project.json", item=item)
    assert set(config.scales) == {"warmth", "kind"} and codes.count("left-out") == 2
    reading = raters.read("project.json", "raters.toml")
    assert found(reading) == wanted
    assert main(["agreement", "project.json", "--quiet", "--resamples", "50"]) == 0


def test_a_german_spreadsheet(capsys):
    wanted = {}
    with open("Auswertung März.csv", "w", encoding="cp1252", newline="") as file:
        file.write("Gespräch;Prüfer;Wärme;Verständnis;Anmerkung\r\n")
        for seed, name in enumerate(("Müller", "Schäfer", "Groß")):
            for n, item in enumerate(ITEMS):
                warm, clear = rated(seed)[n] - 0.5 * (n % 2), rated(seed + 5)[n]
                if warm < 1:
                    warm = 1
                wanted["Wärme", item, name] = warm
                wanted["Verständnis", item, name] = clear
                note = "sehr höflich" if n == 4 else ""
                decimal = f"{warm:g}".replace(".", ",")
                file.write(f"{item};{name};{decimal};{clear};{note}\r\n")
    config, codes = proposed(capsys, "Auswertung März.csv")
    source = config.files[0]
    assert (source.encoding, source.delimiter, source.decimal) == ("cp1252", ";", ",")
    assert (source.item, source.rater) == ("Gespräch", "Prüfer")
    assert source.columns == ("Wärme", "Verständnis") and codes == ["encoding"]
    assert found(raters.read("Auswertung März.csv", "raters.toml")) == wanted


def test_raters_and_items_are_found_without_known_names():
    text = "A;B;C\n" + "".join(
        f"{item};{name};{n % 5 + 1}\n"
        for name in ("x1", "x2", "x3")
        for n, item in enumerate(ITEMS)
    )
    Path("r.csv").write_text(text)
    source = raters.inspect("r.csv").config.files[0]
    assert (source.item, source.rater, source.rating) == ("A", "B", "C")


def test_many_values_off_the_scale_are_one_warning():
    Path("r.csv").write_text("item,rater,rating\n" + "".join(
        f"{item},{name},{n % 5 + 1 if n % 4 else 20 + n}\n"
        for name in ("ann", "bob") for n, item in enumerate(ITEMS)
    ))  # fmt: skip
    codes = [one.code for one in raters.inspect("r.csv").warnings]
    assert codes.count("off-scale") == 1


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        # Names that come again, as when merged cells were filled.
        ("reply,ann,ann,bob,bob\n,warm,clear,warm,clear\n", ("_", "{rater}_{dimension}")),
        # The words of a question below its name.
        ("reply,Q1,Q2,Q3,Q4\nid,How warm?,How clear?,How kind?,How apt?\n", ("", "")),
    ],
)
def test_a_second_header_row(header, expected):
    rows = "".join(f"{i},{n % 5 + 1},{n % 4 + 1},{n % 3 + 1},3\n" for n, i in enumerate(ITEMS))
    Path("r.csv").write_text(header + rows)
    seen = raters.inspect("r.csv")
    source = seen.config.files[0]
    assert (source.header_rows, source.header_join, source.names) == (2, *expected)
    reading = raters.read("r.csv", seen.config)
    assert reading.counts["ratings"] == 4 * len(ITEMS) and reading.counts["dropped"] == 0
    with pytest.raises(raters.RatingsError, match="two header rows or more to join"):
        raters.Source(header_join="_")


def test_a_first_item_that_nobody_rated_is_no_header():
    rows = "".join(f"{i},{n % 5 + 1},{n % 4 + 1}\n" for n, i in enumerate(ITEMS))
    for first in ("000,NA,NA", "000,n.d.,4", "000,,4"):
        Path("r.csv").write_text("reply,ann,bob,\n" + first + ",hm\n" + rows.replace("\n", ",\n"))
        assert raters.inspect("r.csv").config.files[0].header_rows == 1


def test_a_form_whose_levels_are_explained_and_a_last_remark():
    cells = ["1 (not at all)", "2", "3", "4", "5 (very)"]
    names = [f"How warm is this? [Reply {n}]" for n in range(8)]
    with open("form.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Timestamp", "Email Address", *names, "Anything else?"])
        for k, person in enumerate(["ann@x.org", "bob@x.org", "cleo@x.org"]):
            said = [cells[(n + k * (n % 2)) % 5] for n in range(8)]
            rows.writerow([f"2026/05/0{k + 1} 10:11:12", person, *said, "thanks" if k else ""])
    seen = raters.inspect("form.csv")
    assert seen.config.files[0].columns == tuple(names) and seen.config.files[0].header_rows == 1
    assert seen.config.scale.levels == (1, 2, 3, 4, 5)
    assert seen.config.scale.recode == {"1 (not at all)": 1, "5 (very)": 5}
    reading = raters.read("form.csv", seen.config)
    assert reading.counts["ratings"] == 24 and found(reading)["all", names[4], "ann@x.org"] == 5


def test_means_and_remarks_beside_the_raters_are_no_raters():
    lines = ["id,Ann,Bob,Cleo,mean,average score,agreed"]
    for n, item in enumerate(ITEMS):
        a, b, c = n % 5 + 1, (n + n // 7) % 5 + 1, (n + n // 5) % 5 + 1
        mean = (a + b + c) / 3
        lines.append(f"{item},{a},{b},{c},{mean:.2f},{mean:.1f},{'yes' if a == b == c else 'no'}")
    Path("wide.csv").write_text("\n".join(lines))
    seen = raters.inspect("wide.csv")
    assert seen.config.files[0].columns == ("Ann", "Bob", "Cleo")
    assert [one.code for one in seen.warnings] == ["columns"]
    assert "'mean', 'average score', 'agreed'" in seen.warnings[0].message


def test_ids_that_differ_only_in_zeros_are_told(capsys):
    """Nothing would be compared, and nothing would be wrong in either file."""
    Path("experts.csv").write_text("item,rater,score\n" + "".join(
        f"{item},{name},{n % 5 + 1}\n" for n, item in enumerate(ITEMS) for name in ("ann", "bob")
    ))  # fmt: skip
    with open("judge.jsonl", "w") as file:
        for n in range(len(ITEMS)):
            file.write(
                json.dumps({"id": n + 1, "model": "m", "output": f"Score: {n % 5 + 1}"}) + "\n"
            )
    files = ["experts.csv", "judge.jsonl"]
    said = " ".join(map(str, raters.inspect(files).warnings))
    assert "24 item ids are the same but for zeros, spaces or case, such as '001' and '1'" in said
    assert "without an item of the other files, such as '001', '002' in experts.csv" in said
    config = raters.inspect(files).config
    assert any("24 item ids are the same but" in note for note in raters.read(files, config).notes)
    # The same ids, or others altogether, are no reason for a warning on zeros.
    same = Path("experts.csv").read_text().replace("\n0", "\n").replace("\n0", "\n")
    Path("experts.csv").write_text(same)
    assert raters.inspect(files).warnings == ()


def test_raters_that_differ_in_case_are_told():
    Path("r.csv").write_text("item,rater,rating\n" + "".join(
        f"{item},{name},{n % 5 + 1}\n" for n, item in enumerate(ITEMS)
        for name in (("Ann" if n % 2 else "ann "), "bob")
    ))  # fmt: skip
    assert any("'ann' and 'Ann'" in one.message for one in raters.inspect("r.csv").warnings)


def wide_file(path, first, *names, extra=None):
    """Ratings of three raters, or as many as are named, a row for each item."""
    extra = extra or {}
    columns = {name: extra.get(name) or rated(n) for n, name in enumerate(names)}
    rows = zip(*columns.values())
    lines = [f"{item}," + ",".join(map(str, row)) for item, row in zip(ITEMS, rows)]
    Path(path).write_text("\n".join([",".join([first, *names]), *lines]) + "\n", encoding="utf-8")
    return raters.inspect(path)


def said_of(seen, code):
    return " ".join(str(one) for one in seen.warnings if one.code == code)


@pytest.mark.parametrize(
    ("first", "names"),
    [
        ("Kürzel", "Item{}"),
        ("id", "item_{}"),
        ("Name", "F{}"),
        ("Code", "Frage {}"),
        ("VP", "Aussage {}"),
    ],
)
def test_numbered_columns_of_a_form_are_its_items(first, names):
    columns = [names.format(n + 1) for n in range(9)]
    rows = [f"P{k}x," + ",".join(map(str, rated(k)[:9])) for k in range(5)]
    Path("form.csv").write_text("\n".join([",".join([first, *columns]), *rows]), encoding="utf-8")
    seen = raters.inspect("form.csv")
    source = seen.config.files[0]
    assert (source.layout, source.rater, source.item) == ("wide-by-item", first, "")
    assert source.columns == tuple(columns) and seen.warnings == ()
    assert found(raters.read("form.csv", seen.config))["all", columns[3], "P2x"] == rated(2)[3]


@pytest.mark.parametrize(("first", "stem"), [("label_of", "Q"), ("thing", "wert"), ("reply", "q")])
def test_numbered_columns_that_may_be_either_are_told(first, stem):
    seen = wide_file("r.csv", first, *(f"{stem}{n}" for n in range(1, 6)))
    told = said_of(seen, "layout")
    assert "wide-by-rater" in told and "wide-by-item" in told and f"'{stem}1'" in told


def test_numbered_raters_stay_raters_without_a_word():
    seen = wide_file("r.csv", "item", "rater1", "rater2", "rater3")
    source = seen.config.files[0]
    assert (source.layout, source.item, seen.warnings) == ("wide-by-rater", "item", ())
    assert source.columns == ("rater1", "rater2", "rater3")


def test_numbers_of_rows_ages_and_groups_are_no_raters():
    count, ages = list(range(1, 25)), [20 + n % 9 for n in range(24)]
    extra = {"running": count, "Alter": ages, "Gruppe": [n % 2 + 1 for n in range(24)],
             "minutes": ages}  # fmt: skip
    seen = wide_file("r.csv", "Text", "running", "Alter", "ann", "bob", "cem", "Gruppe", "minutes",
                extra=extra)  # fmt: skip
    assert seen.config.files[0].columns == ("ann", "bob", "cem")
    assert seen.config.scale.levels == (1, 2, 3, 4, 5)
    told = said_of(seen, "columns")
    assert "'Alter', 'Gruppe': called like" in told and "'minutes': numbers far" in told
    # The numbers of the rows name the items where they stand beside prose only.
    assert seen.config.files[0].item == "running"


def test_five_rows_with_their_numbers():
    Path("r.csv").write_text("Nr,Text,ann,bob\n" + "".join(
        f"{n},Reply no. {n},{n % 5 + 1},{6 - n}\n" for n in range(1, 6)
    ))  # fmt: skip
    source = raters.inspect("r.csv").config.files[0]
    assert (source.item, source.columns) == ("Nr", ("ann", "bob"))


@pytest.mark.parametrize(
    "name", ["Konsens", "consensus", "gold", "gold_label", "majority vote", "finalLabel", "final",
             "adjudicated", "reference", "truth", "mean", "Median", "average"],
)  # fmt: skip
def test_a_column_that_is_made_from_the_raters_is_none(name):
    seen = wide_file("r.csv", "item", "ann", "bob", "cem", name)
    assert seen.config.files[0].columns == ("ann", "bob", "cem")
    assert repr(name) in said_of(seen, "columns")


@pytest.mark.parametrize("name", ["Antwort", "answer", "response", "output", "text"])
def test_the_texts_that_were_rated_are_no_ratings(name):
    lines = [f"An answer with its own words no. {n},{a},{b},{c}"
             for n, (a, b, c) in enumerate(zip(rated(1), rated(2), rated(3)))]  # fmt: skip
    Path("r.csv").write_text("\n".join([f"{name},ann,bob,cem", *lines]))
    source = raters.inspect("r.csv").config.files[0]
    assert (source.layout, source.item, source.answers) == ("wide-by-rater", name, False)
    assert source.columns == ("ann", "bob", "cem")
    long = [f"{who},An answer no. {n},{a},{5 - a % 2}" for who, s in (("ann", 1), ("bob", 2))
            for n, a in enumerate(rated(s))]  # fmt: skip
    Path("long.csv").write_text("\n".join([f"rater,{name},warm,clear", *long]))
    source = raters.inspect("long.csv").config.files[0]
    assert (source.item, source.columns, source.answers) == (name, ("warm", "clear"), False)


def test_a_damaged_cell_leaves_ratings_ratings():
    lines = [f"{item},{who},{n % 7 + 1}" for n, item in enumerate(ITEMS) for who in ("ann", "bob")]
    lines[9] = lines[9][:-1] + "04. Mai"
    Path("r.csv").write_text("\n".join(["item,rater,rating", *lines]))
    seen = raters.inspect("r.csv")
    assert not seen.config.files[0].answers and seen.config.scale.levels == tuple(range(1, 8))
    assert "1 ratings are no numbers: '04. Mai' (first in line 11)" in said_of(seen, "off-scale")
    with pytest.raises(raters.RatingsError, match="line 11"):
        raters.read("r.csv", seen.config)


def experts(ids):
    rows = [f"{i},{who},{n % 5 + 1}\n" for n, i in enumerate(ids) for who in ("ann", "bob")]
    Path("experts.csv").write_text("item,rater,rating\n" + "".join(rows))


def test_the_position_of_a_test_is_no_id():
    experts(range(1, 25))
    results = [
        {"testIdx": n, "provider": {"id": "m"}, "vars": {"id": n + 1, "text": f"t{n}"},
         "response": {"output": f"Score: {n % 5 + 1}"}, "success": True, "score": 1}
        for n in range(24)
    ]  # fmt: skip
    Path("results.json").write_text(json.dumps({"results": {"version": 3, "results": results}}))
    seen = raters.inspect(["experts.csv", "results.json"])
    assert seen.config.files[1].item == "vars.id"
    assert "24 of its 24 ids occur in the other files, of those of 'test' 23" in said_of(
        seen, "ids"
    )
    for one in results:
        del one["vars"]["id"]
    Path("results.json").write_text(json.dumps({"results": {"version": 3, "results": results}}))
    seen = raters.inspect(["experts.csv", "results.json"])
    assert "is the position of a test, counted from 0, and no id" in said_of(seen, "ids")


def test_ids_that_stand_inside_others_are_told_with_their_pattern():
    experts(ITEMS)
    with open("batch.jsonl", "w") as file:
        for n, item in enumerate(ITEMS):
            said = [{"message": {"content": str(n % 5 + 1)}, "finish_reason": "stop"}]
            body = {"model": "m", "choices": said}
            line = {"custom_id": f"run-1|{item}", "response": {"status_code": 200, "body": body}}
            file.write(json.dumps(line) + "\n")
    seen = raters.inspect(["experts.csv", "batch.jsonl"])
    told = said_of(seen, "no-overlap")
    assert 'split = {"custom_id" = "run-1|{item}"}' in told
    split = 'split = {"custom_id" = "run-1|{item}"}\nitem = "item"'
    Path("raters.toml").write_text(seen.to_toml().replace('item = "custom_id"', split))
    reading = raters.read(["experts.csv", "batch.jsonl"], "raters.toml")
    assert reading.counts["items"] == 24 and reading.counts["raters"] == 3


def test_ids_in_two_unicode_forms_are_told():
    composed, apart = "Gr\u00f6\u00dfe", "Gro\u0308\u00dfe"
    rows = [f"{composed} {n},ann,{n % 5 + 1}\n" for n in range(9)]
    rows += [f"{apart if n < 2 else composed} {n},bob,{n % 5 + 1}\n" for n in range(9)]
    Path("r.csv").write_text("item,rater,rating\n" + "".join(rows), encoding="utf-8")
    told = said_of(raters.inspect("r.csv"), "alike-ids")
    assert r"such as 'Gr\xf6\xdfe 0' and 'Gro\u0308\xdfe 0'" in told


def test_some_ids_and_raters_that_are_written_otherwise_are_told():
    experts(range(1, 121))
    wide_file("other.csv", "item", "Ann", "cem")
    text = Path("other.csv").read_text().splitlines()
    lines = [f"{n:03d},{n % 5 + 1},{n % 5 + 1}" for n in range(1, 121)]
    Path("other.csv").write_text("\n".join([text[0], *lines]))
    told = said_of(raters.inspect(["experts.csv", "other.csv"]), "alike-ids")
    assert "99 item ids" in told and "'1' and '001'" in told and "'ann' and 'Ann'" in told


def test_files_on_two_scales_are_told_and_the_right_one_is_named():
    experts(ITEMS)
    scores = [f"{item},m,{'CI'[n % 2]}\n" for n, item in enumerate(ITEMS)]
    Path("judge.csv").write_text("item,rater,rating\n" + "".join(scores))
    seen = raters.inspect(["experts.csv", "judge.csv"])
    told = said_of(seen, "off-scale")
    assert "judge.csv: 24 ratings are no numbers" in told and "experts.csv: 24" not in told
    assert "numbers from 1 to 5 in experts.csv, but labels such as 'C', 'I' in judge.csv" in told
    scores = [f"{item},m,{10 * (n % 10)}\n" for n, item in enumerate(ITEMS)]
    Path("judge.csv").write_text("item,rater,rating\n" + "".join(scores))
    told = said_of(raters.inspect(["experts.csv", "judge.csv"]), "off-scale")
    assert "ratings up to 5 in experts.csv, but up to 90 in judge.csv" in told


def test_verdicts_on_pairs_are_proposed_as_such():
    rows = [{"item": item, "judge": "m", "verdict": "AB"[n % 2]} for n, item in enumerate(ITEMS)]
    Path("v.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "kind = 'pair'" in said_of(raters.inspect("v.jsonl"), "pairs")
    stood = [row | {"first": "old", "second": "new"} for row in rows]
    Path("v.jsonl").write_text("\n".join(map(json.dumps, stood)))
    config = raters.inspect("v.jsonl").config
    assert config.answers["kind"] == "pair" and config.scale.levels == ("new", "tie", "old")
    assert config.scale.measurement == "nominal"


def test_a_form_in_german_names_its_respondents():
    lines = [f"2026/05/0{k + 1},p{k}@x.org," + ",".join(map(str, rated(k)[:6])) for k in range(4)]
    names = ",".join(f"Wie warm? [{n}]" for n in range(6))
    Path("form.csv").write_text("\n".join([f"Zeitstempel,Nutzername,{names}", *lines]))
    source = raters.inspect("form.csv").config.files[0]
    assert (source.rater, len(source.columns)) == ("Nutzername", 6)


def test_a_judge_from_the_other_end_is_told_with_the_verdicts(capsys):
    seen = rated(1)
    rows = [f"{item},{who},{value}\n" for item, a, b in zip(ITEMS, seen, rated(2))
            for who, value in (("ann", a), ("bob", b), ("m", 6 - a))]  # fmt: skip
    Path("r.csv").write_text("item,rater,rating\n" + "".join(rows))
    given = ["--scale", "1,2,3,4,5", "--judge", "m", "--reference", "ann", "--reference", "bob"]
    assert main(["benchmark", "r.csv", *given, "--quiet", "--resamples", "50"]) == 0
    assert "m runs against all experts" in capsys.readouterr().out


def test_repeats_are_one_reason_and_a_missing_file_is_said_first(capsys):
    rows = [f"{item},ann,{n % 5 + 1}\n" for n, item in enumerate(ITEMS)]
    Path("r.csv").write_text("item,rater,rating\n" + "".join(rows * 2))
    with pytest.raises(raters.RatingsError) as caught:
        raters.read("r.csv", raters.inspect("r.csv").config)
    message = str(caught.value)
    assert message.count("a second rating") == 1 and "and 21 more" in message
    assert "duplicates = 'first'" in message
    assert main(["agreement", "nofile.csv"]) == 1
    told = capsys.readouterr().err
    assert "nofile.csv" in told and "without a declared scale" not in told


# ------------------------------------------------------------- tables that people typed
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


# --- ratings that are missing, and raters who look like ids --------------------------


@pytest.mark.parametrize("word", ["NA", "n/a", "-", ".", "*", "NULL", "None", "#N/A", "missing"])
@pytest.mark.parametrize("rows", [(1, 3), (0, 2, 4, 5, 6)])
def test_a_word_for_not_rated_loses_no_rater(capsys, word, rows):
    """The kind of a column is that of its ratings, even where most of them are missing."""
    ann, bob, cleo = (rated(seed)[:8] for seed in (1, 2, 3))
    seen = [word if n in rows else value for n, value in enumerate(bob)]
    frame = pd.DataFrame({"item": ITEMS[:8], "ann": ann, "bob": seen, "cleo": cleo})
    frame.to_csv("ratings.csv", index=False)
    config, codes = proposed(capsys, "ratings.csv")
    assert config.files[0].columns == ("ann", "bob", "cleo")
    assert list(config.scale.missing) == [word] and codes.count("missing-words") == 1
    ratings = found(read("ratings.csv", replace(config, scale=replace(FIVE, missing=[word]))))
    assert {rater for *_, rater in ratings} == {"ann", "bob", "cleo"}
    assert len(ratings) == 24 - len(rows)


@pytest.mark.parametrize("order", [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [2, 5, 1, 4, 3]])
def test_a_rater_who_gives_another_rating_to_each_item_is_no_id(capsys, order):
    frame = pd.DataFrame({"ann": [1, 3, 2, 5, 5], "bob": order, "cleo": [2, 2, 3, 4, 5]})
    frame.to_csv("ratings.csv", index=False)
    assert main(["agreement", "ratings.csv", "--scale", "1,2,3,4,5"]) != 0
    assert "the item is not declared" in capsys.readouterr().err


# --- what is never a rating --------------------------------------------------------


def batch(**more):
    """Results of a task that three workers did for six messages, as a crowd platform gives them."""
    rows = []
    for item in range(6):
        for worker in "ABC":
            rows.append(
                {
                    "HITId": f"H{item}", "Title": "Rate a message", "Reward": "$0.10",
                    "MaxAssignments": "3", "AssignmentId": f"S{item}{worker}",
                    "WorkerId": f"W{worker}", "AssignmentStatus": "Approved",
                    "AcceptTime": "Tue Mar 04 10:01:00 PST 2025", "WorkTimeInSeconds": 20 + item,
                    "LifetimeApprovalRate": "100% (20/20)", "Input.text": f"text number {item}",
                    **{name: of(item, worker) for name, of in more.items()},
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def warmth(item, worker):
    return (2 * item + ord(worker)) % 5 + 1


def test_of_a_crowd_platform_only_the_answers_are_ratings(tmp_path):
    path = tmp_path / "Batch_1.csv"
    frame = batch(**{"Answer.warmth": warmth, "Answer.clear": lambda i, w: "yn"[(i + ord(w)) % 2]})
    frame.loc[4, "AssignmentStatus"] = "Rejected"
    frame.to_csv(path, index=False)
    (source,) = inspect(path).config.files
    assert (source.layout, source.item, source.rater) == ("wide-by-dimension", "HITId", "WorkerId")
    assert source.columns == ("Answer.warmth", "Answer.clear")
    assert dict(source.leave_out) == {"AssignmentStatus": ("Rejected",)}


def test_answers_as_json_in_one_cell_are_refused_with_the_cure(tmp_path):
    path = tmp_path / "Batch_2.csv"
    packed = {"Answer.taskAnswers": lambda i, w: f'[{{"warmth": {warmth(i, w)}}}]'}
    batch(**packed).to_csv(path, index=False)
    refused(lambda: inspect(path), "'Answer.taskAnswers'", "JSON", "a column of its own")


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("created_at", [f"2025-03-{n:02d}T10:00:00Z" for n in range(1, 19)]),
        ("lead_time", [round(5.5 + n % 7, 1) for n in range(18)]),
        ("annotation_id", [*range(901, 919)]),
        ("page", [f"https://example.org/{n % 5}" for n in range(18)]),
        ("paid", [f"€ {n % 3},50" for n in range(18)]),
        ("startTime", [f"{n % 4 + 9}:30" for n in range(18)]),
        ("extra", [f'{{"quality": {n % 5}}}' for n in range(18)]),
        ("survey", ["first"] * 18),
        ("review", [f"this is what item {n // 3} said" for n in range(18)]),
    ],
)
def test_ids_times_money_addresses_and_texts_are_no_ratings(name, cells, tmp_path):
    frame = pd.DataFrame(
        {
            "item": [f"i{n // 3}" for n in range(18)], "rater": [*"abc"] * 6, name: cells,
            "warmth": [n % 5 + 1 for n in range(18)], "clarity": [n % 4 + 1 for n in range(18)],
        }
    )  # fmt: skip
    frame.to_csv(tmp_path / "r.csv", index=False)
    assert inspect(tmp_path / "r.csv").config.files[0].columns == ("warmth", "clarity")


@pytest.mark.parametrize("name", ["time_management", "status", "cost awareness", "id_like"])
def test_a_dimension_may_have_such_a_word_in_its_name(name, tmp_path):
    frame = pd.DataFrame(
        {
            "item": [f"i{n // 3}" for n in range(18)], "rater": [*"abc"] * 6,
            name: [n % 5 + 1 for n in range(18)], "clarity": [n % 4 + 1 for n in range(18)],
        }
    )  # fmt: skip
    frame.to_csv(tmp_path / "r.csv", index=False)
    assert inspect(tmp_path / "r.csv").config.files[0].columns == (name, "clarity")


def test_a_column_that_a_spreadsheet_turned_into_dates_is_refused_by_name(tmp_path):
    book = openpyxl.Workbook()
    rows = [["item", "ann", "bob"], ["a", datetime(2026, 4, 5), "0/5"], ["b", "0/5", "0/5"]]
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "r.xlsx")
    refused(lambda: inspect(tmp_path / "r.xlsx"), "'ann'", "2026-04-05", "to text")


def test_a_column_with_days_and_words_is_left_alone(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["item", "seen", "ann", "bob"])
    for n in range(6):
        day = "unknown" if n == 2 else datetime(2026, 4, n + 1)
        book.active.append([f"i{n}", day, n % 3 + 1, n % 2 + 1])
    book.save(tmp_path / "r.xlsx")
    assert inspect(tmp_path / "r.xlsx").config.files[0].columns == ("ann", "bob")


def test_days_in_a_workbook_are_no_ratings(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["item", "day", "ann", "bob"])
    for n in range(6):
        book.active.append([f"i{n}", datetime(2026, 4, n + 1), n % 3 + 1, n % 2 + 1])
    book.save(tmp_path / "r.xlsx")
    assert inspect(tmp_path / "r.xlsx").config.files[0].columns == ("ann", "bob")


def codes_of(seen):
    return {warning.code for warning in seen.warnings}


def test_counts_of_raters_by_category_are_named(tmp_path):
    frame = pd.DataFrame({"item": [*"abcdef"], "calm": [4, 0, 1, 2, 0, 3],
                          "angry": [0, 1, 3, 2, 0, 1], "sad": [0, 3, 0, 0, 4, 0]})  # fmt: skip
    frame.to_csv(tmp_path / "r.csv", index=False)
    seen = inspect(tmp_path / "r.csv")
    assert "counts" in codes_of(seen)
    assert "each row adds up to 4" in str(seen)
    frame.loc[0, "calm"] = 3
    frame.to_csv(tmp_path / "other.csv", index=False)
    assert "counts" not in codes_of(inspect(tmp_path / "other.csv"))


def test_a_file_without_names_of_columns_is_told(tmp_path):
    rows = [("x1", "ann", "yes"), ("x1", "bob", "no"), ("x2", "ann", "no"), ("x2", "bob", "yes")]
    (tmp_path / "r.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    seen = inspect(tmp_path / "r.csv")
    assert "looks like data" in str(seen)


def test_a_slider_called_judge_is_a_rater_s_column_and_names_nobody(tmp_path):
    rng = np.random.default_rng(1)
    values = rng.uniform(0, 100, (12, 2)).round(1)
    frame = pd.DataFrame({"pair": [f"p{n}" for n in range(12)], "expert": values[:, 0],
                          "judge": values[:, 1]})  # fmt: skip
    frame.to_csv(tmp_path / "r.csv", index=False)
    (source,) = inspect(tmp_path / "r.csv").config.files
    assert (source.layout, source.item) == ("wide-by-rater", "pair")
    assert source.columns == ("expert", "judge")
