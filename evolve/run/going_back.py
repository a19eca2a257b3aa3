"""Going back in a run: the generations after one are given up, and their files set aside.

Complete generations may be the only copy of someone's work, so their files are kept under names that end in
``.given-up``; so are copies of the growing files, since only the hall of fame has the weights of thinned generations.

Files first get their second name, then the manifest no longer lists them, then they lose their first name.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable
from pathlib import Path

from evolve.run import append_only, weights_file
from evolve.run.files import write_atomically
from evolve.run.manifest import Manifest, generation_name, generation_number
from game.regular_files import read_regular

ASIDE = ".given-up"
"""Suffix for the files of abandoned generations."""


def go_back(folder: Path, known: Manifest, generation: int) -> Manifest:
    """Undo everything after a generation (-1: everything), and return the new manifest."""
    if not known.damage:
        # Leftovers of a kill are removed first, while they can be distinguished from complete generations.
        _remove(folder, (number for number in numbers(folder) if number > known.newest))
    given_up = [entry.generation for entry in known.entries[generation + 1 :]]
    for path in _files_of(folder, given_up):
        _put_aside(path)
    for name in append_only.NAMES if given_up or known.damage else ():
        _put_aside(folder / name, copied=True)
    after = known.up_to(generation)
    if known.damage or after != known:
        after.write(folder)
    _remove(folder, reversed(given_up))
    if known.damage:
        beyond = [number for number in numbers(folder) if number > after.newest]
        for path in _files_of(folder, beyond):
            _put_aside(path)
        _remove(folder, beyond)
    for path in folder.glob(".*.tmp"):
        path.unlink()
    append_only.cut_all(folder, generation)
    return after


def numbers(folder: Path) -> list[int]:
    """Return the numbers of all generation files of a run, sorted."""
    with contextlib.suppress(OSError):  # quicker than `Path.glob` in a long run
        return sorted(number for name in os.listdir(folder) if (number := generation_number(name)) >= 0)
    return []


def is_in_use(path: Path) -> bool:
    """Return whether the file of a generation exists, and has not also the name under which it is set aside."""
    with contextlib.suppress(FileNotFoundError):
        status = path.stat()
        return status.st_nlink < 2 or not any(map(path.samefile, path.parent.glob(f"{path.name}{ASIDE}*")))
    return False


def _files_of(folder: Path, generations: Iterable[int]) -> Iterable[Path]:
    for generation in generations:
        path = folder / generation_name(generation)
        yield path
        yield weights_file.weights_path(path)


def _remove(folder: Path, generations: Iterable[int]) -> None:
    for path in _files_of(folder, generations):
        path.unlink(missing_ok=True)


def _put_aside(path: Path, *, copied: bool = False) -> None:
    """Copy a file to an unused name that no session reads, or give it such a name as well."""
    names = (f"{path.name}{ASIDE}{end}" for end in itertools.chain([""], (f"-{n}" for n in itertools.count(2))))
    aside = next(new for name in names if not (new := path.with_name(name)).exists())
    with contextlib.suppress(FileNotFoundError):
        if copied:
            write_atomically(aside, read_regular(path))
            return
        try:
            os.link(path, aside)
        except FileNotFoundError:
            raise
        except OSError:
            path.rename(aside)
