"""Reads Python's clocks: python3 probe.py SAMPLES PAIRS. The protocol is in ../README.md."""

import platform
import sys
import time
from itertools import repeat

samples, pairs = int(sys.argv[1]), int(sys.argv[2])

# Label, what one unit is in seconds, the function, and the clock's name for get_clock_info.
CLOCKS = [
    ("time.perf_counter_ns", "1/1000000000", "perf_counter_ns", "perf_counter"),
    ("time.monotonic_ns", "1/1000000000", "monotonic_ns", "monotonic"),
    ("time.time_ns", "1/1000000000", "time_ns", "time"),
    # A double that holds seconds since 1970 has a grid of its own, coarser than the clock.
    ("time.time", "1", "time", "time"),
    ("time.process_time_ns", "1/1000000000", "process_time_ns", "process_time"),
    ("time.thread_time_ns", "1/1000000000", "thread_time_ns", "thread_time"),
]
timer = time.perf_counter_ns


def batch(read, n):
    """Nanoseconds that n reads in a row take; the loop is the one of timeit."""
    start = timer()
    for _ in repeat(None, n):
        read()
    return timer() - start


print("# clockscope-probe/1")
print(f"# runtime {platform.python_implementation()} {platform.python_version()}")
print("# timer time.perf_counter_ns")
there = []
for label, tick, name, info in CLOCKS:
    read = getattr(time, name, None)
    if read is None:
        print(f"# absent {label} this Python's time has no {name}")
        continue
    there.append((label, read))
    print(f"# clock {label} {tick}")
    claim = time.get_clock_info(info)
    for key in ("implementation", "resolution", "monotonic", "adjustable"):
        print(f"# claim {label} {key} {getattr(claim, key)}")

for label, read in there if pairs else ():
    n = 20
    while min(batch(read, n) for _ in range(3)) < 100_000:  # the least: one may be interrupted
        n *= 2
    for _ in range(pairs):
        print(f"# pair {label} {n} {batch(read, n)} {batch(read, 2 * n)}")

values = [-1] * samples
for label, read in there:
    for i in range(samples):
        values[i] = read()
    form = "{} {:.9f}\n" if isinstance(values[0], float) else "{} {}\n"
    sys.stdout.write("".join(form.format(label, value) for value in values))
print("# end")
