"""What the book adds to Sphinx: links to the glossary, and a last hand on the pages.

A Sphinx extension, named in ``_config.yml``. While a page is read, the first use of each
glossary term becomes a link. When all pages are written,

- each table's CSV, until then inside its link, becomes a file in ``_static/tables``; a table
  of the prose, which brings none along, gets one;
- a place for a part, such as a conversation, is filled (`book/conversation.py`);
- a picture says its size, so that nothing below it moves when it comes;
- a page says in its head what a shared link to it shows: title, answer, picture;
- a page loads only the scripts that it uses;
- without JavaScript a page is light or dark as the reader's system is, and on paper it is
  light for everybody;
- "edit" on a page that only includes another file opens that file, and the download is
  that file; the search quotes articles, not what stands around them.
"""

from __future__ import annotations

import base64
import html.parser
import re
from pathlib import Path

# ------------------------------------------------------------------ links to the glossary

# Ordinary words, too: a link would be wrong more often than right.
_NOT_LINKED = {"pattern", "coverage", "interval", "judge", "panel"}
# Pages that explain no results, or have the terms themselves.
_PLAIN_PAGES = ("book/glossary", "book/references", "book/status", "book/api", "data/")
_TERM = re.compile(r"^(?=[^\s:])(.+)$", re.MULTILINE)  # not indented, and no option


def glossary_terms(text: str) -> list[str]:
    """The terms of the glossary in a page.

    Parameters
    ----------
    text : str
        Markdown with a ``{glossary}`` directive.

    Returns
    -------
    list of str

    Examples
    --------
    >>> page = "```{glossary}\\n:sorted:\\n\\nkappa\\n  Some.\\n\\nAC1\\nAC2\\n  Two more.\\n```"
    >>> glossary_terms(page)
    ['kappa', 'AC1', 'AC2']
    """
    return [
        term
        for block in re.findall(r"^```\{glossary\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for term in _TERM.findall(block)
    ]


def term_pattern(terms: list[str]) -> re.Pattern:
    """One pattern for all terms: whole words, in singular or plural, the longest first.

    Examples
    --------
    >>> found = term_pattern(["kappa", "percent agreement", "agreement"])
    >>> [m.group(1) for m in found.finditer("Percent agreement and two kappas, kappaless")]
    ['Percent agreement', 'kappa']
    """
    longest_first = sorted(terms, key=len, reverse=True)
    names = "|".join(re.escape(term).replace("'", "['\u2019]") for term in longest_first)
    return re.compile(rf"(?<![\w-])({names})(?:s|es)?(?![\w-])", re.IGNORECASE)


def link_terms(app, doctree) -> None:
    """Link the first use of each term in the sentences of a page to the glossary."""
    from docutils import nodes
    from sphinx import addnodes

    place = app.env.docname
    glossary = Path(app.srcdir) / "book" / "glossary.md"
    if place.startswith(_PLAIN_PAGES) or not glossary.is_file():
        return
    terms = glossary_terms(glossary.read_text(encoding="utf-8"))
    known = {term.lower(): term for term in terms if term not in _NOT_LINKED}
    if not known:
        return
    pattern = term_pattern(list(known.values()))
    blocked = (nodes.literal, nodes.reference, nodes.title, nodes.math, addnodes.pending_xref)

    def free(text):
        parent, in_sentence = text.parent, False
        while parent is not None:
            if isinstance(parent, blocked):
                return False
            in_sentence |= isinstance(parent, nodes.paragraph)
            parent = parent.parent
        return in_sentence

    def link(found, term):
        known.pop(term.lower())
        return addnodes.pending_xref(
            "",
            nodes.inline("", found, classes=["xref", "std", "std-term"]),
            refdomain="std",
            reftype="term",
            reftarget=term,
            refexplicit=True,
            refwarn=True,
            refdoc=place,
        )

    for text in [t for t in doctree.findall(nodes.Text) if free(t)]:
        words, pieces, start = text.astext(), [], 0
        for match in pattern.finditer(words):
            term = known.get(match.group(1).lower().replace("\u2019", "'"))
            if term is None:
                continue
            pieces += [nodes.Text(words[start : match.start()]), link(match.group(), term)]
            start = match.end()
        if pieces:
            pieces.append(nodes.Text(words[start:]))
            text.parent.replace(text, [p for p in pieces if p.astext()])


# ------------------------------------------------------------------------- the last hand

_CSV = re.compile(
    r'download="(?P<name>[a-z0-9-]+\.csv)" href="data:text/csv;charset=utf-8;base64,'
    r'(?P<data>[A-Za-z0-9+/=]+)"'
)
# A table of the prose, with the box around it; what follows is no link to its CSV.
_PROSE_TABLE = re.compile(
    r'<table class="(?:table|rt)"[^>]*>(?:(?!</table>).)*</table>\s*</div>(?!\s*<p class="rt-more)',
    re.DOTALL,
)
_SCRIPT = re.compile(r'[ \t]*<script[^>]*\bsrc="(?P<src>[^"]+)"[^>]*></script>\n?')
_ROOT = re.compile(r'data-content_root="([^"]*)"')
# A script's file name, and what a page has that uses it. The icons are drawn by a style
# sheet and fonts; the theme loads 1.5 MB of script that draws the same icons once more.
_NEEDS = {
    "charts.js": r'class="chart"',
    "tables.js": r"rt-search",
    "clipboard.min.js": r'class="highlight',
    "copybutton.js": r'class="highlight',
    "togglebutton.js": r'class="(?:[^"]* )?(?:toggle[ "]|admonition [^"]*dropdown[ "])',
    "design-tabs.js": r'class="sd-tab-',
    "tex-chtml.js": r'class="math ',
    "all.min.js": r"(?!)",
}
_PRELOADED_FONT = re.compile(
    r'<link rel="preload" as="font"[^>]*/fa-(?P<kind>\w+)-\d+\.woff2"[^>]*>\n?'
)

_PART = re.compile(r'<div data-part="(\w+)"></div>')
_CHART_PICTURE = re.compile(
    r'<img(?P<rest>[^>]*class="chart-picture(?:-narrow)?"[^>]*src="(?P<src>[^"]+\.svg)"[^>]*)>'
)
_SVG_SIZE = re.compile(r'width="(\d+(?:\.\d+)?)" height="(\d+(?:\.\d+)?)"')
_TAG = re.compile(r"<[^>]+>")
_THEME = re.compile(r'\[data-theme="?(light|dark)"?\]')
_UNNAMED = re.compile(r"(?P<link><a [^>]*>)([^<]+)</a><details([^>]*)><summary>")


def own_scripts(page: str) -> str:
    """A page without the scripts and fonts that nothing on it uses.

    Examples
    --------
    >>> own_scripts('<script src="_static/tables.js?v=1"></script>')
    ''
    >>> own_scripts('<script src="tables.js"></script><div class="rt-search">')
    '<script src="tables.js"></script><div class="rt-search">'
    """

    def keep(match):
        name = match["src"].partition("?")[0].rpartition("/")[2]
        return match.group() if re.search(_NEEDS.get(name, ""), page) else ""

    def keep_font(match):
        return match.group() if f"fa-{match['kind']}" in _PRELOADED_FONT.sub("", page) else ""

    return _PRELOADED_FONT.sub(keep_font, _SCRIPT.sub(keep, page))


def tables_as_files(page: str, place: str) -> tuple[str, dict[str, bytes]]:
    """A page whose tables link to CSV files, and the files.

    Parameters
    ----------
    page : str
        HTML in which `raters.show.tables` put each table's CSV into its link.
    place : str
        Where the files will be, seen from the page.

    Returns
    -------
    str, dict
        The page; each file's name and content.

    Examples
    --------
    >>> tables_as_files('<a download="t.csv" href="data:text/csv;charset=utf-8;base64,YQ==">', "x/")
    ('<a download="t.csv" href="x/t.csv">', {'t.csv': b'a'})
    """
    files = {m["name"]: base64.b64decode(m["data"]) for m in _CSV.finditer(page)}
    return _CSV.sub(rf'download="\g<name>" href="{place}\g<name>"', page), files


class _Cells(html.parser.HTMLParser):
    """The cells of a table as text, row by row."""

    def __init__(self, table):
        super().__init__()
        self.rows, self.inside = [], False
        self.feed(table)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        if tag in ("th", "td"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def with_parts(page: str, parts: dict[str, str]) -> str:
    """A page whose places for parts are filled; a part that is not there is an error.

    Examples
    --------
    >>> with_parts('<p>Read:</p><div data-part="talk"></div>', {"talk": "<p>Hello</p>"})
    '<p>Read:</p><!-- part --><p>Hello</p><!-- end of part -->'
    """
    return _PART.sub(lambda match: f"<!-- part -->{parts[match[1]]}<!-- end of part -->", page)


def sized(page: str, folder: Path) -> str:
    """A page whose charts' pictures say how wide and high they are, as their files do.

    Parameters
    ----------
    page : str
        HTML.
    folder : Path
        Where the page lies; the pictures' addresses start there.

    Returns
    -------
    str
    """

    def with_size(match):
        with open(folder / match["src"], encoding="utf-8") as file:
            width, height = _SVG_SIZE.search(file.read(400)).groups()
        return f'<img width="{width}" height="{height}"{match["rest"]}>'

    return _CHART_PICTURE.sub(with_size, page)


def shared_as(page: str, place: str, address: str) -> str:
    """What the head of a page says of it to those who show a link.

    Parameters
    ----------
    page : str
        HTML.
    place : str
        The page's own address within the site.
    address : str
        Of the site, ending in a slash.

    Returns
    -------
    str
        Elements of the head: the answer of the chapter, or else its first paragraph, as
        description; the title; the picture of the book.

    Examples
    --------
    >>> head = shared_as("<title>A &#8212; B</title><article><p>One <b>two</b>.</p>", "a.html", "/")
    >>> print(head.splitlines()[0])
    <meta name="description" content="One two.">
    """
    paragraphs = [
        " ".join(_TAG.sub("", found).split())
        for found in re.findall(r"<p>(.*?)</p>", page.partition("<article")[2], re.DOTALL)
    ]
    answers = [text for text in paragraphs if text.startswith("Answer.")]
    text = (answers or paragraphs or [""])[0].removeprefix("Answer. ").replace('"', "&quot;")
    title = page.partition("<title>")[2].partition("</title>")[0].partition(" &#8212; ")[0]
    said = {
        "og:title": title.replace('"', "&quot;"),
        "og:description": text,
        "og:type": "article",
        "og:url": address + place,
        "og:image": f"{address}_static/share.png",
        "og:image:alt": "A table of seven raters: who agrees with whom.",
        "twitter:card": "summary_large_image",
    }
    lines = [f'<meta name="description" content="{text}">']
    lines += [f'<meta property="{name}" content="{value}">' for name, value in said.items()]
    return "\n".join(lines) + "\n"


def links_to_tables(page: str) -> str:
    """A page whose prose tables have a link with their CSV, as the computed ones have.

    Examples
    --------
    >>> table = '<div><table class="table"><tr><th>a</th></tr><tr><td>b</td></tr></table></div>'
    >>> page, files = tables_as_files(links_to_tables(table), "x/")
    >>> list(files.values()), page.endswith(">Download this table as CSV</a></p>")
    ([b'a\\nb\\n'], True)
    >>> links_to_tables(page) == page  # it has its link
    True
    """
    import pandas as pd

    from raters.show import tables as display

    def linked(match):
        head, *rows = [[" ".join(c.split()) for c in row] for row in _Cells(match[0]).rows]
        caption = ", ".join(filter(None, head)) or "table"
        return match[0] + display.table(pd.DataFrame(rows, columns=head), caption)._link()

    return _PROSE_TABLE.sub(linked, page)


def plain_theme(styles: list[str]) -> str:
    """The theme's colours for readers without JavaScript.

    The theme names its colours under ``data-theme="light"`` and ``"dark"``, which a script
    sets. Without it the page says ``"auto"``, and has none.

    Parameters
    ----------
    styles : list of str
        The style sheets.

    Returns
    -------
    str
        The same colours for ``"auto"``, by the reader's system.

    Examples
    --------
    >>> print(plain_theme(['html[data-theme="dark"] p{color:red}a{b:c}']))
    @media (prefers-color-scheme: dark) {
    html[data-theme="auto"] p{color:red}
    }
    """
    lines = []
    for selector, colours in _themed(styles):
        themes = set(_THEME.findall(selector))
        selector = _THEME.sub('[data-theme="auto"]', selector)
        rule = f"{selector}{{{colours}}}"
        if len(themes) == 1:
            rule = f"@media (prefers-color-scheme: {themes.pop()}) {{\n{rule}\n}}"
        lines.append(rule)
    return "\n".join(lines)


def paper_theme(styles: list[str]) -> str:
    """The theme's light colours whatever the theme: browsers print no dark grounds.

    Examples
    --------
    >>> print(paper_theme(['html[data-theme="light"] p{color:red}a{b:c}']))
    html{color-scheme:light !important}
    html[data-theme] p{color:red}
    """
    lines = ["html{color-scheme:light !important}"]
    for selector, colours in _themed(styles):
        if set(_THEME.findall(selector)) == {"light"}:
            lines.append(f"{_THEME.sub('[data-theme]', selector)}{{{colours}}}")
    return "\n".join(lines)


def _themed(styles):
    """The rules that depend on the theme: selector and declarations."""
    for style in styles:
        bare = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
        for selector, colours in re.findall(r"([^{}]*\[data-theme[^{}]*)\{([^{}]*)\}", bare):
            yield selector.strip(), colours.strip()


def finish(site: Path, source: Path, address: str = "") -> None:
    """Go over all pages of a finished site.

    Parameters
    ----------
    site : Path
        The folder of the pages.
    source : Path
        The folder that they were made from.
    address : str
        Of the site on the web, as ``_config.yml`` has it.
    """
    parts = {path.stem: path.read_text("utf-8") for path in source.glob("book/parts/*.html")}
    static = site / "_static"
    names = [*sorted((static / "styles").glob("*.css")), static / "pygments.css"]
    made = {static / "noscript.css", static / "paper.css"}
    names += sorted(set(static.glob("*.css")) - {*names, *made})
    styles = [path.read_text(encoding="utf-8") for path in names if path.is_file()]
    for path, text in zip(sorted(made), (plain_theme(styles), paper_theme(styles)), strict=True):
        path.write_text(text, encoding="utf-8", newline="\n")
    search = static / "searchtools.js"
    text = only_the_article_is_quoted(search.read_text(encoding="utf-8"))
    search.write_text(text, encoding="utf-8", newline="\n")
    edited = edit_targets(source)
    for path in sorted(site.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        root = _ROOT.search(page)
        if root is None:  # not a page of the theme: the first page only leads on
            continue
        style = f'<link rel="stylesheet" href="{root[1]}_static/'
        more = f'<noscript>{style}noscript.css"></noscript>\n{style}paper.css" media="print">\n'
        page = sized(with_parts(page, parts), path.parent)
        more += shared_as(page, path.relative_to(site).as_posix(), address)
        page = page.replace("</head>", f"{more}</head>", 1)
        page = own_scripts(page)
        # The theme's buttons that open a part of the table of contents have no name.
        page = _UNNAMED.sub(r'\g<link>\2</a><details\3><summary aria-label="Pages of: \2">', page)
        page, files = tables_as_files(links_to_tables(page), f"{root[1]}_static/tables/")
        for name, data in files.items():
            target = static / "tables" / name
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data)
        given = path.relative_to(site).with_suffix("").as_posix()
        for old, new in edited.get(given, ()):
            page = other_source(page, old, new, site, source)
        path.write_text(page, encoding="utf-8", newline="\n")


def other_source(page: str, old: str, new: str, site: Path, source: Path) -> str:
    """A page whose "edit" opens another file, and whose download is a file that is there.

    The download is that other file, too, if it was laid out with the book: it is copied.

    Parameters
    ----------
    page : str
        HTML.
    old, new : str
        From `edit_targets`.
    site, source : Path
        See `finish`.

    Returns
    -------
    str
    """
    file = source / new.lstrip("/")
    if file.is_file():
        target = site / "_sources" / new.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
        return page.replace(old, new)
    return re.sub(rf"(?<!_sources){re.escape(old)}", new, page)


def only_the_article_is_quoted(script: str) -> str:
    """The search script, quoting a page's article without the furniture around it.

    Raises
    ------
    ValueError
        Sphinx's script has changed: the place is not there.

    Examples
    --------
    >>> only_the_article_is_quoted('for (const q of [".headerlink", "script", "style"])')
    'for (const q of [".headerlink", "script", "style", ".d-print-none", ".onlyprint", ".bd-toc"])'
    """
    old = '[".headerlink", "script", "style"]'
    if script.count(old) != 1:
        raise ValueError(f"{old} is not once in Sphinx's searchtools.js: mend book/pages.py")
    return script.replace(old, f'{old[:-1]}, ".d-print-none", ".onlyprint", ".bd-toc"]')


def edit_targets(source: Path) -> dict[str, list[tuple[str, str]]]:
    """For each page whose text is elsewhere: what in it names the page, and what it should.

    Parameters
    ----------
    source : Path
        The folder that the pages are made from.

    Returns
    -------
    dict
        Page to pairs of a piece of an address and its replacement.
    """
    found = {"book/status": [("/book/status.md", "/book/build/stage.py")]}
    for path in sorted(source.glob("book/**/*.md")):
        included = re.fullmatch(r"```\{include\} (\S+)\n```", path.read_text("utf-8").strip())
        if included:
            page = path.relative_to(source)
            target = (path.parent / included[1]).resolve().relative_to(source.resolve())
            found[page.with_suffix("").as_posix()] = [
                (f"/{page.as_posix()}", f"/{target.as_posix()}")
            ]
    return found


def _finished(app, exception) -> None:
    if exception is None and app.builder.format == "html":
        finish(Path(app.outdir), Path(app.srcdir), app.config.html_baseurl)


def setup(app) -> dict:
    """What Sphinx calls."""
    app.connect("doctree-read", link_terms)
    app.connect("build-finished", _finished, priority=900)  # after the theme's own
    return {"parallel_read_safe": True, "parallel_write_safe": True}
