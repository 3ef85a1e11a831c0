"""Reading the program's JSON."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Callable, NoReturn

from .errors import RecordError

Object = dict[str, Any]

#: What makes a record.
WAY_OUT = "`clockscope --output FILE.json` writes one"


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_not_a_number)


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage: records that are read stay, so that searching them would take longer than reading them."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def objects(content: str | bytes, place: str) -> Iterator[Object]:
    """Yield the objects of a text, one after another, as in JSON and JSON lines.

    Raises:
        RecordError: there is none, one is cut short, or something else stands there.

    """
    try:
        whole = _quick()(content)
    except ValueError:
        whole = None  # several objects, or what the standard library says better
    if isinstance(whole, dict):
        yield whole
        return
    try:
        text = content if isinstance(content, str) else content.decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"{place} is neither a record nor a trace: {error}") from error
    at = _skip(text, 0)
    if at == len(text):
        raise RecordError(f"{place} is empty; {WAY_OUT}")
    while at < len(text):
        if text[at] != "{":
            raise RecordError(f"{place} is no record: an object of JSON is wanted; {WAY_OUT}")
        try:
            value, at = _DECODER.raw_decode(text, at)
        except RecursionError as error:
            raise RecordError(f"{place} is nested too deeply for any record") from error
        except ValueError as error:
            raise RecordError(f"{place} is cut short, or no JSON: {error}; {WAY_OUT}") from error
        yield value
        at = _skip(text, at)


@cache
def _quick() -> Callable[[str | bytes], object]:
    """Return what reads a single object, quickly if orjson is there: three times as quick as the standard library."""
    try:
        import orjson  # noqa: PLC0415 (optional, and so that the import of this package is quick)
    except ImportError:
        return lambda _content: None
    loads: Callable[[str | bytes], object] = orjson.loads
    return loads


def checked(value: Object, schema: str, place: str) -> Object:
    """Return the object if it is of that schema.

    Raises:
        RecordError: it is of another one, and which.

    """
    found = value.get("schema")
    if found == schema:
        return value
    if not isinstance(found, str) or not found.startswith("clockscope"):
        raise RecordError(f'{place} is JSON of another program: its "schema" is {found!r}')
    tool = value.get("tool")
    by = f", written by clockscope {tool.get('version')}" if isinstance(tool, dict) else ""
    if found.split("/")[0] == schema.split("/", maxsplit=1)[0]:
        raise RecordError(f"{place} is of schema {found}{by}, and this package reads {schema}: upgrade it")
    raise RecordError(f"{place} is a result of another kind ({found}), and {schema} is wanted")


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
