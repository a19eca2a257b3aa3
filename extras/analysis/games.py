"""``analyse --pdn``: reviewing all games of a file."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from evolve.run.files import growing
from evolve.session.reporters import CountingLine
from evolve.strength.match_report import check_games_file, games_file
from extras.recorded.analyst import Analyst
from extras.recorded.check import Record, Source, count_games, read_records, source_name
from game.errors import InputError, one_line
from game.installation import PROGRAM
from game.pdn.game import Game, write_game
from game.pdn.lexer import LIMIT, KeptText
from game.review.annotations import annotate, counted, summary_words
from game.review.judged import Review, review_as_json
from game.review.proved import ProvedReviews

INTERRUPTED = 130


ALL = range(1, sys.maxsize)
"""The numbers of all games of a file."""


def numbers_of(text: str) -> range:
    """Return numbers of games, given as ``7``, ``1-5`` or ``1-900/3`` (every third).

    Raises:
        InputError: the text has none of these forms.
    """
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9})(?:/([0-9]{1,9}))?)?", text)
    first, last, step = (int(part) if part else None for part in match.groups()) if match else (None, None, None)
    last = first if last is None else last
    if not first or last is None or last < first or step == 0:
        raise InputError(f"--games: expected numbers of games, as in 7, 1-5 or 1-900/3 (every third), got {text!r}")
    return range(first, last + 1, step or 1)


def selected_records(source: Source, numbers: range, kept: KeptText | None = None) -> Iterator[Record]:
    """Yield the selected games of a file; while a record is used, `kept` has the text of its game.

    Raises:
        InputError: there are none, or the file cannot be read.
        OSError: reading fails.
    """
    last, taken = 0, False
    for record in read_records(source, kept):
        if record.number >= numbers.stop:
            break
        last = record.number
        if record.number in numbers:
            taken = True
            yield record
    if not taken:
        reason = f"only {counted(last, 'game')}, and --games selects none of them" if last else "no games found"
        raise InputError(f"{source_name(source)}: {reason}")


class GameReviewer:
    """Reviews the games of a file, one after the other.

    Args:
        source: the file, or standard input.
        as_json: whether to print one JSON object instead of text.
        numbers: the games to review.
    """

    def __init__(
        self, analyst: Analyst | ProvedReviews, depth: int, source: Source, *, as_json: bool, numbers: range = ALL
    ) -> None:
        self._analyst, self._depth, self._source, self._as_json = analyst, depth, source, as_json
        self._numbers = numbers
        self._name = source_name(source)
        self._line = CountingLine(quiet=as_json)
        self._games = self._mistakes = self._faults = 0
        self._left_out: list[int] = []
        self._text = KeptText()
        self._waiting = tempfile.SpooledTemporaryFile(LIMIT, "w+", encoding="utf-8", newline="")  # noqa: SIM115
        self._copied = False
        self._reviews: list[dict[str, Any]] = []
        self._total = 0  # number of games to review; 0 if unknown

    def review(self, out: Path | None) -> int:
        """Review the games; each is written as soon as it is annotated, so that an interrupted review keeps it.

        Returns:
            The exit code: 2 if the file has faults.

        Raises:
            InputError: there are no games, or the file cannot be created.
            OSError: reading or writing fails; an existing file is unchanged.
        """
        stopped = False
        with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as stack:
            output = self._output(out, stack)
            stack.callback(self._line.count)
            try:
                self._review_all(output, print_games=out is not None)
            except KeyboardInterrupt:
                stopped = True
                if not self._copied:  # nothing was written, and an existing file is unchanged
                    raise
        return self._end(stopped, out)

    def _output(self, out: Path | None, stack: contextlib.ExitStack) -> Callable[[], IO[str]] | None:
        """Return a function that opens the output on its first call and leaves an existing file unchanged until then.

        If the output is the file that is being read, it is replaced atomically at the end.
        """
        if out is None:
            return None if self._as_json else lambda: sys.stdout
        check_games_file(out, "--out")
        if isinstance(self._source, str) and out.exists() and out.samefile(self._source):
            return functools.cache(lambda: stack.enter_context(games_file(out, "--out")))
        return functools.cache(lambda: stack.enter_context(growing(out.resolve())))

    def _review_all(self, output: Callable[[], IO[str]] | None, *, print_games: bool) -> None:
        for record in self._records():
            game = record.game
            if game is None or not record.whole or not game.moves:
                self._left_out.append(record.number)
                if output is not None:
                    self._copy(output, waits=game is None)
                continue
            review = self._analyst.review(game, self._depth, self._progress)
            if output is not None:
                self._copy_waiting(output)
                write_game(output(), annotate(game, review))
                output().flush()
            self._games += 1
            self._mistakes += len(review.mistakes)
            self._reviews.append(_as_json(record.number, game, review))
            if print_games and not self._as_json:
                self._line.count()
                print(f"game {record.number}  {summary_words(review)}", flush=True)

    def _copy(self, output: Callable[[], IO[str]], *, waits: bool) -> None:
        """Copy the text of a game; that of another kind of game waits, since a file without checkers is not copied."""
        if waits and not self._copied:
            self._text.copy_to(self._waiting)
            return
        self._copy_waiting(output)
        self._text.copy_to(output())
        output().flush()

    def _copy_waiting(self, output: Callable[[], IO[str]]) -> None:
        if not self._copied:
            self._copied = True
            self._waiting.seek(0)
            shutil.copyfileobj(self._waiting, output())

    def _records(self) -> Iterator[Record]:
        if isinstance(self._source, str) and Path(self._source).is_file():  # a pipe could not be read again
            last = min(self._numbers.stop, count_games(self._source) + 1)
            self._total = len(range(self._numbers.start, last, self._numbers.step))
        if self._total and not self._as_json:
            print(f"{counted(self._total, 'game')} of {one_line(self._name)} to review", file=sys.stderr, flush=True)
        with contextlib.closing(self._text), contextlib.closing(self._waiting):
            for record in selected_records(self._source, self._numbers, self._text):
                for fault in record.faults:
                    self._faults += 1
                    self._line.count()
                    print(f"{self._name}:{fault}", file=sys.stderr, flush=True)
                yield record

    def _progress(self, done: int, moves: int) -> None:
        of = f" of {self._total:,}" if self._total else ""
        text = f"game {self._games + 1:,}{of}: move {max(done - 1, 0)} of {moves}"
        self._line.count(text, f"{counted(self._mistakes, 'mistake')} so far" if self._games else "")

    def _end(self, stopped: bool, out: Path | None) -> int:
        total = f"{counted(self._games, 'game')} reviewed, {counted(self._mistakes, 'mistake')}"
        left_out = counted(len(self._left_out), "game") if self._left_out else ""
        if left_out and self._copied:
            total += f", {left_out} copied unchanged (not read to the end, or without moves)"
        elif left_out:
            total += f"\nleft out: {left_out} that could not be read"
        if out is not None and self._copied:
            total += f", written to {one_line(str(out))}"
        proved = self._analyst if isinstance(self._analyst, ProvedReviews) else None
        if self._as_json:
            known = {"analyst": self._analyst.name, "depth": self._depth, "games": self._reviews}
            known |= {} if proved is None else {"proved": proved.as_json()}
            print(json.dumps(known | ({"left_out": self._left_out} if self._left_out else {})))
        if stopped:
            print(f"{PROGRAM}: stopped: {total}", file=sys.stderr, flush=True)
            return INTERRUPTED
        if not self._as_json:
            total += "" if proved is None else f"\n\n{proved.report()}"
            text, stream = (f"{PROGRAM}: {total}", sys.stderr) if out is None else (total, sys.stdout)
            print(text, file=stream)
        return 2 if self._faults else 0


def _as_json(number: int, game: Game, review: Review) -> dict[str, Any]:
    names = {key: game.tag(key.capitalize()) for key in ("black", "white")}
    return {"game": number, **names, "result": game.result, "review": review_as_json(review)}
