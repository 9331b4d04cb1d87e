"""A paragraph on methods to paste, with the works it cites."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from raters.judges.rule import LEAST_DISAGREE, LEAST_ITEMS
from raters.text import count_of, few

WORKS = {
    "calderon2025": "Calderon, N., Reichart, R., Dror, R. (2025). The alternative annotator test "
    "for LLM-as-a-judge. Proceedings of ACL.",
    "cohen1960": "Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational "
    "and Psychological Measurement 20, 37-46. doi:10.1177/001316446002000104",
    "cohen1968": "Cohen, J. (1968). Weighted kappa: nominal scale agreement provision for scaled "
    "disagreement or partial credit. Psychological Bulletin 70, 213-220. doi:10.1037/h0026256",
    "efron1993": "Efron, B., Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman "
    "& Hall. doi:10.1201/9780429246593",
    "gwet2008": "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the "
    "presence of high agreement. British Journal of Mathematical and Statistical Psychology 61, "
    "29-48. doi:10.1348/000711006X126600",
    "holm1979": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6, 65-70.",
    "kottner2011": "Kottner, J., et al. (2011). Guidelines for reporting reliability and agreement "
    "studies (GRRAS) were proposed. Journal of Clinical Epidemiology 64, 96-106. "
    "doi:10.1016/j.jclinepi.2010.03.002",
    "krippendorff2019": "Krippendorff, K. (2019). Content analysis: an introduction to its "
    "methodology (4th ed.). Sage. doi:10.4135/9781071878781",
}
_CITED = {
    "krippendorff_alpha": ("Krippendorff's alpha", "(Krippendorff, 2019)", "krippendorff2019"),
    "gwet_ac": ("Gwet's AC", "(Gwet, 2008)", "gwet2008"),
    "weighted_kappa_quadratic": ("quadratic weighted kappa", "(Cohen, 1968)", "cohen1968"),
    "cohen_kappa": ("Cohen's kappa", "(Cohen, 1960)", "cohen1960"),
}
PACKAGES = ("numpy", "pandas", "scipy")


def versions() -> dict[str, str]:
    """What the numbers were computed with.

    Returns
    -------
    dict of str to str
    """
    found = {"python": platform.python_version()}
    for name in ("raters", *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed as a package"
    return found


def paragraph(analysis) -> tuple[str, list[str]]:
    """The paragraph, and the works that it cites.

    Parameters
    ----------
    analysis : raters.report.analysis.Analysis

    Returns
    -------
    text : str
    works : list of str
        In the order of the alphabet.
    """
    cited: set[str] = set()
    parts = [_data(analysis)]
    if "agreement" in analysis.tables or "pairs" in analysis.tables:
        parts.append(_agreement(analysis, cited))
    if "benchmark" in analysis.tables:
        parts.append(_benchmark(analysis, cited))
    if "level_and_order" in analysis.tables:
        parts.append(
            "The shift of level is the judge's mean rating less that of the experts' median; "
            "kappa was computed as rated and after this shift was taken away."
        )
    found = versions()
    parts.append(
        f"Computed with raters {found['raters']} (Python {found['python']}, "
        + ", ".join(f"{name} {found[name]}" for name in PACKAGES)
        + ")."
    )
    return " ".join(parts), [WORKS[key] for key in sorted(cited)]


def _data(analysis):
    counts, config = analysis.reading.counts, analysis.reading.config
    on = ""
    if analysis.dimensions != ["all"]:
        names = ", ".join(analysis.dimensions[:12])
        on = f" on {count_of(len(analysis.dimensions), 'dimension')} ({names})"
    text = f"{count_of(counts['raters'], 'rater')} rated {count_of(counts['items'], 'item')}{on}"
    scales = {analysis.scale_of(d) for d in analysis.dimensions}
    sets = [d for d in analysis.dimensions if analysis.sets_on(d)]
    if sets:
        text += _on_sets(analysis, sets)
    elif len(scales) == 1:
        scale = next(iter(scales))
        levels = few([scale.name_of(v) for v in scale.values]).replace("'", "")
        text += f", with the levels {levels} ({scale.measurement})"
    text += f": {count_of(counts['ratings'], 'rating')}."
    if counts["missing"]:
        text += f" {count_of(counts['missing'], 'rating')} were missing; nothing was filled in."
    if counts["dropped"]:
        text += f" {count_of(counts['dropped'], 'row')} could not be read and were left out."
    turned = [f"{key} {', '.join(who)}" for key, who in config.reversed.items() if who]
    if turned:
        text += f" Reversed before the analysis: {'; '.join(turned)}."
    if analysis.reading.counts["answers"]:
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in analysis.reading.counts["answers"].items())
        text += f" Answers in free text were read by declared rules: {kinds}."
    return text


def _on_sets(analysis, sets):
    """What a rating is where raters give several labels: the labels, not their combinations."""
    config = analysis.reading.config
    labels = dict.fromkeys(str(level) for d in sets for level in config.rules_of(d).levels)
    where = "" if len(sets) == len(analysis.dimensions) else f" ({few(sets, 6)})".replace("'", "")
    named = few(list(labels)).replace("'", "")
    return (
        f", with sets of the labels {named}{where}; two sets were counted as equal only where they "
        "are identical"
    )


def _names(statistics, cited):
    said = []
    for statistic in statistics:
        for start, (name, work, key) in _CITED.items():
            if statistic.startswith(start):
                cited.add(key)
                kind = statistic.removeprefix("krippendorff_alpha").strip("_")
                kind = f" for {kind} data" if start == "krippendorff_alpha" else ""
                said.append(f"{name}{kind} {work}")
    return ", ".join(dict.fromkeys(said))


def _agreement(analysis, cited):
    parts = []
    found = analysis.tables
    if "agreement" in found:
        names = _names(found["agreement"]["statistic"].unique(), cited)
        parts.append(f"Agreement within groups was measured by {names}.")
    if "pairs" in found:
        names = _names(found["pairs"]["statistic"].unique(), cited)
        parts.append(f"Two raters were compared by {names} on the items that both rated.")
    used = {found[name].attrs["resamples"] for name in ("agreement", "pairs") if name in found}
    draws = " and ".join(f"{number:,}" for number in sorted(used))
    cited.add("efron1993")
    parts.append(
        f"Intervals are {100 * analysis.level:g} % percentile intervals from {draws} resamples of "
        f"items (Efron and Tibshirani, 1993; seed {analysis.seed})."
    )
    return " ".join(parts)


def _benchmark(analysis, cited):
    draws = analysis.benchmark.attrs["resamples"]
    names = _names(analysis.benchmark["statistic"].unique(), cited)
    cited |= {"calderon2025", "holm1979"}
    return (
        f"Each judge ({', '.join(analysis.judges[:6])}) was held against {len(analysis.experts)} "
        f"experts ({', '.join(analysis.experts[:6])}) by {names}: the mean over judge and expert "
        "less the mean over the pairs of experts, on the same items and the same "
        f"{draws:,} resamples. A leave-one-out reading (after Calderon et al., 2025) and the "
        "judge against the experts' median are given beside it. Differences up to "
        f"{analysis.margin:g} were taken not to matter (two one-sided tests); p-values were "
        "corrected over the dimensions (Holm, 1979). A judge was called above the experts only if "
        "an exchange test within items bore it out; no verdict was given below "
        f"{LEAST_ITEMS} items, or {LEAST_DISAGREE} on which judge or experts differed."
    )
