from __future__ import annotations

import base64
import hashlib
import hmac
import time

import pytest
from conftest import Harness, until
from receiver import Receiver

from askbridge import Askbridge, AnsweredRequest, NewRequest, SignatureError, verify_webhook

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
END = (
    b'{"type":"request.expired","timestamp":"2026-03-15T12:00:00.123456789Z","data":{"id":"r1","state":"expired","created_at":'
    b'"2026-03-15T11:00:00Z","ended_at":"2026-03-15T12:00:00Z","responders":["anyone"],"questions":[],"delivery":[],"new":1}}'
)


def signed(body: bytes = END, at: float | None = None, secret: str = SECRET) -> dict[str, str]:
    """Returns headers with a signature by the standard."""
    stamp = str(int(time.time() if at is None else at))
    mac = hmac.new(base64.b64decode(secret[6:]), b"msg_1." + stamp.encode() + b"." + body, hashlib.sha256)
    return {"webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": "v1," + base64.b64encode(mac.digest()).decode()}


def test_example_of_the_standard_is_valid() -> None:
    # https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    with pytest.raises(Exception, match="not in the format of a bridge"):  # The signature is valid, but the body is not an event of a bridge.
        verify_webhook(b'{"test": 2432232314}', headers, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now=1614265330)


def test_secret_loses_its_line_break() -> None:
    assert verify_webhook(END, signed(), SECRET + "\n").data.id == "r1"


def test_bridge_signs_the_webhook_of_an_ended_request(harness: Harness) -> None:
    with Receiver() as receiver, Askbridge(harness.url, harness.token) as bridge:
        question = harness.choice()
        made = bridge.submit(NewRequest([question], to=harness.place(), webhook=receiver.url))
        harness.presses("Postgres", question)
        until("the webhook is called", lambda: len(receiver.calls) > 0)
        headers, body = receiver.calls[0]
    event = verify_webhook(body, headers, harness.secret)
    assert (event.type, event.data.id) == ("request.answered", made.id)
    assert isinstance(event.data, AnsweredRequest) and event.data.answers[0].selected == ["Postgres"]
    with pytest.raises(SignatureError):
        verify_webhook(body.replace(b"Postgres", b"SQLite"), headers, harness.secret)


def test_body_as_text_headers_in_any_case_and_several_secrets_are_valid() -> None:
    event = verify_webhook(END.decode(), {name.title(): value for name, value in signed().items()}, [OTHER, SECRET])
    assert event.data.state == "expired" and event.timestamp.microsecond == 123456


@pytest.mark.parametrize(
    ("body", "headers", "secret"),
    [
        pytest.param(END + b" ", signed(), SECRET, id="a changed body"),
        pytest.param(END, {**signed(), "webhook-id": "msg_2"}, SECRET, id="a changed ID"),
        pytest.param(END, {**signed(), "webhook-timestamp": str(int(time.time()) - 1)}, SECRET, id="a changed timestamp"),
        pytest.param(END, signed(at=time.time() - 600), SECRET, id="a timestamp ten minutes ago"),
        pytest.param(END, signed(at=time.time() + 600), SECRET, id="a timestamp in the future"),
        pytest.param(END, {**signed(), "webhook-timestamp": "soon"}, SECRET, id="a malformed timestamp"),
        pytest.param(END, {**signed(), "webhook-timestamp": "²"}, SECRET, id="a digit outside of ASCII"),
        pytest.param(END, {**signed(), "webhook-signature": ""}, SECRET, id="an empty signature"),
        pytest.param(END, {**signed(), "webhook-signature": "v1a" + signed()["webhook-signature"][2:]}, SECRET, id="another signature version"),
        pytest.param(END, {**signed(), "webhook-signature": "v1,é"}, SECRET, id="a signature that is not base64"),
        pytest.param(END, signed(), OTHER, id="the wrong secret"),
        pytest.param(END, signed(), "", id="an empty secret"),
        pytest.param(END, signed(), "whsec_c2hvcnQ=", id="a short secret"),
    ],
)
def test_rejected(body: bytes, headers: dict[str, str], secret: str) -> None:
    with pytest.raises(SignatureError):
        verify_webhook(body, headers, secret)
