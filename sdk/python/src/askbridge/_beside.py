"""The parts of a request besides its questions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A button that leads to an https address, which stands beside it."""

    label: str
    url: str


@dataclass(frozen=True)
class Source:
    """Where the agent works, such as a run, a pull request or a session: a link in the first line of the card."""

    title: str
    url: str


@dataclass(frozen=True)
class File:
    """A text that is too long for a card, such as a diff: it is uploaded below it."""

    name: str
    text: str


@dataclass(frozen=True)
class Attachment:
    """A file below a card."""

    name: str
    bytes: int
    sha256: str
    unshown: int = 0
    """How many characters at its end do not stand on the card, which shows its beginning."""


@dataclass(frozen=True)
class Unnotified:
    """A person who could not be notified."""

    who: str
    reason: str
