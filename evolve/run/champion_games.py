"""The games of the champions of a run: where those of a generation are in their file, and how different they were."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from evolve.run.append_only import CHAMPIONS, round_generation
from evolve.run.files import LONGEST_LINE
from evolve.run.tail import News, Tail
from game.regular_files import open_regular

MOST_GAME_BYTES = 1 << 20
_TAIL = 1 << 16  # bytes that are read first, from the end


class ChampionGames:
    """The file of games, read only as far as it has grown; a session may be appending meanwhile.

    Args:
        run: the folder of the run.
    """

    def __init__(self, run: Path) -> None:
        self.path = run / CHAMPIONS
        self._tail = Tail(self.path)
        self._forget()

    def _forget(self) -> None:
        self._starts: dict[int, int] = {}  # by generation, where its first game begins
        self._game = self._end = 0  # where the last game begins and ends

    @property
    def trouble(self) -> str:
        """Why the file cannot be read; empty if it can."""
        return self._tail.trouble

    def step(self) -> News:
        """Read on; returns what was new."""
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
        """From where to where the games of a generation are in the file, in bytes; two 0 if there are none."""
        start = self._starts.get(generation)
        return (0, 0) if start is None else (start, self._starts.get(generation + 1, self._end))

    def games_of(self, generation: int) -> str:
        """The games of a generation as PDN; empty if there are none."""
        start, end = self.span_of(generation)
        if not end:
            return ""
        try:
            with open_regular(self.path) as file:
                file.seek(start)
                return str(file.read(min(end - start, MOST_GAME_BYTES)), "utf-8", "replace")
        except OSError:
            return ""


@dataclass(frozen=True)
class Repeats:
    """How different the games are that a result rests on.

    Attributes:
        games: played.
        different: sequences of moves among them.
        most: how often the most frequent one was played.
    """

    games: int
    different: int
    most: int


def count_repeats(run: Path, generation: int) -> Repeats | None:
    """The champion's games in the ranking of a generation; None if there are none on record.

    Games are read from the end of the file, so the newest generation costs least.
    """
    try:
        text = _read_from(run / CHAMPIONS, generation)
    except OSError:
        return None
    moves: Counter[str] = Counter()
    for game in text.split("[Event ")[1:]:
        tags, _, movetext = game.partition("\n\n")
        if any(round_generation(tag.encode()) == generation for tag in tags.split("\n")):
            moves[" ".join(movetext.split()[:-1])] += 1  # without the result
    return Repeats(moves.total(), len(moves), max(moves.values())) if moves else None


def _read_from(path: Path, generation: int) -> str:
    """The end of the file, from the first game of this generation or before it."""
    with open_regular(path) as file:
        at = file.seek(0, io.SEEK_END)
        data = b""
        while at > 0 and len(data) < LONGEST_LINE:
            step = min(at, max(_TAIL, len(data)))
            at = file.seek(at - step)
            data = file.read(step) + data
            rounds = (round_generation(line) for line in data.split(b"\n"))
            first = next((number for number in rounds if number >= 0), None)
            if first is not None and first < generation:
                break
    return data.decode("utf-8", "replace")
