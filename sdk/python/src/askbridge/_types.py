"""The words of the API. A test holds them against its OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar, Union

from ._beside import Attachment, File, Link, Source, Unnotified
from ._errors import Remark
from ._json import _WIRE, from_json, to_json
from ._votes import Choice, Count, Person, Vote, Voter

__all__ = [
    "_WIRE", "Attachment", "Choice", "Count", "File", "Link", "Person", "Source", "Unnotified", "Vote", "Voter", "from_json", "to_json",
]

#: Where a request stands. All but open are final.
State = Literal["open", "answered", "cancelled", "expired", "superseded", "failed"]


@dataclass(frozen=True)
class Place:
    """One place where a request is shown: a channel, a thread of a channel, or a person's direct messages."""

    platform: str
    channel: str | None = None
    thread: str | None = None
    user: str | None = None
    #: The Slack workspace or organisation, or the Discord server; None for the only one.
    installation: str | None = None


@dataclass(frozen=True)
class Origin(Place):
    """The conversation in which the agent works. A route that allows it asks there instead of at its own places."""

    #: Who is notified there, as in "slack:U0000001".
    people: Sequence[str] | None = None
    #: The language of the card: "de", "en" or "es".
    language: str | None = None


@dataclass(frozen=True)
class Option:
    """One choice of a question. The label comes back unchanged."""

    label: str
    description: str | None = None
    preview: str | None = None
    #: The style of the button: "primary" or "danger".
    style: str | None = None


@dataclass(frozen=True)
class NewQuestion:
    """A question to ask. Without options it is answered with text. An option may be its bare label."""

    question: str
    options: Sequence[str | Option] = ()
    header: str | None = None
    multi_select: bool = False
    no_other: bool = False
    #: Whether people may skip or leave it, and whether they can write a note beside the answer.
    optional: bool = False
    notes: bool = False
    #: Whether a choice counts only once it is submitted.
    confirm: bool = False


@dataclass(frozen=True)
class NewPolicy:
    """How many people decide: a quorum, or a poll. Need is a number, "all" or "majority"."""

    mode: str | None = None
    need: int | str | None = None
    needs: Mapping[str, int] | None = None
    dismiss: int | None = None
    show: str | None = None
    change: bool | None = None


@dataclass(frozen=True)
class NewReplies:
    """What a message beside the card can answer: "off", "labels" or "text"."""

    mode: str | None = None
    languages: Sequence[str] | None = None
    strict: bool | None = None


@dataclass(frozen=True)
class NewStep:
    """One thing that happens while nobody answers: "remind" tells people again, "add" asks more of them."""

    after: str
    do: str
    responders: Sequence[str] | None = None
    to: Sequence[Place] | None = None
    notify: Sequence[str] | None = None


@dataclass(frozen=True)
class NewHours:
    """When steps happen: on some days, from one time of day to another, in a time zone."""

    zone: str
    from_: str
    to: str
    days: str | None = None


@dataclass(frozen=True)
class NewSchedule:
    """What happens while nobody answers."""

    steps: Sequence[NewStep] | None = None
    hours: NewHours | None = None
    #: Offers people to say that they are on it, which keeps the steps back for so long, as in "30m".
    claim_for: str | None = None
    #: Lets people pass the request on to somebody else, who may answer in their place.
    pass_on: bool = False


@dataclass(frozen=True)
class NewRequest:
    """A question set to put in front of people. What is not set is left to the bridge.

    A question may be a mapping, as a model wrote it. Who is told stands in notify; ["nobody"] tells nobody.
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
    #: Whether people can ask the agent something: "off", "stay" or "end".
    ask_back: str | None = None
    #: Whether the cards say when the agent has taken an answer.
    receipts: bool | None = None
    links: Sequence[Link] | None = None
    source: Source | None = None
    #: "high" makes people confirm what they choose.
    risk: str | None = None
    #: Texts that are too long for a card, up to 512 KiB together; nobody can answer before they stand below it.
    files: Sequence[File] | None = None
    #: What the cards are in, apart from what the agent says: "de", "en" or "es".
    language: str | None = None
    #: Whether the agent hears nothing before the end, so that a question to it ends the request.
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
    """What a person chose for one question: labels in option order, typed text beside or in place of them."""

    index: int
    question: str
    header: str
    selected: Sequence[str]
    other: str
    by: Person
    at: datetime
    notes: str | None = None
    #: Who wrote the note, where that is not whoever answered.
    notes_by: Person | None = None


@dataclass(frozen=True)
class Unanswered:
    """An optional question without an answer: whoever skipped it, if anybody did, and what was noted all the same."""

    index: int
    question: str
    header: str
    by: Person | None = None
    notes: str | None = None
    notes_by: Person | None = None


@dataclass(frozen=True)
class Voting:
    """How many people decide."""

    mode: str
    need: int | None = None
    needs: Mapping[str, int] | None = None
    dismiss: int | None = None
    show: str | None = None
    change: bool | None = None


@dataclass(frozen=True)
class Claim:
    """Who is on it, and until when that keeps the steps back."""

    by: Person
    at: datetime
    until: datetime


@dataclass(frozen=True)
class Step:
    """One thing that happens while nobody answers."""

    at: datetime
    do: str
    done: bool = False
    responders: Sequence[str] = ()
    to: Sequence[Place] = ()
    notify: Sequence[str] = ()
    #: Who has passed it on, and whom to, where do is "pass".
    by: Person | None = None
    passed_to: Person | None = None


@dataclass(frozen=True)
class Delivery:
    """How one copy of the card stands."""

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
    #: Whom its message has told, and who could not be told; only where somebody says notify.
    notified: Sequence[str] = ()
    unnotified: Sequence[Unnotified] = ()


@dataclass(frozen=True)
class Webhook:
    """How the call to the agent stands."""

    url: str
    state: str
    attempts: int | None = None
    detail: str | None = None
    retry_at: datetime | None = None


@dataclass(frozen=True)
class Replies:
    """What a message beside the card can answer, as it holds for the request."""

    mode: str
    languages: Sequence[str] = ()
    strict: bool = False


@dataclass(frozen=True)
class AskedBack:
    """What a person asked the agent, and its reply."""

    number: int
    by: Person
    text: str
    at: datetime
    reply: str | None = None
    replied_at: datetime | None = None


@dataclass(frozen=True)
class Receipt:
    """Whether the agent has taken what was decided."""

    taken_at: datetime | None = None
    missing: bool = False
    #: What the agent went by in place of the answer; None where it went by the answer.
    instead: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Request:
    id: str
    created_at: datetime
    responders: Sequence[str]
    questions: Sequence[Question]
    delivery: Sequence[Delivery]
    #: Lists that must let whoever answers pass too.
    floors: Sequence[Sequence[str]] = ()
    #: How many people decide; None where the first complete answer does.
    policy: Voting | None = None
    #: How many have voted, who chose what, and how many made each choice; before the end as far as the policy shows it.
    voted: int | None = None
    votes: Sequence[Vote] = ()
    tally: Sequence[Count] = ()
    #: The steps while there is no answer, done or not.
    steps: Sequence[Step] = ()
    tool_call_id: str | None = None
    session: str | None = None
    agent: str | None = None
    context: str | None = None
    expires_at: datetime | None = None
    webhook: Webhook | None = None
    by: Person | None = None
    reason: str | None = None
    #: Whether reason is what a person replied in place of answers.
    replied: bool = False
    #: What was accepted but will look different from how it was sent.
    advice: Sequence[Remark] = ()
    #: Members of the request that nobody knows there.
    ignored: Sequence[str] = ()
    #: What a message beside the card can answer; None where nothing. A message may begin with the code, as in "k7qd: Deploy".
    replies: Replies | None = None
    code: str | None = None
    hold: str | None = None
    #: Until when what was answered can be undone; only in the reply to an answer.
    undo_until: datetime | None = None
    #: How long somebody who says that they are on it keeps the steps back; None where nobody can say so.
    claim_for: str | None = None
    #: Who is on it, or was last.
    claim: Claim | None = None
    #: What ended the request in place of an act: "grant:<id>", or "request:<id>" for the request that superseded it.
    via: str | None = None
    replayed: bool = False
    #: How often the agent has revised what is asked; None for never.
    revision: int | None = None
    revised_at: datetime | None = None
    #: Whether people can ask the agent something, and what they asked.
    ask_back: str | None = None
    asked_back: Sequence[AskedBack] = ()
    #: Whether the agent has acknowledged the answer; only with receipts.
    receipt: Receipt | None = None
    #: Buttons that lead elsewhere.
    links: Sequence[Link] = ()
    #: Where the agent works.
    source: Source | None = None
    #: Whether people can pass it on to somebody else.
    pass_on: bool = False
    #: What is uploaded below the cards.
    files: Sequence[Attachment] = ()
    #: How many equal requests share this one.
    joined: int = 0
    #: Who has not voted on an open request, if only named people may and votes are shown live.
    not_voted: Sequence[Voter] = ()
    #: "high" if people confirm what they choose.
    risk: str | None = None


@dataclass(frozen=True, kw_only=True)
class OpenRequest(_Request):
    """A request that nobody has answered yet."""

    state: Literal["open"]


@dataclass(frozen=True, kw_only=True)
class AnsweredRequest(_Request):
    """A request with what a person chose: as answers, and as the text of a tool result."""

    state: Literal["answered"]
    answers: Sequence[Answer]
    text: str
    ended_at: datetime
    #: Optional questions without an answer: those that a person skipped, and those that nobody touched.
    skipped: Sequence[Unanswered] = ()
    left: Sequence[Unanswered] = ()


@dataclass(frozen=True, kw_only=True)
class UnansweredRequest(_Request):
    """A request that ended without an answer. It never has one."""

    state: Literal["cancelled", "expired", "superseded", "failed"]
    ended_at: datetime


#: A request that is decided for ever.
EndedRequest = Union[AnsweredRequest, UnansweredRequest]
#: A question set and how it stands. Its state tells what else it has.
AskRequest = Union[OpenRequest, AnsweredRequest, UnansweredRequest]


@dataclass(frozen=True)
class Page:
    """One page of a list. Give next as the cursor of the following one."""

    requests: Sequence[AskRequest]
    next: str | None = None


@dataclass(frozen=True)
class Event:
    """One change of a request. Give the id back as last_event_id to go on behind it."""

    id: str
    request: AskRequest


@dataclass(frozen=True)
class WebhookEvent:
    """The body of a webhook call: how a request ended, or with the type "request.asked_back" what somebody asks the agent."""

    type: str
    timestamp: datetime
    data: AskRequest


@dataclass(frozen=True)
class ToolCall:
    """One call of an agent host's question tool: form and variants (docs/reference/hosts.md lists them), the input, the rest as in a request.

    The input is JSON text, or the dict or list made of it. Give tool_call_id and session where it does not hold them: without both each call asks anew.
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
    """What goes back to an agent host, byte for byte. The state is "refused" when nobody was asked."""

    body: str
    state: str
    is_error: bool
    stop_turn: bool
    request_id: str | None

T = TypeVar("T")
