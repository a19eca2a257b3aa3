"""The kind of run whose generations are one network each: enough to read such runs and to play their networks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from evolve.config.model import RunKind
from evolve.kinds.methods import search_by_keys
from evolve.kinds.plugins import Unloaded
from evolve.run.log import NETWORK_COLUMNS, RATED_COLUMNS
from extras import missing
from game.installation import MissingExtraError

if TYPE_CHECKING:
    from evolve.config.model import Config
    from evolve.kinds.methods import LogCurve


class NetworkRuns(RunKind):
    """A run whose generations are one network each, which learns by the method of `[learning]`."""

    verb: ClassVar[str] = "train"
    noun: ClassVar[str] = "Training"
    breeds: ClassVar[bool] = False
    session: ClassVar[str] = ""
    thinned: ClassVar[str] = "results and the network"
    lost: ClassVar[str] = "the state of its optimiser"
    origin: ClassVar[str] = "learnt"
    work: ClassVar[str] = "samples"
    made: ClassVar[str] = "trained"
    leader: ClassVar[str] = "Network"
    kept: ClassVar[tuple[str, ...]] = ("learning.method",)
    forecast: ClassVar[str] = ""

    @property
    def games_key(self) -> str:
        return "learning.games" if "games" in self.method.outside else ""

    @classmethod
    def check_installed(cls) -> None:
        if not cls.session:
            raise MissingExtraError(missing(cls.verb) or f"{cls.verb}: a plugin of this run is not loaded")
        super().check_installed()

    def extends(self, other: RunKind) -> bool:
        return isinstance(other, NetworkRuns) and issubclass(self.method, other.method)

    def brief(self, config: Config) -> str:
        method = re.split("[,;.]", self.method.describe().partition(": ")[2])[0]
        return f"One network of {config.network.weights:,} weights learns {method}"

    def obtained(self, config: Config) -> str:
        method = config.learning.method
        return "" if isinstance(method, Unloaded) else method.how_obtained()  # only its code says that

    @property
    def search(self) -> str:
        return search_by_keys(self.method.rules()) if issubclass(self.method, Unloaded) else self.method.search

    def individuals(self, config: Config) -> int:
        return 1

    def parents(self, config: Config) -> int:
        return 1

    def bred_from(self, config: Config) -> int:
        return 1

    def state_size(self, config: Config) -> int:
        return config.learning.method.state_size(config.network.weights)

    def problems(self, config: Config) -> list[str]:
        return list(filter(None, [config.learning.method.problem(config.network)]))

    def begun(self, config: Config, runs: Path) -> Config:
        method = config.learning.method.begun(config.network, runs)
        return replace(config, learning=replace(config.learning, method=method))

    def outside(self, config: Config) -> tuple[str, ...]:
        return tuple(f"learning.{key}" for key in config.learning.method.outside)

    def played_again(self, config: Config, generation: int) -> range:
        return config.learning.method.played_again(generation)

    def check_moved(self, before: Config, config: Config) -> None:
        if config.learning.method != before.learning.method:
            config.learning.method.check_outside()

    def log_columns(self) -> tuple[str, ...]:
        return (*NETWORK_COLUMNS, *self.method.columns, *RATED_COLUMNS, "seconds")

    def progress_columns(self) -> tuple[str, ...]:
        return ("samples", "loss", *(self.method.shown or self.method.columns))

    def curves(self) -> tuple[LogCurve, ...]:
        return self.method.all_curves()
