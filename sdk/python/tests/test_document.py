"""Compares the types with the OpenAPI document of the bridge.

If a test fails because the API has a new member, add the member to the type in _types.py.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from pathlib import Path
from typing import Any

import pytest

import askbridge
from askbridge import _types

SCHEMAS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs/reference/openapi.json").read_text())["components"]["schemas"]
SAME = [
    "Answer", "AskedBack", "Attachment", "Choice", "Count", "Delivery", "File", "Link", "NewPolicy", "NewReplies", "NewQuestion", "NewRequest", "Claim", "NewHours", "NewSchedule", "NewStep", "Option", "Origin", "Page", "Person", "Question", "Receipt", "Remark", "Replies", "Place", "Step", "Unanswered", "Unnotified", "Vote", "Voter", "Voting", "Webhook", "WebhookEvent",
]


def members(kind: Any) -> set[str]:
    return {_types._WIRE.get(f.name, f.name) for f in dataclasses.fields(kind)}


def required(kind: Any) -> set[str]:
    members = [f for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    return {_types._WIRE.get(f.name, f.name) for f in members}


@pytest.mark.parametrize("name", SAME)
def test_type_has_the_members_of_its_schema(name: str) -> None:
    kind = getattr(askbridge, name)
    assert members(kind) == set(SCHEMAS[name]["properties"])
    assert required(kind) == set(SCHEMAS[name].get("required", []))


def test_request_types_have_the_members_of_their_schema() -> None:
    kinds = typing.get_args(askbridge.AskRequest)
    schema = SCHEMAS["Request"]
    assert set().union(*map(members, kinds)) == set(schema["properties"])
    for kind in kinds:
        assert set(schema["required"]) <= required(kind)
    states = [state for kind in kinds for state in typing.get_args(typing.get_type_hints(kind)["state"])]
    assert states == list(typing.get_args(askbridge.State)) == schema["properties"]["state"]["enum"]


def test_unknown_members_are_ignored_and_malformed_values_are_errors() -> None:
    person = {"platform": "slack", "id": "U1", "pronouns": "they"}
    assert _types.from_json(askbridge.Person, person) == askbridge.Person("slack", "U1")
    for wrong in [[], {}, {"platform": 1, "id": "U1"}, "text"]:
        with pytest.raises(askbridge.ConnectionFailedError):
            _types.from_json(askbridge.Person, wrong)
