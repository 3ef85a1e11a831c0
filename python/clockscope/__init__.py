"""Measures clocks: what a read costs, what they resolve, whether they can be trusted.

>>> import clockscope
>>> record = clockscope.survey(time="300ms")
>>> record.verdict.intervals in [clock.id for clock in record.clocks]
True

The figures are those of the program `clockscope`, which comes with the package.
"""

from .comparison import Comparison, compare
from .errors import Error, ProgramError, RecordError, UsageError
from .record import Record, Records, read, read_one, survey
from .samples import Samples, analyze
from .series import Series

__all__ = [
    "Comparison",
    "Error",
    "ProgramError",
    "Record",
    "RecordError",
    "Records",
    "Samples",
    "Series",
    "UsageError",
    "analyze",
    "compare",
    "read",
    "read_one",
    "survey",
]
