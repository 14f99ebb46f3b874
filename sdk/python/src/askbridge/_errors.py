"""What can go wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Remark:
    """Something to say about one member of what was sent."""

    path: str
    detail: str


class AskbridgeError(Exception):
    """What every error of this package is."""


class ConnectionFailedError(AskbridgeError):
    """The bridge could not be reached, or its reply broke off, however often it was tried."""


class WaitTimeoutError(AskbridgeError, TimeoutError):
    """The wait has taken as long as it may. The question is still open, if it was asked before that."""


class SignatureError(AskbridgeError):
    """A webhook call that is not from the bridge, or too old."""


class ProblemError(AskbridgeError):
    """The bridge said no (RFC 9457). What is wrong stands in detail and errors."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.detail = str(body.get("detail", ""))
        self.errors: Sequence[Remark] = [Remark(e["path"], e["detail"]) for e in body.get("errors", [])]
        #: With 409: the request that was made before with the same key.
        self.request_id: str | None = body.get("request_id")
        #: With 5xx: finds the cause in the log of the bridge.
        self.call_id: str | None = body.get("call_id")
        #: How many seconds the bridge asked to wait, if it did.
        self.retry_after = retry_after
        text = f"{status} {body.get('title', '')}".strip()
        text += f": {self.detail}" if self.detail else ""
        super().__init__(text + "".join(f"; {e.path}: {e.detail}" for e in self.errors))


class InvalidRequestError(ProblemError):
    """What was sent is not valid; nobody was asked."""


class AuthenticationError(ProblemError):
    """The token is missing or unknown."""


class PermissionDeniedError(ProblemError):
    """The token does not allow this."""


class NotFoundError(ProblemError):
    """There is no such request, or none of yours."""


class ConflictError(ProblemError):
    """The key was used for a request with other content: request_id names it."""


class RateLimitError(ProblemError):
    """The token asks too often, or has too many open requests."""


class UnavailableError(ProblemError):
    """The bridge cannot do it now. Nothing is lost; the same call may be made again."""


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
    """Makes the error of a reply. A body that is no problem comes from something on the way."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict) or "title" not in body:
        body = {"detail": "this is not said by a bridge, but by something on the way to it or another program at its address"}
    kind = _KINDS.get(status, UnavailableError if status >= 500 else ProblemError)
    return kind(status, body, retry_after)
