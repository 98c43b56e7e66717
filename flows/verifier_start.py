"""Starts the verifier process: `python -P -m flows.verifier_start FOLDER SEED`."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.garbage import relax_collector


def main() -> None:
    """Load what the verifier needs, and answer requests until the input ends."""
    # Loading makes many objects and hardly a cycle: looking through them again and again takes a sixth of its time.
    relax_collector()
    from flows.verifier import serve

    relax_collector()
    serve(Path(sys.argv[1]), int(sys.argv[2]))


if __name__ == "__main__":
    main()
