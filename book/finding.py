"""Draw the README's chart anew: `make finding`. It is the first chart of the book."""

from pathlib import Path

import vl_convert

import judging_empathy as paper
from judging_empathy import chart_data, sentences
from raters.show import charts

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


if __name__ == "__main__":
    TARGET.write_text(vl_convert.vegalite_to_svg(finding().to_dict()), encoding="utf-8")
    print(TARGET.name)
