"""Going through runs and files for opponents: pieces of rows, found one after another."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from evolve.run.append_only import HALL_OF_FAME
from evolve.run.files import Signature, signature
from evolve.run.log import Log
from evolve.run.row_index import Head, RowIndex
from game.players.registry import KINDS
from gui.individuals.damages import Damages
from gui.individuals.rows import NO_GENERATION, Kind, Row, row_of, row_of_file, row_of_generation
from gui.individuals.sources import Scope, Source, Sources, View
from gui.model.names import individual

_AT_ONCE = 500
_READER = "evolve.run.folder"

Pieces = Iterator[Iterable[Row]]
"""Rows as they are found; an empty piece means that time has passed."""


def built_in() -> list[Row]:
    """The players that have a word of their own."""
    kinds = [kind for kind in KINDS.values() if kind.title]
    return [Row(Kind.BUILT_IN, kind.target, kind.target, "built-in", origin=kind.title) for kind in kinds]


class Walker:
    """Finds rows, and remembers what it read until that changes.

    Attributes:
        sources: runs and files.
        externals: commands of external programs.
        seen: what each file was like when the present walk looked at it.
        damages: what was found wrong with files.
        found_damage: whether the present walk found damage that rows before it do not show yet.
    """

    def __init__(self, sources: Sources, externals: list[str]) -> None:
        self.sources, self.externals = sources, externals
        self.seen: dict[Path, Signature | None] = {}
        self.found_damage = False
        self.damages = Damages()
        self._loader: threading.Thread | None = None
        self._kept: dict[Path, RowIndex] = {}
        self._logs: dict[Path, Log] = {}
        self._walked: tuple[list[Source], list[Path]] = [], []

    def loading(self) -> bool:
        """Whether what reads runs is still being loaded: numpy, a tenth of a second that no frame waits for."""
        if self._loader is None:
            if _READER in sys.modules:
                return False
            self._loader = threading.Thread(target=import_module, args=(_READER,), daemon=True)
            self._loader.start()
        return self._loader.is_alive()

    def changed(self) -> bool:
        """Whether something on disk is not as the last walk saw it."""
        if self._walked != (self.sources.runs, self.sources.lying):
            return True
        return any(signature(path) != known for path, known in self.seen.items())

    def walk(self, scope: Scope, *, everybody: bool) -> Pieces:
        """Go through a scope, or through everything, as somebody looked at it last."""
        self.seen, self.found_damage = {}, False
        self._walked = runs, _ = list(self.sources.runs), list(self.sources.lying)
        if everybody:
            yield from self._everybody(runs)
        elif scope.view is View.START:
            yield from self._start(runs)
        elif scope.view is View.RUN:
            for run in runs:
                if run.name == scope.run:
                    yield from self._champions(run)
        self._kept = {path: heads for path, heads in self._kept.items() if path in self.seen}

    def _start(self, runs: list[Source]) -> Pieces:
        yield from map(self._unplayable_run, runs)
        for run in runs:
            yield from self._champions(run, newest=True)
        yield built_in()
        for path in self.sources.all_files:
            yield next((list(rows)[:1] for rows in self._file(path) if rows), ())
        yield self._externals()
        for run in runs:
            yield from self._verify(run, newest=True)

    def _everybody(self, runs: list[Source]) -> Pieces:
        yield from map(self._unplayable_run, runs)
        yield built_in()
        yield self._externals()
        for path in self.sources.all_files:
            yield from self._file(path)
        for run in runs:
            for generation in range(run.newest, -1, -1):
                yield from self._generation(run, generation)

    def _externals(self) -> list[Row]:
        return [
            Row(Kind.EXTERNAL, f"external:{individual(command)}", command, "external program")
            for command in self.externals
        ]

    @staticmethod
    def _unplayable_run(run: Source) -> tuple[Row, ...]:
        if run.trouble:
            return (Row(Kind.DAMAGED, "", run.name, run.name, trouble=run.trouble),)
        return (Row(Kind.CHAMPION, "", run.name, run.name, trouble=NO_GENERATION),) if run.newest < 0 else ()

    def _champions(self, run: Source, *, newest: bool = False) -> Pieces:
        """The best of each generation of a run, newest first, or only the newest one."""
        if run.newest < 0:  # there is no hall of fame yet, which is no damage
            return
        heads = self._heads(run.path / HALL_OF_FAME, ())
        yield from self._read(heads)
        log = self._logs.setdefault(run.path, Log(run.path))
        while log.step(run.newest).more:
            yield ()
        known = {head.generation: head for head in heads.heads if head.generation is not None}
        last = max(run.newest, 0) if newest else 0
        for generation in range(run.newest, last - 1, -1):
            if generation not in known and generation < max(known, default=-1):
                continue  # its weights were left out
            head = known.get(generation, Head("champion"))._replace(rank=1)
            trouble = self._damage(run.file(generation))
            if not trouble:
                # Without a number the newest generation is meant, which only a sound manifest can tell.
                target = f"{run.target}@{generation}" if generation < run.newest or run.trouble else run.target
                row = row_of(Kind.CHAMPION, individual(target), run.name, generation, head)
                # Of a mean the two games that it happened to play tell nothing.
                results = None if row.is_mean else row.results
                yield (row._replace(results=results, rating=log.rating(generation)),)
            else:
                yield (row_of(Kind.DAMAGED, "", run.name, generation, head, trouble),)
        if not newest:
            if heads.damage:
                trouble = f"{heads.path}: {heads.damage}"
                yield (Row(Kind.DAMAGED, "", HALL_OF_FAME, run.name, trouble=trouble),)
            yield from self._verify(run)

    def _verify(self, run: Source, *, newest: bool = False) -> Pieces:
        """Read all generation files of a run, or the newest one, for their damage."""
        for file, checksums in run.files[: -2 if newest else None : -1]:
            path = run.path / file
            self.seen[path] = signature(path)
            if not self.damages.are_known(path):
                yield from self._read(RowIndex(path, checksums))

    def _generation(self, run: Source, generation: int) -> Pieces:
        heads = self._heads(run.file(generation), run.checksums(generation))
        yield from self._read(heads)
        if heads.damage:
            trouble = self._damage(heads.path)
            yield (Row(Kind.DAMAGED, "", f"generation {generation}", run.name, generation, trouble=trouble),)
        kept = heads.weights > 0
        for start in range(0, len(heads.heads), _AT_ONCE):
            some = heads.heads[start : start + _AT_ONCE]
            yield [row_of_generation(run, generation, head, kept=kept) for head in some]

    def _file(self, path: Path) -> Pieces:
        heads = self._heads(path, ())
        yield from self._read(heads)
        trouble = heads.damage or unknown_width(path, heads.weights)
        if trouble:
            yield (Row(Kind.DAMAGED, "", path.name, path.name, trouble=f"{path}: {trouble}"),)
            return
        for start in range(0, len(heads.heads), _AT_ONCE):
            yield [row_of_file(path, head) for head in heads.heads[start : start + _AT_ONCE]]

    def _heads(self, path: Path, checksums: tuple[str, ...]) -> RowIndex:
        now = self.seen[path] = signature(path)
        known = self._kept.get(path)
        if known is None or known.signature != now or known.checksums != checksums:
            known = self._kept[path] = RowIndex(path, checksums)
        return known

    def _read(self, heads: RowIndex) -> Pieces:
        while heads.step():
            yield ()
        self.found_damage = self.damages.note(heads) or self.found_damage

    def _damage(self, path: Path) -> str:
        text = self.damages.of(path)
        return f"{path}: damaged, {text}" if text else ""


def unknown_width(path: Path, weights: int) -> str:
    """Why a file with so many weights a row cannot be played; empty if it can, or its run tells of which network."""
    from evolve.run.folder import Run
    from game.networks.shipped import by_width
    from game.networks.spec import NetworkError

    try:
        if Run.of_file(path)[0] is None:
            by_width(weights)
    except NetworkError as error:
        return str(error)
    return ""
