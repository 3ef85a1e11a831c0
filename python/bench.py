"""What importing the package and reading a thousand records takes: `python bench.py RECORD.json`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import clockscope


def seconds(of: Callable[[], object]) -> float:
    """Return how long a call takes."""
    begin = time.perf_counter()
    of()
    return time.perf_counter() - begin


def imported(what: str) -> float:
    """Return how long a fresh interpreter takes."""
    return seconds(lambda: subprocess.run([sys.executable, "-c", what], check=True))


def main() -> None:
    """Print medians over a few rounds."""
    pairs = [imported("import clockscope") - imported("pass") for _ in range(15)]
    print(f"import clockscope: {statistics.median(pairs) * 1e3:.0f} ms")
    record = Path(sys.argv[1]).read_bytes()
    with TemporaryDirectory() as folder:
        for number in range(1000):
            Path(folder, f"{number}.json").write_bytes(record)
        reads = []
        for _ in range(5):
            records = clockscope.Records([])
            begin = time.perf_counter()
            records = clockscope.read(folder)
            reads.append(time.perf_counter() - begin)
        frames = [seconds(frame) for frame in (records.to_pandas, records.to_polars)]
    print(f"1000 records of {len(record) / 1e3:.0f} kB: {statistics.median(reads):.2f} s")
    print(f"as a frame: pandas {frames[0]:.2f} s, polars {frames[1]:.2f} s")


if __name__ == "__main__":
    main()
