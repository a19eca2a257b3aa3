"""The kind of layer that docs/networks.md adds: one class from outside, and compiled code plays it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from game.networks import kinds
from game.networks.evaluator import Evaluator
from game.networks.forward import encode, output
from game.networks.spec import Layer, Spec
from game.rules import BLACK, WHITE
from tests.game.networks.network_samples import positions, tame

PAGE = (Path(__file__).parents[3] / "docs" / "networks.md").read_text(encoding="utf-8")


def test_it_is_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(class .*?)\n+(\w+): dict.*?\"local\": (\w+)\(\)}\n```", PAGE, re.S)
    code, table, name = example
    there: dict[str, Any] = dict(vars(kinds))
    exec(code, there)
    monkeypatch.setitem(getattr(kinds, table), "local", there[name]())
    spec = Spec("mine", "board", (Layer("local", 3, 4), Layer("local", 2, 3, "relu"), Layer("dense", 1)))
    assert spec.weights == 5 * 5 * 4 * 4 * 3 + 3 + 3 * 3 * 3 * 3 * 3 * 2 + 2 + 3 * 3 * 2 + 1
    genome = tame(spec, 1)
    for position in positions(2, 20):
        for side in (BLACK, WHITE):
            (score,) = Evaluator(spec, genome).scores([position], side)
            assert score == pytest.approx(output(spec, genome, encode(spec, position, side)), abs=3e-4)
