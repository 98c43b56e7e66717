"""What each value of a gold plan is worth, evaluated once per task."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from validators.tasks.evaluation import Graph
from validators.tasks.told import replies, stated, values_of
from validators.tasks.vocabulary import TaskVocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.base import Json
    from validators.tasks.context import TaskContext

_graphs: WeakKeyDictionary[TaskContext, Graph] = WeakKeyDictionary()


def graph_of(context: TaskContext) -> Graph:
    """Return the nodes of the gold plan with what each is worth. Raise GraphError naming one that is wrong."""
    found = _graphs.get(context)
    if found is None:

        def words(table: str, field: str) -> Sequence[Json]:
            # The texts of the task are gathered only when a column is asked for.
            return TaskVocabulary(context).column(table, field)

        found = Graph(context.task.plan, values_of(stated(context)), context.now, words, replies(context))
        # It holds the task, which would never be given up while the graph is kept for it.
        found.column = None
        _graphs[context] = found
    return found
