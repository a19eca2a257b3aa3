"""Saved games: their list, which is read in steps."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from game.regular_files import open_regular, replacing
from gui.model.kept_game import KeptGame, mistakes_a_game
from gui.storage.game_text import SavedGameError, check_date, read_facts
from gui.storage.whole_files import FOLDER, in_words, read_bytes, set_aside

INDEX = "index.jsonl"
FORMAT = 4
MOST_BYTES = 64 << 20
"""Maximum size of the index in bytes; a hundred thousand games take half of it."""
LONGEST_LINE = 1 << 16
"""Maximum length in bytes of a line of the index; a longer one is read as several invalid lines."""
YOUNG_SECONDS = 2.0
"""A folder that changed this recently is read again, since a further change might not alter its time."""

Dated = tuple[int, int]
"""Modification time of a file in nanoseconds, and its size in bytes."""


class KeptGames:
    """The games of a data folder.

    Attributes:
        mistakes: how many mistakes a person makes in them (`mistakes_a_game`).
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.perf_counter) -> None:
        self.games: list[KeptGame] = []
        self.complete = False
        self.version, self.mistakes = 0, ""
        self.data, self._folder = folder, folder / FOLDER
        self._clock = clock
        self._known: dict[str, tuple[Dated, KeptGame]] | None = None
        self._aside: list[str] = []
        self._unreadable: list[str] = []
        self._outdated = False  # whether the index lacks a game
        self._seen: int | None = None
        self._done, self._all = 0, 1
        self._work: Iterator[None] | None = self._look()

    @property
    def share(self) -> float:
        return 1.0 if self.complete else self._done / max(self._all, 1)

    @property
    def damaged(self) -> list[str]:
        """One sentence for each file that was set aside or could not be read."""
        return [*self._aside, *self._unreadable]

    def path(self, game: KeptGame) -> Path:
        return self._folder / game.name

    def look_again(self) -> None:
        """Begin to read the folder again if it has changed."""
        if self._work is None and (self._seen is None or self._seen != self._folder_time()):
            self.complete = False
            self._work = self._look()

    def step(self, seconds: float) -> bool:
        before, end = self.version, self._clock() + seconds
        while self._work is not None:
            if next(self._work, self) is self:
                self._work, self.complete = None, True
            if self._clock() >= end:
                break
        return self.version != before

    def read_all(self) -> list[KeptGame]:
        self.look_again()
        self.step(float("inf"))
        return self.games

    def _folder_time(self) -> int:
        with contextlib.suppress(OSError):
            return self._folder.stat().st_mtime_ns
        return 0

    def _look(self) -> Iterator[None]:
        """Compare the folder with the index, in small steps."""
        first, changed = self._known is None, self._folder_time()
        self._done, self._all = 0, 1
        if self._known is None:
            self._known = {}
            yield from self._read_index(self._known)
        known, files = self._known, list[tuple[int, str, int]]()
        yield from self._list_files(files)
        files.sort(reverse=True)
        yield
        self._all = len(files)
        games = self.games if first else []
        self._unreadable = []
        kept: dict[str, tuple[Dated, KeptGame]] = {}
        for time_ns, name, size in files:
            self._done += 1
            game = self._facts(known, name, (time_ns, size))
            if game is not None:
                kept[name] = (time_ns, size), game
                games.append(game)
                self.version += first
            yield
        ordered = sorted(games, key=lambda game: (game.when, game.name), reverse=True)
        yield
        if ordered != self.games or first:
            self.version += 1
        self.games, self._known, self.mistakes = ordered, kept, mistakes_a_game(ordered)
        old = time.time() - changed / 1e9 > YOUNG_SECONDS
        self._seen = changed if old and changed == self._folder_time() else None
        if self._outdated:
            yield from self._write_index(kept)

    def _list_files(self, files: list[tuple[int, str, int]]) -> Iterator[None]:
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json"):
                    with contextlib.suppress(OSError):
                        status = entry.stat()
                        files.append((status.st_mtime_ns, entry.name, status.st_size))
                yield

    def _facts(self, known: dict[str, tuple[Dated, KeptGame]], name: str, stamp: Dated) -> KeptGame | None:
        before = known.get(name)
        if before is not None and before[0] == stamp:
            return before[1]
        path = self._folder / name
        try:
            data = read_bytes(path)
            if data is None:
                return None
            game = read_facts(data, name, stamp[0] / 1e9)
        except OSError as error:
            self._unreadable.append(f"{path} cannot be read: {in_words(error)}.")
            return None
        except (SavedGameError, ValueError) as error:
            self._aside.append(f"{path} was damaged and set aside: {in_words(error)}.")
            set_aside(path)
            return None
        self._outdated = True
        return game

    def _read_index(self, known: dict[str, tuple[Dated, KeptGame]]) -> Iterator[None]:
        """Read the index, which is only a cache: what cannot be read is read from the games again."""
        with contextlib.suppress(OSError), open_regular(self._folder / INDEX, links=True, most=MOST_BYTES) as file:
            for line in iter(lambda: file.readline(LONGEST_LINE), b""):
                with contextlib.suppress(ValueError, TypeError, LookupError, OverflowError, RecursionError):
                    stamp, game = _read_line(line)
                    known[game.name] = stamp, game
                yield

    def _write_index(self, kept: dict[str, tuple[Dated, KeptGame]]) -> Iterator[None]:
        self._outdated = False
        temporary = self._folder / f".{INDEX}.{os.getpid()}.tmp"
        whole = replacing(self._folder / INDEX, durable=False, temporary=temporary)
        with contextlib.suppress(OSError), whole as file:
            for stamp, game in kept.values():
                file.write(_line(stamp, game).encode())
                yield


def _line(stamp: Dated, game: KeptGame) -> str:
    facts = [*game.names, *game.details, game.result, game.plies, game.opening, game.openings]
    values = [FORMAT, game.name, *stamp, game.when, *facts, game.mistakes, game.proved, *game.programs]
    return json.dumps(values, separators=(",", ":")) + "\n"


def _read_line(line: bytes) -> tuple[Dated, KeptGame]:
    values = json.loads(line)
    number, name, changed, size, when, black, white, first, second, result, plies, opening, openings, *pairs = values
    texts = name, black, white, first, second, opening, openings
    sound = all(type(text) is str for text in texts) and type(plies) is int and plies >= 0
    if type(values) is not list or number != FORMAT or not sound or result not in (-1, 0, 1, None):
        raise ValueError("not a line of this index")
    mistakes, proved = (None if pair is None else (int(pair[0]), int(pair[1])) for pair in pairs[:2])
    programs = [(str(player), int(depth)) for player, depth in pairs[2:]]
    if proved is None or len(programs) != 2:
        raise ValueError("not a line of this index")
    return (changed, size), KeptGame(
        name, check_date(when), (black, white), (first, second), result, plies, opening, openings, mistakes, proved,
        (programs[0], programs[1]),
    )  # fmt: skip
