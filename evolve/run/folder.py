"""The run folder: complete generations, read and saved. Loads no deap, numba or pandas.

The generation files are the checkpoint. A generation is complete when the manifest names it. Everything else is written
before that line, so a kill at any moment leaves the folder at generation g or g + 1.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.run import append_only, manifest, status, weights_file
from evolve.run.append_only import CHAMPIONS, HALL_OF_FAME
from evolve.run.columns import Header, last_field, weights_of
from evolve.run.conditions import earlier_configs
from evolve.run.files import CONFIG, DamagedRunError, RunError, append_durably, put_in_place, write_atomically
from evolve.run.manifest import Entry, Manifest, generation_name, generation_number
from evolve.run.runs import Runs, near_names
from evolve.run.status import RunState, Status, is_locked
from game.errors import InputError
from game.networks.spec import Spec
from game.regular_files import LINK, read_regular
from game.toml_file import TomlError, read_toml

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame

    from evolve.config.model import Config
    from evolve.config.run_kind import RunKind
    from evolve.run.conditions import PlayConditions
    from evolve.run.generation_csv import Generation

FORMAT = 1
"""Version of the run folder; a program refuses newer ones."""

SESSION_LOG = "session.log"
ASIDE = ".given-up"
"""Suffix of files that a session has given up."""


@dataclass(frozen=True)
class Written:
    """A generation that is on disk, but not under its name yet.

    Attributes:
        temporary: path of the file, in the run folder.
        sha256: of its bytes.
    """

    temporary: Path
    sha256: str


@dataclass(frozen=True)
class Run:
    """A run on disk.

    Attributes:
        path: its folder.
    """

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @classmethod
    def find(cls, runs: Path, name: str) -> Run | None:
        """Return the run of this name in a folder of runs, or at this path; None if there is none."""
        path = Runs(runs).find(name)
        return None if path is None else cls(path)

    @classmethod
    def open(cls, name: str, runs: Path | None = None) -> Run:
        """Return the run of this name or path.

        Args:
            name: of the run, or the path of its folder.
            runs: folder of runs; by default ``populations``.

        Raises:
            RunError: there is none; near names are listed.
        """
        known = Runs() if runs is None else Runs(runs)
        path = known.find(name)
        if path is None:
            near = near_names(name, known.names())
            raise RunError(f"{name}: no run of this name under {known.folder}, and no run folder{near}")
        return cls(path)

    @classmethod
    def of_file(cls, path: Path) -> tuple[Run | None, int]:
        """Return the run of a generation file and the number of the generation; None for any other CSV file."""
        run, number = cls(path.parent), generation_number(path)
        return (run if number >= 0 and (run.path / CONFIG).is_file() else None), number

    @property
    def player_name(self) -> str:
        """The name of the run as a player, which is its newest champion."""
        return Runs().player_name(self.path)

    @property
    def cli_name(self) -> str:
        """The player name, quoted for a shell."""
        return shlex.quote(self.player_name)

    @property
    def verb(self) -> str:
        """The verb that resumes the run; ``evolve`` if its configuration cannot be read."""
        kind = self.kind
        return "evolve" if kind is None else kind.verb

    @property
    def kind(self) -> RunKind | None:
        """Its kind, from its configuration, which is not checked; None while that cannot be read."""
        from evolve.config.model import kind_of

        try:
            return kind_of(read_toml(self.path / CONFIG))
        except (InputError, OSError):
            return None

    @property
    def resume_command(self) -> str:
        """The command that resumes the run, without `game.installation.COMMAND`."""
        return f"{self.verb} --resume {self.cli_name}"

    def generation_path(self, generation: int) -> Path:
        return self.path / generation_name(generation)

    def state(self) -> tuple[RunState, Status | None]:
        """Read the state of the run and the last status of its session, None if there is none."""
        return status.read_state(self.path, lambda: is_locked(self.path))

    def manifest(self) -> Manifest:
        """Read the manifest; damage is an attribute of it, not an error."""
        known = manifest.read(self.path)
        if known.damage is None:
            # A kill leaves at most one generation file that the manifest does not know yet.
            beyond = [path for path in self.path.glob("generation_*.csv") if generation_number(path) > known.newest + 1]
            if beyond:
                known = replace(known, damage=f"it ends at generation {known.newest}, but {min(beyond).name} is there")
        return known

    def check_format(self) -> dict[str, Any]:
        """Read the record of the versions and the origin that the run was made with.

        Raises:
            RunError: no configuration, or the format of a newer program.
        """
        record = self.tables()["record"]
        return {key: value for key, value in record.items() if not isinstance(value, dict)}

    def tables(self, generation: int | None = None) -> dict[str, Any]:
        """Read its configuration as plain values, and check only the format: a full check would load numpy.

        Args:
            generation: as of `config`.

        Raises what `check_format` does.
        """
        if not (self.path / CONFIG).is_file():
            raise RunError(f"{self.path}: no run, there is no {CONFIG}")
        if (self.path / CONFIG).is_symlink():
            raise RunError(f"{self.path / CONFIG}: {LINK}")
        try:
            tables = read_toml(self._config_of(generation))
        except TomlError as error:
            from evolve.config.toml import ConfigError

            raise ConfigError([str(error)]) from error
        record = tables.get("record", {})
        found = record.get("format") if isinstance(record, dict) else None
        if not isinstance(found, int) or isinstance(found, bool):
            raise RunError(f"{self.path / CONFIG}: record.format: expected {FORMAT}, got {found!r}")
        if found > FORMAT:
            raise RunError(f"{self.path}: written by a newer program (format {found}, this one reads {FORMAT}): update")
        return tables

    def config(self, generation: int | None = None) -> Config:
        """Read the configuration of the run.

        Args:
            generation: read the configuration that this one was played with, which may differ in a branch.

        Raises:
            RunError: no run, or one of a newer format.
            ConfigError: its configuration is wrong.
        """
        from evolve.config.toml import from_toml

        path, tables = self._config_of(generation), self.tables()
        return from_toml(path, tables if path.name == CONFIG else None)

    def _config_of(self, generation: int | None) -> Path:
        number = math.inf if generation is None else generation
        earlier = (path for last, path in earlier_configs(self.path) if number <= last)
        return next(earlier, self.path / CONFIG)

    def changes_by_hand(self, config: Config) -> str:
        """Describe the differences between its configuration and the one that it began with; empty if there are none.

        Runs of older programs have no record of that.
        """
        from evolve.config.begun import BEGUN, changes

        record = read_toml(self.path / CONFIG)["record"]
        return changes(record[BEGUN], config) if BEGUN in record else ""

    def network(self) -> Spec:
        return self.config().network

    def conditions(self, generation: int | None = None) -> PlayConditions:
        """Return the searches with which a generation, by default the newest, was played while it evolved.

        Raises what `config` does.
        """
        from evolve.run.conditions import PlayConditions

        number = max(self.manifest().newest, 0) if generation is None else generation
        return PlayConditions.of(self.config(number).search, number)

    def read_generation(self, generation: int | None = None, *, thinned: bool = False) -> Generation:
        """Read a complete generation, by default the newest, checked against the manifest.

        Args:
            generation: its number.
            thinned: accept a generation whose weights were not kept.

        Raises:
            RunError: there is no such generation, or its weights were not kept.
            DamagedRunError: the file is not what was written; the newest sound one before it is named.
        """
        from evolve.run import generation_csv

        number, data = self.read_bytes(generation)
        found = self.with_weights(number, generation_csv.parse(data, str(self.generation_path(number)), thinned=True))
        if found.genomes is not None and not thinned:
            raise self.thinned(self.manifest(), number, "its weights")
        return found

    def with_weights(self, generation: int, rows: Generation) -> Generation:
        """Return a generation with the weights from a file of their own, if it has one.

        Raises:
            DamagedRunError: that file is not what was written; the newest sound generation before it is named.
        """
        path = weights_file.weights_path(self.generation_path(generation))
        if rows.genomes is None or not (path.exists() or weights_file.has_files(self.config())):
            return rows
        try:
            return weights_file.completed(rows, path)
        except RunError as error:
            raise self.damaged_weights(generation, error) from error

    def has_weights(self, generation: int) -> bool:
        """Return whether a generation still has its weights; a run may thin those of old ones.

        Raises:
            GenerationError: its file is missing or empty.
        """
        from evolve.run.row_index import first_lines

        path = self.generation_path(generation)
        there = any(Header.parse(line, f"{path}: line 1").weights for _, line in first_lines(path, 0))
        return there or weights_file.weights_path(path).is_file()

    def first_weights(self, generation: int, count: int) -> NDArray[np.float32]:
        """Read the weights of the first individuals of a generation, without reading the others or checking the file.

        They have the same bits as those of `read_generation`.

        Returns:
            float32 of shape (count or fewer, weights); (count or fewer, 0) if the weights were thinned.

        Raises:
            GenerationError: the file is missing, empty or cut, or a weight is not finite; the text names the line.
            DamagedRunError: the weights are in a file of their own, which is not what was written.
        """
        import numpy as np

        from evolve.run.row_index import first_lines

        path = self.generation_path(generation)
        lines = first_lines(path, count)
        header = Header.parse(next(lines)[1], f"{path}: line 1")
        rows = list(lines)
        if header.weights or not weights_file.weights_path(path).is_file():
            return np.stack([weights_of(header, line, f"{path}: line {number}") for number, line in rows])
        try:
            weights = weights_file.beside(path, last_field(rows[0][1]))
        except RunError as error:
            raise self.damaged_weights(generation, error) from error
        assert weights is not None
        return weights

    def damaged_weights(self, generation: int, error: RunError) -> DamagedRunError:
        """Return the error about a file of weights, with remedies."""
        path = weights_file.weights_path(self.generation_path(generation))
        found = self.damaged(path.name, str(error).removeprefix(f"{path}: "), generation - 1)
        later = reversed(self.manifest().entries[generation + 1 :])
        other = next((f"; or play {self.cli_name}@{each.generation}" for each in later if self._is_sound(each)), "")
        return DamagedRunError(f"{found}, which makes the same bytes again{other}")

    def table(self, generation: int | None = None) -> DataFrame:
        """Read a complete generation as a pandas table, by default the newest: the columns of its file, best first.

        Raises:
            RunError: there is no such generation.
            DamagedRunError: the file is not what was written; the newest sound one before it is named.
        """
        import io

        import pandas as pd

        return pd.read_csv(io.BytesIO(self.read_bytes(generation)[1]), keep_default_na=False)

    def log(self) -> DataFrame:
        """Read the log as a pandas table, one row for each complete generation, with its number as index.

        Raises:
            DamagedRunError: the manifest is damaged, so that the number of complete generations is unknown.
            OSError: there is no log yet.
        """
        import io

        import pandas as pd

        data = io.BytesIO(read_regular(self.path / append_only.LOG, append_only.MAX_LOG_BYTES))
        known = self.manifest()
        if known.damage:
            raise self.damaged(manifest.NAME, known.damage, known.newest)
        return pd.read_csv(data, index_col="generation", nrows=known.newest + 1)

    def read_bytes(self, generation: int | None = None) -> tuple[int, bytes]:
        """Read number and bytes of a complete generation, by default the newest, checked against the manifest.

        Raises:
            RunError: there is no such generation.
            DamagedRunError: the file is not what was written; the newest sound one before it is named.
        """
        self.check_format()
        known = self.manifest()
        wanted = known.newest if generation is None else generation
        if not 0 <= wanted <= known.newest:
            if known.damage:
                raise self.damaged(manifest.NAME, known.damage, known.newest)
            there = f"0 to {known.newest}" if known.entries else "none yet"
            raise RunError(f"{self.name}: no generation {wanted}, complete are {there}")
        if generation is None and known.damage:
            raise self.damaged(manifest.NAME, known.damage, known.newest)
        return wanted, self.checked_bytes(known, wanted)

    def thinned(self, known: Manifest, generation: int, what: str) -> RunError:
        """Return the error about data that a generation has lost by thinning, with the nearest generations that have
        it.
        """
        before = [number for number in known.whole if number < generation]
        after = [number for number in known.whole if number > generation]
        nearest = " and ".join(map(str, before[-1:] + after[:1]))
        others = f"{len(known.whole)} generations keep everything, the nearest are {nearest}"
        if not known.whole:
            others = "no generation keeps everything"
        elif len(known.whole) == 1:
            others = f"only generation {nearest} keeps everything"
        return RunError(
            f"{self.name}: generation {generation} has not kept {what}, only results, ancestry and the champion "
            f"({self.cli_name}@{generation}); {others}"
        )

    def check(self, known: Manifest) -> None:
        """Compare every generation file with the manifest.

        Raises:
            DamagedRunError: the first that differs; the newest sound generation before it is named.
        """
        from evolve.run import generation_csv

        if known.damage:
            raise self.damaged(manifest.NAME, known.damage, known.newest)
        beside = bool(known.entries) and weights_file.has_files(self.config())
        for entry in known.entries:
            data = self.checked_bytes(known, entry.generation)
            if beside:
                self.with_weights(entry.generation, generation_csv.parse(data, entry.file, thinned=True))
        for name in (HALL_OF_FAME, CHAMPIONS):
            try:
                last = append_only.complete_to(self.path / name)
            except OSError as error:
                raise self.damaged(name, f"cannot be read: {error.strerror}", -1) from error
            if last < known.newest:
                raise self.damaged(
                    name, f"it ends at generation {last}" if last >= 0 else "it is not there or empty", last
                )

    def checked_bytes(self, known: Manifest, generation: int) -> bytes:
        """Read a generation file, checked against the manifest.

        Raises:
            DamagedRunError: it is not what was written; the newest sound one before it is named.
        """
        entry = known.entries[generation]
        path = self.path / entry.file
        try:
            data = read_regular(path)
        except OSError as error:
            raise self.damaged(entry.file, error.strerror or "cannot be read", generation - 1) from error
        found = manifest.sha256(data)
        if found not in (entry.first, entry.now):  # a session may have thinned it since the manifest was read
            entry = next(iter(self.manifest().entries[generation:]), entry)
        # The manifest is written before a file is thinned, so the file may still be as it was first written.
        if found not in (entry.first, entry.now):
            raise self.damaged(entry.file, "its bytes are not what the session wrote", generation - 1)
        return data

    def damaged(self, file: str, what: str, before: int) -> DamagedRunError:
        """Return the error about a file, with a remedy: the newest sound generation up to `before`."""
        sound = before
        known = self.manifest()
        while sound >= 0:
            if not known.entries[sound].thinned and self._is_sound(known.entries[sound]):
                break
            sound -= 1
        remedy = (
            f"the newest sound generation is {sound}: play {self.cli_name}@{sound}, or go on from it with "
            f"{self.resume_command} --from {sound}"
            if sound >= 0
            else f"no generation of this run is sound: play it anew with {self.resume_command} --from -1"
        )
        return DamagedRunError(f"{self.path / file}: damaged, {what}; {remedy}")

    def _is_sound(self, entry: Entry) -> bool:
        """Return whether the file of a generation, and the file of its weights if it has one, are as they should be
        now.
        """
        path = self.path / entry.file
        with contextlib.suppress(OSError, RunError):
            data = read_regular(path)
            if weights_file.stands_for_weights(data):
                weights_file.read(weights_file.weights_path(path), weights_file.row_digest(data))
            return bool(manifest.sha256(data) == entry.now)
        return False

    def save(
        self,
        known: Manifest,
        data: bytes | Written,
        additions: dict[str, bytes],
        thinned: tuple[int, bytes] | None = None,
        changeable: int = 0,
        weights: bytes | None = None,
    ) -> Manifest:
        """Save a generation: its file, additions to the growing files, the manifest, then thin an older one.

        Args:
            known: the manifest before.
            data: the generation as CSV, or its temporary file.
            additions: bytes to append, by file name; the first addition to a file includes its header.
            thinned: number and CSV of an older generation that is to lose its weights.
            changeable: number of the newest generations that may still be thinned.
            weights: of `evolve.run.weights_file`, if they have a file of their own.

        Raises:
            OSError: something could not be written. If the manifest was not, the generation before stays the newest.
        """
        generation = known.newest + 1
        if weights is not None:
            write_atomically(weights_file.weights_path(self.generation_path(generation)), weights)
        if isinstance(data, Written):
            put_in_place(data.temporary, self.generation_path(generation))
        else:
            write_atomically(self.generation_path(generation), data)
        for name, addition in additions.items():
            append_durably(self.path / name, addition)
        after = known.with_entry(data.sha256 if isinstance(data, Written) else manifest.sha256(data))
        if thinned is not None:
            after = after.with_thinned(thinned[0], manifest.sha256(thinned[1]))
        after.write(self.path, changeable)
        if thinned is not None:
            # After the manifest: if killed in between, the file is as first written, which the manifest accepts, too.
            self._thin(*thinned)
        return after

    def _thin(self, generation: int, data: bytes) -> None:
        """Replace the file of a generation, then that of its weights, if it has one."""
        write_atomically(self.generation_path(generation), data)
        weights_file.thin(self.generation_path(generation))

    def finish_thinning(self, known: Manifest) -> None:
        """Thin generations that the manifest records as thinned, but that a kill has left as first written.

        Raises:
            DamagedRunError, GenerationError: such a file is not what was written.
            OSError: a file could not be changed.
        """
        from evolve.run import generation_csv

        for entry in known.entries:
            path = self.path / entry.file
            written = read_regular(path) if entry.thinned else b""
            if entry.thinned and manifest.sha256(written) == entry.first:
                rows = generation_csv.parse(written, str(path), thinned=True)
                data = generation_csv.to_csv(self.with_weights(entry.generation, rows).thinned())
                if manifest.sha256(data) != entry.now:
                    raise self.damaged(manifest.NAME, f"{entry.file} cannot become what it says", entry.generation - 1)
                self._thin(entry.generation, data)
            elif entry.thinned:
                weights_file.thin(path)

    def rewind(self, generation: int) -> Manifest:
        """Take back everything after a generation (-1: all of them); complete generations are kept aside.

        Growing files are cut, never rewritten. Generations that are given up may be the only copy of someone's work:
        their files are kept under names that end in ``.given-up``, and so are copies of the growing files, since only
        the hall of fame has the weights of thinned generations. Incomplete generations are leftovers of a kill and are
        removed.

        Raises:
            OSError: a file could not be changed.
        """
        known = self.manifest()
        if not known.damage:
            # Leftovers of a kill; removed first, while they differ from generations that are given up.
            for path in self._files_of(known.newest + 1):
                path.unlink(missing_ok=True)
        given_up = known.entries[generation + 1 :]
        for entry in given_up:
            for path in self._files_of(entry.generation):
                self._put_aside(path)
        for name in append_only.NAMES if given_up or known.damage else ():
            self._put_aside(self.path / name, copied=True)
        after = known.up_to(generation)
        if known.damage or after != known:
            after.write(self.path)
        if known.damage:
            for path in self.path.glob("generation_*.csv"):
                if generation_number(path) > after.newest:
                    self._put_aside(path)
                    self._put_aside(weights_file.weights_path(path))
        for path in self.path.glob(".*.tmp"):
            path.unlink()
        append_only.cut_all(self.path, generation)
        return after

    def _files_of(self, generation: int) -> tuple[Path, Path]:
        path = self.generation_path(generation)
        return path, weights_file.weights_path(path)

    def _put_aside(self, path: Path, *, copied: bool = False) -> None:
        """Rename a file, or copy it, to a free name that no session reads."""
        names = (f"{path.name}{ASIDE}{end}" for end in itertools.chain([""], (f"-{n}" for n in itertools.count(2))))
        aside = next(new for name in names if not (new := path.with_name(name)).exists())
        with contextlib.suppress(FileNotFoundError):
            if copied:
                write_atomically(aside, read_regular(path))
            else:
                path.rename(aside)
