"""People and their votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Person:
    """A person on a platform. The bridge names the installation that the id belongs to if it serves several."""

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
    #: Whether it leaves an optional question unanswered.
    skipped: bool = False
    #: The note written with it.
    notes: str | None = None


@dataclass(frozen=True)
class Vote:
    """What one person wants, where several decide."""

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
