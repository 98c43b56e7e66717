"""The asking side of the verifier process: starts it, hands it candidate files and takes its verdicts.

A verifier that crashes, hangs or answers for other bytes than were written is a fault of the infrastructure: nothing is
known about the records, and the shard fails.
"""

from __future__ import annotations

import hashlib
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import orjson

from flows.errors import InfrastructureError
from schemas.base import Json

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

Answer = dict[str, Json]
VERDICTS = ".verdicts"
"""What is added to the name of a candidate file for the name of the verdicts on it."""
PATIENCE_S = 600
"""Seconds without an answer after which a verifier counts as hung."""
_LOG = "verifier.log"


class Verifier:
    """A running verifier process and the requests it has not answered yet, in order."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self._folder = folder
        self._process = process
        self._pending: deque[tuple[str, list[str]]] = deque()
        self._selector = selectors.DefaultSelector()
        self._selector.register(cast("IO[bytes]", process.stdout), selectors.EVENT_READ)

    def ask(self, kind: str, file: str, lines: Sequence[bytes]) -> None:
        """Write `lines` as the candidate file `file` and ask for verdicts of `kind`; the answer is taken later."""
        (self._folder / file).write_bytes(b"\n".join(lines))
        self._pending.append((file, [hashlib.sha256(line).hexdigest() for line in lines]))
        try:
            pipe = cast("IO[bytes]", self._process.stdin)
            pipe.write(orjson.dumps({"kind": kind, "file": file}) + b"\n")
            pipe.flush()
        except OSError as error:
            raise self._fault("ended before it was asked") from error

    def answers(self) -> list[Answer]:
        """Return the answers to the oldest open request, one per line. Raise InfrastructureError without any."""
        file, sums = self._pending.popleft()
        if not self._selector.select(PATIENCE_S):
            raise self._fault(f"gave no answer within {PATIENCE_S} s")
        reply = cast("IO[bytes]", self._process.stdout).readline()
        if not reply or orjson.loads(reply)["file"] != file:
            raise self._fault("ended without an answer")
        lines = (self._folder / f"{file}{VERDICTS}").read_bytes().splitlines()
        found = [cast("Answer", orjson.loads(line)) for line in lines]
        if [answer["sha256"] for answer in found] != sums:
            raise self._fault(f"read other bytes of {file} than were written")
        return found

    def _fault(self, what: str) -> InfrastructureError:
        log = self._folder / _LOG
        last = log.read_text("utf-8", errors="replace").strip().splitlines()[-1:] if log.exists() else []
        said = f": {last[0][:300]}" if last else ""
        return InfrastructureError(f"the verifier process {what}{said}\nNothing is lost; run the same command again.")


@contextmanager
def verifier(root: Path, seed: int, label: int) -> Generator[Verifier]:
    """Yield a verifier with a work folder of its own below `root`, for this context; `label` varies its hash seed."""
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="block-", dir=root))
    command = [sys.executable, "-P", "-m", "flows.verifier_start", str(folder), str(seed)]
    with (folder / _LOG).open("wb") as log:
        pipe = subprocess.PIPE
        # unbuffered: a second answer must never wait in a buffer that the selector cannot see
        # In a session of its own, so that Ctrl-C in the terminal leaves it to finish the users in work.
        process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=log,
            bufsize=0,
            env=other_environment(label),
            start_new_session=True,
        )
    try:
        yield Verifier(folder, process)
    finally:
        process.kill()
        process.communicate()
        shutil.rmtree(folder, ignore_errors=True)


def fault_of(verdicts: Json) -> tuple[str, str]:
    """Return check and reason of the first failed verdict, empty when all are good; no verdict at all is a fault."""
    listed = cast("list[dict[str, Json]]", verdicts)
    if not listed:
        return "no_checks", "no check was run"
    bad = (v for v in listed if v["passed"] is not True)
    return next(((str(v["check"]), str(v["reason"]) or "failed") for v in bad), ("", ""))


def other_environment(label: int) -> dict[str, str]:
    """Return this process's environment with another hash seed, time zone and locale: they must not matter."""
    return {**os.environ, "PYTHONHASHSEED": str(1 + label % 4_000_000_000), "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
