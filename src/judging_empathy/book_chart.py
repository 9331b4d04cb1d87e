"""How a page of the book shows a chart: without JavaScript and in print as well.

MyST-NB asks `BookChart` for the page's markup, a picture first and the interactive chart over
it, and `vendor` writes the scripts that the pages load from the site itself.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
from hashlib import sha256
from pathlib import Path

from raters.show.phone import narrow, used_columns
from raters.show.renderer import MIME

_PACKAGES = ("vl-convert-python", "sphinx-mathjax-offline")


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


def vendor(folder: str | Path) -> list[str]:
    """Write the scripts that the pages load, out of installed packages.

    Nothing is fetched. If the folder holds them already, in the same versions, nothing
    is written.

    `folder` belongs to this function, which writes ``vega.js`` and ``mathjax/`` into it and gives
    all its files, relative to it and sorted.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = vendor(folder + "/vendor")
    >>> "vega.js" in files, "mathjax/tex-chtml.js" in files
    (True, True)
    """
    folder = Path(folder)
    versions = {name: importlib.metadata.version(name) for name in _PACKAGES}
    wanted = json.dumps(versions, indent=1) + "\n"
    note = folder / "versions.json"  # written last: it says that the folder is complete
    if not note.is_file() or note.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write_vega(folder / "vega.js")
        _write_mathjax(folder / "mathjax")
        note.write_text(wanted, encoding="utf-8", newline="\n")
    return sorted(f.relative_to(folder).as_posix() for f in folder.rglob("*") if f.is_file())


def _write_vega(path):
    import vl_convert

    body = vl_convert.javascript_bundle("globalThis.vegaEmbed = vegaEmbed;")
    # In a function of its own: bare, the bundle declares `_`, which Sphinx's scripts do too.
    path.write_text("(() => {\n" + body + "\n})();\n", encoding="utf-8", newline="\n")


def _write_mathjax(folder):
    # Two pieces of the package are enough; used as an extension it copies 24 MB.
    for file in importlib.metadata.files("sphinx-mathjax-offline"):
        name = file.as_posix().partition("static/mathjax/")[2]
        if name == "tex-chtml.js" or name.startswith("output/chtml/fonts/woff-v2/"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), target)
