"""Continues an Agno run that its ask_user_question tool has paused: python3 examples/paused.py

With Agno the agent is Agent(model=…, tools=[ask_user_question_tool]), and the loop is the same. The agent here is scripted and has the
interface of Agno's, so that this runs without an API key and without Agno.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from askbridge import Askbridge, Place
from askbridge.agno import answer_paused, create_question


@dataclass
class Field:
    name: str
    value: Any = None


@dataclass
class Call:
    tool_call_id: str
    tool_name: str
    tool_args: dict[str, Any]
    user_input_schema: list[Field] = field(default_factory=lambda: [Field("user_answers")])


@dataclass
class Run:
    session_id: str
    content: str = ""
    tools_requiring_user_input: list[Call] = field(default_factory=list)

    @property
    def is_paused(self) -> bool:
        return bool(self.tools_requiring_user_input)


class Scripted:
    """An agent that calls the tool once, and then repeats its result."""

    def run(self, _task: str) -> Run:
        sizes = [{"label": "Small", "description": "One core"}, {"label": "Large", "description": "Eight cores"}]
        questions = json.dumps([create_question("Which size for the preview?", "Size", sizes)])
        return Run("session-1", tools_requiring_user_input=[Call("call-1", "ask_user_question", {"questions_json": questions})])

    def continue_run(self, run_response: Run) -> Run:
        [call] = run_response.tools_requiring_user_input
        return Run(run_response.session_id, f"The tool returned: {call.user_input_schema[0].value}")


agent = Scripted()
with Askbridge() as bridge:
    run = agent.run("Set up the preview.")
    while run.is_paused and answer_paused(bridge, run, to=[Place("slack", "C0000001")]):
        run = agent.continue_run(run_response=run)
    print(run.content or "no answer; the run stays paused")
