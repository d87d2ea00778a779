# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs run from an empty kernel, and what they are saved with holds figures and no cell."""
import os
import re
from pathlib import Path

import nbclient
import nbformat
import polars
import pytest
from conftest import run_cordon

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def executed(path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return notebook


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("name", ["hospital", "comparing_policies"])
def test_it_runs_and_was_saved_with_its_answers(name, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))  # the kernel finds the package where we do
    path = NOTEBOOKS / f"{name}.ipynb"
    made = executed(path)
    saved = nbformat.read(path, as_version=4)
    nbformat.validate(saved)
    assert len(outputs(made)) >= 5
    kinds = [output.output_type for output in outputs(made)]
    assert "error" not in kinds
    assert [output.output_type for output in outputs(saved)] == kinds
    frames = [output["data"].get("text/html", "") for output in outputs(saved) if "data" in output]
    assert sum("<iframe sandbox" in frame for frame in frames) >= 2


@pytest.mark.parametrize("name", ["hospital", "comparing_policies"])
def test_no_output_shows_a_cell_that_tells_people_apart(name, tmp_path):
    run_cordon("generate", "patients", "--output", tmp_path / "demo", check=True)
    patients = polars.read_csv(tmp_path / "demo" / "patients.csv", infer_schema=False)
    cells = set(patients["patient_id"]) | set(patients["zip"])
    cells -= set(re.findall(r"\w+", (tmp_path / "demo" / "policy.toml").read_text()))  # an example in a comment
    assert len(cells) > 1000
    saved = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    shown = " ".join(str(output) for output in outputs(saved))
    assert not cells & set(re.findall(r"\w+", shown))
    assert "/tmp/" not in shown
