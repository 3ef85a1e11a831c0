from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from conftest import FIXTURES, TRACES

import clockscope
from clockscope import Record, RecordError, _json, _tables


def test_fields_are_keys_and_attributes(raw: dict[str, Any]) -> None:
    record = Record(raw)
    tsc = record.clock("tsc")
    assert tsc.cost_ns.median == tsc["cost_ns"]["median"] == 9.508
    assert tsc.rate is None
    assert tsc.reason("tick_ns.reported") == "a bare counter claims nothing"
    assert tsc.reason("cost_ns") is None
    assert record.verdict.intervals == "monotonic"
    assert [clock.id for clock in record.clocks][:2] == ["tsc", "tsc-fenced"]
    with pytest.raises(KeyError, match="no clock 'sundial' is in the record; there are tsc, "):
        record.clock("sundial")
    with pytest.raises(AttributeError, match="no field 'costs'; there are id, api"):
        _ = tsc.costs


def test_a_frame_is_the_programs_csv(program: str, tmp_path: Path) -> None:
    """Names, order and figures, for a survey of each kind of machine that a trace is kept of."""
    for trace in sorted(TRACES.glob("*.trace")):
        command = [program, "analyze", str(trace), "--format"]
        printed = subprocess.run([*command, "csv"], capture_output=True, text=True, check=True).stdout
        path = tmp_path / f"{trace.stem}.json"
        path.write_bytes(subprocess.run([*command, "json"], capture_output=True, check=True).stdout)
        record = clockscope.read_one(path)
        head, *rows = list(csv.reader(io.StringIO(printed)))
        for frame in (record.to_pandas(), record.to_polars().to_pandas()):
            assert list(frame.columns) == head
            assert len(frame) == len(rows)
        frame = record.to_pandas()
        for (_, row), printed_row in zip(frame.iterrows(), rows):
            for (name, kind, _), cell, expected in zip(_tables.columns("clocks")[2:], row, printed_row):
                if pd.isna(cell):
                    assert expected == "", (trace, name)
                elif kind == "string":
                    assert cell == expected, (trace, name)
                elif kind == "boolean":
                    assert cell == (expected == "true"), (trace, name)
                else:
                    assert float(cell) == float(expected), (trace, name)


def test_what_is_missing_is_na_with_the_reason_beside(raw: dict[str, Any]) -> None:
    pandas_frame = Record(raw).to_pandas().set_index("id")
    assert pandas_frame.dtypes["cost_ns_median"] == pd.Float64Dtype()
    assert pandas_frame.dtypes["reads"] == pd.Int64Dtype()
    assert pandas_frame.dtypes["ordered"] == pd.BooleanDtype()
    assert pandas_frame.loc["tsc", "tick_ns_reported"] is pd.NA
    assert "tick_ns.reported: a bare counter claims nothing" in str(pandas_frame.loc["tsc", "missing"])
    polars_frame = Record(raw).to_polars()
    assert polars_frame.schema["cost_ns_median"] == pl.Float64
    assert polars_frame.filter(pl.col("id") == "tsc")["tick_ns_reported"].to_list() == [None]


def test_several_records_are_one_frame(raw: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(raw)
    (tmp_path / "a.json").write_text(text)
    (tmp_path / "b.jsonl").write_text(f"{text}\n{text}\n")
    (tmp_path / "notes.txt").write_text("none")
    records = clockscope.read(tmp_path)
    assert [Path(record.file or "").name for record in records] == ["a.json", "b.jsonl", "b.jsonl"]
    frame = records.to_pandas()
    assert list(frame.columns)[:3] == ["file", "run_id", "id"]
    assert len(frame) == 3 * len(raw["clocks"]) == len(records.to_polars())
    assert set(frame["run_id"]) == {raw["run"]["id"]}
    assert len(clockscope.read(str(tmp_path / "*.json*"))) == 3
    assert len(records[1:]) == 2
    with (tmp_path / "a.json").open("rb") as file:
        assert clockscope.read_one(file).verdict.wall == "realtime"
    with pytest.raises(RecordError, match="holds 2 records, and one is wanted"):
        clockscope.read_one(tmp_path / "b.jsonl")


def test_exported_tables_are_the_same_frames(program: str, raw: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text(json.dumps(raw))
    own = clockscope.read(source).to_pandas()
    for form in ("parquet", "csv", "jsonl"):
        subprocess.run([program, "export", str(source), "-o", str(tmp_path), "--format", form], check=True)
    by_pandas = pd.read_parquet(tmp_path / "clocks.parquet", dtype_backend="numpy_nullable")
    pd.testing.assert_frame_equal(by_pandas, own, check_dtype=False)
    assert pl.read_parquet(tmp_path / "clocks.parquet").equals(clockscope.read(source).to_polars())
    assert pl.read_csv(tmp_path / "clocks.csv", infer_schema_length=None)["cost_ns_median"].to_list() == list(
        pl.Series(own["cost_ns_median"].tolist())
    )
    lines = [json.loads(line) for line in (tmp_path / "findings.jsonl").read_text().splitlines()]
    assert [line["code"] for line in lines] == [finding["code"] for finding in raw["findings"]]
    query = (
        "select m.machine_cpu_model, c.cost_ns_median from '{0}/clocks.parquet' c "
        "join '{0}/machines.parquet' m using (run_id) where c.id = 'tsc'"
    )
    assert duckdb.execute(query.format(tmp_path)).fetchall() == [("AMD EPYC 9B14 96-Core Processor", 9.508)]


def test_a_trace_is_read_by_the_program() -> None:
    record = clockscope.read_one(TRACES / "kvm-clock.trace")
    assert record.machine.clocksource.current == "kvm-clock"
    series = record.series("monotonic")
    assert series.at_s == sorted(series.at_s)
    assert len(series.at_s) > 2


@pytest.fixture(params=["orjson", "json"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Read by orjson, and as where it is missing."""
    if request.param == "json":
        monkeypatch.setitem(sys.modules, "orjson", None)
    _json._quick.cache_clear()
    yield
    _json._quick.cache_clear()


@pytest.mark.usefixtures("reader")
def test_each_reader_reads_records_and_lines(raw: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    for times in (1, 3):
        path.write_text(times * (json.dumps(raw) + "\n"))
        assert [record.raw for record in clockscope.read(path)] == times * [raw]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty; `clockscope --output FILE.json` writes one"),
        (b'{"schema": "clockscope/1", "tool": {', "is cut short, or no JSON"),
        (b'{"schema": "clockscope/1"}', "calls itself clockscope/1, but has no tool"),
        (
            b'{"schema": "clockscope/2", "tool": {"version": "3.0"}}',
            "of schema clockscope/2, written by clockscope 3.0",
        ),
        (b'{"schema": "clockscope-skew/1"}', r"a result of another kind \(clockscope-skew/1\)"),
        (b'{"schema": "else/7"}', "JSON of another program"),
        (b'{"a": 1}', 'JSON of another program: its "schema" is None'),
        (b"[1]", "is no record: an object of JSON is wanted"),
        (b'{"schema": NaN}', "NaN is no number of JSON"),
        (b"\xff\xfe", "is neither a record nor a trace"),
        (b'{"a":' * 100_000, "is nested too deeply for any record|cut short"),
    ],
)
def test_what_is_no_record_is_named(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=says) as caught:
        clockscope.read(path)
    assert str(path) in str(caught.value)


def test_places_without_records_are_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"is a directory without a \*\.json"):
        clockscope.read(tmp_path)
    with pytest.raises(RecordError, match="no file is named by"):
        clockscope.read(tmp_path / "*.json")
    with pytest.raises(FileNotFoundError):
        clockscope.read(tmp_path / "a.json")


def test_a_notebook_shows_no_markup_of_a_record(raw: dict[str, Any]) -> None:
    evil = "</script><script>alert(1)</script>"
    raw["machine"]["hostname"] = evil
    raw["clocks"][0]["id"] = evil
    raw["findings"][0]["title"] = evil
    html = Record(raw)._repr_html_()
    assert "<script>" not in html
    assert html.count("&lt;script&gt;") == 3
    assert re.search("<td>9.508</td><td>10.01</td>", html)


def test_a_huge_record_is_a_frame(raw: dict[str, Any]) -> None:
    raw["clocks"] *= 3000
    assert len(Record(raw).to_polars()) == 105_000


def test_fixtures_of_other_results_are_no_records() -> None:
    for path in FIXTURES.glob("*.json"):
        if path.stem != "record":
            with pytest.raises(RecordError, match="another kind"):
                clockscope.read(path)
