"""Gives a model a tool to ask people with: python3 examples/tool.py

ask_user is a plain function with types and a docstring, which is what frameworks make tools of: function_tool(ask_user)
in the OpenAI Agents SDK, Agent(tools=[ask_user]) in Pydantic AI, Agno and smolagents' kin, tool(ask_user) in LangChain.
The model here is scripted, so that this runs without a key.
"""

from collections.abc import Callable
from typing import Any

from askbridge import Askbridge, Place, question_tool


def scripted(tools: list[Callable[..., str]]) -> str:
    """Calls the tool as a model does, by its name and with arguments, and says what it was told."""
    named = {tool.__name__: tool for tool in tools}
    arguments: dict[str, Any] = {"question": "Which version goes out?", "options": ["4.2", "4.3"]}
    return f"I was told: {named['ask_user'](**arguments)}"


with Askbridge() as bridge:
    ask_user = question_tool(bridge, to=[Place("slack", "C0000001")])
    print(scripted([ask_user]))
