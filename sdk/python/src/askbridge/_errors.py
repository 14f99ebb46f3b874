"""The errors of this package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Remark:
    """A problem of one member of the body, or advice about it."""

    path: str
    detail: str


class AskbridgeError(Exception):
    """The base class of all errors of this package."""


class ConnectionFailedError(AskbridgeError):
    """The bridge is unreachable, or its reply was incomplete or unreadable, on every try."""


class WaitTimeoutError(AskbridgeError, TimeoutError):
    """The wait has timed out. If the request was submitted before, it is still open, and people can still answer it."""


class SignatureError(AskbridgeError):
    """A webhook call has no valid signature, or its timestamp is off by too much."""


class ProblemError(AskbridgeError):
    """The bridge rejected a call (RFC 9457). detail and errors explain why, and how to correct it."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.detail = str(body.get("detail", ""))
        self.errors: Sequence[Remark] = [Remark(e["path"], e["detail"]) for e in body.get("errors", [])]
        #: For status 409, the ID of the earlier request with the same key.
        self.request_id: str | None = body.get("request_id")
        #: For a 5xx status, the ID of the call in the log of the bridge.
        self.call_id: str | None = body.get("call_id")
        #: The seconds to wait before a retry, if the reply has Retry-After.
        self.retry_after = retry_after
        text = f"{status} {body.get('title', '')}".strip()
        text += f": {self.detail}" if self.detail else ""
        super().__init__(text + "".join(f"; {e.path}: {e.detail}" for e in self.errors))


class InvalidRequestError(ProblemError):
    """The request is invalid. No one was asked."""


class AuthenticationError(ProblemError):
    """The token is missing or unknown."""


class PermissionDeniedError(ProblemError):
    """The token lacks the permission for this call."""


class NotFoundError(ProblemError):
    """The request does not exist, or belongs to another agent."""


class ConflictError(ProblemError):
    """The idempotency key was already used for a request with different content, request_id."""


class RateLimitError(ProblemError):
    """The token has exceeded its rate limit or its number of open requests."""


class UnavailableError(ProblemError):
    """The bridge is temporarily unavailable. It is safe to repeat the call."""


_KINDS: dict[int, type[ProblemError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: NotFoundError,
    413: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def problem_of(status: int, text: str, retry_after: float | None) -> ProblemError:
    """Returns the error for a reply with an error status. A body in another format comes from a proxy or another program."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict) or "title" not in body:
        body = {"detail": "the reply is not from a bridge, but from a proxy or another program at this address"}
    kind = _KINDS.get(status, UnavailableError if status >= 500 else ProblemError)
    return kind(status, body, retry_after)
