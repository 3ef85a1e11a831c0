from __future__ import annotations

import array
import copy
import json
import os
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import allantools
import numpy as np
import pytest

import clockscope
from clockscope import ProgramError, Record, RecordError, Series, UsageError, _program


def test_a_survey_of_this_machine() -> None:
    record = clockscope.survey(time="300ms", clocks=["monotonic", "realtime"], series=True)
    monotonic = record.clock("monotonic")
    assert monotonic.cost_ns.low <= monotonic.cost_ns.median <= monotonic.cost_ns.high
    assert record.file is None
    assert record.machine.hostname is None
    assert record.machine.id is None
    assert len(record.series("realtime").at_s) > 2


def test_a_machines_pseudonym_is_in_the_record_on_request() -> None:
    """The same in each run; where the system has none to make it of, the record says so."""
    one, other = (clockscope.survey(time="100ms", clocks=["monotonic"], machine_id=True) for _ in range(2))
    assert one.machine.id == other.machine.id
    assert one.machine.id or any(why.startswith("id: ") for why in one.machine.unreadable)


def test_what_the_program_refuses_is_an_error_with_its_words() -> None:
    with pytest.raises(UsageError, match="sundial"):
        clockscope.survey(clocks=["sundial"])
    with pytest.raises(UsageError, match="--time"):
        clockscope.survey(time="soon")


def test_the_program_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named = os.environ["CLOCKSCOPE"]
    assert _program.program() == named
    monkeypatch.setenv("CLOCKSCOPE", str(tmp_path / "none"))
    with pytest.raises(ProgramError, match=r"CLOCKSCOPE names .*none, which is no program"):
        _program.program()
    monkeypatch.delenv("CLOCKSCOPE")
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProgramError, match="neither beside this interpreter nor on PATH; `pip install clockscope`"):
        _program.program()
    (tmp_path / "clockscope").symlink_to(named)
    assert _program.program() == str(tmp_path / "clockscope")


def lattice(quantum: int, count: int = 5000) -> list[int]:
    """Readings of a clock that moves by so much, at a spacing that varies."""
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.integers(60, 900, count))
    return [int(time) // quantum * quantum for time in times]


def each_kind(samples: list[int]) -> Iterator[Any]:
    yield samples
    yield tuple(samples)
    yield iter(samples)
    yield array.array("Q", samples)
    yield np.array(samples)
    yield np.array(samples, dtype=np.uint64)


def test_samples_of_any_kind_tell_the_quantum() -> None:
    for samples in each_kind(lattice(40)):
        found = clockscope.analyze(samples, label="mine")
        assert found.label == "mine"
        assert found.tick_ns.quantum == pytest.approx(40, rel=1e-6)
        assert found.monotonic != "backward"


def test_ticks_are_taken_as_they_are() -> None:
    for tick in (Fraction(1, 10_000_000), "1/10000000", 1e-7):
        found = clockscope.analyze(lattice(3), tick)
        assert found.unit_ns == 100
        assert found.tick_ns.quantum == pytest.approx(300, rel=1e-6)


def test_a_step_back_is_counted() -> None:
    samples = lattice(10)
    samples[2000] -= 5000
    found = clockscope.analyze(samples)
    assert found.backward.count == 1
    assert "<td>1</td>" in found._repr_html_()


@pytest.mark.parametrize(
    ("samples", "says"),
    [
        ([-1, 2], "below 0 or beyond"),
        ([1 << 64], "below 0 or beyond"),
        ([1.5, 2.5], "whole numbers"),
        (np.array([1.5]), "and these have fractions"),
        (["a"], "whole numbers"),
        ([[1, 2], [3, 4]], "whole numbers, in one dimension"),
        ([], "empty|no samples|nothing"),
    ],
)
def test_what_is_no_sample_is_named(samples: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        clockscope.analyze(samples)


def test_comparing_records_and_files(raw: dict[str, Any], tmp_path: Path) -> None:
    before = Record(raw)
    after = Record(scaled(raw, "monotonic", 1.5))
    found = clockscope.compare(before, after)
    assert [(row.clock, row.figure) for row in found.changed] == [("monotonic", "cost")]
    assert found.changed[0].ratio.value == pytest.approx(1.5)
    frame = found.to_pandas().set_index(["clock", "figure"])
    assert frame.loc[("monotonic", "cost"), "ratio_value"] == pytest.approx(1.5)
    assert frame.loc[("monotonic", "cost"), "result"] == "changed"
    assert "<td>changed</td>" in found._repr_html_()
    path = tmp_path / "-a.json"
    path.write_text(json.dumps(raw))
    assert not clockscope.compare(path, [path, before]).changed
    with pytest.raises(UsageError, match="can't read"):
        clockscope.compare(before, "nowhere.json")


def scaled(raw: dict[str, Any], clock: str, by: float) -> dict[str, Any]:
    """The record with one clock's cost changed."""
    changed = copy.deepcopy(raw)
    for each in changed["clocks"]:
        if each["id"] == clock:
            for name in ("median", "low", "high", "min", "p99", "p999", "max"):
                each["cost_ns"][name] *= by
    return changed


def test_series_go_into_allantools(raw: dict[str, Any]) -> None:
    series = Record(raw).series("monotonic")
    phase, rate = series.even()
    assert len(phase) == len(series.at_s)
    assert rate == pytest.approx(100)
    taus, deviations, _, _ = allantools.oadev(phase, rate=rate, data_type="phase")
    assert len(taus) == len(deviations) > 0
    with pytest.raises(KeyError, match="no series of 'sundial'"):
        Record(raw).series("sundial")
    raw["series"] = []
    with pytest.raises(RecordError, match="--series"):
        Record(raw).series("monotonic")


def test_even_times_lie_on_straight_lines() -> None:
    series = Series("x", [0.0, 1.0, 3.0], [0.0, 2.0, 6.0], [0.0, 2.0, 6.0])
    assert series.even(2.0) == ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2.0)
    assert series.uncertainty_s == [0.0, 0.0, 0.0]
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="rate"):
            series.even(bad)
    with pytest.raises(ValueError, match="two are wanted"):
        Series("x", [0.0], [0.0], [0.0]).even()


def test_a_survey_is_about_as_long_as_asked() -> None:
    begin = time.monotonic()
    clockscope.survey(time="200ms", clocks=["monotonic"])
    assert time.monotonic() - begin >= 0.2
