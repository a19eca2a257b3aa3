"""The table of a generation whose individuals have a hundred thousand weights: nobody looks for one of them there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evolve.run.generation_csv import to_csv
from gui.individuals import sheet as sheet_module
from gui.individuals.sheet import Sheet
from tests.runs import generation


@pytest.mark.parametrize("most", [100, 1000])
def test_weights_of_wide_files_are_no_columns(most: int, tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(sheet_module, "MOST_WEIGHTS", most)
    rows = generation(3)
    width = rows.weights.shape[1]
    rows = replace(rows, kings=np.linspace(1, 2, len(rows.names), dtype=np.float32))
    path = tmp_path / "generation_0003.csv"
    path.write_bytes(to_csv(rows))
    sheet = Sheet(path)
    while sheet.step(1.0):
        pass
    wide = width > most
    assert sheet.columns[-1] == ("king" if wide else f"w{width - 1}")
    assert [sheet.cell(row, "king") for row in range(3)] == pytest.approx(rows.kings[:3].tolist())
    assert np.array(sheet.weights(rows.names[2]), np.float32).tobytes() == rows.weights[2].tobytes()
    assert sheet.cell(1, "w5") == (None if wide else pytest.approx(rows.weights[1, 5]))
    assert max(map(len, sheet._lines.values())) < (20 if wide else 1000)
    sheet.sort("king", descending=True)
    while sheet.step(1.0):
        pass
    assert [sheet.head(row).name for row in range(3)] == rows.names[::-1][:3]
    path.write_bytes(b"name,w0\nother,1\n")
    assert not wide or sheet.weights(rows.names[2]) == ()
