"""A game in words, for a terminal and its screen reader: sentences out, typed moves and commands in.

Nothing depends on a column, a colour or a sign: every line is a sentence, and the newest one is the last.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from game import bitboard
from game.board import LEGEND, Position, diagram, mover
from game.errors import one_line
from game.installation import data_folder
from game.moves import Move
from game.number_text import count_text
from game.review.annotations import chances_text
from game.review.chances import position_chances
from game.rules import BLACK, SQUARES, WHITE
from gui.individuals import opponents
from gui.individuals.available import AvailableOpponents
from gui.individuals.personas import Personas
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.lines import Ply, pieces_of
from gui.model.seats import Seat, several, with_person
from gui.model.turn import Completed, Refusal, Refused, Turn
from gui.rating.rating import PRIOR
from gui.storage.autosave import Autosave
from gui.storage.settings import Preferences, Settings
from gui.thinking.messages import Purpose, SearchRequest

if TYPE_CHECKING:
    from game.scores import SearchInfo

HINT_SECONDS = 2.0

Ask = Callable[[GameModel, Seat, Purpose], "SearchInfo"]
"""Let a player think about the last position of a game."""

REFUSALS = {
    Refusal.NO_PIECE: "There is no piece on square {}.",
    Refusal.NOT_YOURS: "The piece on square {} belongs to the other side.",
    Refusal.BLOCKED: "The piece on square {} cannot move.",
    Refusal.MUST_CAPTURE: "You must jump, and the piece on square {} cannot.",
    Refusal.OCCUPIED: "There is a piece on square {}.",
}
"""Reasons that point at a square on the board, as they are said without it."""

HELP = (
    "Type a move, such as 11-15, 22x15 or 26x17x10, or one of these words.",
    "moves: every move that you can play.",
    "board: the pieces of both sides. A square, such as 15: the piece on it, and its moves.",
    "diagram: the board as a drawing of eight lines.",
    "last: the last move of each side. game: all moves.",
    "hint: the move that the adviser would play. undo: take back your last move. redo: play it again.",
    "resign: give up this game. new: begin another. quit: end.",
)


class TextGame:
    """A game between a person and a program, played by lines of text.

    Args:
        ask: lets a player think.

    Attributes:
        model: the current game, which the word ``new`` replaces.
    """

    def __init__(self, model: GameModel, ask: Ask, adviser: Seat) -> None:
        self.model, self._ask, self._adviser = model, ask, adviser
        self._words: dict[str, Callable[[], Iterable[str]]] = {
            "help": lambda: HELP,
            "?": lambda: HELP,
            "moves": self._moves,
            "board": lambda: board_sentences(self.model.last),
            "diagram": self._diagram,
            "last": lambda: map(move_sentence, self.model.plies[-2:]) if self.model.plies else ("No move yet.",),
            "game": self._game,
            "hint": self._hint,
            "undo": self._undo,
            "redo": self._redo,
            "resign": self._resign,
            "new": self._new,
        }

    def begin(self) -> Iterator[str]:
        """Yield the first sentences of a game, and the program's moves if it is to move."""
        side = next(side for side in (BLACK, WHITE) if self.model.seats[side].human)
        opponent = self.model.seats[1 - side]
        how = f" ({opponent.limits})" if opponent.limits else ""
        yield f"You play {SIDE_NAME[side]} against {opponent.brief}{how}."
        yield from self._replies()

    def answer(self, line: str) -> Iterator[str]:
        """Yield the sentences that answer a line: a move, a square or a word of `HELP`."""
        text = line.strip().lower()
        if not text:
            yield self._state
        elif text in self._words:
            yield from self._words[text]()
        elif text.isascii() and text.isdigit():
            yield square_sentence(self.model.last, int(text))
        elif not any(letter.isdigit() for letter in text):
            yield f"There is no word '{one_line(line)}'. Type help for all words, or a move such as 11-15."
        else:
            touch = self.model.type_move(text)
            if isinstance(touch, Refused):
                yield f"{one_line(line)}: {REFUSALS.get(touch.refusal, touch.text).format(touch.square)}"
            elif isinstance(touch, Completed):
                yield move_sentence(self.model.plies[-1], "You")
                yield from self._replies()

    def _replies(self) -> Iterator[str]:
        """Let the program play, and yield its move and the state of the game after it."""
        from game.players.player import PlayerFailure

        while self.model.program_to_move:
            side = self.model.side
            try:
                move = self._ask(self.model, self.model.seat, Purpose.MOVE).move
            except PlayerFailure as failure:
                self.model.fail(side, one_line(str(failure)))
            else:
                yield move_sentence(self.model.play(move))
        yield self._state

    @property
    def _state(self) -> str:
        model = self.model
        if model.ending is None:
            return f"It is your move, as {SIDE_NAME[model.side]}{_must_capture(model.turn)}."
        winner, person = model.ending.winner, BLACK if model.seats[BLACK].human else WHITE
        headline = "It is a draw" if winner is None else "You won" if model.seats[winner].human else "You lost"
        why = model.ending.reason(person)
        return f"{headline}. {why} Type new for another game, undo to take a move back, or quit."

    def _moves(self) -> Iterator[str]:
        if self.model.over:
            yield self._state
            return
        legal = self.model.turn.legal
        yield f"{count_text(len(legal), 'move')}: {', '.join(map(str, legal))}."

    def _diagram(self) -> Iterator[str]:
        yield from diagram(self.model.last).splitlines()
        yield f"Letters: {LEGEND}. {self._state}"

    def _game(self) -> Iterator[str]:
        plies = self.model.plies
        for number, black, white in self.model.rows():
            yield f"{number}. {', '.join(str(plies[ply].move) for ply in (black, white) if ply is not None)}"
        yield self._state

    def _hint(self) -> Iterator[str]:
        if self.model.over:
            yield self._state
            return
        result = self._ask(self.model, self._adviser, Purpose.ANALYSIS)
        chances = position_chances(self.model.last, result, self.model.games)
        words = "" if chances is None else f" Your chances: {chances_text(chances)}."
        yield f"{self._adviser.brief} would play {_way(result.move)}.{words}"

    def _undo(self) -> Iterator[str]:
        count = len(self.model.plies)
        if not self.model.undo():
            yield "There is no move of yours to take back."
            return
        back = count - len(self.model.plies)
        yield f"Taken back: {count_text(back, 'move')}." if back else "The game goes on."
        yield self._state

    def _redo(self) -> Iterator[str]:
        count = len(self.model.plies)
        if not self.model.redo():
            yield "There is nothing to play again."
            return
        yield from map(move_sentence, self.model.plies[count:])
        yield self._state

    def _resign(self) -> Iterator[str]:
        if not self.model.over:
            self.model.resign(self.model.side)
        yield self._state

    def _new(self) -> Iterator[str]:
        self.model = self.model.rematch()
        yield from self.begin()


class GameKeeper:
    """Saves the games of a terminal in the data folder, where the window lists them."""

    def __init__(self, data: Path) -> None:
        self._autosave = Autosave(data)
        self._saved: tuple[int, int] | None = None

    def save(self, model: GameModel) -> bool:
        """Save a game if it has changed; a game without moves is not worth it. Return whether it is saved."""
        state = model.number, model.stamp
        if state != self._saved and (model.plies or self._saved is not None):
            self._saved = state
            self._autosave.save(model, {"screen": "play", "flipped": model.seats[BLACK].human})
        return self._saved is not None

    def finish(self, model: GameModel) -> str:
        if not self.save(model):
            return ""
        self._autosave.release()
        self._saved = None
        return self._autosave.trouble or "This game is kept: the window lists it under All games."


def _must_capture(turn: Turn) -> str:
    squares = turn.must_capture
    return f", and you must jump with the piece on {' or '.join(map(str, squares))}" if squares else ""


def _way(move: Move) -> str:
    """Return a move in words, such as ``26 to 17 to 10``."""
    return " to ".join(map(str, move.path))


def move_sentence(ply: Ply, who: str = "") -> str:
    """Return a move in one sentence, such as ``White jumps 26 to 17 to 10, and takes the men on 22 and 14.``.

    Args:
        who: the subject, ``You`` or by default the side.
    """
    you = who == "You"
    verb = ("jump" if ply.move.captured else "move") + ("" if you else "s")
    text = f"{who or SIDE_NAME[ply.side]} {verb} {_way(ply.move)}"
    if ply.move.captured:
        pieces = pieces_of(ply.before)
        taken = several([f"the {'king' if pieces[square].king else 'man'} on {square}" for square in ply.move.captured])
        text += f", and take{'' if you else 's'} {taken}"
    return f"{text}; the man becomes a king." if ply.crowned else f"{text}."


def board_sentences(position: Position) -> Iterator[str]:
    """Yield the pieces of both sides, a sentence for each, and the side to move."""
    for side, word in ((BLACK, position.black), (WHITE, position.white)):
        parts = []
        for kind, squares in (("man", word & ~position.kings), ("king", word & position.kings)):
            count, where = squares.bit_count(), several(list(map(str, bitboard.squares_of(squares))), most=12)
            if count:
                parts.append(f"{count} {kind if count == 1 else {'man': 'men', 'king': 'kings'}[kind]} on {where}")
        yield f"{SIDE_NAME[side]} has {', and '.join(parts) or 'no pieces'}."
    yield f"{mover(position)}."


def square_sentence(position: Position, square: int) -> str:
    if not 1 <= square <= SQUARES:
        return f"{square}: squares are numbered 1 to 32."
    piece = pieces_of(position).get(square)
    if piece is None:
        return f"{square} is empty."
    text = f"{square} has a {SIDE_NAME[piece.side].lower()} {'king' if piece.king else 'man'}"
    if piece.side != position.side:
        return f"{text}."
    moves = [str(move) for move in Turn(position).legal if move.path[0] == square]
    return f"{text}; its moves: {', '.join(moves)}." if moves else f"{text}, which cannot move now."


def play(game: TextGame, read: Callable[[], str], say: Callable[[str], None], keeper: GameKeeper) -> bool:
    """Play games until a line says ``quit`` or there are no more lines; return whether a line said it.

    Each game is saved after every answer, and however the last one ends, also by Ctrl+C or with its terminal.

    Args:
        read: returns the next line, and an empty text at the end of input.
        keeper: saves the games.
    """
    say("\n".join([*game.begin(), "Type help for all words, quit to end."]))
    try:
        while (line := read()) and line.strip().lower() not in ("quit", "exit"):
            before = game.model
            sentences = list(game.answer(line))
            kept = [keeper.finish(before)] if game.model is not before else []
            keeper.save(game.model)
            say("\n".join([*kept, *sentences]).lstrip("\n"))
    except KeyboardInterrupt:
        say("\nInterrupted.")  # the terminal has written ^C on this line
        raise
    finally:
        try:
            end = keeper.finish(game.model)
        except SystemExit:  # a closing terminal ends the input first, and sends SIGHUP while the game is being saved
            keeper.finish(game.model)
            raise
        if end:
            with contextlib.suppress(OSError):  # the terminal may be closed
                say(end)
    return bool(line)


def thinking(runs: Path) -> Ask:
    """Return a function that lets players think in this process, with the players of a folder of runs."""
    from gui.thinking.thoughts import Players, Stopper, think

    players, stopper = Players(runs), Stopper()

    def ask(model: GameModel, seat: Seat, purpose: Purpose) -> SearchInfo:
        assert seat.name is not None
        stopper.renew()
        request = SearchRequest(
            purpose, model.number, seat.name, model.last, model.history, seat.depth, seat.seconds, model.seed,
            model.rules,
        )  # fmt: skip
        return think(players, request, stopper, lambda result: None)

    return ask


def new_game(runs: Path, player: str | None, colour: str | None, fen: str | None) -> TextGame:
    """Return a game between a person and a program, in which the analyst of the window gives hints.

    Args:
        player: the opponent: a player, or the name of a level; None for that of the window.
        fen: the first position; None for the start of a game.

    Raises:
        InputError: there is no such player, or the position is invalid.
    """
    settings = Preferences.of(Settings(data_folder()))
    available = AvailableOpponents(runs, lambda: settings, lambda: PRIOR, Personas(runs))
    if player is None:
        seat = available.recommend()
        opponents.check_player(runs, seat.player or "")
    else:
        seat = available.seat_named(opponents.find_opponent(runs, player))
    start = Position.start() if fen is None else Position.from_fen(fen)
    model = GameModel(with_person(seat, colour or settings.colour), start).vary()
    return TextGame(model, thinking(runs), replace(available.analyst, seconds=HINT_SECONDS))
