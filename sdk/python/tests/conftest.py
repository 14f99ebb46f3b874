"""A whole askbridge with a mock Slack and a mock Discord, as a process of its own (test/sdkbridge)."""

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
    """Where everything is, and how to make people act and things break."""

    def __init__(self, told: dict[str, str]) -> None:
        self.url, self.token, self.reader, self.secret = told["url"], told["token"], told["reader"], told["secret"]
        self._control = httpx.Client(base_url=told["control"], timeout=90)
        self._questions = itertools.count(1)
        self._places = itertools.cycle(range(2, 62))

    def close(self) -> str:
        broken = self._tell("GET", "/violations")
        self._control.close()
        return broken

    def _tell(self, method: str, path: str, content: str = "", **params: str) -> str:
        reply = self._control.request(method, path, content=content, params=params)
        assert reply.is_success, reply.text
        return reply.text

    def play(self, *steps: str) -> None:
        self._tell("POST", "/play", "\n".join(steps))

    def presses(self, label: str, question: NewQuestion) -> None:
        self.play(f"dana presses {json.dumps(label)} under {json.dumps(question.question)}")

    def fault(self, method: str, path: str, how: str, times: int = 1) -> None:
        self._tell("POST", "/fault", json.dumps({"method": method, "path": path, "how": how, "times": times}))

    def restart(self) -> None:
        self._tell("POST", "/restart")

    def cards(self, text: str) -> int:
        count: int = json.loads(self._tell("GET", "/cards", text=text))["count"]
        return count

    def place(self) -> list[Place]:
        """A channel of the test's own: each takes one card a second."""
        return [Place("slack", f"C{next(self._places):07d}")]

    def asked(self, bridge: Askbridge, question: NewQuestion) -> AskRequest:
        """The open request that a tool has made of a question."""
        def found() -> list[AskRequest]:
            return [r for r in bridge.list(limit=200).requests if r.questions[0].question == question.question]

        until("asked", lambda: bool(found()))
        return found()[0]

    def choice(self) -> NewQuestion:
        """A question that no other test asks."""
        return NewQuestion(f"Which database for preview {next(self._questions)}?", ["Postgres", "SQLite"])


@pytest.fixture(scope="session")
def harness() -> Iterator[Harness]:
    program = os.environ.get("SDKBRIDGE")
    assert program, "SDKBRIDGE is not set; run the tests with make sdk-py"
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bridge:
        assert bridge.stdout and bridge.stdin
        w = Harness(json.loads(bridge.stdout.readline()))
        yield w
        broken = w.close()
        bridge.stdin.close()
        assert (broken, bridge.wait()) == ("", 0)


class Awaited:
    """The awaiting client behind the methods of the blocking one, so that both pass the same tests."""

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


AnyClient = Askbridge | Awaited


@pytest.fixture(params=["blocks", "awaits on asyncio"])
def connect(harness: Harness, request: pytest.FixtureRequest) -> Iterator[Callable[..., AnyClient]]:
    """Makes clients of either kind."""
    clients: list[AnyClient] = []
    with anyio.from_thread.start_blocking_portal() as portal:

        def connect(**options: Any) -> AnyClient:
            options = {"url": harness.url, "token": harness.token, **options}
            clients.append(Askbridge(**options) if request.param == "blocks" else Awaited(portal, **options))
            return clients[-1]

        yield connect
        for client in clients:
            client.close()


@pytest.fixture
def bridge(connect: Callable[..., AnyClient]) -> AnyClient:
    return connect()


@pytest.fixture
def meanwhile() -> Iterator[Callable[..., Future[Any]]]:
    """Runs something beside the test."""
    with ThreadPoolExecutor() as pool:
        yield pool.submit


def until(what: str, ok: Callable[[], bool]) -> None:
    for _ in range(1000):
        if ok():
            return
        time.sleep(0.01)
    raise AssertionError(f"{what} did not come true")
