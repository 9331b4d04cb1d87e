"""How a page of the book shows a chart: without JavaScript and in print as well.

MyST-NB asks `BookChart` for the page's markup, a picture first and the interactive chart over it.
"""

from __future__ import annotations

import json
from hashlib import sha256

from raters.show.phone import narrow, used_columns
from raters.show.renderer import MIME


class BookChart:
    """Renders a stored chart for a page; MyST-NB finds it by an entry point.

    The page gets two SVG pictures, one for narrow screens, with the chart's description as
    alternative text, and the specifications as JSON, from which ``charts.js`` draws the
    interactive chart. A chart without a description is a warning, so the build of the book
    fails.
    """

    mime_priority_overrides = [(builder, MIME, 1) for builder in ("html", "dirhtml", "singlehtml")]

    @staticmethod
    def handle_mime(renderer, data, inline):
        """Turn the output `data` into document nodes, or None if it is no chart of ours.

        `renderer` (MyST-NB's) writes files and warnings for the page; `data` has the MIME type and
        the content, the specification; `inline` is True inside a sentence, where no chart fits.
        """
        if data.mime_type != MIME or inline:
            return None
        from docutils import nodes

        spec = used_columns(data.content)
        description = str(spec.get("description", "")).strip()
        if not description:
            renderer.logger.warning(
                "Given: a chart without a description. Allowed: charts that say in words what "
                "they show. To do: set `description`, the picture's alternative text.",
                subtype="chart",
                line=data.line,
            )
        slim = narrow(spec)
        return [
            nodes.raw("", '<div class="chart">', format="html"),
            _picture(renderer, spec, description, "chart-picture"),
            _picture(renderer, slim, description, "chart-picture-narrow"),
            nodes.raw("", _json_script("chart-spec", spec), format="html"),
            # The data stands in the page once: charts.js gives it to the narrow chart.
            nodes.raw("", _json_script("chart-narrow", {**slim, "datasets": {}}), format="html"),
            nodes.raw("", "</div>", format="html"),
        ]


def _picture(renderer, spec, description, name):
    import vl_convert
    from docutils import nodes

    picture = vl_convert.vegalite_to_svg(spec).encode()
    file = f"chart-{sha256(picture).hexdigest()[:16]}.svg"
    place = renderer.write_file([file], picture, exists_ok=True)
    # The narrow one is fetched only where it is shown; the other has to be there for print.
    lazy = {"loading": "lazy"} if name.endswith("narrow") else {}
    return nodes.image(uri=place, alt=description, classes=[name], **lazy)


def _json_script(name, part) -> str:
    text = json.dumps(part, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # "<" would end the script element early if the text held "</script>".
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json" class="{name}">{text}</script>'
