"""Strict mocks of Slack and Discord for tests of bots (docs/mocks.md).

    from askbridge.mocks import Mocks

    with Mocks() as mocks:
        run_my_bot(env=mocks.env)
        mocks.person("slack", "Dana").press("Yes")
        mocks.verify()
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal

import httpx

Platform = Literal["slack", "discord"]


class MocksError(AssertionError):
    """A call to the mocks failed, an expected text is missing, or the bot has broken a rule of a platform."""


class Mocks:
    """Runs ``askbridge sim --mocks`` as a child process on free ports, until ``close``.

    ``program`` is the path of the askbridge program. Default: the variable ASKBRIDGE, or "askbridge" on the PATH. ``flags`` are further
    flags of the command, such as ``["--slack-events-url", "http://127.0.0.1:3000/slack/events"]``.

    Raises MocksError if the program is missing or does not start.
    """

    def __init__(self, program: str | None = None, flags: Sequence[str] = ()) -> None:
        program = program or os.environ.get("ASKBRIDGE") or "askbridge"
        free_port = "127.0.0.1:0"
        command = [program, "sim", "--mocks", "--addr", free_port, "--slack-addr", free_port, "--discord-addr", free_port, *flags]
        try:
            self._child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise MocksError(f"{program} does not start: {error}") from error
        #: The address of the page, and of the control API under ``/api/``.
        self.url = self._address(program)
        self._control = httpx.Client(base_url=self.url, timeout=90)
        #: The environment variables of a bot: SLACK_API_URL, SLACK_BOT_TOKEN, DISCORD_API_URL and so on.
        self.env: Mapping[str, str] = self._call("GET", "connect")["variables"]

    def _address(self, program: str) -> str:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if line.startswith("MOCKS_URL="):
                return line.removeprefix("MOCKS_URL=").strip()
        raise MocksError(f"{program} exited with {self._child.wait()}")

    def __enter__(self) -> Mocks:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Stops the process."""
        self._control.close()
        self._child.terminate()
        self._child.wait()
        if self._child.stdout is not None:
            self._child.stdout.close()

    def person(self, platform: Platform, name: str) -> MockPerson:
        """Returns a person on a platform, by display name or ID. Dana, Sam and Kim exist from the start."""
        return MockPerson(self, platform, name)

    def fault(self, platform: Platform, fault: str, **fields: str | float) -> None:
        """Injects a fault into the next call, with the fields of ``POST /api/faults`` of the control API."""
        self._call("POST", "faults", {"platform": platform, "fault": fault, **fields})

    def advance(self, duration: str) -> None:
        """Moves the clocks of both platforms forward by a duration such as "31m"."""
        self._call("POST", "clock", {"advance": duration})

    def verify(self) -> None:
        """Checks that the bot has broken no rule of a platform. Otherwise raises MocksError with each broken rule."""
        self._call("POST", "verify")

    def reset(self) -> None:
        """Resets everything to its initial state, for the next test."""
        self._call("POST", "reset")

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None, params: Mapping[str, str] | None = None) -> Any:
        reply = self._control.request(method, f"/api/{path}", json=body, params=params)
        if not reply.is_success:
            raise MocksError(f"{method} /api/{path}: {reply.status_code}: {reply.text}")
        return json.loads(reply.text) if reply.text else None


class MockPerson:
    """A person on one platform."""

    def __init__(self, mocks: Mocks, platform: Platform, name: str) -> None:
        self._mocks, self.platform, self.name = mocks, platform, name

    def press(self, control: str, **where: str | Sequence[str]) -> None:
        """Presses the button with a label as soon as the person sees it.

        Raises MocksError if the button does not appear within ten seconds, or the bot does not acknowledge the press in time.
        """
        channel = where.get("channel")
        self.sees(control, channel=channel if isinstance(channel, str) else None)
        self.act("press", control=control, **where)

    def submit(self, fields: Mapping[str, str] | None = None) -> None:
        """Fills in the fields of the open form, which are named by their labels, and submits it."""
        self.act("submit", fields=dict(fields or {}))

    def say(self, text: str, channel: str | None = None) -> None:
        """Posts a message in a channel, or without one in the direct messages with the bot."""
        self.act("say", text=text, **({} if channel is None else {"channel": channel}))

    def act(self, do: str, **fields: Any) -> None:
        """Performs any other action, with the fields of ``POST /api/act`` of the control API. Raises MocksError if the action fails."""
        reply = self._mocks._call("POST", "act", {"platform": self.platform, "person": self.name, "do": do, **fields})
        if reply["outcome"] != "done":
            says = f": {reply['says']}" if reply["says"] else ""
            raise MocksError(f"{self.name}: {do} {json.dumps(fields.get('control', ''))}: {reply['outcome']}{says}")

    def sees(self, text: str, channel: str | None = None, wait: str = "10s") -> str:
        """Waits until the person sees a text, and returns everything that the person sees: the open form, or else the messages.

        Raises MocksError with everything that the person sees, if the text does not appear within ``wait``.
        """
        params = {"platform": self.platform, "person": self.name, "text": text, "wait": wait}
        if channel is not None:
            params["channel"] = channel
        reply = self._mocks._call("GET", "sees", params=params)
        if not reply["met"]:
            raise MocksError(f"{self.name} does not see {json.dumps(text)}, but:\n{reply['sees']}")
        text_seen: str = reply["sees"]
        return text_seen
