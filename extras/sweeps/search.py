"""Searches over settings: their keys and values, and the trials that Optuna proposes, stops and keeps.

Optuna's TPE (tree-structured Parzen estimator) proposes settings, its median pruner stops trials, and its journal keeps
them. The sampler of a trial has a seed of its own, derived from the number of trials that have ended: so what is
proposed depends only on the seed and on the results so far, also after a kill.

Sources: Bergstra et al., Algorithms for hyper-parameter optimization (2011); Akiba et al., Optuna (2019); importance:
Watanabe et al., PED-ANOVA (2023).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from evolve.config import toml
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.values import flat_values, to_values
from evolve.run.files import RunError
from extras.sweeps import sweep
from game.errors import InputError
from game.generator import derive_seed

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.trial import FrozenTrial

JOURNAL, STUDY = "search.journal", "search"
TRIALS = 40
"""The usual number of trials."""
DIGITS = 4
"""Significant digits of proposed numbers: more would only make names long."""
MOST_CHECKED = 1000
"""Maximum number of combinations of values that are checked before the first trial."""
FORMS = "key=LOW..HIGH, key=LOW..HIGH:log or key=a,b,c"


@dataclass(frozen=True)
class SearchedKey:
    """A key of the configuration with the values that are searched.

    Attributes:
        distribution: the values of a list, or the numbers of a range.
        tried: the values that are checked before the search: all of a list; the first, next and last of a range.
    """

    key: str
    distribution: Any
    tried: tuple[str, ...]

    def text(self, value: Any) -> str:
        """Return a proposed value as it is set."""
        if isinstance(value, float):
            return repr(min(max(float(f"{value:.{DIGITS}g}"), self.distribution.low), self.distribution.high))
        return str(value)


_RANGE = re.compile(r"([^,]+?)\.\.([^,:]+)(:[^,:]*)?")


def parse_space(texts: Sequence[str], config: Config) -> tuple[SearchedKey, ...]:
    """Return the searched keys with their values.

    Args:
        config: the configuration whose values they change.

    Raises:
        InputError: a text is malformed, a range is empty, or runs cannot be compared by a key.
        ConfigError: a key does not exist, or a value does not fit it or the others.
    """
    given = [_parse(text) for text in texts]
    sweep.check_keys("search", [key for key, _, _ in given])
    begun = toml.apply_settings(config, [f"{key}={values[0]}" for key, values, _ in given])
    kinds = {key: type(value) for key, value in flat_values(to_values(begun)).items()}
    keys = [_searched(text, *each, kinds.get(each[0], float)) for text, each in zip(texts, given, strict=True)]
    errors: dict[str, None] = {}
    for values in itertools.islice(itertools.product(*(each.tried for each in keys)), MOST_CHECKED):
        try:
            toml.apply_settings(config, [f"{each.key}={value}" for each, value in zip(keys, values, strict=True)])
        except ConfigError as error:
            errors |= dict.fromkeys(error.lines)
    if errors:
        raise ConfigError(list(errors))
    return tuple(keys)


def _parse(text: str) -> tuple[str, tuple[str, ...], str]:
    """Return a key, the values of its list or the ends of its range, and ``list``, ``range`` or ``log``."""
    key, equals, given = (part.strip() for part in text.partition("="))
    if not (key and equals and given):
        raise InputError(f"--search {text}: expected {FORMS}")
    ends = _RANGE.fullmatch(given)
    if ends is None:
        values = sweep.parse_values(text, "search")[1]
        if len(values) < 2:
            raise InputError(f"--search {text}: expected two values or more, or a range; expected {FORMS}")
        return key, tuple(values), "list"
    low, high = (_number(part) for part in ends.groups()[:2])
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(f"--search {text}: expected two numbers, such as {key}=0.01..1, or a list: {FORMS}")
    if low >= high:
        raise InputError(f"--search {text}: an empty range: expected the lower end first, and a higher one")
    if ends[3] not in (None, ":log"):
        raise InputError(f"--search {text}: expected {FORMS}, got {ends[3]!r}")
    if ends[3] and low <= 0:
        raise InputError(f"--search {text}: expected a lower end above 0 for :log, got {ends[1]}")
    return key, (ends[1].strip(), ends[2].strip()), "log" if ends[3] else "range"


def _searched(text: str, key: str, values: tuple[str, ...], how: str, kind: type) -> SearchedKey:
    from optuna import distributions

    if how == "list":
        return SearchedKey(key, distributions.CategoricalDistribution(values), values)
    if kind not in (int, float):
        raise InputError(f"--search {text}: {key} takes no numbers: list its values, such as {key}=a,b")
    low, high = map(float, values)
    if kind is int and low.is_integer() and high.is_integer():
        tried = tuple(dict.fromkeys(str(int(value)) for value in (low, low + 1, high)))
        return SearchedKey(key, distributions.IntDistribution(int(low), int(high), how == "log"), tried)
    return SearchedKey(key, distributions.FloatDistribution(low, high, how == "log"), values)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


# The trials -----------------------------------------------------------------------------------------------------------


class _Held:
    """A lock of Optuna's that is always held: by the lock of the folder, which a kill releases at once."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass


def open_study(folder: Path) -> Study:
    """Return the trials of a search, kept in a journal in its folder, whose lock the caller holds.

    Raises:
        RunError: the journal is damaged.
    """
    import optuna
    from optuna.storages.journal import JournalFileBackend, JournalStorage

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    path = folder / JOURNAL
    if path.is_file():
        with path.open("r+b") as file:  # a kill may have left part of a line
            file.truncate(file.read().rfind(b"\n") + 1)
    try:
        storage = JournalStorage(JournalFileBackend(str(path), cast(Any, _Held())))
        pruner = optuna.pruners.MedianPruner()
        if path.stat().st_size:
            return optuna.load_study(study_name=STUDY, storage=storage, pruner=pruner)
        return optuna.create_study(study_name=STUDY, storage=storage, pruner=pruner, direction="maximize")
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RunError(f"{path}: damaged, not what a search writes: {error}") from error


def ended(study: Study) -> list[FrozenTrial]:
    from optuna.trial import TrialState

    return list(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED)))


def next_trial(study: Study, axes: Sequence[SearchedKey], seed: int) -> Trial:
    """Return the next trial; one that was interrupted is proposed again, with the same values."""
    from optuna.samplers import TPESampler
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
    study.sampler = TPESampler(seed=derive_seed(seed, len(ended(study))) % 2**32)
    return study.ask({axis.key: axis.distribution for axis in axes})


def seconds_spent(study: Study) -> float:
    times = (trial.duration for trial in ended(study))
    return math.fsum(time.total_seconds() for time in times if time is not None)


def complete(study: Study) -> list[FrozenTrial]:
    """Return the trials that were played to their end, the best first."""
    whole = [trial for trial in ended(study) if trial.state.name == "COMPLETE"]
    return sorted(whole, key=lambda trial: (-(trial.value or 0.0), trial.number))


def importances(study: Study) -> dict[str, float]:
    """Return the share of each key in what makes trials good; empty for a single key or too few trials."""
    from optuna.importance import get_param_importances

    trials = complete(study)
    if len({trial.value for trial in trials}) < 2 or len(trials[0].params) < 2:
        return {}
    return dict(get_param_importances(study))
