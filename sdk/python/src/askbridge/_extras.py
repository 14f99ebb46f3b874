"""Links, files and other parts of a request apart from its questions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Link:
    """A button that opens an https address; the card shows the address next to the label."""

    label: str
    url: str


@dataclass(frozen=True)
class Source:
    """Where the agent works, such as a run, a pull request or a session. The first line of the card links to it."""

    title: str
    url: str


@dataclass(frozen=True)
class File:
    """A text that is too long for a card, such as a diff. It is uploaded below the card."""

    name: str
    text: str


@dataclass(frozen=True)
class Attachment:
    """A file that is uploaded below a card."""

    name: str
    bytes: int
    sha256: str
    unshown: int = 0
    """The number of characters that the excerpt on the card omits; 0 if the card shows no excerpt."""


@dataclass(frozen=True)
class Unnotified:
    """A person who could not be notified."""

    who: str
    reason: str


@dataclass(frozen=True)
class Receipt:
    """Whether the agent has acknowledged the answer. missing is set after ten minutes without that."""

    taken_at: datetime | None = None
    missing: bool = False
    #: What the agent used instead of the answer. None if it used the answer.
    instead: str | None = None
