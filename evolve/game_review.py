"""All games of a file with what was wrong in them, for ``analyse --pdn``; or what scores came to in them."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from evolve.session.reporters import CountingLine
from evolve.strength.match_pdn import games_file
from game.errors import InputError, one_line
from game.installation import PROGRAM
from game.pdn.check import Record, Source, read_records, source_name, write_game
from game.review import calibration
from game.review.annotate import annotate
from game.review.judged import Review
from game.review.kept import to_dict
from game.review.looking import Analyst
from game.review.reviewing import Reviewing
from game.review.words import counted, summary_words

INTERRUPTED = 130


class GameReviewer:
    """Goes through the games of a file, one after the other.

    Args:
        analyst: who judges them.
        depth: plies that it looks ahead.
        source: the file, or standard input.
        as_json: print one JSON object in place of words.
    """

    def __init__(self, analyst: Analyst, depth: int, source: Source, *, as_json: bool) -> None:
        self._analyst, self._depth, self._source, self._as_json = analyst, depth, source, as_json
        self._name = source_name(source)
        self._line = CountingLine(quiet=as_json)
        self._games = self._mistakes = self._faults = 0
        self._told: list[dict[str, Any]] = []

    def review(self, out: Path | None) -> int:
        """Write the annotated games; what is finished stays written if Ctrl-C ends it.

        Args:
            out: the file to write; None: standard output.

        Returns:
            The exit code: 2 if something in the file is wrong.

        Raises:
            InputError: there are no games, or the file cannot be made.
            OSError: reading or writing fails.
        """
        stopped = False
        with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as stack:
            stream = sys.stdout if out is None else stack.enter_context(games_file(out, "--out"))
            stack.callback(self._line.count)
            try:
                self._review_all(None if out is None and self._as_json else stream, tell=out is not None)
            except KeyboardInterrupt:
                stopped = True
                if not self._games:  # nothing is written, and what was there stays
                    raise
        return self._end(stopped, out)

    def _review_all(self, stream: IO[str] | None, *, tell: bool) -> None:
        for record in self._records():
            game = record.game
            assert game is not None
            review = self._analyst.review(game.start, game.moves, self._depth, self._progress)
            if stream is not None:
                write_game(stream, annotate(game, review))
            self._games += 1
            self._mistakes += len(review.mistakes)
            self._told.append(_as_json(record, review))
            if tell and not self._as_json:
                self._line.count()
                print(f"game {record.number}  {summary_words(review.summary)}", flush=True)

    def calibrate(self) -> int:
        """Fit the curve from scores to chances to the results of the games, and print how well it fits.

        Returns:
            The exit code: 2 if something in the file is wrong.

        Raises:
            InputError: there are no games, or too few.
            OSError: reading fails.
        """
        known: list[calibration.Sample] = []
        try:
            for record in self._records():
                assert record.game is not None
                self._games += 1
                known += calibration.samples(self._analyst, record.game, self._depth)
                self._line.count(f"game {self._games:,}", counted(len(known), "position"))
        finally:
            self._line.count()
        curve = calibration.fit(known)
        values = {"level": curve.level, "spread": curve.spread, "positions": len(known)}
        print(json.dumps(values) if self._as_json else calibration.report(known, curve))
        return 2 if self._faults else 0

    def _records(self) -> Iterator[Record]:
        """Games that have a start; faults are told as `pdn check` does."""
        found = False
        for record in read_records(self._source):
            found = True
            for fault in record.faults:
                self._faults += 1
                self._line.count()
                print(f"{self._name}:{fault}", file=sys.stderr, flush=True)
            if record.game is not None:
                yield record
        if not found:
            raise InputError(f"{self._name}: no games found")

    def _progress(self, reviewing: Reviewing) -> None:
        here = f"game {self._games + 1:,}: move {max(reviewing.done - 1, 0)} of {len(reviewing.moves)}"
        self._line.count(here, f"{counted(self._mistakes, 'mistake')} so far" if self._games else "")

    def _end(self, stopped: bool, out: Path | None) -> int:
        total = f"{counted(self._games, 'game')} reviewed, {counted(self._mistakes, 'mistake')}"
        total += f", written to {one_line(str(out))}" if out is not None and (self._games or not stopped) else ""
        if self._as_json:
            print(json.dumps({"analyst": self._analyst.name, "depth": self._depth, "games": self._told}))
        if stopped:
            print(f"{PROGRAM}: stopped: {total}", file=sys.stderr, flush=True)
            return INTERRUPTED
        if not self._as_json:
            told, stream = (f"{PROGRAM}: {total}", sys.stderr) if out is None else (total, sys.stdout)
            print(told, file=stream)
        return 2 if self._faults else 0


def _as_json(record: Record, review: Review) -> dict[str, Any]:
    assert record.game is not None
    names = {key: record.game.tag(key.capitalize()) for key in ("black", "white")}
    return {"game": record.number, **names, "result": record.game.result, "review": to_dict(review)}
