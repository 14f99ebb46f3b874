"""Standard Webhooks 1.0 (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md)."""

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
    """Looks at the signature of a webhook call and returns what it tells.

    The body must be what came in, byte for byte. Several secrets are for the time in which one is replaced by the other.
    It raises SignatureError for a call that is not from the bridge, was changed on its way, or is more than tolerance
    seconds off.
    """
    data = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise SignatureError(f"the call has no {name}")
    stamp = given["webhook-timestamp"]
    if not (stamp.isascii() and stamp.isdigit()) or abs((time.time() if now is None else now) - int(stamp)) > tolerance:
        raise SignatureError("webhook-timestamp is too old, too new or no time")
    signed = f"{given['webhook-id']}.{stamp}.".encode() + data
    signatures = [one[3:].encode() for one in given["webhook-signature"].split(" ") if one.startswith("v1,")]
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        want = base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(want, one) for one in signatures):
            event: WebhookEvent = from_json(WebhookEvent, json.loads(data))
            return event
    raise SignatureError("no signature of the call fits")


def _key(secret: str) -> bytes:
    secret = secret.strip()  # Out of a file it often ends with a line break.
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith("whsec_") or not 24 <= len(key) <= 64:
        raise SignatureError("a secret is whsec_ and 24 to 64 bytes in base64")
    return key
