"""Games that are kept in a data folder, for several tests."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from game import plain
from game.rules import DrawRules
from gui.model.game import GameModel
from gui.model.lines import Thought
from gui.model.seats import HUMAN, Seat
from gui.storage.autosave import Autosave, Kept
from gui.storage.game_text import to_text
from gui.storage.kept_games import KeptGames

COUNTER, RANDOM = Seat("material", 2), Seat("random")
SEATS = (HUMAN, Seat("cowan-1@15:Gen15_0832", 4, 2.5, "the champion"))
REVIEW = {"review": {"summary": {"black": {"opening": 1, "endgame": 2}, "white": {"opening": 4}}}}


def game(*moves: int, seats: tuple[Seat, Seat] = (HUMAN, HUMAN)) -> GameModel:
    """Return a game whose moves are given by their numbers among the legal ones."""
    model = GameModel(seats)
    for number in moves:
        model.play(plain.legal_moves(model.last)[number])
    return model


def moves(model: GameModel) -> list[str]:
    return [str(ply.move) for ply in model.plies]


def kept_games(data: Path) -> list[Kept]:
    """Read the games that are over or not open in any window, newest first."""
    kept, autosave = KeptGames(data), Autosave(data)
    paths = [kept.path(game) for game in kept.read_all() if game.over or autosave.is_free(kept.path(game))]
    return [result for result in map(autosave.read, paths) if result is not None]


def keep(data: Path, model: GameModel, extra: dict[str, object] | None = None) -> None:
    autosave = Autosave(data)
    assert autosave.save(model, extra)
    autosave.release()


def many(data: Path, count: int) -> None:
    folder = data / "games"
    folder.mkdir(parents=True, exist_ok=True)
    model = game(0, 1, 2, 3)
    model.resign(0)
    values = json.loads(to_text(model))
    for number in range(count):
        (folder / f"{number:06}-1.json").write_text(json.dumps(values | {"when": 1_000_000.0 + number}))


def played(seed: int, plies: int = 20) -> GameModel:
    random = Random(seed)
    model = GameModel(SEATS, rules=DrawRules(3, 60, max_plies=200), tags=(("Event", "Friday"),))
    for ply in range(plies):
        if model.over:
            break
        move = random.choice(plain.legal_moves(model.last))
        thought = Thought(0.005 * ply, 4, "+0.50") if model.side else None
        model.play(move, thought)
    return model


def resume(autosave: Autosave, folder: Path) -> Kept | None:
    """Open the newest game below a data folder that no window has open; None if there is none."""
    paths = sorted(
        (folder / "games").glob("*.json"), key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True
    )
    return next(filter(None, map(autosave.take, paths)), None)
