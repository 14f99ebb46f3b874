"""Asks one question and prints what a person chose: python3 examples/first.py"""

from askbridge import Askbridge, NewQuestion, NewRequest, Place

with Askbridge() as bridge:  # ASKBRIDGE_URL and ASKBRIDGE_TOKEN
    request = bridge.ask(
        NewRequest(
            [NewQuestion("Which database?", ["Postgres", "SQLite"])],
            to=[Place("slack", "C0000001")],
        )
    )
print(request.text if request.state == "answered" else f"no answer: {request.state}")
