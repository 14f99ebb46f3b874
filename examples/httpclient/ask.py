"""Passes a tool input on to people and prints the tool's result, byte for byte.

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
    """Asks, and waits for as long as it takes.

    The same call is made again until there is a result: by its tool_call_id it
    goes on where it was, also when a reply was lost or the bridge restarted, and
    people are asked once. The result echoes the input's own bytes, for which
    GET /v1/requests/{id}?as=... would not have the input.
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
