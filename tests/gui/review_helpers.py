"""A game with two mistakes, its analyst and its review, and files that the window writes, for several tests."""

from __future__ import annotations

from game import plain
from game.board import Position
from game.moves import Move
from game.scores import MEN, Line, SearchInfo
from game.search.interface import score_text
from gui.model.ending import Cause, Ending
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.dialogs.files import Files
from gui.screens.play.play import Play
from gui.thinking.beside import finders_of
from gui.thinking.messages import Answer, SideResult, SideWork
from tests.gui.hands import Hands

MOVES = "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24"
OPPONENT = Seat("material", 2)
WRONG = {7: "9-14", 8: "27-23"}
"""Mistakes in the game, by move number, with the better moves."""


def moves_of(start: Position, text: str) -> list[Move]:
    results = []
    for word in text.split():
        results.append(next(move for move in plain.legal_moves(start) if str(move) == word))
        start = plain.apply(start, results[-1])
    return results


def game(seats: tuple[Seat, Seat] = (HUMAN, OPPONENT), result: int | None = -1) -> GameModel:
    model = GameModel.of_moves(Position.start(), moves_of(Position.start(), MOVES), seats)
    if result is not None:
        model.end(Ending(result, Cause.RESIGNED))
    return model


def judged(position: Position, number: int) -> SearchInfo:
    """Search so that the moves of the game are the best ones, except `WRONG`; other moves lose two men."""
    played, legal = MOVES.split(), plain.legal_moves(position)
    best = WRONG.get(number + 1) or (played[number] if number < len(played) else "")
    legal.sort(key=lambda move: str(move) != best)
    lines = []
    for place, move in enumerate(legal):
        men = (
            0.0 if place == 0 else -0.1 if place == 1 and number + 1 in WRONG and str(move) != played[number] else -2.0
        )
        lines.append(Line(move, men, MEN.share(men), score_text(men)))
    lines.sort(key=lambda line: -line.score)
    after = plain.legal_moves(plain.apply(position, legal[0]))[:1]
    return SearchInfo(legal[0], 0.0, 0.0, 12, 9, 0.1, (legal[0], *after), "+0.00", tuple(lines))


def tell_finders(hands: Hands, *shares: float) -> list[SideWork]:
    """Answer questions about how many people find good moves, and return them."""
    questions = []
    for share in shares:
        hands.wait(1.0)
        question = hands.thinker.asked_work[-1]
        assert question.function is finders_of
        hands.thinker.done[question] = SideResult(question, share)
        questions.append(question)
    hands.wait(1.0)
    return questions


def think(hands: Hands, most: int = 1000) -> None:
    for _ in range(most):
        hands.wait(0.05)
        if hands.thinker.present is None:
            return
        ticket, request = hands.thinker.present
        hands.thinker.present = None
        hands.thinker.ready.append(Answer(ticket, judged(request.position, len(request.history))))


def playing(hands: Hands) -> GameModel:
    model = GameModel.of_moves(Position.start(), moves_of(Position.start(), MOVES))
    model.end(Ending(-1, Cause.RESIGNED))
    hands.app.go_home()
    hands.app.open(Play(hands.app, model))
    return model


def shared(hands: Hands, name: str, command: str = "save") -> str:
    """Write something to a file of this name, and return the message."""
    hands.key(f"<{command}>")
    assert isinstance(hands.app.screen, Files)
    hands.click("path")
    hands.key("ctrl+a")
    hands.type(name)
    hands.key("return")
    if isinstance(hands.app.screen, Files):
        text = hands.widget("trouble").text
        hands.key("escape")
    else:
        hands.until(lambda: "Saved as" in hands.app.notice or "cannot be" in hands.app.notice)
        text = hands.app.notice
    assert isinstance(text, str)
    return text
