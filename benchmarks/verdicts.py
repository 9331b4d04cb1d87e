"""How often is a verdict on a judge false? Tables, in Markdown.

    python benchmarks/verdicts.py above            # the judge is one more expert
    python benchmarks/verdicts.py margin           # the judge is exactly at the margin
    python benchmarks/verdicts.py above even rare  # some regimes only

Simulated studies with known truth, three experts and a judge, quadratic kappa, the reading
``single``. Same seed, same numbers. Raters are exchangeable in the first four regimes; in
the last two they differ, experts among themselves as well, and the judge is drawn like them:

- even, lopsided: five levels; what a rater sees is 60 % truth. Lopsided: 79 % have the first;
- agree95: two classes, equally frequent; any two raters agree on 95 % of the items;
- rare: one class is 5 %; sensitivity 0.8, specificity 0.98;
- levels: even, each rater with a level of its own (0.5 standard deviations of the truth);
- noise: even, one rater of the four, at random, with twice the noise.

At the margin, a share of the judge's ratings are those of another item, so many that with
400,000 items the difference is -0.1. *Falsely*: said above, while with very many items these
raters have no difference above 0.
"""

from __future__ import annotations

import argparse
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd

from raters import Scale
from raters.coefficients import PAIR
from raters.judges import differences
from raters.judges.ceiling import said
from raters.judges.decisions import p_of
from raters.judges.rule import ABOVE, BELOW, too_few

ITEMS = (5, 10, 20, 50, 100, 200)
EXCHANGEABLE = ("even", "lopsided", "agree95", "rare")
WITH_EFFECTS = ("levels", "noise")
MARGIN, ALPHA = 0.1, 0.05
KAPPA = "weighted_kappa_quadratic"
_AT_ONCE = 50
_CUTS = {"lopsided": (0.8, 1.2, 1.6, 2.0)}
_EVEN = (-0.84, -0.25, 0.25, 0.84)
_RATERS = ("a", "b", "c", "judge")


def raters_of(regime: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Level and noise of each of the four raters."""
    level, noise = np.zeros(4), np.ones(4)
    if regime == "levels":
        level = rng.normal(0, 0.5, 4)
    if regime == "noise":
        noise[rng.integers(4)] = 2.0
    return level, noise


def ratings(
    regime: str,
    n: int,
    rng: np.random.Generator,
    raters: tuple[np.ndarray, np.ndarray],
    wrong: float = 0.0,
) -> np.ndarray:
    """Ratings of n items by three experts and, in the last column, the judge."""
    if regime == "agree95":
        true = rng.integers(0, 2, (n, 1))
        x = np.abs(true - (rng.random((n, 4)) < (1 - np.sqrt(0.9)) / 2)) * 1.0
    elif regime == "rare":
        true = rng.random((n, 1)) < 0.05
        x = (rng.random((n, 4)) < np.where(true, 0.8, 0.02)) * 1.0
    else:
        level, noise = raters
        true = rng.normal(size=(n, 1))
        seen = np.sqrt(0.6) * (true + level) + np.sqrt(0.4) * noise * rng.normal(size=(n, 4))
        x = np.digitize(seen, _CUTS.get(regime, _EVEN)) + 1.0
    lost = rng.random(n) < wrong
    x[lost, 3] = x[rng.permutation(n)[lost], 3]
    return x


def scale_of(regime: str) -> Scale:
    """The scale of a regime."""
    return Scale([0, 1] if regime in ("agree95", "rare") else [1, 2, 3, 4, 5])


@lru_cache
def wrong_at(regime: str, margin: float) -> float:
    """The share of wrong ratings at which the judge's true difference is -margin."""
    low, high = 0.0, 1.0
    alike = raters_of("even", np.random.default_rng(0))
    for _ in range(14):
        middle = (low + high) / 2
        too_good = true_difference(regime, alike, middle) > -margin
        low, high = (middle, high) if too_good else (low, middle)
    return low


def true_difference(regime: str, raters: tuple, wrong: float = 0.0, n: int = 400_000) -> float:
    """The difference of these raters with very many items."""
    x = ratings(regime, n, np.random.default_rng(5), raters, wrong)
    scale, kappa = scale_of(regime), PAIR[KAPPA]
    pair = [kappa(x[:, [i, 3]], scale).estimate() for i in range(3)]
    own = [kappa(x[:, list(two)], scale).estimate() for two in combinations(range(3), 2)]
    return float(np.mean(pair) - np.mean(own))


def studies(regime, n, count, rng, wrong, **options):
    """The differences of many studies with their raters: each is a framework of its own."""
    for start in range(0, count, _AT_ONCE):
        parts, who = [], {}
        for number in range(start, min(count, start + _AT_ONCE)):
            who[f"s{number}"] = raters_of(regime, rng)
            x = ratings(regime, n, rng, who[f"s{number}"], wrong)
            parts.append(
                pd.DataFrame(
                    {
                        "framework": f"s{number}",
                        "item": np.tile(np.arange(n), 4),
                        "rater": np.repeat(_RATERS, n),
                        "group": np.repeat(["expert"] * 3 + ["judge"], n),
                        "rating": x.T.ravel(),
                    }
                )
            )
        frame = pd.concat(parts, ignore_index=True)
        found = differences(
            frame, scale_of(regime), "judge", readings="single", mean=False, without_each=True,
            seed=start, **options,
        )  # fmt: skip
        yield from ((one, who[one.labels["framework"]]) for one in found)


def of_one_more(regime: str, n: int, given: argparse.Namespace) -> dict:
    """Verdicts on a judge who is one more expert."""
    rng = np.random.default_rng([given.seed, n])
    rows = []
    for one, raters in studies(
        regime, n, given.studies, rng, 0.0, resamples=given.resamples, exchanges=1000
    ):
        low, high, _ = one.percentile_ends(1 - ALPHA)
        verdict = said(one, 1 - ALPHA, "percentile", MARGIN)
        rows.append(
            {
                "enough": not too_few(one.basis) and np.isfinite(one.difference),
                "interval": low > 1e-9,
                "exchange": one.standing.up and one.standing.p <= ALPHA,
                "experts": one.standing.experts_differ,
                "above": verdict == ABOVE,
                "false": verdict == ABOVE and _false(regime, raters),
                "below": verdict == BELOW,
            }
        )
    frame = pd.DataFrame(rows)
    enough = frame[frame["enough"]]
    with_verdict = enough[~enough["experts"]]
    return {
        "above, interval alone": frame["interval"].mean(),
        "above, exchange alone": frame["exchange"].mean(),
        "enough to decide from": frame["enough"].mean(),
        "experts differ": enough["experts"].mean(),
        "above": frame["above"].mean(),
        "above, of those with a verdict": with_verdict["above"].mean(),
        "falsely": frame["false"].mean(),
        "below": frame["below"].mean(),
    }


def _false(regime, raters):
    """Whether these raters, asked about very many items, show no judge above the experts."""
    return regime in EXCHANGEABLE or true_difference(regime, raters, n=50_000) <= 0


def at_the_margin(regime: str, n: int, given: argparse.Namespace) -> dict:
    """Decisions on a judge who is exactly at the margin."""
    rng = np.random.default_rng([given.seed, n])
    wrong = wrong_at(regime, MARGIN)
    rows = []
    for one, _ in studies(regime, n, given.studies, rng, wrong, resamples=given.resamples):
        draws = one.draws[np.isfinite(one.draws)]
        known = np.isfinite(one.difference) and draws.size > 0
        enough = known and not too_few(one.basis, of_margin=True)
        rows.append(
            {
                "before": known and np.mean(draws <= -MARGIN) <= ALPHA,
                "enough": enough,
                "now": enough and p_of(one, "non-inferiority", MARGIN) <= ALPHA,
            }
        )
    frame = pd.DataFrame(rows)
    return {
        "not inferior, percentile alone": frame["before"].mean(),
        "enough to decide from": frame["enough"].mean(),
        "not inferior": frame["now"].mean(),
        "not inferior, of those with a decision": frame.loc[frame["enough"], "now"].mean(),
    }


def main(arguments: list[str] | None = None) -> None:
    """Run the studies and print their table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("above", "margin"))
    parser.add_argument("regimes", nargs="*")
    parser.add_argument("--studies", type=int, default=600, help="simulated studies a row")
    parser.add_argument("--resamples", type=int, default=2000, help="resamples in each study")
    parser.add_argument("--seed", type=int, default=2025)
    given = parser.parse_args(arguments)
    compute = {"above": of_one_more, "margin": at_the_margin}[given.what]
    usual = EXCHANGEABLE + (WITH_EFFECTS if given.what == "above" else ())
    for number, (regime, n) in enumerate(
        (regime, n) for regime in given.regimes or usual for n in ITEMS
    ):
        row = compute(regime, n, given)
        if not number:
            print("| regime | n | " + " | ".join(row) + " |")
            print("| --- |" + " ---: |" * (1 + len(row)))
        cells = ["–" if np.isnan(share) else f"{100 * share:.1f}" for share in row.values()]
        print(f"| {regime} | {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
