"""The notebook and the README's examples run; and what the bench says is printed by it, not demanded here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

PACKAGE = Path(__file__).parents[1]


def test_the_notebook_runs() -> None:
    notebook = nbformat.read(PACKAGE / "examples/posix_timers.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept"
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    text = "".join(output.get("data", {}).get("text/plain", "") for output in shown)
    assert "clock_monotonic_raw" in text
    assert "quantum_ns" in text
    assert any("image/png" in output.get("data", {}) for output in shown)


def test_the_readmes_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(examples) == 3
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet").mkdir()
    record = (PACKAGE / "../crates/cli/tests/fixtures/record.json").read_text()
    (tmp_path / "fleet/a.json").write_text(record)
    for example in examples:
        exec(compile(example.replace("survey(", "survey(time='300ms', "), "README.md", "exec"), {})


def test_the_import_brings_nothing_heavy() -> None:
    heavy = {"numpy", "pandas", "polars", "matplotlib"}
    code = f"import sys, clockscope; assert not {heavy!r} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE)
