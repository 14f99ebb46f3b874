"""The types of the API. A test compares them with its OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar, Union

from ._extras import Attachment, File, Link, Receipt, Source, Unnotified
from ._errors import Remark
from ._json import _WIRE, from_json, to_json
from ._votes import Choice, Count, Person, Vote, Voter

__all__ = [
    "_WIRE", "Attachment", "Choice", "Count", "File", "Link", "Person", "Receipt", "Source", "Unnotified", "Vote", "Voter", "from_json", "to_json",
]

#: The state of a request. Every state except open is final.
State = Literal["open", "answered", "cancelled", "expired", "superseded", "failed"]


@dataclass(frozen=True)
class Place:
    """One place where a request is shown: a channel, a thread of a channel, or a person's direct messages."""

    platform: str
    channel: str | None = None
    thread: str | None = None
    user: str | None = None
    #: The Slack workspace or organization, or the Discord server. None if the bridge serves only one.
    installation: str | None = None


@dataclass(frozen=True)
class Origin(Place):
    """The conversation in which the agent works. A route that allows it asks there instead of at its own places."""

    #: The people of the conversation, who are notified there, such as "slack:U0000001".
    people: Sequence[str] | None = None
    #: The language of the card: "de", "en" or "es".
    language: str | None = None


@dataclass(frozen=True)
class Option:
    """One option of a question. An answer contains the label unchanged."""

    label: str
    description: str | None = None
    preview: str | None = None
    #: The style of the button: "primary" or "danger".
    style: str | None = None


@dataclass(frozen=True)
class NewQuestion:
    """A question to ask. Without options, people answer with text. An option can be just its label."""

    question: str
    options: Sequence[str | Option] = ()
    header: str | None = None
    multi_select: bool = False
    no_other: bool = False
    #: Whether people may leave the question unanswered.
    optional: bool = False
    #: Whether people can add a note to their answer.
    notes: bool = False
    #: Whether people have to submit their choice, so that a single tap decides nothing.
    confirm: bool = False


@dataclass(frozen=True)
class NewPolicy:
    """How many people decide. mode is "first", "quorum" or "poll"; need is a number, "all" or "majority".

    needs sets the number for single labels, dismiss the number who have to dismiss the request to end it. show is what people see of
    the votes before the end: "live", "count" or "sealed". change is whether people can change their vote.
    """

    mode: str | None = None
    need: int | str | None = None
    needs: Mapping[str, int] | None = None
    dismiss: int | None = None
    show: str | None = None
    change: bool | None = None


@dataclass(frozen=True)
class NewReplies:
    """Which messages next to the card count as answers. mode is "off", "labels" or "text".

    languages are those whose words for yes and no count. With strict, only the code of the request followed by a whole label counts.
    """

    mode: str | None = None
    languages: Sequence[str] | None = None
    strict: bool | None = None


@dataclass(frozen=True)
class NewStep:
    """One step of an escalation, some time after the request, as in "30m".

    do is "remind" to notify people again, or "add" to ask more people.
    """

    after: str
    do: str
    responders: Sequence[str] | None = None
    to: Sequence[Place] | None = None
    notify: Sequence[str] | None = None


@dataclass(frozen=True)
class NewHours:
    """The hours in which steps happen, in a time zone. A step outside of them waits for the next opening."""

    zone: str
    from_: str
    to: str
    days: str | None = None


@dataclass(frozen=True)
class NewSchedule:
    """The escalation of an unanswered request."""

    steps: Sequence[NewStep] | None = None
    hours: NewHours | None = None
    #: Lets people claim the request, which delays the steps for this time, as in "30m".
    claim_for: str | None = None
    #: Lets people pass the request on to another person, who may answer instead.
    pass_on: bool = False


@dataclass(frozen=True)
class NewRequest:
    """A request to submit. Members that are not set use the defaults of the bridge.

    A question can also be a mapping, as a model wrote it. notify lists who is notified; an empty list notifies no one. Durations, such
    as expires_in, are texts such as "30m".
    """

    questions: Sequence[NewQuestion | Mapping[str, Any]]
    to: Sequence[Place] | None = None
    route: str | None = None
    responders: Sequence[str] | None = None
    expires_in: str | None = None
    idempotency_key: str | None = None
    tool_call_id: str | None = None
    session: str | None = None
    webhook: str | None = None
    supersedes: str | None = None
    agent: str | None = None
    context: str | None = None
    policy: NewPolicy | None = None
    notify: Sequence[str] | None = None
    same: str | None = None
    replies: NewReplies | None = None
    hold: str | None = None
    schedule: NewSchedule | None = None
    within: str | None = None
    #: Whether people can ask the agent a question: "off", "stay", or "end", where a question ends the request.
    ask_back: str | None = None
    #: Whether the cards show when the agent has acknowledged the answer.
    receipts: bool | None = None
    links: Sequence[Link] | None = None
    source: Source | None = None
    #: With "high", people have to confirm their choice.
    risk: str | None = None
    #: Files to upload below the cards, up to 512 KiB together. People can answer once they are uploaded.
    files: Sequence[File] | None = None
    #: The language of the cards, except for the agent's texts: "de", "en" or "es".
    language: str | None = None
    #: Whether the agent gets nothing before the request ends, so that a question to it ends the request.
    deaf: bool | None = None
    origin: Origin | None = None


@dataclass(frozen=True)
class Question:
    """A question that was asked."""

    question: str
    header: str
    options: Sequence[Option]
    multi_select: bool
    no_other: bool = False
    optional: bool = False
    notes: bool = False
    confirm: bool = False


@dataclass(frozen=True)
class Answer:
    """The answer to one question: the chosen labels in option order, and typed text."""

    index: int
    question: str
    header: str
    selected: Sequence[str]
    other: str
    by: Person
    at: datetime
    notes: str | None = None
    #: Who wrote the note. None if it was the person who answered.
    notes_by: Person | None = None


@dataclass(frozen=True)
class Unanswered:
    """An optional question without an answer. by is the person who skipped it; None if it was left untouched."""

    index: int
    question: str
    header: str
    by: Person | None = None
    notes: str | None = None
    notes_by: Person | None = None


@dataclass(frozen=True)
class Voting:
    """How many people decide: the policy of a request, with a number instead of "all" or "majority"."""

    mode: str
    need: int | None = None
    needs: Mapping[str, int] | None = None
    dismiss: int | None = None
    show: str | None = None
    change: bool | None = None


@dataclass(frozen=True)
class Claim:
    """Who has claimed a request, and until when that delays the steps."""

    by: Person
    at: datetime
    until: datetime


@dataclass(frozen=True)
class Step:
    """One step of an escalation. do is "remind", "add", or "pass" when a person has passed the request on."""

    at: datetime
    do: str
    done: bool = False
    responders: Sequence[str] = ()
    to: Sequence[Place] = ()
    notify: Sequence[str] = ()
    #: For "pass": who has passed the request on, and who received it.
    by: Person | None = None
    passed_to: Person | None = None


@dataclass(frozen=True)
class Delivery:
    """The state of one copy of the card: "pending", "delayed", "posted", "lost" or "failed"."""

    platform: str
    state: str
    channel: str | None = None
    thread: str | None = None
    user: str | None = None
    message: str | None = None
    detail: str | None = None
    queue: int | None = None
    retry_at: datetime | None = None
    installation: str | None = None
    #: The address that opens the message in the platform's client.
    url: str | None = None
    #: Who was notified by its message, and who could not be; only if the request, its route or its token sets notify.
    notified: Sequence[str] = ()
    unnotified: Sequence[Unnotified] = ()


@dataclass(frozen=True)
class Webhook:
    """The state of the webhook of a request: "due", "taken" or "dead"."""

    url: str
    state: str
    attempts: int | None = None
    detail: str | None = None
    retry_at: datetime | None = None


@dataclass(frozen=True)
class Replies:
    """Which messages next to the card count as answers, as effective for the request."""

    mode: str
    languages: Sequence[str] = ()
    strict: bool = False


@dataclass(frozen=True)
class AskedBack:
    """A question of a person to the agent, and its reply."""

    number: int
    by: Person
    text: str
    at: datetime
    reply: str | None = None
    replied_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class _Request:
    id: str
    created_at: datetime
    responders: Sequence[str]
    questions: Sequence[Question]
    delivery: Sequence[Delivery]
    #: Further lists that must allow the person who answers: requirements of the route or the token.
    floors: Sequence[Sequence[str]] = ()
    #: How many people decide. None if the first complete answer decides.
    policy: Voting | None = None
    #: How many people have voted. The policy decides which of these three are visible before the end.
    voted: int | None = None
    #: Who chose what.
    votes: Sequence[Vote] = ()
    #: How many people made each choice.
    tally: Sequence[Count] = ()
    #: The steps of the escalation, done or not.
    steps: Sequence[Step] = ()
    tool_call_id: str | None = None
    session: str | None = None
    agent: str | None = None
    context: str | None = None
    expires_at: datetime | None = None
    webhook: Webhook | None = None
    by: Person | None = None
    reason: str | None = None
    #: Whether reason is a text that a person wrote instead of answering.
    replied: bool = False
    #: Advice about members that were accepted, but will look or work differently from how they were sent.
    advice: Sequence[Remark] = ()
    #: Unknown members of the request.
    ignored: Sequence[str] = ()
    #: Which messages next to the card count as answers; None if none do. code is the request's short code, as in "k7qd: Deploy".
    replies: Replies | None = None
    code: str | None = None
    hold: str | None = None
    #: Until when the answer can be undone; only in the reply to an answer.
    undo_until: datetime | None = None
    #: How long a claim delays the steps. None if people cannot claim the request.
    claim_for: str | None = None
    #: The current or last claim.
    claim: Claim | None = None
    #: What ended the request if no one did: "grant:<id>", or "request:<id>" for the request that superseded it.
    via: str | None = None
    replayed: bool = False
    #: How often the agent has revised the request. None for never.
    revision: int | None = None
    revised_at: datetime | None = None
    #: Whether people can ask the agent a question, and the questions so far.
    ask_back: str | None = None
    asked_back: Sequence[AskedBack] = ()
    #: Whether the agent has acknowledged the answer; only with receipts.
    receipt: Receipt | None = None
    #: Links as buttons on the card.
    links: Sequence[Link] = ()
    #: Where the agent works.
    source: Source | None = None
    #: Whether people can pass the request on to another person.
    pass_on: bool = False
    #: The files below the cards.
    files: Sequence[Attachment] = ()
    #: How many equal requests share this one.
    joined: int = 0
    #: Who has not voted on an open request, if only named people may and votes are shown live.
    not_voted: Sequence[Voter] = ()
    #: "high" if people have to confirm their choice.
    risk: str | None = None
    #: The names of channels and people that the bridge knows, by platform and id as in responders.
    names: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class OpenRequest(_Request):
    """A request that is waiting for an answer."""

    state: Literal["open"]


@dataclass(frozen=True, kw_only=True)
class AnsweredRequest(_Request):
    """A request that people have answered: as answers, and as the text of a tool result."""

    state: Literal["answered"]
    answers: Sequence[Answer]
    text: str
    ended_at: datetime
    #: Optional questions that a person skipped.
    skipped: Sequence[Unanswered] = ()
    #: Optional questions that were left untouched.
    left: Sequence[Unanswered] = ()


@dataclass(frozen=True, kw_only=True)
class UnansweredRequest(_Request):
    """A request that ended without an answer."""

    state: Literal["cancelled", "expired", "superseded", "failed"]
    ended_at: datetime


#: A request in a final state.
EndedRequest = Union[AnsweredRequest, UnansweredRequest]
#: A request with its current state, which decides the other members.
AskRequest = Union[OpenRequest, AnsweredRequest, UnansweredRequest]


@dataclass(frozen=True)
class Page:
    """One page of a list. Pass next as the cursor of the following page."""

    requests: Sequence[AskRequest]
    next: str | None = None


@dataclass(frozen=True)
class Event:
    """One change of a request. Pass the id as last_event_id to resume after it."""

    id: str
    request: AskRequest


@dataclass(frozen=True)
class WebhookEvent:
    """The body of a webhook call: a request that has ended, or with the type "request.asked_back" a question to the agent."""

    type: str
    timestamp: datetime
    data: AskRequest


@dataclass(frozen=True)
class ToolCall:
    """One call of an agent host's question tool.

    dialect is the format of the host, such as "claude", and variants are deviations from it; docs/reference/hosts.md lists both. input
    is JSON text, which is sent unchanged, or the dict or list that a framework parsed from it. Set tool_call_id and session if the
    input does not contain them, so that a repeated call finds its request; without IDs each call asks again. The other members are
    those of NewRequest.
    """

    dialect: str
    input: str | Mapping[str, Any] | list[Any]
    to: Sequence[Place] = ()
    route: str | None = None
    responders: Sequence[str] | None = None
    expires_in: str | None = None
    tool_call_id: str | None = None
    session: str | None = None
    context: str | None = None
    notify: Sequence[str] | None = None
    policy: NewPolicy | None = None
    replies: NewReplies | None = None
    hold: str | None = None
    schedule: NewSchedule | None = None
    same: str | None = None
    within: str | None = None
    variants: Sequence[str] = ()
    agent: str | None = None
    language: str | None = None
    source: Source | None = None
    risk: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True)
class ToolResult:
    """The result to return to the agent host. body is the tool result, byte for byte.

    state is the state of the request, or "refused" if the bridge did not accept the input and asked no one. is_error is whether the
    result is an error for the model or its host, and stop_turn whether the host should end the agent's turn. request_id is None if no one
    was asked.
    """

    body: str
    state: str
    is_error: bool
    stop_turn: bool
    request_id: str | None


T = TypeVar("T")
