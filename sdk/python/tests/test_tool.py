from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, List, Optional

import anyio
import httpx
from conftest import Harness, until

from askbridge import Askbridge, AsyncAskbridge, NewPolicy, async_question_tool, question_tool

Background = Callable[..., "Future[Any]"]


def test_tool_has_the_name_types_and_docstring_for_a_schema(harness: Harness) -> None:
    with Askbridge(harness.url, harness.token) as bridge:
        for tool in (question_tool(bridge), async_question_tool(AsyncAskbridge(harness.url))):
            assert tool.__name__ == "ask_user"
            assert typing.get_type_hints(tool) == {"question": str, "options": Optional[List[str]], "multi_select": bool, "return": str}
            parameters = inspect.signature(tool).parameters.values()
            assert [(p.name, p.default) for p in parameters] == [("question", inspect.Parameter.empty), ("options", None), ("multi_select", False)]
            docstring = inspect.getdoc(tool) or ""
            assert docstring.startswith("Ask a person one question") and all(f"    {p.name}: " in docstring for p in parameters)
        assert inspect.iscoroutinefunction(tool)


def test_model_gets_the_answer(harness: Harness, background: Background) -> None:
    with Askbridge(harness.url, harness.token) as bridge:
        tool = question_tool(bridge, to=harness.place())
        question = harness.choice()
        result = background(tool, question.question, ["Postgres", "SQLite"])
        harness.presses("SQLite", question)
        assert result.result() == f"{question.question}\nSQLite"


def test_settings_of_the_program_apply(harness: Harness, background: Background) -> None:
    question = harness.choice()
    with Askbridge(harness.url, harness.token) as bridge:
        tool = question_tool(
            bridge, to=harness.place(), responders=["slack:U0000001", "slack:U0000002"], policy=NewPolicy(need=2), notify=[], agent="setup", language="de"
        )
        result = background(tool, question.question, ["Postgres", "SQLite"])
        request = harness.asked(bridge, question)
        assert (request.responders, request.policy and request.policy.need) == (["slack:U0000001", "slack:U0000002"], 2)
        until("the card is posted", lambda: bridge.get(request.id).delivery[0].state == "posted")
        assert not bridge.get(request.id).delivery[0].notified
        bridge.cancel(request.id)
        assert "withdrawn" in result.result()


def test_invalid_question_returns_its_problems_and_asks_no_one(harness: Harness) -> None:
    async def ask() -> str:
        async with AsyncAskbridge(harness.url, harness.token) as bridge:
            return await async_question_tool(bridge, to=harness.place())("Only one?", ["this"])

    result = anyio.run(ask)
    assert result.startswith("Nobody was asked. Correct this and call ask_user again: 422") and "questions[0].options" in result
    assert harness.cards("Only one?") == 0


def test_model_reads_why_there_is_no_answer(harness: Harness, background: Background) -> None:
    with Askbridge(harness.url, harness.token) as bridge:
        question = harness.choice()
        result = background(question_tool(bridge, to=harness.place()), question.question)
        until("the card is posted", lambda: harness.cards(question.question) == 1)
        asked = [r for r in bridge.list().requests if r.questions[0].question == question.question]
        bridge.cancel(asked[0].id)
        assert result.result() == "The questions were withdrawn before anyone answered. Do not assume an answer."
        late = question_tool(bridge, to=harness.place(), expires_in="1s")
        assert late(harness.choice().question) == "Nobody answered in time, and the questions are closed. Do not assume an answer."


def test_model_reads_that_a_vote_ended_without_a_decision() -> None:
    vote = {"at": "2026-11-26T09:30:00Z", "by": {"platform": "slack", "id": "U0000001", "name": "Dana"}, "choices": [{"index": 0, "selected": ["Yes"]}]}
    expired = {
        "id": "a", "state": "expired", "created_at": "2026-11-26T09:00:00Z", "ended_at": "2026-11-26T10:00:00Z",
        "responders": [], "questions": [], "delivery": [], "policy": {"mode": "quorum", "need": 2}, "votes": [vote],
    }  # fmt: skip
    with Askbridge("http://bridge", http=httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(201, json=expired)))) as bridge:
        result = question_tool(bridge)("Deploy?", ["Yes", "No"])
    assert result == "People voted and did not come to a decision in time, and the questions are closed. Do not assume an answer."


def test_async_client_runs_on_trio(harness: Harness, background: Background) -> None:
    question = harness.choice()

    async def ask() -> str:
        async with AsyncAskbridge(harness.url, harness.token) as bridge:
            return await async_question_tool(bridge, to=harness.place())(question.question, ["Postgres", "SQLite"])

    result = background(anyio.run, ask, backend="trio")
    harness.presses("Postgres", question)
    assert result.result() == f"{question.question}\nPostgres"
