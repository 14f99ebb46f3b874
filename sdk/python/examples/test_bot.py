"""A test of a bot: a person presses its button and reads its reply."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from askbridge.mocks import Mocks


class Bot(BaseHTTPRequestHandler):
    """The bot. Yours would be a separate program that reads its tokens from mocks.env."""

    def do_POST(self) -> None:
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        payload = json.loads(form["payload"][0])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        httpx.post(payload["response_url"], json={"text": f"Deployed by {payload['user']['name']}", "replace_original": True})

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def mocks() -> Iterator[Mocks]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Bot) as bot:
        threading.Thread(target=bot.serve_forever, daemon=True).start()
        with Mocks(flags=["--slack-request-url", f"http://127.0.0.1:{bot.server_port}/"]) as mocks:
            yield mocks
        bot.shutdown()


def test_button_deploys(mocks: Mocks) -> None:
    button = {"type": "button", "action_id": "yes", "text": {"type": "plain_text", "text": "Yes"}}
    httpx.post(
        mocks.env["SLACK_API_URL"] + "chat.postMessage",
        headers={"Authorization": f"Bearer {mocks.env['SLACK_BOT_TOKEN']}"},
        json={"channel": "C0000001", "text": "Deploy?", "blocks": [{"type": "actions", "elements": [button]}]},
    )
    dana = mocks.person("slack", "Dana")
    dana.press("Yes")
    dana.sees("Deployed by dana")
    mocks.verify()
