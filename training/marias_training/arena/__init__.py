"""The arena: who is stronger, and how sure that is.

from marias_training.arena import compare, evaluate

print(compare("rules", "random", deals=500).raw)
"""

from marias_training.arena.fit_variate import fit_variate
from marias_training.arena.pairs import PairResult, TableResult
from marias_training.arena.results import ResultsError
from marias_training.arena.run import (
    EvaluationInterrupted,
    Progress,
    compare,
    evaluate,
)
from marias_training.arena.stats import Interval
from marias_training.arena.summary import Evaluation
from marias_training.arena.variates import ControlVariate

__all__ = [
    "ControlVariate",
    "Evaluation",
    "EvaluationInterrupted",
    "Interval",
    "PairResult",
    "Progress",
    "ResultsError",
    "TableResult",
    "compare",
    "evaluate",
    "fit_variate",
]
