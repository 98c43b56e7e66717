"""Everything that touches litellm: loading it, one request, and closing its connections."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from llm.answer import read_answer
from llm.errors import Fatal
from llm.failures import failure, key_variable

if TYPE_CHECKING:
    from types import ModuleType

    from llm.answer import Answer
    from llm.request import Request
    from llm.secrets import Scrubber
    from schemas.models import Endpoint

NO_KEY = "no-key"
"""Sent to a server of one's own when no key is set: clients want one, such servers mostly do not."""
_SETTINGS = {
    "telemetry": False,
    "suppress_debug_info": True,
    "drop_params": False,
    "num_retries": None,
    "cache": None,
    "enable_json_schema_validation": False,
}
_CALLBACKS = """
    callbacks input_callback success_callback failure_callback service_callback
    _async_input_callback _async_success_callback _async_failure_callback
""".split()
_users: WeakKeyDictionary[asyncio.AbstractEventLoop, int] = WeakKeyDictionary()
"""Open clients per event loop; litellm shares connections between them."""


@cache
def load() -> ModuleType:
    """Load litellm, which takes seconds, without its telemetry, callbacks, downloads and advice on the terminal."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOG", "CRITICAL")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # or it would read keys from files named .env
    import litellm

    for name, value in _SETTINGS.items():
        setattr(litellm, name, value)
    for name in _CALLBACKS:
        setattr(litellm, name, [])
    for name in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


async def send(endpoint: Endpoint, request: Request, timeout_s: float, scrub: Scrubber) -> Answer:
    """Send one request once. Raise Retryable or Fatal."""
    litellm = load()
    arguments: dict[str, Any] = {
        **endpoint.asked,
        **request.arguments(),
        "model": endpoint.model,
        "timeout": timeout_s,
        "max_retries": 0,
        "num_retries": 0,
        "drop_params": False,
        "no-log": True,  # nobody listens, and preparing it takes a tenth of the time
    }
    if endpoint.api_base:
        arguments["api_base"] = endpoint.api_base
    key = _key(endpoint)
    if key:
        arguments["api_key"] = key
    try:
        # litellm's own limit is one of silence: a server that sends a byte now and then would never reach it.
        async with asyncio.timeout(timeout_s):
            return read_answer(await litellm.acompletion(**arguments), scrub)
    except Exception as error:
        # Without its cause: that may hold the key, and would be shown with a traceback.
        raise failure(error, endpoint, scrub) from None


def _key(endpoint: Endpoint) -> str | None:
    """Return the key to send, or None where litellm finds it itself."""
    if endpoint.key_env:
        key = os.environ.get(endpoint.key_env)
        if not key:
            message = f"{endpoint.model}: the environment variable {endpoint.key_env} is not set.\nPut its key there."
            raise Fatal("authentication", message)
        return key
    return NO_KEY if endpoint.api_base and not os.environ.get(key_variable(endpoint)) else None


def opened() -> None:
    """Count a client of this event loop."""
    loop = asyncio.get_running_loop()
    _users[loop] = _users.get(loop, 0) + 1


async def closed() -> None:
    """Count a client less; the last one of an event loop closes the connections that litellm keeps for it."""
    loop = asyncio.get_running_loop()
    _users[loop] -= 1
    litellm = sys.modules.get("litellm")
    if _users[loop] > 0 or litellm is None:
        return
    kept = litellm.in_memory_llm_clients_cache
    suffix = kept.update_cache_key_with_event_loop("")
    for name in [name for name in kept.cache_dict if str(name).endswith(suffix)]:
        client = kept.cache_dict.pop(name)
        kept.ttl_dict.pop(name, None)
        close = getattr(client, "aclose", None) or getattr(client, "close", None)
        if close is not None:
            with contextlib.suppress(RuntimeError):  # closed already
                await close()
    # Connections end in the next turns of the loop.
    await asyncio.sleep(0)
