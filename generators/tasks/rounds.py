"""A round of candidate tasks for one user: what each is bound to, how it is told, and the kin of some."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from generators.tasks.compose import bind_parts, join_places
from generators.tasks.draft import Draft, assemble, draft_of
from generators.tasks.expect import GoalError
from generators.tasks.intent import Scene
from generators.tasks.kin import twin_drafts, variation_draft
from generators.tasks.planner import PlanError
from generators.tasks.quota import NO_KIN, ROUND_CANDIDATES, installed_intents, places
from generators.tasks.start import Start
from generators.tasks.telling import CHANGE_CHANCE, HIDE_CHANCE, draw_change, keep_back
from services.functions import PartsConflict
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, known_world
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from generators.tasks.quota import Place, Share
    from schemas.environment import EnvironmentRecord
    from schemas.profile import Profile
    from schemas.task import Task
    from schemas.world import World

MAX_BATCHES = 3
"""Batches of a round, the first included."""
MAX_CANDIDATES = 2 * ROUND_CANDIDATES
"""Candidates of a batch, at most: a planned one may bring another task of its scenario."""
TWIN_PLANS = 3
"""Drafts of a twin that are planned, at most."""


@dataclass(frozen=True, slots=True)
class Unbound:
    """A place of the quota for which no candidate could be made."""

    intent: str
    form: str
    reason: str


@dataclass(slots=True)
class Round:
    """The candidates of one batch of a round, in the order in which they are to be kept."""

    candidates: list[Task] = field(default_factory=list["Task"])
    unbound: list[Unbound] = field(default_factory=list[Unbound])


class Candidate(NamedTuple):
    """A task with the draft it was made of, and where it starts."""

    task: Task
    draft: Draft
    start: Start


class Ground(NamedTuple):
    """Where the candidates of a batch come from."""

    scene: Scene
    environment: EnvironmentRecord


def make_round(
    seed: int,
    profile: Profile,
    environment: EnvironmentRecord,
    world: World,
    round_index: int,
    extra: int = 0,
    share: Share = NO_KIN,
) -> Round:
    """Return the candidates of batch `extra` of a user's round; they depend on (seed, user, round, batch) only.

    `share` says how many tasks of a round are to be twins and variations of others, and how many ask for several
    things. A first batch brings one twin more than that, in case one fails; a further batch brings none.
    """
    base = base_of(environment, known_world(world))
    ground = Ground(Scene(profile, base, installed_catalogue(), environment.now, environment.seed), environment)
    stream = Stream(seed, "user", profile.index, "task", round_index, extra)
    batch, single = Round(), list[Candidate]()
    first = (round_index * MAX_BATCHES + extra) * MAX_CANDIDATES
    twins, variations = (share.twins, share.variations) if extra == 0 else (0, 0)
    for number, place in enumerate(places(seed, profile.index, round_index, extra, installed_intents(), share)):
        own = stream.child(number)
        together = join_places(place, installed_intents(), share.multi_intent_percent, own.child("join"))
        made = _candidate(ground, together, own, first + len(batch.candidates))
        if isinstance(made, Unbound):
            batch.unbound.append(made)
            continue
        batch.candidates.append(made.task)
        following = first + len(batch.candidates)
        if twins and (twin := _twin(ground, made, own.child("twin"), following)):
            batch.candidates.append(twin)
            twins -= 1
        elif variations and (varied := _variation(ground, made, own.child("variation"), following)):
            batch.candidates.append(varied)
            variations -= 1
        else:
            single.append(made)
    if extra == 0 and share.twins:
        spare = (_twin(ground, c, stream.child("spare", c.task.ordinal), first + len(batch.candidates)) for c in single)
        batch.candidates.extend(islice((twin for twin in spare if twin), 1))
    return batch


def _candidate(ground: Ground, places: Sequence[Place], stream: Stream, ordinal: int) -> Candidate | Unbound:
    intent, cell = places[0]
    parts = bind_parts(ground.scene, places, stream.child("bind"))
    if not parts:
        return Unbound(intent.name, cell.form, "nothing in the environment fits")
    reason = ""
    plain = _consenting(ground.scene, draft_of(ground.environment, parts), stream.child("consents"))
    start = Start(ground.scene, plain.setup)
    for number, draft in enumerate(_tellings(ground.scene, plain, stream.child("telling"))):
        try:
            task = assemble(start, ground.environment, draft, stream.child("text", number), ordinal)
            return Candidate(task, draft, start)
        except (PlanError, GoalError, PartsConflict) as error:
            reason = str(error)
    return Unbound(intent.name, cell.form, reason)


ONCE_CHANCE = (1, 5)
"""Share of the consents given on the way that are for one request only."""


def _consenting(scene: Scene, draft: Draft, stream: Stream) -> Draft:
    """Return the draft with some of the consents that it needs given once."""
    closed = sorted({gate for part in draft.parts for gate in part.binding.cell.closed} - draft.refused)
    remedies = {gate: scene.catalogue.gates[gate].gate.remedy for gate in closed}
    able = [gate for gate, remedy in remedies.items() if remedy is not None and remedy.takes_back]
    return replace(draft, once=frozenset(gate for gate in able if stream.child(gate).chance(*ONCE_CHANCE)))


def _tellings(scene: Scene, draft: Draft, stream: Stream) -> Iterator[Draft]:
    """Yield a draft as it is to be told: in some requests with a change of mind or a fact kept back, else at once.

    The last is the plainest: not every plan asks for what is kept back, or can take back what it wrote.
    """
    if stream.child("changes").chance(*CHANGE_CHANCE):
        standing = {name for name, compiled in scene.catalogue.gates.items() if compiled.gate.standing}
        change = draw_change(draft.parts, standing, stream.child("change"))
        if change is not None:
            yield replace(draft, change=change)
    if stream.child("hides").chance(*HIDE_CHANCE):
        yield replace(draft, parts=tuple(keep_back(draft.parts, stream.child("hide"))))
    yield draft


def _twin(ground: Ground, of: Candidate, stream: Stream, ordinal: int) -> Task | None:
    """Return a twin of a candidate, or None when no flip makes one that can be planned."""
    return _first(ground, islice(twin_drafts(of.start, of.draft, of.task, stream), TWIN_PLANS), stream, ordinal)


def _variation(ground: Ground, of: Candidate, stream: Stream, ordinal: int) -> Task | None:
    """Return a variation of a candidate, or None when it reads the same or cannot be planned."""
    made = _first(ground, [variation_draft(of.draft, of.task, stream.child("draft"))], stream, ordinal)
    return made if made is not None and made.instruction != of.task.instruction else None


def _first(ground: Ground, drafts: Iterable[Draft], stream: Stream, ordinal: int) -> Task | None:
    """Return the task of the first draft that can be planned."""
    for number, draft in enumerate(drafts):
        try:
            start = Start(ground.scene, draft.setup)
            return assemble(start, ground.environment, draft, stream.child("text", number), ordinal)
        except (PlanError, GoalError, PartsConflict):
            continue
    return None
