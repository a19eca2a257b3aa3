"""The trials of a search, one after the other; then the best settings again, with new seeds."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evolve.commands.options import print_result
from evolve.config import anchors, toml
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.run.log import read_log
from evolve.run.status import lock
from evolve.session import champion_rating, create
from evolve.session.reporters import CountingLine
from extras.sweeps import results, search, sweep
from extras.sweeps.playing import Playing
from extras.sweeps.sweep import SettingSearch, Sweep, SweepMember
from game.errors import InputError
from game.installation import COMMAND
from game.number_text import count_text, percent_text, span_text

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

    from evolve.workers.pool import Machines

BEST = 3
"""Number of settings that are played again."""
UNCHANGED = "unchanged"
"""The name of the setting without the values of the search, beside which the best are played again."""


def steps(config: Config) -> list[int]:
    """Return the generations after which the runs of a trial are compared with those of others.

    Raises:
        InputError: there is none.
    """
    due = [number for number in range(1, config.generations + 1) if champion_rating.is_due(config, number)]
    if not due:
        raise InputError(
            f"--search: settings are compared by their ratings; expected rating.every from 1 to {config.generations}, "
            f"the last generation, got {config.rating.every}"
        )
    return due


def members_to_come(plan: SettingSearch) -> list[SweepMember]:
    return [sweep.member(UNCHANGED, seed) for seed in plan.fresh]


@dataclass
class _Searching(Playing):
    """A search that is being played; its plan has its runs so far.

    Attributes:
        base: the configuration without the values of the search.
    """

    base: Config
    study: Study
    axes: tuple[search.SearchedKey, ...]

    @property
    def wanted(self) -> SettingSearch:
        assert self.plan.search is not None
        return self.plan.search

    def setting(self, trial: Trial | FrozenTrial) -> tuple[str, list[str]]:
        """Return the setting of a trial, as its name and as values of keys."""
        texts = [axis.text(trial.params[axis.key]) for axis in self.axes]
        keys = [axis.key for axis in self.axes]
        return sweep.setting_text(keys, texts), [f"{key}={text}" for key, text in zip(keys, texts, strict=True)]

    def begin(self, setting: str, values: Sequence[str], seeds: Sequence[int]) -> list[SweepMember]:
        """Return the runs of a setting with these seeds; those that do not exist are created.

        Raises:
            ConfigError: the values do not fit each other.
        """
        members = [sweep.member(setting, seed) for seed in seeds]
        config = toml.apply_settings(self.base, values)
        for member in members:
            if not self.plan.run(member).path.exists():  # it does if a kill came before the next line but one
                create.create(self.plan.path, member.name, replace(config, seed=member.seed))
        new = tuple(member for member in members if member not in self.plan.members)
        if new:
            self.plan = replace(self.plan, members=self.plan.members + new)
            sweep.write(self.plan)
        return members

    def play_trials(self) -> bool:
        """Play the trials that are left; return whether the search can go on."""
        while (done := len(search.ended(self.study))) < self.wanted.trials:
            if self.wanted.budget and search.seconds_spent(self.study) >= self.wanted.budget:
                self.line.step(f"{span_text(self.wanted.budget)} are spent after {count_text(done, 'trial')}")
                break
            trial = search.next_trial(self.study, self.axes, self.wanted.seeds[0])
            if not self._play_trial(trial, f"trial {done + 1} of {self.wanted.trials}"):
                return False
        return True

    def _play_trial(self, trial: Trial, which: str) -> bool:
        from optuna.trial import TrialState

        setting, values = self.setting(trial)
        what = f"{which}, {setting}"
        try:
            members = self.begin(setting, values, self.wanted.seeds)
        except ConfigError as error:
            self.study.tell(trial, state=TrialState.PRUNED)
            self.line.step(f"{what}: not played, {error}")
            return True
        generations = steps(self.base)
        for generation in generations:
            if not all(self.play(member, what, generation) for member in members):
                return False
            value = math.fsum(self._rating(member, generation) for member in members) / len(members)
            trial.report(value, generation)
            if generation != generations[-1] and trial.should_prune():
                self.study.tell(trial, state=TrialState.PRUNED)
                self.line.step(f"{what}: stopped at generation {generation} with {_text(value)}, below the median")
                return True
        self.study.tell(trial, value)
        self.line.step(f"{what}: rating {_text(value)}")
        return True

    def _rating(self, member: SweepMember, generation: int) -> float:
        """Return a rating with the zero that people see; its known bound if all games ended the same way."""
        log = read_log(self.plan.run(member), generation)
        value, low, high = (log.column(name)[generation] for name in ("rating", "rating_low", "rating_high"))
        return anchors.SHOWN_ZERO + (value if math.isfinite(value) else low if value > 0 else high)

    def best(self) -> dict[str, FrozenTrial]:
        """Return the best trial of each of the best settings."""
        matches: dict[str, FrozenTrial] = {}
        for trial in search.complete(self.study):
            matches.setdefault(self.setting(trial)[0], trial)
        return dict(list(matches.items())[:BEST])

    def play_best(self, best: dict[str, FrozenTrial]) -> Sweep | None:
        """Play the best settings, and the one without values of the search, with new seeds; return these runs."""
        members = self.begin(UNCHANGED, [], self.wanted.fresh)
        for setting, trial in best.items():
            members += self.begin(setting, self.setting(trial)[1], self.wanted.fresh)
        which = [f"again with new seeds, run {at} of {len(members)}, {one.name}" for at, one in enumerate(members, 1)]
        if not all(map(self.play, members, which)):
            return None
        return replace(self.plan, members=tuple(members), search=None)


def run(plan: Sweep, options: argparse.Namespace, cluster: Machines | None) -> int:
    """Play a search, new or resumed, and print its report.

    Raises:
        InputError: a run or the journal cannot be used.
    """
    assert plan.search is not None
    with lock(plan.path):
        sweep.write(plan)
        base, _ = create.reopen(plan.run(members_to_come(plan.search)[0]), None, [], own=options.plugin)
        axes = search.parse_space(plan.search.space, base)
        study, line = search.open_study(plan.path), CountingLine(quiet=options.json)
        now = _Searching(plan, options, cluster, line, base, study, axes)
        again = now.play_best(now.best()) if now.play_trials() else None
    print_result(options, lambda: _as_json(now, again), lambda: _report(now, again))
    return 0 if now.signal is None else 128 + now.signal


def _as_json(now: _Searching, again: Sweep | None) -> dict[str, Any]:
    """Return the results of a search, with the runs of the best settings if they were played again."""
    trials = [
        {
            "setting": now.setting(trial)[0],
            "complete": trial.state.name == "COMPLETE",
            "ratings": {step: value - anchors.SHOWN_ZERO for step, value in trial.intermediate_values.items()},
        }
        for trial in search.ended(now.study)
    ]
    return {
        "search": str(now.plan.path),
        "scale": anchors.SCALE,
        "trials": trials,
        "importance": search.importances(now.study),
        "again": None if again is None else results.as_json(again),
    }


def _report(now: _Searching, again: Sweep | None) -> str:
    wanted, trials = now.wanted, search.ended(now.study)
    stopped = len(trials) - len(search.complete(now.study))
    lines = [
        f"search       {now.plan.path}, {count_text(len(trials), 'trial')} of {wanted.trials}, {stopped} of them "
        f"stopped early; {count_text(len(wanted.seeds), 'seed')} each, generations 0 to {now.plan.generations}"
    ]
    for setting, trial in now.best().items():
        number = trials.index(trial) + 1  # without those that were interrupted
        lines.append(f"best         {setting}: rating {_text(trial.value)} in trial {number}")
    if stopped < len(trials):
        lines.append(
            f"             Too high: the highest of {len(trials)} ratings are so by luck as well as by strength."
        )
    if shares := search.importances(now.study):
        lines.append("importance   " + ", ".join(f"{key} {percent_text(share)}" for key, share in shares.items()))
    if again is None:
        return "\n".join([*lines, f"continue     {COMMAND} {now.plan.verb} --resume {now.plan.path.name}"])
    seeds = f"{wanted.fresh[0]} to {wanted.fresh[-1]}"
    lines += ["", f"The best again, with seeds {seeds}, by which none was chosen:", ""]
    return "\n".join([*lines, *results.table(again)])


def _text(value: float | None) -> str:
    assert value is not None
    return anchors.shown_text(value - anchors.SHOWN_ZERO)
