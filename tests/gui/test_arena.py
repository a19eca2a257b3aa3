"""The arena of a generation, and the small board with games of champions: their games as time passes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest

from evolve.run.runs import SHIPPED_RUNS
from game.board import Position
from game.traits import TRAITS, TraitMean
from gui.evolving.arena import HOLD_SECONDS, IDLE, SETTLE_SECONDS, SLIDE_SECONDS, STEP, LiveArena, origins
from gui.evolving.games import MOST, ShownGames, SmallGame, generation_games, play_change
from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import LIGHT
from gui.runs.live_run import LiveRun
from gui.thinking.messages import SideResult
from gui.toolkit import pygame
from gui.widgets.arena import LEAST_BOARDS, ArenaBoards, board_places, small_board
from gui.widgets.base import Ui
from tests.cases import for_each
from tests.gui.session_folder import SessionFolder
from tests.gui.tables import FakeThinker


def game(plies: int, result: int = 1, names: tuple[str, str] = ("a", "b"), parents: Sequence[str] = ()) -> SmallGame:
    positions = array("Q", [word for ply in range(plies + 1) for word in (1 << ply % 30, 2 << ply % 30, 0)])
    return SmallGame(names, frozenset(parents), result, positions)


def of_generation(number: int, *games: SmallGame, recorded: bool = False) -> ShownGames:
    return ShownGames(number, games, recorded, "")


class Clocked:
    def __init__(self, path: Path) -> None:
        self.folder = SessionFolder(path / "demo", 3)
        self.thinker = FakeThinker()
        run = LiveRun(self.folder.path)
        while run.read() or run.busy:
            pass
        self.arena = LiveArena(run, self.thinker)  # type: ignore[arg-type]
        self.now = 0.0
        self.generation, self.chosen = 2, False

    def wait(self, seconds: float) -> int:
        """Let time pass; return how often the boards changed."""
        end, changes = self.now + seconds, 0
        while self.now < end - 1e-9:
            self.now = min(self.now + 0.05, end)
            changes += self.arena.tick(self.now, self.generation, chosen=self.chosen)
        return changes

    def answer(self, games: ShownGames | None, trouble: str = "") -> None:
        request = self.thinker.asked_work[-1]
        self.thinker.done[request] = SideResult(request, games, trouble)


@pytest.fixture
def clocked(tmp_path: Path) -> Clocked:
    return Clocked(tmp_path)


def test_without_animation_games_are_shown_as_they_ended(clocked: Clocked) -> None:
    clocked.arena.still = True
    for generation in (2, 3):
        clocked.generation = generation
        clocked.wait(0.1)
        clocked.answer(of_generation(generation, game(10), game(30, -1)))
        assert clocked.wait(HOLD_SECONDS + 0.1) > 0 and clocked.arena.shown is not None
        assert clocked.arena.shown.generation == generation and clocked.arena.sliding == 1.0
        assert [board.result for board in clocked.arena.boards] == [1, -1]
        assert not clocked.arena.moves and clocked.wait(0.5) == 0


def test_games_are_played_until_they_are_over(clocked: Clocked) -> None:
    clocked.wait(0.1)
    assert [request.arguments[1] for request in clocked.thinker.asked_work] == [2]
    assert clocked.arena.boards == []
    clocked.answer(of_generation(2, game(5), game(20, -1), game(20, 0)))
    clocked.wait(0.05)
    first = clocked.arena.boards
    assert [board.result for board in first] == [None] * 3
    assert clocked.arena.pace == STEP
    clocked.wait(5 * STEP)
    assert [board.result for board in clocked.arena.boards] == [1, None, None]
    assert clocked.arena.boards[1].position != first[1].position
    clocked.wait(20 * STEP)
    assert [board.result for board in clocked.arena.boards] == [1, -1, 0]


def test_nothing_changes_once_the_newest_generation_is_over(clocked: Clocked) -> None:
    clocked.wait(0.1)
    clocked.answer(of_generation(2, game(5)))
    clocked.wait(5.0)
    assert not clocked.arena.moves
    assert clocked.wait(10.0) == 0
    assert clocked.arena.pace == IDLE
    assert len(clocked.thinker.asked_work) == 1


def test_the_next_generation_slides_in_when_the_games_are_over(clocked: Clocked) -> None:
    clocked.wait(0.1)
    clocked.answer(of_generation(2, game(5, 1, ("a", "b")), game(60, -1, ("c", "d"))))
    clocked.wait(1.0)
    clocked.generation = 3
    clocked.wait(0.5)
    assert len(clocked.thinker.asked_work) == 1  # these games are not nearly over
    clocked.wait(60 * STEP - 1.0)
    assert [request.arguments[1] for request in clocked.thinker.asked_work] == [2, 3]
    clocked.answer(of_generation(3, game(9, parents=("d",)), game(9, parents=("x",)), game(9, parents=("x",))))
    while clocked.arena.shown is not None and clocked.arena.shown.generation == 2:
        clocked.wait(0.05)
        assert clocked.now < 60 * STEP + HOLD_SECONDS + 2
    arena = clocked.arena
    assert [board.origin for board in arena.boards] == [1, 1, 0]  # of its parent; of the winners in turn
    assert arena.sliding < 0.2
    assert [board.result for board in arena.before] == [1, -1]
    clocked.wait(SLIDE_SECONDS / 2)
    assert 0.4 < arena.sliding < 0.7 and arena.pace < STEP
    clocked.wait(SLIDE_SECONDS)
    assert (arena.sliding, arena.before) == (1.0, [])


def test_a_chosen_generation_is_asked_for_when_the_slider_rests(clocked: Clocked) -> None:
    clocked.wait(0.1)
    clocked.answer(of_generation(2, game(60)))
    clocked.wait(0.5)
    clocked.chosen = True
    for generation in (1, 0):
        clocked.generation = generation
        clocked.wait(SETTLE_SECONDS / 2)
    assert len(clocked.thinker.asked_work) == 1
    clocked.wait(SETTLE_SECONDS)
    assert [request.arguments[1] for request in clocked.thinker.asked_work] == [2, 0]
    clocked.answer(of_generation(0, game(60)))
    clocked.wait(0.1)
    assert clocked.arena.shown is not None and clocked.arena.shown.generation == 0


def test_a_generation_without_games_says_so_and_is_not_asked_for_again(clocked: Clocked) -> None:
    clocked.wait(0.1)
    clocked.answer(None, "the folder is gone")
    clocked.wait(20.0)
    assert clocked.arena.trouble == "the folder is gone"
    assert len(clocked.thinker.asked_work) == 1
    clocked.generation = 1
    clocked.wait(0.1)
    clocked.answer(of_generation(1, game(3)))
    clocked.wait(0.2)
    assert (clocked.arena.trouble, len(clocked.arena.boards)) == ("", 1)


def test_what_was_asked_for_before_a_rest_is_asked_for_again(clocked: Clocked) -> None:
    clocked.wait(0.1)
    clocked.arena.rest()
    clocked.wait(0.1)
    clocked.answer(of_generation(2, game(3)))
    clocked.wait(0.1)
    assert len(clocked.arena.boards) == 1


def test_children_come_from_the_board_of_a_parent_that_won() -> None:
    before = [game(3, 1, ("a", "b")), game(3, -1, ("c", "d")), game(3, 0, ("e", "f"))]
    after = [game(3, parents=("d", "z")), game(3, parents=("b",)), game(3, parents=("a",)), game(3)]
    assert origins(before, after) == [1, 1, 0, 1]
    assert origins((), after) == [0, 1, 2, 3]


@for_each(
    ("width", "height", "expected"),
    [(546, 290, 32), (400, 300, 30), (1000, 400, 32), (360, 150, 12), (64, 64, 1), (50, 50, 1), (7, 7, 0)],
)
def test_as_many_boards_as_fit_are_as_large_as_possible(width: int, height: int, expected: int) -> None:
    rect = Rect(10, 20, width, height)
    least = LEAST_BOARDS[1]
    places = board_places(rect, MOST, least, 4)
    assert len(places) == expected
    assert all(place.inside(rect) and place.w == place.h for place in places)
    assert not [(a, b) for at, a in enumerate(places) for b in places[:at] if a.meets(b)]
    if expected > 1:
        assert places[0].w > least - 8  # squares have whole pixels


def test_a_small_board_shows_its_pieces(display: None) -> None:
    start = Position.start()
    full, empty = (small_board(words, 16, LIGHT) for words in ((start.black, start.white, start.kings), (0, 0, 0)))
    assert full.get_size() == (128, 128)
    for square, piece in ((1, True), (14, False), (32, True)):
        at = (2 * ((square - 1) % 4) + 1 - (square - 1) // 4 % 2) * 16 + 8, (square - 1) // 4 * 16 + 8
        assert (full.get_at(at) != empty.get_at(at)) == piece


def test_boards_without_a_game_say_why(display: None) -> None:
    canvas = Canvas(pygame.Surface((300, 100)), Look(LIGHT, 1.0, Fonts()))
    canvas.surface.fill(LIGHT.background)
    before = pygame.image.tobytes(canvas.surface, "RGB")
    ArenaBoards(key="arena", rect=Rect(0, 0, 300, 100), boards=(), empty="No games.").draw(canvas, Ui())
    assert pygame.image.tobytes(canvas.surface, "RGB") != before


def asked(run: str, generation: int) -> ShownGames:
    from gui.evolving.arena import _request

    live = LiveRun(SHIPPED_RUNS / run)
    while live.read() or live.busy:
        pass
    request = _request(live, generation, newest=False)
    games: ShownGames = request.function(*request.arguments)
    assert request.function is generation_games
    return games


def test_games_of_a_generation_with_weights_are_those_of_its_tournament() -> None:
    reply = asked("first", 0)
    assert (reply.generation, reply.recorded, len(reply.games)) == (0, False, MOST)
    start = Position.start()
    assert all(game.at(0) == (start.black, start.white, start.kings) for game in reply.games)
    assert all(name.startswith("Gen00_") for game in reply.games for name in game.players)
    assert "Gen00_0000" in reply.games[0].players, "the champion, which plays in no game of the tournament"
    assert {game.result for game in reply.games} >= {1, -1}
    assert reply.change == ""


@pytest.mark.parametrize(("run", "generation"), [("first", 17), ("zero", 30)])
def test_other_generations_have_recorded_games_of_champions(run: str, generation: int) -> None:
    reply = asked(run, generation)
    assert reply.recorded and 2 <= len(reply.games) <= MOST
    assert all(len(game) > 10 for game in reply.games)


def test_the_newest_generation_is_taken_if_the_weights_of_an_older_one_are_gone() -> None:
    reply = generation_games(SHIPPED_RUNS / "crownhead-1", 99, (), (0, 0), newest=True)
    assert (reply.generation, reply.recorded, len(reply.games)) == (100, False, MOST)


def test_a_change_in_play_is_reported_if_it_is_more_than_chance() -> None:
    def all_traits(**values: float) -> list[TraitMean]:
        return [TraitMean(values.get(trait.name.replace("-", "_"), trait.low), 0.1, 30) for trait in TRAITS]

    few = [TraitMean(9.0, 0.1, 3) for _ in TRAITS]
    assert play_change(all_traits(), all_traits()) is None
    assert play_change(few, all_traits()) is None
    assert play_change(all_traits(back_row=1.9), all_traits(back_row=2.1)) is None
    much = play_change(all_traits(back_row=1.9), all_traits(back_row=2.8))
    assert much[1:] == ("holds its back row", "Now holds its back row (2.80 men, 1.90 before).")
    less = play_change(all_traits(exchanges=40.0), all_traits(exchanges=25.0))
    assert less[1:] == ("fewer exchanges", "Now fewer exchanges (25 %, 40 before).")
