"""Tools, gates and tables of sources."""

from __future__ import annotations

from services.runtime.declare import Service, Table
from services.sources.connections import get_source_features, update_source
from services.sources.flips import FLIPS
from services.sources.gates import GATES
from services.sources.intraday import (
    get_intraday_calories,
    get_intraday_intensities,
    get_intraday_mets,
    get_intraday_steps,
)
from services.sources.plans import create_activity_plan, get_activity_plan
from services.sources.records import ActivityPlan

SERVICE = Service(
    name="sources",
    summary="Wearable platforms: connections, minute-level tools of each source, weekly goals.",
    family="wearable",
    tables=(Table("activity_plans", ActivityPlan, "plan", references={"id": "sources"}),),
    flips=FLIPS,
    tools=(
        get_source_features,
        update_source,
        get_intraday_steps,
        get_intraday_calories,
        get_intraday_mets,
        get_intraday_intensities,
        create_activity_plan,
        get_activity_plan,
    ),
    gates=GATES,
)
