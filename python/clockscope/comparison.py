"""Records held against each other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _program, _tables
from ._fields import Fields
from ._json import checked, objects
from .record import PathLike, Record

if TYPE_CHECKING:
    import pandas

#: The schema of what comes out.
SCHEMA = "clockscope-compare/1"

#: A side: one record, a file or directory of them, or several of these.
Side = Union[Record, PathLike, Iterable[Union[Record, PathLike]]]


class Comparison(Fields):
    """What changed between two sides: machine facts, findings, and figures with the ratio's interval.

    Fields are those of the program's JSON (``clockscope schema compare``).
    """

    __slots__ = ()

    @property
    def rows(self) -> list[Fields]:
        """All figures that were compared."""
        return [Fields(row) for row in self._rows()]

    @property
    def changed(self) -> list[Fields]:
        """Those that changed."""
        return [row for row in self.rows if row.result == "changed"]

    def to_pandas(self) -> pandas.DataFrame:
        """Return a row a figure."""
        rows = self._rows()
        names = dict.fromkeys(name for row in rows for name in _flat(row))
        flat = [_flat(row) for row in rows]
        of = [_tables.Column(name, _kind([row.get(name) for row in flat]), ()) for name in names]
        return _tables.to_pandas(([row.get(name) for name in names] for row in flat), of)

    def _rows(self) -> list[dict[str, Any]]:
        return [row for comparison in self._raw["comparisons"] for row in comparison["rows"]]

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 (for notebooks alone)

        def number(row: dict[str, Any], field: str) -> str:
            value = _tables.find(row, field, "value")
            return "–" if value is None else f"{value:.4g}"

        rows = "".join(
            f"<tr><td>{escape(str(row['clock']))}</td><td>{escape(str(row['figure']))}</td>"
            f"<td>{number(row, 'before')}</td><td>{number(row, 'after')}</td>"
            f"<td>{number(row, 'ratio')}</td><td>{escape(str(row['result']))}</td></tr>"
            for row in self._rows()
        )
        head = "".join(f"<th>{name}</th>" for name in ("clock", "figure", "before", "after", "ratio", "result"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def compare(before: Side, after: Side, *, least: float = 0.02, clocks: Iterable[str] = ()) -> Comparison:
    """Tell what changed between two records, or between several runs a side, beyond chance.

    Args:
        before: a record, a file or directory of records, or several of these.
        after: the same, of the other side.
        least: the least effect that counts, as a share.
        clocks: only these clocks.

    Raises:
        UsageError: something is no record, or an argument is wrong.
        ProgramError: there is no program.

    """
    import tempfile  # noqa: PLC0415 (so that the import of this package is quick)

    with tempfile.TemporaryDirectory() as folder:
        sides = [_paths(side, Path(folder, name)) for name, side in (("before", before), ("after", after))]
        arguments = [f"--least={least}", *(f"--clock={clock}" for clock in clocks)]
        printed = _program.run("compare", "--format=json", "--no-progress", *arguments, *sides[0], "--with", *sides[1])
    (found,) = objects(printed, "what the program printed")
    return Comparison(checked(found, SCHEMA, "what the program printed"))


def _paths(side: Side, folder: Path) -> list[str]:
    """Return the side's files; those of records that are held here are written."""
    several = [side] if isinstance(side, (Record, str, os.PathLike)) else list(side)
    folder.mkdir()
    paths = []
    for number, one in enumerate(several):
        if isinstance(one, Record):
            path = folder / f"{number}.json"
            path.write_text(json.dumps(one.raw), "utf-8")
            paths.append(str(path))
        else:
            # Not to be taken for an option.
            text = os.fspath(one)
            paths.append(f"./{text}" if text.startswith("-") else text)
    return paths


def _flat(row: dict[str, Any], before: str = "") -> dict[str, Any]:
    flat = {}
    for name, value in row.items():
        if isinstance(value, dict) and name != "missing":
            flat.update(_flat(value, f"{before}{name}_"))
        else:
            flat[before + name] = _tables.text(value) if isinstance(value, (dict, list)) else value
    return flat


def _kind(values: list[Any]) -> str:
    for kind, name in ((bool, "boolean"), (str, "string"), (float, "number"), (int, "integer")):
        if any(isinstance(value, kind) for value in values):
            return name
    return "string"
