"""The ask_user_question tool of Agno agents, answered in Slack or Discord.

    from askbridge.agno import ask_user_question, create_question

    agent = Agent(tools=[ask_user_question(bridge, to=[Place("slack", "C0000001")])])

Input, result and errors are those of Agno's own tool, byte for byte. If that tool pauses the run of your agent instead, answer_paused
asks people and fills in their answers:

    run = agent.run("Set up the preview.")
    while run.is_paused and answer_paused(bridge, run, to=[Place("slack", "C0000001")]):
        run = agent.continue_run(run_response=run)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ._client import Askbridge
from ._types import AnsweredRequest, NewPolicy, Place, ToolCall

__all__ = ["PausedRun", "answer_paused", "ask_user_question", "create_question"]

_NAME = "ask_user_question"


class PausedRun(Protocol):
    """The part of Agno's RunOutput that is used: the paused calls, each with tool_name, tool_args and user_input_schema.

    https://github.com/agno-agi/agno/blob/main/libs/agno/agno/run/agent.py
    """

    @property
    def tools_requiring_user_input(self) -> Sequence[Any]: ...

_DOCSTRING = """Ask people one to four questions and wait for what they choose.

    Args:
        questions_json: A JSON string with a list of question objects: question (ending with a question mark), header
            (at most 12 characters), options (two to four objects with label and description), multiSelect.

    Returns:
        A JSON string with answers by header, questions_asked and status; or with error and status "failed".
    """


def create_question(
    question: str, header: str, options: Sequence[Mapping[str, str]], multi_select: bool = False
) -> dict[str, Any]:
    """Returns one question for questions_json. It is validated when the tool is called."""
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
    responders: Sequence[str] | None = None,
    policy: NewPolicy | None = None,
    notify: Sequence[str] | None = None,
    expires_in: str | None = None,
    agent: str | None = None,
    language: str | None = None,
    session: str | None = None,
) -> Callable[..., str]:
    """Returns a function ask_user_question(questions_json) that asks people and returns the tool's documented result.

    It does not pause the run, and needs no front end that collects user_answers: people answer in chat. The other arguments are those of
    NewRequest; the model cannot set them.
    """

    def tool(questions_json: str) -> str:
        call = ToolCall(
            "agno",
            {"questions_json": questions_json},
            to=to,
            route=route,
            responders=responders,
            policy=policy,
            notify=notify,
            expires_in=expires_in,
            agent=agent,
            language=language,
            session=session,
        )
        return bridge.ask_tool(call).body

    tool.__name__ = _NAME
    tool.__doc__ = _DOCSTRING
    tool.__annotations__ = {"questions_json": str, "return": str}
    return tool


def answer_paused(
    bridge: Askbridge,
    run: PausedRun,
    *,
    to: Sequence[Place] = (),
    route: str | None = None,
    responders: Sequence[str] | None = None,
    policy: NewPolicy | None = None,
    notify: Sequence[str] | None = None,
    expires_in: str | None = None,
    agent: str | None = None,
    language: str | None = None,
) -> bool:
    """Asks people the questions of each ask_user_question call that paused a run, and fills in the user_answers of the call.

    Returns True if all of them are filled in, so that you can call agent.continue_run. Returns False if a request was cancelled or
    expired: the run stays paused. If the bridge rejects the questions of a call, its user_answers are set to a text that is not JSON:
    the tool then fails when the run continues, and the agent can correct the questions. A repeated call with the same run finds the
    same requests, even in another process. Calls of other tools are ignored.
    """
    complete = True
    for tool in run.tools_requiring_user_input:
        if tool.tool_name != _NAME:
            continue
        field = next(field for field in tool.user_input_schema if field.name == "user_answers")
        if field.value is None:
            call = ToolCall(
                "agno",
                {"questions_json": tool.tool_args["questions_json"]},
                to=to,
                route=route,
                responders=responders,
                policy=policy,
                notify=notify,
                expires_in=expires_in,
                agent=agent,
                language=language,
                tool_call_id=tool.tool_call_id,
                session=getattr(run, "session_id", None),
            )
            field.value = _answers(bridge, call)
        complete = complete and field.value is not None
    return complete


def _answers(bridge: Askbridge, call: ToolCall) -> str | None:
    """Returns user_answers for a call; None without an answer."""
    result = bridge.ask_tool(call)
    if result.request_id is None:
        return "nobody was asked"  # Not JSON, so that the tool fails. It would accept "{}" as a complete set of empty answers.
    ended = bridge.get(result.request_id)
    if not isinstance(ended, AnsweredRequest):
        return None
    chosen = {f"question_{a.index}": [*a.selected, *([a.other] if a.other else [])] for a in ended.answers}
    return json.dumps(chosen, ensure_ascii=False)
