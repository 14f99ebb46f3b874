"""Runs the examples with the commands of their first lines, from the built wheel."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Harness, until
from hatchling.build import build_wheel

from askbridge import Askbridge, NewRequest

HERE = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Returns a folder with the installed package."""
    built, installed = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HERE)
        name = build_wheel(str(built))
    with zipfile.ZipFile(built / name) as files:
        files.extractall(installed)
    assert (installed / "askbridge" / "py.typed").exists()
    assert list(installed.glob("*.dist-info/licenses/LICENSE")), "the package has no license"
    yield installed


def run(harness: Harness, wheel: Path, name: str, **more: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(wheel), "ASKBRIDGE_URL": harness.url, "ASKBRIDGE_TOKEN": harness.token, "PYTHONUTF8": "1", **more}
    return subprocess.Popen([sys.executable, f"examples/{name}.py"], cwd=HERE, env=env, stdout=subprocess.PIPE, text=True)


def output_of(program: subprocess.Popen[str]) -> str:
    """Waits for the end of a program and returns its output."""
    text, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    return text


def test_first(harness: Harness, wheel: Path) -> None:
    program = run(harness, wheel, "first")
    harness.play('dana presses "SQLite" under "Which database?"')
    assert output_of(program) == "Which database?\nSQLite\n"


def test_awaits(harness: Harness, wheel: Path) -> None:
    program = run(harness, wheel, "awaits")
    assert program.stdout
    # The second card can be delayed by the rate limit of the channel, and is pending again while it is posted.
    posted = {"Which region? open (slack posted)\n", "Which size? open (slack posted)\n"}
    while posted:
        line = program.stdout.readline()
        assert line in posted or line.endswith((" open (slack delayed)\n", " open (slack pending)\n"))
        posted.discard(line)
    harness.play('dana presses "Small" under "Which size?"', 'dana presses "Europe" under "Which region?"')
    assert output_of(program).endswith("Which region?\nEurope\nWhich size?\nSmall\n")


def test_tool(harness: Harness, wheel: Path) -> None:
    program = run(harness, wheel, "tool")
    harness.play('dana presses "4.3" under "Which version goes out?"')
    assert output_of(program) == "The tool returned: Which version goes out?\n4.3\n"


def test_paused(harness: Harness, wheel: Path) -> None:
    program = run(harness, wheel, "paused")
    harness.play('dana presses "Large" under "Which size for the preview?"')
    assert output_of(program) == 'The tool returned: {"question_0": ["Large"]}\n'


@contextmanager
def free_port() -> Iterator[int]:
    """Yields a free port. On Linux it stays reserved, so that the system gives it to no other socket."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port: int = reserved.getsockname()[1]
        if sys.platform != "linux":
            reserved.close()
        yield port


def test_webhook(harness: Harness, wheel: Path) -> None:
    with free_port() as port:
        program = run(harness, wheel, "webhook", PORT=str(port), ASKBRIDGE_WEBHOOK_SECRET=harness.secret)
        try:
            until("the server listens", lambda: listens(port))
            with Askbridge(harness.url, harness.token) as bridge:
                question = harness.choice()
                made = bridge.submit(NewRequest([question], to=harness.place(), webhook=f"http://127.0.0.1:{port}/"))
                harness.presses("Postgres", question)
            assert program.stdout and program.stdout.readline() == f"{made.id} {question.question}\n"
            assert program.stdout.readline() == "Postgres\n"
        finally:
            program.kill()
            program.communicate()


def listens(port: int) -> bool:
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0
