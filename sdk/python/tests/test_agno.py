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

Background = Callable[..., "Future[Any]"]


def test_agent_gets_the_answers_by_header(harness: Harness, background: Background) -> None:
    asked = harness.choice()
    question = create_question(
        asked.question, "Database", [{"label": "Postgres", "description": "Managed"}, {"label": "SQLite", "description": "Embedded"}]
    )
    assert question["multiSelect"] is False
    with Askbridge(harness.url, harness.token) as bridge:
        result = background(ask_user_question(bridge, to=harness.place()), json.dumps([question]))
        harness.presses("SQLite", asked)
        assert json.loads(result.result()) == {"answers": {"Database": ["SQLite"]}, "questions_asked": 1, "status": "completed"}


def test_settings_of_the_program_apply_and_those_of_the_model_do_not(harness: Harness, background: Background) -> None:
    asked = harness.choice()
    wanted = {"responders": ["anyone"], "policy": {"need": 1}, "notify": ["slack:U0000003"]}
    with Askbridge(harness.url, harness.token) as bridge:
        tool = ask_user_question(
            bridge, to=harness.place(), responders=["slack:U0000001", "slack:U0000002"], policy=NewPolicy(need=2), notify=[], agent="setup", language="de"
        )
        result = background(tool, json.dumps([{**agno_question(asked), **wanted}]))
        request = harness.asked(bridge, asked)
        assert (request.responders, request.policy and request.policy.need) == (["slack:U0000001", "slack:U0000002"], 2)
        until("the card is posted", lambda: bridge.get(request.id).delivery[0].state == "posted")
        assert not bridge.get(request.id).delivery[0].notified
        bridge.cancel(request.id)
        assert json.loads(result.result())["status"] == "failed"


def test_invalid_questions_return_the_errors_of_agnos_tool(harness: Harness) -> None:
    with Askbridge(harness.url, harness.token) as bridge:
        tool = ask_user_question(bridge, to=harness.place())
        for invalid, message in {
            "invalid json": "Invalid questions_json format: ",
            json.dumps([create_question("Q?", "H", [])] * 5): "Must ask 1-4 questions, got 5",
            json.dumps([{"question": "Test?"}]): "Question 0 missing required fields",
        }.items():
            result = json.loads(tool(invalid))
            assert result["error"].startswith(message) and result["status"] == "failed"
        assert tool.__name__ == "ask_user_question"
        assert list(inspect.signature(tool).parameters) == ["questions_json"]
        assert "questions_json: A JSON string" in (inspect.getdoc(tool) or "")


def paused(name: str, *questions: dict[str, Any]) -> Any:
    """Returns a run of Agno with one paused call."""
    args = {"questions_json": json.dumps(questions)}
    fields = [SimpleNamespace(name="questions_json", value=args["questions_json"]), SimpleNamespace(name="user_answers", value=None)]
    call = SimpleNamespace(tool_call_id=f"call_{name}", tool_name="ask_user_question", tool_args=args, user_input_schema=fields)
    return SimpleNamespace(session_id=name, tools_requiring_user_input=[call])


def user_answers(run: Any) -> Any:
    """Returns the filled-in answers of the paused call."""
    return run.tools_requiring_user_input[0].user_input_schema[1].value


def agno_question(asked: NewQuestion) -> dict[str, Any]:
    """Returns a question in Agno's format."""
    return create_question(
        asked.question, "Database", [{"label": "Postgres", "description": "Managed"}, {"label": "SQLite", "description": "Embedded"}]
    )


def test_paused_run_continues_with_the_answers(harness: Harness, background: Background) -> None:
    asked = harness.choice()
    with Askbridge(harness.url, harness.token) as bridge:
        run, place = paused("goes-on", agno_question(asked)), harness.place()
        done = background(answer_paused, bridge, run, to=place)
        harness.presses("SQLite", asked)
        assert done.result() is True and user_answers(run) == '{"question_0": ["SQLite"]}'
        # Another process that continues the run finds the answered request, and asks no one again.
        again = paused("goes-on", agno_question(asked))
        assert answer_paused(bridge, again, to=place) and user_answers(again) == user_answers(run)
        assert harness.cards(asked.question) == 1


def test_paused_run_stays_paused_without_an_answer(harness: Harness, background: Background) -> None:
    asked = harness.choice()
    with Askbridge(harness.url, harness.token) as bridge:
        run = paused("stays", agno_question(asked))
        assert answer_paused(bridge, run, to=harness.place(), expires_in="1s") is False
        assert user_answers(run) is None


def resumed(run: Any) -> Any:
    """Returns the result of Agno's documented tool for the filled-in answers. Unlike the bridge, it accepts two questions with one header."""
    call = run.tools_requiring_user_input[0]
    try:
        answers = json.loads(user_answers(run))
    except json.JSONDecodeError as error:
        return {"error": f"Invalid user_answers format: {error}", "status": "failed"}
    asked = json.loads(call.tool_args["questions_json"])
    return {"answers": {q["header"]: answers.get(f"question_{i}", []) for i, q in enumerate(asked)}, "status": "completed"}


def test_rejected_questions_fail_the_paused_tool(harness: Harness) -> None:
    asked = [harness.choice(), harness.choice()]
    with Askbridge(harness.url, harness.token) as bridge:
        run = paused("refused", *[{**agno_question(one), "header": "Queue"} for one in asked])
        other = SimpleNamespace(tool_name="another", user_input_schema=[SimpleNamespace(name="to", value=None)])
        run.tools_requiring_user_input.append(other)
        assert answer_paused(bridge, run, to=harness.place()) is True
        assert resumed(run)["status"] == "failed", resumed(run)
        assert other.user_input_schema[0].value is None
        invalid = paused("invalid", {"question": "Test?", "header": "H"})
        assert answer_paused(bridge, invalid, to=harness.place()) and resumed(invalid)["status"] == "failed"
    assert [harness.cards(one.question) for one in asked] == [0, 0]
