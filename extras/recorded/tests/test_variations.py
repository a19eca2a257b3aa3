"""Faults in the variations of recorded games."""

from __future__ import annotations

from pathlib import Path

import pytest

import main


def test_each_broken_variation_inside_another_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.pdn"
    inner = "(23-19 11-16 (22-17x 3-3) 3. 1-32)"
    file.write_text(f"1. 11-15 (9-14 23-18 {inner} 14x23) (10-14 24-20 (1-9)) 23-19 *\n")
    assert main.main(["pdn", "check", str(file)]) == 2
    lines = capsys.readouterr().out.splitlines()[-4:]
    assert lines[0].split() == ["errors", "3"]
    broken = ("23-19 11-16 (22-17x 3-3) 3. 1-32", "22-17x 3-3", "1-9")
    assert [line.split("variation ")[1].split(": ")[0] for line in lines[1:]] == [repr(text) for text in broken]
