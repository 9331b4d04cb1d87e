"""A chart for a narrow screen: names above their rows, so that the plot has the whole width.

Works on the specification (Vega-Lite, as plain dictionaries), so that the picture and the
interactive chart get the same layout, whoever made the chart.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator

WIDTH = 290  # of a plot, in pixels: fits a telephone 360 pixels wide
LABEL_ROOM = 17  # a line of text above a row
TALL = 600  # pixels; a plot higher than this has its axis at the top, too
SHORT = 9  # letters; a column of names this short may stay at the left
_LETTER = 6.8  # mean width of a letter of 13 pixels
_PARTS = ("vconcat", "hconcat", "concat", "layer")


def narrow(spec: dict) -> dict:
    """The same chart for a narrow screen.

    Parameters
    ----------
    spec : dict
        A Vega-Lite specification; it is left as it is.

    Returns
    -------
    dict

    Examples
    --------
    >>> rows = [{"who": "a judge with a long name", "k": 0.5}, {"who": "b", "k": 0.25}]
    >>> spec = {"data": {"values": rows}, "mark": "point", "width": 400, "height": {"step": 20},
    ...         "encoding": {"x": {"field": "k", "type": "quantitative"},
    ...                      "y": {"field": "who", "type": "nominal"}}}
    >>> slim = narrow(spec)
    >>> slim["width"], slim["height"], slim["encoding"]["y"]["axis"]["labelAlign"]
    (290, {'step': 37, 'for': 'position'}, 'left')
    """
    slim = copy.deepcopy(spec)
    plots = list(_plots(slim, slim))
    # All or none: with one column of names at the left, every plot would start beside it.
    longest = max((len(name) for plot, rows in plots for name in _names(plot, rows)), default=0)
    for plot, rows in plots:
        if isinstance(plot.get("width"), int | float):
            plot["width"] = WIDTH if longest > SHORT else round(WIDTH - _LETTER * longest)
        _wrap_axis_title(plot)
        if longest > SHORT:
            _names_above(plot, rows)
            _axis_on_both_sides(plot, rows)
    _wrap_title(slim)
    legend = slim.setdefault("config", {}).setdefault("legend", {})
    legend["columns"] = _legend_columns(slim)
    axis = slim["config"].setdefault("axisX", {})
    # Flush with the plot's edge, the last label would come too near to its neighbour.
    axis.update(labelOverlap="greedy", labelSeparation=8, labelFlush=False)
    return slim


def used_columns(spec: dict) -> dict:
    """The same chart without the columns of its data that it never names.

    Parameters
    ----------
    spec : dict
        A Vega-Lite specification; it is left as it is.

    Returns
    -------
    dict
        What is not named anywhere in it, as a field or inside an expression, is gone
        from its ``datasets``.

    Examples
    --------
    >>> spec = {"datasets": {"d": [{"k": 1, "note": "x"}]}, "data": {"name": "d"},
    ...         "mark": "point", "encoding": {"x": {"field": "k", "type": "quantitative"}}}
    >>> used_columns(spec)["datasets"]
    {'d': [{'k': 1}]}
    """
    words = set(_words({key: value for key, value in spec.items() if key != "datasets"}))
    sets = {
        name: [{key: value for key, value in row.items() if str(key) in words} for row in rows]
        for name, rows in spec.get("datasets", {}).items()
    }
    return {**spec, "datasets": sets} if sets else dict(spec)


def _words(part) -> Iterator[str]:
    if isinstance(part, dict):
        for value in part.values():
            yield from _words(value)
    elif isinstance(part, list):
        for value in part:
            yield from _words(value)
    elif isinstance(part, str):
        yield part
        yield from re.findall(r"\w+", part)


def _plots(view, spec, data=None) -> Iterator[tuple[dict, list]]:
    """The drawings side by side or one below the other, each with its rows of data."""
    data = view.get("data", data)
    for key in ("vconcat", "hconcat", "concat"):
        if key in view:
            for part in view[key]:
                yield from _plots(part, spec, data)
            return
    if "spec" in view:
        yield from _plots(view["spec"], spec, data)
        return
    yield view, [row for source in _sources(view, data) for row in _rows(source, spec)]


def _sources(view, data) -> list:
    here = view.get("data", data)
    found = [source for part in view.get("layer", []) for source in _sources(part, here)]
    return found or ([here] if here else [])


def _rows(source, spec) -> list:
    rows = spec.get("datasets", {}).get(source.get("name"), source.get("values", []))
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _leaves(view) -> Iterator[dict]:
    if "layer" in view:
        for part in view["layer"]:
            yield from _leaves(part)
    else:
        yield view


def _rows_of_names(plot) -> list[dict]:
    """The encodings of a plot whose rows have names; none for a table of cells."""
    found = [leaf["encoding"] for leaf in _leaves(plot) if "y" in leaf.get("encoding", {})]
    found = [e for e in found if e["y"].get("type") in ("nominal", "ordinal")]
    if any(e.get("x", {}).get("type") in ("nominal", "ordinal") for e in found):
        return []
    return found


def _names(plot, rows) -> set[str]:
    fields = {e["y"].get("field") for e in _rows_of_names(plot)}
    return {str(row[f]) for row in rows for f in fields if row.get(f) is not None}


def _names_above(plot, rows) -> None:
    """Put the names of a plot's rows over them."""
    found = _rows_of_names(plot)
    if not found:
        return
    body = _row_height(plot, found, rows)
    for encoding in found:
        y = encoding["y"]
        share = LABEL_ROOM / (body + LABEL_ROOM)
        y["scale"] = {
            **(y.get("scale") or {}),
            "type": "band",
            "paddingInner": share,
            "paddingOuter": share,
        }
        if y.get("axis", True) is not None:
            y["axis"] = {
                **(y.get("axis") or {}),
                "labelAlign": "left",
                "labelBaseline": "middle",
                "labelPadding": -3,
                "labelOffset": -(body + LABEL_ROOM) / 2 + 1,
                "labelLimit": WIDTH - 6,
                "labelFontWeight": "bold",
                "minExtent": 0,
                "ticks": False,
                "domain": False,
                "grid": False,
                "zindex": 1,  # a name stands over a grey band, not under it
            }
    plot["height"] = {"step": body + LABEL_ROOM, "for": "position"}


def _axis_on_both_sides(plot, rows) -> None:
    """Repeat the axis of a tall plot at its top: the one at its foot is out of sight there."""
    leaves = [leaf for leaf in _leaves(plot) if "x" in leaf.get("encoding", {})]
    step = plot["height"].get("step", 0) if isinstance(plot.get("height"), dict) else 0
    if "layer" not in plot or not leaves or step * len(_names(plot, rows)) < TALL:
        return
    shown, *others = (leaf["encoding"]["x"] for leaf in leaves)
    above = {key: shown[key] for key in ("type", "title", "scale") if key in shown}
    above["axis"] = {**(shown.get("axis") or {}), "orient": "top", "grid": False}
    for x in others:
        x["axis"] = None
    # A layer without rows: it has no marks, only the axis.
    empty = {"data": {"values": []}, "mark": "tick", "encoding": {"x": {"field": "x", **above}}}
    plot["layer"].append(empty)
    resolve = plot.setdefault("resolve", {})
    resolve["axis"] = {**resolve.get("axis", {}), "x": "independent"}


def _row_height(plot, encodings, rows) -> float:
    """Height in pixels of one row of the chart as it is, without its name."""
    heights = [view["height"] for view in (plot, *_leaves(plot)) if "height" in view]
    height = heights[0] if heights else {"step": 20}
    if not isinstance(height, dict):
        field = encodings[0]["y"].get("field")
        return max(12.0, height / max(1, len({row.get(field) for row in rows})) - LABEL_ROOM)
    if height.get("for") != "offset":
        return height["step"]
    offsets = [e["yOffset"]["field"] for e in encodings if "field" in e.get("yOffset", {})]
    many = len({row[offsets[0]] for row in rows if offsets[0] in row}) if offsets else 1
    return height["step"] * max(1, many)


def _wrap_axis_title(plot):
    """A title wider than the plot would shrink the plot: it goes on in a next line."""
    for leaf in _leaves(plot):
        x = leaf.get("encoding", {}).get("x", {})
        for part in (x, x.get("axis") or {}):
            title = part.get("title")
            if isinstance(title, str) and len(title) * _LETTER > WIDTH:
                part["title"] = _wrapped(title, int(WIDTH / _LETTER))


def _wrap_title(spec) -> None:
    title = spec.get("title")
    if not title:
        return
    title = {"text": title} if isinstance(title, str) else title
    for part, size in (("text", title.get("fontSize", 15)), ("subtitle", 13)):
        if title.get(part):
            title[part] = _wrapped(title[part], int(WIDTH / (0.56 * size)))
    spec["title"] = {**title, "anchor": "start", "frame": "bounds"}


def _wrapped(text, letters) -> list[str]:
    lines = [""]
    for word in " ".join([text] if isinstance(text, str) else text).split():
        if lines[-1] and len(lines[-1]) + len(word) >= letters:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _legend_columns(spec) -> int:
    """How many names of the legend fit beside each other."""
    scales = [
        e[channel].get("scale") or {}
        for plot, _ in _plots(spec, spec)
        for leaf in _leaves(plot)
        for e in [leaf.get("encoding", {})]
        for channel in ("color", "shape")
        if isinstance(e.get(channel), dict)
    ]
    longest = max((len(str(n)) for s in scales for n in s.get("domain") or [] if n), default=12)
    return max(1, int((WIDTH + 40) // (_LETTER * longest + 34)))
