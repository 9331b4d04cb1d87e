"""The charts: dots with intervals, bands, shares, scatter; one look for all.

Colours stand for groups and stay fixed (Okabe and Ito, 2008); a shape is the
second cue. Every chart has a title that asks, and a description that answers:
the description is what a screen reader says.
"""

from __future__ import annotations

import altair as alt
import pandas as pd

from raters import display
from raters.errors import RatingsError

EXPERT, MODEL, CROWD, GREY = "#0072B2", "#D55E00", "#007A5E", "#5F6670"
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
    "GPT-4o": (MODEL, "triangle-up"),
    "Claude": (MODEL, "triangle-down"),
    "Expert 1": (EXPERT, "circle"),
    "three models": (MODEL, "diamond"),
    "GPT-4o and Claude": (MODEL, "triangle-up"),
    "with intercept": (GREY, "circle"),
    "without intercept": (GREY, "cross"),
    "crowd": (CROWD, "square"),
    "everybody": (GREY, "cross"),
}
_OTHERS = [
    (EXPERT, "circle"),
    (MODEL, "diamond"),
    (CROWD, "square"),
    ("#8F4A78", "triangle-up"),
    (GREY, "cross"),
]
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
    from raters.book_renderer import enable

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


def _styles(names):
    """Colour and shape of each series, in order."""
    names = list(dict.fromkeys(names))
    spare = iter(_OTHERS * (1 + len(names) // len(_OTHERS)))
    styles = [SERIES.get(name) or next(spare) for name in names]
    colours = alt.Scale(domain=names, range=[colour for colour, _ in styles])
    shapes = alt.Scale(domain=names, range=[shape for _, shape in styles])
    return colours, shapes


def _panels(frame, panel, draw):
    """One drawing, or one below the other with a heading each, on a shared x axis."""
    if len(frame) > _MOST_ROWS:
        raise RatingsError(
            f"{len(frame)} rows for one chart",
            f"at most {_MOST_ROWS}",
            "aggregate first: every row lands in the page",
        )
    if panel is None:
        return draw(frame)
    parts = [
        draw(part).properties(title=alt.TitleParams(str(name), fontSize=13, anchor="start"))
        for name, part in frame.groupby(panel, sort=False)
    ]
    return alt.vconcat(*parts, spacing=12).resolve_scale(x="shared", color="shared", shape="shared")


def _domain(frame, columns):
    values = pd.concat([frame[c] for c in columns if c in frame]).dropna()
    return [min(0.0, float(values.min())), max(1.0, float(values.max()))]


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
    colours, shapes = _styles(frame[series])
    domain = list(domain or _domain(frame, ["estimate", "low", "high"]))
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    axis = _lines(frame, y, grid=True, tickBand="extent")

    def draw(part):
        order = list(dict.fromkeys(part[y]))
        many = part[series].nunique() > 1
        step = alt.Step(14 if many else 24, **({"for": "offset"} if many else {}))
        base = alt.Chart(part).encode(
            y=alt.Y(f"{y}:N", sort=order, title=None, axis=axis),
            color=alt.Color(f"{series}:N", scale=colours, sort=colours.domain),
            **({"yOffset": alt.YOffset(f"{series}:N", sort=colours.domain)} if many else {}),
        )
        point = base.mark_point(filled=True, size=75, opacity=1).encode(
            x=alt.X("estimate:Q", title=x_title, scale=scale),
            shape=alt.Shape(f"{series}:N", scale=shapes, sort=shapes.domain),
            tooltip=_tooltip(part, y, series, x_title),
        )
        layers = [point]
        if "low" in part and part["low"].notna().any():
            low = alt.X("low:Q", title=x_title, scale=scale)
            layers.insert(0, base.mark_rule(strokeWidth=2).encode(x=low, x2="high:Q"))
        return alt.layer(*layers).properties(width=WIDTH, height=step)

    return finish(_panels(frame, panel, draw), title, description)


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
        Columns ``dimension, low, high, estimate``: the range and its middle.
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
    colours, shapes = _styles(points["series"])
    domain = _domain(pd.concat([frame, points]), ["estimate", "low", "high"])
    axis = _lines(frame, "dimension")

    def draw(part):
        here = points[points["dimension"].isin(part["dimension"])]
        if panel is not None:
            here = here[here[panel] == part[panel].iloc[0]]
        order = list(part["dimension"])
        y = alt.Y("dimension:N", sort=order, title=None, axis=axis)
        x_scale = alt.Scale(domain=domain, nice=False)
        tips = [
            alt.Tooltip("dimension:N"),
            *[
                alt.Tooltip(f"{c}:Q", title=f"{band_name}, {name}", format=".2f")
                for c, name in (("low", "lowest"), ("estimate", "mean"), ("high", "highest"))
            ],
        ]
        base = alt.Chart(part).encode(y=y, tooltip=tips)
        band = base.mark_bar(color="#D5D9DE", height=15).encode(
            x=alt.X("low:Q", title=x_title, scale=x_scale), x2="high:Q"
        )
        middle = base.mark_tick(color=EXPERT, thickness=3, size=15).encode(x="estimate:Q")
        marks = (
            alt.Chart(here)
            .mark_point(filled=True, size=70, opacity=0.9)
            .encode(
                y=y,
                x=alt.X("estimate:Q", title=x_title, scale=x_scale),
                color=alt.Color("series:N", scale=colours, sort=colours.domain),
                shape=alt.Shape("series:N", scale=shapes, sort=shapes.domain),
                tooltip=_tooltip(here, "dimension", "series", x_title),
            )
        )
        return alt.layer(band, middle, marks).properties(width=WIDTH, height=alt.Step(24))

    return finish(_panels(frame, panel, draw), title, description)


def strips(
    frame: pd.DataFrame,
    title: str,
    description: str,
    x_title: str,
    label: str = "dimension",
    panel: str | None = None,
) -> alt.TopLevelMixin:
    """All estimates of a series on one line, with a tick at their median.

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
    colours, shapes = _styles(frame["series"])
    scale = alt.Scale(domain=_domain(frame, ["estimate"]), nice=False)
    axis = _lines(frame, "series")

    def draw(part):
        base = alt.Chart(part).encode(
            y=alt.Y("series:N", sort=colours.domain, title=None, axis=axis),
            color=alt.Color("series:N", scale=colours, sort=colours.domain, legend=None),
        )
        points = base.mark_point(filled=True, size=60, opacity=0.6).encode(
            x=alt.X("estimate:Q", title=x_title, scale=scale),
            shape=alt.Shape("series:N", scale=shapes, sort=shapes.domain, legend=None),
            tooltip=_tooltip(part, label, "series", x_title),
        )
        ticks = base.mark_tick(thickness=3, size=22).encode(x="median(estimate):Q")
        return alt.layer(points, ticks).properties(width=WIDTH, height=alt.Step(28))

    return finish(_panels(frame, panel, draw), title, description)


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

    def draw(part):
        return (
            alt.Chart(part)
            .mark_bar(stroke="white", strokeWidth=0.6)
            .encode(
                y=alt.Y("rater:N", sort=order, title=None, axis=axis),
                x=alt.X(
                    "share:Q",
                    stack="zero",
                    title="share of items",
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
    colours, shapes = _styles(frame[series])
    frame = frame.rename(columns={x: "x", y: "y"})
    x_domain, y_domain = _domain(frame, ["x"]), _domain(frame, ["y"])

    def draw(part):
        marks = (
            alt.Chart(part)
            .mark_point(filled=True, size=75, opacity=0.85)
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
            )
            .properties(width=WIDTH + 60, height=WIDTH)
        )
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
    colours, shapes = _styles(frame[series])
    edge = margin or 0.0
    ends = [frame[c] for c in ("estimate", "low", "high") if c in frame]
    values = pd.concat([*ends, pd.Series([line - edge, line + edge])]).dropna()
    pad = 0.03 * (values.max() - values.min())
    domain = [float(values.min() - pad), float(values.max() + pad)]
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    axis = _lines(frame, y, grid=True, tickBand="extent")
    sure = f"!isValid(datum.low) || datum.low > {line} || datum.high < {line}"

    def draw(part):
        order = list(dict.fromkeys(part[y]))
        many = part[series].nunique() > 1
        step = alt.Step(14 if many else 24, **({"for": "offset"} if many else {}))
        colour = alt.Color(f"{series}:N", scale=colours, sort=colours.domain)
        base = alt.Chart(part).encode(
            y=alt.Y(f"{y}:N", sort=order, title=None, axis=axis),
            color=colour,
            **({"yOffset": alt.YOffset(f"{series}:N", sort=colours.domain)} if many else {}),
        )
        where = {
            "x": alt.X("estimate:Q", title=x_title, scale=scale),
            "shape": alt.Shape(f"{series}:N", scale=shapes, sort=shapes.domain),
            "tooltip": _tooltip(part, y, series, x_title),
        }
        hollow = base.mark_point(size=75, opacity=1, fill="white", strokeWidth=1.5)
        filled = base.mark_point(filled=True, size=75, opacity=1).transform_filter(sure)
        layers = [hollow.encode(**where), filled.encode(**where)]
        if "low" in part and part["low"].notna().any():
            low = alt.X("low:Q", title=x_title, scale=scale)
            layers.insert(0, base.mark_rule(strokeWidth=2).encode(x=low, x2="high:Q"))
        mark = alt.Chart(pd.DataFrame({"at": [line], "from": [line - edge], "to": [line + edge]}))
        layers.insert(
            0,
            mark.mark_rule(color=GREY, strokeWidth=1.5).encode(
                x=alt.X("at:Q", title=x_title, scale=scale)
            ),
        )
        if margin:
            band = mark.mark_rect(color="#E3E5E8").encode(
                x=alt.X("from:Q", title=x_title, scale=scale), x2="to:Q"
            )
            layers.insert(0, band)
        return alt.layer(*layers).properties(width=WIDTH, height=step)

    return finish(_panels(frame, panel, draw), title, description)
