"""The ask_user_question tool of Agno agents, answered in Slack or Discord.

    from askbridge.agno import ask_user_question, create_question

    agent = Agent(tools=[ask_user_question(bridge, to=[Place("slack", "C0000001")])])

Input, result and errors are those of the tool's own page, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._client import Askbridge
from ._types import Place, ToolCall

__all__ = ["ask_user_question", "create_question"]

_ABOUT = """Ask people one to four questions and wait for what they choose.

    Args:
        questions_json: A JSON string with a list of question objects: question (ending with a question mark), header
            (at most 12 characters), options (two to four objects with label and description), multiSelect.

    Returns:
        A JSON string with answers by header, questions_asked and status; or with error and status "failed".
    """


def create_question(
    question: str, header: str, options: Sequence[Mapping[str, str]], multi_select: bool = False
) -> dict[str, Any]:
    """One question of questions_json. Whether it is a good one, the tool says when it is called."""
    return {
        "question": question,
        "header": header,
        "options": [dict(option) for option in options],
        "multiSelect": multi_select,
    }


def ask_user_question(
    bridge: Askbridge,
    *,
    to: Sequence[Place] = (),
    route: str | None = None,
    responders: Sequence[str] = (),
    expires_in: str | None = None,
    session: str | None = None,
) -> Callable[..., str]:
    """Returns a function ask_user_question(questions_json) that asks people and waits.

    It takes the place of pausing the run and of a front end that collects user_answers: people answer in chat.
    """

    def tool(questions_json: str) -> str:
        call = ToolCall(
            "agno",
            json.dumps({"questions_json": questions_json}, ensure_ascii=False),
            to=to,
            route=route,
            responders=responders,
            expires_in=expires_in,
            session=session,
        )
        return bridge.ask_tool(call).body

    tool.__name__ = "ask_user_question"
    tool.__doc__ = _ABOUT
    tool.__annotations__ = {"questions_json": str, "return": str}
    return tool
