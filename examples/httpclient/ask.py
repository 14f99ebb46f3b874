"""Submits a tool input to the bridge, waits for an answer, and prints the tool result byte for byte.

ASKBRIDGE_URL=http://127.0.0.1:8080 python3 ask.py spring-tool slack:C0000001 call_1 < input.json
"""

import http.client
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BRIDGE = os.environ.get("ASKBRIDGE_URL", "http://127.0.0.1:8080")
TOKEN = os.environ.get("ASKBRIDGE_TOKEN", "")


def ask(dialect: str, place: str, tool_call_id: str, tool_input: bytes) -> bytes:
    """Asks people and waits for the result, however long that takes.

    It repeats the same call until there is a result. The tool_call_id identifies
    the request, so people are asked only once, even if a reply is lost or the
    bridge restarts. The call is repeated instead of GET /v1/requests/{id}?as=...,
    because the result contains bytes of the input.
    """
    query = urllib.parse.urlencode({"to": place, "tool_call_id": tool_call_id, "wait": "25s"})
    headers = {"Content-Type": "application/json"}
    if TOKEN:
        headers["Authorization"] = "Bearer " + TOKEN
    while True:
        call = urllib.request.Request(f"{BRIDGE}/v1/ask/{dialect}?{query}", tool_input, headers, method="POST")
        pause = 0.0
        try:
            with urllib.request.urlopen(call, timeout=60) as reply:
                result = reply.read()
                if reply.headers["Askbridge-State"] != "open":
                    return result
        except urllib.error.HTTPError as problem:
            if problem.code < 500 and problem.code != 429:
                raise SystemExit(f"askbridge: {problem.code} {problem.read().decode()}") from None
            pause = float(problem.headers.get("Retry-After") or 1)
        except (OSError, http.client.HTTPException):
            pause = 1.0
        time.sleep(pause)


if __name__ == "__main__":
    sys.stdout.buffer.write(ask(sys.argv[1], sys.argv[2], sys.argv[3], sys.stdin.buffer.read()))
