"""Branching: a run that begins with a copy of another's generations, and goes on with other values or another seed."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evolve.config import toml
from evolve.config.model import Config, Plugins
from evolve.kinds import plugins
from evolve.run import append_only, weights_file
from evolve.run.conditions import check_branch, earlier_configs, earlier_name
from evolve.run.files import CONFIG, RunError, write_atomically
from evolve.run.folder import Run
from evolve.run.manifest import Manifest
from evolve.run.runs import Runs
from evolve.session import create
from game.regular_files import read_regular


def branch_config(
    source: Run, generation: int, settings: Sequence[str], instead: dict[str, Any], own: Sequence[Path] = ()
) -> tuple[Config, list[str]]:
    """The configuration of a branch, and messages about it.

    Args:
        source: the run that it comes from.
        generation: the last that they have in common.
        settings: changes, ``key=value``.
        instead: fields of the configuration that were given otherwise, such as ``seed``; without it or a setting a seed
            is drawn.
        own: plugins of the run, as far as they were asked for by name; of the same name also others, such as mended
            ones, which the branch has instead. With those alone it keeps the seed.

    Raises:
        RunError: another version's run, changes by hand, a generation that is not there or has lost its weights, or
            values with which nothing would differ, or that do not fit its rows.
        ConfigError: wrong values.
    """
    needed = plugins.named_in(source.tables())
    instead_of = _mended(needed, own)
    before, notes = create.reopen(source, None, [], own=None if instead_of else own)
    begun_with = before
    if instead_of:
        create.load_asked(source, instead_of, own)
        begun_with = replace(before, plugins=Plugins(*map(tuple, zip(*instead_of, strict=True))))
    known = source.manifest()
    create.check_is_there(source, known, generation)
    if generation < 0:
        raise RunError(f"{source.name}: a branch has at least generation 0 in common with its run")
    config = replace(toml.apply_settings(begun_with, list(settings), notes, source.name), **instead)
    if not settings and "seed" not in instead and not instead_of:
        config = replace(config, seed=secrets.randbelow(2**32))
    check_branch(before, config, source.name, generation)
    kept = create.check_files_up_to(source, known, generation)
    create.parents(source, kept, config)
    return config, notes


def _mended(needed: Sequence[tuple[str, str]], own: Sequence[Path]) -> list[tuple[str, str]]:
    """Names and SHA-256 of the plugins of a branch, if some are other files than those of its run; else none."""
    asked = [plugins.read_plugin(path) for path in own]
    wanted = {plugin.name: plugin.sha256 for plugin in asked}
    there = {plugin.sha256 for plugin in asked}
    found = [(name, sha if sha in there else wanted.get(name, sha)) for name, sha in needed]
    return found if found != list(needed) else []


def branch(runs: Path, name: str, source: Run, generation: int, config: Config) -> Run:
    """Make the folder of a branch: copies of generations up to one, and its configuration; the source is only read.

    Args:
        runs: the folder of runs.
        name: of the branch.
        source: the run that it comes from.
        generation: the last that they have in common.
        config: of `branch_config`.

    Raises:
        TakenError: the name is taken.
        RunError: the name cannot be one, or a file of the source is damaged.
        OSError: it cannot be made.
    """
    known = source.manifest().up_to(generation)

    def fill(made: Run) -> None:
        for last, path in earlier_configs(source.path):
            if last < generation:
                write_atomically(made.path / path.name, read_regular(path))
        write_atomically(made.path / earlier_name(generation), read_regular(source.path / CONFIG))
        for entry in known.entries:
            # Thinning changes the rows first: weights that are read before them fit them, as they were or as they are.
            weights = weights_file.weights_path(source.generation_path(entry.generation))
            if weights.is_file():
                write_atomically(made.path / weights.name, read_regular(weights))
            write_atomically(made.generation_path(entry.generation), source.checked_bytes(known, entry.generation))
        for growing in append_only.NAMES:
            try:
                append_only.copy_up_to(source.path / growing, made.path / growing, generation)
            except OSError as error:
                if Path(str(error.filename)) != source.path / growing:  # of the branch: a full disk
                    raise
                raise RunError(f"{source.path / growing}: cannot be read: {error.strerror}") from error
        # Read again: a session of the source may have thinned generations since, perhaps after they were copied.
        Manifest(source.manifest().entries[: generation + 1]).write(made.path)

    begun = {"branched_from": f"{source.name}@{generation}", "branched_digest": known.digest()}
    if not Runs(runs).finds(source.path):
        with contextlib.suppress(ValueError):  # on another drive, to which no relative path leads
            begun["branched_folder"] = Path(os.path.relpath(source.path.resolve(), runs.resolve() / name)).as_posix()
    return create.create(runs, name, config, begun, fill)
