"""What stands between the assistant and the tools of a source: the raw-data permission, the connection, the day."""

from __future__ import annotations

from schemas.goal import Any, Const, Lookup, Slot, Test
from schemas.goal import Table as Rows
from services.account.service import permission_gate
from services.runtime.declare import Gate, Only, Probe, Remedy
from services.sources.platforms import FAMILY
from services.wearables.asking import CONNECT
from services.wearables.gates import DATE, connected, recorded_day, recording_source, switched, unseen

SOURCE = Slot(name=FAMILY.argument)


_LISTED = Only(path=("marketplaces",), where={"source": SOURCE}, field="connected")
_FIRST = Lookup(source=Rows(table="sources", prefix="s"), field="s.id")

RAW = permission_gate(
    "RAW",
    "raw_data",
    "set_raw_data_permission",
    "Minute data, the tools of a source and finding them need the raw-data permission; ask the user for it.",
)
CONNECTED = Gate(
    name="CONNECTED",
    code="SOURCE_NOT_CONNECTED",
    message="The source is not connected; the user can connect it.",
    closed=Test(fn="ne", left=connected(SOURCE), right=Const(value=True)),
    standing=False,
    details={"source": SOURCE},
    probe=Probe("get_system_settings"),
    remedy=Remedy(
        tool="update_source",
        arguments={"source_name": Slot(name="source"), "allow": Const(value=True)},
        shows=Test(fn="eq", left=Slot(name="connected"), right=Const(value=False)),
        values={"source": ("argument", FAMILY.argument)},
        chosen={"connected": _LISTED},
    ),
    effect=switched(SOURCE, True),
    closing=switched(SOURCE, False),
    trial={FAMILY.argument: _FIRST},
    asking=CONNECT,
    policy="The tools of a source, and finding them, need the source to be connected; only the user connects sources.",
)
SOURCE_DATA = Gate(
    name="SOURCE_DATA",
    code="",
    message="The source recorded nothing on the day.",
    closed=Any(of=[unseen(DATE), Test(fn="ne", left=recording_source(DATE), right=SOURCE)]),
    quiet=True,
    standing=False,
    details={"date": DATE, "source": SOURCE},
    effect=switched(recording_source(DATE), True),
    closing=switched(recording_source(DATE), False),
    trial={"date": recorded_day("id"), FAMILY.argument: recorded_day("source")},
    policy="The tools of a source give the days that this source recorded, and no other ones.",
)
GATES = (RAW, CONNECTED, SOURCE_DATA)
