"""The verb `bench --endings`: won endings by a rule, played to their end."""

from __future__ import annotations

import json

import pytest

import main
from evolve.bench import endings
from game.endgame.tables import open_tables


def test_positions_are_won_and_far_from_their_end() -> None:
    tables = open_tables(4)
    found = endings.won_positions(tables, 4, 20)
    assert found == endings.won_positions(tables, 4, 20)
    for position in found:
        verdict = tables.probe(position)
        assert verdict is not None and verdict.value == 1 and (verdict.plies or 0) >= endings.LEAST_PLIES


def test_who_plays_by_distances_wins_and_who_counts_pieces_does_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endings, "PIECES", (4,))
    monkeypatch.setattr(endings, "PLAYERS", ("material,depth=2",))
    assert main.main(["bench", "--endings", "--quick", "--json"]) == 0
    off, on = json.loads(capsys.readouterr().out)["players"]
    assert off["player"] == "material,depth=2,tablebase=no" and off["4"] <= 1
    assert on["player"] == "material,depth=2,tablebase=4" and on["4"] == 5


def test_what_it_refuses(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endings, "open_tables", lambda: open_tables(4))
    for arguments, told in (
        ([], "--endings: expected tables of up to 5 pieces with distances; there are only tables of up to 4; python"),
        (["--signature"], "--signature: not together with --endings"),
        (["--only", "games"], "--only: not together with --endings"),
    ):
        assert main.main(["bench", "--endings", *arguments]) == 2
        assert told in capsys.readouterr().err
