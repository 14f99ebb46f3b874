from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

from conftest import Harness, until

from askbridge import Askbridge, NewPolicy, NewQuestion
from askbridge.agno import answer_paused, ask_user_question, create_question

Meanwhile = Callable[..., "Future[Any]"]


def test_an_agno_agent_gets_what_people_chose_by_header(harness: Harness, meanwhile: Meanwhile) -> None:
    asked = harness.choice()
    question = create_question(
        asked.question, "Database", [{"label": "Postgres", "description": "Managed"}, {"label": "SQLite", "description": "Embedded"}]
    )
    assert question["multiSelect"] is False
    with Askbridge(harness.url, harness.token) as bridge:
        told = meanwhile(ask_user_question(bridge, to=harness.place()), json.dumps([question]))
        harness.presses("SQLite", asked)
        assert json.loads(told.result()) == {"answers": {"Database": ["SQLite"]}, "questions_asked": 1, "status": "completed"}


def test_a_program_says_how_many_decide_and_an_agno_agent_does_not(harness: Harness, meanwhile: Meanwhile) -> None:
    asked = harness.choice()
    wanted = {"responders": ["anyone"], "policy": {"need": 1}, "notify": ["slack:U0000003"]}
    with Askbridge(harness.url, harness.token) as bridge:
        tool = ask_user_question(
            bridge, to=harness.place(), responders=["slack:U0000001", "slack:U0000002"], policy=NewPolicy(need=2), notify=[], agent="setup", language="de"
        )
        told = meanwhile(tool, json.dumps([{**of(asked), **wanted}]))
        request = harness.asked(bridge, asked)
        assert (request.responders, request.policy and request.policy.need) == (["slack:U0000001", "slack:U0000002"], 2)
        until("posted", lambda: bridge.get(request.id).delivery[0].state == "posted")
        assert not bridge.get(request.id).delivery[0].notified
        bridge.cancel(request.id)
        assert json.loads(told.result())["status"] == "failed"


def test_an_agno_agent_that_asks_badly_reads_the_words_of_the_tool(harness: Harness) -> None:
    with Askbridge(harness.url, harness.token) as bridge:
        tool = ask_user_question(bridge, to=harness.place())
        for wrong, said in {
            "invalid json": "Invalid questions_json format: ",
            json.dumps([create_question("Q?", "H", [])] * 5): "Must ask 1-4 questions, got 5",
            json.dumps([{"question": "Test?"}]): "Question 0 missing required fields",
        }.items():
            told = json.loads(tool(wrong))
            assert told["error"].startswith(said) and told["status"] == "failed"
        assert tool.__name__ == "ask_user_question"
        assert list(inspect.signature(tool).parameters) == ["questions_json"]
        assert "questions_json: A JSON string" in (inspect.getdoc(tool) or "")


def paused(name: str, *questions: dict[str, Any]) -> Any:
    """A run of Agno with one call that waits."""
    args = {"questions_json": json.dumps(questions)}
    fields = [SimpleNamespace(name="questions_json", value=args["questions_json"]), SimpleNamespace(name="user_answers", value=None)]
    call = SimpleNamespace(tool_call_id=f"call_{name}", tool_name="ask_user_question", tool_args=args, user_input_schema=fields)
    return SimpleNamespace(session_id=name, tools_requiring_user_input=[call])


def given(run: Any) -> Any:
    return run.tools_requiring_user_input[0].user_input_schema[1].value


def of(asked: NewQuestion) -> dict[str, Any]:
    return create_question(
        asked.question, "Database", [{"label": "Postgres", "description": "Managed"}, {"label": "SQLite", "description": "Embedded"}]
    )


def test_a_paused_run_goes_on_with_what_people_chose(harness: Harness, meanwhile: Meanwhile) -> None:
    asked = harness.choice()
    with Askbridge(harness.url, harness.token) as bridge:
        run, place = paused("goes-on", of(asked)), harness.place()
        done = meanwhile(answer_paused, bridge, run, to=place)
        harness.presses("SQLite", asked)
        assert done.result() is True and given(run) == '{"question_0": ["SQLite"]}'
        # Another process that takes the run up finds what was answered, and asks nobody again.
        again = paused("goes-on", of(asked))
        assert answer_paused(bridge, again, to=place) and given(again) == given(run)
        assert harness.cards(asked.question) == 1


def test_a_paused_run_stays_paused_without_an_answer(harness: Harness, meanwhile: Meanwhile) -> None:
    asked = harness.choice()
    with Askbridge(harness.url, harness.token) as bridge:
        run = paused("stays", of(asked))
        assert answer_paused(bridge, run, to=harness.place(), expires_in="1s") is False
        assert given(run) is None


def resumed(run: Any) -> Any:
    """What the tool of Agno's page makes of what was filled in: it takes two questions with one header, as the bridge does not."""
    call = run.tools_requiring_user_input[0]
    try:
        answers = json.loads(given(run))
    except json.JSONDecodeError as error:
        return {"error": f"Invalid user_answers format: {error}", "status": "failed"}
    asked = json.loads(call.tool_args["questions_json"])
    return {"answers": {q["header"]: answers.get(f"question_{i}", []) for i, q in enumerate(asked)}, "status": "completed"}


def test_a_paused_tool_does_not_say_completed_where_nobody_was_asked(harness: Harness) -> None:
    asked = [harness.choice(), harness.choice()]
    with Askbridge(harness.url, harness.token) as bridge:
        run = paused("refused", *[{**of(one), "header": "Queue"} for one in asked])
        other = SimpleNamespace(tool_name="another", user_input_schema=[SimpleNamespace(name="to", value=None)])
        run.tools_requiring_user_input.append(other)
        assert answer_paused(bridge, run, to=harness.place()) is True
        assert resumed(run)["status"] == "failed", resumed(run)
        assert other.user_input_schema[0].value is None
        badly = paused("badly", {"question": "Test?", "header": "H"})
        assert answer_paused(bridge, badly, to=harness.place()) and resumed(badly)["status"] == "failed"
    assert [harness.cards(one.question) for one in asked] == [0, 0]
