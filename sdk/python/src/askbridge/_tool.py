"""A question tool as a plain function, which any agent framework can turn into a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import List, Optional, TypeVar

from ._client import Askbridge, AsyncAskbridge, Progress
from ._errors import InvalidRequestError
from ._types import AnsweredRequest, EndedRequest, NewPolicy, NewQuestion, NewRequest, Origin, Place

T = TypeVar("T")

_DOCSTRING = """Ask a person one question in chat and wait for the answer. Use it when only a person can decide.

    Give 2 to 4 options, or none for an answer in the person's own words. Do not add an "Other" option: people can always
    write their own answer instead. If nobody answered, never assume an answer, and do not ask the same again.

    Args:
        question: The whole question, ending in a question mark.
        options: 2 to 4 distinct options, each a few words; leave out for an answer in the person's own words.
        multi_select: Whether several options may be picked.

    Returns:
        The question and what the person chose, or that nobody answered.
    """


def text_of(request: EndedRequest) -> str:
    """Returns the text of an ended request for a model.

    Without an answer it neither suggests one nor invites the model to choose.
    """
    if isinstance(request, AnsweredRequest):
        return request.text
    none = "Do not assume an answer."
    who = (request.by and request.by.name) or "Somebody"
    if request.state == "expired" and request.votes:
        return f"People voted and did not come to a decision in time, and the questions are closed. {none}"
    if request.state == "expired":
        return f"Nobody answered in time, and the questions are closed. {none}"
    if request.state == "superseded":
        return f"Newer questions took the place of these before anyone answered. {none}"
    if request.state == "failed":
        return f"The questions could not be asked: {request.reason or 'the bridge does not say why'}. {none}"
    if not request.by:
        return f"The questions were withdrawn before anyone answered. {none}"
    if not request.replied:
        return f"{who} cancelled the questions. {none}"
    return f"{who} answered none of the questions, and replied: {request.reason}\n\n{none}"


def _correction(error: InvalidRequestError) -> str:
    """Returns the problems of an invalid request for the model."""
    return f"Nobody was asked. Correct this and call ask_user again: {error}"


def _request(settings: NewRequest, question: str, options: Sequence[str] | None, multi_select: bool) -> NewRequest:
    """Returns a request with the question of the model and the settings of the program."""
    return replace(settings, questions=[NewQuestion(question, options or (), multi_select=multi_select)])


def question_tool(
    bridge: Askbridge,
    *,
    to: Sequence[Place] | None = None,
    route: str | None = None,
    origin: Origin | None = None,
    responders: Sequence[str] | None = None,
    policy: NewPolicy | None = None,
    notify: Sequence[str] | None = None,
    expires_in: str | None = None,
    context: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    language: str | None = None,
    on_progress: Progress | None = None,
) -> Callable[..., str]:
    """Returns a function ask_user(question, options=None, multi_select=False) that asks people and returns the answer as text.

    Frameworks generate the schema of the tool from its name, types and docstring. The other arguments are those of NewRequest,
    such as responders, policy (how many people decide) and notify (who is notified). The model cannot set them. on_progress is
    called with each request at once and after every change.
    """
    settings = NewRequest(
        (), to=to, route=route, origin=origin, responders=responders, policy=policy, notify=notify,
        expires_in=expires_in, context=context, session=session, agent=agent, language=language,
    )

    def ask_user(question: str, options: Optional[List[str]] = None, multi_select: bool = False) -> str:
        try:
            return text_of(bridge.ask(_request(settings, question, options, multi_select), on_progress=on_progress))
        except InvalidRequestError as error:
            return _correction(error)

    return _described(ask_user)


def async_question_tool(
    bridge: AsyncAskbridge,
    *,
    to: Sequence[Place] | None = None,
    route: str | None = None,
    origin: Origin | None = None,
    responders: Sequence[str] | None = None,
    policy: NewPolicy | None = None,
    notify: Sequence[str] | None = None,
    expires_in: str | None = None,
    context: str | None = None,
    session: str | None = None,
    agent: str | None = None,
    language: str | None = None,
    on_progress: Progress | None = None,
) -> Callable[..., Awaitable[str]]:
    """Returns a coroutine function ask_user with the arguments and result of the one of question_tool."""
    settings = NewRequest(
        (), to=to, route=route, origin=origin, responders=responders, policy=policy, notify=notify,
        expires_in=expires_in, context=context, session=session, agent=agent, language=language,
    )

    async def ask_user(question: str, options: Optional[List[str]] = None, multi_select: bool = False) -> str:
        try:
            return text_of(await bridge.ask(_request(settings, question, options, multi_select), on_progress=on_progress))
        except InvalidRequestError as error:
            return _correction(error)

    return _described(ask_user)


def _described(tool: Callable[..., T]) -> Callable[..., T]:
    """Sets the docstring of a tool, and annotations that frameworks can evaluate without this module."""
    tool.__doc__ = _DOCSTRING
    tool.__annotations__ = {"question": str, "options": Optional[List[str]], "multi_select": bool, "return": str}
    return tool
