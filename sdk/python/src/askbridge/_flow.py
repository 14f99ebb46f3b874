"""The logic of the clients, without I/O.

A flow is a generator that yields effects, such as a call to send, and receives their results, like the auth flows of httpx. The
blocking and the async client perform the same effects.
"""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar, Union
from urllib.parse import quote

from ._errors import AskbridgeError, ConnectionFailedError, ProblemError, WaitTimeoutError, problem_of
from ._types import (
    AnsweredRequest,
    AskRequest,
    EndedRequest,
    Event,
    NewRequest,
    OpenRequest,
    Page,
    Place,
    ToolCall,
    ToolResult,
    UnansweredRequest,
    from_json,
    to_json,
)

T = TypeVar("T")

#: The timeout of a call in seconds, in addition to its wait. Posting a card can take the bridge several seconds.
CALL_TIMEOUT = 20.0
#: The seconds without data after which a stream counts as lost. The bridge sends something at least every 15 seconds.
IDLE_TIMEOUT = 45.0
#: The first and the longest backoff between two tries, in seconds.
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0
#: The seconds after a deadline in which a reply that the bridge sent just before can still arrive.
GRACE = 2.0


@dataclass(frozen=True)
class Call:
    """One HTTP call to the bridge."""

    method: str
    path: str
    params: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    content: str | None = None
    timeout: float = CALL_TIMEOUT


@dataclass(frozen=True)
class Send:
    """Makes a call. The result is a Reply or ConnectionFailedError."""

    call: Call


@dataclass(frozen=True)
class Open:
    """Makes a call whose body is read in chunks. The result is a Reply, with text only for an error status."""

    call: Call


@dataclass(frozen=True)
class Read:
    """Reads the next chunk of the body that was opened last. The result is text, or None at its end."""


@dataclass(frozen=True)
class Sleep:
    """Waits for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Emit:
    """Passes an event to the caller."""

    event: Event


@dataclass(frozen=True)
class Reply:
    """The reply to a call."""

    status: int
    headers: Mapping[str, str]
    text: str


Effect = Union[Send, Open, Read, Sleep, Emit]
Flow = Generator[Effect, Any, T]


@dataclass(frozen=True)
class Settings:
    """The settings of a client: the seconds of one long poll, and the maximum number of tries."""

    poll: float
    tries: int


class Deadline:
    """The end of a wait, if it has one. submitted is whether the bridge has confirmed the request."""

    def __init__(self, seconds: float | None, submitted: bool = True) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self.submitted = submitted

    def left(self, limit: float, grace: float = 0.0, failure: AskbridgeError | None = None) -> float:
        """Returns the seconds until the deadline plus grace, at most limit.

        Raises WaitTimeoutError after the deadline, with the failure, if any, as its cause.
        """
        if self._end is None:
            return limit
        left = self._end - time.monotonic()
        if left > 0:
            return min(limit, left + grace)
        if self.submitted:
            raise WaitTimeoutError("askbridge: the wait has timed out, but the question is still open") from failure
        raise WaitTimeoutError("askbridge: timed out before the bridge confirmed the question; if it was asked, it is still open") from failure


def send(call: Call, tries: int | None, deadline: Deadline | None = None, grace: float = 0.0) -> Flow[Reply]:
    """Makes a call and retries transient failures with backoff, up to the deadline; without tries, without limit."""
    n = 0
    failure: AskbridgeError | None = None
    while True:
        n += 1
        timeout = deadline.left(call.timeout, grace, failure) if deadline else call.timeout
        try:
            reply: Reply = yield Send(replace(call, timeout=timeout))
            if 200 <= reply.status <= 299:
                return reply
            failure = problem_of(reply.status, reply.text, retry_after(reply.headers))
        except ConnectionFailedError as error:
            failure = error
        if not is_retryable(failure) or n == tries:
            raise failure
        yield from pause(backoff(n, failure), deadline, failure)


def pause(seconds: float, deadline: Deadline | None, failure: AskbridgeError | None = None) -> Flow[None]:
    """Waits for some seconds, at most until the deadline."""
    yield Sleep(deadline.left(seconds, failure=failure) if deadline else seconds)


def is_retryable(failure: AskbridgeError) -> bool:
    """Reports whether repeating the call may succeed."""
    if isinstance(failure, ProblemError):
        return failure.status in (408, 429, 500, 502, 503, 504)
    return isinstance(failure, ConnectionFailedError)


def backoff(n: int, failure: AskbridgeError | None = None) -> float:
    """Returns the seconds to wait after try n: exponential with jitter, and at least the Retry-After of the reply."""
    seconds = min(FIRST_PAUSE * 2.0 ** min(n - 1, 8), LONGEST_PAUSE)
    requested = failure.retry_after if isinstance(failure, ProblemError) else None
    return max(seconds / 2 + random.random() * seconds, requested or 0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the Retry-After header in seconds from now. It contains seconds or a date (RFC 9110)."""
    text = headers.get("retry-after", "")
    if text.isdigit():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0) if text else None
    except (TypeError, ValueError):
        return None


def parsed(kind: Any, reply: Reply) -> Any:
    """Parses the JSON body of a reply as a type."""
    try:
        value = json.loads(reply.text)
    except ValueError as error:
        raise ConnectionFailedError("askbridge: the reply is not in the format of a bridge") from error
    return from_json(kind, value)


def path(request_id: str, suffix: str = "") -> str:
    if not request_id:
        raise AskbridgeError("askbridge: the id of the request is empty")
    return f"/v1/requests/{quote(request_id, safe='')}{suffix}"


def submit(settings: Settings, request: NewRequest, deadline: Deadline | None = None) -> Flow[AskRequest]:
    if not request.idempotency_key and not request.tool_call_id:
        request = replace(request, idempotency_key=str(uuid.uuid4()))
    reply = yield from send(Call("POST", "/v1/requests", content=json.dumps(to_json(request))), settings.tries, deadline)
    submitted: AskRequest = parsed(AskRequest, reply)
    return submitted


def get(settings: Settings, request_id: str) -> Flow[AskRequest]:
    request: AskRequest = parsed(AskRequest, (yield from send(Call("GET", path(request_id)), settings.tries)))
    return request


def ask(settings: Settings, request: NewRequest, timeout: float | None, progress: bool) -> Flow[EndedRequest]:
    deadline = Deadline(timeout, submitted=False)
    submitted = yield from submit(settings, request, deadline)
    if not isinstance(submitted, OpenRequest):
        if progress:
            yield Emit(Event("", submitted))
        return submitted
    deadline.submitted = True
    return (yield from wait(settings, submitted.id, deadline, progress))


def wait(settings: Settings, request_id: str, deadline: Deadline, progress: bool) -> Flow[EndedRequest]:
    if progress:
        last: AskRequest | None = yield from follow(Call("GET", path(request_id, "/events")), None, True, deadline)
        if isinstance(last, (AnsweredRequest, UnansweredRequest)) and last.receipt is None:
            return last  # With receipts, read it once more: only that acknowledges the answer.

    heard: list[tuple[str, str]] = []

    def read(reply: Reply) -> EndedRequest | None:
        request: AskRequest = parsed(AskRequest, reply)
        if isinstance(request, (AnsweredRequest, UnansweredRequest)):
            return request
        heard[:] = [("heard", str(last.number)) for last in request.asked_back[-1:]]  # The bridge ends a poll early for a question to the agent that heard does not include.
        return None

    steps: Flow[EndedRequest] = poll_until(settings, Call("GET", path(request_id), heard), read, deadline)
    return (yield from steps)


def poll_until(settings: Settings, call: Call, read: Callable[[Reply], T | None], deadline: Deadline) -> Flow[T]:
    """Repeats a long-polling call until read returns a value. It pauses after a reply that came too early, to not flood the bridge."""
    while True:
        start = time.monotonic()
        wait_time = deadline.left(settings.poll)
        long_poll = replace(call, params=[*call.params, ("wait", f"{wait_time:.3f}s")], timeout=wait_time + CALL_TIMEOUT)
        value = read((yield from send(long_poll, None, deadline, GRACE)))
        if value is not None:
            return value
        if time.monotonic() - start < 1:
            yield from pause(1, deadline)


def cancel(settings: Settings, request_id: str, reason: str) -> Flow[EndedRequest]:
    call = Call("POST", path(request_id, "/cancel"), content=json.dumps({"reason": reason}))
    ended: EndedRequest = parsed(EndedRequest, (yield from send(call, settings.tries)))
    return ended


def replay(settings: Settings, request_id: str) -> Flow[AskRequest]:
    request: AskRequest = parsed(AskRequest, (yield from send(Call("POST", path(request_id, "/replay")), settings.tries)))
    return request


def list_requests(settings: Settings, query: Mapping[str, str | int | None]) -> Flow[Page]:
    params = [(name, str(value)) for name, value in query.items() if value is not None]
    page: Page = parsed(Page, (yield from send(Call("GET", "/v1/requests", params), settings.tries)))
    return page


def ask_tool(settings: Settings, tool: ToolCall, timeout: float | None) -> Flow[ToolResult]:
    deadline = Deadline(timeout, submitted=False)
    content = tool_input(tool)
    params = [("to", place_text(place)) for place in tool.to]
    # An empty list must not look like an omitted one: the bridge rejects empty responders, and notifies no one for empty notify.
    for name, entries, empty in (("responders", tool.responders, ""), ("notify", tool.notify, "nobody")):
        params += [(name, entry) for entry in ((entries or [empty]) if entries is not None else ())]
    variants = [("variant", v) for v in tool.variants]
    params += variants
    for name in ("route", "expires_in", "tool_call_id", "session", "context", "agent", "language", "hold", "risk", "same", "within"):
        if value := getattr(tool, name):
            params.append((name, value))
    for name in ("policy", "replies", "schedule", "source", "origin"):
        if value := getattr(tool, name):
            params.append((name, json.dumps(to_json(value))))
    # The key is a fallback: a call ID in the input takes precedence.
    random_key = {"Idempotency-Key": str(uuid.uuid4()), "Askbridge-Key": "fallback"}
    headers = {} if tool.tool_call_id or tool.same in ("session", "agent") else random_key
    dialect = quote(tool.dialect, safe="")
    submission = Call("POST", f"/v1/ask/{dialect}", params, headers, content)
    first = tool_result((yield from send(submission, settings.tries, deadline)))
    if first.state != "open" or not first.request_id:
        return first
    deadline.submitted = True

    def read(reply: Reply) -> ToolResult | None:
        result = tool_result(reply)
        return None if result.state == "open" else result

    call = Call("POST", path(first.request_id, f"/as/{dialect}"), variants, content=content)
    return (yield from poll_until(settings, call, read, deadline))


def tool_input(tool: ToolCall) -> str:
    """Returns the input of a tool call as JSON text."""
    if isinstance(tool.input, str):
        return tool.input
    if not isinstance(tool.input, (Mapping, list)):
        raise AskbridgeError(f"askbridge: the input of a tool call must be JSON text, a dict or a list, not {type(tool.input).__name__}")
    try:
        return json.dumps(tool.input, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AskbridgeError(f"askbridge: the input of a tool call cannot be written as JSON: {error}") from error


def place_text(p: Place) -> str:
    """Returns the text form of a place, such as slack:C0000001."""
    platform = f"{p.platform}@{p.installation}" if p.installation else p.platform
    return f"{platform}:{'@' + p.user if p.user else p.channel}" + (f"/{p.thread}" if p.thread else "")


def tool_result(reply: Reply) -> ToolResult:
    h = reply.headers
    if not h.get("askbridge-state"):
        raise ConnectionFailedError("askbridge: the reply is not in the format of a bridge")
    return ToolResult(
        reply.text, h["askbridge-state"], h.get("askbridge-is-error") == "true", h.get("askbridge-stop-turn") == "true", h.get("askbridge-request-id")
    )


def follow(call: Call, last: str | None, single: bool, deadline: Deadline) -> Flow[AskRequest | None]:
    """Emits the events after last, and reconnects after lost connections and restarts of the bridge.

    It returns the request of the last event when the bridge has no more events, or for a single request after the event of its end.
    """
    request: AskRequest | None = None
    n = 0
    while True:
        n += 1
        retry = 0.0
        failure: AskbridgeError | None = None
        headers = {"Accept": "text/event-stream", **({} if last is None else {"Last-Event-ID": last})}
        parser = EventParser()
        try:
            read_timeout = deadline.left(IDLE_TIMEOUT)
            reply: Reply = yield Open(replace(call, headers=headers, timeout=read_timeout))
            if reply.status == 204:
                return request
            if not 200 <= reply.status <= 299:
                raise problem_of(reply.status, reply.text, retry_after(reply.headers))
            while (text := (yield Read())) is not None:
                for message in parser.push(text):
                    retry = message.retry or retry
                    if message.data is None or message.id == last:
                        continue  # After a reconnect the bridge may repeat the last event.
                    n, last = 0, message.id
                    request = parsed(AskRequest, Reply(200, {}, message.data))
                    assert request is not None
                    yield Emit(Event(last, request))
                    if single and not isinstance(request, OpenRequest):
                        return request
                if deadline.left(IDLE_TIMEOUT) < read_timeout - 1:
                    break  # Reconnect: the read timeout is fixed for a connection, and this one would exceed the deadline.
            if text is not None:
                continue
        except ConnectionFailedError as error:
            failure = error
        except ProblemError as error:
            if not is_retryable(error):
                raise
            failure = error
        yield from pause(max(retry, backoff(max(n, 1), failure)), deadline, failure)


@dataclass(frozen=True)
class Message:
    """One server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

    id: str
    data: str | None
    retry: float | None


class EventParser:
    """Parses events from chunks of text. An event that is incomplete when the stream ends is dropped, as the standard requires."""

    def __init__(self) -> None:
        self._rest = ""
        self._id = ""
        self._data: list[str] = []
        self._retry: float | None = None

    def push(self, text: str) -> list[Message]:
        """Adds a chunk and returns the events that it completes."""
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + text)
        messages: list[Message] = []
        for line in lines:
            if line:
                self._field(*line.split(":", 1))
            else:
                if self._data or self._retry is not None:
                    messages.append(Message(self._id, "\n".join(self._data) if self._data else None, self._retry))
                self._data, self._retry = [], None
        return messages

    def _field(self, name: str, value: str = "") -> None:
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdigit():
            self._retry = int(value) / 1000
