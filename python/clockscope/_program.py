"""Finding the program, and running it."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import ProgramError, UsageError

_NAME = "clockscope"


def program() -> str:
    """Return the path of the program.

    That is what the environment variable ``CLOCKSCOPE`` names, else the program that was installed with this package,
    else the one on ``PATH``.

    Raises:
        ProgramError: there is none.

    """
    import shutil  # noqa: PLC0415 (so that the import of this package is quick)
    import sysconfig  # noqa: PLC0415

    named = os.environ.get("CLOCKSCOPE")
    if named:
        if shutil.which(named) is None:
            raise ProgramError(f"CLOCKSCOPE names {named}, which is no program")
        return named
    beside = Path(sysconfig.get_path("scripts")) / _NAME
    if os.access(beside, os.X_OK):
        return str(beside)
    found = shutil.which(_NAME)
    if found is None:
        raise ProgramError(
            "the program clockscope is neither beside this interpreter nor on PATH; "
            "`pip install clockscope` brings it, or CLOCKSCOPE=/path/to/clockscope names one"
        )
    return found


def run(*arguments: str, stdin: bytes | None = None) -> bytes:
    """Run the program and return what it prints.

    Raises:
        UsageError: it can't do what was asked.
        ProgramError: the machine refused something, or the program could not be started.

    """
    import subprocess  # noqa: PLC0415 (so that the import of this package is quick)

    command = [program(), *arguments]
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    except OSError as error:
        raise ProgramError(f"can't start {command[0]}: {error.strerror}") from error
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip().removeprefix("clockscope: ")
    said = said or f"clockscope ended with {done.returncode} and said nothing"
    raise UsageError(said) if done.returncode == 2 else ProgramError(said)
