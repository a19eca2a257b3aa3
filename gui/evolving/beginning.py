"""The beginning of a game against an opponent that evolves: what a person may choose, and what is too slow for it."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run.folder import Run
from evolve.run.log import read_log
from evolve.run.runs import Runs, is_shipped
from game.errors import InputError
from gui.evolving.opponent import FREE, LEFT, PRESET, EvolvingOpponent, Pace
from gui.model.game import MOST_SEED, GameModel, seed_tags
from gui.model.seats import Seat, individual, with_person
from gui.sessions import launch
from gui.sessions.form import free_name

if TYPE_CHECKING:
    import argparse

    from gui.runs.live_run import LiveRun
    from gui.storage.settings import Settings

MOST_SECONDS = 0.5
"""Seconds for a generation above which a preset is too slow for a game."""
TOO_LONG = f"but at most {MOST_SECONDS:g} s suit a game"
RECENT = 10
"""Number of generations of a run whose time is looked at."""


@dataclass(frozen=True)
class Beginning:
    """The choices of a person for a new game.

    Attributes:
        run: the run that evolves on; empty for a new one.
        preset: that of a new run; empty for `PRESET`.
        pace: generations for each move, or `FREE`; None for the last choice.
        seed: that of a new run; None for a random one.
        colour: the person's; empty for the last choice.
    """

    run: str = ""
    preset: str = ""
    pace: int | None = None
    seed: int | None = None
    colour: str = ""

    @classmethod
    def of_options(cls, options: argparse.Namespace) -> Beginning | None:
        """Return the choices of ``play --evolving``; None without this option.

        Raises:
            InputError: they contradict each other, there is no such run or preset, or it cannot evolve during a game.
        """
        if options.evolving is None:
            if (options.preset, options.pace, options.seed) != (None, None, None):
                raise InputError("--preset, --pace and --seed: only together with --evolving")
            return None
        given = ("player", "fen", "pdn", "open")
        if any(getattr(options, name) is not None for name in given):
            raise InputError("--evolving: not together with PLAYER, --fen, --pdn or --open")
        if options.evolving and (options.preset, options.seed) != (None, None):
            raise InputError("--evolving RUN: not together with --preset or --seed, the run keeps its own")
        pace = None if options.pace is None else FREE if options.pace == "free" else int(options.pace)
        made = cls(options.evolving, options.preset or "", pace, options.seed, options.colour or "")
        made.check(options.runs)
        if made.preset not in ("", PRESET):
            check_speed(made.preset)
        return made

    def check(self, runs: Path) -> None:
        """Check that the run, or a new run of the preset, can evolve during a game, apart from its speed.

        Raises:
            InputError: it cannot, and why.
        """
        from evolve.config.model import MAX_SEED
        from evolve.config.toml import load

        if self.run:
            run = Run.open(self.run, runs)
            if is_shipped(run.path):
                raise InputError(
                    f"--evolving: {run.name} came with the program, and stays as it is; choose another run"
                )
            kind, what = run.config().kind, f"the run {run.name}"
            recent = read_log(run, run.manifest().newest).column("seconds")[-RECENT:]
            if kind.breeds and recent and sum(recent) / len(recent) > MOST_SECONDS:
                each = sum(recent) / len(recent)
                raise InputError(f"--evolving: a generation of {what} took {each:.2g} s, {TOO_LONG}")
        else:
            if self.seed is not None and not 0 <= self.seed <= MAX_SEED:
                raise InputError(f"--seed: expected a whole number from 0 to {MAX_SEED}, got {self.seed}")
            config = load(self.preset or PRESET)
            kind, what = config.kind, f"the preset {config.preset}"
        if not kind.breeds or kind.work != "games":
            raise InputError(f"--evolving: {what} does not evolve by games; choose another one, such as {PRESET}")

    def game(
        self, runs: Path, live: Callable[[Path], LiveRun], store: Settings, colour: str
    ) -> tuple[EvolvingOpponent, GameModel]:
        """Return the opponent, and a game against it whose random choices derive from the seed.

        Args:
            live: returns the run in a folder.
            colour: the person's colour unless one was chosen.
        """
        pace, seed = Pace.last(store, self.pace), secrets.randbelow(MOST_SEED) if self.seed is None else self.seed
        if self.run:
            there = live(Runs(runs).path(self.run))
            there.read()
            opponent = EvolvingOpponent(live, there.path, pace, owed=max(there.newest, 0))
        else:
            preset = self.preset or PRESET
            name = free_name(runs, preset)
            new = (f"--preset={preset}", f"--name={name}", f"--runs={runs}", f"--seed={seed}")
            opponent = EvolvingOpponent(live, runs / name, pace, new, owed=LEFT)
        first = Seat(individual(opponent.run.name), title="Generation 0")
        seed = seed % MOST_SEED + 1
        return opponent, GameModel(with_person(first, self.colour or colour), seed=seed, tags=seed_tags(seed))


def check_speed(preset: str) -> None:
    """Estimate in a process of its own how long the generations of a preset take here.

    Raises:
        InputError: they take too long for a game, or an unknown time.
    """
    estimate = launch.Foresight()
    estimate.ask((f"--preset={preset}", "--workers=1"), "evolve", -math.inf)  # there is nothing to wait for
    estimate.step(0.0)
    while estimate.busy:
        time.sleep(0.05)
        estimate.step(0.0)
    if estimate.trouble or estimate.generations is None:
        raise InputError(f"--evolving: {estimate.trouble.rstrip('.')}")
    seconds = math.inf if estimate.seconds is None else estimate.seconds / (estimate.generations + 1)
    if seconds > MOST_SECONDS:
        takes = "an unknown time" if estimate.seconds is None else f"about {seconds:.2g} s"
        text = f"A generation of {preset} takes {takes} here, {TOO_LONG}: choose a faster preset, such as {PRESET}"
        raise InputError(f"--evolving: {text}")
