"""The two clients: Askbridge blocks, AsyncAskbridge is for asyncio and Trio."""

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
#: Every wait and every stream holds a connection. With httpx's default limit of 100, further calls would wait for a free one and time out.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)


def _base(url: str | None) -> str:
    address = (url or os.environ.get("ASKBRIDGE_URL") or "http://127.0.0.1:8080").strip()
    try:
        parts = urlsplit(address)
        complete = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # An invalid port or IPv6 address.
        complete = False
    if not complete:
        raise AskbridgeError(f"askbridge: {address!r} is not an address such as http://127.0.0.1:8080")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AskbridgeError("askbridge: the address must not contain credentials or parameters")
    return address.rstrip("/")


def _bearer(token: str | None) -> str:
    """Returns the token without the whitespace around it: a token read from a file often ends with a line break."""
    clean = (os.environ.get("ASKBRIDGE_TOKEN", "") if token is None else token).strip()
    if not (clean.isascii() and clean.isprintable()):
        raise AskbridgeError("askbridge: the token contains invalid characters, such as a line break; copy it again")
    return clean


class _Client:
    """The code that both clients share. It prepares calls, but makes none."""

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
    def _failed(call: flow.Call, error: Exception) -> ConnectionFailedError:
        return ConnectionFailedError(f"askbridge: {call.method} {call.path}: {error or type(error).__name__}")

    def _stream(self, request_id: str | None, last_event_id: str | None) -> flow.Flow[AskRequest | None]:
        path = "/v1/events" if request_id is None else flow.path(request_id, "/events")
        return flow.follow(flow.Call("GET", path), last_event_id, request_id is not None, flow.Deadline(None))


class _Outcome(Generic[T]):
    """Runs a flow step by step. The client performs each effect and passes its result back."""

    value: T
    chunks: Iterator[str]
    async_chunks: AsyncIterator[str]

    def __init__(self, steps: flow.Flow[T]) -> None:
        self._steps = steps
        self._step: Callable[[], flow.Effect] = lambda: next(steps)

    def next(self) -> flow.Effect | None:
        """Returns the next effect of the flow, or None when the flow has returned its value."""
        try:
            return self._step()
        except StopIteration as stop:
            self.value = stop.value
            return None

    def succeed(self, value: Any) -> None:
        """Passes the result of the last effect to the flow."""
        self._step = lambda: self._steps.send(value)

    def fail(self, error: AskbridgeError) -> None:
        """Raises the error of the last effect in the flow."""
        self._step = lambda: self._steps.throw(error)


class Askbridge(_Client):
    """A client of one bridge whose methods block. Any number of threads can share it.

    Use it as a context manager, or call close.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, poll: float = 25, tries: int = 5, http: httpx.Client | None = None
    ) -> None:
        """Creates a client.

        Args:
            url: The address of the bridge. Default: ASKBRIDGE_URL, or http://127.0.0.1:8080.
            token: The agent's token. Default: ASKBRIDGE_TOKEN. A bridge without configured agents needs none.
            poll: The duration of one long-polling call in seconds.
            tries: The maximum number of tries of a call; waits are retried without limit.
            http: The HTTP client to use. You close it yourself. It needs a connection for each wait and each stream.

        Raises:
            AskbridgeError: The address or the token is malformed.
        """
        super().__init__(url, token, poll, tries)
        self._http = http or httpx.Client(limits=_LIMITS)
        self._owns = http is None

    def __enter__(self) -> Askbridge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the HTTP client, unless you passed your own."""
        if self._owns:
            self._http.close()

    def ask(self, request: NewRequest, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Submits a request and waits until it ends, however long that takes.

        The wait survives lost connections and restarts of the bridge, and people are asked only once. Check the state of the
        result: only an AnsweredRequest has answers.

        Args:
            request: The questions, and who is asked where.
            timeout: The maximum number of seconds for submitting and waiting. Default: no limit.
            on_progress: Called with the request at once and after every change.

        Raises:
            ProblemError: The bridge rejects the request.
            WaitTimeoutError: The timeout has passed. If the request was submitted, it is still open.
        """
        return self._run(flow.ask(self._settings, request, timeout, on_progress is not None), on_progress)

    def submit(self, request: NewRequest) -> AskRequest:
        """Submits a request and returns immediately, without waiting for an answer.

        A request without an idempotency_key or a tool_call_id gets a random key, so that a retry does not ask people twice.

        Raises:
            ProblemError: The bridge rejects the request.
            ConnectionFailedError: The bridge is unreachable.
        """
        return self._run(flow.submit(self._settings, request))

    def get(self, request_id: str) -> AskRequest:
        """Returns the current state of a request. Raises NotFoundError if there is no such request."""
        return self._run(flow.get(self._settings, request_id))

    def wait(self, request_id: str, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Waits until a request ends. timeout, on_progress and WaitTimeoutError are those of ask."""
        return self._run(flow.wait(self._settings, request_id, flow.Deadline(timeout), on_progress is not None), on_progress)

    def stream(self, request_id: str | None = None, *, last_event_id: str | None = None) -> Iterator[Event]:
        """Yields an event for each change of a request until it ends, or without request_id of any request, without end.

        It resumes by itself after a lost connection. Pass the id of the last event as last_event_id to resume after it; without one
        the stream of all requests starts with every open request.
        """
        outcome = _Outcome(self._stream(request_id, last_event_id))
        with ExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    yield effect.event
                    outcome.succeed(None)
                else:
                    self._do(effect, outcome, opened)

    def cancel(self, request_id: str, reason: str = "") -> EndedRequest:
        """Withdraws a request and returns it; the cards show the reason. A request that has already ended is returned unchanged."""
        return self._run(flow.cancel(self._settings, request_id, reason))

    def list(self, *, state: str | None = None, webhook: str | None = None, since: str | None = None, limit: int | None = None, cursor: str | None = None) -> Page:
        """Returns one page of requests.

        Args:
            state: A state, or "ended" for every state except open. Default: open.
            webhook: Only requests whose webhook is in this state: "due", "taken" or "dead".
            since: Only ended requests that ended at this time or later, such as 2026-11-24T09:30:00Z.
            limit: The maximum number of requests per page.
            cursor: The next of the previous page.
        """
        return self._run(flow.list_requests(self._settings, {"state": state, "webhook": webhook, "since": since, "limit": limit, "cursor": cursor}))

    def replay(self, request_id: str) -> AskRequest:
        """Retries the webhook of an ended request after the bridge has given up on it."""
        return self._run(flow.replay(self._settings, request_id))

    def ask_tool(self, tool: ToolCall, *, timeout: float | None = None) -> ToolResult:
        """Submits the input of an agent host's question tool and waits for the tool result, which the host gets byte for byte.

        Raises:
            AskbridgeError: The input is neither JSON text nor a dict or list that JSON can represent. No one is asked then.
            WaitTimeoutError: The timeout, in seconds, has passed. If the request was submitted, it is still open.
        """
        return self._run(flow.ask_tool(self._settings, tool, timeout))

    def _run(self, steps: flow.Flow[T], on_progress: Progress | None = None) -> T:
        outcome = _Outcome(steps)
        with ExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    assert on_progress is not None
                    on_progress(effect.event.request)
                    outcome.succeed(None)
                else:
                    self._do(effect, outcome, opened)
        return outcome.value

    def _do(self, effect: flow.Effect, outcome: _Outcome[T], opened: ExitStack) -> None:
        if isinstance(effect, flow.Sleep):
            time.sleep(effect.seconds)
            outcome.succeed(None)
        elif isinstance(effect, flow.Read):
            try:
                outcome.succeed(next(outcome.chunks, None))
            except httpx.RequestError as error:
                outcome.fail(ConnectionFailedError(f"askbridge: stream interrupted: {error}"))
        elif isinstance(effect, (flow.Send, flow.Open)):
            opened.close()
            try:
                reply = opened.enter_context(self._http.stream(**self._arguments(effect.call)))
                outcome.chunks = reply.iter_text()
                whole = isinstance(effect, flow.Send) or not reply.is_success
                outcome.succeed(flow.Reply(reply.status_code, reply.headers, "".join(outcome.chunks) if whole else ""))
            except httpx.RequestError as error:
                outcome.fail(self._failed(effect.call, error))


class AsyncAskbridge(_Client):
    """A client of one bridge for asyncio and Trio. Cancelling a coroutine leaves the request open; cancel withdraws it.

    Use it as an async context manager, or await close.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, poll: float = 25, tries: int = 5, http: httpx.AsyncClient | None = None
    ) -> None:
        """Creates a client; see Askbridge."""
        super().__init__(url, token, poll, tries)
        self._http = http or httpx.AsyncClient(limits=_LIMITS)
        self._owns = http is None

    async def __aenter__(self) -> AsyncAskbridge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the HTTP client, unless you passed your own."""
        if self._owns:
            await self._http.aclose()

    async def ask(self, request: NewRequest, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Submits a request and waits until it ends; see Askbridge.ask."""
        return await self._run(flow.ask(self._settings, request, timeout, on_progress is not None), on_progress)

    async def submit(self, request: NewRequest) -> AskRequest:
        """Submits a request and returns immediately; see Askbridge.submit."""
        return await self._run(flow.submit(self._settings, request))

    async def get(self, request_id: str) -> AskRequest:
        """Returns the current state of a request; see Askbridge.get."""
        return await self._run(flow.get(self._settings, request_id))

    async def wait(self, request_id: str, *, timeout: float | None = None, on_progress: Progress | None = None) -> EndedRequest:
        """Waits until a request ends; see Askbridge.wait."""
        return await self._run(flow.wait(self._settings, request_id, flow.Deadline(timeout), on_progress is not None), on_progress)

    async def stream(self, request_id: str | None = None, *, last_event_id: str | None = None) -> AsyncIterator[Event]:
        """Yields an event for each change of a request, or of all requests; see Askbridge.stream."""
        outcome = _Outcome(self._stream(request_id, last_event_id))
        async with AsyncExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    yield effect.event
                    outcome.succeed(None)
                else:
                    await self._do(effect, outcome, opened)

    async def cancel(self, request_id: str, reason: str = "") -> EndedRequest:
        """Withdraws a request and returns it; see Askbridge.cancel."""
        return await self._run(flow.cancel(self._settings, request_id, reason))

    async def list(self, *, state: str | None = None, webhook: str | None = None, since: str | None = None, limit: int | None = None, cursor: str | None = None) -> Page:
        """Returns one page of requests; see Askbridge.list."""
        return await self._run(flow.list_requests(self._settings, {"state": state, "webhook": webhook, "since": since, "limit": limit, "cursor": cursor}))

    async def replay(self, request_id: str) -> AskRequest:
        """Retries the webhook of an ended request; see Askbridge.replay."""
        return await self._run(flow.replay(self._settings, request_id))

    async def ask_tool(self, tool: ToolCall, *, timeout: float | None = None) -> ToolResult:
        """Submits the input of an agent host's question tool and waits for the tool result; see Askbridge.ask_tool."""
        return await self._run(flow.ask_tool(self._settings, tool, timeout))

    async def _run(self, steps: flow.Flow[T], on_progress: Progress | None = None) -> T:
        outcome = _Outcome(steps)
        async with AsyncExitStack() as opened:
            while (effect := outcome.next()) is not None:
                if isinstance(effect, flow.Emit):
                    assert on_progress is not None
                    on_progress(effect.event.request)
                    outcome.succeed(None)
                else:
                    await self._do(effect, outcome, opened)
        return outcome.value

    async def _do(self, effect: flow.Effect, outcome: _Outcome[T], opened: AsyncExitStack) -> None:
        if isinstance(effect, flow.Sleep):
            await anyio.sleep(effect.seconds)
            outcome.succeed(None)
        elif isinstance(effect, flow.Read):
            try:
                outcome.succeed(await anext(outcome.async_chunks, None))
            except httpx.RequestError as error:
                outcome.fail(ConnectionFailedError(f"askbridge: stream interrupted: {error}"))
        elif isinstance(effect, (flow.Send, flow.Open)):
            await opened.aclose()
            try:
                reply = await opened.enter_async_context(self._http.stream(**self._arguments(effect.call)))
                outcome.async_chunks = reply.aiter_text()
                whole = isinstance(effect, flow.Send) or not reply.is_success
                text = "".join([chunk async for chunk in outcome.async_chunks]) if whole else ""
                outcome.succeed(flow.Reply(reply.status_code, reply.headers, text))
            except httpx.RequestError as error:
                outcome.fail(self._failed(effect.call, error))
