"""The verifier process: reads candidate files of one work folder, checks what stands in them and writes its verdicts.

It is started once for some blocks by `flows.verifier_start`, under another hash seed, time zone and locale than the
process that made the candidates, and shares nothing with it but the files. Requests come as JSON lines on standard
input, `{"kind", "file"}`; each is answered by one line when `<file>.verdicts` is written. The process ends with its
input.

    world     one world                            verdicts
    block     the index of the block that follows  nothing: users of the block before are forgotten
    earlier   kept users of the block              nothing: they are context for later users and tasks
    users     new users of the block               verdicts on profile and environment; who passes is kept for the tasks
    tasks     a batch of a user's round            a certificate per task
    controls  the tasks that a user's round keeps  the verdicts on each beside those before it
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import orjson

from flows.checking import Ground, check_candidate, check_kept, check_user, passed
from flows.verifying import VERDICTS
from schemas.base import Json
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.task import Task
from schemas.world import World
from validators.tasks import TaskContext, UserContext
from validators.worlds import check_world

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.certificate import Verdict

Answer = dict[str, Json]


@dataclass(slots=True)
class Bench:
    """What this process knows so far: nothing but what it read."""

    seed: int
    known: Ground | None = None
    profiles: list[Profile] = field(default_factory=list[Profile])
    environments: dict[str, Json] = field(default_factory=dict[str, Json])
    users: dict[str, UserContext] = field(default_factory=dict[str, UserContext])
    """Users of whom a task was seen."""
    round: int = -1
    candidates: dict[str, list[TaskContext | None]] = field(default_factory=dict[str, "list[TaskContext | None]"])
    """Candidates of the present round by user."""

    def ground(self) -> Ground:
        """Return what users and tasks stand on. Raise ValueError before a sound world was read."""
        if self.known is None:
            raise ValueError("the world has to be there first, and pass its checks")
        return self.known

    def user(self, user_id: str) -> UserContext:
        """Return what tasks of a user stand on, opened when the first of them comes."""
        if user_id not in self.users:
            environment = EnvironmentRecord.of_parsed(self.environments[user_id])
            self.users[user_id] = UserContext(environment, self.ground().world)
        return self.users[user_id]


def serve(folder: Path, seed: int) -> None:
    """Answer requests until the input ends. Any fault ends the process: nothing is known about the records then."""
    bench = Bench(seed)
    for line in sys.stdin.buffer:
        request = cast("dict[str, str]", orjson.loads(line))
        lines = (folder / request["file"]).read_bytes().splitlines()
        answers = [_answer(bench, request["kind"], each) for each in lines]
        (folder / f"{request['file']}{VERDICTS}").write_bytes(b"\n".join(orjson.dumps(answer) for answer in answers))
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def _answer(bench: Bench, kind: str, line: bytes) -> Answer:
    """Return the answer to one line of a candidate file; the digest tells the asker which bytes were read."""
    record = cast("dict[str, Json]", orjson.loads(line))
    return {"sha256": hashlib.sha256(line).hexdigest(), **_KINDS[kind](bench, record)}


def _world(bench: Bench, record: dict[str, Json]) -> Answer:
    verdicts = check_world(record)
    if passed(verdicts):
        bench.known = Ground(bench.seed, World.model_validate(record))
    return {"verdicts": _plain(verdicts)}


def _block(bench: Bench, _record: Mapping[str, Json]) -> Answer:
    bench.profiles, bench.environments, bench.users, bench.round, bench.candidates = [], {}, {}, -1, {}
    return {}


def _earlier(bench: Bench, record: Mapping[str, Json]) -> Answer:
    _keep(bench, record)
    return {}


def _users(bench: Bench, record: Mapping[str, Json]) -> Answer:
    profile, environment = (cast("dict[str, Json]", record[name]) for name in ("profile", "environment"))
    on_profile, on_environment = check_user(bench.ground(), profile, environment, bench.profiles)
    if passed(on_profile) and passed(on_environment):
        _keep(bench, record)
    return {"profile": _plain(on_profile), "environment": _plain(on_environment)}


def _tasks(bench: Bench, record: Mapping[str, Json]) -> Answer:
    number, user_id = cast("int", record["round"]), str(record["user_id"])
    if number != bench.round:
        bench.round, bench.candidates = number, {}
    tasks = cast("list[dict[str, Json]]", record["tasks"])
    checked = [check_candidate(bench.user(user_id), task) for task in tasks]
    bench.candidates.setdefault(user_id, []).extend(context for context, _ in checked)
    return {"certificates": [certificate.model_dump(mode="json") for _, certificate in checked]}


def _controls(bench: Bench, record: Mapping[str, Json]) -> Answer:
    known, kept = bench.candidates[str(record["user_id"])], list[Task]()
    verdicts: list[Json] = []
    for place in cast("list[dict[str, Json]]", record["kept"]):
        context = known[cast("int", place["candidate"])]
        if context is None:
            raise ValueError(f"candidate {place['candidate']} of {record['user_id']} is malformed and cannot be kept")
        task = placed(context.task, place)
        verdicts.append(_plain(check_kept(context, task, list(kept))))
        kept.append(task)
    return {"verdicts": verdicts}


def placed(task: Task, place: Mapping[str, Json]) -> Task:
    """Return a candidate under the ids that it and the task it comes from have in their places."""
    kin = None if task.kin is None else task.kin.model_copy(update={"of": place["kin"]})
    return task.model_copy(update={"ordinal": place["ordinal"], "task_id": place["task_id"], "kin": kin})


def _keep(bench: Bench, record: Mapping[str, Json]) -> None:
    profile = Profile.of_parsed(record["profile"])
    bench.profiles.append(profile)
    bench.environments[profile.user_id] = record["environment"]
    bench.users.pop(profile.user_id, None)


def _plain(verdicts: list[Verdict]) -> Json:
    return [cast("Json", verdict.model_dump(mode="json")) for verdict in verdicts]


_KINDS: Mapping[str, Callable[[Bench, dict[str, Json]], Answer]] = {
    "world": _world,
    "block": _block,
    "earlier": _earlier,
    "users": _users,
    "tasks": _tasks,
    "controls": _controls,
}
