"""A loopback server that speaks the part of the OpenAI protocol that chat models need, with faults by plan.

`with ModelServer(plan, behaviour) as server` runs it in a thread of this process; `python -m tests.model_server` in
one of its own. `GET /log` tells what was asked and what was done.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

from tests.model_server.behaviours import Behaviour, named
from tests.model_server.plan import Plan

_HANG_S = 3_600
_PHRASES = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass
class Log:
    """What the server saw."""

    requests: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    """Requests by the SHA-256 of their body."""
    answered: Counter[str] = field(default_factory=Counter)
    """Those that got a whole, well-formed answer."""
    connections: int = 0
    now: int = 0
    most_at_once: int = 0
    times: list[float] = field(default_factory=list)
    """When each request came, in seconds of the server's clock."""

    def as_json(self) -> dict[str, Any]:
        """The log as JSON data."""
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in vars(self).items()}


class ModelServer:
    """The server; `behaviour` may be a function of this process in place of the name in the plan."""

    def __init__(self, plan: Plan | None = None, behaviour: Behaviour | None = None, port: int = 0) -> None:
        self.plan = plan or Plan()
        self.log = Log()
        self._behave = behaviour or named(self.plan.behaviour)
        self._port = port
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: Exception | None = None

    @property
    def url(self) -> str:
        """What clients take as `api_base`."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self.serve())
        except OSError as error:
            self._failure = error
            self._ready.set()

    async def serve(self, announce: bool = False) -> None:
        """Answer until stopped."""
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connect, "127.0.0.1", self._port, backlog=512)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        if announce:
            print(self.url, flush=True)
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.log.connections += 1
        task = asyncio.ensure_future(self._converse(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until either side closes it."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, path, _ = head[0].split(" ", 2)
                pairs = (line.partition(":") for line in head[1:] if line)
                headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                if not await self._answer(method, path, headers, body, writer):
                    break
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client closed it
        finally:
            writer.transport.abort()

    async def _answer(
        self, method: str, path: str, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request. Return whether the connection stays open."""
        if (method, path) == ("GET", "/log"):
            writer.write(_response(200, self.log.as_json()))
        elif (method, path) == ("GET", "/v1/models"):
            data = [{"id": name, "object": "model"} for name in self.plan.models or ("any",)]
            writer.write(_response(200, {"object": "list", "data": data}))
        elif (method, path) == ("POST", "/v1/chat/completions"):
            self.log.now += 1
            self.log.most_at_once = max(self.log.most_at_once, self.log.now)
            try:
                return await self._chat(headers, body, writer)
            finally:
                self.log.now -= 1
        else:
            writer.write(_response(404, _error(f"there is no {method} {path}", "not_found")))
        return True

    async def _chat(self, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter) -> bool:
        number = self.log.requests
        self.log.requests += 1
        self.log.times.append(self._loop.time())
        digest = hashlib.sha256(body).hexdigest()
        self.log.sent[digest] += 1
        request = json.loads(body)
        action = self._refused(headers, request) or self.plan.action(number)
        self.log.actions[action] += 1
        if action.isdigit():
            writer.write(_response(int(action), self._complaint(int(action), headers, request)))
            return True
        if action == "rate_limit":
            after = {"Retry-After": self.plan.retry_after} if self.plan.retry_after is not None else {}
            writer.write(_response(429, _error("too many requests", "rate_limit_exceeded"), after))
            return True
        if action == "hang":
            await asyncio.sleep(_HANG_S)
        if self.plan.latency_s:
            await asyncio.sleep(self.plan.latency_s)
        if action == "malformed":
            writer.write(_response(200, b'{"id": "chatcmpl-1", "choices": [{"mess'))
            return True
        answer = _response(200, self._completion(number, request, action == "bad_arguments"))
        if action == "cut":
            if number % 2:
                writer.write(answer[: len(answer) // 2])
                await writer.drain()
            return False
        self.log.answered[digest] += 1
        writer.write(answer)
        return True

    def _refused(self, headers: dict[str, str], request: dict[str, Any]) -> str | None:
        key = headers.get("authorization", "").removeprefix("Bearer ")
        if self.plan.keys is not None and key not in self.plan.keys:
            return "401"
        if self.plan.models is not None and request["model"] not in self.plan.models:
            return "404"
        return None

    def _complaint(self, status: int, headers: dict[str, str], request: dict[str, Any]) -> dict[str, Any]:
        key = headers.get("authorization", "")
        if status == 401:
            return _error(f"Incorrect API key provided: {key}", "invalid_api_key")
        if status == 404:
            return _error(f"The model `{request['model']}` does not exist", "model_not_found")
        kind = "invalid_request_error" if status == 400 else "refused"
        made = _error(self.plan.complaint or f"refused with {status} for {key}", self.plan.complaint_code, kind)
        return {"error": {**made["error"], **self.plan.complaint_more}}

    def _completion(self, number: int, request: dict[str, Any], bad_arguments: bool) -> dict[str, Any]:
        parts = self._behave(request)
        message: dict[str, Any] = {"role": "assistant", "content": parts.get("content")}
        calls = [_call(f"call_{number}_{at}", call) for at, call in enumerate(parts.get("tool_calls", []))]
        if bad_arguments:
            for call in calls:
                call["function"]["arguments"] = call["function"]["arguments"][:-1]
        if calls:
            message["tool_calls"] = calls
        reason = parts.get("finish_reason", "tool_calls" if calls else "stop")
        prompt, said = len(json.dumps(request["messages"])) // 4, len(json.dumps(message)) // 4
        usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": parts.get("usage", usage),
        }


def _call(identity: str, call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": identity, "type": "function", "function": {"name": call["name"], "arguments": text}}


def _error(message: str, code: str, kind: str = "") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind or code, "code": code}}


def _response(status: int, content: dict[str, Any] | bytes, headers: dict[str, str] | None = None) -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    fields = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} {_PHRASES.get(status, 'Error')}\r\n{head}\r\n".encode() + body
