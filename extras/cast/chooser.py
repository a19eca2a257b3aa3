"""The characters of runs among the opponents: a card that opens their maps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.runs import Runs
from extras.cast.characters import runs_with_maps
from extras.cast.characters_file import read_characters
from gui.background import Trouble
from gui.individuals.shelves import Offer
from gui.screens import entries
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.screens.individuals.chooser import Chooser


class CharactersEntry(entries.Entry):
    """The command that opens the map of a run, once a listed run is known to have one."""

    screen: Chooser

    def __init__(self, screen: Chooser) -> None:
        super().__init__(screen)
        self._maps: list[Path] = []
        self._looked: tuple[Path, ...] = ()
        screen.to_close.append(partial(self.app.services.background.cancel, self))

    def step(self) -> bool:
        """Look in the background which of the listed runs have a map of characters."""
        runs = tuple(source.path for source in self.app.services.sources.runs if source.newest >= 0)
        if runs != self._looked and not self.screen.watch:
            self._looked = runs
            self.app.services.background.ask(self, "maps", partial(runs_with_maps, runs), self.receive)
        return False

    def receive(self, answer: list[Path] | Trouble) -> None:
        self._maps = [] if isinstance(answer, Trouble) else answer

    def commands(self) -> Sequence[Command]:
        if self.screen.watch:
            return ()
        return [Command(id="characters", name="Characters", keys=(), run=self._open, icon="map",
                        about="Many styles of play", enabled=bool(self._maps),
                        why="No run has a map of characters: a session with the preset cast makes one.")]  # fmt: skip

    @property
    def replaced(self) -> Sequence[Path]:
        return () if self.screen.watch else self._maps

    def offers(self) -> Sequence[Offer]:
        runs = Runs(self.app.services.runs)
        return [
            Offer(row.player(path, runs.player_name(path)), row.name, row.sentence, words=(path.name, row.member))
            for path in self._maps
            for row in read_characters(path)
        ]

    def _open(self) -> None:
        from extras.cast.screen import CharactersScreen

        run = self.screen.run
        first = run.path if run is not None and run.path in self._maps else self._maps[0]
        self.app.open(CharactersScreen(self.app, self._maps, first))
