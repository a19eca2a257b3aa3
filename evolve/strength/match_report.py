"""Formatting of a finished match as text, as plain values for JSON and as a PDN file."""

from __future__ import annotations

import codecs
import contextlib
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from evolve.run.files import streamed
from evolve.strength import effort
from evolve.strength.elo import ALPHA, H0, H1, score_interval
from evolve.strength.match import CountedGame, MatchResult, Score
from game.endings import REASON_TEXT, Reason
from game.errors import FailureKind, InputError
from game.match import Used
from game.number_text import count_text, finite_or_none, signed_text
from game.pdn import game as pdn_game
from game.pdn.game import NO_DATE, Annotation, Game
from game.players.player import Player
from game.regular_files import open_regular
from game.review.judged import ProvedMoves

WIDTH = 116
"""Width of a line in characters."""

LONG_NAME = 48
"""Maximum length of a name for which descriptions are aligned."""

ENDS = {
    Reason.NO_MOVE: "without a legal move",
    Reason.REPETITION: "by repetition",
    Reason.QUIET: "without captures and moves of men",
    Reason.LENGTH: "by their length",
    Reason.FAILURE: "by a failure",
    Reason.TABLEBASE: "by a tablebase",
}
"""Descriptions of the ends of games, which follow a number of games."""

FAILED = {
    FailureKind.CRASH: "crashed",
    FailureKind.TIMEOUT: "took too long",
    FailureKind.FLOOD: "wrote without end",
    FailureKind.ILLEGAL: "gave no legal move",
    FailureKind.VALUE: "gave a value that is not a number",
    FailureKind.OTHER: "could not go on",
}
"""Descriptions of failures, which follow the name of a player."""


def as_json(result: MatchResult) -> dict[str, Any]:
    """Return the result as plain values for JSON; an infinite Elo difference becomes None."""
    estimate = result.estimate
    values: dict[str, Any] = {
        "games": result.games,
        "distinct_games": result.distinct_games,
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "score": estimate.score,
        "elo": finite_or_none(estimate.elo),
        "elo_low": finite_or_none(estimate.elo_low),
        "elo_high": finite_or_none(estimate.elo_high),
        "seconds": result.seconds,
        "openings": result.openings,
        "seed": result.seed,
        "pentanomial": list(result.pentanomial),
        "reasons": {reason.name.lower(): result.reasons[reason] for reason in Reason},
        "failures": failures_as_json(result),
        "stopped": result.stopped,
        "proved": None if result.proved is None else dict(zip("ab", map(asdict, result.proved), strict=True)),
        "used": None if result.used is None else dict(zip("ab", map(used_as_json, result.used), strict=True)),
    }
    if result.sprt is not None:
        test = result.sprt.test
        values["sprt"] = {
            "llr": result.sprt.llr,
            "lower": test.lower,
            "upper": test.upper,
            "verdict": result.sprt.verdict,
            "biased": result.stopped_early,
        }
    return values


def used_as_json(used: Used) -> dict[str, Any]:
    """Return a player's mean effort per unforced move, as plain values; None if not reported."""
    return {
        "moves": used.moves,
        "nodes": used.nodes / used.nodes_moves if used.nodes_moves else None,
        "depth": used.depth / used.depth_moves if used.depth_moves else None,
        "seconds": used.seconds / used.moves if used.moves else None,
    }


def failures_as_json(result: MatchResult) -> list[dict[str, Any]]:
    return [
        {"player": "ab"[failures.player], "kind": str(failures.kind), "games": failures.games, "first": failures.first}
        for failures in result.failures
    ]


def score_parts(score: Score, wanted: int) -> tuple[str, ...]:
    """Return the parts of the progress line of a match, the most important first."""
    if not score.games:
        return (f"0 of {wanted:,} games",)
    estimate = score_interval(score.pentanomial)
    now, low, high = (f"{100 * share:.1f}" for share in (estimate.score, estimate.low, estimate.high))
    test = () if score.sprt is None else (f"log-likelihood ratio {score.sprt.llr:+.2f}",)
    return (
        f"{score.games:,} of {wanted:,} games",
        f"A {now} %",
        f"({low} to {high})",
        *test,
        f"{score.wins:,} won {score.draws:,} drawn {score.losses:,} lost",
        f"{wanted - score.games:,} left",
    )


def report(
    result: MatchResult, a: Player, b: Player, *, wanted: int | None = None, nodes: effort.Effort = (None, None)
) -> str:
    """Describe the result in plain text for readers who do not know the statistics.

    Args:
        nodes: nodes per move of A and B.
    """
    width = min(max(len(a.name), len(b.name)), LONG_NAME)
    estimate, different = result.estimate, f"{result.distinct_games:,} of them"
    sure = "" if result.stopped_early else "with 95 % confidence "
    of = "" if wanted is None else f" of {wanted:,}"
    longer = "1 pair starts" if result.lengthened == 1 else f"{result.lengthened:,} pairs start"
    ends = sorted((reason for reason in Reason if result.reasons[reason]), key=lambda reason: -result.reasons[reason])
    nodes_a, nodes_b = map(effort.text, nodes)
    used, tables = _used_lines(result), tables_text(a, b)
    rate = f"{result.games / max(result.seconds, 1e-9):,.0f} games a second"
    evaluated = f", {result.evaluations:,} positions evaluated" if result.evaluations else ""
    blocks = [
        [f"A  {a.name:{width}}  {a.describe()}", f"B  {b.name:{width}}  {b.describe()}"],
        [f"Stopped after {result.games:,}{of} games; the report covers only these."] * result.stopped,
        [
            f"{result.games:,} games in pairs with colours swapped, {openings_text(result.openings)}, "
            f"{'all' if result.distinct_games == result.games else different} different",
            *([f"{longer} with more random moves, so that no opening is played twice"] * (result.lengthened > 0)),
        ],
        _table(result),
        _labelled(
            {
                "Score": [
                    f"{100 * estimate.score:.1f} %, {sure}between {100 * estimate.low:.1f} % and "
                    f"{100 * estimate.high:.1f} %"
                ],
                "Elo": _elo_lines(result, sure),
            }
        ),
        _labelled({"Test": _test_lines(result)}),
        _labelled(
            {
                "Failed": _failure_lines(result),
                "Ends": [", ".join(f"{result.reasons[reason]:,} {ENDS[reason]}" for reason in ends)],
                "Used": used,
                "Nodes": [f"A {nodes_a}, B {nodes_b} a move: positions visited in the first pair of games"]
                * (nodes != (None, None) and not used),
                "Proved": proved_lines("by {}: A threw away {} results, B {}", result.proved),
                "Tables": [tables.removeprefix("tablebases: ")] * bool(tables),
                "Time": [f"{result.seconds:.2f} s, {rate}{evaluated}"],
                "Seed": [f"{result.seed} ({again(result.seed, repeatable=a.repeatable and b.repeatable)})"],
            }
        ),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _labelled(rows: dict[str, list[str]]) -> list[str]:
    return [f"{'' if place else label:7}{line}" for label, lines in rows.items() for place, line in enumerate(lines)]


def again(seed: int, *, repeatable: bool) -> str:
    """Describe what the same seed reproduces: games that depend on time or other programs may differ."""
    if repeatable:
        return f"--seed {seed} plays the same games again"
    return f"--seed {seed} gives the same openings again; with time limits or external programs, games may differ"


def openings_text(kind: str) -> str:
    return "from the start of the game" if kind == "start" else f"on random {kind} openings"


def _table(result: MatchResult) -> list[str]:
    rows = {"A as Black": result.black, "A as White": result.white}
    rows["together"] = (result.wins, result.draws, result.losses)
    cells = [("", "won", "drawn", "lost", "A's score")]
    for name, (won, drawn, lost) in rows.items():
        percent = 100 * (won + drawn / 2) / (won + drawn + lost)
        cells.append((name, f"{won:,}", f"{drawn:,}", f"{lost:,}", f"{percent:.1f} %"))
    sizes = [max(map(len, column)) + 2 * (place > 0) for place, column in enumerate(zip(*cells, strict=True))]
    return [
        f"{row[0]:{sizes[0]}}" + "".join(f"{c:>{size}}" for c, size in zip(row[1:], sizes[1:], strict=True))
        for row in cells
    ]


def _elo_lines(result: MatchResult, sure: str) -> list[str]:
    """Describe the Elo difference, and which player is stronger; `sure` is the confidence of its interval."""
    estimate = result.estimate
    low, high = signed_text(estimate.elo_low), signed_text(estimate.elo_high)
    if estimate.score == 1.0:
        elo = f"above {low} {sure}(A won every game, so nothing bounds it from above)"
    elif estimate.score == 0.0:
        elo = f"below {high} {sure}(A lost every game, so nothing bounds it from below)"
    else:
        elo = f"{signed_text(estimate.elo)}, {sure}between {low} and {high} (+100 is a score of 64 %, 0 of 50 %)"
    if result.stopped_early:
        verdict = "Biased: the match ended as soon as its results looked clear, so they exaggerate the difference."
    elif estimate.low > 0.5:
        verdict = "A is the stronger player: the whole interval lies above 0."
    elif estimate.high < 0.5:
        verdict = "B is the stronger player: the whole interval lies below 0."
    else:
        verdict = "Not decided: 0 lies within the interval; more games make it narrower."
    return [elo, verdict]


def _test_lines(result: MatchResult) -> list[str]:
    if result.sprt is None:
        return []
    test = result.sprt.test
    lower, higher = (f"{elo:+g} Elo" if elo else "0 Elo" for elo in (test.elo0, test.elo1))
    verdict = {
        H0: f"accepted: the difference (A over B) is {lower} rather than {higher}",
        H1: f"accepted: the difference (A over B) is {higher} rather than {lower}",
    }.get(result.sprt.verdict, f"not decided between {lower} and {higher} within {result.games:,} games")
    biased = ["To measure the difference itself, play a match of fixed length, without --sprt."] * result.stopped_early
    return [
        verdict,
        f"If one of them is true, the other is accepted in at most about 1 of {round(1 / ALPHA)} matches.",
        f"Evidence (log-likelihood ratio) {result.sprt.llr:+.2f}; {test.lower:.2f} is enough for {lower}, "
        f"{test.upper:+.2f} for {higher}.",
        *biased,
    ]


def _failure_lines(result: MatchResult) -> list[str]:
    lines = [
        f"{'AB'[each.player]} {FAILED[each.kind]} in {count_text(each.games, 'game')}; the first time {each.first}"
        for each in result.failures
    ]
    lines = [wrapped for line in lines for wrapped in textwrap.wrap(line, WIDTH - 7)]
    return [*lines, "These games count as lost, so the score does not measure play alone."] if lines else []


def tables_text(a: Player, b: Player) -> str:
    users = [f"{name} of up to {player.tablebase} pieces" for name, player in (("A", a), ("B", b)) if player.tablebase]
    return f"tablebases: {' and '.join(users)}" if users else ""


def _used_lines(result: MatchResult) -> list[str]:
    """Describe the actual effort of the players, which may differ from their limits."""
    lines = []
    for name, used in zip("AB", result.used or (), strict=False):
        values = used_as_json(used)
        if used.moves:
            nodes = "nodes not reported" if values["nodes"] is None else f"{values['nodes']:,.0f} nodes"
            depth = "depth not reported" if values["depth"] is None else f"depth {values['depth']:.1f}"
            lines.append(f"{name} {nodes}, {depth}, {values['seconds']:.3g} s a move")
    return lines


def proved_lines(text: str, proved: Sequence[ProvedMoves] | None) -> list[str]:
    """Return a text that says by what results are proved, with the moves of each player; nothing without proofs."""
    if proved is None:
        return []
    from game.endgame.tables import open_tables
    from game.search.proof import by_what

    return [text.format(by_what(open_tables()), *(each.text for each in proved))]


@contextlib.contextmanager
def games_file(path: Path, option: str) -> Iterator[IO[str]]:
    """Open a stream to a file of games, which is created when the context ends without an error."""
    check_games_file(path, option)
    with streamed(path.resolve()) as file:  # replaces the target of a link, not the link
        yield file


def check_games_file(path: Path, option: str) -> None:
    """Check that a file of games can be created, or may be replaced."""
    if not path.parent.is_dir():
        raise InputError(f"{option}: {path.parent}: there is no such folder")
    if path.is_dir():
        raise InputError(f"{option}: {path}: is a folder, expected the name of a file")
    if path.exists() and not path.is_file():  # a device or a pipe, which must not be replaced
        raise InputError(f"{option}: {path}: is not a regular file")
    if path.exists() and not _may_be_replaced(path):
        raise InputError(f"{option}: {path}: exists and is not a file of games; it would be replaced")


@contextlib.contextmanager
def pdn_file(path: Path, event: str) -> Iterator[Callable[[CountedGame], None]]:
    """Open a file with `games_file`, and return a function that adds games of a match to it."""
    with games_file(path, "--pdn") as file:
        yield lambda game: pdn_game.write_game(file, _game(game, event))


def _may_be_replaced(path: Path) -> bool:
    with open_regular(path, links=True, most=math.inf) as file:
        beginning = file.read(4096).removeprefix(codecs.BOM_UTF8).lstrip()
    return beginning[:1] in (b"", b"[", b"%")  # empty, a tag, or a line that PDN ignores


def _game(game: CountedGame, event: str) -> Game:
    record = game.record
    tags = {
        "Event": event,
        "Site": "?",
        "Date": NO_DATE,
        "Round": f"{(game.number + 1) // 2}.{2 - game.number % 2}",
        "Black": game.black,
        "White": game.white,
        "BlackType": "program",
        "WhiteType": "program",
        "Opening": game.opening.name,
    }
    ending = f"{REASON_TEXT[record.reason]}: {record.failure}" if record.failure else REASON_TEXT[record.reason]
    notes = (Annotation(len(record.moves), "comment", ending),)
    return Game(tuple(tags.items()), record.start, record.moves, record.pdn_result, notes)
