"""Fixtures: a complete bridge with mocks of Slack and Discord in its own process (test/sdkbridge)."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import httpx
import pytest

from askbridge import Askbridge, AskRequest, AsyncAskbridge, EndedRequest, Event, NewQuestion, NewRequest, Page, Place, ToolCall, ToolResult

T = TypeVar("T")


class Harness:
    """The addresses and tokens of the bridge, and methods to act as people and to inject faults."""

    def __init__(self, addresses: dict[str, str]) -> None:
        self.url, self.token = addresses["url"], addresses["token"]
        self.reader, self.secret = addresses["reader"], addresses["secret"]
        self._control = httpx.Client(base_url=addresses["control"], timeout=90)
        self._questions = itertools.count(1)
        self._places = itertools.cycle(range(2, 62))

    def close(self) -> str:
        """Returns the platform rules that were violated."""
        violations = self._call("GET", "/violations")
        self._control.close()
        return violations

    def _call(self, method: str, path: str, content: str = "", **params: str) -> str:
        reply = self._control.request(method, path, content=content, params=params)
        assert reply.is_success, reply.text
        return reply.text

    def play(self, *steps: str) -> None:
        self._call("POST", "/play", "\n".join(steps))

    def presses(self, label: str, question: NewQuestion) -> None:
        self.play(f"dana presses {json.dumps(label)} under {json.dumps(question.question)}")

    def fault(self, method: str, path: str, how: str, times: int = 1) -> None:
        self._call("POST", "/fault", json.dumps({"method": method, "path": path, "how": how, "times": times}))

    def restart(self) -> None:
        self._call("POST", "/restart")

    def cards(self, text: str) -> int:
        count: int = json.loads(self._call("GET", "/cards", text=text))["count"]
        return count

    def place(self) -> list[Place]:
        """Returns the next of 60 channels, because a channel accepts only one card per second."""
        return [Place("slack", f"C{next(self._places):07d}")]

    def asked(self, bridge: Askbridge, question: NewQuestion) -> AskRequest:
        """Waits for the open request with a question, and returns it."""
        def found() -> list[AskRequest]:
            return [r for r in bridge.list(limit=200).requests if r.questions[0].question == question.question]

        until("the request is submitted", lambda: bool(found()))
        return found()[0]

    def choice(self) -> NewQuestion:
        """Returns a question that no other test asks."""
        return NewQuestion(f"Which database for preview {next(self._questions)}?", ["Postgres", "SQLite"])


@pytest.fixture(scope="session")
def harness() -> Iterator[Harness]:
    program = os.environ.get("SDKBRIDGE")
    assert program, "SDKBRIDGE is not set; run the tests with make sdk-py"
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bridge:
        assert bridge.stdout and bridge.stdin
        harness = Harness(json.loads(bridge.stdout.readline()))
        yield harness
        violations = harness.close()
        bridge.stdin.close()
        assert (violations, bridge.wait()) == ("", 0)


class BlockingAdapter:
    """Wraps the async client in the methods of the blocking one, so that both run the same tests."""

    def __init__(self, portal: anyio.from_thread.BlockingPortal, **options: Any) -> None:
        self._portal = portal
        self._client = portal.call(lambda: AsyncAskbridge(**options))

    def _call(self, name: str, *args: Any, **options: Any) -> Any:
        async def call() -> Any:
            return await getattr(self._client, name)(*args, **options)

        return self._portal.call(call)

    def ask(self, request: NewRequest, **options: Any) -> EndedRequest:
        return self._call("ask", request, **options)  # type: ignore[no-any-return]

    def submit(self, request: NewRequest) -> AskRequest:
        return self._call("submit", request)  # type: ignore[no-any-return]

    def get(self, request_id: str) -> AskRequest:
        return self._call("get", request_id)  # type: ignore[no-any-return]

    def wait(self, request_id: str, **options: Any) -> EndedRequest:
        return self._call("wait", request_id, **options)  # type: ignore[no-any-return]

    def cancel(self, request_id: str, reason: str = "") -> EndedRequest:
        return self._call("cancel", request_id, reason)  # type: ignore[no-any-return]

    def list(self, **query: Any) -> Page:
        return self._call("list", **query)  # type: ignore[no-any-return]

    def ask_tool(self, tool: ToolCall, **options: Any) -> ToolResult:
        return self._call("ask_tool", tool, **options)  # type: ignore[no-any-return]

    def close(self) -> None:
        self._call("close")

    def stream(self, request_id: str | None = None, *, last_event_id: str | None = None) -> Iterator[Event]:
        events: AsyncIterator[Event] = self._client.stream(request_id, last_event_id=last_event_id)

        async def step() -> Event | None:
            return await anext(events, None)

        try:
            while (event := self._portal.call(step)) is not None:
                yield event
        finally:
            self._portal.call(events.aclose)  # type: ignore[attr-defined]


AnyClient = Askbridge | BlockingAdapter


@pytest.fixture(params=["blocking", "asyncio"])
def connect(harness: Harness, request: pytest.FixtureRequest) -> Iterator[Callable[..., AnyClient]]:
    """Returns a function that creates clients, in turn of both kinds."""
    clients: list[AnyClient] = []
    with anyio.from_thread.start_blocking_portal() as portal:

        def connect(**options: Any) -> AnyClient:
            options = {"url": harness.url, "token": harness.token, **options}
            clients.append(Askbridge(**options) if request.param == "blocking" else BlockingAdapter(portal, **options))
            return clients[-1]

        yield connect
        for client in clients:
            client.close()


@pytest.fixture
def bridge(connect: Callable[..., AnyClient]) -> AnyClient:
    return connect()


@pytest.fixture
def background() -> Iterator[Callable[..., Future[Any]]]:
    """Returns a function that runs another one in the background."""
    with ThreadPoolExecutor() as pool:
        yield pool.submit


def until(what: str, ok: Callable[[], bool]) -> None:
    """Waits until a condition is true. what names it in the error."""
    for _ in range(1000):
        if ok():
            return
        time.sleep(0.01)
    raise AssertionError(f"timed out waiting for: {what}")
