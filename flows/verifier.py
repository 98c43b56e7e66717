"""The verifier process: reads candidate files of one work folder, checks what stands in them and writes its verdicts.

It is started once per block as `python -P -m flows.verifier FOLDER`, under another hash seed, time zone and locale than
the process that made the candidates, and shares nothing with it but the files. Requests come as JSON lines on standard
input, `{"kind", "file"}`; each is answered by one line when `<file>.verdicts` is written. It ends with its input.

    world    one world                     verdicts
    earlier  kept users of the block       nothing: they are context for later users and tasks
    users    new users of the block        verdicts on profile and environment; users that pass are kept for the tasks
    tasks    groups of tasks of one user   a certificate per task
"""

from __future__ import annotations

import hashlib
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import orjson

from flows.checking import Ground, check_group, check_user, passed
from flows.verifying import VERDICTS
from schemas.base import Json
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.world import World
from validators.worlds import check_world

if TYPE_CHECKING:
    from schemas.certificate import Verdict

Answer = dict[str, Json]


@dataclass(slots=True)
class Bench:
    """What this process knows so far: nothing but what it read."""

    folder: Path
    seed: int
    known: Ground | None = None
    profiles: list[Profile] = field(default_factory=list[Profile])
    environments: dict[str, EnvironmentRecord] = field(default_factory=dict[str, EnvironmentRecord])

    def ground(self) -> Ground:
        """Return what users and tasks stand on. Raise ValueError before a world was read."""
        if self.known is None:
            raise ValueError("the world has to be there first, and pass its checks")
        return self.known


def serve(folder: Path, seed: int) -> None:
    """Answer requests until the input ends. Any fault ends the process: nothing is known about the records then."""
    bench = Bench(folder, seed)
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
    environment = bench.environments[str(record["user_id"])]
    certificates = check_group(bench.ground(), cast("list[dict[str, Json]]", record["tasks"]), environment)
    return {"certificates": [certificate.model_dump(mode="json") for certificate in certificates]}


def _keep(bench: Bench, record: Mapping[str, Json]) -> None:
    environment = EnvironmentRecord.model_validate(record["environment"])
    bench.profiles.append(Profile.model_validate(record["profile"]))
    bench.environments[environment.user_id] = environment


def _plain(verdicts: list[Verdict]) -> Json:
    return [cast("Json", verdict.model_dump(mode="json")) for verdict in verdicts]


_KINDS: Mapping[str, Callable[[Bench, dict[str, Json]], Answer]] = {
    "world": _world,
    "earlier": _earlier,
    "users": _users,
    "tasks": _tasks,
}


def main() -> None:
    """Serve the folder and seed given as arguments."""
    # the terminal sends Ctrl-C to every process; the asker decides when this one ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(Path(sys.argv[1]), int(sys.argv[2]))


if __name__ == "__main__":
    main()
