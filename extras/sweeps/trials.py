"""The trials of a search, one after the other; then the best settings again, with new seeds, and against each other."""

from __future__ import annotations

import argparse
import itertools
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
from evolve.strength import means
from evolve.workers.pool import Interruption, worker_count
from extras.sweeps import results, search, sweep
from extras.sweeps.playing import Playing
from extras.sweeps.sweep import SettingSearch, Sweep, SweepMember
from game.errors import InputError
from game.generator import derive_seed
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
                self.line.step(
                    f"the budget of {span_text(self.wanted.budget)} is spent after {count_text(done, 'trial')}"
                )
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
        found: dict[str, FrozenTrial] = {}
        for trial in search.complete(self.study):
            found.setdefault(self.setting(trial)[0], trial)
        return dict(itertools.islice(found.items(), BEST))

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
        again, scores = None, dict[str, means.SampleMean]()
        if now.play_trials():
            again = now.play_best(now.best())
        if again is not None:
            scores = _match(again, options, cluster, line)
        plots = search.write_plots(study, plan.path) if again is not None else []
    found = _Found(now, again, scores, plots)
    print_result(options, found.as_json, found.report)
    return 0 if now.signal is None else 128 + now.signal


def _match(
    plan: Sweep, options: argparse.Namespace, cluster: Machines | None, line: CountingLine
) -> dict[str, means.SampleMean]:
    """Play the champions of each seed against each other; return the mean scores of the settings over the seeds."""
    from evolve.names.players import resolve
    from evolve.strength import effort
    from evolve.strength.elo import THRESHOLD
    from evolve.strength.match import play_match
    from evolve.strength.match_games import loader_for
    from evolve.workers.pool import Interrupted, Pool
    from game.players.names import parse_name

    settings, seeds = plan.settings, sorted({member.seed for member in plan.members})
    # As they were rated: whether tablebases are installed here changes nothing.
    champions = {
        (member.setting, member.seed): resolve(plan.path, None, parse_name(f"{member.name},tablebase=no"))
        for member in plan.members
    }
    games = effort.usual_games(plan.run(plan.members[0]).conditions())
    scores: dict[str, list[tuple[float, float]]] = {setting: [] for setting in settings}
    width = 2 * math.sqrt(THRESHOLD)
    with Interruption() as wish:
        load = loader_for(tuple(champions.values()))
        with Pool(worker_count(options.workers), interruption=wish, machines=cluster, load=load) as pool:
            for seed in seeds:
                of_seed: dict[str, list[tuple[float, float]]] = {setting: [] for setting in settings}
                for number, (one, other) in enumerate(itertools.combinations(settings, 2)):
                    line.count(f"match of the champions with seed {seed}", f"{one} and {other}")
                    drawn = derive_seed(seed, number)
                    a, b = champions[one, seed], champions[other, seed]
                    result = play_match(a, b, games, seed=drawn, pool=pool)
                    if result.stopped:
                        raise Interrupted
                    score = result.estimate
                    error = (score.high - score.low) / width
                    of_seed[one].append((score.score, error))
                    of_seed[other].append((1 - score.score, error))
                for setting, each in of_seed.items():
                    mean = math.fsum(score for score, _ in each) / len(each)
                    scores[setting].append((mean, math.hypot(*(error for _, error in each)) / len(each)))
                line.count()
    found = {setting: means.mean(*map(list, zip(*each, strict=True))) for setting, each in scores.items()}
    return {name: replace(one, low=max(one.low, 0.0), high=min(one.high, 1.0)) for name, one in found.items()}


@dataclass(frozen=True)
class _Found:
    """The results of a search.

    Attributes:
        again: the runs with new seeds; None if the search was stopped before their end.
        scores: mean scores of their champions against each other.
        plots: names of the figures in the folder of the search.
    """

    now: _Searching
    again: Sweep | None
    scores: dict[str, means.SampleMean]
    plots: list[str]

    def as_json(self) -> dict[str, Any]:
        trials = [
            {
                "setting": self.now.setting(trial)[0],
                "complete": trial.state.name == "COMPLETE",
                "ratings": {step: value - anchors.SHOWN_ZERO for step, value in trial.intermediate_values.items()},
            }
            for trial in search.ended(self.now.study)
        ]
        return {
            "search": str(self.now.plan.path),
            "scale": anchors.SCALE,
            "trials": trials,
            "importance": search.importances(self.now.study),
            "again": None if self.again is None else results.as_json(self.again),
            "match": {
                setting: {"score": mean.value, "low": mean.low, "high": mean.high, "seeds": mean.count}
                for setting, mean in self.scores.items()
            },
            "plots": self.plots,
        }

    def report(self) -> str:
        now, wanted, trials = self.now, self.now.wanted, search.ended(self.now.study)
        stopped = len(trials) - len(search.complete(now.study))
        lines = [
            f"search       {now.plan.path}, {count_text(len(trials), 'trial')} of {wanted.trials}, {stopped} of them "
            f"stopped early; {count_text(len(wanted.seeds), 'seed')} each, generations 0 to {now.plan.generations}"
        ]
        best = now.best()
        for setting, trial in best.items():
            number = [each.number for each in trials].index(trial.number) + 1  # without those that were interrupted
            lines.append(f"best         {setting}: rating {_text(trial.value)} in trial {number}")
        if best:
            lines.append(
                f"             Too high: the highest of {len(trials)} ratings are so by luck as well as by strength."
            )
        shares = search.importances(now.study)
        if shares:
            lines.append("importance   " + ", ".join(f"{key} {percent_text(share)}" for key, share in shares.items()))
        if self.plots:
            lines.append(f"figures      {' and '.join(self.plots)} in this folder")
        if self.again is None:
            return "\n".join([*lines, f"continue     {COMMAND} {now.plan.verb} --resume {now.plan.path.name}"])
        lines += [
            "",
            f"The best again, with seeds {wanted.fresh[0]} to {wanted.fresh[-1]}, by which none was chosen:",
            "",
        ]
        lines += [*results.table(self.again), "", "Their champions with the same seed against each other:", ""]
        order = sorted(self.scores, key=lambda setting: -self.scores[setting].value)
        texts = {setting: _score_text(mean) for setting, mean in self.scores.items()}
        width = max(map(len, order))
        lines += [f"{setting.ljust(width)}  {texts[setting]}" for setting in order]
        sure = "" if self.scores[order[0]].low > 0.5 else "; not certain: the interval contains 50 %"
        lines += ["", "Mean scores over these seeds, with 95 % intervals (Student's t), without tablebases."]
        return "\n".join([*lines, f"winner       {order[0]}{sure}"])


def _text(value: float | None) -> str:
    """Return a value of Optuna as a rating."""
    assert value is not None
    return anchors.shown_text(value - anchors.SHOWN_ZERO)


def _score_text(score: means.SampleMean) -> str:
    return f"{percent_text(score.value)} ({100 * score.low:.1f} to {100 * score.high:.1f})"
