"""Verification of webhooks by Standard Webhooks 1.0 (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence

from ._errors import SignatureError
from ._types import WebhookEvent, from_json


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secrets: str | Sequence[str], *, tolerance: float = 300, now: float | None = None
) -> WebhookEvent:
    """Verifies the signature of a webhook call and returns its event.

    Args:
        body: The raw body, exactly as received.
        headers: The headers of the call, in any case.
        secrets: The secret, or several while you rotate them: a signature by any of them is valid.
        tolerance: The maximum difference between the call's timestamp and the current time, in seconds.
        now: The current time in seconds since 1970. Default: time.time().

    Raises:
        SignatureError: The signature does not match, a header or secret is malformed, or the timestamp is off by more than tolerance.
        ConnectionFailedError: The signature is valid, but the body is not an event of a bridge.
    """
    data = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise SignatureError(f"missing header {name}")
    stamp = given["webhook-timestamp"]
    if not (stamp.isascii() and stamp.isdigit()) or abs((time.time() if now is None else now) - int(stamp)) > tolerance:
        raise SignatureError("webhook-timestamp is too old, too new or not a number")
    signed = f"{given['webhook-id']}.{stamp}.".encode() + data
    signatures = [one[3:].encode() for one in given["webhook-signature"].split(" ") if one.startswith("v1,")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        want = base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(want, one) for one in signatures):
            event: WebhookEvent = from_json(WebhookEvent, json.loads(data))
            return event
    raise SignatureError("no signature matches")


def _key(secret: str) -> bytes:
    secret = secret.strip()  # A secret read from a file often ends with a line break.
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith("whsec_") or not 24 <= len(key) <= 64:
        raise SignatureError("a secret must be whsec_ and 24 to 64 bytes in base64")
    return key
