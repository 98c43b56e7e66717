"""The service: tools, table and rules of insights."""

from __future__ import annotations

from schemas.goal import All, Col, Const, Group, Measure, Select, Test, Unnest
from schemas.goal import Table as Rows
from services.insights.foods import recommend_health_food
from services.insights.plots import MOST_POINTS, plot_time_series
from services.insights.records import Plot
from services.insights.sports import recommend_sports
from services.predicates import count, none
from services.runtime.declare import Invariant, Service, Table

_PLOTS = Rows(table="plots", prefix="p")
_VALUES = Unnest(source=_PLOTS, column="p.values_thousandths", name="value")
_DRAWN = Group(source=_VALUES, keys=["p.id"], measures=[Measure(name="points", fn="count")])
_TOO_LONG = Select(source=_DRAWN, where=Test(fn="gt", left=Col(name="points"), right=Const(value=MOST_POINTS)))

SERVICE = Service(
    name="insights",
    summary="Recommendations by stated formulas, and plots.",
    family="lifestyle",
    tables=(Table("plots", Plot, "plot", stamps=("created_at",), observed=("start", "created_at")),),
    tools=(recommend_sports, recommend_health_food, plot_time_series),
    invariants=(
        Invariant(
            name="plots_have_points",
            text=f"Every plot has at least one value, and at most {MOST_POINTS}.",
            holds=All(of=[none(_TOO_LONG), Test(fn="eq", left=count(_DRAWN), right=count(_PLOTS))]),
        ),
    ),
    terms=(
        "Advice on sport comes from recommend_sports and advice on food from recommend_health_food, not from memory.",
        f"A plot holds at most {MOST_POINTS} values, none of a time to come.",
    ),
)
