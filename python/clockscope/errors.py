"""What can go wrong; each error is an :class:`Error`."""

from __future__ import annotations


class Error(Exception):
    """Any error of this package."""


class ProgramError(Error):
    """The program can't be found, or the machine refused something (its exit code 3)."""


class UsageError(Error, ValueError):
    """The program can't do what was asked of it (its exit code 2)."""


class RecordError(Error, ValueError):
    """A file is no record: cut short, of a later schema, of another program."""
