"""Tests of the mocks with a bot that consists of a few calls."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from askbridge.mocks import Mocks, MocksError


@pytest.fixture(scope="module")
def running() -> Iterator[Mocks]:
    with Mocks() as mocks:
        yield mocks


@pytest.fixture
def mocks(running: Mocks) -> Iterator[Mocks]:
    yield running
    running.reset()


def post(mocks: Mocks, label: str = "Yes") -> dict[str, object]:
    """Posts a message with a button as a bot."""
    button = {"type": "button", "action_id": "yes", "text": {"type": "plain_text", "text": label}}
    message = {"channel": "C0000001", "text": "Deploy?", "blocks": [{"type": "actions", "elements": [button]}]}
    headers = {"Authorization": f"Bearer {mocks.env['SLACK_BOT_TOKEN']}"}
    reply: dict[str, object] = httpx.post(mocks.env["SLACK_API_URL"] + "chat.postMessage", json=message, headers=headers).json()
    return reply


def test_person_sees_what_the_bot_posts(mocks: Mocks) -> None:
    assert post(mocks)["ok"]
    assert "Yes" in mocks.person("slack", "Dana").sees("Yes")
    mocks.verify()


def test_press_fails_if_the_bot_does_not_acknowledge_it(mocks: Mocks) -> None:
    post(mocks)
    with pytest.raises(MocksError, match='Dana: press "Yes": (unacknowledged|failed)'):
        mocks.person("slack", "Dana").press("Yes")


def test_verify_names_the_broken_rule(mocks: Mocks) -> None:
    httpx.post(mocks.env["SLACK_API_URL"] + "no.such.method")
    with pytest.raises(MocksError, match=r"(?s)409: .*no\.such\.method"):
        mocks.verify()


def test_sees_reports_what_the_person_sees_instead(mocks: Mocks) -> None:
    post(mocks, "Ship it")
    with pytest.raises(MocksError, match='(?s)Sam does not see "Nope", but:.*Ship it'):
        mocks.person("slack", "Sam").sees("Nope", wait="10ms")


def test_fault_affects_the_next_call_and_reset_removes_messages(mocks: Mocks) -> None:
    mocks.fault("slack", "refuse", word="is_archived", target="chat.postMessage")
    assert post(mocks)["error"] == "is_archived"
    post(mocks, "Later")
    mocks.advance("31m")
    mocks.reset()
    with pytest.raises(MocksError, match="does not see"):
        mocks.person("slack", "Dana").sees("Later", wait="10ms")


def test_missing_program_is_named() -> None:
    with pytest.raises(MocksError, match="/no/such/askbridge does not start"):
        Mocks(program="/no/such/askbridge")
