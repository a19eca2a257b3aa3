"""Makes the positions of the gauge: ``python -m tests.measurements.gauge_positions [FILE]`` writes `gauge.FILE`.

Games between shipped players give one quiet, even position each, until there are 1,500. Further games give up to four
each, of which those count about which a short and a longer search of the judge disagree, until there are 500. Then the
judge searches all 2,000. This takes some 20 CPU minutes in one process and gives the same file everywhere. Scores are
kept in FILE.partial until the end, so that an interrupted command continues where it was stopped.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from evolve.names.players import frozen_player
from game.board import Position
from game.pdn.check import read_games
from game.pdn.game import Game
from game.review.reviewing import Analyst
from game.scores import EVEN
from game.search.interface import Limits
from tests.measurements import gauge
from tests.measurements.gauge import GaugePosition, PositionOrigin

ROOT = Path(__file__).parents[2]
PAIRINGS = (
    ("crownhead-2,nodes=300,tablebase=no", "crownhead-1,nodes=600,tablebase=no"),
    ("crownhead-2,nodes=300,tablebase=no", "zero,nodes=300,search=alphabeta,tablebase=no"),
)
GAMES = 800
"""Number of games in each match; matches follow until there are enough positions."""
PLAYED, DISPUTED = 1500, 500
"""Numbers of positions of each origin."""
SHORT, LONG = 1500, 100_000
"""Nodes of the two searches."""
FROM_A_GAME = 4
"""Maximum number of disputed positions of a game."""
MOST = 9.0
"""Scores beyond this, in men, are equal for a disagreement, proved wins among them."""


def main() -> None:
    path = Path(sys.argv[1]) if sys.argv[1:] else gauge.FILE
    scores = JudgeScores(path.with_suffix(".partial"))
    games, generator, chosen = played_games(), np.random.default_rng(1), dict[Position, PositionOrigin]()
    while len(chosen) < PLAYED:
        for position in itertools.islice(gauge.suitable_positions(next(games), generator), 1):
            chosen.setdefault(position, PositionOrigin.PLAYED)
    while len(chosen) < PLAYED + DISPUTED:
        for position in itertools.islice(gauge.suitable_positions(next(games), generator), FROM_A_GAME):
            if len(chosen) < PLAYED + DISPUTED and position not in chosen and scores.disagree(position):
                chosen[position] = PositionOrigin.DISPUTED
                log(f"{len(chosen)} positions", len(chosen))
    judged = []
    for position, origin in chosen.items():
        judged.append(GaugePosition(origin, position, scores.score(position, gauge.JUDGE_NODES)))
        log(f"{len(judged)} are judged", len(judged))
    gauge.write_positions(judged, path)
    scores.path.unlink()


class JudgeScores:
    """Scores of the judge's searches, kept in a file.

    Args:
        path: the file, of lines with nodes, FEN and score.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[tuple[int, str], float] = {}
        self._judge = Analyst(frozen_player(gauge.JUDGE))
        if path.exists():
            complete, end, _ = path.read_text(encoding="utf-8").rpartition("\n")
            path.write_text(complete + end, encoding="utf-8")  # without the last line of an interrupted write
            for line in complete.splitlines():
                nodes, fen, score = line.split("\t")
                self._known[int(nodes), fen] = float(score)

    def score(self, position: Position, nodes: int) -> float:
        key = nodes, position.fen()
        if key not in self._known:
            self._known[key] = gauge.score(self._judge, position, Limits(nodes=nodes))
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(f"{nodes}\t{key[1]}\t{self._known[key]!r}\n")
        return self._known[key]

    def disagree(self, position: Position) -> bool:
        """Return whether the two searches differ by more than searches of different depths usually do."""
        short, long = (np.clip(self.score(position, nodes), -MOST, MOST) for nodes in (SHORT, LONG))
        return bool(abs(short - long) > EVEN)


def played_games() -> Iterator[Game]:
    """Yield the games of one match after the other."""
    for seed in itertools.count(1):
        for players in PAIRINGS:
            with tempfile.TemporaryDirectory() as folder:
                games = Path(folder, "games.pdn")
                options = ("--games", str(GAMES), "--seed", str(seed), "--workers", "1", "--pdn", str(games))
                command = [sys.executable, "main.py", "match", *players, *options]
                subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
                yield from read_games(str(games))


def log(text: str, number: int) -> None:
    if number % 50 == 0:
        print(f"{time.process_time():,.0f} CPU s: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
