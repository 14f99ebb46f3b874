"""Asks two questions at the same time and prints the state of their cards: python3 examples/awaits.py"""

import asyncio

from askbridge import AskRequest, AsyncAskbridge, NewQuestion, NewRequest, Place


def show(request: AskRequest) -> None:
    cards = ", ".join(f"{card.platform} {card.state}" for card in request.delivery)
    print(f"{request.questions[0].question} {request.state} ({cards})")


async def main() -> None:
    to = [Place("slack", "C0000001")]
    async with AsyncAskbridge() as bridge:
        ended = await asyncio.gather(
            bridge.ask(NewRequest([NewQuestion("Which region?", ["Europe", "America"])], to=to), on_progress=show),
            bridge.ask(NewRequest([NewQuestion("Which size?", ["Small", "Large"])], to=to), on_progress=show),
        )
    for request in ended:
        print(request.text if request.state == "answered" else f"no answer: {request.state}")


asyncio.run(main())
