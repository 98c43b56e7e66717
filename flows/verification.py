"""The process behind `verify`: everything about a run or release that can be found out from its files alone.

    python -P -m flows.verification FOLDER [--fast]

Files first: what is not what the manifest says is not looked into. Then every record: its ids and form, every check
again, each verdict and count compared with the stored one. One line per fault, and at last `verified N of N` tasks, or
`verified N of N users` where there are no tasks. Trajectories of a release are carried out and scored again when
nothing else is wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from flows.checking import FAST_CHECKS, TASK_CHECKS, Ground
from flows.comparing import Fault
from flows.errors import PausegenError
from flows.file_checks import file_faults
from flows.garbage import relax_collector
from flows.record_checks import block_faults, world_faults
from flows.store import manifest_of
from flows.stored import release_source, run_source
from flows.version import generator_version
from publishing.errors import ReleaseError
from publishing.reader import check_files, is_release
from schemas.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.stored import Source

SHOWN = 50
"""Faults that are printed one by one; all are counted."""


def verify(root: Path, *, fast: bool = False) -> int:
    """Print the faults of a run or release and `verified N of N`; return the exit code.

    Raise StoreError or ReleaseError when the folder is neither, or its records cannot be put together.
    """
    if is_release(root):
        faults = [Fault(str(root), "files", problem) for problem in check_files(root)]
        source = None if faults else release_source(root)
    else:
        known = manifest_of(root)
        faults = file_faults(root, known)
        source = None if faults else run_source(root, known)
    if source is None:
        _show(faults)
        print("not verified: the files are not what the manifest says, so nothing was executed")
        return 1
    return _verify_records(source, fast=fast)


def _verify_records(source: Source, *, fast: bool) -> int:
    if source.generator != generator_version():
        print(
            "pausegen: note: made by another version of the generator; its checks are compared all the same",
            file=sys.stderr,
        )
    faults = [fault for world, stored in source.worlds for fault in world_faults(world, stored)]
    users, verified, seen = Counter[bool](), 0, 0
    if not faults and len(source.worlds) == 1:
        ground = Ground(source.seed, World.model_validate(source.worlds[0][0]))
        checks = FAST_CHECKS if fast else TASK_CHECKS
        for block in source.blocks():
            for subject, found in block_faults(ground, block, checks, whole=not fast):
                bad = {fault.record for fault in found}
                ids = {str(task["task_id"]) for task, _ in subject.tasks}
                seen += len(subject.tasks)
                verified += 0 if bad - ids else len(ids - bad)
                users[not bad] += 1
                faults.extend(found)
    elif not faults:
        faults = [Fault("worlds", "world.ids", f"there are {len(source.worlds)} worlds, a run has one")]
    if not faults and seen != source.tasks:
        faults = [Fault("tasks", "task.ids", f"{seen} tasks belong to a user, {source.tasks} are there")]
    found = [] if faults or source.trajectories is None else list(source.trajectories())
    told = [fault for _, those in found for fault in those]
    _show([*faults, *told])
    if source.tasks:
        print(f"verified {verified} of {source.tasks}")
        whole = verified == source.tasks
    else:
        print(f"verified {users[True]} of {source.users} users")
        whole = users[True] == source.users
    if found:
        right = [not those for name, those in found if name]
        print(f"verified {sum(right)} of {len(right)} trajectories")
    return 0 if whole and not faults and not told else 1


def _show(faults: Sequence[Fault]) -> None:
    for fault in faults[:SHOWN]:
        print(fault.line())
    if len(faults) > SHOWN:
        print(f"… and {len(faults) - SHOWN} more")


def main(arguments: Sequence[str]) -> int:
    """Verify the folder named first; errors are told in one line."""
    relax_collector()
    try:
        return verify(Path(arguments[0]), fast="--fast" in arguments)
    except (PausegenError, ReleaseError) as error:
        print(f"pausegen: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
