"""The figures about structure and language, of a small program."""

from __future__ import annotations

from pathlib import Path

from tests import structure


def test_all_figures_of_a_checkout(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "main.py").write_text("import game\n", encoding="utf-8")
    (tmp_path / "game" / "__init__.py").touch()
    run = 'class Run:\n    """Whose."""\n\n    def f(self, a):\n        return self.learns.f(a)\n'
    (tmp_path / "game" / "run.py").write_text(
        f"{run}class Row(Protocol):\n    a: int\nclass Row: ...\n", encoding="utf-8"
    )
    (tmp_path / "crownhead").mkdir()
    (tmp_path / "crownhead" / "wheel.py").write_text("import game.run\nA = 'game.run:Run'\n", encoding="utf-8")
    (tmp_path / "extras").mkdir()
    (tmp_path / "extras" / "one.py").write_text("A = 'game.run:Run'\n", encoding="utf-8")
    result = structure.figures(tmp_path)
    assert float(result.pop("--help, CPU seconds")) > 0
    assert list(result.values()) == [
        *("11 + 1", "3 + 1", "0 + 0", "2", "3", "0 + 0", "0 + 0", "1: Row", "1", "1 + 0", "1 + 0", "1: Row")
    ]
