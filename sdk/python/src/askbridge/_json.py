"""Conversion of the API types to and from JSON."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, Union

from ._errors import ConnectionFailedError

#: The JSON names of members that differ from their Python names.
_WIRE = {"multi_select": "multiSelect", "no_other": "noOther", "from_": "from"}


def to_json(value: Any) -> Any:
    """Converts dataclasses to dicts for JSON, without members that are not set."""
    if is_dataclass(value):
        members = ((f, getattr(value, f.name)) for f in fields(value))
        return {_WIRE.get(f.name, f.name): to_json(v) for f, v in members if v is not None and (f.default is None or v is not False and v != ())}
    if isinstance(value, Mapping):
        return {k: to_json(v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_json(v) for v in value]
    return value


def from_json(kind: Any, value: Any) -> Any:
    """Converts a JSON value to a type. It ignores unknown members, and raises ConnectionFailedError if the value does not fit the type."""
    try:
        return _read(kind, value)
    except (KeyError, TypeError, ValueError) as error:
        raise ConnectionFailedError("askbridge: the reply is not in the format of a bridge") from error


def _read(kind: Any, value: Any) -> Any:
    if kind is Any or value is None:
        return value
    if kind is datetime:
        # Before 3.11, Python parses neither Z nor more than six digits.
        return datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", value).replace("Z", "+00:00"))
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        return _read(_pick([k for k in typing.get_args(kind) if k is not type(None)], value), value)
    if origin is Literal:
        if value not in typing.get_args(kind):
            raise ValueError(value)
        return value
    if origin is Mapping:
        return dict(value)
    if origin is not None:
        return [_read(typing.get_args(kind)[0], v) for v in value]
    if is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _read(hint, value[_WIRE.get(name, name)]) for name, hint in hints.items() if _WIRE.get(name, name) in value})
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return value


def _pick(kinds: list[Any], value: Any) -> Any:
    """Returns the type whose states include the state of the value, or the last one."""
    for kind in kinds[:-1]:
        if value["state"] in typing.get_args(_hints(kind)["state"]):
            return kind
    return kinds[-1]


@lru_cache(maxsize=None)
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
