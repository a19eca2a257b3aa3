"""The members of a cast rated by games, with a game of each (the option ``--characters`` of the verb ``inspect``)."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from evolve.commands.options import exit_at_signals, group
from game.errors import InputError

if TYPE_CHECKING:
    from evolve.run.folder import Run
    from evolve.strength.match import CountedGame
    from evolve.workers.pool import Pool
    from extras.cast.characters_file import CharacterRow

GAMES, SEED = 60, 1
LONGEST = 120
"""Maximum number of moves of both sides in the game of a member, if one of its games is as short."""


def arguments(parser: argparse.ArgumentParser) -> None:
    group(parser, "report").add_argument(
        "--characters",
        action="store_true",
        help=f"of a cast: rate each member by games (default: {GAMES}) against the anchors of its run, and write them "
        "with names, sentences and a game of each to characters.csv in its folder",
    )


def run(options: argparse.Namespace) -> int | None:
    if not options.characters:
        return None
    from evolve.config.anchors import parse_session_anchors
    from evolve.names.registration import register
    from evolve.run.files import write_atomically
    from evolve.run.folder import Run
    from evolve.run.runs import Runs, came_installed
    from evolve.session.reporters import CountingLine
    from evolve.workers.pool import Pool, worker_count
    from extras.cast.characters_file import NAME, as_csv
    from extras.cast.members import has_map

    named = Run.find(options.runs, options.targets[0]) if len(options.targets) == 1 else None
    if named is None or not has_map(named.tables()):
        hint = Runs(options.runs).hint(options.targets[0]) if len(options.targets) == 1 else ""
        raise InputError(f"--characters: expected one run with a map, as in inspect cast --characters{hint}")
    if came_installed(named.path):
        raise InputError(f"--characters: {named.name} came with the program, and so did its characters")
    games = GAMES if options.games is None else options.games
    anchors = parse_session_anchors(named.config().rating.anchors)
    if games < 2 * len(anchors) or games % (2 * len(anchors)):
        raise InputError(f"--games: expected a multiple of {2 * len(anchors)} for {len(anchors)} anchors, got {games}")
    register(options.runs)
    line = CountingLine(quiet=options.json)
    with exit_at_signals(), Pool(worker_count(options.workers)) as pool:
        rows = rate(named, anchors, games, pool=pool, show=line.count)
        line.count()
    write_atomically(named.path / NAME, as_csv(rows))
    print(f"{len(rows)} characters, {games} games each: {named.path / NAME}")
    return 0


def rate(
    run: Run, anchors: Sequence[str], games: int, *, pool: Pool, show: Callable[[str, str], object]
) -> list[CharacterRow]:
    """Return the members of the newest generation, each with its rating and a game.

    They play as in a session, without tablebases. The games of a member depend on it, the anchors and their number.
    """
    from evolve.config.anchors import RATINGS
    from evolve.config.search import Search
    from evolve.strength.elo import RatingEstimate, rate_against
    from evolve.strength.match import play_match
    from extras.cast.characters import sentence_of
    from extras.cast.characters_file import CharacterRow
    from extras.cast.differences import differences
    from extras.cast.members import held_rows, map_in
    from extras.cast.names import name_members
    from game.players.names import PlayerName
    from game.players.registry import player
    from game.traits import outstanding, phrases_text

    newest = run.manifest().newest
    rows, cells = run.read_generation(newest), map_in(run.tables())
    members, _ = held_rows(rows, cells, str(run.path))
    names, apart = name_members([one.traits for one in members]), differences([one.traits for one in members])
    depth = Search.from_table(run.tables(newest).get("search", {})).played_limits(newest).depth or 0
    made = []
    for number, (one, name, unlike) in enumerate(zip(members, names, apart, strict=True)):
        member = rows.names[one.row]
        played: list[CountedGame] = []
        own = player(PlayerName.of(str(run.path), member, {"tablebase": "no"}))
        show(f"{number + 1} of {len(members)}", name.text)
        results = [
            play_match(own, player(anchor), games // len(anchors), seed=SEED, pool=pool, on_game=played.append)
            for anchor in anchors
        ]
        known = [(RATINGS[anchor], result.pentanomial) for anchor, result in zip(anchors, results, strict=True)]
        rating = rate_against(known)
        if not all(map(math.isfinite, (rating.value, rating.low, rating.high))):
            rating = RatingEstimate(math.nan, math.nan, math.nan)
        said = outstanding(one.traits)
        alike = said or [(each.trait, each.deviations > 0) for each in unlike[:1]]
        game, side, shown = telling_game(played, own.name, alike)
        sentence = phrases_text(shown) if said and shown else sentence_of(one.traits, unlike)
        made.append(
            CharacterRow(
                member=member, cell=cells.name(one.cell).replace(",", " "), name=name.text,
                sentence=sentence, tincture=name.traits[0][0] if name.traits else 0,
                depth=depth, rating=rating.value, rating_low=rating.low, rating_high=rating.high, games=games,
                wins=sum(result.wins for result in results), draws=sum(result.draws for result in results),
                losses=sum(result.losses for result in results), colour=("black", "white")[side],
                game=" ".join(map(str, game.record.moves)),
            )
        )  # fmt: skip
    return made


def telling_game(
    games: Sequence[CountedGame], player: str, said: Sequence[tuple[int, bool]]
) -> tuple[CountedGame, int, list[tuple[int, bool]]]:
    """Return the game in which a member does most of what its sentence says, its side, and what of it it does there.

    Among equal ones it is a short one, then one that it wins, then the one in which it does it most.
    """
    from game.traits import TRAITS, measure_moves

    def telling(game: CountedGame) -> tuple[tuple[int, bool, bool, float], CountedGame, int, list[tuple[int, bool]]]:
        side, moves = 0 if game.black == player else 1, game.record.moves
        values = measure_moves(moves, game.record.start)[side]
        beyond = [(values[at] - TRAITS[at].middle) / TRAITS[at].noise * (1 if much else -1) for at, much in said]
        shown = [one for one, far in zip(said, beyond, strict=True) if far > 0]
        most = math.fsum(far for far in beyond if far > 0)
        return (len(shown), len(moves) <= LONGEST, game.record.result == 1 - 2 * side, most), game, side, shown

    _, game, side, shown = max(map(telling, games), key=itemgetter(0))
    return game, side, shown
