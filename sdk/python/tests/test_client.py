from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from conftest import AnyClient, Harness, until

from askbridge import (
    AnsweredRequest,
    Askbridge,
    AskbridgeError,
    AskRequest,
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    InvalidRequestError,
    NewQuestion,
    NewRequest,
    NewSchedule,
    NewStep,
    NotFoundError,
    OpenRequest,
    PermissionDeniedError,
    ProblemError,
    Place,
    ToolCall,
    UnansweredRequest,
    UnavailableError,
    WaitTimeoutError,
)
from askbridge import _flow as flow
from askbridge._types import to_json

Background = Callable[..., "Future[Any]"]
Connect = Callable[..., AnyClient]


def test_pressed_button_becomes_the_answer(harness: Harness, bridge: AnyClient, background: Background) -> None:
    question = harness.choice()
    asked = background(bridge.ask, NewRequest([question], to=harness.place(), context="Deploying 4.2"))
    harness.presses("SQLite", question)
    request = asked.result()
    assert isinstance(request, AnsweredRequest)
    assert request.text == f"{question.question}\nSQLite"
    assert list(request.answers[0].selected) == ["SQLite"]
    assert request.by and request.by.id == "U0000001"
    assert request.created_at < request.ended_at
    assert request.delivery[0].state == "posted"


def test_typed_text_from_discord_becomes_the_answer(harness: Harness, bridge: AnyClient, background: Background) -> None:
    question = {"question": harness.choice().question, "multiSelect": False}  # A mapping, as a model wrote it.
    asked = background(bridge.ask, NewRequest([question], to=[Place("discord", "200000000000000001")]))
    text = question["question"]
    harness.play("on discord", f'dana presses "Answer…" under "{text}"', f'dana fills "Faster" under "{text}"', "dana submits")
    request = asked.result()
    assert request.state == "answered"
    assert (request.answers[0].other, list(request.answers[0].selected)) == ("Faster", [])


def test_cancelled_request_has_no_answers(harness: Harness, bridge: AnyClient, background: Background) -> None:
    made = bridge.submit(NewRequest([harness.choice()], to=harness.place()))
    assert isinstance(made, OpenRequest)
    waited = background(bridge.wait, made.id)
    ended = bridge.cancel(made.id, "the docs say so")
    assert isinstance(ended, UnansweredRequest)
    assert (ended.state, ended.reason) == ("cancelled", "the docs say so")
    assert not hasattr(waited.result(), "answers")
    assert bridge.cancel(made.id, "another reason") == ended


@pytest.mark.parametrize("how", ["lost request", "lost reply", "cut", "503", "429"])
def test_people_are_asked_only_once_despite_faults(harness: Harness, bridge: AnyClient, background: Background, how: str) -> None:
    question = harness.choice()
    harness.fault("POST", "/v1/requests", how)
    made = bridge.submit(NewRequest([question], to=harness.place()))
    assert harness.cards(question.question) == 1
    harness.fault("GET", f"/v1/requests/{made.id}", how, 2)
    ended = background(bridge.wait, made.id)
    harness.presses("Postgres", question)
    assert ended.result().state == "answered"


def test_repeated_tool_call_of_another_client_finds_the_same_request(harness: Harness, connect: Connect) -> None:
    question = harness.choice()
    request = NewRequest([question], to=harness.place(), tool_call_id="toolu_01", session=question.question)
    first = connect().submit(request)
    again = connect().submit(request)
    assert again.id == first.id
    assert harness.cards(question.question) == 1
    with pytest.raises(ConflictError) as caught:
        connect().submit(replace(request, questions=[harness.choice()]))
    assert caught.value.request_id == first.id


def test_on_progress_reports_the_posted_card_then_the_end(harness: Harness, bridge: AnyClient, background: Background) -> None:
    question = harness.choice()
    seen: list[AskRequest] = []
    asked = background(bridge.ask, NewRequest([question], to=harness.place()), on_progress=seen.append)
    until("the card is posted", lambda: any(r.delivery[0].state == "posted" for r in seen))
    assert seen[0].state == "open"
    harness.presses("Postgres", question)
    assert asked.result() == seen[-1]


def test_wait_with_progress_acknowledges_the_answer(harness: Harness, bridge: AnyClient, background: Background, connect: Connect) -> None:
    question = harness.choice()
    seen: list[AskRequest] = []
    made = bridge.submit(NewRequest([question], to=harness.place(), receipts=True))
    waited = background(bridge.wait, made.id, on_progress=seen.append)
    until("the first event", lambda: bool(seen))
    harness.presses("SQLite", question)
    assert waited.result().state == seen[-1].state == "answered"
    reader = connect(token=harness.reader)
    until("the answer is acknowledged", lambda: (receipt := reader.get(made.id).receipt) is not None and receipt.taken_at is not None)


def test_wait_and_stream_survive_a_restart_of_the_bridge(harness: Harness, bridge: AnyClient, background: Background) -> None:
    question = harness.choice()
    made = bridge.submit(NewRequest([question], to=harness.place()))
    waited = background(bridge.wait, made.id)
    states: list[str] = []

    def follow() -> None:
        for event in bridge.stream(made.id):
            states.append(event.request.state)

    streamed = background(follow)
    until("the first event", lambda: len(states) > 0)
    harness.restart()
    harness.presses("SQLite", question)
    assert waited.result().state == "answered"
    streamed.result()
    assert states[-1] == "answered"
    assert len(set(states)) == len(states), "duplicate event"


def test_stream_resumes_after_the_last_event_and_ends_after_the_final_one(harness: Harness, bridge: AnyClient) -> None:
    question = harness.choice()
    made = bridge.submit(NewRequest([question], to=harness.place()))
    harness.presses("Postgres", question)
    events = list(bridge.stream(made.id))
    assert events[-1].request.state == "answered"

    def nothing_more() -> bool:
        """Reads the events after the last one, such as the update of the card after the answer."""
        more = list(bridge.stream(made.id, last_event_id=events[-1].id))
        events.extend(more)
        return not more

    until("the stream has no more events", nothing_more)
    assert len({event.id for event in events}) == len(events)


def test_stream_without_id_yields_events_of_every_request(harness: Harness, bridge: AnyClient) -> None:
    made = bridge.submit(NewRequest([harness.choice()], to=harness.place()))
    assert any(event.request.id == made.id for event in bridge.stream())


def test_call_succeeds_during_a_hundred_streams(harness: Harness, connect: Connect) -> None:
    bridge = connect(tries=1)
    made = bridge.submit(NewRequest([harness.choice()], to=harness.place()))
    streams = [bridge.stream(made.id) for _ in range(100)]
    assert {next(stream).request.id for stream in streams} == {made.id}
    assert bridge.get(made.id).state == "open"
    for stream in streams:
        stream.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("on_progress", [None, lambda request: None])
def test_timed_out_wait_leaves_the_request_open(harness: Harness, bridge: AnyClient, on_progress: Any) -> None:
    made = bridge.submit(NewRequest([harness.choice()], to=harness.place()))
    with pytest.raises(WaitTimeoutError) as caught:
        bridge.wait(made.id, timeout=0.5, on_progress=on_progress)
    assert isinstance(caught.value, TimeoutError)
    assert bridge.get(made.id).state == "open"


@pytest.mark.parametrize("how", ["ask", "ask_tool"])
def test_timeout_ends_a_call_that_the_bridge_delays(connect: Connect, how: str) -> None:
    class Busy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(503)
            self.send_header("Retry-After", "60")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            bridge = connect(url=f"http://127.0.0.1:{server.server_port}", tries=2)
            with pytest.raises(WaitTimeoutError, match="if it was asked") as caught:
                if how == "ask":
                    bridge.ask(NewRequest([NewQuestion("Which?", ["a", "b"])]), timeout=3)
                else:
                    bridge.ask_tool(ToolCall("claude", "{}"), timeout=3)
        finally:
            server.shutdown()
    assert isinstance(caught.value.__cause__, UnavailableError), "the cause must be the reply of the bridge"


@pytest.mark.parametrize("how", ["ask", "ask_tool", "wait"])
@pytest.mark.parametrize("reply", [None, flow.Reply(503, {"retry-after": "60"}, "")])
def test_timeout_includes_retries(monkeypatch: pytest.MonkeyPatch, how: str, reply: flow.Reply | None) -> None:
    now = 0.0
    monkeypatch.setattr(flow, "time", SimpleNamespace(monotonic=lambda: now))
    settings = flow.Settings(poll=25, tries=5)
    steps: flow.Flow[Any] = {
        "ask": flow.ask(settings, NewRequest([NewQuestion("Which?", ["a", "b"])]), 30, False),
        "ask_tool": flow.ask_tool(settings, ToolCall("claude", "{}"), 30),
        "wait": flow.wait(settings, "x", flow.Deadline(30), False),
    }[how]
    with pytest.raises(WaitTimeoutError, match="the question is still open" if how == "wait" else "if it was asked, it is still open"):
        effect = next(steps)
        while now < 300:
            if isinstance(effect, flow.Sleep):
                now += effect.seconds
                effect = steps.send(None)
            elif reply is None:  # The network lost the call, or the bridge hangs.
                assert isinstance(effect, flow.Send)
                now += effect.call.timeout
                effect = steps.throw(ConnectionFailedError())
            else:
                effect = steps.send(reply)
    assert 29.9 < now < 30.1 + flow.GRACE * (how == "wait")


@pytest.mark.parametrize("seconds", [0.5, 20, 50, 200])
def test_timeout_ends_a_wait_with_progress_on_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    now = 0.0
    monkeypatch.setattr(flow, "time", SimpleNamespace(monotonic=lambda: now))
    steps = flow.wait(flow.Settings(poll=25, tries=5), "x", flow.Deadline(seconds), True)
    read_timeout, opened = 0.0, 0
    with pytest.raises(WaitTimeoutError, match="the question is still open"):
        effect = next(steps)
        while now < 300:
            if isinstance(effect, flow.Open):
                read_timeout, opened = effect.call.timeout, opened + 1
                effect = steps.send(flow.Reply(200, {}, ""))
            elif isinstance(effect, flow.Sleep):
                now += effect.seconds
                effect = steps.send(None)
            elif read_timeout < 15:
                now += read_timeout
                effect = steps.throw(ConnectionFailedError())
            else:  # The bridge sends a comment every 15 seconds.
                now += 15
                effect = steps.send(":\n\n")
    assert seconds - 0.1 < now < seconds + 0.1
    assert opened <= 4


def test_question_to_the_agent_causes_no_extra_polls(harness: Harness, background: Background) -> None:
    question = harness.choice()
    calls: list[str] = []
    http = httpx.Client(event_hooks={"request": [lambda request: calls.append(str(request.url))]})
    with http, Askbridge(harness.url, harness.token) as bridge, Askbridge(harness.url, harness.token, http=http) as counted:
        made = bridge.submit(NewRequest([question], to=harness.place(), ask_back="stay"))
        waited = background(counted.wait, made.id)
        harness.play('dana presses "More…"', 'dana presses "Ask the agent…"', 'dana fills "Since when?"', "dana submits")
        until("the question is read", lambda: any("heard=1" in call for call in calls))
        harness.presses("Postgres", question)
        assert waited.result().state == "answered"
    assert len(calls) <= 3, calls


def test_list_returns_all_requests_page_by_page(harness: Harness, bridge: AnyClient) -> None:
    made = {bridge.submit(NewRequest([harness.choice()], to=harness.place())).id for _ in range(3)}
    found: list[str] = []
    page = bridge.list(limit=2)
    while True:
        found += [request.id for request in page.requests]
        if not page.next:
            break
        page = bridge.list(limit=2, cursor=page.next)
    assert made <= set(found)
    assert len(set(found)) == len(found)


def test_ask_tool_passes_its_settings_to_the_request(harness: Harness, bridge: AnyClient, background: Background) -> None:
    question = harness.choice()
    options = [{"label": "Postgres", "description": "a"}, {"label": "SQLite", "description": "b"}]
    tool_input = json.dumps({"questions": [{"question": question.question, "header": "DB", "options": options}]})
    session = f"of {question.question}"
    call = ToolCall(
        "spring-tool", tool_input, to=harness.place(), session=session, same="session", within="10m", variants=["partial"],
        hold="1s", schedule=NewSchedule(steps=[NewStep(after="30m", do="remind")]),
    )  # fmt: skip
    asked = background(bridge.ask_tool, call)

    def open_requests() -> list[OpenRequest]:
        return [r for r in bridge.list(limit=200).requests if isinstance(r, OpenRequest) and r.session == session]

    until("the request", lambda: len(open_requests()) == 1)
    request = open_requests()[0]
    assert request.hold == "1s"
    assert request.questions[0].optional
    assert request.steps
    harness.presses("SQLite", question)
    assert asked.result().state == "answered"
    assert bridge.ask_tool(call).request_id == request.id


def test_ask_tool_returns_the_tool_result_byte_for_byte(harness: Harness, bridge: AnyClient, background: Background) -> None:
    question = harness.choice()
    tool_input = (
        f'{{"questions":[{{"question":"{question.question}","header":"DB","options":'
        '[{"label":"Postgres","description":"a"},{"label":"SQLite","description":"b"}]}]}'
    )
    harness.fault("POST", "/v1/ask/spring-tool", "lost reply")
    asked = background(bridge.ask_tool, ToolCall("spring-tool", tool_input, to=harness.place()))
    harness.presses("SQLite", question)
    result = asked.result()
    assert result.body == f'User has answered your questions: {{"{question.question}":"SQLite"}}'
    assert (result.state, result.is_error) == ("answered", False)
    assert harness.cards(question.question) == 1
    refused = bridge.ask_tool(ToolCall("spring-tool", "{}", to=harness.place()))
    assert (refused.state, refused.request_id) == ("refused", None)


def test_ask_tool_accepts_a_parsed_input(harness: Harness, bridge: AnyClient, background: Background) -> None:
    question = harness.choice()
    options = [{"label": "Postgres", "description": "größer"}, {"label": "SQLite", "description": "b"}]
    parsed: dict[str, Any] = {"questions": [{"question": question.question, "header": "DB", "options": options}]}
    asked = background(bridge.ask_tool, ToolCall("claude", parsed, to=harness.place()))
    harness.presses("SQLite", question)
    assert json.loads(asked.result().body)["updatedInput"] == {**parsed, "answers": {question.question: "SQLite"}}


@pytest.mark.parametrize("given, message", [
    (None, "must be JSON text, a dict or a list, not NoneType"),
    (b"{}", "must be JSON text, a dict or a list, not bytes"),
    (NewQuestion("Which?"), "must be JSON text, a dict or a list, not NewQuestion"),
    ({"questions": [NewQuestion("Which?")]}, "cannot be written as JSON: .*NewQuestion"),
    ({"questions": float("nan")}, "cannot be written as JSON: .*float"),
])  # fmt: skip
def test_ask_tool_rejects_an_input_that_is_not_json(bridge: AnyClient, given: Any, message: str) -> None:
    with pytest.raises(AskbridgeError, match=message):
        bridge.ask_tool(ToolCall("claude", given), timeout=5)


def test_ask_tool_finds_the_earlier_request_by_the_call_id_in_the_input(
    harness: Harness, bridge: AnyClient, background: Background
) -> None:
    question = harness.choice()
    options = [{"label": "Postgres", "description": "a"}, {"label": "SQLite", "description": "b"}]
    hook = {"hook_event_name": "PreToolUse", "session_id": question.question, "tool_use_id": "toolu_1", "tool_name": "AskUserQuestion"}
    tool_input = json.dumps({**hook, "tool_input": {"questions": [{"question": question.question, "header": "DB", "options": options}]}})
    call = ToolCall("claude", tool_input, to=harness.place())
    asked = background(bridge.ask_tool, call)
    harness.presses("SQLite", question)
    assert bridge.ask_tool(call, timeout=5).request_id == asked.result().request_id


@pytest.mark.parametrize("empty", [[], ()])
def test_empty_responders_are_rejected_and_empty_notify_is_sent(harness: Harness, bridge: AnyClient, empty: Any) -> None:
    question = harness.choice()
    options = [{"label": "Postgres", "description": "a"}, {"label": "SQLite", "description": "b"}]
    tool_input = json.dumps({"questions": [{"question": question.question, "header": "DB", "options": options}]})
    with pytest.raises(InvalidRequestError, match="responders"):
        bridge.ask(NewRequest([question], to=harness.place(), responders=empty), timeout=5)
    with pytest.raises(InvalidRequestError, match="responders"):
        bridge.ask_tool(ToolCall("spring-tool", tool_input, to=harness.place(), responders=empty), timeout=5)
    assert harness.cards(question.question) == 0
    assert to_json(NewRequest([question], notify=empty))["notify"] == []


def test_each_kind_of_error_has_its_own_class(harness: Harness, connect: Connect) -> None:
    bridge = connect()
    with pytest.raises(InvalidRequestError, match=r"^422 Unprocessable Entity: .*questions\[0\]\.question: ") as caught:
        bridge.submit(NewRequest([NewQuestion("", ["one"])], to=harness.place()))
    assert [e.path for e in caught.value.errors] == ["questions[0].question", "questions[0].options"]
    with pytest.raises(NotFoundError):
        bridge.get("nothing/../at all")
    with pytest.raises(AskbridgeError, match="the id of the request is empty"):
        bridge.get("")
    with pytest.raises(AuthenticationError):
        connect(token="wrong").list()
    with pytest.raises(PermissionDeniedError):
        connect(token=harness.reader).submit(NewRequest([harness.choice()], to=harness.place()))
    harness.fault("GET", "/v1/requests", "503", 2)
    with pytest.raises(UnavailableError):
        connect(tries=2).list()
    with pytest.raises(ConnectionFailedError):
        connect(url="http://127.0.0.1:1", tries=1).list()


def test_reply_of_another_program_is_recognized() -> None:
    page = httpx.MockTransport(lambda _: httpx.Response(404, text="404 page not found"))
    with httpx.Client(transport=page) as http, Askbridge(http=http) as bridge:
        with pytest.raises(NotFoundError, match="^404: the reply is not from a bridge, .* another program at this address$"):
            bridge.submit(NewRequest([NewQuestion("Which?")]))


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://localhost", "http://", "http://me:secret@localhost", "http://localhost?x=1", "http://[::1", "http://localhost:abc"])
def test_malformed_address_is_rejected(url: str) -> None:
    with pytest.raises(AskbridgeError) as caught:
        Askbridge(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("wrong", ["sec\nret", "secr\u00e9t", "se\u2026ret"])
def test_token_loses_its_line_break_and_an_invalid_one_is_not_in_the_error(
    harness: Harness, connect: Connect, wrong: str
) -> None:
    connect(token=harness.token + "\n").list()
    with pytest.raises(AskbridgeError, match="the token contains invalid characters") as caught:
        Askbridge(harness.url, wrong).list()
    assert "ret" not in str(caught.value)


def test_client_follows_no_redirect_with_its_token(connect: Connect) -> None:
    seen: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            with pytest.raises(ProblemError, match="307"):
                connect(url=f"http://127.0.0.1:{server.server_port}").get("x")
        finally:
            server.shutdown()
    assert seen == ["/v1/requests/x"]
