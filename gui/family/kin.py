"""Whose family is asked for: a player of a game, a row of a list, an individual of a run. No pygame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from game.errors import InputError
from game.players.names import RESERVED, parse_name
from gui.individuals import first_frame

PEOPLE = "Nobody here is a program that was bred."
WRITTEN = "It was written, not bred, so it has no family."
FOREIGN = "Another program: nothing is known here of where it comes from."
ALONE = "A file on its own does not tell who descends from whom."
GONE = "No run of this name is there any more, so its family is not known."
NO_GENERATION = "Its run has no complete generation yet."


class NoFamilyError(InputError):
    """Nobody's family is known; the text says why."""


class Kin(NamedTuple):
    """An individual: the same one wherever it is shown.

    Attributes:
        run: the folder of its run.
        generation: of the run.
        name: within the generation.
    """

    run: Path
    generation: int
    name: str


@dataclass(frozen=True)
class Whom:
    """Whose family is wanted, before anything was read.

    Attributes:
        player: as players are named; not asked for with a `kin`.
        title: what the window calls it.
        kin: the individual, where that is known; without a name the champion of its generation.
    """

    player: str = ""
    title: str = ""
    kin: Kin | None = None


def find_kin(runs: Path, whom: Whom) -> Kin:
    """The individual; of a run or a generation its champion.

    Args:
        runs: the folder of runs.
        whom: who is meant.

    Raises:
        NoFamilyError: it is of no run.
        InputError: its run or generation cannot be read.
    """
    from evolve.run.folder import Run
    from evolve.run.row_index import read_heads

    kin = whom.kin
    if kin is None:
        name = parse_name(whom.player)
        if name.target in RESERVED:
            raise NoFamilyError(FOREIGN if name.target == "external" else WRITTEN)
        run, generation = first_frame.run_of(runs, whom.player)
        if run is None:
            raise NoFamilyError(ALONE if name.target.lower().endswith(".csv") else GONE)
        kin = Kin(run.path, run.manifest().newest if generation is None else generation, name.member or "")
    if not kin.run.is_dir():
        raise NoFamilyError(GONE)
    newest = Run(kin.run).manifest().newest
    if kin.generation < 0 or newest < 0:
        raise NoFamilyError(NO_GENERATION)
    if kin.generation > newest:
        raise NoFamilyError(f"Its run has no generation {kin.generation:,}: the newest is {newest:,}.")
    if kin.name:
        return kin
    return kin._replace(name=read_heads(Run(kin.run).generation_path(kin.generation), 1)[0].name)
