"""Records as tables: the columns are those of the program's CSV and of `clockscope export`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas
    import polars

Row = list[Any]


class Column(NamedTuple):
    """A column: its name, its type as JSON schemas have it, and the fields that lead to what it holds."""

    name: str
    kind: str
    path: tuple[str, ...]


Columns = list[Column]

#: What `clockscope export` puts before a row.
WHOSE = ("file", "run_id")

_PANDAS: dict[str, Any] = {"string": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean"}


@cache
def columns(table: str) -> Columns:
    """Return the columns of one of the program's tables."""
    text = Path(__file__).with_name("tables.schema.json").read_text("utf-8")
    schema = json.loads(text)["$defs"][table]
    found = ((name, schema["properties"][name]) for name in schema["required"])
    return [Column(name, of["type"][0], tuple(of["x-path"])) for name, of in found]


def cells(value: dict[str, Any], of: Columns) -> Row:
    """Return the cells of one row: a field each, lists and maps as text, ``None`` where it is missing."""
    row = []
    for _, kind, path in of:
        # As `find`, which a call each would make twice as slow.
        cell: Any = value
        for name in path:
            if cell is None:
                break
            cell = cell.get(name)
        if kind == "string" and cell is not None and not isinstance(cell, str):
            cell = text(cell)
        elif kind == "number" and cell is not None:
            cell = float(cell)
        row.append(cell)
    return row


def find(value: Any, *path: str) -> Any:
    """Return the field that these names lead to; ``None`` where one of them is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def to_pandas(rows: Iterable[Row], of: Columns) -> pandas.DataFrame:
    """Return the rows as a frame of nullable types."""
    import pandas  # noqa: PLC0415 (optional, and slow to import)

    held = list(rows)
    made = {name: pandas.array(_column(held, at), dtype=_PANDAS[kind]) for at, (name, kind, _) in enumerate(of)}
    return pandas.DataFrame(made, columns=[name for name, _, _ in of])


def to_polars(rows: Iterable[Row], of: Columns) -> polars.DataFrame:
    """Return the rows as a frame; what is missing is null."""
    import polars  # noqa: PLC0415 (optional, and slow to import)

    types = {
        "string": polars.String,
        "integer": polars.Int64,
        "number": polars.Float64,
        "boolean": polars.Boolean,
    }
    schema = {name: types[kind] for name, kind, _ in of}
    held = list(rows)
    data = {name: _column(held, at) for at, (name, _, _) in enumerate(of)}
    return polars.DataFrame(data, schema=schema)


def _column(rows: Sequence[Row], at: int) -> list[Any]:
    return [row[at] for row in rows]


def text(value: Any) -> str:
    """Return a field as text, as the program's CSV has it; a map as ``key: value; key: value``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return " ".join(text(inner) for inner in value)
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text(inner)}" for key, inner in value.items())
    return str(value)
