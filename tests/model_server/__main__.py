"""`python -m tests.model_server --plan '{"latency_s": 1}'`: prints its address and answers until it is ended."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json

from tests.model_server.plan import Plan
from tests.model_server.server import ModelServer

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", default="{}", help="the plan as JSON")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(ModelServer(Plan.of(json.loads(options.plan)), port=options.port).serve(announce=True))
