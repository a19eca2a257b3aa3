"""The verbs that play players against each other, and those that ask one: from options to what was found."""

from __future__ import annotations

import argparse
import contextlib
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from evolve.config import anchors
from evolve.run import folder
from evolve.session.reporters import CountingLine
from evolve.strength import entrants
from evolve.strength import progress as measuring
from evolve.strength.ladder import Ladder, champions, over_generations, play, round_robin
from evolve.strength.match import DEFAULT_GAMES, Contest, SprtResult, contest
from evolve.strength.match_pdn import pdn_file
from evolve.strength.sprt import UNDECIDED, Sprt
from evolve.workers.crew import Crew, worker_count
from game.errors import InputError
from game.networks.network_file import named
from game.players import Player, player

MAX_SPRT_GAMES = 100_000
"""Of a match that a test ends, unless another number is given."""


def players(options: argparse.Namespace, *names: str) -> list[Player]:
    """The players behind names; runs and networks of CSV files as the options say.

    Raises:
        InputError: a name of nobody.
    """
    folder.register(options.runs, None if options.network is None else named(options.network))
    return [player(name) for name in names]


def seed(given: int | None, drawn: int | None = None) -> int:
    """The seed that was given, else `drawn`, else a new one of 32 bits.

    Raises:
        InputError: out of range.
    """
    if given is None:
        return secrets.randbits(32) if drawn is None else drawn
    if not 0 <= given < 2**63:
        raise InputError(f"--seed: expected a whole number from 0 to 2**63 - 1, got {given}")
    return given


def match(options: argparse.Namespace, line: CountingLine) -> tuple[Contest, Player, Player]:
    """Play the match that the options of the verb describe.

    Raises:
        InputError: they cannot be used.
        OSError: the file of games cannot be written.
    """
    sprt = None if options.sprt is None else Sprt.parse(options.sprt)
    games = options.games if options.games is not None else DEFAULT_GAMES if sprt is None else MAX_SPRT_GAMES
    number, workers = seed(options.seed), worker_count(options.workers)
    a, b = players(options, options.a, options.b)

    def show(done: int, tested: SprtResult | None) -> None:
        test = "" if tested is None else f", log-likelihood ratio {tested.llr:+.2f}"
        ended = done >= games or (tested is not None and tested.verdict != UNDECIDED)
        line.count("" if ended else f"{done:,} of {games:,} games{test}")

    with contextlib.ExitStack() as stack:
        stack.enter_context(_ended_tidily())
        event = f"Match of {a.name} and {b.name}, {options.openings}, seed {number}"
        on_game = None if options.pdn is None else stack.enter_context(pdn_file(options.pdn, event))
        crew = stack.enter_context(Crew(workers))
        how: dict[str, Any] = {"kind": options.openings, "seed": number, "sprt": sprt, "crew": crew}
        return contest(a, b, games, progress=show, on_game=on_game, **how), a, b


@contextlib.contextmanager
def _ended_tidily() -> Iterator[None]:
    """Make SIGTERM an ordinary end, by which no process and no half file is left; exit code 143."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def ladder(options: argparse.Namespace, line: CountingLine) -> Ladder:
    """Play the ladder that the options of the verb describe.

    Raises:
        InputError: they cannot be used.
    """
    number, workers = seed(options.seed, 1), worker_count(options.workers)
    names = list[str](options.players)
    if options.every is not None:
        if len(names) != 1:
            raise InputError(f"--every: expected one run, got {len(names)} players")
        names = champions(options.runs, names[0], options.every)
    own = anchors.chosen(options.anchors)
    found, renamed = tuple(players(options, *names, *own)), tuple[tuple[str, str], ...]()
    whole = options.every is None
    if whole:
        entry = entrants.entered(options.runs, found)
        found, renamed = entry.players, entry.renamed
    everybody = [player.name for player in found]
    zero = _zero(options, found)
    meetings = round_robin(len(found)) if whole else over_generations(len(names), len(own))

    def show(meeting: int, done: int, total: int) -> None:
        one, other = (everybody[index] for index in meetings[meeting])
        all_games = len(meetings) * options.games
        line.count(f"{total:,} of {all_games:,} games: {one} and {other}" if total < all_games else "")
        if done == options.games:
            line.step(f"{meeting + 1} of {len(meetings)}: {one} and {other}")

    how: dict[str, Any] = {"zero": zero, "kind": options.openings, "seed": number}
    how |= {"progress": show, "fitting": lambda: line.count("fitting ratings")}
    with _ended_tidily(), Crew(workers) as crew:
        result = play(found, meetings, options.games, crew=crew, **how)
    line.count("")
    return replace(result, renamed=renamed)


def progress(options: argparse.Namespace, show: Callable[[str], None]) -> dict[str, Any]:
    """Measure what the options of the verb describe.

    Args:
        options: of the verb.
        show: told each line of the table as it is ready, the first headings only with the first row, so that no error
            stands below them.

    Returns:
        The same as plain values.

    Raises:
        InputError: they cannot be used.
    """
    given = options.generations
    words = [] if given is None else [word.strip() for word in given.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise InputError(f"--generations: expected numbers such as 0,5,10, got {given!r}")
    numbers = None if given is None else [int(word) for word in words]
    how: dict[str, Any] = {"seed": seed(options.seed), "kind": options.openings}
    workers = worker_count(options.workers)
    run = folder.existing_run(options.runs, options.run_name)
    look = measuring.Look.of(run)
    games = look.games if options.games is None else options.games
    head = iter([measuring.headings(look.width)])

    def row_is_ready(row: measuring.Row) -> None:
        for line in (*head, measuring.line(row, look.width)):
            show(line)

    with _ended_tidily(), Crew(workers) as crew:
        rows = measuring.measure(run, numbers, games, look=look, crew=crew, progress=row_is_ready, **how)
    show(look.foot(games))
    return {"run": str(run.path), "search": look.as_json(), "rows": [measuring.as_json(row) for row in rows]}


def _zero(options: argparse.Namespace, found: Sequence[Player]) -> int:
    """Whose rating is to be 0: its index.

    Raises:
        InputError: nobody of this name plays.
    """
    everybody = [player.name for player in found]
    if options.zero is None:
        return everybody.index(anchors.ZERO) if anchors.ZERO in everybody else 0
    if options.zero in everybody:
        return everybody.index(options.zero)
    known = [entrants.identity(player) for player in found]
    with contextlib.suppress(InputError):
        (meant,) = map(entrants.identity, players(options, options.zero))
        if meant in known:
            return known.index(meant)
    raise InputError(f"--zero: expected one of those who play ({'; '.join(everybody)}), got {options.zero!r}")
