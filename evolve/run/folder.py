"""The run folder: reading and saving complete generations.

A generation is complete once the manifest lists it. Everything else is written first, so a kill while g + 1 is being
saved leaves g or g + 1 as the newest generation.
"""

from __future__ import annotations

import contextlib
import math
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.config.anchors import RATING_COLUMNS, SCALE, shown_text
from evolve.kinds.methods import Method, method_of, search_by_keys
from evolve.run import append_only, going_back, manifest, packed, status, weights_file
from evolve.run.append_only import CHAMPIONS, HALL_OF_FAME
from evolve.run.columns import Header, lacks_weights, last_field, weights_of
from evolve.run.conditions import earlier_configs
from evolve.run.files import CONFIG, DamagedRunError, RunError, append_durably, write_atomically
from evolve.run.manifest import GenerationEntry, Manifest, generation_name, generation_number, rereads
from evolve.run.runs import Runs
from evolve.run.status import State, Status, is_locked
from game.errors import InputError
from game.networks.spec import Spec
from game.regular_files import LINK, read_regular
from game.toml_file import TomlError, read_toml

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame

    from evolve.config.model import Config, RunKind
    from evolve.run.conditions import PlayConditions
    from evolve.run.generation_csv import Generation

FORMAT = 1
"""Version of the format of run folders; the program refuses newer versions."""

LOOP = "loop"
"""Key in the record of a run that was made by a user's own loop, as the module crownhead records it."""

SESSION_LOG = "session.log"


@dataclass(frozen=True)
class Run:
    """A run on disk."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def __repr__(self) -> str:
        try:
            return f"Run({self.name}: {self._facts()})"
        except (InputError, OSError):  # this text is also for tracebacks
            return f"Run({str(self.path)!r})"

    @rereads
    def _facts(self) -> str:
        known = self.manifest()
        if not known.entries:
            return "no generation is complete yet"
        log = self.log()
        facts = f"{self.state()[0]}, generation {known.newest}, champion {log['champion'].iloc[-1]}"
        facts += f", digest {known.digest()[:16]}"
        rated = log.reindex(columns=RATING_COLUMNS).replace([math.inf, -math.inf], math.nan).dropna()
        if len(rated):
            facts += f", rating {shown_text(rated['rating'].iloc[-1])} in generation {rated.index[-1]}"
        return facts

    @classmethod
    def find(cls, runs: Path, name: str) -> Run | None:
        """Return the run of this name in a folder of runs, or at this path; None if there is none."""
        path = Runs(runs).find(name)
        return None if path is None else cls(path)

    @classmethod
    def open(cls, name: str, runs: Path | None = None) -> Run:
        """Return the run of this name or path.

        Args:
            runs: folder of runs; by default ``populations``.

        Raises:
            RunError: there is none; similar names are listed.
        """
        known = Runs() if runs is None else Runs(runs)
        path = known.find(name)
        if path is None:
            alone, _ = known.split_generation(name.partition(":")[0])
            if alone not in ("", name) and known.find(alone) is not None:
                raise RunError(f"{name}: expected the name of a run alone: {alone}")
            near = known.hint(name)
            raise RunError(f"{name}: no run of this name under {known.folder}, and no run folder{near}")
        return cls(path)

    @classmethod
    def of_file(cls, path: Path) -> tuple[Run | None, int]:
        """Return the run of a generation file and the number of the generation; for other CSV files, None and -1."""
        run, number = cls(path.parent), generation_number(path.name)
        return (run if number >= 0 and (run.path / CONFIG).is_file() else None), number

    @property
    def player_name(self) -> str:
        """The player name of the run's newest champion."""
        return Runs().player_name(self.path)

    @property
    def cli_name(self) -> str:
        return shlex.quote(self.player_name)

    @property
    def verb(self) -> str:
        """The command that resumes the run; ``evolve`` if its configuration cannot be read."""
        kind = self.kind
        return "evolve" if kind is None else kind.verb

    @property
    def kind(self) -> RunKind | None:
        from evolve.config.model import kind_of

        try:
            return kind_of(read_toml(self.path / CONFIG))
        except (InputError, OSError):
            return None

    @property
    def resume_command(self) -> str:
        """The command line that resumes the run, without `game.installation.COMMAND`."""
        return f"{self.verb} --resume {self.cli_name}"

    def generation_path(self, generation: int) -> Path:
        return self.path / generation_name(generation)

    def state(self) -> tuple[State, Status | None]:
        """Return the state of the run and the last status of its session; None if there is no status."""
        return status.read_state(self.path, lambda: is_locked(self.path))

    def manifest(self) -> Manifest:
        """Read the manifest; damage is reported in `Manifest.damage`, not raised."""
        return manifest.unless_replaced(self.path, self._manifest, lambda known: known.damage)

    def _manifest(self) -> Manifest:
        numbers = going_back.numbers(self.path)  # before the manifest is read, since it may grow meanwhile
        known = manifest.read(self.path)
        # A kill leaves at most one generation file that is not yet in the manifest, besides those that are set aside.
        beyond = (self.generation_path(number) for number in numbers if number > known.newest + 1)
        if known.damage is None and (file := next(filter(going_back.is_in_use, beyond), None)) is not None:
            known = replace(known, damage=f"it ends at generation {known.newest}, but {file.name} exists")
        return known

    def check_format(self) -> dict[str, Any]:
        """Check the format of the run; return its record, such as the versions it was made with, without tables."""
        record = self.tables()["record"]
        return {key: value for key, value in record.items() if not isinstance(value, dict)}

    def default_search(self) -> str:
        """Return the default of the option ``search`` of its players; empty if the network decides."""
        tables = self.tables()
        method, section = method_of(tables), tables.get("learning")
        return search_by_keys(section) if method is Method and isinstance(section, dict) else method.search

    def counts_pieces(self) -> bool:
        """Return whether its networks add the piece count to their output, whatever their weights."""
        from game.networks.named import NAMED

        network = self.tables().get("network")
        if isinstance(network, str):
            return network in NAMED and NAMED[network].piece_difference
        extras = network.get("extras") if isinstance(network, dict) else None
        return isinstance(extras, dict) and extras.get("piece_difference") is True

    def tables(self, generation: int | None = None) -> dict[str, Any]:
        """Read its configuration as plain values, and check only the format, since a full check would load numpy.

        Raises:
            RunError: there is no configuration, or it was written by a newer program.
        """
        if not (self.path / CONFIG).is_file():
            raise RunError(f"{self.path}: not a run, since it has no {CONFIG}")
        if (self.path / CONFIG).is_symlink():
            raise RunError(f"{self.path / CONFIG}: {LINK}")
        try:
            tables = read_toml(self._config_of(generation))
        except TomlError as error:
            from evolve.config.preset_files import ConfigError

            raise ConfigError([str(error)]) from error
        record = tables.get("record", {})
        written = record.get("format") if isinstance(record, dict) else None
        if not isinstance(written, int) or isinstance(written, bool):
            raise RunError(f"{self.path / CONFIG}: record.format: expected {FORMAT}, got {written!r}")
        if written > FORMAT:
            raise RunError(
                f"{self.path}: written by a newer program (format {written}, this one reads {FORMAT}): update"
            )
        return tables

    def config(self, generation: int | None = None) -> Config:
        """Read the configuration of the run.

        Args:
            generation: the generation whose configuration to read; in a branch, earlier generations can have others.
        """
        from evolve.config.toml import from_toml

        path, tables = self._config_of(generation), self.tables()
        return from_toml(path, tables if path.name == CONFIG else None)

    def _config_of(self, generation: int | None) -> Path:
        number = math.inf if generation is None else generation
        earlier = (path for last, path in earlier_configs(self.path) if number <= last)
        return next(earlier, self.path / CONFIG)

    def changes_by_hand(self, config: Config) -> str:
        """Describe how the configuration differs from the one that the run began with; empty if it does not."""
        from evolve.config.begun import BEGUN, changes

        record = read_toml(self.path / CONFIG)["record"]
        return changes(record[BEGUN], config) if BEGUN in record else ""

    def network(self) -> Spec:
        return self.config().network

    def conditions(self, generation: int | None = None) -> PlayConditions:
        """Return the conditions under which a generation, by default the newest, is rated; for errors see `config`."""
        from evolve.run.conditions import PlayConditions

        number = max(self.manifest().newest, 0) if generation is None else generation
        return PlayConditions.played(self.config(number).search, number)

    @rereads
    def read_generation(self, generation: int | None = None, *, thinned: bool = False) -> Generation:
        """Read a complete generation, by default the newest, checked against the manifest.

        Args:
            thinned: whether to accept a generation whose weights were not kept.

        Raises:
            RunError: there is no such generation, or its weights were not kept.
            DamagedRunError: the file is not what was written; the message names the newest sound generation before it.
        """
        from evolve.run import generation_csv

        number, data = self.read_bytes(generation)
        rows = self.with_weights(number, generation_csv.parse(data, str(self.generation_path(number)), thinned=True))
        if rows.genomes is not None and not thinned:
            raise self.thinned(self.manifest(), number, "its weights")
        return rows

    def with_weights(self, generation: int, rows: Generation) -> Generation:
        """Return a generation with the weights from its weights file, if it has one."""
        path = weights_file.weights_path(self.generation_path(generation))
        if rows.genomes is None or not (path.exists() or weights_file.has_files(self.config())):
            return rows
        if not path.exists() and self.is_left_out(generation):
            return rows
        try:
            return weights_file.completed(rows, path)
        except RunError as error:
            raise self.damaged_weights(generation, error) from error

    def is_left_out(self, generation: int) -> bool:
        """Return whether the run was published without the weights of a champion: its hall of fame says so."""
        with contextlib.suppress(OSError, IndexError):
            header, *lines = read_regular(self.path / HALL_OF_FAME).split(b"\n")
            return lacks_weights(header, lines[generation])
        return False

    @rereads
    def first_weights(self, generation: int, count: int) -> NDArray[np.float32]:
        """Read the weights of the first individuals of a generation, without reading the others or checking the file.

        Returns:
            float32 of shape (count or fewer, weights), the same bits as from `read_generation`; of shape
            (count or fewer, 0) in a thinned generation.

        Raises:
            GenerationError: the file is missing, empty or cut, or a weight is not finite; the message names the line.
            DamagedRunError: the generation has a weights file, which is not what was written.
        """
        import numpy as np

        from evolve.run.row_index import first_lines

        path = self.generation_path(generation)
        if not packed.is_there(path) and manifest.entry_of(self.path, generation) is None and self.manifest().entries:
            raise self.given_up(generation)
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

    def given_up(self, generation: int) -> RunError:
        """Return the error about a generation that another session gave up, or made again, while it was read."""
        return RunError(f"{self.name}: generation {generation} was given up while it was read")

    def damaged_weights(self, generation: int, error: RunError) -> InputError:
        if manifest.entry_of(self.path, generation) is None:
            return self.given_up(generation)
        path = weights_file.weights_path(self.generation_path(generation))
        damage = self.damaged(path.name, str(error).removeprefix(f"{path}: "), generation - 1)
        later = reversed(self.manifest().entries[generation + 1 :])
        other = next((f"; or play {self.cli_name}@{entry.generation}" for entry in later if self._is_sound(entry)), "")
        return DamagedRunError(f"{damage}, which makes the same bytes again{other}")

    def table(self, generation: int | None = None) -> DataFrame:
        """Read a complete generation, by default the newest, as a pandas table: the columns of its file, best first.

        Raises:
            RunError: there is no such generation.
            DamagedRunError: the file is not what was written; the message names the newest sound generation before it.
        """
        import io

        import pandas as pd

        data = io.BytesIO(self.read_bytes(generation)[1])
        table: DataFrame = pd.read_csv(data, keep_default_na=False, **_exactly(pd.__version__))
        return table

    @rereads
    def log(self) -> DataFrame:
        """Read the log as a pandas table with a row for each complete generation, indexed by its number.

        ``attrs["scale"]`` of the table is the zero of its ratings.

        Raises:
            DamagedRunError: the manifest is damaged, or the log lacks a generation.
            OSError: there is no log yet.
        """
        import io

        import pandas as pd

        with append_only.open_growing(self.path / append_only.LOG) as file:
            known = self.manifest()  # read before the log, which has all of its generations
            if known.damage:
                raise self.damaged(manifest.NAME, known.damage, known.newest)
            data, rows = io.BytesIO(file.read()), known.newest + 1
            log: DataFrame = pd.read_csv(data, nrows=rows, **_exactly(pd.__version__))
        if "generation" not in log or len(log) <= known.newest:
            raise self.damaged(append_only.LOG, f"it ends at generation {len(log) - 1}", len(log) - 1)
        log = log.set_index("generation")
        log.attrs["scale"] = SCALE
        return log

    @rereads
    def read_bytes(self, generation: int | None = None) -> tuple[int, bytes]:
        """Return number and bytes of a complete generation, by default the newest, checked against the manifest.

        Raises:
            RunError: there is no such generation.
            DamagedRunError: the file is not what was written; the message names the newest sound generation before it.
        """
        self.check_format()
        known = self.manifest()
        wanted = known.newest if generation is None else generation
        if not 0 <= wanted <= known.newest:
            if known.damage:
                raise self.damaged(manifest.NAME, known.damage, known.newest)
            complete = f"0 to {known.newest}" if known.entries else "none yet"
            raise RunError(f"{self.name}: no generation {wanted}; complete generations: {complete}")
        if generation is None and known.damage:
            raise self.damaged(manifest.NAME, known.damage, known.newest)
        return wanted, self.checked_bytes(known, wanted)

    def thinned(self, known: Manifest, generation: int, what: str) -> RunError:
        """Return the error about data lost by thinning, with the nearest generations that have it."""
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
        """Compare every generation file with the manifest."""
        from evolve.run import generation_csv

        if known.damage:
            raise self.damaged(manifest.NAME, known.damage, known.newest)
        has_files = bool(known.entries) and weights_file.has_files(self.config())
        for entry in known.entries:
            data = self.checked_bytes(known, entry.generation)
            if has_files:
                self.with_weights(entry.generation, generation_csv.parse(data, entry.file, thinned=True))
        for name in (HALL_OF_FAME, CHAMPIONS):
            try:
                last = append_only.complete_to(self.path / name)
            except OSError as error:
                raise self.damaged(name, f"cannot be read: {error.strerror}", -1) from error
            if last < min(known.newest, self.manifest().newest):  # another session may have gone back
                raise self.damaged(
                    name, f"it ends at generation {last}" if last >= 0 else "it is missing or empty", last
                )

    def checked_bytes(self, known: Manifest, generation: int) -> bytes:
        """Read a generation file, checked against the manifest.

        Raises:
            DamagedRunError: it is not what was written; the message names the newest sound generation before it.
        """
        entry = known.entries[generation]
        while True:
            fault, data = manifest.DIFFERS, b""
            try:
                data = packed.read_generation_file(self.path / entry.file)
            except OSError as error:
                fault = error.strerror or "cannot be read"
            # The manifest is written before a file is thinned, so the file may still be as first written.
            if (checksum := manifest.sha256(data)) in (entry.first, entry.now):
                return data
            now = manifest.entry_of(self.path, generation)
            if now is None or now.first != entry.first:
                raise self.given_up(generation)
            if now == entry:
                raise self.damaged(entry.file, fault, generation - 1)
            if checksum == now.now:
                return data
            entry = now

    def damaged(self, file: str, what: str, before: int) -> DamagedRunError:
        """Return the error about a file, with a remedy: the newest sound generation not after `before`."""
        known = self.manifest()
        sound = min(before, known.newest)
        while sound >= 0:
            if not known.entries[sound].thinned and self._is_sound(known.entries[sound]):
                break
            sound -= 1
        remedy = (
            f"the newest sound generation is {sound}: play {self.cli_name}@{sound}, or continue from it with "
            f"{self.resume_command} --from {sound}"
            if sound >= 0
            else f"no generation of this run is sound: start again with {self.resume_command} --from -1"
        )
        return DamagedRunError(f"{self.path / file}: damaged, {what}; {remedy}")

    def _is_sound(self, entry: GenerationEntry) -> bool:
        path = self.path / entry.file
        with contextlib.suppress(OSError, RunError):
            data = packed.read_generation_file(path)
            if weights_file.stands_for_weights(data):
                weights_file.read(weights_file.weights_path(path), weights_file.row_digest(data))
            return bool(manifest.sha256(data) == entry.now)
        return False

    def save(
        self,
        known: Manifest,
        data: bytes,
        additions: dict[str, bytes],
        thinned: tuple[int, bytes] | None = None,
        changeable: int = 0,
        weights: bytes | None = None,
    ) -> Manifest:
        """Save a generation: write its file, append to the growing files, write the manifest, then thin an older one.

        Args:
            additions: bytes to append, by file name; the first addition to a file includes its header.
            changeable: number of the newest generations that may still be thinned.

        Raises:
            OSError: something could not be written. If this was the manifest or earlier, the newest generation is
                still the one before.
        """
        generation = known.newest + 1
        if weights is not None:
            write_atomically(weights_file.weights_path(self.generation_path(generation)), weights)
        write_atomically(self.generation_path(generation), data)
        for name, addition in additions.items():
            append_durably(self.path / name, addition)
        after = known.with_entry(manifest.sha256(data))
        if thinned is not None:
            after = after.with_thinned(thinned[0], manifest.sha256(thinned[1]))
        after.write(self.path, changeable)
        if thinned is not None:
            # Thin last: if a kill comes first, the manifest still accepts the file as first written.
            self._thin(*thinned)
        return after

    def _thin(self, generation: int, data: bytes) -> None:
        write_atomically(self.generation_path(generation), data)
        weights_file.thin(self.generation_path(generation))

    def finish_thinning(self, known: Manifest) -> None:
        """Thin generations that the manifest lists as thinned, but whose files a kill left as first written."""
        from evolve.run import generation_csv

        for entry in known.entries:
            path = self.path / entry.file
            written = packed.read_generation_file(path) if entry.thinned else b""
            if entry.thinned and manifest.sha256(written) == entry.first:
                rows = generation_csv.parse(written, str(path), thinned=True)
                data = generation_csv.to_csv(self.with_weights(entry.generation, rows).thinned())
                if manifest.sha256(data) != entry.now:
                    raise self.damaged(
                        manifest.NAME, f"{entry.file} cannot be thinned to its checksum", entry.generation - 1
                    )
                self._thin(entry.generation, data)
            elif entry.thinned:
                weights_file.thin(path)

    def rewind(self, generation: int) -> Manifest:
        """Undo everything after a generation (-1: everything); complete generations are set aside (`going_back`)."""
        return going_back.go_back(self.path, self.manifest(), generation)


def _exactly(version: str) -> dict[str, Any]:
    """Return the options with which a version of pandas reads float64 to the bit, as it does by default from 3.1 on."""
    return {"float_precision": "round_trip"} if tuple(map(int, version.split(".")[:2])) < (3, 1) else {}
