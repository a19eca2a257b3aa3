"""See it think: the expected line on the board, the depth and chances of a program; switched off in rated games."""

from __future__ import annotations

import pytest

from game import plain
from game.board import Position
from game.moves import Move
from game.review.annotations import chances_text
from game.review.chances import GameKind, find_chances
from game.rules import BLACK
from game.scores import Line, SearchInfo
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.dialog import Dialog
from gui.screens.play.analysis_panel import Seen
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.thinking.messages import Answer, Progress, Purpose, Started
from tests.gui.hands import Hands, Opened
from tests.gui.rated_helpers import begun

OPPONENT = Seat("material", 9, 5.0, "Counter")
OTHER = Seat("material", 5, 5.0, "Other")


def chances_at(score: float, games: GameKind = GameKind.PEOPLE, plies: int = 0) -> str:
    return chances_text(find_chances(score, 24, games=games, plies=plies))


def table(hands: Hands, *, recorded: bool = False) -> Hands:
    """Return a game against the fake."""
    hands.app.open(Play(hands.app, GameModel((HUMAN, OPPONENT)), recorded=recorded))
    hands.wait(0.1)
    return hands


def line(position: Position, index: int = 0, plies: int = 8) -> tuple[Move, ...]:
    """Return a line that begins with the legal move at `index`, and continues with the first legal move each time."""
    results = [plain.legal_moves(position)[index]]
    while len(results) < plies:
        position = plain.apply(position, results[-1])
        results.append(plain.legal_moves(position)[0])
    return tuple(results)


def tell(hands: Hands, depth: int, score: float | None, index: int = 0, *, answer: bool = False) -> SearchInfo:
    """Let the fake report a depth and a line of eight plies."""
    present = hands.thinker.present
    assert present is not None
    pv = line(present[1].position, index)
    result = SearchInfo(pv[0], score, score, depth or None, 1000 * depth or None, 0.1, pv if depth else ())
    hands.thinker.ready += [Started(present[0]), Answer(present[0], result) if answer else Progress(present[0], result)]
    hands.wait(0.05)
    return result


def paths(result: SearchInfo, start: int = 0) -> tuple[tuple[int, ...], ...]:
    return Seen(result.pv[start:]).paths


def test_the_expected_line_depth_and_chance_follow_the_search(opened: Opened) -> None:
    hands = table(opened())
    assert not hands.widget("show.see-thinking").chosen
    hands.touch(11, 15)
    hands.wait(0.1)
    tell(hands, 3, 0.5)
    assert hands.board.marks.line == ()  # while the display is switched off
    assert "best" not in hands.words[1]
    hands.key("<see-thinking>")
    assert hands.widget("show.see-thinking").chosen
    assert hands.app.services.settings.see_thinking
    for depth, score, index in ((3, 0.5, 0), (4, 0.5, 1), (5, -0.3, 1)):
        result = tell(hands, depth, score, index)
        assert hands.board.marks.line == paths(result)
        chance = chances_at(score, plies=1)
        assert hands.words == (
            "White is thinking",
            f"Depth {depth}, {1000 * depth:,} positions, best {result.pv[0]}, {chance}.",
        )
    hands.click("show.see-thinking")
    assert hands.board.marks.line == ()
    assert not hands.app.services.settings.see_thinking


def test_thoughts_of_the_last_move_stay_until_a_piece_is_chosen(opened: Opened) -> None:
    hands = table(opened(see_thinking=True))
    assert hands.board.marks.line == ()
    hands.touch(11, 15)
    hands.wait(0.1)
    result = tell(hands, 7, 0.4, answer=True)
    hands.until(lambda: len(hands.game.model.plies) == 2)
    hands.settle()
    assert hands.board.marks.line == paths(result, 1)
    assert "Counter: depth 7, 7,000 positions" in hands.words[1]
    assert f"expects {result.pv[1]}" in hands.words[1]
    hands.click(hands.at(9))
    assert hands.board.marks.line == ()
    hands.key("escape")
    assert hands.board.marks.line == paths(result, 1)
    hands.key("left")
    assert hands.board.marks.line == ()  # before the program's move nobody has thought
    assert hands.thinker.asked[-1].purpose is Purpose.MOVE  # the analyst was not asked, since that would be a hint
    hands.key("right")
    hands.settle()
    assert hands.board.marks.line == paths(result, 1)
    hands.key("<resign>", "return")
    assert hands.game.model.over
    assert hands.board.marks.line == () and "Counter: " not in hands.words[1]  # the end speaks for itself


def test_move_without_a_search_is_explained(opened: Opened) -> None:
    hands = table(opened(see_thinking=True))
    hands.touch(11, 15)
    hands.wait(0.1)
    tell(hands, 0, None, answer=True)
    hands.until(lambda: len(hands.game.model.plies) == 2)
    hands.settle()
    assert hands.board.marks.line == ()
    assert "Counter moved without a search." in hands.words[1]


def test_of_a_policy_the_likelihoods_of_its_moves_are_seen(opened: Opened) -> None:
    hands = table(opened(see_thinking=True))
    hands.touch(11, 15)
    hands.wait(0.1)
    ticket, request = hands.thinker.present or pytest.fail()
    legal = plain.legal_moves(request.position)
    lines = tuple(Line(move, 0.0, 0.0, "", chance=chance) for move, chance in zip(legal, (0.7, 0.2, 0.1), strict=False))
    hands.thinker.ready += [Started(ticket), Answer(ticket, SearchInfo(legal[1], lines=lines))]
    hands.wait(0.1)
    assert hands.words == ("White is thinking", f"{legal[1]}, 20 % likely.")
    assert hands.board.marks.line == (legal[1].path,)
    assert hands.board.marks.chances == {}  # the arrow would cover them
    hands.until(lambda: len(hands.game.model.plies) == 2)
    assert hands.board.marks.chances == {}


@pytest.mark.parametrize("watched", [False, True])
def test_analyst_is_shown_without_a_person(opened: Opened, watched: bool) -> None:
    hands = opened()
    model = GameModel((OPPONENT, OTHER) if watched else (HUMAN, OPPONENT))
    for _ in range(4):
        model.play(plain.legal_moves(model.last)[0])
    screen = Watching(hands.app, model) if watched else Play(hands.app, model, recorded=True)
    if isinstance(screen, Watching):
        screen.watch.playing = False
    hands.app.open(screen)
    hands.wait(0.1)
    hands.key("home", "<see-thinking>")
    hands.wait(0.1)
    assert hands.thinker.asked[-1].purpose is Purpose.ANALYSIS
    result = tell(hands, 6, 0.2)
    assert hands.board.marks.line == paths(result)
    assert hands.thinker.asked[-1].position.side == BLACK
    chance = chances_at(0.2, GameKind.PROGRAMS if watched else GameKind.PEOPLE)
    assert f"best {result.pv[0]}, Black {chance}." in hands.words[1]
    assert f"{hands.game.table.analyst.brief}: depth 6" in hands.words[1]
    hands.key("<see-thinking>")
    assert hands.board.marks.line == ()


def test_rated_game_hides_thinking(opened: Opened) -> None:
    hands = begun(opened, see_thinking=True)
    play = hands.app.screen
    assert isinstance(play, Play)
    assert play.rated.counts
    assert not hands.widget("show.see-thinking").chosen
    hands.touch(9, 13)
    hands.wait(0.1)
    tell(hands, 4, 0.2)
    assert hands.board.marks.line == ()
    assert "draw" not in hands.words[1]
    hands.key("<see-thinking>")
    assert isinstance(hands.app.screen, Dialog)
    hands.key("escape")
    assert play.rated.counts and hands.board.marks.line == ()
    hands.click("show.see-thinking")
    hands.key("ctrl+return")
    assert not play.rated.counts
    assert hands.board.marks.line != ()
