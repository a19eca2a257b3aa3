"""Beginning, resuming and branching runs: folders, configurations, versions, and the parents to continue from."""

from __future__ import annotations

import contextlib
import glob
import os
import platform
import secrets
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config import plugin_gate, toml
from evolve.config.begun import BEGUN, copy_deciding_values
from evolve.config.model import Config
from evolve.config.preset_files import ConfigError
from evolve.config.sections import Plugins
from evolve.kinds import plugins
from evolve.run import append_only, status, weights_file
from evolve.run.columns import GenerationError
from evolve.run.conditions import check_branch, earlier_configs, earlier_name
from evolve.run.files import CONFIG, SWEEP, RunError, write_atomically
from evolve.run.folder import FORMAT, LOOP, Run
from evolve.run.manifest import Manifest
from evolve.run.runs import Runs, checked_name, free_names, recorded_again
from extras import added
from game import toml_file
from game.errors import InputError
from game.installation import install_command
from game.regular_files import read_regular, sync_folder
from game.removed import removed_settings

if TYPE_CHECKING:
    from evolve.kinds.individual import Individual

Make = Callable[[str], Run]
"""Makes the folder of a run with the given name."""

RESULTS = 2
"""Version of the results, raised whenever the same configuration begins to give different results."""

PACKAGES = ("numpy", "numba", "llvmlite", "pandas", "orjson", "deap")
"""Packages that can affect results or the bytes of files: they calculate, compile, read and write generations, and
select parents. No other package can change a result."""

SINCE_THEN = ("llvmlite", "orjson")
"""Packages that the records of older runs lack."""


def record(config: Config) -> dict[str, Any]:
    """Return the record of a new run: its format, the versions of results, Python and packages, and entries by kind."""
    made = {"format": FORMAT, "results": RESULTS, "python": platform.python_version()}
    made |= {package: metadata.version(package) for package in PACKAGES}
    return made | config.kind.made_with()


def create(
    runs: Path,
    name: str,
    config: Config,
    begun: dict[str, Any] | None = None,
    fill: Callable[[Run], None] = lambda run: None,
) -> Run:
    """Make the folder of a new run with its configuration; a failure leaves nothing that counts as a run.

    Raises:
        TakenError: the name is taken; the message says how to resume.
        RunError: the name is not valid.
    """
    checked_name(name)
    folder = runs / name
    runs.mkdir(parents=True, exist_ok=True)
    if (there := Runs(runs).path(name)).exists():
        raise taken(there)
    # The name is unique to this process: two sessions that start at once must not share an unfinished folder.
    half = runs / f".{name}.{os.getpid()}.new"
    for old in runs.glob(f".{glob.escape(name)}.*.new"):  # leftovers of kills
        pid = append_only.whole_number(old.name.split(".")[-2].encode())
        if pid == os.getpid() or not status.alive(pid):
            shutil.rmtree(old, ignore_errors=True)
    try:
        half.mkdir()
        (half / "control").mkdir()
        fill(Run(half))
        for plugin in plugins.loaded() if config.plugins.files else ():
            (half / plugins.FOLDER).mkdir(exist_ok=True)
            write_atomically(half / plugins.FOLDER / plugin.name, plugin.source)
        write_config(Run(half), config, record(config) | (begun or {}))
        try:
            half.rename(folder)
        except OSError:
            if folder.exists():  # another process was faster
                raise taken(folder) from None
            raise
    except (OSError, RunError):
        shutil.rmtree(half, ignore_errors=True)
        raise
    sync_folder(runs)
    return Run(folder)


def create_free(runs: Path, name: str | None, config: Config, make: Make | None = None, stem: str = "") -> Run:
    """Make the folder of a new run with a given name, or with the first free ``STEM-N``; by default of its preset."""
    make = make or (lambda name: create(runs, name, config))
    if name is not None:
        return make(name)
    for free in free_names(stem or config.preset):
        # Another session may take the name at any moment, so the only reliable test is to make the folder.
        with contextlib.suppress(TakenError):
            return make(free)
    raise AssertionError("numbers do not end")


class TakenError(RunError):
    """The name is taken."""


def taken(folder: Path) -> TakenError:
    """Return the error for a name that is taken, with the command to resume."""
    name = folder.name
    if (folder / SWEEP).is_file():
        with contextlib.suppress(InputError):
            verb = toml_file.read_toml(folder / SWEEP).get("verb")
            verb = next((each.name for each in added("verbs") if each.name == verb), "evolve")
            return TakenError(f"{name}: this sweep already exists; continue it with {verb} --resume {name}")
    if not (folder / CONFIG).is_file():
        return TakenError(f"{name}: something that is not a run already has this name in {folder.parent}")
    how = Run(folder).resume_command
    with contextlib.suppress(InputError):
        how = recorded_again(name) if LOOP in Run(folder).check_format() else how
    return TakenError(f"{name}: this run already exists; continue it with {how}")


def write_config(run: Run, config: Config, made: dict[str, Any]) -> None:
    write_atomically(run.path / CONFIG, toml.to_toml(config, made | {BEGUN: copy_deciding_values(config)}).encode())


def reopen(
    run: Run,
    generations: int | None,
    settings: list[str],
    restart_from: int | None = None,
    own: Sequence[Path] | None = (),
) -> tuple[Config, list[str]]:
    """Return the configuration with which a run is resumed, and messages about it.

    Args:
        settings: changes; a run accepts only ``workers`` and the paths of files outside it.
        restart_from: the generation to continue from, setting later ones aside; None for the newest.
        own: plugins named on the command line; None to read the configuration without the code of its plugins.
    """
    made = run.check_format()
    if run.kind is not None:
        run.kind.check_installed()
    if LOOP in made:
        raise RunError(f"{run.name}: belongs to a loop of your own: continue it there, by {recorded_again(run.name)}")
    if gone := removed_settings(run.tables()):
        raise RunError(f"{run.name}: {gone[0]}")
    load_asked(run, () if own is None else plugins.named_in(run.tables()), own or ())
    config = toml.from_toml(run.path / CONFIG)
    now, notes = record(config), []
    for key, value in now.items():
        if key == "format" or made.get(key) == value:
            continue
        if key in SINCE_THEN and key not in made:
            continue
        if key == "results" or (key == "numpy" and _minor(made.get(key)) != _minor(value)):
            remedy = (
                install_command(f"numpy=={made.get(key)}") if key == "numpy" else "use the program it was made with"
            )
            raise RunError(
                f"{run.path}: made with {key} {made.get(key)}, this is {value}: results could change; {remedy}"
            )
        notes.append(f"made with {key} {made.get(key)}, continuing with {value}")
    _check_unchanged(run, config)
    if generations is not None:
        newest = run.manifest().newest
        if restart_from is not None and restart_from < newest:
            if generations < restart_from:
                raise RunError(f"{run.name}: --generations {generations} is before --from {restart_from}")
        elif generations < newest:
            raise RunError(f"{run.name}: already has generation {newest}, --generations {generations} is before that")
        config = replace(config, generations=generations)
    outside = config.kind.outside(config)
    wrong = [text for text in settings if not text.startswith("workers.") and text.split("=")[0].strip() not in outside]
    if wrong:
        can = " and ".join(["workers.*", *outside])
        raise RunError(f"{run.name}: {wrong[0]}: a run keeps its configuration, only {can} can change")
    if restart_from is not None:
        check_is_there(run, run.manifest(), restart_from)
    changed = toml.apply_settings(config, settings)
    config.kind.check_moved(config, changed)  # before it is saved
    if (run.manifest().newest if restart_from is None else restart_from) < 0:  # before generations are set aside
        config.kind.check_first(changed)
    return changed, notes


def load_asked(run: Run, needed: Sequence[tuple[str, str]], own: Sequence[Path]) -> None:
    """Load the plugins of a run if the command line names all of them."""
    asked = [plugins.read_plugin(path) for path in own]
    copies = plugins.copies(run.path, [name for name, _ in needed])
    plugin_gate.check_asked(run.name, [(path, sha) for path, (_, sha) in zip(copies, needed, strict=True)], asked)
    unknown = [plugin.name for plugin in asked if plugin.sha256 not in [sha for _, sha in needed]]
    if unknown:
        raise ConfigError([f"plugin {unknown[0]}: {run.name} has no plugin of this name"])
    plugins.load([next(plugin for plugin in asked if plugin.sha256 == sha) for _, sha in needed])


def _check_unchanged(run: Run, config: Config) -> None:
    """Refuse a configuration that was changed by hand; older runs lack the copy for this comparison."""
    path, changed = run.path / CONFIG, run.changes_by_hand(config)
    if changed:
        raise RunError(
            f"{path}: changed by hand since the run was begun: {changed}; change it back, or begin another run with "
            f"{run.verb} --config {shlex.quote(str(path))}"
        )


def keep_config(run: Run, config: Config) -> None:
    """Save the configuration if it changed (more generations, other workers), preserving the record of the run."""
    if toml.from_toml(run.path / CONFIG) != config:
        write_config(run, config, run.check_format())


def _minor(version: Any) -> str:
    return ".".join(str(version).split(".")[:2])


def parents(run: Run, manifest: Manifest, config: Config) -> list[Individual]:
    """Return the individuals from which the next generation is made, best first; empty before generation 0."""
    import numpy as np

    from evolve.kinds.individual import Individual, fitness_of
    from evolve.kinds.objectives import Rank

    if manifest.newest < 0:
        return []
    rows = run.read_generation(manifest.newest)
    count, state = config.kind.bred_from(config), config.state_size
    if rows.ranks is None or len(rows.names) < count:
        path = run.generation_path(manifest.newest)
        raise GenerationError(f"{path}: expected ranks and at least {count} individuals")
    if rows.weights.shape[1] != config.network.weights:
        raise GenerationError(
            f"{run.generation_path(manifest.newest)}: {rows.weights.shape[1]} weights, expected "
            f"{config.network.weights} for {config.network.name}; was {CONFIG} changed?"
        )
    if config.has_steps and rows.steps is None:
        raise GenerationError(
            f"{run.generation_path(manifest.newest)}: no step sizes (s0, s1, ...), which self-adaptive mutation needs"
        )
    kings = np.full(len(rows.names), config.network.king) if rows.kings is None else rows.kings
    if state and (rows.state is None or rows.state.size < state):
        raise GenerationError(
            f"{run.generation_path(manifest.newest)}: expected {state} numbers of the optimiser (o0, o1, ...)"
        )
    steps = rows.steps if config.has_steps else None
    order = rows.ranks.argsort()
    individuals = [
        Individual(
            rows.weights[row], rows.names[row], king=float(kings[row]), steps=None if steps is None else steps[row]
        )
        for row in order[:count]
    ]
    if rows.counts is not None:
        for one, row in zip(individuals, order, strict=False):
            one.points = int(rows.counts[row, -1])
    made, by_rank = fitness_of(config.fitness.numbers), isinstance(config.fitness.kind, Rank)
    for rank, (one, row) in enumerate(zip(individuals, order, strict=False), 1):
        values = [rank] if by_rank else [rows.columns[f"fitness_{at}"][row] for at in range(len(made.weights))]
        one.fitness = made(tuple(map(float, values)))
    if state and rows.state is not None:
        individuals[0].state = rows.state[order].reshape(-1)[:state]
    return individuals


def check_is_there(run: Run, manifest: Manifest, generation: int) -> None:
    if not -1 <= generation <= manifest.newest:
        raise RunError(
            f"{run.name}: no generation {generation} to continue from; complete generations: 0 to {manifest.newest}"
        )


def check_files_up_to(run: Run, manifest: Manifest, generation: int) -> Manifest:
    check_is_there(run, manifest, generation)
    if generation >= 0 and manifest.entries[generation].thinned:
        raise run.thinned(manifest, generation, run.config().kind.lost)
    kept = manifest.up_to(generation)
    run.check(kept)
    return kept


def branch_config(
    source: Run, generation: int, settings: Sequence[str], instead: dict[str, Any], own: Sequence[Path] = ()
) -> tuple[Config, list[str]]:
    """Return the configuration of a branch, and messages about it.

    A new seed is drawn if neither a setting, a seed nor a replaced plugin is given.

    Args:
        own: plugins named on the command line: those of the run, or files of the same names that replace them, for
            example with corrections.
    """
    needed = plugins.named_in(source.tables())
    instead_of = _mended(needed, own)
    before, notes = reopen(source, None, [], own=None if instead_of else own)
    begun_with = before
    if instead_of:
        load_asked(source, instead_of, own)
        begun_with = replace(before, plugins=Plugins(*map(tuple, zip(*instead_of, strict=True))))
    known = source.manifest()
    check_is_there(source, known, generation)
    if generation < 0:
        raise RunError(f"{source.name}: a branch has at least generation 0 in common with its run")
    config = replace(toml.apply_settings(begun_with, settings), **instead)
    if not settings and "seed" not in instead and not instead_of:
        config = replace(config, seed=secrets.randbelow(2**32))
    check_branch(before, config, source.name, generation)
    again = config.kind.played_again(config, generation)
    if any(source.is_left_out(number) for number in again):
        raise RunError(
            f"--branch: generation {generation + 1} learns from games of generations {again[0] + 1} to "
            f"{generation}, which are played again, but {source.name} was published without some of the networks; "
            f"begin a run from its network instead: learning.teacher={source.cli_name}@{generation}"
        )
    kept = check_files_up_to(source, known, generation)
    parents(source, kept, config)
    return config, notes


def _mended(needed: Sequence[tuple[str, str]], own: Sequence[Path]) -> list[tuple[str, str]]:
    """Return the names and SHA-256 of a branch's plugins if any differ from those of its source; else an empty list."""
    given = [plugins.read_plugin(path) for path in own]
    by_name = {plugin.name: plugin.sha256 for plugin in given}
    unchanged = {plugin.sha256 for plugin in given}
    mended = [(name, sha if sha in unchanged else by_name.get(name, sha)) for name, sha in needed]
    return mended if mended != list(needed) else []


def branch(runs: Path, name: str, source: Run, generation: int, config: Config) -> Run:
    """Make the folder of a branch: its configuration, and copies of the common generations; the source is only read."""
    known = source.manifest().up_to(generation)

    def fill(made: Run) -> None:
        for last, path in earlier_configs(source.path):
            if last < generation:
                write_atomically(made.path / path.name, read_regular(path))
        write_atomically(made.path / earlier_name(generation), read_regular(source.path / CONFIG))
        for entry in known.entries:
            # Thinning changes the rows first, so reading the weights before the rows gives a pair that matches.
            weights = weights_file.weights_path(source.generation_path(entry.generation))
            if weights.is_file():
                write_atomically(made.path / weights.name, read_regular(weights))
            write_atomically(made.generation_path(entry.generation), source.checked_bytes(known, entry.generation))
        for growing in append_only.NAMES:
            try:
                append_only.copy_up_to(source.path / growing, made.path / growing, generation)
            except OSError as error:
                if Path(str(error.filename)) != source.path / growing:  # an error in writing the branch
                    raise
                raise RunError(f"{source.path / growing}: cannot be read: {error.strerror}") from error
        # Reread the manifest: a session of the source may have thinned generations while they were copied.
        Manifest(source.manifest().entries[: generation + 1]).write(made.path)

    begun = {"branched_from": f"{source.name}@{generation}", "branched_digest": known.digest()}
    return create(runs, name, config, begun, fill)
