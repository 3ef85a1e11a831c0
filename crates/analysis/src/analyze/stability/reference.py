"""Writes reference.json: what allantools 2024.06 says of two series that tests.rs makes as well.

    python3 -m venv v && v/bin/pip install allantools==2024.6 && v/bin/python reference.py > reference.json

nist: the 1000 values of frequency of NIST SP 1065, 12.4 (n = 16807 n mod 2147483647, from 1234567890, over the modulus).
mixed: 5000 values of phase, white noise of phase on a random walk of it, by the same generator.
"""

import json

import allantools
import numpy

MODULUS = 2147483647


def generator():
    n = 1234567890
    while True:
        yield n / MODULUS
        n = 16807 * n % MODULUS


def nist():
    draw = generator()
    phase = [0.0]
    for _ in range(1000):
        phase.append(phase[-1] + next(draw))
    return phase


def mixed():
    draw = generator()
    walk, phase = 0.0, []
    for _ in range(5000):
        walk += next(draw) - 0.5
        phase.append(walk + 5.0 * next(draw))
    return phase


def rows(phase, factors):
    out = []
    for m in factors:
        row = {"m": m}
        for name, of in [("adev", allantools.oadev), ("mdev", allantools.mdev), ("tdev", allantools.tdev), ("mtie", allantools.mtie)]:
            _, found, _, _ = of(numpy.array(phase), rate=1.0, data_type="phase", taus=[m])
            row[name] = float(found[0]) if len(found) else None
        out.append(row)
    return out


def freedom():
    out = []
    for alpha in [2, 1, 0, -1, -2]:
        for n, m in [(1001, 1), (1001, 10), (1001, 100), (3600, 16), (3600, 512)]:
            for modified in [False, True]:
                edf = allantools.edf_greenhall(alpha=alpha, d=2, m=m, N=n, overlapping=True, modified=modified)
                out.append({"alpha": alpha, "n": n, "m": m, "modified": modified, "edf": float(edf)})
    return out


octaves = [2**k for k in range(11)]
print(json.dumps({
    "nist": rows(nist(), [1, 2, 4, 8, 10, 16, 32, 64, 100, 128, 256]),
    "mixed": rows(mixed(), octaves),
    "freedom": freedom(),
}, indent=1))
