"""What is known of a rewriting beside its records: the run it is made from, and what the model has used so far.

It stands in a file of the new run that no record depends on and no manifest lists.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pydantic import ValidationError

from flows.errors import StoreError
from flows.manifest import render
from flows.shards import write_atomic
from schemas.base import Model
from schemas.models import Role, Tally

if TYPE_CHECKING:
    from pathlib import Path

    from flows.manifest import Manifest

STATE = "rewriting.json"


class RewritingState(Model):
    """How far a rewriting is, as far as its shards do not say it."""

    source: str
    """Folder of the run that is rewritten, as it was given last."""
    usage: dict[Role, Tally] = {}
    """What models did for all calls of the command together; budgets hold over them."""


def load_state(root: Path) -> RewritingState | None:
    """Return what is known of the rewriting in a folder, None when nothing is. Raise StoreError when it is damaged."""
    file = root / STATE
    try:
        return RewritingState.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        text = " ".join(str(error).split())[:200]
        raise StoreError(f"{file} is damaged ({text}); remove it, and budgets count from nothing again") from error


def save_state(root: Path, state: RewritingState) -> None:
    """Write what is known of the rewriting in a folder. Raise StoreError when it cannot be written."""
    write_atomic(root / STATE, render(state))


def resuming(root: Path, known: Manifest) -> str:
    """Say which command goes on with the run in a folder, as far as it is known."""
    if "rewriting" not in known.content:
        return "`pausegen generate` resumes it"
    state = load_state(root)
    source = shlex.quote(state.source) if state else "RUN"
    return f"`pausegen rewrite {source} --out {shlex.quote(str(root))}`, with the same writer, resumes it"
