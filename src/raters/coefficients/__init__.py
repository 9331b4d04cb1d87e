"""The coefficients, each as a function of sums over items.

A coefficient takes the ratings of one dimension (items x raters) and returns
`Sums`: per-item terms, and how to finish their totals into the coefficient.
The totals of any resample are the item multiplicities times the terms, so the
estimate, every bootstrap replicate and every leave-one-out value come from the
same two lines of arithmetic. In place of the matrix they also take `Ratings`, whose rows
may stand for many items.

An undefined value is NaN: nothing here invents a 0 or a 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from raters.coefficients.alpha import (
    krippendorff_alpha,
    krippendorff_alpha_interval,
    krippendorff_alpha_nominal,
    krippendorff_alpha_ordinal,
    krippendorff_alpha_ratio,
)
from raters.coefficients.base import Sums
from raters.coefficients.chance import (
    brennan_prediger,
    brennan_prediger_quadratic,
    conger_kappa,
    conger_kappa_quadratic,
    fleiss_kappa,
    fleiss_kappa_quadratic,
    gwet_ac1,
    gwet_ac2,
    mean_percent_agreement,
)
from raters.coefficients.concordance import kendall_w
from raters.coefficients.f1 import f1_at_least, f1_macro, f1_micro, f1_of, f1_weighted
from raters.coefficients.icc import icc1, icc1k, icc2, icc2k, icc3, icc3k
from raters.coefficients.kappa import (
    cohen_kappa,
    scott_pi,
    weighted_kappa,
    weighted_kappa_linear,
    weighted_kappa_quadratic,
    weighted_kappa_quadratic_centred,
    weighted_kappa_quadratic_published,
)
from raters.coefficients.pairs import mean_difference, percent_agreement
from raters.coefficients.ranks import kendall_tau_b, lin_concordance, spearman_rho
from raters.coefficients.ratings import Ratings
from raters.errors import RatingsError
from raters.scale import Scale

PAIR = {
    f.__name__: f
    for f in (
        percent_agreement,
        cohen_kappa,
        weighted_kappa_linear,
        weighted_kappa_quadratic,
        weighted_kappa_quadratic_centred,
        weighted_kappa_quadratic_published,
        scott_pi,
        lin_concordance,
        spearman_rho,
        kendall_tau_b,
        f1_weighted,
        f1_macro,
        f1_micro,
        mean_difference,
    )
}
MANY = {
    f.__name__: f
    for f in (
        mean_percent_agreement,
        krippendorff_alpha_nominal,
        krippendorff_alpha_ordinal,
        krippendorff_alpha_interval,
        krippendorff_alpha_ratio,
        fleiss_kappa,
        fleiss_kappa_quadratic,
        conger_kappa,
        conger_kappa_quadratic,
        gwet_ac1,
        gwet_ac2,
        brennan_prediger,
        brennan_prediger_quadratic,
        kendall_w,
        icc1,
        icc2,
        icc3,
        icc1k,
        icc2k,
        icc3k,
    )
}
# Coefficients that use the order or the values of the levels: on a nominal scale they
# would rank labels by nothing at all.
NEEDS_ORDER = {
    "weighted_kappa_linear",
    "weighted_kappa_quadratic",
    "weighted_kappa_quadratic_centred",
    "weighted_kappa_quadratic_published",
    "lin_concordance",
    "spearman_rho",
    "kendall_tau_b",
    "mean_difference",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "fleiss_kappa_quadratic",
    "conger_kappa_quadratic",
    "gwet_ac2",
    "brennan_prediger_quadratic",
    "kendall_w",
    "icc1",
    "icc2",
    "icc3",
    "icc1k",
    "icc2k",
    "icc3k",
}
# Coefficients of many raters that ask who gave a rating. Those of pairs all do.
NEEDS_RATERS = {
    "conger_kappa",
    "conger_kappa_quadratic",
    "kendall_w",
    "icc2",
    "icc3",
    "icc2k",
    "icc3k",
}
_THRESHOLDS = "f1_weighted_at_least"

__all__ = [
    "MANY",
    "NEEDS_ORDER",
    "NEEDS_RATERS",
    "PAIR",
    "Ratings",
    "Sums",
    "chosen",
    "f1_of",
    "krippendorff_alpha",
    "weighted_kappa",
    *PAIR,
    *MANY,
]


def chosen(statistics, known: Mapping, scale: Scale) -> dict[str, Callable]:
    """The functions for some names of statistics, on one scale.

    Parameters
    ----------
    statistics : str, sequence of str, or mapping of str to callable
        Names; or names with functions of ``(x, scale)`` that return `Sums` and take
        `Ratings` as x, such
        as `weighted_kappa` makes. ``"f1_weighted_at_least"`` stands for one weighted
        F1 of `rating >= level` for each level above the lowest, named
        ``f1_weighted_at_least_<level>``.
    known : mapping
        `PAIR` or `MANY`.
    scale : Scale
        The scale of the dimension.

    Returns
    -------
    dict
        Name to function.

    Raises
    ------
    RatingsError
        An unknown name, or one that needs an order on a nominal scale.

    Examples
    --------
    >>> list(chosen("f1_weighted_at_least", PAIR, Scale([0, 1, 2])))
    ['f1_weighted_at_least_1', 'f1_weighted_at_least_2']
    """
    if isinstance(statistics, Mapping):
        _own(statistics, known)
        return dict(statistics)
    names = [statistics] if isinstance(statistics, str) else statistics
    if not isinstance(names, Iterable) or not (names := list(names)):
        raise RatingsError(
            f"statistics={statistics!r}",
            f"one name, or a list of names: {_list(known, known)}",
            "name the statistics",
        )
    result = {}
    for name in names:
        result |= _named(name, known, scale)
    return result


def _own(statistics, known):
    """Refuse a mapping of names to what are no functions, or functions of other ratings."""
    other = {id(function) for function in (PAIR if known is MANY else MANY).values()}
    for name, function in statistics.items():
        if not callable(function) or id(function) in other:
            raise RatingsError(
                f"the statistic {name!r} with {function!r}",
                "functions of (x, scale), for "
                + ("two raters" if known is PAIR else "many raters"),
                "give names in a list, or functions such as weighted_kappa makes",
            )


def _named(name, known, scale):
    ordered = scale.measurement != "nominal" or not isinstance(name, str)
    if not ordered and (name in NEEDS_ORDER or name == _THRESHOLDS):
        raise RatingsError(
            f"the statistic {name!r} on a nominal scale ({scale.describe()})",
            f"statistics that need no order: {_list(set(known) - NEEDS_ORDER, known)}",
            "choose one of these, or declare the order: Scale([...], measurement='ordinal')",
        )
    if isinstance(name, str) and name in known:
        return {name: known[name]}
    if name == _THRESHOLDS and known is PAIR:
        return {f"{name}_{value:g}": f1_at_least(value) for value in sorted(scale.values)[1:]}
    offered = [*known, _THRESHOLDS] if known is PAIR else list(known)
    raise RatingsError(
        f"the statistic {name!r}",
        ", ".join(offered),
        "use one of these names (statistics for two raters go with pairwise, "
        "those for any number with agreement)",
    )


def _list(names: Iterable[str], order: Mapping) -> str:
    return ", ".join(name for name in order if name in set(names))
