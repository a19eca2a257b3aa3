"""What q-learning learns from: targets by hand, the frozen copy, games that only seed, generation and number decide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from evolve.config.model import Config
from evolve.config.search import Search
from evolve.config.sections import Learning
from evolve.workers.processes import Rows, share
from extras.learning.methods import QLearning
from extras.learning.metrics import turned
from extras.learning.q_games import Played, SelfPlay, Teacher, boards_after, openings_of, play, samples_of
from game import moves
from game.batch.games import LOTS, LOWEST_LOT, BatchPlayers, Outcomes, play_all
from game.board import Position
from game.networks.evaluator import Evaluator
from game.networks.spec import Layer, Spec
from game.players.basic import RandomPlayer
from game.rules import BLACK, DrawRules

SMALL = Spec("small", "squares", (Layer("dense", 4, activation="relu"), Layer("dense", 1, activation="tanh")))
PIECES = Spec("by-mover", "pieces", (Layer("dense", 1, activation="tanh"),))


def weights_of(spec: Spec, seed: int = 1) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(0, 0.2, spec.weights).astype(np.float32)


def config(how: QLearning, spec: Spec = SMALL) -> Config:
    games = replace(Config().games, openings="three-move")
    return Config(network=spec, seed=5, learning=Learning(how), games=games)


class ScriptedTeacher(Teacher):
    """A teacher that says 0.01, 0.02, 0.03 and so on of the boards that it is shown."""

    def __init__(self, by_mover: bool = False) -> None:
        self.by_mover, self.shown = by_mover, np.empty((0, 3), np.uint64)

    def values(self, rows: NDArray[np.uint64]) -> NDArray[np.float64]:
        self.shown = rows
        return np.arange(1, len(rows) + 1, dtype=np.float64) * 0.01


def random_games(rules: DrawRules) -> Outcomes:
    field = BatchPlayers.of_players([RandomPlayer()])
    assert field is not None
    return play_all(field, [0] * 12, [0] * 12, rules=rules, seeds=range(12), keep=True)


def positions(codes: NDArray[np.uint32]) -> list[Position]:
    line = [Position.start()]
    for code in codes.tolist():
        line.append(moves.apply(line[-1], moves.decode(code, line[-1].side)))
    return line


def seen(position: Position, side: int) -> list[int]:
    row = np.array([[position.black, position.white, position.kings]], np.uint64)
    words: list[int] = (row if side == BLACK else turned(row))[0].tolist()
    return words


@pytest.mark.parametrize(("plies", "draw"), [(0, 0.0), (40, -0.25)], ids=["won", "drawn"])
@pytest.mark.parametrize("reply", ["best", "played"])
def test_targets_by_hand(plies: int, draw: float, reply: str) -> None:
    """Each board after a move, as its side sees it, with the value of the next one for this side; then the result."""
    how, opening = QLearning(draw=draw, reply=reply, both_views=False), 3
    games = random_games(DrawRules(3, 80, True, plies))
    assert games.codes is not None
    results = games.results.tolist()
    assert (set(results) >= {1, -1}) if not plies else (0 in results)
    words = [[moves.decode(code, at % 2) for at, code in enumerate(codes.tolist())] for codes in games.codes]
    assert any(len(move.captured) > 1 for game in words for move in game[opening:-1]), "signs behind a double jump"
    for codes, result in zip(games.codes, results, strict=True):
        line, teacher = positions(codes), ScriptedTeacher()
        samples = samples_of(codes, result, opening, teacher, how)
        shown = [seen(position, position.side) for position in line[opening:-1]]
        assert teacher.shown.tolist() == shown, "the side to move is asked for its maximum"
        assert samples.rows.tolist() == [seen(position, 1 - position.side) for position in line[opening:]]
        last = len(line) - 1 - opening
        for place, (position, target) in enumerate(zip(line[opening:], samples.targets.tolist(), strict=True)):
            mover = 1 - position.side
            points = draw if result == 0 else result * (1 if mover == BLACK else -1)
            if place == last:
                assert target == points
            elif reply == "best":
                assert target == pytest.approx(-0.99 * 0.01 * (place + 1))
            elif place == last - 1:
                assert target == points, "after the reply the game was over"
            else:
                assert target == pytest.approx(0.99 * 0.01 * (place + 2))


def test_quiet_boards_are_learnt_from_both_sides() -> None:
    codes = (random_games(DrawRules(3, 80)).codes or [])[0]
    line = positions(codes)
    alone = samples_of(codes, 1, 0, ScriptedTeacher(), QLearning(both_views=False))
    both = samples_of(codes, 1, 0, ScriptedTeacher(), QLearning())
    quiet = [at for at, position in enumerate(line[:-1]) if not moves.legal_moves(position)[0].captured]
    assert 0 < len(quiet) < len(line) - 1
    assert both.rows[: len(alone)].tolist() == alone.rows.tolist()
    assert both.rows[len(alone) :].tolist() == [seen(line[at], line[at].side) for at in quiet]
    assert both.targets[len(alone) :].tolist() == pytest.approx([0.01 * (at + 1) for at in quiet])


def test_network_that_sees_the_side_to_move_looks_as_the_mover() -> None:
    codes = (random_games(DrawRules(3, 80)).codes or [])[0]
    line = positions(codes)
    samples, other = (
        samples_of(codes, -1, 3, ScriptedTeacher(by_mover), QLearning(both_views=False)) for by_mover in (True, False)
    )
    assert samples.rows.tolist() == [seen(position, position.side) for position in line[3:]]
    assert samples.targets.tolist() == (-other.targets).tolist()
    drawn = samples_of(codes, 0, 3, ScriptedTeacher(True), QLearning(reply="played", draw=0.25))
    assert drawn.targets[-2:].tolist() == [0.25, 0.25]


def test_the_frozen_copy_by_hand() -> None:
    """Of the next boards the best, as the mover sees them; a capture that wins the game is worth 1, no way out -1."""
    weights = weights_of(SMALL)
    teacher = Teacher(SMALL, weights, QLearning(look_ahead=1, captures=False))
    line = positions((random_games(DrawRules(3, 80)).codes or [])[0])[:20]
    rows = np.array([seen(position, position.side) for position in line], np.uint64)
    evaluator = Evaluator(SMALL, weights)
    expected = [
        np.tanh(max(evaluator.scores([after for _, after in moves.successors(position)], position.side)))
        for position in line
    ]
    assert teacher.values(rows).tolist() == pytest.approx(expected, abs=1e-6)
    deep = Teacher(SMALL, weights, QLearning(look_ahead=4))
    known = [Position.from_fen(fen) for fen in ("B:W14:B9", "B:W10,14:B5", "W:W14:BK9,K17,K6,K1")]
    values = deep.values(np.array([seen(position, position.side) for position in known], np.uint64)).tolist()
    assert values[0] == 1.0 and -1.0 <= values[1] <= 1.0 and values[2] == -1.0


def test_random_moves_come_from_seed_generation_and_game_alone() -> None:
    known = config(QLearning())
    table = openings_of(known, 3, range(0, 40), 0.25)
    assert (openings_of(known, 3, range(6, 9), 0.25) == table[6:9]).all()
    assert (table[::2, :3] == table[1::2, :3]).all() and len(np.unique(table[::2, :3], axis=0)) > 10
    assert (table[:, :3] >= 0).all()
    lots = table[:, 3:] != -1
    assert 0.22 < lots.mean() < 0.28 and (table[:, 3:][lots] >= LOWEST_LOT).all()
    assert (table[:, 3:][lots] < LOWEST_LOT + LOTS).all() and not (table[0, 3:] == table[1, 3:]).all()
    assert not (openings_of(known, 4, range(0, 40), 0.25) == table).all()
    assert not (openings_of(replace(known, seed=6), 3, range(0, 40), 0.25) == table).all()
    assert (openings_of(known, 3, range(4), 0.0)[:, 3:] == -1).all()


@pytest.mark.parametrize("spec", [SMALL, PIECES], ids=["squares", "pieces"])
def test_games_are_the_same_in_any_task(spec: Spec) -> None:
    known = config(QLearning(look_ahead=1), spec)
    players = np.stack([weights_of(spec, seed) for seed in (1, 2)])
    opponents = (0, 0, 1, 1, 0, 0)
    share(Rows(players, np.ones(2, np.float32)))
    whole = play(SelfPlay(known, 2, (0, 6), 0.1, (0, 1), opponents))
    parts = [
        play(SelfPlay(known, 2, (0, 4), 0.1, (0, 1), opponents[:4])),
        play(SelfPlay(known, 2, (4, 6), 0.1, (0,), opponents[4:])),
    ]
    joined = Played.joined(parts)
    assert joined.results == whole.results and (joined.plies, joined.evaluations) == (whole.plies, whole.evaluations)
    assert (joined.samples.rows == whole.samples.rows).all()
    assert joined.samples.targets.tobytes() == whole.samples.targets.tobytes()
    assert np.abs(whole.samples.targets).max() <= 1.0


def test_results_are_those_of_the_network_that_learns() -> None:
    """A network that likes to have pieces against one that likes to lose them, looking ahead, with both colours."""
    spec = PIECES
    good = np.zeros(spec.weights, np.float32)
    good[:64], good[64:128] = 1.0, -1.0
    known = replace(config(QLearning(look_ahead=1), spec), search=Search(depth=2, quiescence=True))
    share(Rows(np.stack([good, -good]), np.ones(2, np.float32)))
    played = play(SelfPlay(known, 2, (0, 20), 0.0, (0, 1), (1,) * 20))
    assert sum(played.results) >= 18
    other = play(SelfPlay(known, 2, (0, 20), 0.0, (1, 0), (1,) * 20))
    assert sum(other.results) <= -18


def test_boards_after_moves() -> None:
    codes = (random_games(DrawRules(3, 80)).codes or [])[0]
    assert boards_after(codes).tolist() == [seen(each, 1 - each.side) for each in positions(codes)[1:]]
