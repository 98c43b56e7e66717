"""The direct engine of the goal algebra: expressions, predicates and relations compiled to closures.

Used by the runtime for gates and invariants, by the planner for goals, and on tool results for derived values.
Validators evaluate goals with an engine of their own. Semantics: `schemas.goal`.
"""

from __future__ import annotations

from services.runtime.algebra.compile import (
    compile_expr,
    compile_goal,
    compile_pred,
    compile_rel,
    evaluate_goal,
    slots_of,
)
from services.runtime.algebra.relations import sort_rows
from services.runtime.algebra.scalars import aggregate
from services.runtime.algebra.scope import (
    NO_ROW,
    AlgebraError,
    ExprFn,
    PredFn,
    RelFn,
    Row,
    Scope,
    Source,
    Value,
)

__all__ = [
    "NO_ROW",
    "AlgebraError",
    "ExprFn",
    "PredFn",
    "RelFn",
    "Row",
    "Scope",
    "Source",
    "Value",
    "aggregate",
    "compile_expr",
    "compile_goal",
    "compile_pred",
    "compile_rel",
    "evaluate_goal",
    "slots_of",
    "sort_rows",
]
