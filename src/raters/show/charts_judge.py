"""Charts of one judge: why it disagrees, what recalibration repairs, what it must beat."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from raters.errors import RatingsError
from raters.show.charts import GREY, WIDTH, _chosen, _styles, dots, finish

_AFTER = "weighted_kappa_quadratic_centred"
_NAMES = {"weighted_kappa_quadratic": "as rated", _AFTER: "without the shift of level"}
_MOST_LEVELS = 12


def _picked(frame, columns, **wanted):
    """The rows with these labels, refused where there are none."""
    missing = [c for c in [*columns, *wanted] if c not in frame.columns]
    if missing:
        raise RatingsError(
            f"a frame without the columns {missing}",
            f"the columns {[*columns, *wanted]}",
            "pass the frame that the matching function returns",
        )
    rows = frame
    for column, value in wanted.items():
        rows = rows[rows[column].isin([value] if isinstance(value, str) else list(value))]
    if rows.empty:
        raise RatingsError(
            f"no row with {wanted}",
            "; ".join(f"{c}: {sorted(map(str, set(frame[c])))[:8]}" for c in wanted),
            "choose of these",
        )
    return rows.copy()


def level_and_order(
    found: pd.DataFrame, judge: str, title: str, description: str, panel: str | None = None
) -> alt.TopLevelMixin:
    """Kappa of one judge as rated, and after the shift of level is taken away.

    Parameters
    ----------
    found : DataFrame
        From `disagreement.level_and_order`, in the order in which to draw it.
    judge : str
        Whose.
    title, description : str
        See `charts.finish`.
    panel : str, optional
        A column; one panel for each of its values.

    Returns
    -------
    altair chart
    """
    rows = _picked(found, ["dimension", "estimate"], judge=judge, statistic=list(_NAMES))
    rows["series"] = rows["statistic"].map(_NAMES)
    return dots(rows, title, description, x_title="quadratic kappa", panel=panel)


def error_sizes(
    found: pd.DataFrame, judge: str, title: str, description: str, panel: str | None = None
) -> alt.TopLevelMixin:
    """Shares of items on which one judge is one level off, and two or more.

    Parameters
    ----------
    found : DataFrame
        From `disagreement.step_errors`.
    judge, title, description, panel
        As in `level_and_order`.

    Returns
    -------
    altair chart
    """
    names = {"adjacent": "one level off", "cross": "two or more off"}
    rows = _picked(found, ["dimension", "estimate"], judge=judge, statistic=list(names))
    rows["series"] = rows["statistic"].map(names)
    return dots(rows, title, description, x_title="share of items", panel=panel)


def confusion(
    found: pd.DataFrame, dimension: str, judge: str, title: str, description: str
) -> alt.TopLevelMixin:
    """The judge's level by the reference's level: a number in each cell.

    Parameters
    ----------
    found : DataFrame
        From `disagreement.confusion`.
    dimension, judge : str
        Which table.
    title, description : str
        See `charts.finish`.

    Returns
    -------
    altair chart
        Cells on the diagonal have a border: there both agree.
    """
    rows = _picked(found, ["reference_level", "n"], dimension=dimension, judge=judge)
    levels = list(dict.fromkeys(rows["reference_level"]))
    if len(rows) != len(levels) ** 2 or len(levels) > _MOST_LEVELS:
        raise RatingsError(
            f"{len(rows)} cells for {len(levels)} levels",
            f"one dimension of one framework, with at most {_MOST_LEVELS} levels",
            "choose one table first",
        )
    rows["same"] = rows["reference_level"] == rows["judge_level"]
    x = alt.X("judge_level:O", sort=levels, title="judge", axis=alt.Axis(labelAngle=0))
    y = alt.Y("reference_level:O", sort=levels[::-1], title="reference")
    tooltip = [
        alt.Tooltip("reference_level:O", title="reference"),
        alt.Tooltip("judge_level:O", title="judge"),
        alt.Tooltip("n:Q", title="items"),
    ]
    return finish(_cells(rows, x, y, tooltip, "n", "~g"), title, description)


def matrix(pairs: pd.DataFrame, title: str, description: str) -> alt.TopLevelMixin:
    """The agreement of every two raters: a number in each cell.

    Parameters
    ----------
    pairs : DataFrame
        ``rater_a, rater_b, estimate``, each pair once or in both directions; with ``same``, a
        border is drawn round the cells where it is true, such as those of one group.
    title, description : str
        See `charts.finish`.

    Returns
    -------
    altair chart
        A row and a column a rater, in the order in which the raters come.
    """
    rows = pairs[["rater_a", "rater_b", "estimate"]].assign(same=pairs.get("same", False))
    turned = rows.rename(columns={"rater_a": "rater_b", "rater_b": "rater_a"})
    rows = pd.concat([rows, turned]).drop_duplicates(["rater_a", "rater_b"])
    order = list(dict.fromkeys([*pairs["rater_a"], *pairs["rater_b"]]))
    x = alt.X(
        "rater_b:O", sort=order, title=None, axis=alt.Axis(labelAngle=-45, labelOverlap=False)
    )
    y = alt.Y("rater_a:O", sort=order, title=None)
    tooltip = ["rater_a:O", "rater_b:O", alt.Tooltip("estimate:Q", format=".2f")]
    return finish(_cells(rows, x, y, tooltip, "estimate", ".2f", 36), title, description)


def _cells(rows, x, y, tooltip, number, form, width=46):
    """Coloured cells with their numbers; those that are the same on both sides have a border."""
    rows = rows.assign(dark=rows[number] > rows[number].max() / 2)
    # The tooltip belongs to all layers: the number lies over its cell.
    base = alt.Chart(rows).encode(x=x, y=y, tooltip=tooltip)
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color(f"{number}:Q", scale=alt.Scale(scheme="blues", domainMin=0), legend=None),
    )
    # A layer of its own: neighbours would cover half of a cell's border.
    bordered = base.transform_filter("datum.same").mark_rect(
        fillOpacity=0, stroke="black", strokeWidth=2
    )
    numbers = base.mark_text(fontSize=13).encode(
        text=alt.Text(f"{number}:Q", format=form),
        color=alt.condition("datum.dark", alt.value("white"), alt.value("black")),
    )
    return alt.layer(cells, bordered, numbers).properties(
        width=alt.Step(width), height=alt.Step(38)
    )


def calibration(
    found: pd.DataFrame,
    judge: str,
    title: str,
    description: str,
    statistic: str = "weighted_kappa_quadratic",
    methods: tuple[str, ...] = ("shift",),
    x_title: str = "quadratic kappa on held-out items",
    panel: str | None = None,
) -> alt.TopLevelMixin:
    """One judge before and after recalibration, with intervals.

    Parameters
    ----------
    found : DataFrame
        From `calibration.calibration`, without several sizes of the training part.
    judge, title, description, panel
        As in `level_and_order`.
    statistic : str
        Which one.
    methods : tuple of str
        Which ways of recalibration.
    x_title : str
        What the axis measures.

    Returns
    -------
    altair chart
    """
    columns = ["dimension", "estimate", "quantity", "n_train"]
    rows = _picked(found, columns, judge=judge, statistic=statistic, method=methods)
    if rows["n_train"].nunique() > 1:
        raise RatingsError(
            f"training parts of {sorted(set(rows['n_train']))} items",
            "one size",
            "choose one, or draw a learning curve: charts_judge.learning_curve",
        )
    before = rows[(rows["quantity"] == "before") & (rows["method"] == methods[0])]
    after = rows[rows["quantity"] == "after"]
    rows = pd.concat(
        [before.assign(series="before"), after.assign(series="after " + after["method"])]
    ).sort_index(kind="stable")
    return dots(rows, title, description, x_title=x_title, panel=panel)


def _curves(rows, x, series, title, description, x_title, y_title, rule=None, log=False):
    """Lines with intervals over a number, one for each series."""
    rows = rows.assign(series=rows[series].astype(str), x=rows[x])
    colours, shapes = _styles(rows[["series"]], "series")  # no raters: methods, statistics
    values = pd.concat([rows[c] for c in ("estimate", "low", "high") if c in rows]).dropna()
    least, most = min(0.0, float(values.min())), float(values.max())
    pad = 0.05 * (most - least)
    ends = [least - pad if least < 0 else 0.0, most + pad]
    scale = alt.Scale(domain=ends, nice=False)
    x_scale = alt.Scale(type="log" if log else "linear", nice=False, padding=12)
    ticks = sorted(set(rows["x"]))
    base = alt.Chart(rows).encode(
        x=alt.X("x:Q", title=x_title, scale=x_scale, axis=alt.Axis(values=ticks, format="~g")),
        color=alt.Color("series:N", scale=colours, sort=colours.domain),
    )
    y = alt.Y("estimate:Q", title=y_title, scale=scale)
    tips = [
        alt.Tooltip("series:N", title=series),
        alt.Tooltip("x:Q", title=x_title),
        alt.Tooltip("estimate:Q", title=y_title, format=".2f"),
    ]
    if len(colours.domain) > 1:
        base = base.encode(opacity=_chosen("series")[1])
    layers = [
        base.mark_line().encode(y=y),
        base.mark_point(filled=True, size=75).encode(
            y=y, shape=alt.Shape("series:N", scale=shapes, sort=shapes.domain), tooltip=tips
        ),
    ]
    if "low" in rows and rows["low"].notna().any():
        low = alt.Y("low:Q", title=y_title, scale=scale)
        layers.insert(0, base.mark_rule(strokeWidth=2).encode(y=low, y2="high:Q"))
    if len(colours.domain) > 1:
        layers[0] = layers[0].add_params(_chosen("series")[0])
    if rule is not None:
        line = alt.Chart(pd.DataFrame({"y": [rule]})).mark_rule(color=GREY, strokeDash=[4, 4])
        layers.insert(0, line.encode(y=alt.Y("y:Q", title=y_title, scale=scale)))
    chart = alt.layer(*layers).properties(width=WIDTH, height=round(WIDTH * 0.7))
    return finish(chart, title, description)


def learning_curve(
    found: pd.DataFrame,
    judge: str,
    title: str,
    description: str,
    statistic: str = "weighted_kappa_quadratic",
    dimension: str = "mean of dimensions",
    framework: str = "all frameworks",
    y_title: str = "gain in quadratic kappa",
) -> alt.TopLevelMixin:
    """What recalibration gains, by the number of labelled items that it learns from.

    Parameters
    ----------
    found : DataFrame
        From `calibration.calibration` with several ``n_train``.
    judge, title, description
        As in `level_and_order`.
    statistic, dimension, framework : str
        Which result.
    y_title : str
        What the axis measures.

    Returns
    -------
    altair chart
        One line for each way of recalibration, with intervals.
    """
    place = {"framework": framework, "dimension": dimension, "statistic": statistic}
    columns = ["n_train", "method", "estimate"]
    rows = _picked(found, columns, judge=judge, quantity="difference", **place)
    rows = rows[rows["n_train"] > 0]
    if rows["n_train"].nunique() < 2:
        raise RatingsError(
            "one size of the training part",
            "two or more",
            "call calibration with n_train=[5, 10, 20, 40], say",
        )
    x_title = "labelled items to learn from"
    return _curves(
        rows, "n_train", "method", title, description, x_title, y_title, rule=0.0, log=True
    )


def baselines(
    found: pd.DataFrame,
    title: str,
    description: str,
    statistic: str = "weighted_kappa_quadratic",
    x_title: str = "quadratic kappa with the experts",
    dimension: str | None = None,
    panel: str | None = None,
) -> alt.TopLevelMixin:
    """Judges and cheap baselines against the same reference.

    Parameters
    ----------
    found : DataFrame
        From `baselines.against_baselines`.
    title, description : str
        See `charts.finish`.
    statistic : str
        Which one.
    x_title : str
        What the axis measures.
    dimension : str, optional
        Only this one, such as ``"mean of dimensions"``.
    panel : str, optional
        A column; one panel for each of its values.

    Returns
    -------
    altair chart
        One line for each rater; differences are left out.
    """
    wanted = {"statistic": statistic} | ({} if dimension is None else {"dimension": dimension})
    rows = _picked(found, ["rater", "compared_with", "estimate"], **wanted)
    with_baselines = rows["compared_with"].isin(set(rows["rater"]))
    judges = set(rows.loc[with_baselines, "rater"])
    rows = rows[~with_baselines & rows["estimate"].notna()]
    y = "rater" if rows["dimension"].nunique() == 1 or panel == "dimension" else "dimension"
    kind = rows["rater"].isin(judges).map({True: "judge", False: "baseline"})
    rows = rows.assign(series=kind if y == "rater" else rows["rater"])
    return dots(rows, title, description, y=y, x_title=x_title, panel=panel)


def plan(
    planned: pd.DataFrame,
    title: str,
    description: str,
    dimension: str,
    framework: str,
    quantity: str = "agreement",
    width: float | None = None,
) -> alt.TopLevelMixin:
    """The expected width of the interval by the number of items and raters.

    Parameters
    ----------
    planned : DataFrame
        From `planning.plan`.
    title, description : str
        See `charts.finish`.
    dimension, framework, quantity : str
        Which result.
    width : float, optional
        The wanted width, as a dashed line.

    Returns
    -------
    altair chart
        One line for each number of raters.
    """
    place = {"framework": framework, "dimension": dimension, "quantity": quantity}
    rows = _picked(planned, ["n_items", "n_raters", "width"], **place)
    rows = rows[rows["width"].notna()]
    rows = rows.assign(estimate=rows["width"], raters=rows["n_raters"].astype(str) + " raters")
    rows = rows.drop(columns="width")
    titles = ("items", "width of the interval")
    return _curves(rows, "n_items", "raters", title, description, *titles, rule=width, log=True)


def gain_from_raters(
    found: pd.DataFrame,
    title: str,
    description: str,
    dimension: str = "mean of dimensions",
    framework: str = "all frameworks",
) -> alt.TopLevelMixin:
    """What the mean of k raters is worth, by k.

    Parameters
    ----------
    found : DataFrame
        From `planning.gain_from_raters`.
    title, description : str
        See `charts.finish`.
    dimension, framework : str
        Which result.

    Returns
    -------
    altair chart
        One line for each statistic; infinitely many raters are left out.
    """
    names = {
        "reliability": "reliability of the mean",
        "correlation": "correlation with the criterion",
        "weighted_kappa_quadratic": "kappa with the criterion",
    }
    columns = ["n_raters", "statistic", "estimate"]
    rows = _picked(found, columns, framework=framework, dimension=dimension)
    rows = rows[np.isfinite(rows["n_raters"]) & rows["estimate"].notna()]
    rows = rows.assign(what=rows["statistic"].map(names))
    titles = ("raters whose mean is taken", "coefficient")
    return _curves(rows, "n_raters", "what", title, description, *titles, log=True)
