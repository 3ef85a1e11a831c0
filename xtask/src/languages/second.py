"""A second opinion on readings: second.py FOLDER, of what `clockscope runtimes --save` left there.

Beside each NAME.txt stands NAME.json, what `clockscope analyze` makes of it. Quanta are fitted again by least squares, values
and differences described by pandas. What differs is printed, and the status is 1.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

QUANTUM = 1e-4
DESCRIPTION = 1e-12
# How pandas calls what a description holds, and how the report does.
NAMES = {"count": "count", "mean": "mean", "std": "std", "min": "min", "25%": "q25", "50%": "q50", "75%": "q75", "max": "max"}


def whole(texts):
    """The values as whole numbers of their last digit, and how many digits stand behind the point."""
    behind = max(len(text.partition(".")[2]) for text in texts)
    parts = (text.partition(".") for text in texts)
    return np.array([int(head + tail.ljust(behind, "0")) for head, _, tail in parts], dtype=np.int64), behind


def fitted(values, quantum):
    """The quantum by least squares and the root mean square of what is left, both in the values' unit.

    Values are a line through whole numbers. Counting starts anew after a gap in which the guess might lose count, and after a
    thousand readings, for a clock that follows another one (truetick) shifts its values now and then.
    """
    steps = np.diff(values)
    numbers = np.rint(steps / quantum)
    run = np.concatenate(([0], np.cumsum(np.abs(steps) > 500 * quantum))) * len(values) + np.arange(len(values)) // 1000
    number = np.concatenate(([0], np.cumsum(numbers)))
    frame = pd.DataFrame({"number": number, "value": (values - values[0]).astype(float), "run": run})
    centred = frame[["number", "value"]] - frame.groupby("run")[["number", "value"]].transform("mean")
    slope = (centred.number * centred.value).sum() / (centred.number**2).sum()
    rest = centred.value - slope * centred.number
    return slope, np.sqrt((rest**2).mean())


def on_lattice(values, spacing):
    """How well differences are multiples of this: 1 if all are, less for any others. Those of 0 are multiples of anything."""
    steps = np.diff(values)
    return np.cos(2 * np.pi * (steps[steps != 0] / spacing)).mean()


def near(ours, theirs, share):
    return abs(ours - theirs) <= share * abs(theirs)


def described(what, ours, values, unit, origin=0):
    """What differs of a description from pandas', of values that stand in units from an origin.

    Values from their first on: pandas takes nanoseconds since 1970 as doubles, which don't hold them, and numpy's mean of them
    in long doubles is off by enough to show in the standard deviation.
    """
    told = pd.Series(values).describe()
    for theirs, name in NAMES.items():
        mine = np.longdouble(ours[name]["value"] if name.startswith("q") else ours[name])
        value = np.longdouble(told[theirs])
        if name != "count":
            value = (value + (0 if name == "std" else origin)) * unit
        if abs(mine - value) > DESCRIPTION * abs(value):
            yield f"{what}: {name} is {mine}, where it is {value}"


def differing(clock, texts):
    """What differs of a clock, and whether its quantum was fitted."""
    values, behind = whole(texts)
    steps = np.diff(values)
    unit = clock["unit_ns"] / 10**behind
    digit = 1 / np.longdouble(10) ** behind
    found = [
        *described("values", clock["values"], values - values[0], digit, np.longdouble(values[0])),
        *described("differences", clock["differences_ns"], steps, unit),
    ]
    quantum = clock["tick_ns"]["quantum"]
    # Below two units a reading's number is not told by its value.
    if quantum is None or quantum < 2 * unit:
        return found, False
    slope, rest = fitted(values, quantum / unit)
    if abs(slope * unit - quantum) > QUANTUM * quantum:
        found.append(f"quantum: {quantum!r} ns, by least squares {slope * unit!r}")
    # Half a step is rounding's: Haskell writes nanoseconds as picoseconds. A browser's doubles leave some, too, far below the quantum.
    step = np.gcd.reduce(steps)
    if rest > max(step / 2 if 2 * step < slope else 0.5, slope / 100):
        found.append(f"quantum: its multiples lie {rest} units off")
    for times in (2, 3, 5, 7):
        if on_lattice(values, times * slope) > 0.999:
            found.append(f"quantum: {quantum} ns, although all differences are multiples of {times} of them")
    return found, True


def main(folder):
    clocks, fits, wrong = 0, 0, 0
    for file in sorted(folder.glob("*.txt")):
        report = json.loads(file.with_suffix(".json").read_text())
        frame = pd.read_csv(file, sep=" ", comment="#", names=["label", "value"], dtype=str)
        texts = {label: list(rows) for label, rows in frame.groupby("label", sort=False).value}
        for clock in report["clocks"]:
            found, was_fitted = differing(clock, texts[clock["label"]])
            clocks, fits, wrong = clocks + 1, fits + was_fitted, wrong + bool(found)
            for what in found:
                print(f"{file.stem}, {clock['label']}: {what}")
    print(f"{clocks} clocks described and {fits} quanta fitted anew: {wrong} differ")
    return 1 if wrong or not fits else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
