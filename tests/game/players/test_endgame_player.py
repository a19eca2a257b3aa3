"""The player that judges who wins after each move: against a slow twin, by tables in the place of a network, names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evolve.names.registration import register
from game import plain
from game.board import Position
from game.endgame import judging
from game.endgame.samples import TEST, SampleSource
from game.endgame.tables import open_tables
from game.generator import SplitMix64
from game.match import play
from game.moves import Move
from game.networks.named import to_toml
from game.networks.spec import Heads, Layer, Spec
from game.players.network import EndgamePlayer, PlayerFailure
from game.players.registry import player
from game.rules import DrawRules
from tests.game.networks.network_samples import tame

SPEC = Spec("judge", "pieces", (Layer("dense", 8, activation="relu"),), heads=Heads("wdl", "none"))
START = Position.start()


def positions(pieces: int = 3, count: int = 60) -> list[Position]:
    """Positions with a choice, in turn with Black and White to move."""
    samples = SampleSource(2, pieces, pieces).draw(TEST, 0, 30_000, open_tables(pieces))
    found = [Position(*map(int, row), 0) for row in samples.rows]
    turned = [each if number % 2 else rotated(each) for number, each in enumerate(found)]
    return [each for each in turned if len(plain.legal_moves(each)) > 1][:count]


def rotated(position: Position) -> Position:
    from game.bitboard import rotate

    return Position(rotate(position.white), rotate(position.black), rotate(position.kings), 1)


def naive_choice(who: EndgamePlayer, position: Position) -> Move:
    """The choice by the definition, one position at a time."""

    def network(board: Position) -> tuple[int, float, float]:
        chances = [round(each * judging.SHARES) / judging.SHARES for each in who.result_chances(board, board.side)]
        return (1, 0, -1)[chances.index(max(chances))], max(chances), chances[0] - chances[2]

    def value(board: Position) -> tuple[int, float]:
        if not plain.legal_moves(board):
            return -1, -1.0
        result, surest, expected = network(board)
        if not surest > who.threshold:
            after = [child for _, child in plain.successors(board)]
            result = max(-network(child)[0] if plain.legal_moves(child) else 1 for child in after)
        return result, expected

    judged = [(move, value(board)) for move, board in plain.successors(position)]
    return max(judged, key=lambda pair: (-pair[1][0], -pair[1][1]))[0]


@pytest.mark.parametrize("threshold", [0.34, 0.45, 1.0])
def test_its_choice_is_that_of_the_twin(threshold: float) -> None:
    who = EndgamePlayer("judge", tame(SPEC, 3), SPEC, threshold=threshold)
    for position in [START, *positions()]:
        assert who.choose(position, (), SplitMix64(0)).move == naive_choice(who, position), position.fen()


def test_tables_in_the_place_of_its_network_keep_every_result(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = open_tables(4)

    def of_tables(rows: judging.Rows) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        verdicts = [tables.probe(Position(*map(int, row), 0)) for row in rows]
        return (np.array([[verdict.value for verdict in verdicts if verdict]]).T == judging.RESULTS).astype(float)

    monkeypatch.setattr(judging, "chances_of", lambda _: of_tables)
    who = EndgamePlayer("judge", tame(SPEC, 3), SPEC)
    for position in positions(4, 40):
        verdict = tables.probe(position)
        after = plain.apply(position, who.choose(position, (), SplitMix64(0)).move)
        reached = tables.probe(after)
        assert verdict and verdict.value == (1 if not plain.legal_moves(after) else reached and -reached.value)


def test_a_move_that_ends_the_game_is_a_win() -> None:
    choice = EndgamePlayer("judge", tame(SPEC, 3), SPEC).choose(Position.from_fen("B:W10:BK6,K7"), (), SplitMix64(0))
    assert (str(choice.move), choice.score) == ("6x15", 999_999.0)


def test_outputs_that_are_not_finite_lose_the_game() -> None:
    who = EndgamePlayer("judge", np.full(SPEC.weights, np.nan), SPEC)
    with pytest.raises(PlayerFailure, match="judge: its network gives a value that is not a finite number"):
        who.choose(START, (), SplitMix64(0))


def test_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = ",".join(f"w{index}" for index in range(SPEC.weights))
    (tmp_path / "judge.csv").write_text(f"names,{columns}\nAnn,{','.join(map(repr, tame(SPEC, 3).tolist()))}\n")
    (tmp_path / "judge.toml").write_text(to_toml(SPEC))
    monkeypatch.chdir(tmp_path)
    register(tmp_path)
    name = "judge,network=judge.toml,search=endgame"
    one, surer = player(name), player(f"{name},threshold=0.90")
    assert isinstance(one, EndgamePlayer) and isinstance(surer, EndgamePlayer)
    assert (one.canonical_name, surer.canonical_name) == (name, f"{name},threshold=0.9")
    assert one.identity == player(f"{name},threshold=0.8").identity != surer.identity
    assert (one.searching, one.compiled, one.deterministic, one.repeatable) == (None, None, True, True)
    rules = DrawRules(max_plies=30)
    assert (
        play(one, player("random"), seed=1, rules=rules).moves == play(one, player("random"), seed=1, rules=rules).moves
    )
    for option, words in (
        ("threshold=0.3", "threshold=0.3: expected a number from 0.34 to 1"),
        ("threshold=nan", "threshold=nan: expected a number from 0.34 to 1"),
        ("depth=3", "depth: with search=endgame it looks one ply ahead"),
        ("tablebase=5", "tablebase: with search=endgame it looks one ply ahead"),
        ("sampling=yes", "sampling: only a policy draws its moves"),
    ):
        with pytest.raises(Exception, match=words.replace("(", r"\(")):
            player(f"{name},{option}")
    with pytest.raises(Exception, match="threshold: only players with search=endgame have one"):
        player("judge,network=judge.toml,threshold=0.9")
    with pytest.raises(Exception, match="search=endgame: expected a network with a head for win, draw and loss; cnn"):
        player(f"{cnn(tmp_path)},search=endgame")


def cnn(folder: Path) -> str:
    from game.networks.named import CNN_247

    columns = ",".join(f"w{index}" for index in range(CNN_247.weights))
    (folder / "cnn.csv").write_text(f"names,{columns}\nAnn{',0.5' * CNN_247.weights}\n")
    return "cnn"
