"""The charts: dots with intervals, bands, shares, scatter; one look for all.

Colours stand for groups and stay fixed (Okabe and Ito, 2008): blue experts, orange models
and judges, green crowds. What belongs to no group gets none of these. Members of a group
are shades of its colour; a shape is the second cue. Every chart has a title that asks, and
a description that answers: the description is what a screen reader says.
"""

from __future__ import annotations

import altair as alt
import pandas as pd

from raters.errors import RatingsError
from raters.show import tables as display

EXPERT, MODEL, CROWD, GREY = "#0072B2", "#D55E00", "#007A5E", "#5F6670"
SLATE, PLUM, OLIVE = "#3D4450", "#8F4A78", "#6B7A00"  # for what belongs to no group
# Name of a series -> colour of its group, shape.
SERIES = {
    "experts": (EXPERT, "circle"),
    "expert pairs": (EXPERT, "circle"),
    "experts 1 and 2": (EXPERT, "circle"),
    "experts 1 and 3": (EXPERT, "square"),
    "experts 2 and 3": (EXPERT, "triangle-up"),
    "experts and models": (MODEL, "diamond"),
    "experts and crowd": (CROWD, "square"),
    "models and crowd": (GREY, "cross"),
    "models": (MODEL, "diamond"),
    "Gemini": (MODEL, "diamond"),
    "GPT-4o": ("#7A3200", "triangle-up"),
    "Claude": ("#A84A00", "triangle-down"),
    "panel of three": (MODEL, "square"),
    "median of the three": (MODEL, "square"),
    "judge": (MODEL, "diamond"),
    "baseline": (GREY, "square"),
    "as rated": (SLATE, "circle"),
    "without the shift of level": (PLUM, "diamond"),
    "Expert 1": (EXPERT, "circle"),
    "three models": (MODEL, "diamond"),
    "GPT-4o and Claude": (MODEL, "triangle-up"),
    "with intercept": (GREY, "circle"),
    "without intercept": (GREY, "cross"),
    "crowd": (CROWD, "square"),
    "everybody": (GREY, "cross"),
}
# What a column `group` says, or a column of judges -> colour.
_GROUPS = {
    **dict.fromkeys(("expert", "experts"), EXPERT),
    **dict.fromkeys(("judge", "judges", "llm", "llms", "model", "models"), MODEL),
    **dict.fromkeys(("crowd", "crowds"), CROWD),
}
_NEUTRAL = (SLATE, PLUM, OLIVE, GREY)
_SHAPES = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross")
WIDTH = 340
_MOST_ROWS = 600
_LETTER = 6.6  # mean width of a letter of a label, in pixels


def use(stamp: str = "") -> None:
    """Prepare a notebook: the renderer for the book or for Jupyter, and the stamp.

    Parameters
    ----------
    stamp : str
        A sentence that every chart and table carries, such as that the ratings
        are simulated; "" for none.
    """
    from raters.show.renderer import enable

    enable()
    display.use(stamp)


def finish(chart: alt.TopLevelMixin, title: str, description: str) -> alt.TopLevelMixin:
    """Give a chart its title, its description and the common look.

    Parameters
    ----------
    chart : altair chart
        Anything Altair draws.
    title : str
        The question that the chart answers.
    description : str
        The finding in a sentence or two, with n: the alternative text.

    Returns
    -------
    altair chart

    Raises
    ------
    RatingsError
        The title or the description is empty.
    """
    if not title.strip() or not description.strip():
        raise RatingsError(
            f"a chart with title {title!r} and description {description!r}",
            "a question as title and the finding as description",
            "write both: the description is read aloud where the picture is not seen",
        )
    subtitle = [display.stamp()] if display.stamp() else []
    return (
        chart.properties(
            title=alt.TitleParams(
                title,
                subtitle=subtitle,
                subtitleColor="#A33B00",
                subtitleFontSize=13,
                anchor="start",
                frame="bounds",  # from the left edge, also where there are panels
                fontSize=15,
                offset=10,
            ),
            description=" ".join([description, *subtitle]),
        )
        .configure(background="white", font="sans-serif", padding=8)
        .configure_axis(labelFontSize=13, titleFontSize=13, labelLimit=230, gridColor="#E3E5E8")
        .configure_axisX(tickCount=6, labelOverlap=True, labelSeparation=6)
        .configure_legend(
            orient="top",
            title=None,
            labelFontSize=13,
            symbolSize=90,
            labelLimit=260,
            columns=7,
            direction="horizontal",
        )
        .configure_header(labelFontSize=13, titleFontSize=13)
        .configure_view(stroke="#C9CDD2")
    )


def show(chart: alt.TopLevelMixin, more: str = "") -> display.Markdown:
    """Show a chart, and its finding as the caption under it.

    Parameters
    ----------
    chart : altair chart
        From a function of this module.
    more : str
        Markdown to follow the finding.

    Returns
    -------
    Markdown
        The caption, to be the last line of a cell.
    """
    from IPython.display import display as show_now

    show_now(chart)
    return display.say(f"{chart.description} {more}")


def _lines(frame, column, **options):
    """The axis with one line for each name; as wide in every panel, so that they line up."""
    longest = max((len(str(name)) for name in frame[column]), default=0)
    return alt.Axis(minExtent=round(_LETTER * longest), **options)


def _styles(frame, series):
    """Colour and shape of each series, in order: by its name, by its group, or neutral.

    The group is what a column `group` says; a series in a column `judge` is a judge. Where
    all rows are of one group, its colour would tell nothing apart: the series are then
    something else, such as two kinds of interval.
    """
    names = list(dict.fromkeys(frame[series].astype(str)))
    groups = {}
    if "group" in frame and (series == "rater" or frame["group"].nunique() > 1):
        groups = dict(zip(frame[series].astype(str), frame["group"].astype(str)))
    looks = {name: SERIES[name] for name in names if name in SERIES}
    for name in names:
        if name not in looks:
            group = "judge" if series == "judge" else groups.get(name, name)
            own = _GROUPS.get(group.strip().lower())
            looks[name] = _unused([own] if own else _NEUTRAL, set(looks.values()))
    colours = alt.Scale(domain=names, range=[looks[name][0] for name in names])
    shapes = alt.Scale(domain=names, range=[looks[name][1] for name in names])
    return colours, shapes


def _unused(colours, taken):
    """The first look that nothing has yet: the next colour with the next shape."""
    for turn in range(len(_SHAPES)):
        for place, colour in enumerate(colours):
            look = (colour, _SHAPES[(place + turn) % len(_SHAPES)])
            if look not in taken:
                return look
    return colours[0], _SHAPES[0]


def _chosen(series):
    """A press on a name in the legend leaves the others pale: the selection, the opacity.

    The selection has to be on the first layer with a legend: Vega-Lite asks no other.
    """
    pick = alt.selection_point(fields=[series], bind="legend", name="picked")
    return pick, alt.condition(pick, alt.value(1), alt.value(0.12))


def _zero(x_title, scale, at=0.0, **look):
    """A line across the plot."""
    base = alt.Chart(pd.DataFrame({"at": [at]}))
    return base.mark_rule(color=GREY, **look).encode(x=alt.X("at:Q", title=x_title, scale=scale))


def _panels(frame, panel, draw):
    """One drawing, or one below the other with a heading each, on a shared x axis.

    `draw` takes the rows, and whether they are the first (it has the selection) and the
    last (its axis has the title).
    """
    if len(frame) > _MOST_ROWS:
        raise RatingsError(
            f"{len(frame)} rows for one chart",
            f"at most {_MOST_ROWS}",
            "aggregate first: every row lands in the page",
        )
    if panel is None:
        return draw(frame, True, True)
    found = list(frame.groupby(panel, sort=False))
    parts = [
        draw(part, place == 1, place == len(found)).properties(
            title=alt.TitleParams(str(name), fontSize=13, anchor="start")
        )
        for place, (name, part) in enumerate(found, start=1)
    ]
    return alt.vconcat(*parts, spacing=12).resolve_scale(x="shared", color="shared", shape="shared")


def _domain(frame, columns):
    """0 to 1, or as far as the values go and a little more: no mark on the frame."""
    values = pd.concat([frame[c] for c in columns if c in frame]).dropna()
    least, most = float(values.min()), float(values.max())
    pad = 0.03 * (max(1.0, most) - min(0.0, least))
    return [least - pad if least < 0 else 0.0, most + pad if most > 1 else 1.0]


def dots(
    frame: pd.DataFrame,
    title: str,
    description: str,
    y: str = "dimension",
    series: str = "series",
    x_title: str = "estimate",
    panel: str | None = None,
    domain: tuple[float, float] | None = None,
) -> alt.TopLevelMixin:
    """A dot for each estimate, with its interval as a bar where there is one.

    Parameters
    ----------
    frame : DataFrame
        Columns `y`, `series`, ``estimate`` and, for intervals, ``low, high``.
        Rows are drawn in their order.
    title, description : str
        See `finish`.
    y, series : str
        Columns for the lines of the chart, and for colour and shape.
    x_title : str
        What the axis measures.
    panel : str, optional
        A column; one panel for each of its values.
    domain : (float, float), optional
        The axis. Default: 0 to 1, wider where the values are.

    Returns
    -------
    altair chart
    """
    frame = frame.assign(**{series: frame[series].astype(str)})
    colours, shapes = _styles(frame, series)
    domain = list(domain or _domain(frame, ["estimate", "low", "high"]))
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    axis = _lines(frame, y, grid=True, tickBand="extent")

    def draw(part, first, last):
        base, step = _rows(part, y, series, axis, colours, frame)
        name = x_title if last else None
        point = base.mark_point(filled=True, size=75).encode(
            x=alt.X("estimate:Q", title=name, scale=scale),
            shape=alt.Shape(f"{series}:N", scale=shapes, sort=shapes.domain),
            tooltip=_tooltip(part, y, series, x_title),
        )
        layers = [point]
        if "low" in part and part["low"].notna().any():
            low = alt.X("low:Q", title=name, scale=scale)
            layers.insert(0, base.mark_rule(strokeWidth=2).encode(x=low, x2="high:Q"))
        if first and frame[series].nunique() > 1:
            layers[0] = layers[0].add_params(_chosen(series)[0])
        if domain[0] < 0 < domain[1]:
            layers.insert(0, _zero(name, scale))
        return alt.layer(*layers).properties(width=WIDTH, height=step)

    return finish(_panels(frame, panel, draw), title, description)


def _rows(part, y, series, axis, colours, frame):
    """What the marks of a chart with one line for each name share, and the lines' height.

    Where a line has several series, each gets a line of its own within it.
    """
    many = part.groupby(y, sort=False)[series].nunique().max() > 1
    more = {"yOffset": alt.YOffset(f"{series}:N", sort=colours.domain)} if many else {}
    if frame[series].nunique() > 1:
        more["opacity"] = _chosen(series)[1]
    base = alt.Chart(part).encode(
        y=alt.Y(f"{y}:N", sort=list(dict.fromkeys(part[y])), title=None, axis=axis),
        color=alt.Color(f"{series}:N", scale=colours, sort=colours.domain),
        **more,
    )
    return base, alt.Step(14, **{"for": "offset"}) if many else alt.Step(24)


def _tooltip(part, y, series, x_title):
    tips = [
        alt.Tooltip(f"{y}:N", title="dimension" if y == "dimension" else y),
        alt.Tooltip(f"{series}:N", title="who"),
        alt.Tooltip("estimate:Q", title=x_title, format=".2f"),
    ]
    if "low" in part and part["low"].notna().any():
        tips += [alt.Tooltip(f"{c}:Q", title=c, format=".2f") for c in ("low", "high")]
    return tips


def bands(
    frame: pd.DataFrame,
    points: pd.DataFrame,
    title: str,
    description: str,
    x_title: str,
    band_name: str,
    panel: str | None = None,
) -> alt.TopLevelMixin:
    """A grey range for each line, and points to compare with it.

    Parameters
    ----------
    frame : DataFrame
        Columns ``dimension, low, high, estimate``: the range, drawn as a grey bar, and its
        mean, drawn as a blue tick. The legend names both.
    points : DataFrame
        Columns ``dimension, series, estimate``.
    title, description : str
        See `finish`.
    x_title, band_name : str
        What the axis measures; what the grey range is.
    panel : str, optional
        A column of both frames; one panel for each of its values.

    Returns
    -------
    altair chart
    """
    colours, shapes = _styles(points, "series")
    names = list(colours.domain)
    # The range and its middle have their places in the legend, after the series.
    keys = {
        f"{band_name}: range": ("#D5D9DE", "square"),
        f"{band_name}: mean": (EXPERT, "M-.45,-1H.45V1H-.45Z"),  # an upright tick
    }
    for scale, place in ((colours, 0), (shapes, 1)):
        scale.domain = [*names, *keys]
        scale.range = [*scale.range, *(look[place] for look in keys.values())]
    domain = _domain(pd.concat([frame, points]), ["estimate", "low", "high"])
    axis = _lines(frame, "dimension", grid=True, tickBand="extent")
    # One below the other in a line, so that no mark hides another.
    height = max(24, 8 * len(names) + 4)
    several = len(names) > 1
    band_tips = [
        alt.Tooltip("dimension:N"),
        *[
            alt.Tooltip(f"{c}:Q", title=f"{band_name}, {name}", format=".2f")
            for c, name in (("low", "lowest"), ("estimate", "mean"), ("high", "highest"))
        ],
    ]

    def draw(part, first, last):
        here = points[points["dimension"].isin(part["dimension"])]
        if panel is not None:
            here = here[here[panel] == part[panel].iloc[0]]
        y = alt.Y("dimension:N", sort=list(part["dimension"]), title=None, axis=axis)
        x = {"title": x_title if last else None, "scale": alt.Scale(domain=domain, nice=False)}
        base = alt.Chart(part).encode(y=y, tooltip=band_tips)
        band = base.mark_bar(color="#D5D9DE", height=height - 8).encode(
            x=alt.X("low:Q", **x), x2="high:Q"
        )
        middle = base.mark_tick(color=EXPERT, thickness=3, size=height - 8).encode(x="estimate:Q")
        marks = (
            alt.Chart(here)
            .mark_point(filled=True, size=90, stroke="white", strokeWidth=0.8)
            .encode(
                y=y,
                x=alt.X("estimate:Q", **x),
                color=alt.Color("series:N", scale=colours, sort=colours.domain),
                shape=alt.Shape("series:N", scale=shapes, sort=shapes.domain),
                tooltip=_tooltip(here, "dimension", "series", x_title),
                **({"yOffset": alt.YOffset("series:N", sort=names)} if several else {}),
                **({"opacity": _chosen("series")[1]} if several else {}),
            )
        )
        if first and several:
            marks = marks.add_params(_chosen("series")[0])
        step = alt.Step(height, **{"for": "position"})
        return alt.layer(band, middle, marks).properties(width=WIDTH, height=step)

    chart = finish(_panels(frame, panel, draw), title, description)
    chart.config.legend.columns = 4  # its long names would make one row too wide
    return chart


def strips(
    frame: pd.DataFrame,
    title: str,
    description: str,
    x_title: str,
    label: str = "dimension",
    panel: str | None = None,
) -> alt.TopLevelMixin:
    """All estimates of a series on one line, with a tick at their mean.

    Equal estimates are one dot: its area grows with their number, which the tooltip says.

    Parameters
    ----------
    frame : DataFrame
        Columns ``series``, ``estimate`` and `label`.
    title, description : str
        See `finish`.
    x_title : str
        What the axis measures.
    label : str
        A column that names a dot.
    panel : str, optional
        A column; one panel for each of its values.

    Returns
    -------
    altair chart
    """
    colours, shapes = _styles(frame, "series")
    scale = alt.Scale(domain=_domain(frame, ["estimate"]), nice=False)
    axis = _lines(frame, "series")
    by = ["series"] if panel is None else [panel, "series"]
    means = frame.groupby(by, sort=False, as_index=False)["estimate"].mean()
    dots = _equal_as_one(frame, [*by, "estimate"], label)
    most = int(dots["count"].max())
    says = f"{x_title} (tick: mean{'; size: how many' if most > 1 else ''})"
    # Every one adds the same area; one alone is still seen, many are no higher than the row.
    areas = alt.Scale(domain=[0, most], range=[20, 20 + min(40 * most, 330)])

    def draw(part, _first, last):
        here = means if panel is None else means[means[panel] == part[panel].iloc[0]]
        x = alt.X("estimate:Q", title=says if last else None, scale=scale)
        y = alt.Y("series:N", sort=colours.domain, title=None, axis=axis)
        points = alt.Chart(part).mark_point(filled=True, opacity=0.6)
        points = points.encode(
            x=x,
            y=y,
            color=alt.Color("series:N", scale=colours, sort=colours.domain, legend=None),
            shape=alt.Shape("series:N", scale=shapes, sort=shapes.domain, legend=None),
            size=alt.Size("count:Q", scale=areas, legend=None),
            tooltip=[
                *_tooltip(part, label, "series", x_title),
                alt.Tooltip("count:Q", title="how many"),
            ],
        )
        tick = {"thickness": 3, "size": 24, "color": "black", "opacity": 1}  # seen on the dots
        ticks = alt.Chart(here).mark_tick(**tick).encode(x=x, y=y)
        return alt.layer(points, ticks).properties(width=WIDTH, height=alt.Step(28))

    return finish(_panels(dots, panel, draw), title, description)


def _equal_as_one(frame, by, label):
    """One row for all rows that are equal in `by`, with their number and their labels."""

    def names(labels):
        found = list(dict.fromkeys(labels.astype(str)))
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        return ", ".join(found[:3]) + more

    rounded = frame.dropna(subset="estimate").assign(estimate=lambda f: f["estimate"].round(9))
    groups = rounded.groupby(by, sort=False, as_index=False)
    return groups.agg(count=("estimate", "size"), **{label: (label, names)})


def shares(
    frame: pd.DataFrame, title: str, description: str, levels: list[str], panel: str = "dimension"
) -> alt.TopLevelMixin:
    """How often each rater uses each level: one stacked row a rater.

    Parameters
    ----------
    frame : DataFrame
        Columns ``rater, level, share`` and `panel`; levels as text.
    title, description : str
        See `finish`.
    levels : list of str
        The levels, lowest first.
    panel : str
        A column; one panel for each of its values.

    Returns
    -------
    altair chart
    """
    order = list(dict.fromkeys(frame["rater"]))
    place = {level: i for i, level in enumerate(levels)}
    frame = frame.assign(place=frame["level"].map(place))
    axis = _lines(frame, "rater")

    def draw(part, _first, last):
        return (
            alt.Chart(part)
            .mark_bar(stroke="white", strokeWidth=0.6)
            .encode(
                y=alt.Y("rater:N", sort=order, title=None, axis=axis),
                x=alt.X(
                    "share:Q",
                    stack="zero",
                    title="share of items" if last else None,
                    scale=alt.Scale(domain=[0, 1], nice=False),
                    axis=alt.Axis(format=".0%"),
                ),
                color=alt.Color(
                    "level:O", sort=levels, scale=alt.Scale(domain=levels, scheme="viridis")
                ),
                order="place:Q",
                tooltip=["rater:N", "level:O", alt.Tooltip("share:Q", format=".0%")],
            )
            .properties(width=WIDTH, height=alt.Step(17))
        )

    return finish(_panels(frame, panel, draw), title, description)


def scatter(
    frame: pd.DataFrame,
    title: str,
    description: str,
    x: str,
    y: str,
    series: str = "series",
    label: str = "dimension",
    diagonal: bool = False,
) -> alt.TopLevelMixin:
    """Two measures against each other, one point a row.

    Parameters
    ----------
    frame : DataFrame
        Columns `x`, `y`, `series`, `label`. The column names are the axis titles.
    title, description : str
        See `finish`.
    x, y, series, label : str
        Columns.
    diagonal : bool
        Draw the line on which both are equal.

    Returns
    -------
    altair chart
    """
    colours, shapes = _styles(frame, series)
    frame = frame.rename(columns={x: "x", y: "y"})
    several = len(colours.domain) > 1
    x_domain, y_domain = _domain(frame, ["x"]), _domain(frame, ["y"])

    def draw(part, _first, _last):
        marks = (
            alt.Chart(part)
            .mark_point(filled=True, size=75, stroke="white", strokeWidth=0.8)
            .encode(
                x=alt.X("x:Q", title=x, scale=alt.Scale(domain=x_domain, nice=False)),
                y=alt.Y("y:Q", title=y, scale=alt.Scale(domain=y_domain, nice=False)),
                color=alt.Color(f"{series}:N", scale=colours, sort=colours.domain),
                shape=alt.Shape(f"{series}:N", scale=shapes, sort=shapes.domain),
                tooltip=[
                    alt.Tooltip(f"{label}:N"),
                    alt.Tooltip(f"{series}:N", title="who"),
                    alt.Tooltip("x:Q", title=x, format=".2f"),
                    alt.Tooltip("y:Q", title=y, format=".2f"),
                ],
                **({"opacity": _chosen(series)[1]} if several else {}),
            )
            .properties(width=WIDTH + 60, height=WIDTH)
        )
        if several:
            marks = marks.add_params(_chosen(series)[0])
        if not diagonal:
            return marks
        low, high = max(x_domain[0], y_domain[0]), min(x_domain[1], y_domain[1])
        line = (
            alt.Chart(pd.DataFrame({"x": [low, high], "y": [low, high]}))
            .mark_line(color=GREY, strokeDash=[4, 4])
            .encode(x="x:Q", y="y:Q")
        )
        return alt.layer(line, marks)

    return finish(_panels(frame, None, draw), title, description)


def against_line(
    frame: pd.DataFrame,
    title: str,
    description: str,
    estimate: str = "difference",
    y: str = "dimension",
    series: str = "judge",
    x_title: str = "judge less experts",
    panel: str | None = None,
    line: float = 0.0,
    margin: float | None = None,
) -> alt.TopLevelMixin:
    """Estimates beside a line that decides: differences from 0, rates from a pass mark.

    A dot is filled where its interval lies on one side of the line, or where there is no
    interval; hollow where it cannot be told.

    Parameters
    ----------
    frame : DataFrame
        Columns `y`, `series`, `estimate` and, for intervals, ``low, high``; such as the
        rows of `benchmark.benchmark` for one reading and statistic. Rows are drawn in
        their order.
    title, description : str
        See `finish`.
    estimate, y, series : str
        Columns: the estimate, the lines of the chart, colour and shape.
    x_title : str
        What the axis measures.
    panel : str, optional
        A column; one panel for each of its values.
    line : float
        Where the line is.
    margin : float, optional
        A grey band of so much on either side of the line: differences that do not matter.

    Returns
    -------
    altair chart
    """
    frame = frame.rename(columns={estimate: "estimate"}).dropna(subset="estimate")
    colours, shapes = _styles(frame, series)
    edge = margin or 0.0
    ends = [frame[c] for c in ("estimate", "low", "high") if c in frame]
    values = pd.concat([*ends, pd.Series([line - edge, line + edge])]).dropna()
    pad = 0.03 * (values.max() - values.min())
    domain = [float(values.min() - pad), float(values.max() + pad)]
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    axis = _lines(frame, y, grid=True, tickBand="extent")
    sure = f"!isValid(datum.low) || datum.low > {line} || datum.high < {line}"

    def draw(part, first, last):
        base, step = _rows(part, y, series, axis, colours, frame)
        x = {"title": x_title if last else None, "scale": scale}
        where = {
            "x": alt.X("estimate:Q", **x),
            "shape": alt.Shape(f"{series}:N", scale=shapes, sort=shapes.domain),
            "tooltip": _tooltip(part, y, series, x_title),
        }
        hollow = base.mark_point(size=75, fill="white", strokeWidth=1.5)
        filled = base.mark_point(filled=True, size=75).transform_filter(sure)
        layers = [hollow.encode(**where), filled.encode(**where)]
        if "low" in part and part["low"].notna().any():
            rule = base.mark_rule(strokeWidth=2)
            layers.insert(0, rule.encode(x=alt.X("low:Q", **x), x2="high:Q"))
        if first and frame[series].nunique() > 1:
            layers[0] = layers[0].add_params(_chosen(series)[0])
        layers.insert(0, _zero(x["title"], scale, line, strokeWidth=1.5))
        if margin:
            ends = alt.Chart(pd.DataFrame({"from": [line - edge], "to": [line + edge]}))
            band = ends.mark_rect(color="#E3E5E8").encode(x=alt.X("from:Q", **x), x2="to:Q")
            layers.insert(0, band)
        return alt.layer(*layers).properties(width=WIDTH, height=step)

    return finish(_panels(frame, panel, draw), title, description)
