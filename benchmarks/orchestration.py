"""What Prefect and storage add to the work itself, projected to a run of ten minutes."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from benchmarks.block import block_run, temporary
from benchmarks.budget import Result
from benchmarks.phases import phases

LONG_RUN_S = 600
BUDGET = 0.10
PER_TASK_RUN_S = 0.1
"""Machine time that one Prefect task run costs, client and server together."""
WORK_PER_TASK_RUN_S = 30
"""What one task run carries in a long run."""


def measure() -> list[Result]:
    """Return the share of orchestration and storage.

    The flow makes the quickstart run once more; what it takes longer than the same blocks without Prefect is paid once
    per run, whatever its length.
    """
    block = block_run()
    wall = _flow()
    fixed = max(0.0, wall - block.spent.wall_s)
    spent = phases(block)
    storage = spent["storage"] / (block.spent.cpu_s or 1)
    share = fixed / LONG_RUN_S + PER_TASK_RUN_S / WORK_PER_TASK_RUN_S + storage
    limit = f"start and end {fixed:.1f} s once, storage {storage:.1%} of the work; projected to ten minutes"
    details: dict[str, float | int | str] = {
        "flow_wall_s": round(wall, 2),
        "blocks_wall_s": round(block.spent.wall_s, 2),
        "storage_share": round(storage, 4),
    }
    return [Result("orchestration and storage share", "lower", BUDGET, share, "", limit, details)]


def _flow() -> float:
    """Return the seconds of the quickstart run as the command line makes it, in a Prefect home of its own."""
    home = temporary()
    env = {**os.environ, "PREFECT_HOME": str(home / "prefect")}
    env.pop("PREFECT_API_URL", None)
    program = "import sys; from flows.cli import main; sys.exit(main())"
    command = [sys.executable, "-P", "-c", program, "generate", "--preset", "quickstart", "--out", str(home / "flow")]
    started = time.perf_counter()
    run = subprocess.run(command, check=False, env=env, capture_output=True, text=True)
    spent = time.perf_counter() - started
    if run.returncode:
        msg = f"`pausegen generate` ended with {run.returncode}: {run.stderr[-2000:]}"
        raise RuntimeError(msg)
    return spent
