"""A text game against an opponent that evolves (``play --evolving --text``)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from extras.text.text_game import Ask, TextGame
from game.players.player import PlayerFailure
from gui.evolving.opponent import EvolvingOpponent, generation_note
from gui.evolving.race import headline, race_of
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.thinking.messages import Purpose

if TYPE_CHECKING:
    from game.scores import SearchInfo

STEP_SECONDS = 0.02


class EvolvingTextGame(TextGame):
    """A text game in which each move of the program comes from its newest champion."""

    def __init__(self, model: GameModel, ask: Ask, adviser: Seat, opponent: EvolvingOpponent, runs: Path) -> None:
        super().__init__(model, self._ask_newest, adviser)
        self._ask_player, self._opponent, self._runs = ask, opponent, runs
        self._generation = -1
        self._step(to_answer=False)

    def _step(self, *, to_answer: bool) -> None:
        now = time.monotonic()
        self._opponent.on_input(now)
        self._opponent.step(now, to_answer=to_answer)

    def _ask_newest(self, model: GameModel, seat: Seat, purpose: Purpose) -> SearchInfo:
        """Let the newest champion think about a move, after the generations that the person's move has earned."""
        if purpose is not Purpose.MOVE:
            return self._ask_player(model, seat, purpose)
        opponent = self._opponent
        if model.plies:
            opponent.on_move(time.monotonic())
        while (generation := opponent.answering(time.monotonic())) is None:
            if opponent.trouble:
                raise PlayerFailure(opponent.trouble)
            self._step(to_answer=True)
            time.sleep(STEP_SECONDS)
        self._generation = generation
        seats = list(model.seats)
        seats[model.side] = opponent.seat(self._runs, generation)
        model.seats = (seats[0], seats[1])
        return self._ask_player(model, model.seat, purpose)

    def _replies(self) -> Iterator[str]:
        count, trouble = len(self.model.plies), self._opponent.trouble
        for text in super()._replies():
            if len(self.model.plies) > count:
                count = len(self.model.plies)
                ply = self.model.plies[-1]
                self.model.plies[-1] = replace(ply, notes=(*ply.notes, generation_note(self._generation)))
                race = race_of(self._opponent.run)
                yield headline(race, self._generation) if race else f"Generation {self._generation:,}."
            yield text
        if self._opponent.trouble != trouble:
            yield self._opponent.trouble
        self._step(to_answer=False)
