"""Exports of annotation tools: each becomes a table with a row for each answer of a person.

What is no rating (skipped tasks, drafts, predictions of a model) is counted by reason in
`left_out`, never turned into a row.

What each function takes is said at `raters.io.formats.Format`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from raters.errors import RatingsError
from raters.io.formats.base import FIELDS, Limits, Rows, Table, cell, encoding_of, text_lines
from raters.io.formats.json_files import OtherShape, each, flat, inside, listed
from raters.io.notes import Note

if TYPE_CHECKING:
    from raters.io.config import Source

SPANS = "label on a part of the text or image, which is no rating of the item"
RANKING = "ranking of several options, which is no rating of the item"
WRITTEN = "answer in free text"


def label_studio(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """Label Studio's JSON export: tasks with their annotations.

    The columns ``task, annotation, annotator, control, type, value`` and the task's ``data.*`` and
    ``meta.*``.

    Source: Label Studio documentation, "Label Studio JSON format of annotated tasks".
    ``was_cancelled`` marks a skip, whatever the annotation holds; ``completed_by`` is a
    number or an object with that number as ``id``; ``from_name`` names the control.
    """
    rows = Rows(needed, unit)
    each(rows, listed(path, source, limits, rows), lambda n, task: _task(rows, n, task))
    return _counted(rows)


def _task(rows, number, task):
    key = "completions" if "completions" in task else "annotations"
    if task.get(key) is None:
        raise OtherShape(key, None)
    # Predictions and drafts are lists of objects, or only counted or numbered.
    for kind, what in (("predictions", "prediction of a model"), ("drafts", "draft")):
        left = task.get(kind)
        rows.table.left_out[what] += len(left) if isinstance(left, list) else 0
    about = {k: v for k, v in flat(task).items() if k.startswith(("data.", "meta."))}
    for annotation in inside(task, key, list):
        _annotation(rows, number, task, annotation, about)


def _counted(rows):
    table = rows.done()
    table.left_out = +table.left_out
    return table


def _annotation(rows, number, task, annotation, about):
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        rows.table.left_out["skipped annotation"] += 1
        return
    results = inside(annotation, "result", list)
    if not results:
        rows.table.left_out["empty annotation"] += 1
    by = annotation.get("completed_by")
    by = by.get("id", by.get("email")) if isinstance(by, dict) else by
    for result in results:
        value = inside(result, "value")
        kind = str(result.get("type", ""))
        if "start" in value or kind.endswith("labels") or "x" in value:
            rows.table.left_out[SPANS] += 1
            continue
        if kind in ("ranker", "textarea"):
            rows.table.left_out[RANKING if kind == "ranker" else WRITTEN] += 1
            continue
        held = value.get(kind, value.get("selected"))
        answer = {
            "task": task.get("id"),
            "annotation": annotation.get("id"),
            "annotator": by,
            "control": result.get("from_name"),
            "type": kind,
            "value": _single(held),
        }
        rows.add(number, about | answer)


def _single(value):
    """A list with one entry that is no text as that entry; labels stay a list."""
    alone = isinstance(value, list) and len(value) == 1 and not isinstance(value[0], str)
    return value[0] if alone else value


def prodigy(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """Prodigy's JSONL (``db-out``): an example and one person's answer on each line.

    The columns ``input`` and ``task`` (the hashes), ``annotator, session, view, label, answer,
    value`` and what else the examples hold. `value` is what was chosen in a choice, otherwise
    ``accept`` or ``reject``. Ignored examples are left out, and so are choices that were rejected.

    Source: Prodigy documentation, "Annotation interfaces" (choice: ``options``, ``accept``)
    and "Database" (``_input_hash, _task_hash, _session_id, _annotator_id, answer``).
    """
    rows = Rows(needed, unit)
    each(rows, listed(path, source, limits, rows), lambda n, one: _example(rows, n, one))
    return _counted(rows)


def _example(rows, number, example):
    answer = example.get("answer")
    choice = isinstance(example.get("accept"), list)
    spans = "spans" in example
    if answer == "ignore":
        rows.table.left_out["ignored example"] += 1
    elif answer == "reject" and (choice or spans):
        rows.table.left_out["rejected example"] += 1
    elif answer not in ("accept", "reject"):
        reason = "an answer other than accept, reject, ignore"
        rows.problem(number, "answer", answer, "other-answer", reason)
    elif spans and not choice and "label" not in example:
        rows.table.left_out[SPANS] += 1
    else:
        told = {
            "input": example.get("_input_hash"),
            "task": example.get("_task_hash"),
            "annotator": example.get("_annotator_id", example.get("_session_id")),
            "session": example.get("_session_id"),
            "view": example.get("_view_id"),
            "label": example.get("label") or "choice",
            "answer": answer,
            "value": _single(example["accept"]) if choice else answer,
        }
        others = ("options", "spans", "tokens")
        rows.add(number, flat({k: v for k, v in example.items() if k not in others}) | told)


def argilla(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """Argilla records, versions 1 and 2: ``to_json``, ``to_list`` and the flat form.

    The columns ``record, user, question, value, status`` and the record's ``fields.*``,
    ``metadata.*`` and ``external_id``. Only submitted responses become rows. Rankings and labels
    on parts of a text are left out: they are no ratings of the item.

    Source: Argilla documentation, "Records" and "Import and export datasets". Version 2:
    ``responses`` is a dict from question to a list of ``{value, user_id}``; flat:
    parallel lists ``<question>.responses``, ``.responses.users``, ``.responses.status``.
    Version 1: ``responses`` is a list of ``{user_id, status, values}``, or a question holds
    a list of ``{user_id, value, status}``. Version 2 writes a ranking as a list of its
    options, as it writes several labels: a question is a ranking where all answers hold
    the same options in different orders.
    """
    rows = Rows(needed, unit)
    silent, asked = [], []
    each(
        rows,
        listed(path, source, limits, rows),
        lambda n, one: _argilla_record(rows, n, one, silent, asked),
    )
    _without_rankings(rows.table, asked)
    if silent:
        text = (
            f"{len(silent)} responses say nothing of their status: drafts and discarded ones, if "
            "there are any, cannot be told from submitted ones"
        )
        rows.table.notes.append(Note(text, "no-status"))
    return _counted(rows)


def _argilla_record(rows, number, record, silent, asked):
    about = {
        k: v
        for k, v in flat(record).items()
        if k.startswith(("fields.", "metadata.")) or k in ("external_id", "status")
    }
    about["record"] = record.get("id", record.get("external_id"))
    found = list(_argilla_responses(record))
    if not found:
        rows.table.left_out["record without a response"] += 1
    if _suggested(record):
        rows.table.left_out["suggestion of a model"] += 1
    for user, question, value, status in found:
        if status is None:
            silent.append(number)
        if status not in (None, "submitted"):
            rows.table.left_out[f"{status} response"] += 1
            continue
        inner = value[0] if isinstance(value, list) and value else None
        if isinstance(inner, dict):
            rows.table.left_out[RANKING if "rank" in inner else SPANS] += 1
            continue
        answer = {"user": user, "question": question, "value": _single(value), "status": status}
        rows.add(number, about | answer)
        asked.append((question, tuple(map(cell, value)) if isinstance(value, list) else None))


def _without_rankings(table, asked):
    """Take out questions whose answers are the same options in different orders."""
    orders: dict = {}
    for question, answer in asked:
        orders.setdefault(question, set()).add(answer)
    ranked = {
        question
        for question, answers in orders.items()
        if len(answers) > 1
        and None not in answers
        and len({frozenset(answer) for answer in answers}) == 1
    }
    if ranked:
        keep = [place for place, (question, _) in enumerate(asked) if question not in ranked]
        table.left_out[RANKING] += len(asked) - len(keep)
        table.lines[:] = [table.lines[place] for place in keep]
        for cells in table.columns.values():
            cells[:] = [cells[place] for place in keep]


def _suggested(record):
    return any(
        value not in (None, {}, [])
        for key, value in record.items()
        if key == "suggestions" or key.endswith((".suggestion", "-suggestion"))
    )


def _argilla_responses(record):
    """(user, question, value, status) of each response, whatever the version."""
    responses = record.get("responses")
    if isinstance(responses, dict):
        for question in responses:
            for answer in inside(responses, question, list):
                yield answer.get("user_id"), question, answer.get("value"), _status(answer)
    elif responses is not None:
        for response in inside(record, "responses", list):
            user, status = response.get("user_id"), _status(response)
            values = inside(response, "values")
            for question, answer in values.items():
                held = answer.get("value") if isinstance(answer, dict) else answer
                yield user, question, held, status
            if not values:
                yield user, None, None, "empty" if status == "submitted" else status
    else:
        yield from _argilla_flat(record)


def _status(answer):
    status = answer.get("status")
    return status if status is None or isinstance(status, str) else "unknown"


def _argilla_flat(record):
    for key, values in record.items():
        if not isinstance(values, list):
            continue
        if key.endswith(".responses"):
            users, states = record.get(f"{key}.users"), record.get(f"{key}.status")
            parallel = [column for column in (users, states) if column is not None]
            if any(not isinstance(c, list) or len(c) != len(values) for c in parallel):
                raise OtherShape(key, values)
            nobody = [None] * len(values)
            for user, value, status in zip(users or nobody, values, states or nobody):
                yield user, key.removesuffix(".responses"), value, _status({"status": status})
        elif values and all(isinstance(v, dict) and "user_id" in v for v in values):
            for answer in values:
                yield answer["user_id"], key, answer.get("value"), _status(answer)


def doccano(
    path: Path, source: Source, needed: Collection[str] | None, limits: Limits, unit: str
) -> Table:
    """doccano's JSONL: a document and its labels on each line.

    The person is the name of the file, unless the export says who it was.

    The columns ``id, annotator, label`` and what else the lines hold.

    Source: doccano documentation, "Export dataset". Labels are a list of names; in
    sequence labelling a list of ``[start, end, name]``; the older JSONL holds
    ``annotations`` with a ``user``.
    """
    rows = Rows(needed, unit)
    each(rows, listed(path, source, limits, rows), lambda n, one: _document(rows, n, one))
    return _counted(rows)


def _document(rows, number, record):
    told = ("label", "labels", "annotations")
    about = flat({k: v for k, v in record.items() if k not in told}) | {"id": record.get("id")}
    if record.get("annotations"):
        people: dict = {}
        for one in inside(record, "annotations", list):
            people.setdefault(cell(one.get("user")), []).append(one.get("label"))
    else:
        labels = record.get("label", record.get("labels"))
        labels = [labels] if isinstance(labels, str) else labels
        people = {cell(record.get("annotator", record.get("username"))): labels}
    for person, labels in people.items():
        if not labels:
            rows.table.left_out["document without a label"] += 1
        elif not isinstance(labels, list):
            raise OtherShape("label", labels)
        elif any(isinstance(label, (list, dict)) for label in labels):
            rows.table.left_out[SPANS] += 1
        else:
            rows.add(number, about | {"annotator": person, "label": _single(labels)})


_TOKEN = re.compile(r"\d+-\d+")
_PART_OF_TOKEN = re.compile(r"\d+-\d+\.\d+")


def webanno(path: Path, source: Source, needed: Collection[str] | None, limits: Limits) -> Table:
    """INCEpTION's and WebAnno's TSV 3: a row for each token and feature.

    The person is the name of the file.

    The columns ``unit`` (document, sentence and token), ``document, token, text, layer, feature,
    dimension, value``. A token without an annotation has the value ``_``.

    Source: WebAnno user guide, "Appendix B: WebAnno TSV 3.x file format". Exports hold a
    folder for each document with a file for each person: the document is the folder's name.
    Only span layers (``#T_SP``) are read; relations and chains are left out. A span of
    several tokens is as many items; annotations of a part of a token are problems, as the
    whole token says nothing of them.
    """
    rows = Rows(needed, "line")
    encoding = encoding_of(path, source.encoding)
    layers: list[tuple[str, list[str]]] = []
    other = 0
    document = path.resolve().parent.name
    for number, line in enumerate(text_lines(path, encoding, limits.line), 1):
        line = line.rstrip("\r\n")
        if line.startswith("#T_SP="):
            layer, *features = line[6:].split("|")
            layers.append((layer.rsplit(".", 1)[-1], [f for f in features if f] or ["span"]))
        elif line.startswith(("#T_RL=", "#T_CH=")):
            other += 1
        elif line and not line.startswith("#"):
            _token(rows, number, line, layers, document)
    if not layers:
        raise RatingsError(
            f"{path} without a span layer (#T_SP=...)",
            "WebAnno TSV 3 with at least one span layer",
            "export the annotations as WebAnno TSV 3",
        )
    if other:
        rows.table.left_out["relation or chain layer"] += other
    text = (
        "each token is an item: a span of several tokens counts as often, and which tokens "
        "belong to one span is not compared"
    )
    rows.table.notes.append(Note(text, "tokens"))
    return rows.done()


def _token(rows, number, line, layers, document):
    cells = line.split("\t")
    if _PART_OF_TOKEN.fullmatch(cells[0]):
        reason = "an annotation of a part of a token; only whole tokens can be compared"
        rows.problem(number, "", line, "part-of-token", reason)
        return
    if not _TOKEN.fullmatch(cells[0]):
        reason = "no token line: it does not start with sentence-token"
        rows.problem(number, "", line, "no-token", reason)
        return
    place = 3
    for layer, features in layers:
        for feature in features:
            if place >= len(cells):
                reason = "fewer columns than the layers in the header"
                rows.problem(number, feature, line, FIELDS, reason)
                return
            rows.add(
                number,
                {
                    "unit": f"{document}:{cells[0]}",
                    "document": document,
                    "token": cells[0],
                    "text": cells[2],
                    "layer": layer,
                    "feature": feature,
                    "dimension": f"{layer}.{feature}",
                    "value": _webanno_value(cells[place]),
                },
            )
            place += 1


def _webanno_value(text):
    """``PER[3]|LOC[4]`` as the set of its labels, without the numbers that join tokens."""
    labels = [re.sub(r"\[\d+\]$", "", part) for part in re.split(r"(?<!\\)\|", text)]
    # A label that is written as "\_" is not the sign for "no annotation".
    plain = [label.replace("\\", "") for label in labels]
    return [label if new in ("_", "*") else new for label, new in zip(labels, plain)]
