"""Verdicts on pairs in both orders."""

from __future__ import annotations

import math

import pandas as pd


def settle_pairs(verdicts: pd.DataFrame) -> pd.DataFrame:
    """One result for each pair that was judged in both orders.

    Parameters
    ----------
    verdicts : DataFrame
        The columns ``item`` (the pair), ``rater``, ``first``, ``second`` and ``rating`` (a
        system or ``"tie"``, already mapped back), perhaps ``dimension``; a row for each order.

    Returns
    -------
    DataFrame
        The columns ``item, rater``, perhaps ``dimension``, then ``result, rating,
        n_orders``. A system wins a pair only if both orders say so: otherwise `result` is
        ``"inconsistent"`` and `rating` is ``"tie"``. A pair judged in one order only is
        ``"one order"`` and has no rating.

    Notes
    -----
    Source: Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena,
    section 3.4 (swapping positions, a win only if both orders agree).

    Examples
    --------
    >>> rows = pd.DataFrame({"item": ["p", "p"], "rater": "j", "first": ["X", "Y"],
    ...                      "second": ["Y", "X"], "rating": ["X", "Y"]})
    >>> settle_pairs(rows)[["result", "rating"]].to_numpy().tolist()
    [['inconsistent', 'tie']]
    """
    rows = []
    keys = [name for name in ("item", "rater", "dimension") if name in verdicts]
    for key, part in verdicts.groupby(keys, sort=False):
        orders = part.drop_duplicates(["first", "second"])
        said = set(part["rating"].dropna())
        complete = len(orders) == 2 and part["rating"].notna().all()
        swapped = complete and set(orders["first"]) == set(orders["second"])
        if not swapped:
            result, rating = "one order", None
        elif len(said) == 1:
            result = rating = said.pop()
        else:
            result, rating = "inconsistent", "tie"
        rows.append((*key, result, rating, len(orders)))
    return pd.DataFrame(rows, columns=[*keys, "result", "rating", "n_orders"])


def order_effect(verdicts: pd.DataFrame) -> dict:
    """How much a judge's verdicts hang on the order.

    Parameters
    ----------
    verdicts : DataFrame
        As in `settle_pairs`.

    Returns
    -------
    dict
        ``n_pairs``, ``n_inconsistent``, ``consistency`` (share of pairs judged in both orders
        that keep their result), ``n_decisive`` verdicts and ``share_of_first`` among them;
        NaN where there is nothing to divide by.

    Examples
    --------
    >>> rows = pd.DataFrame({"item": ["p", "p"], "rater": "j", "first": ["X", "Y"],
    ...                      "second": ["Y", "X"], "rating": ["X", "Y"]})
    >>> order_effect(rows)["share_of_first"]
    1.0
    """
    settled = settle_pairs(verdicts)
    both = settled[settled["result"] != "one order"]
    decisive = verdicts[verdicts["rating"].notna() & (verdicts["rating"] != "tie")]
    n_inconsistent = int((both["result"] == "inconsistent").sum())
    return {
        "n_pairs": len(settled),
        "n_one_order": len(settled) - len(both),
        "n_inconsistent": n_inconsistent,
        "consistency": 1 - n_inconsistent / len(both) if len(both) else math.nan,
        "n_decisive": len(decisive),
        "share_of_first": float((decisive["rating"] == decisive["first"]).mean())
        if len(decisive)
        else math.nan,
    }
