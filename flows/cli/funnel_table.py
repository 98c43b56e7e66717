"""The end of `generate`: what was made, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.amounts import amount_of
from flows.store import load_funnel
from flows.summary import funnel_rows

if TYPE_CHECKING:
    from pathlib import Path

    from flows.amounts import Amount
    from flows.manifest import Manifest
    from schemas.config import RunConfig


def print_result(root: Path, config: RunConfig, manifest: Manifest) -> Amount:
    """Print the funnel of a run and the next commands; return how much it holds."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("stage")
    for name in ("made", "kept", "rejected"):
        table.add_column(name, justify="right")
    table.add_column("most frequent reasons", overflow="fold")
    for row in funnel_rows(load_funnel(root)):
        table.add_row(*(str(cell) for cell in row.values()))
    Console(soft_wrap=True).print(table)
    tasks, users = (sum(e.rows for e in manifest.files if e.stage == stage) for stage in ("tasks", "users"))
    amount = amount_of(config, tasks, users)
    print(f"\n{amount.text()} kept in {root}\n\nnext:")
    print(f"  pausegen verify {root}")
    print(f"  pausegen inspect {root}")
    print(f"  pausegen release build {root} --version 0.1.0 --out outputs/releases/{root.resolve().name}-0.1.0")
    return amount
