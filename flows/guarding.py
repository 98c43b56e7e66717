"""Lets no helper process outlive the one that needs it, however that one ends.

After `kill -9` a worker would go on alone, and Prefect's temporary server would stay for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_GUARD = r"""\
import os, signal, sys
sys.stdin.buffer.read()
pid, command = int(sys.argv[1]), sys.argv[2]
try:
    with open(f"/proc/{pid}/cmdline") as file:
        if file.read().replace("\0", "\n") == command:
            os.kill(pid, signal.SIGTERM)
except (FileNotFoundError, ProcessLookupError):
    pass
"""
_guards: list[subprocess.Popen[bytes]] = []
"""Guards of this process: the pipe to each must stay open until the end."""


def end_with_parent() -> None:
    """End this worker process as soon as the one that started it is gone."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def end_with_me(pid: int) -> None:
    """See to it that the process `pid` ends when this one does.

    A small process waits until this one's end of a pipe is closed, and then ends `pid` if it is still the same command.
    """
    command = Path(f"/proc/{pid}/cmdline").read_text("utf-8").replace("\0", "\n")
    arguments = [sys.executable, "-I", "-S", "-c", _GUARD, str(pid), command]
    _guards.append(subprocess.Popen(arguments, stdin=subprocess.PIPE, process_group=0))


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
