"""The champions of a run: their genomes in ``hall_of_fame.csv``, and their games in ``champions.pdn``.

The hall of fame has no checksum; `champion_of` and `champion_lines` compare each champion with its generation, which
has one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.run import weights_file
from evolve.run.append_only import CHAMPIONS, HALL_OF_FAME, News, Tail, round_generation
from evolve.run.columns import (
    GENOME_COLUMN,
    GenerationError,
    Header,
    king_value,
    lacks_weights,
    last_field,
    read_numbers,
    split_row,
    weights_of,
)
from evolve.run.files import RunError
from evolve.run.manifest import generation_name, read_again
from game.regular_files import open_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evolve.run.folder import Run
    from evolve.run.generation_csv import Generation
    from evolve.run.manifest import Manifest


@dataclass(frozen=True)
class Champion:
    """A champion with its genome, float32, and its value of a king if this evolves."""

    generation: int
    name: str
    weights: NDArray[np.float32]
    king: float | None


class HallOfFameFile:
    """The hall of fame of a run, read step by step while a session may be appending."""

    def __init__(self, run: Path) -> None:
        self.path = run / HALL_OF_FAME
        self._tail = Tail(self.path)
        self._forget()

    def _forget(self) -> None:
        self.header_line = b""
        self.damage = ""
        self._places: list[tuple[int, int]] = []  # start and length of each line
        self._left_out: set[int] = set()  # generations whose weights were omitted

    def __len__(self) -> int:
        return len(self._places)

    @property
    def trouble(self) -> str:
        return self.damage or self._tail.trouble

    def step(self) -> News:
        news = self._tail.read(again=bool(self.damage))
        if news.anew:
            self._forget()
        for at, line in news.lines:
            self._take(at, line)
        return news

    def _take(self, at: int, line: bytes) -> None:
        if not self.header_line:
            self.header_line = line
        elif not self.damage:
            number = len(self._places)
            if line.split(b",", 1)[0] == b"%d" % number:
                self._places.append((at, len(line)))
                if lacks_weights(self.header_line, line):
                    self._left_out.add(number)
            else:
                expected = f"expected the champion of generation {number}"
                self.damage = f"{HALL_OF_FAME}, line {number + 2}: damaged, {expected}."

    def has_weights(self, generation: int) -> bool:
        return generation < len(self) and generation not in self._left_out

    def check_weights(self, generation: int) -> None:
        """Refuse a champion without weights; the error lists generations with weights."""
        if generation in self._left_out:
            kept = ", ".join(str(number) for number in range(len(self)) if self.has_weights(number))
            raise GenerationError(
                f"{self.path}: has no weights for the champion of generation {generation}; "
                f"generations whose champions have weights: {kept or 'none'}"
            )

    def line(self, generation: int) -> bytes:
        """Return the line of a champion that `step` has read."""
        at, length = self._places[generation]
        with open_regular(self.path) as file:
            file.seek(at)
            return bytes(file.read(length))

    def champion(self, generation: int) -> Champion:
        """Return a champion; a GenerationError if its line is missing, damaged, or without weights."""
        self.check_weights(generation)
        place, sound = f"{self.path}: line {generation + 2}", False
        try:
            line = self.line(generation)
            header = Header.parse(self.header_line, f"{self.path}: line 1")
            fields = split_row(line, header.first_number - 1)
            weights, king = weights_of(header, line, place), king_value(header, line, place)
            champion = Champion(generation, fields[header.places["name"]], weights, king)
            sound = fields[header.places["generation"]] == str(generation)
        except OSError as error:
            raise GenerationError(f"{self.path}: cannot be read: {error.strerror}") from error
        except IndexError as error:
            if not self.damage:
                raise GenerationError(f"{self.path}: generation {generation} is missing") from error
        except (ValueError, KeyError):
            pass
        if sound and not header.weights:
            return replace(champion, weights=self._beside(generation, last_field(line)))
        if sound and len(weights):
            return champion
        raise GenerationError(f"{place}: damaged, expected the champion of a generation")

    def _beside(self, generation: int, digest: str) -> NDArray[np.float32]:
        path = self.path.with_name(generation_name(generation))
        try:
            weights: NDArray[np.float32] = weights_file.read(weights_file.weights_path(path), digest)[0]
            return weights
        except RunError as error:
            from evolve.run.folder import Run

            raise GenerationError(str(Run(path.parent).damaged_weights(generation, error))) from error


def read_hall_of_fame(run: Path) -> HallOfFameFile:
    hall = HallOfFameFile(run)
    try:
        open_regular(hall.path).close()
    except OSError as error:
        raise GenerationError(f"{hall.path}: cannot be read: {error.strerror}") from error
    while hall.step().more and not hall.damage:
        pass
    return hall


def read_champions(run: Path, generations: Collection[int]) -> list[Champion]:
    """Read the champions of some generations, in order."""

    def read() -> list[Champion]:
        hall = read_hall_of_fame(run)
        return [hall.champion(generation) for generation in sorted(generations)]

    return read_again(run, read)


def champion_lines(run: Run, known: Manifest) -> Iterator[bytes]:
    """Yield the header and the lines of all complete generations, each compared with its generation."""
    hall = read_hall_of_fame(run.path)
    yield hall.header_line
    for generation in range(known.newest + 1):
        yield _checked_line(hall, run, known, generation)


def champion_of(run: Run, known: Manifest, generation: int, rows: Generation) -> Generation:
    """Return the best individual of a thinned generation with its weights, as a generation of one row.

    Raises:
        DamagedRunError: the hall of fame has another champion.
        GenerationError: it cannot be read, or does not have these weights.
    """
    from evolve.run import generation_csv

    hall = read_hall_of_fame(run.path)
    line = _checked_line(hall, run, known, generation)
    champion = generation_csv.parse(hall.header_line + line, str(hall.path))
    return replace(rows.head(1), weights=champion.weights, genomes=None)


def _checked_line(hall: HallOfFameFile, run: Run, known: Manifest, generation: int) -> bytes:
    hall.check_weights(generation)
    line = hall.line(generation) if generation < len(hall) else b""
    if not _is_champion(hall.header_line, line, run.checked_bytes(known, generation)):
        raise run.damaged(HALL_OF_FAME, f"line {generation + 2} is not the champion", generation - 1)
    return line


def _is_champion(header: bytes, line: bytes, generation: bytes) -> bool:
    import numpy as np

    from evolve.run.generation_csv import genome_digest

    columns, best = generation.split(b"\n", 2)[:2]
    facts = header.split(b",w0,", 1)[0].count(b",") + 1  # columns before the weights
    fields = line.rstrip(b"\n").split(b",", facts)
    if len(fields) <= facts or not best.startswith(b",".join(fields[1:facts]) + b","):
        return False
    if columns.rpartition(b",")[2] != GENOME_COLUMN.encode():
        return best.endswith(b"," + fields[facts])
    try:
        weights = np.array(read_numbers(fields[facts], fields[facts].count(b",") + 1), np.float64).astype(np.float32)
    except ValueError:
        return False
    return best.rpartition(b",")[2].decode() == genome_digest(weights)


MOST_GAME_BYTES = 1 << 20


class ChampionGames:
    """The champions' games of a run, read step by step while a session may be appending."""

    def __init__(self, run: Path) -> None:
        self.path = run / CHAMPIONS
        self._tail = Tail(self.path)
        self._forget()

    def _forget(self) -> None:
        self._starts: dict[int, int] = {}  # offset of the first game of each generation
        self._game = self._end = 0  # start and end of the last game

    @property
    def trouble(self) -> str:
        return self._tail.trouble

    def step(self) -> News:
        news = self._tail.read()
        if news.anew:
            self._forget()
        for at, line in news.lines:
            if line.startswith(b"[Event "):
                self._game = at
            elif (number := round_generation(line)) >= 0:
                self._starts.setdefault(number, self._game)
            self._end = at + len(line)
        return news

    def span_of(self, generation: int) -> tuple[int, int]:
        """Return the byte offsets where the games of a generation begin and end; (0, 0) if there are none."""
        start = self._starts.get(generation)
        return (0, 0) if start is None else (start, self._starts.get(generation + 1, self._end))

    def games_of(self, generation: int) -> str:
        """Return the games of a generation as PDN; empty if there are none."""
        start, end = self.span_of(generation)
        if not end:
            return ""
        try:
            with open_regular(self.path) as file:
                file.seek(start)
                return str(file.read(min(end - start, MOST_GAME_BYTES)), "utf-8", "replace")
        except OSError:
            return ""
