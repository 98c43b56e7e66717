"""The narratives of a block: which of those that a model wrote are used, and what has become of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from flows.funnel import NARRATIVES
from flows.rows import from_row, to_row
from flows.shards import read_rows
from flows.writer import Fault, Wanted
from generators.profiles.rewriting import FIELD, repair_messages, rewriting_messages
from schemas.base import Json
from schemas.profile import Profile
from validators.profiles import ProfileContext, check_profile
from validators.profiles.duplicates import NEAR, similarity
from validators.profiles.rewording import REWORDING_CHECKS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flows.rows import Record, Row
    from generators.rewriting import Messages
    from schemas.world import World

SAME, ALIKE = "rewrite.same", "profile.near_duplicate"


@dataclass(slots=True, kw_only=True)
class Narrative(Wanted):
    """The narrative of a stored profile, as it stands by now."""

    made: Profile
    """The profile as it was made."""
    record: Record
    verdicts: Json
    profile: Profile
    block: Sequence[Narrative]
    """All narratives of the block, by index of their users."""

    def decide(self) -> None:
        """Use the text, or say what is wrong with it."""
        text = " ".join(self.text.split())
        record: Record = {**self.record, "narrative": text}
        profile = self.made.model_copy(update={"narrative": text})
        earlier = tuple(one.profile for one in self.block if one.made.index < self.made.index)
        verdicts = check_profile(record, ProfileContext(earlier))
        faults = [
            *(
                Fault(name, "; ".join(found))
                for name, check in REWORDING_CHECKS
                if (found := [*check(self.made, text)])
            ),
            *self._likeness(profile),
            *(Fault(verdict.check, verdict.reason) for verdict in verdicts if not verdict.passed),
        ]
        if faults:
            # one repair is asked for, so the writer is told of everything at once
            self.fault = Fault(faults[0].check, "; ".join(dict.fromkeys(fault.reason for fault in faults)))
            return
        self.record, self.profile = record, profile
        self.verdicts = [cast("Json", verdict.model_dump(mode="json")) for verdict in verdicts]

    def again(self, reasons: str) -> Messages:
        """Return the messages that ask for the text again."""
        return repair_messages(self.text, reasons)

    def _likeness(self, profile: Profile) -> list[Fault]:
        """Return what the new narrative reads nearly like in the block as it stands now, later users included."""
        if similarity(profile, self.made) >= NEAR:
            return [Fault(SAME, "it hardly differs from the narrative; change the sentences")]
        others = (one.profile for one in self.block if one is not self)
        found = [other.user_id for other in others if similarity(profile, other) >= NEAR]
        return [Fault(ALIKE, f"it reads nearly like the narrative of {name}; change the sentences") for name in found]


class Narratives:
    """Those of the users of one block."""

    stage, counts = "users", NARRATIVES

    def __init__(self, source: Path, _world: World, block: int) -> None:
        """Read them. Raise StoreError when a shard is damaged."""
        files = sorted((source / "users").glob(f"block-{block:05d}-*.parquet"))
        rows = [from_row("users", row) for file in files for row in read_rows(file)]
        self.wanted: list[Narrative] = []
        for record, extra in sorted(rows, key=lambda pair: cast("int", pair[0]["index"])):
            profile = Profile.of_parsed(record)
            self.wanted.append(
                Narrative(
                    name=profile.user_id,
                    field=FIELD,
                    messages=rewriting_messages(profile),
                    made=profile,
                    record=record,
                    verdicts=extra["verdicts"],
                    profile=profile,
                    block=self.wanted,
                )
            )
        self._of = {one.name: one for one in self.wanted}

    def row(self, row: Row) -> Row:
        """Return the row of a profile as it stands now."""
        one = self._of[str(row["user_id"])]
        return to_row("users", one.record, verdicts=one.verdicts)

    def fault(self, row: Row) -> Fault | None:
        """Return why a profile kept its narrative."""
        return self._of[str(row["user_id"])].fault
