"""Readings of any clock, by the estimators of the program."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _program
from ._fields import Fields
from ._json import checked, objects
from .errors import UsageError

if TYPE_CHECKING:
    from fractions import Fraction

#: The schema of what comes out.
SCHEMA = "clockscope-samples/1"


class Samples(Fields):
    """What readings tell of their clock: quantum, order, stalls, longest gap, and a description as by pandas.

    Fields are those of the program's JSON (``clockscope schema samples``, an item of ``clocks``), and its ``findings``.
    """

    __slots__ = ("findings",)

    #: What it means for who uses the clock.
    findings: list[Fields]

    def __init__(self, raw: dict[str, Any], findings: list[dict[str, Any]]) -> None:
        super().__init__(raw)
        self.findings = [Fields(finding) for finding in findings]

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 (for notebooks alone)

        tick, values = self._raw["tick_ns"], self._raw["differences_ns"] or {}
        rows = {
            "samples": self._raw["samples"],
            "quantum, ns": tick["quantum"],
            "smallest step, ns": tick["smallest_step"],
            "stalls": self._raw["stalls"]["count"],
            "steps back": self._raw["backward"]["count"],
            "longest gap, ns": self._raw["longest_gap_ns"],
            "median difference, ns": (values.get("q50") or {}).get("value"),
        }
        cells = "".join(
            f"<tr><th>{name}</th><td>{escape('–' if value is None else f'{value:.10g}')}</td></tr>"
            for name, value in rows.items()
        )
        return f"<table><caption>{escape(str(self._raw['label']))}</caption><tbody>{cells}</tbody></table>"


def analyze(
    samples: Iterable[int],
    tick: str | float | Fraction = "1e-9",
    *,
    label: str = "samples",
) -> Samples:
    """Tell how finely a clock moves, whether it stood still or went back, and where its longest gap is.

    Args:
        samples: readings in the order in which they were made, whole numbers from 0 to 2⁶⁴ − 1: a list, an array of
            numpy or of :mod:`array`, anything that yields them.
        tick: what one unit of them is, in seconds; a :class:`~fractions.Fraction`, or text as in ``"1/10000000"``,
            keeps it exact.
        label: what to call them.

    Raises:
        UsageError: a sample is no such number, there are none, or the tick is none.
        ProgramError: there is no program.

    """
    if isinstance(tick, (int, float)):
        # numpy's numbers are numbers of Python too, and show themselves by their type's name.
        tick = repr(int(tick) if isinstance(tick, int) else float(tick))
    arguments = ("--input=u64le", f"--tick={tick}", f"--label={label}", "--format=json")
    printed = _program.run("analyze", "-", *arguments, "--no-progress", stdin=_bytes(samples))
    (found,) = objects(printed, "what the program printed")
    checked(found, SCHEMA, "what the program printed")
    return Samples(found["clocks"][0], found["findings"])


def _bytes(samples: Iterable[int]) -> bytes:
    """Return the samples as 64-bit numbers, the lowest byte first."""
    kind = getattr(getattr(samples, "dtype", None), "kind", None)
    if kind == "f":
        raise UsageError("samples are whole numbers, as time.perf_counter_ns() gives them, and these have fractions")
    try:
        numbers = array("Q", samples if kind is None else samples.tolist())  # type: ignore[attr-defined]
    except OverflowError as error:
        raise UsageError("a sample is below 0 or beyond 2**64 - 1; subtract the least one from all") from error
    except TypeError as error:
        raise UsageError(f"samples are whole numbers, in one dimension: {error}") from error
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
