"""A clock's offset from the reference over a run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple


class Series(NamedTuple):
    """How far a clock was ahead of the reference since the first of these readings, each within bounds.

    Offsets are in seconds; between ``low_s`` and ``high_s`` lies the true one, for each reading of the clock stood
    between two of the reference.
    """

    clock: str
    at_s: list[float]
    low_s: list[float]
    high_s: list[float]

    @classmethod
    def of(cls, clock: str, raw: dict[str, Any]) -> Series:
        """Take the series of a record."""
        offset = raw.get("offset") or {}
        at_s, low_s, high_s = ([ns / 1e9 for ns in offset.get(name) or []] for name in ("at_ns", "low_ns", "high_ns"))
        return cls(clock, at_s, low_s, high_s)

    @property
    def offset_s(self) -> list[float]:
        """The middles of the bounds."""
        return [(low + high) / 2 for low, high in zip(self.low_s, self.high_s)]

    @property
    def uncertainty_s(self) -> list[float]:
        """Half of the distance between the bounds."""
        return [(high - low) / 2 for low, high in zip(self.low_s, self.high_s)]

    def even(self, rate: float | None = None) -> tuple[list[float], float]:
        """Return the offsets at even times, and how many there are a second: phase data, as ``allantools`` takes them.

        Between two readings the offset goes along the straight line; without a ``rate`` there are as many as there are
        readings. ::

            phase, rate = record.series("realtime").even()
            taus, deviations, errors, n = allantools.oadev(phase, rate=rate, data_type="phase")

        Raises:
            ValueError: there are fewer than two readings, or the rate is none.

        """
        at, offset = self.at_s, self.offset_s
        if len(at) < 2 or at[-1] <= at[0]:
            raise ValueError(f"the series of {self.clock} has {len(at)} readings, and two are wanted at least")
        span = at[-1] - at[0]
        rate = (len(at) - 1) / span if rate is None else rate
        if not rate > 0:
            raise ValueError(f"a rate is a number of readings a second, and {rate} is none")
        # By number, so that no rounding adds up; the last may lie a rounding beyond the end.
        count = int(span * rate * (1 + 1e-12)) + 1
        return [_between(at, offset, min(at[0] + n / rate, at[-1])) for n in range(count)], rate


def _between(at: Sequence[float], values: Sequence[float], time: float) -> float:
    after = min(max(bisect_right(at, time), 1), len(at) - 1)
    before = after - 1
    width = at[after] - at[before]
    part = (time - at[before]) / width if width > 0 else 0.0
    return values[before] + part * (values[after] - values[before])
