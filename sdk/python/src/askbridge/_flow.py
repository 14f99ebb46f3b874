"""What the client does, written once for both of its kinds.

A flow is a generator that yields what it wants done and is sent what came of it, like the auth flows of httpx. The
clients only do it: one blocks, the other awaits.
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

#: What a call may take beyond the wait it asks for: the bridge gives a platform some seconds to show the card.
CALL_TIME = 20.0
#: The bridge says something at least every 15 seconds; a stream that is silent for longer is dead.
SILENCE = 45.0
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0
#: What a reply may take to arrive that the bridge sends at the very end of a wait.
ON_ITS_WAY = 2.0


@dataclass(frozen=True)
class Call:
    """One call of the API."""

    method: str
    path: str
    params: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    content: str | None = None
    timeout: float = CALL_TIME


@dataclass(frozen=True)
class Send:
    """Makes a call; a Reply comes of it, or ConnectionFailedError."""

    call: Call


@dataclass(frozen=True)
class Open:
    """Makes a call whose body is read bit by bit; a Reply without text comes of it."""

    call: Call


@dataclass(frozen=True)
class Read:
    """Reads the next bit of what was opened last: text, or None at its end."""


@dataclass(frozen=True)
class Sleep:
    """Waits."""

    seconds: float


@dataclass(frozen=True)
class Emit:
    """Hands an event to whoever follows."""

    event: Event


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str


Effect = Union[Send, Open, Read, Sleep, Emit]
Flow = Generator[Effect, Any, T]


@dataclass(frozen=True)
class Settings:
    """How a client goes about it."""

    poll: float
    tries: int


class Deadline:
    """When a wait must end, if ever, and whether the bridge has said by now that it has the question."""

    def __init__(self, seconds: float | None, asked: bool = True) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self.asked = asked

    def left(self, most: float, late: float = 0.0, failure: AskbridgeError | None = None) -> float:
        """How much of a time is left, and late more. It raises WaitTimeoutError when there is nothing: for the failure, if any."""
        if self._end is None:
            return most
        left = self._end - time.monotonic()
        if left > 0:
            return min(most, left + late)
        if self.asked:
            raise WaitTimeoutError("askbridge: nobody has answered in the time given; the question is still open") from failure
        raise WaitTimeoutError("askbridge: the bridge has not taken the question in the time given; if it was asked, it is still open") from failure


def send(call: Call, tries: int | None, deadline: Deadline | None = None, late: float = 0.0) -> Flow[Reply]:
    """Makes a call until it is answered for good, or the deadline is over; without tries, as often as it takes."""
    n = 0
    failure: AskbridgeError | None = None
    while True:
        n += 1
        timeout = deadline.left(call.timeout, late, failure) if deadline else call.timeout
        try:
            reply: Reply = yield Send(replace(call, timeout=timeout))
            if 200 <= reply.status <= 299:
                return reply
            failure = problem_of(reply.status, reply.text, retry_after(reply.headers))
        except ConnectionFailedError as error:
            failure = error
        if not may_help(failure) or n == tries:
            raise failure
        yield from pause(backoff(n, failure), deadline, failure)


def pause(seconds: float, deadline: Deadline | None, failure: AskbridgeError | None = None) -> Flow[None]:
    """Waits, but no longer than the deadline lets it."""
    yield Sleep(deadline.left(seconds, failure=failure) if deadline else seconds)


def may_help(failure: AskbridgeError) -> bool:
    """Tells whether the same call may go better another time."""
    if isinstance(failure, ProblemError):
        return failure.status in (408, 429, 500, 502, 503, 504)
    return isinstance(failure, ConnectionFailedError)


def backoff(n: int, failure: AskbridgeError | None = None) -> float:
    """How many seconds to wait before the next try."""
    rest = min(FIRST_PAUSE * 2.0 ** min(n - 1, 8), LONGEST_PAUSE)
    asked = failure.retry_after if isinstance(failure, ProblemError) else None
    return max(rest / 2 + random.random() * rest, asked or 0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Retry-After, which holds seconds or a date (RFC 9110)."""
    text = headers.get("retry-after", "")
    if text.isdigit():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0) if text else None
    except (TypeError, ValueError):
        return None


def parsed(kind: Any, reply: Reply) -> Any:
    """Reads a reply that should hold JSON."""
    try:
        value = json.loads(reply.text)
    except ValueError as error:
        raise ConnectionFailedError("askbridge: the reply is not what a bridge says") from error
    return from_json(kind, value)


def path(request_id: str, rest: str = "") -> str:
    if not request_id:
        raise AskbridgeError("askbridge: the id of the request is empty")
    return f"/v1/requests/{quote(request_id, safe='')}{rest}"


def submit(settings: Settings, request: NewRequest, deadline: Deadline | None = None) -> Flow[AskRequest]:
    if not request.idempotency_key and not request.tool_call_id:
        request = replace(request, idempotency_key=str(uuid.uuid4()))
    reply = yield from send(Call("POST", "/v1/requests", content=json.dumps(to_json(request))), settings.tries, deadline)
    made: AskRequest = parsed(AskRequest, reply)
    return made


def get(settings: Settings, request_id: str) -> Flow[AskRequest]:
    request: AskRequest = parsed(AskRequest, (yield from send(Call("GET", path(request_id)), settings.tries)))
    return request


def ask(settings: Settings, request: NewRequest, timeout: float | None, progress: bool) -> Flow[EndedRequest]:
    deadline = Deadline(timeout, asked=False)
    made = yield from submit(settings, request, deadline)
    if not isinstance(made, OpenRequest):
        if progress:
            yield Emit(Event("", made))
        return made
    deadline.asked = True
    return (yield from wait(settings, made.id, deadline, progress))


def wait(settings: Settings, request_id: str, deadline: Deadline, progress: bool) -> Flow[EndedRequest]:
    if progress:
        last: AskRequest | None = yield from follow(Call("GET", path(request_id, "/events")), None, True, deadline)
        if isinstance(last, (AnsweredRequest, UnansweredRequest)) and last.receipt is None:
            return last  # With receipts it is read: whoever follows events alone has not taken it.

    heard: list[tuple[str, str]] = []

    def brings(reply: Reply) -> EndedRequest | None:
        request: AskRequest = parsed(AskRequest, reply)
        if isinstance(request, (AnsweredRequest, UnansweredRequest)):
            return request
        heard[:] = [("heard", str(last.number)) for last in request.asked_back[-1:]]  # What people ask the agent ends a call, once.
        return None

    steps: Flow[EndedRequest] = until(settings, Call("GET", path(request_id), heard), brings, deadline)
    return (yield from steps)


def until(settings: Settings, call: Call, brings: Callable[[Reply], T | None], deadline: Deadline) -> Flow[T]:
    """Repeats a call that waits until it brings something. A bridge that answers at once must not be hammered."""
    while True:
        began = time.monotonic()
        patience = deadline.left(settings.poll)
        waiting = replace(call, params=[*call.params, ("wait", f"{patience:.3f}s")], timeout=patience + CALL_TIME)
        got = brings((yield from send(waiting, None, deadline, ON_ITS_WAY)))
        if got is not None:
            return got
        if time.monotonic() - began < 1:
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
    deadline = Deadline(timeout, asked=False)
    content = tool_input(tool)
    params = [("to", short(place)) for place in tool.to]
    # A list that is empty is not one that was left out: what nobody may answer the bridge refuses.
    for name, named, nobody in (("responders", tool.responders, ""), ("notify", tool.notify, "nobody")):
        params += [(name, one) for one in ((named or [nobody]) if named is not None else ())]
    variants = [("variant", v) for v in tool.variants]
    params += variants
    for name in ("route", "expires_in", "tool_call_id", "session", "context", "agent", "language", "hold", "risk", "same", "within"):
        if value := getattr(tool, name):
            params.append((name, value))
    for name in ("policy", "replies", "schedule", "source", "origin"):
        if value := getattr(tool, name):
            params.append((name, json.dumps(to_json(value))))
    # The bridge reads the input, and knows whether it names the call.
    own = {"Idempotency-Key": str(uuid.uuid4()), "Askbridge-Key": "fallback"}
    headers = {} if tool.tool_call_id or tool.same in ("session", "agent") else own
    dialect = quote(tool.dialect, safe="")
    asking = Call("POST", f"/v1/ask/{dialect}", params, headers, content)
    first = tool_result((yield from send(asking, settings.tries, deadline)))
    if first.state != "open" or not first.request_id:
        return first
    deadline.asked = True

    def brings(reply: Reply) -> ToolResult | None:
        result = tool_result(reply)
        return None if result.state == "open" else result

    again = Call("POST", path(first.request_id, f"/as/{dialect}"), variants, content=content)
    return (yield from until(settings, again, brings, deadline))


def tool_input(tool: ToolCall) -> str:
    """The input of a tool call as JSON text."""
    if isinstance(tool.input, str):
        return tool.input
    if not isinstance(tool.input, (Mapping, list)):
        raise AskbridgeError(f"askbridge: the input of a tool call must be JSON text, a dict or a list, not {type(tool.input).__name__}")
    try:
        return json.dumps(tool.input, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AskbridgeError(f"askbridge: the input of a tool call cannot be written as JSON: {error}") from error


def short(p: Place) -> str:
    """The short form of a place."""
    where = f"{p.platform}@{p.installation}" if p.installation else p.platform
    return f"{where}:{'@' + p.user if p.user else p.channel}" + (f"/{p.thread}" if p.thread else "")


def tool_result(reply: Reply) -> ToolResult:
    h = reply.headers
    if not h.get("askbridge-state"):
        raise ConnectionFailedError("askbridge: the reply is not what a bridge says")
    return ToolResult(
        reply.text, h["askbridge-state"], h.get("askbridge-is-error") == "true", h.get("askbridge-stop-turn") == "true", h.get("askbridge-request-id")
    )


def follow(call: Call, last: str | None, single: bool, deadline: Deadline) -> Flow[AskRequest | None]:
    """Follows events until they end, or for ever, through lost connections and restarts of the bridge.

    It returns the request as it was last told.
    """
    request: AskRequest | None = None
    n = 0
    while True:
        n += 1
        rest = 0.0
        failure: AskbridgeError | None = None
        headers = {"Accept": "text/event-stream", **({} if last is None else {"Last-Event-ID": last})}
        lines = Lines()
        try:
            patience = deadline.left(SILENCE)
            reply: Reply = yield Open(replace(call, headers=headers, timeout=patience))
            if reply.status == 204:
                return request
            if not 200 <= reply.status <= 299:
                raise problem_of(reply.status, reply.text, retry_after(reply.headers))
            while (text := (yield Read())) is not None:
                for message in lines.take(text):
                    rest = message.retry or rest
                    if message.data is None or message.id == last:
                        continue  # After a break the same one may come twice.
                    n, last = 0, message.id
                    request = parsed(AskRequest, Reply(200, {}, message.data))
                    assert request is not None
                    yield Emit(Event(last, request))
                    if single and not isinstance(request, OpenRequest):
                        return request
                if deadline.left(SILENCE) < patience - 1:
                    break  # A read takes as long as was said when it was opened, which is longer than there is now.
            if text is not None:
                continue
        except ConnectionFailedError as error:
            failure = error
        except ProblemError as error:
            if not may_help(error):
                raise
            failure = error
        yield from pause(max(rest, backoff(max(n, 1), failure)), deadline, failure)


@dataclass(frozen=True)
class Message:
    """One server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

    id: str
    data: str | None
    retry: float | None


class Lines:
    """Puts messages together. What stands behind the last blank line when a stream breaks off is dropped, as it must be."""

    def __init__(self) -> None:
        self._rest = ""
        self._id = ""
        self._data: list[str] = []
        self._retry: float | None = None

    def take(self, text: str) -> list[Message]:
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + text)
        done: list[Message] = []
        for line in lines:
            if line:
                self._field(*line.split(":", 1))
            else:
                if self._data or self._retry is not None:
                    done.append(Message(self._id, "\n".join(self._data) if self._data else None, self._retry))
                self._data, self._retry = [], None
        return done

    def _field(self, name: str, value: str = "") -> None:
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdigit():
            self._retry = int(value) / 1000
