from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "crates/cli/tests/fixtures"
TRACES = ROOT / "crates/cli/tests/traces"


@pytest.fixture
def raw() -> dict[str, Any]:
    """The record of a made-up survey."""
    value: dict[str, Any] = json.loads((FIXTURES / "record.json").read_text())
    return value


@pytest.fixture(scope="session")
def program() -> str:
    """The program under test; the caller names it."""
    return os.environ["CLOCKSCOPE"]
