"""A game against an opponent that evolves while it is played."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.evolving.opponent import FREE, PACE, PACES, EvolvingOpponent, Pace
from gui.model.game import MOST_SEED, GameModel
from gui.model.seats import Seat, individual, with_person
from gui.model.table import Moved, TableEvent
from gui.screens.play.play import Play
from gui.storage.autosave import Kept

if TYPE_CHECKING:
    from gui.app import App
    from gui.runs.live_run import LiveRun
    from gui.services import Services

KEY = "evolving"
"""The key in the values of a kept game under which its evolving opponent is saved."""

FIRST = "Generation 0"
PACE_SETTING, BESIDE_SETTING = "evolving_pace", "evolving_beside"


class Opponents:
    """The evolving opponents of a window, one for each run; their sessions continue while other screens are visible."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[Path, EvolvingOpponent] = {}

    def live(self, path: Path) -> LiveRun:
        return self._services.library.sources.live(path)

    def kept(self, values: Any) -> EvolvingOpponent | None:
        """Return the opponent of a kept game; None if the values are not of one, or its run is gone."""
        opponent = EvolvingOpponent.of_values(values, self.live)
        if opponent is None or not opponent.run.path.is_dir():
            return None
        there = self._known.setdefault(opponent.run.path, opponent)
        there.moves = opponent.moves
        return there

    def add(self, opponent: EvolvingOpponent) -> EvolvingOpponent:
        self._known[opponent.run.path] = opponent
        return opponent

    def close(self) -> None:
        """Let all sessions finish what they owe; they end when this process does."""
        for opponent in self._known.values():
            opponent.leave()


def new_game(
    app: App,
    run: str = "",
    preset: str = "",
    pace: int | None = None,
    seed: int | None = None,
    colour: str = "",
) -> EvolvingPlay:
    """Return the screen of a new game.

    Args:
        run: a run to evolve on; empty for a new run of the preset.
        pace: generations for each move, or `FREE`; None for the last choice.
        seed: seed of a new run; None for a random one.
        colour: the person's; empty for the one chosen last.
    """
    services = app.services
    pace = services.store.get(PACE_SETTING, PACE, (*PACES, FREE)) if pace is None else pace
    paced = Pace(pace, services.store.get(BESIDE_SETTING, True))
    seed = secrets.randbelow(2**32) if seed is None else seed
    opponents = services.shared(Opponents)
    opponent = opponents.add(EvolvingOpponent.begin(services.runs, opponents.live, paced, run, preset, seed))
    first = Seat(individual(opponent.run.name), title=FIRST)
    model = GameModel(with_person(first, colour or services.settings.colour), seed=seed % MOST_SEED + 1)
    return EvolvingPlay(app, model, opponent)


def continued(app: App, kept: Kept) -> EvolvingPlay | None:
    """Return the screen of a kept game; None if it is not against an evolving opponent, or its run is gone."""
    opponent = app.services.shared(Opponents).kept(kept.extra.get(KEY)) if KEY in kept.extra else None
    return (
        None if opponent is None else EvolvingPlay(app, kept.model, opponent, flipped=kept.extra.get("flipped") is True)
    )


class EvolvingPlay(Play):
    def __init__(self, app: App, model: GameModel, opponent: EvolvingOpponent, *, flipped: bool | None = None) -> None:
        self.opponent = opponent
        self._asked: tuple[int, int] | None = None  # number and stamp of the game when an answer was asked for
        self._generation = -1  # that is to move, or moved last
        super().__init__(app, model, flipped=flipped)
        self.table.paused = True
        opponent.come_back(app.now)

    def _name(self) -> None:
        self.title = f"An opponent that evolves: {self.opponent.run.name}"

    @property
    def _program(self) -> int:
        return 1 if self.model.seats[0].human else 0

    @property
    def _extra(self) -> dict[str, object]:
        return super()._extra | {KEY: self.opponent.values()}

    # Time ---------------------------------------------------------------------------------------------------------

    @property
    def pace(self) -> float:
        return min(super().pace, 1 / 30 if self._waits else 0.1 if self.opponent.evolves else 1.0)

    @property
    def _waits(self) -> bool:
        """True while the game waits for generations."""
        return self.model.program_to_move and self.table.paused

    def tick(self, now: float, dt: float) -> bool:
        opponent, model = self.opponent, self.model
        place = model.number, model.stamp
        if model.program_to_move and self._asked != place:
            self._asked = place
            if model.plies:
                opponent.on_move(now)
            self.table.paused = True
        opponent.on_input(self.app.input_at)
        trouble = opponent.trouble
        changed = opponent.step(now, to_answer=self._waits, shown=not self.app.hidden)
        if opponent.trouble != trouble:
            self.app.say(opponent.trouble, "warning")
        if self._waits and (generation := opponent.answering(now)) is not None:
            self._seat(generation)
            self.table.paused = False
            changed = True
        return super().tick(now, dt) or changed

    def _seat(self, generation: int) -> None:
        """Let the champion of a generation play the next move."""
        self._generation = generation
        seat, seats = self.opponent.seat(self.app.services.runs, generation), list(self.model.seats)
        seats[self._program] = seat
        self.model.seats = (seats[0], seats[1])

    def react(self, event: TableEvent) -> None:
        if isinstance(event, Moved) and event.ply.side == self._program:
            plies = self.model.plies
            plies[-1] = replace(plies[-1], notes=(*plies[-1].notes, ("comment", f"Gen {self._generation}")))
            self.opponent.answered()
            self.table.paused = True
        super().react(event)

    def on_open(self) -> None:
        super().on_open()
        self.opponent.come_back(self.app.now)

    def on_close(self) -> None:
        super().on_close()
        self.opponent.leave()

    # Words --------------------------------------------------------------------------------------------------------

    def _words(self) -> tuple[str, str, str, str]:
        if self._waits and self.model.at_end and not self.model.branches:
            opponent = self.opponent
            if opponent.newest < 0:
                return "One moment", "The first generation begins with random weights…", "evolution", "normal"
            made = f"Generation {opponent.newest} of {opponent.owed}"
            return "It evolves", f"{made}, then it moves.", "evolution", "normal"
        return super()._words()
