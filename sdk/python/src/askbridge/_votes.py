"""People and their votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Person:
    """A person on a platform. installation is set if the bridge serves several installations of the platform."""

    platform: str
    id: str
    name: str | None = None
    installation: str | None = None


@dataclass(frozen=True)
class Choice:
    """One vote on one question."""

    index: int
    selected: Sequence[str]
    other: str | None = None
    #: Whether the vote is to leave an optional question unanswered.
    skipped: bool = False
    #: A note that the person added.
    notes: str | None = None


@dataclass(frozen=True)
class Vote:
    """The vote of one person on a request that several people decide. dismissed is a vote to end it without an answer."""

    by: Person
    at: datetime
    choices: Sequence[Choice] = ()
    dismissed: bool = False
    human: str | None = None
    reply: str | None = None


@dataclass(frozen=True)
class Count:
    """How many people made the same choice."""

    index: int
    selected: Sequence[str]
    votes: int
    other: str | None = None
    skipped: bool = False


@dataclass(frozen=True)
class Voter:
    """A person who may vote."""

    accounts: Sequence[Person]
    name: str | None = None
