"""Files as they come from surveys, spreadsheets, tools and models: what is proposed is right.

Each is made here with known ratings. A first user writes the proposal, changes the lines that
the warnings name, and reads.
"""

import csv
import json
import random
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import raters
from raters.cli import main
from raters.config import Config

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
        missing=("missing = []", 'missing = ["n/a"]'),
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
