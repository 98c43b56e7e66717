"""Memory of a run: flat in the number of users.

What is counted is the resident memory of the process that makes and of the verifier it starts, at the same time. The
kernel's own peak of a child is of no use here: it starts at the size of the parent.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.block import temporary
from benchmarks.budget import Result

FEW, MANY = 10, 40
TASKS_PER_USER = 10
MOST_GROWTH = 1.1
"""Peak at `MANY` users over peak at `FEW`: what allocators and caches of bounded size may add."""
MOST_GIB = 1.0
POLL_S = 0.05
_PROGRAM = """
import sys
from pathlib import Path
from flows.blocks import make_block, make_world_shard
from flows.config import resolve
from flows.store import open_run

folder, users, tasks = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
config = resolve("quickstart", options={"users": users, "tasks_per_user": tasks})
with open_run(folder, config) as run:
    run.add(make_world_shard(folder, config).shards)
    for block in run.missing():
        for made in make_block(folder, config, block):
            run.add(made.shards, made.extent)
    run.save()
"""
"""Makes a run without Prefect."""


def measure() -> list[Result]:
    """Return the figures on memory."""
    few, many = peak_mib(FEW), peak_mib(MANY)
    limit = f"{few:.0f} MiB at {FEW} users, {many:.0f} MiB at {MANY}: maker and verifier together"
    details: dict[str, float | int | str] = {f"mib_at_{FEW}": round(few, 1), f"mib_at_{MANY}": round(many, 1)}
    return [
        Result(f"memory at {MANY} users / at {FEW}", "lower", MOST_GROWTH, many / few, "", limit, details),
        Result("memory of a run", "lower", MOST_GIB, many / 1024, "GiB", "imports, the world, one block of ten users"),
    ]


def peak_mib(users: int) -> float:
    """Return the highest memory of a run of this many users, in MiB. Raise CalledProcessError when the run fails."""
    folder = temporary() / f"memory-{users}"
    command = [sys.executable, "-P", "-c", _PROGRAM, str(folder), str(users), str(TASKS_PER_USER)]
    peak = 0
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            peak = max(peak, sum(resident_kib(pid) for pid in family(process.pid)))
            time.sleep(POLL_S)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak / 1024


def family(pid: int) -> list[int]:
    """Return a process and all that it started, as far as they still run."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(member for child in children for member in family(int(child)))]


def resident_kib(pid: int) -> int:
    """Return the resident memory of a process in KiB; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), 0)
