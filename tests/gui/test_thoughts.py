"""Players that return nothing, an illegal move or nonsense, and names of players in seats."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from game import plain
from game.ballots import read_book
from game.board import Position
from game.errors import InputError
from game.moves import Move
from game.networks.named import CNN_247
from game.networks.spec import Heads, Layer, Spec
from game.players import registry
from game.players.basic import MaterialPlayer
from game.players.names import PlayerName, parse_name
from game.players.network import NetworkPlayer, TreePlayer
from game.players.player import Choice, Player, PlayerFailure
from game.rules import DrawRules
from game.scores import EVEN, MEN, SearchInfo, Yardstick
from game.search.interface import DRAWN, Limits
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat, seat_for, several
from gui.storage.game_text import from_text, to_text
from gui.thinking.messages import Purpose, SearchRequest
from gui.thinking.thoughts import KEPT_SEARCHERS, NEARLY, VARIED_PLIES, Players, Stopper, think
from tests.game.search.tree_helpers import COUNTING, counting

START = Position.start()
POLICY = Spec("policy", "pieces", (Layer("dense", 8, activation="relu"),), heads=Heads("none", "steps"))
ASK = SearchRequest(Purpose.MOVE, 1, PlayerName.of("fake"), START)
SEEDS = range(1, 25)


class Fake(Player):
    """A player that chooses a given move."""

    name, seed = "fake", 0

    def __init__(self, choice: Any) -> None:
        self.choice = choice

    def choose(self, *given: Any) -> Any:
        if isinstance(self.choice, Exception):
            raise self.choice
        return self.choice


def thought(
    player: Any, request: SearchRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[SearchInfo, list[SearchInfo]]:
    monkeypatch.setattr(registry, "player", lambda text: player)
    messages: list[SearchInfo] = []
    stopper = Stopper()
    stopper.renew()
    return think(Players(Path("nowhere")), request, stopper, messages.append), messages


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (None, "returned no move"),
        (Choice(None), "returned no move"),  # type: ignore[arg-type]
        (Choice(Move((11, 20))), "returned 11-20, which is not legal"),
        (PlayerFailure("out of words"), "out of words"),
    ],
)
def test_players_that_give_no_move(choice: Any, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PlayerFailure, match=text):
        thought(Fake(choice), ASK, monkeypatch)


def test_a_tree_search_answers_everything_that_the_window_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    player = TreePlayer("tree", counting(), spec=COUNTING, limits=Limits(nodes=200))
    outcome, result = thought(player, replace(ASK, purpose=Purpose.ANALYSIS, depth=12), monkeypatch)
    assert len(outcome.lines) == 7
    assert outcome.nodes == 400 and outcome.pv[0] == outcome.move == outcome.lines[0].move
    assert [info.depth for info in result] == [3, 4, 5, 6, 7, 7]
    exact = player.searcher().search(START, limits=Limits(12, 200), all_scores=True).root
    assert [line.move for line in outcome.lines] == [root.move for root in exact]
    outcome, result = thought(player, replace(ASK, depth=4), monkeypatch)
    assert outcome.nodes == 16 and outcome.share is not None and result
    moves = {thought(player, replace(ASK, depth=5, seed=seed), monkeypatch)[0].move for seed in SEEDS}
    assert len(moves) > 1


def test_a_network_without_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = NetworkPlayer("nan", np.full(CNN_247.weights, np.nan, np.float32))
    for depth in (1, 3):
        with pytest.raises((PlayerFailure, InputError), match="not a finite number"):
            thought(nothing, replace(ASK, depth=depth), monkeypatch)


def test_a_forced_move_is_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    forced = Position.from_fen("B:W14,32:B9,12")
    outcome, result = thought(MaterialPlayer(), replace(ASK, position=forced, depth=12), monkeypatch)
    assert outcome.move == plain.legal_moves(forced)[0] and result == []


def test_a_player_that_draws_lots_draws_among_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = MaterialPlayer("material,seed=1", 1, draws_ties=True)
    for depth in (1, 2):
        moves = {thought(drawing, replace(ASK, depth=depth, seed=seed), monkeypatch)[0].move for seed in range(12)}
        assert len(moves) > 2
        again = {thought(drawing, replace(ASK, depth=depth, seed=3), monkeypatch)[0].move for _ in range(3)}
        assert len(again) == 1


def test_a_network_that_sees_little_between_moves_never_plays_the_worse_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its men are worth next to nothing, so any move would be within a tenth of a man."""
    weights = np.random.default_rng(0).normal(scale=0.1, size=CNN_247.weights).astype(np.float32)
    player = NetworkPlayer("faint", weights)
    exact = player.searcher().search(START, limits=Limits(2), all_scores=True).root
    results = {thought(player, replace(ASK, depth=2, seed=seed), monkeypatch)[0].move for seed in SEEDS}
    middle = (exact[0].score + exact[-1].score) / 2
    assert results <= {each.move for each in exact if each.score >= middle}
    assert NEARLY * player.man_score() > exact[0].score - exact[-1].score > 0


@pytest.mark.parametrize("depth", [1, 3])
def test_a_bias_towards_the_own_side_is_no_lead(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.zeros(CNN_247.weights, np.float32)
    weights[-1] = 2.0
    fond = NetworkPlayer("fond", weights)
    outcome, result = thought(fond, replace(ASK, depth=depth), monkeypatch)
    assert fond.even_score(START) > 0.5
    assert [each.share for each in (*result, outcome)] == pytest.approx([0.0] * (len(result) + 1), abs=1e-6)
    assert fond.scale.share(fond.even_score(START)) > 0.2


def test_draw_by_rule_is_an_even_game() -> None:
    stick = Yardstick(MaterialPlayer(), 100.0, START)
    for depth, score in enumerate((-DRAWN, DRAWN), 1):
        assert stick.measure(depth, score, ()) == stick.compare(depth, score, 1.5) == 0.0
    assert stick.measure(3, 150.0, ()) == 1.5


@pytest.mark.needs("external")
def test_external_programs_receive_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(registry, "player", lambda text: (asked.append(str(text)), Fake(Choice(Move((11, 15)))))[1])
    for seconds in (None, 2.5):
        request = replace(ASK, player=parse_name('external:"a b"'), depth=7, seconds=seconds)
        think(Players(Path("nowhere")), request, Stopper(), lambda result: None)
        # It gives no search with its evaluation.
        think(Players(Path("nowhere")), replace(request, purpose=Purpose.ANALYSIS), Stopper(), lambda result: None)
    assert set(asked) == {'external:"a b",depth=7', 'external:"a b",depth=7,time=2.5'}
    assert parse_name("external:x").target == parse_name('"external":x').target == "external"


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        ("random", Seat("random")),
        ("material,depth=8,quiescence=yes", Seat("material,quiescence=yes", 8)),
        ("RUN@15:Gen15_0111,depth=4,time=2.5", Seat("RUN@15:Gen15_0111", 4, 2.5)),
        ("RUN,time=1", Seat("RUN", 12, 1.0)),
        ("RUN,nodes=5000", Seat("RUN,nodes=5000", 12)),
        ("'a, b.csv':Ann Lee", Seat('"a, b.csv":"Ann Lee"')),
    ],
)
def test_seats_as_people_name_them(text: str, seat: Seat) -> None:
    assert seat_for(parse_name(text)) == seat


@pytest.mark.parametrize("text", ["", "x,depth=13", "x,depth=a", "x,time=0", "x,speed=1", "'open"])
def test_unknown_names_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        seat_for(parse_name(text))


@pytest.mark.parametrize(
    ("count", "text"), [(0, ""), (1, "a"), (2, "a and b"), (4, "a, b, c and d"), (26, "a, b, c and 23 more")]
)
def test_several_names_are_joined(count: int, text: str) -> None:
    assert several("abcdefghijklmnopqrstuvwxyz"[:count]) == text


def test_a_piece_counter_speaks_of_men(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace(ASK, purpose=Purpose.ANALYSIS, position=Position.from_fen("B:W32:B1,2,K3"), depth=4)
    result, _ = thought(MaterialPlayer(), asked, monkeypatch)
    assert (result.score, result.text, result.share) == (2.5, "+2.50", MEN.share(2.5))
    assert all(-1 < line.share < 1 and line.score == 2.5 for line in result.lines)


EVEN_GAME = "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23"
SWAPS = "11-16 23-19 16x23"


@pytest.fixture(scope="module")
def shipped() -> Players:
    return Players(Path(__file__).parents[2] / "populations")


def follow(line: str) -> list[Position]:
    positions = [START]
    for text in line.split():
        (move,) = (move for move in plain.legal_moves(positions[-1]) if str(move) == text)
        positions.append(plain.apply(positions[-1], move))
    return positions


def course(players: Players, name: str, position: Position) -> list[float]:
    """Return Black's advantage after each depth, as the window displays it."""
    stopper, result = Stopper(), []
    stopper.renew()
    request = SearchRequest(Purpose.ANALYSIS, 1, parse_name(name), position, depth=12)
    think(players, request, stopper, result.append)
    return [float(outcome.score) if position.side == 0 else -float(outcome.score) for outcome in result]


@pytest.mark.parametrize("name", ["crownhead", "crownhead-1", "blondie24-840"])
def test_an_even_game_keeps_its_sign_over_depths_and_plies(name: str, shipped: Players) -> None:
    """Raw scores of these networks swing by half a man from depth to depth, and tell both sides that they are ahead."""
    courses = [course(shipped, name, each) for each in (*follow(EVEN_GAME)[::3], follow(SWAPS)[-1])]
    assert all(len(each) == 12 for each in courses)
    assert all(abs(men) < EVEN for men in courses[0])  # the start of a game
    values = [men for each in courses for men in each]
    ahead = {men > 0 for men in values if abs(men) >= EVEN}
    assert len(ahead) <= 1 and max(map(abs, values)) < 1.0
    for each in courses:
        assert all(abs(one - other) < 2 * EVEN for one, other in itertools.pairwise(each[1:]))


def test_only_the_memory_of_the_last_few_searches_is_kept(shipped: Players) -> None:
    request = SearchRequest(Purpose.ANALYSIS, 1, PlayerName.of("material"), START)
    player = shipped.find(request).searching
    assert player is not None
    made = [shipped.searcher(replace(request, depth=depth), player) for depth in range(1, KEPT_SEARCHERS + 3)]
    assert shipped.searcher(replace(request, depth=KEPT_SEARCHERS + 2), player) is made[-1]
    assert shipped.searcher(replace(request, depth=1), player) is not made[0]


@pytest.mark.parametrize("with_tables", [False, True])
def test_players_like_people_look_as_far_as_the_window_says(with_tables: bool) -> None:
    players = Players(Path(__file__).parents[2] / "populations")
    players.with_tables = with_tables
    result = players.find(SearchRequest(Purpose.MOVE, 1, parse_name("people,strength=2"), START, depth=3))
    assert result.canonical_name == "people,strength=2,depth=3"


def test_an_analysis_does_not_depend_on_those_before(shipped: Players) -> None:
    """When it plays, the player keeps its transposition table from move to move, but an analysis does not."""
    stopper = Stopper()
    stopper.renew()

    def analyse(players: Players, plies: int) -> SearchInfo:
        line = follow(EVEN_GAME)[: plies + 1]
        name = parse_name("crownhead")
        request = SearchRequest(Purpose.ANALYSIS, 1, name, line[-1], tuple(line[:-1]), depth=6)
        return replace(think(players, request, stopper, lambda result: None), seconds=0.0)

    after = [analyse(shipped, plies) for plies in (0, 2, 4)]
    assert after[-1] == analyse(Players(Path("populations")), 4)


@pytest.mark.parametrize(
    ("name", "man"), [("crownhead", 0.7), ("crownhead-2", 2.4), ("crownhead-1", 1.0), ("blondie24-840", 1.0)]
)
def test_a_man_more_is_a_man_at_every_depth_for_both_sides(name: str, man: float, shipped: Players) -> None:
    request = SearchRequest(Purpose.ANALYSIS, 1, parse_name(name), START)
    assert shipped.find(request).man_score() == pytest.approx(man, abs=0.1)
    for side in (0, 1):
        black, white = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [21, 22, 23, 25, 26, 27, 28, 29, 30, 31, 32]
        men = ",".join(map(str, black)), ",".join(map(str, white))
        position = Position.from_fen(f"{'BW'[side]}:W{men[1]}:B{men[0]}")
        for value in course(shipped, name, position):
            assert 0.4 < value < 1.8


def chosen(players: Players, request: SearchRequest) -> Move:
    stopper = Stopper()
    stopper.renew()
    return think(players, request, stopper, lambda result: None).move


@pytest.mark.parametrize(("name", "depth"), [("material", 3), ("material", 1), ("crownhead-2@1", 1), ("crownhead", 4)])
def test_a_program_draws_among_moves_within_a_tenth_of_a_man_of_the_best(
    name: str, depth: int, shipped: Players
) -> None:
    """The search is exact and has its own depth, at each of the first eight plies."""
    various = 0
    line = follow(EVEN_GAME)
    for plies in range(VARIED_PLIES):
        request = SearchRequest(Purpose.MOVE, 1, parse_name(name), line[plies], tuple(line[:plies]), depth=depth)
        results = {chosen(shipped, replace(request, seed=seed)) for seed in SEEDS}
        player = shipped.find(request)
        assert player.searching is not None
        exact = player.searching.searcher().search(line[plies], line[:plies], limits=Limits(depth), all_scores=True)
        scores = {each.move: each.score for each in exact.root}
        assert min(scores[move] for move in results) >= max(scores.values()) - NEARLY * player.man_score()
        assert len({chosen(shipped, replace(request, seed=7)) for _ in range(3)}) == 1
        various += len(results) > 1
    assert various >= 3


def test_only_moves_of_a_game_with_a_seed_vary_and_only_at_its_beginning(shipped: Players) -> None:
    name, line = parse_name("material"), follow(EVEN_GAME)
    later = line[VARIED_PLIES]
    for purpose, position, history, seed in (
        (Purpose.MOVE, START, (), 0),
        (Purpose.ANALYSIS, START, (), 1),
        (Purpose.MOVE, later, tuple(line[:VARIED_PLIES]), 1),
    ):
        request = SearchRequest(purpose, 1, name, position, history, depth=3)
        moves = {chosen(shipped, replace(request, seed=seed * each)) for each in SEEDS}
        assert len(moves) == 1, (purpose, seed)


def test_a_player_with_a_book_plays_its_best_moves(shipped: Players) -> None:
    fen, known = next(iter(read_book().items()))
    request = SearchRequest(Purpose.MOVE, 1, parse_name("material,book=yes"), Position.from_fen(fen), depth=3)
    assert {str(chosen(shipped, replace(request, seed=seed))) for seed in SEEDS} == {known.replies[0][0]}
    with pytest.raises(InputError, match=r"^book: .*; use book=no$"):
        chosen(shipped, replace(request, rules=DrawRules(repetition=4)))


def test_a_decided_position_is_played_out_without_detours(shipped: Players) -> None:
    won = Position.from_fen("B:W14,32:BK9,K10,1")
    request = SearchRequest(Purpose.MOVE, 1, parse_name("material"), won, depth=9)
    assert {chosen(shipped, replace(request, seed=seed)) for seed in SEEDS} == {
        chosen(shipped, replace(request, seed=SEEDS[0]))
    }


def test_continued_game_is_played_alike(shipped: Players) -> None:
    """This holds in another process, which has not searched before; the player keeps results from move to move."""
    name = parse_name("crownhead")

    def played(players: Players, model: GameModel, plies: int) -> GameModel:
        while len(model.plies) < plies:
            if model.seat.human:
                model.play(plain.legal_moves(model.last)[0])
            else:
                asked = SearchRequest(Purpose.MOVE, 1, name, model.last, model.history, depth=4, seed=model.seed)
                model.play(chosen(players, asked))
        return model

    first = played(shipped, GameModel((HUMAN, Seat("crownhead", 4)), seed=11), VARIED_PLIES)
    begun = played(shipped, GameModel((HUMAN, Seat("crownhead", 4)), seed=11), 5)
    kept, _ = from_text(to_text(begun))
    again = played(Players(Path("populations")), kept, VARIED_PLIES)
    assert [ply.move for ply in again.plies] == [ply.move for ply in first.plies]
    again.undo()
    assert [ply.move for ply in played(shipped, again, VARIED_PLIES).plies] == [ply.move for ply in first.plies]
