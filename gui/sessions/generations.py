"""The complete generations of a run: numbers of the log, champions, and where their games are. No pygame."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evolve.run import manifest
from evolve.run.append_only import HALL_OF_FAME
from evolve.run.champions import ChampionGames, HallOfFameFile
from evolve.run.files import Stamp
from evolve.run.log import Log
from evolve.run.manifest import generation_name
from evolve.run.weights_file import weights_path

if TYPE_CHECKING:
    from evolve.report.learning import DrawnCurve, MethodKind
    from game.networks.spec import Spec
    from gui.individuals.pictures import Picture


T = TypeVar("T")


class Generations:
    """What the growing files of a run hold, each read only as far as it has grown.

    Args:
        path: the run folder.

    Attributes:
        busy: whether there is more to read at once.
        trouble: what is wrong with a file, in one sentence; empty if nothing is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log, self._hall, self._games = Log(path), HallOfFameFile(path), ChampionGames(path)
        self._kept: dict[str, Any] = {}
        self._manifest = Stamp(path / manifest.NAME)
        self._complete: float = math.inf
        self._no_picture = ""
        self.busy = False
        self._spec: Spec | None = None
        self._pictures: dict[int, list[Picture]] = {}
        self._method: MethodKind | None = None
        self._method_known = False

    @property
    def method(self) -> MethodKind | None:
        """How its network learns; None where a population evolves, or while that is not known."""
        if not self._method_known:
            from evolve.report.learning import method_of

            self._method_known, self._method = method_of(self.path)
        return self._method

    @property
    def curves(self) -> list[DrawnCurve]:
        """What the log tells of the method by which a network learns; nothing where a population evolves."""
        method = self.method
        if method is None:
            return []
        from evolve.report.learning import draw_curves

        return self.kept("method", lambda: draw_curves(method.all_curves(), self.column))

    @property
    def champions(self) -> list[str]:
        """Names, by generation."""
        return self._log.champions

    @property
    def newest(self) -> int:
        """Number of the newest complete generation of the log; -1 if there is none."""
        return len(self.champions) - 1

    @property
    def trouble(self) -> str:
        """What is wrong with the files, in one sentence; empty if they are sound."""
        found = (self._log.trouble, self._hall.trouble, self._no_picture, self._games.trouble)
        return next((text for text in found if text), "")

    @property
    def points(self) -> list[float]:
        """Of the champions, from their file; NaN where it has none."""
        return self._hall.points

    def has_champion(self, generation: int) -> bool:
        """Return whether a champion can play: its weights are in the hall of fame, or not read yet."""
        return generation >= len(self._hall) or self._hall.has_weights(generation)

    def column(self, name: str) -> list[float]:
        """Values of a column by generation; NaN for an empty field, an empty array if the log has no such column."""
        return self._log.column(name)

    def interval(self, name: str) -> tuple[list[float], list[float], list[float]] | None:
        """A column with both ends of its 95 % interval, NaN where unknown; None if the log does not have it.

        What is beyond all measure, as after games that were all won, is infinite.
        """
        columns = [self.column(each) for each in (name, f"{name}_low", f"{name}_high")]
        if any(not column for column in columns) or all(map(math.isnan, columns[0])):
            return None
        value, low, high = columns
        return value, low, high

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What was made of the log under this name, made once for what has been read of it."""
        if name not in self._kept:
            self._kept[name] = make()
        found: T = self._kept[name]
        return found

    # Reading ------------------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Read on; returns whether anything was new."""
        self._look_for_complete()
        # A kill between log and manifest leaves the line of a generation that is given up when the run goes on.
        log, hall, games = self._log.step(self._complete), self._hall.step(), self._games.step()
        self.busy = log.more or hall.more or games.more
        if log.anew or hall.anew:
            self._pictures, self._no_picture = {}, ""
        if log.anew or log.lines:
            self._kept.clear()
        return any(news.anew or news.lines for news in (log, hall, games))

    def _look_for_complete(self) -> None:
        """The newest generation of the manifest, from its last line; if that is damaged, the newest of the log."""
        if self._manifest.refresh():
            try:
                newest = manifest.last_number(self.path)
            except FileNotFoundError:
                newest = -1
            self._complete = math.inf if newest is None else newest

    # One generation -----------------------------------------------------------------------------------------------

    def span_of(self, generation: int) -> tuple[int, int, int]:
        """The generation, and from where to where its champion's games stand in their file; two 0 if there are none."""
        return generation, *self._games.span_of(generation)

    def games_of(self, generation: int) -> str:
        """The recorded games of a champion as PDN; empty if there are none."""
        return self._games.games_of(generation)

    def pictures(self, generation: int) -> list[Picture]:
        """The first layer of a champion as pictures; empty if it cannot be read."""
        if generation not in self._pictures:
            if not 0 <= generation < len(self._hall):
                return []
            if len(self._pictures) > 64:
                self._pictures.clear()
            self._pictures[generation] = self._pictured(generation)
        return self._pictures[generation]

    def _pictured(self, generation: int) -> list[Picture]:
        from evolve.run.columns import GenerationError
        from game.errors import InputError
        from gui.individuals.pictures import first_layer

        try:
            weights = self._hall.champion(generation).weights
            if self._spec is None:
                from evolve.run.folder import Run

                self._spec = Run(self.path).network()
            if len(weights) != self._spec.weights:
                raise GenerationError(f"{len(weights)} weights, expected {self._spec.weights}")
            return first_layer(weights.tolist(), self._spec)
        except GenerationError as error:
            self._no_picture = f"{HALL_OF_FAME}, line {generation + 2}: damaged, expected a champion."
            beside = weights_path(self.path / generation_name(generation)).name
            if beside in str(error):
                self._no_picture = f"{beside}: damaged or not there. R goes on from an earlier generation."
        except InputError as error:
            self._no_picture = str(error)
        return []
