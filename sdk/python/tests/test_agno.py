from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from conftest import Harness

from askbridge import Askbridge
from askbridge.agno import ask_user_question, create_question

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
