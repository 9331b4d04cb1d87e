"""Charts outside the pages: the README's (`make finding`), and what a shared link shows."""

from pathlib import Path

import vl_convert

import judging_empathy as paper
from judging_empathy import chart_data, sentences
from raters.show import charts, charts_judge

TARGET = Path(__file__).parent / "_static" / "finding.svg"


def finding():
    """The chart of the index, from the published ratings."""
    pairs = paper.Study("published").table("pairwise", resamples=0)
    return charts.bands(
        paper.titled(chart_data.bands(pairs)),
        paper.titled(chart_data.against_each_expert(pairs)),
        "Who agrees with an expert, and how well?",
        sentences.finding(pairs),
        "kappa with a single expert",
        "expert pairs",
    )


def share(study: str) -> bytes:
    """A PNG of the two islands: the first chart of the book's start page."""
    pairs = paper.Study(study).table("pairwise", resamples=0)
    chart = charts_judge.matrix(
        chart_data.islands(pairs),
        "Who agrees with whom? Dismissing emotions",
        sentences.islands(pairs),
    )
    return vl_convert.vegalite_to_png(chart.to_dict(), scale=2)


if __name__ == "__main__":
    TARGET.write_text(vl_convert.vegalite_to_svg(finding().to_dict()), encoding="utf-8")
    print(TARGET.name)
