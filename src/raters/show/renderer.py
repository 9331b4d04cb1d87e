"""How a chart is shown in JupyterLab and in a file that is passed on: without a network.

A notebook stores its specification, which JupyterLab draws with scripts of its own, and a
picture for everything else (`enable`).
"""

from __future__ import annotations

import struct
import sys

# JupyterLab 4 knows Vega-Lite by this name. Altair writes version 6, of which our charts
# use nothing that version 5 lacks.
MIME = "application/vnd.vegalite.v5+json"
_SHARP = 1.5  # pixels of the picture for each pixel of its place


def enable() -> str:
    """Choose how Altair shows charts: with no network needed.

    In Colab, which has a network and no scripts of its own, Altair's way stays.

    Returns
    -------
    str
        The name of the Altair renderer that is now on: "raters", or "default" in Colab.

    Examples
    --------
    >>> enable()
    'raters'
    """
    import altair as alt

    alt.renderers.register("raters", _bundle)
    name = "default" if "google.colab" in sys.modules else "raters"
    alt.renderers.enable(name)
    return name


def _bundle(spec, **_options):
    """What a notebook stores of a chart: the specification, a picture, and words.

    Altair's own renderer of this kind names a type that nbformat rejects, and its HTML
    loads scripts from another host and holds random ids, so that no two runs are alike.
    """
    import vl_convert

    words = spec.get("description", "chart")
    png = vl_convert.vegalite_to_png(spec, scale=_SHARP)
    width, height = (round(side / _SHARP) for side in struct.unpack(">II", png[16:24]))
    size = {"alt": words, "width": width, "height": height}
    return {MIME: spec, "image/png": png, "text/plain": words}, {"image/png": size}
