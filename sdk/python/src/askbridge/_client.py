"""The two clients: one blocks, the other awaits."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx

from . import _flow as flow
from ._errors import AskbridgeError, ConnectionFailedError
from ._types import AskRequest, EndedRequest, Event, NewRequest, Page, ToolCall, ToolResult

T = TypeVar("T")
Progress = Callable[[AskRequest], None]
#: Every wait and every stream holds a connection. With the 100 of httpx one more call waits for a free one until it fails.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)


def _base(url: str | None) -> str:
    address = (url or os.environ.get("ASKBRIDGE_URL") or "http://127.0.0.1:8080").strip()
    try:
        parts = urlsplit(address)
        complete = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # A port or an IPv6 address that is none.
        complete = False
    if not complete:
        raise AskbridgeError(f"askbridge: {address!r} is not an address such as http://127.0.0.1:8080")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AskbridgeError("askbridge: the address must not hold credentials or parameters")
    return address.rstrip("/")


def _bearer(token: str | None) -> str:
    """The token as a header takes it. It often comes out of a file with a line break at its end."""
    clean = (os.environ.get("ASKBRIDGE_TOKEN", "") if token is None else token).strip()
    if not (clean.isascii() and clean.isprintable()):
        raise AskbridgeError("askbridge: the token holds characters that no token has, such as a line break; copy it again")
    return clean


class _Client:
    """What both clients know. It makes the calls' arguments and reads nothing itself."""

    def __init__(self, url: str | None, token: str | None, poll: float, tries: int) -> None:
        self._url = _base(url)
        self._token = _bearer(token)
        self._settings = flow.Settings(poll, tries)

    def _arguments(self, call: flow.Call) -> dict[str, Any]:
        headers = dict(call.headers)
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if call.content is not None:
            headers["Content-Type"] = "application/json"
        return {
            "method": call.method,
            "url": self._url + call.path,
            "params": list(call.params),
            "headers": headers,
            "content": call.content.encode() if call.content is not None else None,
            "timeout": httpx.Timeout(call.timeout, connect=min(call.timeout, 10)),
        }

    @staticmethod
    def _lost(call: flow.Call, error: Exception) -> ConnectionFailedError:
        return ConnectionFailedError(f"askbridge: {call.method} {call.path}: {error or type(error).__name__}")

    def _stream(self, request_id: str | None, last_event_id: str | None) -> flow.Flow[AskRequest | None]:
        path = "/v1/events" if request_id is None else flow.path(request_id, "/events")
        return flow.follow(flow.Call("GET", path), last_event_id, request_id is not None, flow.Deadline(None))


class _Outcome(Generic[T]):
    """A flow on its way: what it wants next, and what comes of that."""

    value: T
    chunks: Iterator[str]
    async_chunks: AsyncIterator[str]

    def __init__(self, steps: flow.Flow[T]) -> None:
        self._steps = steps
        self._step: Callable[[], flow.Effect] = lambda: next(steps)

    def next(self) -> flow.Effect | None:
        """Returns what the flow wants; None when it has ended with its value."""
        try:
            return self._step()
        except StopIteration as stop:
            self.value = stop.value
            return None

    def sent(self, value: Any) -> None:
        self._step = lambda: self._steps.send(value)

    def failed(self, error: AskbridgeError) -> None:
        self._step = lambda: self._steps.throw(error)


class Askbridge(_Client):
    """A client of one bridge that blocks while it waits.

    Use it as a context manager, or close it. One client serves any number of threads.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, poll: float = 25, tries: int = 5, http: httpx.Client | None = None
    ) -> None:
        """The address and the token are those of ASKBRIDGE_URL and ASKBRIDGE_TOKEN unless given.

        poll is how many seconds one call of a wait lasts, tries how often any other call is tried. An http client of your
        own makes the calls if you give one; closing it is yours too, and it needs a connection for each wait and stream.
        """
        super().__init__(url, token, poll, tries)
        self._http = http or httpx.Client(limits=_LIMITS)
        self._owns = http is None

    def __enter__(self) -> Askbridge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of idle connections."""
        if self._owns:
            self._http.close()

    def ask(self, request: NewRequest, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Asks people and waits until the request has ended, for as long as that takes.

        The wait lasts through lost connections and restarts of the bridge, and people are asked once. Look at the state:
        only an AnsweredRequest has answers. on_progress is told how the request stands, at once and after every change.
        After timeout seconds, in which it also has to be asked, WaitTimeoutError is raised and the question stays open.
        """
        return self._run(flow.ask(self._settings, request, timeout, on_progress is not None), on_progress)

    def submit(self, request: NewRequest) -> AskRequest:
        """Asks people and returns at once.

        A request without an idempotency_key or a tool_call_id gets a random key, so that it cannot be asked twice when a
        reply is lost.
        """
        return self._run(flow.submit(self._settings, request))

    def get(self, request_id: str) -> AskRequest:
        """Returns how a request stands."""
        return self._run(flow.get(self._settings, request_id))

    def wait(self, request_id: str, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Waits until a request has ended, as ask does."""
        return self._run(flow.wait(self._settings, request_id, flow.Deadline(timeout), on_progress is not None), on_progress)

    def stream(self, request_id: str | None = None, *, last_event_id: str | None = None) -> Iterator[Event]:
        """Follows a request to its end, or without one all requests for ever. It goes on where a connection broke off."""
        outcome = _Outcome(self._stream(request_id, last_event_id))
        with ExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    yield effect.event
                    outcome.sent(None)
                else:
                    self._do(effect, outcome, opened)

    def cancel(self, request_id: str, reason: str = "") -> EndedRequest:
        """Withdraws a request; the reason is shown to people. One that has ended is returned as it is."""
        return self._run(flow.cancel(self._settings, request_id, reason))

    def list(self, *, state: str | None = None, webhook: str | None = None, since: str | None = None, limit: int | None = None, cursor: str | None = None) -> Page:
        """Returns one page of requests: the open ones, or those of another state, "ended" for all but open.

        Of ended ones since leaves out what has ended before, such as 2026-11-24T09:30:00Z.
        """
        return self._run(flow.list_requests(self._settings, {"state": state, "webhook": webhook, "since": since, "limit": limit, "cursor": cursor}))

    def replay(self, request_id: str) -> AskRequest:
        """Calls the webhook of an ended request again, if it was given up."""
        return self._run(flow.replay(self._settings, request_id))

    def ask_tool(self, tool: ToolCall, *, timeout: float | None = None) -> ToolResult:
        """Hands the input of an agent host's question tool in and waits for that tool's result, byte for byte.

        An input that is neither JSON text nor a dict or list that JSON can hold is an AskbridgeError, and nobody is asked.
        """
        return self._run(flow.ask_tool(self._settings, tool, timeout))

    def _run(self, steps: flow.Flow[T], on_progress: Progress | None = None) -> T:
        outcome = _Outcome(steps)
        with ExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    assert on_progress is not None
                    on_progress(effect.event.request)
                    outcome.sent(None)
                else:
                    self._do(effect, outcome, opened)
        return outcome.value

    def _do(self, effect: flow.Effect, outcome: _Outcome[T], opened: ExitStack) -> None:
        if isinstance(effect, flow.Sleep):
            time.sleep(effect.seconds)
            outcome.sent(None)
        elif isinstance(effect, flow.Read):
            try:
                outcome.sent(next(outcome.chunks, None))
            except httpx.RequestError as error:
                outcome.failed(ConnectionFailedError(f"askbridge: the stream broke off: {error}"))
        elif isinstance(effect, (flow.Send, flow.Open)):
            opened.close()
            try:
                reply = opened.enter_context(self._http.stream(**self._arguments(effect.call)))
                outcome.chunks = reply.iter_text()
                whole = isinstance(effect, flow.Send) or not reply.is_success
                outcome.sent(flow.Reply(reply.status_code, reply.headers, "".join(outcome.chunks) if whole else ""))
            except httpx.RequestError as error:
                outcome.failed(self._lost(effect.call, error))


class AsyncAskbridge(_Client):
    """A client of one bridge for asyncio and Trio. Cancelling a call leaves the question open; cancel withdraws it.

    Use it as an async context manager, or close it.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, poll: float = 25, tries: int = 5, http: httpx.AsyncClient | None = None
    ) -> None:
        """See Askbridge."""
        super().__init__(url, token, poll, tries)
        self._http = http or httpx.AsyncClient(limits=_LIMITS)
        self._owns = http is None

    async def __aenter__(self) -> AsyncAskbridge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Lets go of idle connections."""
        if self._owns:
            await self._http.aclose()

    async def ask(self, request: NewRequest, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Asks people and waits until the request has ended; see Askbridge.ask."""
        return await self._run(flow.ask(self._settings, request, timeout, on_progress is not None), on_progress)

    async def submit(self, request: NewRequest) -> AskRequest:
        """Asks people and returns at once; see Askbridge.submit."""
        return await self._run(flow.submit(self._settings, request))

    async def get(self, request_id: str) -> AskRequest:
        """Returns how a request stands."""
        return await self._run(flow.get(self._settings, request_id))

    async def wait(self, request_id: str, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Waits until a request has ended, as ask does."""
        return await self._run(flow.wait(self._settings, request_id, flow.Deadline(timeout), on_progress is not None), on_progress)

    async def stream(self, request_id: str | None = None, *, last_event_id: str | None = None) -> AsyncIterator[Event]:
        """Follows a request to its end, or without one all requests for ever. It goes on where a connection broke off."""
        outcome = _Outcome(self._stream(request_id, last_event_id))
        async with AsyncExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    yield effect.event
                    outcome.sent(None)
                else:
                    await self._do(effect, outcome, opened)

    async def cancel(self, request_id: str, reason: str = "") -> EndedRequest:
        """Withdraws a request; the reason is shown to people. One that has ended is returned as it is."""
        return await self._run(flow.cancel(self._settings, request_id, reason))

    async def list(self, *, state: str | None = None, webhook: str | None = None, since: str | None = None, limit: int | None = None, cursor: str | None = None) -> Page:
        """Returns one page of requests; see Askbridge.list."""
        return await self._run(flow.list_requests(self._settings, {"state": state, "webhook": webhook, "since": since, "limit": limit, "cursor": cursor}))

    async def replay(self, request_id: str) -> AskRequest:
        """Calls the webhook of an ended request again, if it was given up."""
        return await self._run(flow.replay(self._settings, request_id))

    async def ask_tool(self, tool: ToolCall, *, timeout: float | None = None) -> ToolResult:
        """Hands the input of an agent host's question tool in and waits for that tool's result, byte for byte.

        An input that is neither JSON text nor a dict or list that JSON can hold is an AskbridgeError, and nobody is asked.
        """
        return await self._run(flow.ask_tool(self._settings, tool, timeout))

    async def _run(self, steps: flow.Flow[T], on_progress: Progress | None = None) -> T:
        outcome = _Outcome(steps)
        async with AsyncExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    assert on_progress is not None
                    on_progress(effect.event.request)
                    outcome.sent(None)
                else:
                    await self._do(effect, outcome, opened)
        return outcome.value

    async def _do(self, effect: flow.Effect, outcome: _Outcome[T], opened: AsyncExitStack) -> None:
        if isinstance(effect, flow.Sleep):
            await anyio.sleep(effect.seconds)
            outcome.sent(None)
        elif isinstance(effect, flow.Read):
            try:
                outcome.sent(await anext(outcome.async_chunks, None))
            except httpx.RequestError as error:
                outcome.failed(ConnectionFailedError(f"askbridge: the stream broke off: {error}"))
        elif isinstance(effect, (flow.Send, flow.Open)):
            await opened.aclose()
            try:
                reply = await opened.enter_async_context(self._http.stream(**self._arguments(effect.call)))
                outcome.async_chunks = reply.aiter_text()
                whole = isinstance(effect, flow.Send) or not reply.is_success
                text = "".join([chunk async for chunk in outcome.async_chunks]) if whole else ""
                outcome.sent(flow.Reply(reply.status_code, reply.headers, text))
            except httpx.RequestError as error:
                outcome.failed(self._lost(effect.call, error))
