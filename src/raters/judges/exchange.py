"""Is the judge one more expert? Within each item the ratings change hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import pandas as pd

from raters.draws import Draws, generator
from raters.judges.paired import Asked, Difference, differences_of
from raters.judges.rule import ABOVE, BELOW, DIFFER, UNDEFINED, Standing, too_few

EXCHANGE = [
    "judge",
    "framework",
    "dimension",
    "statistic",
    "difference",
    "p",
    "p_experts",
    "finding",
    "resembles",
    "n_items",
    "n_disagree",
    "note",
    "undefined",
]
EXCHANGES = 1000
NOT_SHOWN = "no difference shown"
_TIE = 1e-9  # differences that differ by less are one difference
# Cells of draws: in memory at a time; kept, as all dimensions of a framework want the same.
_AT_ONCE, _KEPT = 12_500_000, 2_500_000


def exchange_test(
    ratings: pd.DataFrame,
    scale,
    judge: str | Sequence[str],
    reference: str | Sequence[str] = "expert",
    statistics: str | Sequence[str] | Mapping[str, Callable] = "weighted_kappa_quadratic",
    exchanges: int = EXCHANGES,
    seed: int = 0,
    mean: bool = True,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Is the judge one more expert?

    Parameters
    ----------
    ratings, scale, judge, reference, statistics, mean
        As in `benchmark`.
    exchanges, seed : int
        How many random exchanges, the ratings as they are among them; their seed.
    alpha : float
        Error rate of a finding.

    Returns
    -------
    DataFrame
        One row a judge, framework, dimension and statistic: ``difference`` as in the reading
        ``single`` of `benchmark`; ``p``, two-sided; ``p_experts``, the smallest p-value of an
        expert held against the other experts in the same way, times the number of experts;
        ``finding``; ``resembles``, the expert with whom the judge agrees most; ``n_items`` and
        ``n_disagree``, the items on which judge or experts differ.

    Raises
    ------
    RatingsError
        As in `benchmark`.

    Notes
    -----
    The hypothesis: within an item the ratings of judge and experts are exchangeable, so it
    is chance who of them gave which. In every item all who rated it hand their rating on by
    the same number of places, drawn anew for each item: so the judge's comes from each of
    them equally often. The difference is computed anew. p is twice the share of exchanges
    with a difference at least as far out as the one found, on the side where there are
    fewer. Such moves can be undone and repeated, so the test is exact for this hypothesis,
    with any number of items and any coefficient.

    The hypothesis says more than "the judge agrees with the experts as they do": it is wrong
    too where raters differ in level or noise, experts among themselves as well. So the
    experts are held against each other by the same test. Where one of them fails
    (``p_experts`` of 0.1 or less) experts are not exchangeable either: the finding is only
    that they differ, and ``resembles`` says who is nearest to the judge. With two experts
    this cannot be looked at, and ``p_experts`` is empty.

    Simulated with three experts (`benchmarks/verdicts.py`): where all four are exchangeable,
    one more expert is found above in 0 to 4 % of studies (nominal 2.5 %), with even or
    lopsided levels, raters who agree on 95 % of the items, or one class of 5 %. Where raters
    differ in level or noise it is 10 to 25 % with 200 items; the experts' own test takes most
    of these out.

    Sources: Fisher (1935), The Design of Experiments, section 21 (the randomisation test);
    Phipson and Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9,
    article 39 (why the ratings as they are count among the exchanges).

    Examples
    --------
    >>> from raters import Scale
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(2, 5, 40)
    >>> frame = pd.DataFrame({
    ...     "item": list(range(40)) * 4, "rater": np.repeat(["a", "b", "c", "judge"], 40),
    ...     "group": np.repeat(["expert"] * 3 + ["llm"], 40),
    ...     "rating": np.concatenate([true + rng.integers(-1, 2, 40) for _ in range(4)])})
    >>> found = exchange_test(frame, Scale([1, 2, 3, 4, 5]), "judge", exchanges=200)
    >>> found[["finding", "n_disagree"]].to_numpy().tolist()
    [['no difference shown', 38]]
    """
    asked = Asked.of(ratings, scale, judge, reference, statistics, "single", mean)
    at = standings(asked, exchanges, seed)
    rows = []
    for one in differences_of(asked, lambda table: Draws(len(table.items), 0, seed)):
        stands = at(one)
        rows.append(
            {
                **one.labels,
                "difference": one.difference,
                "p": stands.p,
                "p_experts": stands.p_experts,
                "finding": str(_finding(one, stands, alpha)),
                "resembles": stands.resembles,
                "n_items": one.n_items,
                "n_disagree": one.n_disagree,
                "note": one.note,
                "undefined": one.undefined,
            }
        )
    return pd.DataFrame(rows, columns=EXCHANGE)


def _finding(one, stands, alpha):
    if not np.isfinite(one.difference):
        return UNDEFINED
    few = too_few(one.basis)
    if few:
        return few
    if stands.experts_differ:
        return DIFFER
    if not stands.p <= alpha:
        return NOT_SHOWN
    return ABOVE if stands.up else BELOW


def standings(asked: Asked, exchanges: int, seed: int) -> Callable[[Difference], Standing]:
    """Where each judge stands among the experts, by exchange.

    Parameters
    ----------
    asked : Asked
    exchanges, seed : int
        As in `exchange_test`.

    Returns
    -------
    callable
        Takes a difference, returns the `Standing` of its judge: by the reading ``single``,
        whatever the difference's own.
    """
    judged = {
        (judge, *place): _p(draws)
        for judge in asked.judges
        for place, draws in _exchanged(asked, judge, asked.experts, exchanges, seed)
    }
    of_experts: dict[tuple, list[float]] = {}
    if len(asked.experts) > 2:
        for expert in asked.experts:
            others = [name for name in asked.experts if name != expert]
            for place, draws in _exchanged(asked, expert, others, exchanges, seed):
                of_experts.setdefault(place, []).append(_p(draws)[0])
    nearest = {
        (judge, table.framework, table.dimension, name): _nearest(asked, table, judge, function)
        for table in asked.tables
        for name, function in asked.functions(table.scale).items()
        for judge in asked.judges
    }

    def at(one):
        place = _place(one)
        who = one.labels["judge"], *place
        if who not in judged:
            return Standing()
        p, up = judged[who]
        each = of_experts.get(place, [np.nan])
        p_experts = min(1.0, len(each) * min(each)) if np.isfinite(each).all() else np.nan
        return Standing(p, up, p_experts, nearest.get(who, ""))

    return at


def _place(one):
    return tuple(one.labels[c] for c in ("framework", "dimension", "statistic"))


def _exchanged(asked, judge, experts, exchanges, seed):
    """The differences of one judge after each exchange, with their place in the result."""
    stacked, turns = [], {}
    for table in asked.tables:
        one, places = _stacked(table, judge, experts)
        stacked.append(one)
        turns[one.framework, one.dimension] = Turns(
            len(places), exchanges, seed, one.framework, None, places, len(experts) + 1
        )
    alone = replace(
        asked, tables=stacked, experts=list(experts), judges=[judge], readings=["single"]
    )
    for one in differences_of(alone, lambda table: turns[table.framework, table.dimension]):
        yield _place(one), one.draws


def _p(draws):
    """The two-sided p-value of the first of some values, and whether it is high up.

    Values that are not defined count as farther out: no evidence against the hypothesis.
    """
    if not draws.size or not np.isfinite(draws[0]):
        return np.nan, False
    high, low = (~(draws < draws[0] - _TIE)).mean(), (~(draws > draws[0] + _TIE)).mean()
    return float(min(1.0, 2 * min(high, low))), bool(high < low)


def _nearest(asked, table, judge, function):
    """The expert with whom the judge agrees most; all of them where several do."""
    column = dict(zip(table.raters, table.values.T))
    values = {
        expert: function(np.column_stack([column[expert], column[judge]]), table.scale).estimate()
        for expert in asked.experts
    }
    known = {expert: value for expert, value in values.items() if np.isfinite(value)}
    most = max(known.values(), default=np.nan)
    return " and ".join(expert for expert, value in known.items() if value > most - _TIE)


def _stacked(table, judge, experts):
    """The table once for each number of places by which ratings move, below each other.

    Also by how many places they can move in each item: as many as it has ratings, or one
    where the judge has none.
    """
    columns = [table.raters.index(name) for name in (*experts, judge)]
    x = table.values[:, columns]
    there = ~np.isnan(x)
    places = np.where(there[:, -1], there.sum(axis=1), 1)[:, None]
    who = np.argsort(~there, axis=1, kind="stable")  # those who rated come first
    ratings = np.take_along_axis(x, who, axis=1)
    turn = np.arange(x.shape[1])
    parts = []
    for step in turn:
        part = np.full_like(x, np.nan)
        moved = np.where(turn < places, (turn + step) % places, turn)
        np.put_along_axis(part, who, np.take_along_axis(ratings, moved, axis=1), axis=1)
        parts.append(part)
    stacked = replace(table, raters=(*experts, judge), values=np.concatenate(parts))
    return stacked, places[:, 0]


@dataclass(frozen=True, eq=False)
class Turns(Draws):
    """By how many places the ratings of each item move: draws of rows of a stacked table.

    Parameters
    ----------
    n_items, resamples, seed, key, counts
        As in `Draws`; the first draw leaves all ratings in place.
    places : ndarray, shape (items,)
        How many places there are in each item.
    most : int
        How many raters there are.
    """

    places: np.ndarray = field(default_factory=lambda: np.empty(0))
    most: int = 1

    @property
    def rows(self) -> int:
        """Items times raters."""
        return self.n_items * self.most

    def blocks(self) -> Iterator[np.ndarray]:
        """For each exchange a 1 in the row of the move that an item makes, 0 in the others.

        Yields
        ------
        ndarray, shape (rows, some exchanges)
        """
        if self.rows * self.resamples <= _KEPT:
            places = self.places.astype(np.int64).tobytes()
            yield _kept(self.seed, self.key, self.resamples, self.most, places)
            return
        rng = generator(self.seed, self.key)
        step = max(1, _AT_ONCE // self.rows)
        for start in range(0, self.resamples, step):
            yield _turns(rng, self.places, self.most, min(step, self.resamples - start), start == 0)


@lru_cache(maxsize=8)
def _kept(seed, key, exchanges, most, places):
    block = _turns(generator(seed, key), np.frombuffer(places, np.int64), most, exchanges, True)
    block.flags.writeable = False
    return block


def _turns(rng, places, most, exchanges, first):
    n = len(places)
    # One number an item and exchange: all dimensions of an item move together.
    move = (rng.random((exchanges, n)) * places).astype(int).T
    if first:
        move[:, 0] = 0
    block = np.zeros((n * most, exchanges), np.float32)
    block[move * n + np.arange(n)[:, None], np.arange(exchanges)] = 1
    return block
