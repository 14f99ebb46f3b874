from __future__ import annotations

from askbridge._flow import EventParser, Message

TEXT = 'retry: 1000\n\n:\n\nid: 1\nevent: open\ndata: {"a":\ndata: 1}\n\nid: 2\r\ndata: x\r\n\r\ndata:y\rid:3\r\rid: 4\ndata: cut'
WANT = [Message("", None, 1), Message("1", '{"a":\n1}', None), Message("2", "x", None), Message("3", "y", None)]


def test_events_are_the_same_for_every_chunk_size() -> None:
    for size in range(1, len(TEXT) + 1):
        parser = EventParser()
        got = [message for at in range(0, len(TEXT), size) for message in parser.push(TEXT[at : at + size])]
        assert got == WANT, f"chunks of {size}"
