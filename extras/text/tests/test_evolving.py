"""A text game against an opponent that evolves; its session is not started."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from evolve.run.status import State
from extras.text.evolving import EvolvingTextGame
from game import plain
from game.scores import SearchInfo
from gui.evolving.opponent import EvolvingOpponent
from gui.model.game import GameModel, seed_tags
from gui.model.seats import HUMAN, Seat
from gui.runs.live_run import LiveRun
from gui.sessions import launch
from gui.thinking.messages import Purpose
from tests.gui.session_folder import SessionFolder, Starts


def test_each_answer_names_its_generation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts()
    starts.process = SimpleNamespace(running=True, pid=4711, trouble="")  # type: ignore[assignment]
    monkeypatch.setattr(launch, "start", starts)
    folder = SessionFolder(tmp_path / "living-1", 9, last=100)
    folder.say(State.RUNNING, pid=4711)
    opponent = EvolvingOpponent(LiveRun, folder.path, owed=2)
    asked: list[str] = []

    def first_move(model: GameModel, seat: Seat, purpose: Purpose) -> SearchInfo:
        asked.append(seat.player or "")
        return SearchInfo(plain.legal_moves(model.last)[0], score=0.0)

    model = GameModel((HUMAN, Seat("living-1", title="Generation 0")), seed=5, tags=seed_tags(5))
    game = EvolvingTextGame(model, first_move, Seat("material"), opponent, tmp_path)
    assert next(game.begin()) == "You play Black against Generation 0 (depth 1)."
    sentences = list(game.answer("11-15"))
    assert sentences == [
        "You move 11 to 15.", "Generation 8.", "White moves 24 to 20.", "It is your move, as Black."
    ]  # fmt: skip
    assert asked == ["living-1@8"] and opponent.owed == 10  # it waited, but nothing new came
    assert model.plies[-1].notes == (("comment", "Gen 8"),)
    list(game.answer("new"))
    assert game.model.tags == seed_tags(game.model.seed) != ()
