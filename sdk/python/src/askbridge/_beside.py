"""What stands beside the questions of a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A button that leads to an https address, which stands beside it."""

    label: str
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
