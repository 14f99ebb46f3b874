"""Gives a model a tool that asks people: python3 examples/tool.py

ask_user is a plain function with types and a docstring, so that any framework can turn it into a tool: function_tool(ask_user)
in the OpenAI Agents SDK, Agent(tools=[ask_user]) in Pydantic AI and Agno, tool(ask_user) in LangChain.
The model here is scripted, so that this runs without an API key.
"""

from collections.abc import Callable
from typing import Any

from askbridge import Askbridge, Place, question_tool


def scripted(tools: list[Callable[..., str]]) -> str:
    """Calls the tool by name with arguments, as a model does, and repeats its result."""
    named = {tool.__name__: tool for tool in tools}
    arguments: dict[str, Any] = {"question": "Which version goes out?", "options": ["4.2", "4.3"]}
    return f"The tool returned: {named['ask_user'](**arguments)}"


with Askbridge() as bridge:
    ask_user = question_tool(bridge, to=[Place("slack", "C0000001")])
    print(scripted([ask_user]))
