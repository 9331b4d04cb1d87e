"""A judge, such as a language model, against raters who are trusted: how far, why, what then.

How far: `benchmark` and `verdicts` (against the experts' own agreement), `decide`,
`alt_test` and `replacement` (decisions with an error rate), `exchange_test` (is the judge
one more expert?), `panel` (several judges as one; `votes` says who was there). Why:
`level_and_order`, `step_errors`, `confusion`, `item_gaps`, `where_raters_split`. What then:
`calibration`, `against_baselines`, `prediction_powered_mean`,
`prediction_powered_difference`, `corrected_share`, `plan`, `gain_from_raters`.
"""

from raters.frames import votes
from raters.judges.baselines import add_baselines, against_baselines
from raters.judges.ceiling import benchmark, differences, verdict_counts, verdicts
from raters.judges.decisions import alt_test, alt_test_by_rater, decide, replacement
from raters.judges.disagreement import (
    confusion,
    item_gaps,
    level_and_order,
    step_errors,
    where_raters_split,
    why,
)
from raters.judges.estimation import (
    corrected_share,
    prediction_powered,
    prediction_powered_difference,
    prediction_powered_mean,
)
from raters.judges.exchange import exchange_test
from raters.judges.planning import gain_from_raters, plan, smallest_n, variance_components
from raters.judges.recalibration import calibration, out_of_fold, recalibrate
from raters.judges.reference import between, panel

__all__ = [
    "add_baselines",
    "against_baselines",
    "alt_test",
    "alt_test_by_rater",
    "benchmark",
    "between",
    "calibration",
    "confusion",
    "corrected_share",
    "decide",
    "differences",
    "exchange_test",
    "gain_from_raters",
    "item_gaps",
    "level_and_order",
    "out_of_fold",
    "panel",
    "plan",
    "prediction_powered",
    "prediction_powered_difference",
    "prediction_powered_mean",
    "recalibrate",
    "replacement",
    "smallest_n",
    "step_errors",
    "variance_components",
    "verdict_counts",
    "verdicts",
    "votes",
    "where_raters_split",
    "why",
]
