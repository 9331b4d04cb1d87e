"""The page: what the executed notebook shows, in one file that needs nothing else."""

from __future__ import annotations

import re
from importlib import resources

from raters.report.html import shown

# Nothing may be loaded from anywhere, and nothing may run, whatever a text contains.
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
_OURS = '<div class="raters-report">'


def page(notebook, title: str, made: str) -> str:
    """The page of an executed report.

    Parameters
    ----------
    notebook : nbformat notebook
    title : str
    made : str
        A line on what it was made from and with.

    Returns
    -------
    str
        HTML. Code is not shown: it is in the notebook.
    """
    body, links = [], []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            body.append(_markdown(cell["source"], links))
        elif cell["cell_type"] == "code":
            body += [_output(one) for one in cell.get("outputs", ())]
    nav = "".join(f'<li><a href="#{name}">{text}</a></li>' for name, text in links)
    css = resources.files("raters.report").joinpath("page.css").read_text(encoding="utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{shown(title)}</title>
<style>
{css}</style>
</head>
<body>
<a class="skip" href="#{links[0][0] if links else "main"}">Skip to the content</a>
<header><h1>{shown(title)}</h1><p class="made">{shown(made)}</p></header>
<nav aria-label="Sections"><ol>{nav}</ol></nav>
<main id="main">
{chr(10).join(part for part in body if part)}
</main>
<footer><p>The notebook report.ipynb holds the code of this page; provenance.json says which
files and versions it was made with. In the tables, an apostrophe stands before texts that a
spreadsheet would take for a formula.</p></footer>
</body>
</html>
"""


def _markdown(source, links) -> str:
    """The template's own words: headings and paragraphs, with `code`.

    What stands before the first section is for the notebook.
    """
    parts = []
    for block in re.split(r"\n\s*\n", source.strip()):
        text = " ".join(block.split())
        if text.startswith("## "):
            name = re.sub(r"[^a-z]+", "-", text[3:].lower()).strip("-")
            links.append((name, shown(text[3:])))
            parts.append(f'<h2 id="{name}">{shown(text[3:])}</h2>')
        elif links and not text.startswith("# "):
            parts.append("<p>" + re.sub(r"`([^`]+)`", r"<code>\1</code>", shown(text)) + "</p>")
    return "\n".join(parts)


def _output(output) -> str:
    if output["output_type"] == "stream":
        return f"<pre>{shown(''.join(output['text']))}</pre>"
    data = output.get("data", {})
    html = "".join(data.get("text/html", ""))
    if html.startswith(_OURS):
        return html
    text = "".join(data.get("text/plain", ""))
    return f"<pre>{shown(text)}</pre>" if text else ""
