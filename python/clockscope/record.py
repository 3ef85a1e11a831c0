"""Records of surveys."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Union, overload

from . import _program, _tables
from ._fields import Fields
from ._json import Object, checked, objects, uncollected
from .errors import RecordError
from .series import Series

if TYPE_CHECKING:
    import pandas
    import polars

#: The schema of the records that this package reads.
SCHEMA = "clockscope/1"

PathLike = Union[str, "os.PathLike[str]"]
#: What :func:`read` takes.
Source = Union[PathLike, IO[str], IO[bytes]]


class Record(Fields):
    """What a survey found: the machine, its clocks with their figures, findings, and the verdict.

    Fields are those of the program's JSON (``clockscope schema``), as keys and attributes; their units stand in their
    names.
    """

    __slots__ = ("file",)

    #: The file that it was read from; ``None`` where it was measured here.
    file: str | None

    def __init__(self, raw: Object, file: str | None = None) -> None:
        """Take a record as JSON has it.

        Raises:
            RecordError: it is of another schema, or of another program.

        """
        super().__init__(checked(raw, SCHEMA, file or "this"))
        self.file = file
        for field in ("tool", "run", "machine", "verdict"):
            if not isinstance(raw.get(field), dict):
                raise RecordError(f"{file or 'this'} calls itself {SCHEMA}, but has no {field}")
        clocks = raw.get("clocks")
        if not isinstance(clocks, list) or not all(
            isinstance(clock, dict) and isinstance(clock.get("id"), str) for clock in clocks
        ):
            raise RecordError(f"{file or 'this'} calls itself {SCHEMA}, but its clocks are none")

    def clock(self, name: str) -> Fields:
        """Return a clock by its id, as in ``"monotonic"``.

        Raises:
            KeyError: the record has no such clock; the message names those that it has.

        """
        for clock in self._raw["clocks"]:
            if clock["id"] == name:
                return Fields(clock)
        has = ", ".join(clock["id"] for clock in self._raw["clocks"])
        raise KeyError(f"no clock {name!r} is in the record; there are {has}")

    def to_pandas(self) -> pandas.DataFrame:
        """Return a row a clock: the columns of the program's CSV, of nullable types, the reasons in ``missing``."""
        return _tables.to_pandas(self._rows(), _own())

    def to_polars(self) -> polars.DataFrame:
        """As :meth:`to_pandas`, for polars."""
        return _tables.to_polars(self._rows(), _own())

    def series(self, clock: str) -> Series:
        """Return a clock's offset from the reference over the run, as :func:`allantools.oadev` and the like take it.

        Raises:
            RecordError: the record was made without ``--series``.
            KeyError: it has no series of that clock.

        """
        all_series = self._raw.get("series")
        if not all_series:
            raise RecordError("the record has no series: make it with survey(series=True) or --series")
        for series in all_series:
            if series["clock"] == clock:
                return Series.of(clock, series)
        has = ", ".join(series["clock"] for series in all_series)
        raise KeyError(f"no series of {clock!r} is in the record; there are {has}")

    def _rows(self) -> Iterator[_tables.Row]:
        return (_tables.cells(clock, _own()) for clock in self._raw["clocks"])

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 (for notebooks alone)

        machine, verdict = self._raw["machine"], self._raw["verdict"]
        cpu = (machine.get("cpu") or {}).get("model") or machine.get("arch") or "unknown CPU"
        host = machine.get("hostname")
        head = f"{host}: {cpu}" if host else cpu
        picks = ", ".join(f"{use}: {verdict[use]}" for use in ("intervals", "wall", "cheap") if verdict.get(use))
        rows = "".join(
            f"<tr><td>{escape(clock['id'])}</td>"
            f"<td>{_figure(_tables.find(clock, 'cost_ns', 'median'))}</td>"
            f"<td>{_figure(_tables.find(clock, 'tick_ns', 'quantum'))}</td>"
            f"<td>{escape(str(clock.get('path')))}</td></tr>"
            for clock in self._raw["clocks"]
            if not clock.get("forced")
        )
        findings = "".join(
            f"<li>{escape(str(finding.get('code')))}: {escape(str(finding.get('title')))}</li>"
            for finding in self._raw.get("findings") or []
        )
        return (
            f"<p><b>{escape(head)}</b><br>{escape(picks)}</p>"
            "<table><thead><tr><th>clock</th><th>cost, ns</th><th>resolution, ns</th><th>path</th></tr></thead>"
            f"<tbody>{rows}</tbody></table><ul>{findings}</ul>"
        )

    def __repr__(self) -> str:
        return f"Record({self.file or 'measured here'}, {len(self._raw['clocks'])} clocks)"


class Records(Sequence[Record]):
    """Several records, in the order in which they were read."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = list(records)

    @overload
    def __getitem__(self, at: int) -> Record: ...

    @overload
    def __getitem__(self, at: slice) -> Records: ...

    def __getitem__(self, at: int | slice) -> Record | Records:
        return Records(self._records[at]) if isinstance(at, slice) else self._records[at]

    def __len__(self) -> int:
        return len(self._records)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a row a run and clock, with ``file`` and ``run_id`` before the columns of :meth:`Record.to_pandas`."""
        return _tables.to_pandas(self._rows(), _tables.columns("clocks"))

    def to_polars(self) -> polars.DataFrame:
        """As :meth:`to_pandas`, for polars."""
        return _tables.to_polars(self._rows(), _tables.columns("clocks"))

    def _rows(self) -> Iterator[_tables.Row]:
        own = _own()
        for record in self._records:
            whose = [record.file, record.raw["run"].get("id")]
            for clock in record.raw["clocks"]:
                yield whose + _tables.cells(clock, own)

    def __repr__(self) -> str:
        return f"Records({len(self._records)})"


def read(source: Source) -> Records:
    """Read records: of a file (JSON, JSON lines, or a trace), of all in a directory, of all that a pattern names.

    A trace (``*.trace``) is given to the program, which makes the record of it; nothing else needs the program. Files
    that are open (a pipe, standard input) are read as JSON.

    Raises:
        RecordError: something is no record, a directory has none, or a pattern names nothing.
        OSError: a file can't be read.

    """
    with uncollected():
        if not isinstance(source, (str, os.PathLike)):
            name = getattr(source, "name", None)  # of a pipe a number
            return Records(_parsed(source.read(), name if isinstance(name, str) else "the input"))
        return Records([record for path in _files(source) for record in _of_file(path)])


def read_one(source: Source) -> Record:
    """As :func:`read`, for one record.

    Raises:
        RecordError: there are several.

    """
    records = read(source)
    if len(records) != 1:
        raise RecordError(f"{source} holds {len(records)} records, and one is wanted; read() takes several")
    return records[0]


def survey(
    *,
    time: str | None = None,
    clocks: Sequence[str] = (),
    reads: int | None = None,
    cpu: int | None = None,
    reference: str | None = None,
    series: bool = False,
    hostname: bool = False,
    machine_id: bool = False,
) -> Record:
    """Measure this machine's clocks; takes some three seconds.

    Args:
        time: how long to measure, as in ``"10s"`` or ``"300ms"``.
        clocks: ids of the clocks to measure; all that there are by default.
        reads: the least number of reads of each clock.
        cpu: the CPU to measure on.
        reference: the clock that the others are held against.
        series: put into the record what its figures were made of, for :meth:`Record.series`.
        hostname: put the host's name into the record.
        machine_id: put a pseudonym of the machine into it, the same in each run.

    Raises:
        UsageError: an argument is wrong, or there is no such clock.
        ProgramError: there is no program, or the machine refused something.

    """
    given = {"--time": time, "--reads": reads, "--cpu": cpu, "--ref": reference}
    arguments = [f"{option}={value}" for option, value in given.items() if value is not None]
    arguments += [f"--clock={clock}" for clock in clocks]
    arguments += ["--series"] * series + ["--hostname"] * hostname + ["--machine-id"] * machine_id
    printed = _program.run("survey", "--format=json", "--no-progress", *arguments)
    (record,) = _parsed(printed, "the survey")
    record.file = None
    return record


def _own() -> _tables.Columns:
    """Return a clock's own columns."""
    return [column for column in _tables.columns("clocks") if column.name not in _tables.WHOSE]


def _files(source: PathLike) -> list[Path]:
    import glob  # noqa: PLC0415 (so that the import of this package is quick)

    path = Path(source)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in (".json", ".jsonl", ".trace"))
        if not files:
            raise RecordError(f"{path} is a directory without a *.json, *.jsonl or *.trace")
        return files
    if path.exists() or not glob.has_magic(str(source)):
        return [path]
    named = sorted(glob.glob(str(source), recursive=True))
    if not named:
        raise RecordError(f"no file is named by {source}")
    return [Path(name) for name in named]


def _of_file(path: Path) -> list[Record]:
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = _program.run("analyze", str(path), "--format=json", "--series", "--no-progress")
    return _parsed(content, str(path))


def _parsed(content: str | bytes, place: str) -> list[Record]:
    return [Record(value, place) for value in objects(content, place)]


def _figure(value: Any) -> str:
    return "–" if value is None else f"{value:.4g}"
