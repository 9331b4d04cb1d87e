"""What the tests of the report share: small analyses, and what a page is read with."""

from html import unescape
from html.parser import HTMLParser

from raters.io.config import Config, ScaleRules, Source
from raters.report.analysis import Analysis

TITLES = [
    "In short",
    "The data as read",
    "Agreement within groups",
    "Pairs of raters",
    "Judges against the experts",
    "Level or order",
    "The largest disagreements",
    "What this number of items allows",
    "Methods, to paste",
    "Checklist",
    "Files",
]


LONG = Source(item="item", rater="rater", rating="rating", group="group")


FIVE = ScaleRules([1, 2, 3, 4, 5])


WRITTEN = set("div p h3 ul li table caption thead tbody tr th td a wbr figure picture source "  # noqa: SIM905
              "img figcaption".split())  # fmt: skip


class Tags(HTMLParser):
    """The tags of a page and their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def small(tmp_path, text, scale=FIVE, **more):
    path = tmp_path / "r.csv"
    path.write_text(text, encoding="utf-8")
    return Analysis.read([path], Config([LONG], scale, **more), resamples=200)


def html(section):
    return unescape("\n".join(section.parts))


HOSTILE = [
    "<img src=x onerror=\"globalThis.stolen='img'\">",
    "</script><script>globalThis.stolen='script'</script>",
    '=HYPERLINK("http://evil.example/","x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "[link](javascript:globalThis.stolen='md')",
    "' onmouseover='globalThis.stolen=1",
    "a\u202eb",
    "x" * 400,
    "{{ 7 * 7 }}",
    "line 1\nline 2",
    "None",
    "007",
    "&lt;b&gt;",
    "\U0001f600 \u2028",
]


RATERS = ["<b>ann</b>", "=cmd|' /C calc'!A0", 'cleo"><script>globalThis.stolen="r"</script>']


LABELS = ["<i>good</i>", "=bad", "@so-so"]


EXPERTS = "<u>experts</u>"


SETS = "item,rater,group,rating\n" + "".join(
    f"{item},{who},g,{cell}\n"
    for item, cells in {
        "a": ("joy", "joy; fear", "fear"), "b": ("joy", "joy", "joy"), "c": (";", "fear", ""),
        "d": ("joy;fear", "fear;joy", "joy; anger"),
    }.items()
    for who, cell in zip(("ann", "bob", "cleo"), cells)
)  # fmt: skip
