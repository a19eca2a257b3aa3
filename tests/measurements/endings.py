"""What a network that has learnt from tablebases is worth above them, and on other positions of tables.

    python -m tests.measurements.endings PLAYER RUN [--positions N] [--nodes N] [--runs FOLDER]
    python -m tests.measurements.endings --judge PIECES RUN [--positions N] [--runs FOLDER]

The second form prints how many test positions with exactly that number of pieces a network judges right. In the first,
PLAYER with ``endings=RUN`` meets PLAYER alone, from quiet positions with 7 and 8 pieces in which no side is a man or
more ahead, with both colours. They are the first such positions of games of PLAYER against itself. PLAYER alone has the
given nodes; with RUN it has as many as take the same CPU time, which is measured first.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from evolve.learning.endgame_measures import tally
from evolve.learning.endgame_method import WAYS
from evolve.names.registration import register
from evolve.strength.elo import score_interval
from game import moves
from game.board import Position
from game.endgame.judging import chances_of, lead
from game.endgame.samples import PARTS, TEST, SampleSource
from game.endgame.tables import complete_tables
from game.generator import SplitMix64
from game.match import play
from game.networks.evaluator import Evaluator, rows_seen
from game.players.names import parse_name
from game.players.network import EndgamePlayer
from game.players.player import SearchingPlayer
from game.players.registry import player
from game.rules import DrawRules
from game.search.interface import Limits

PIECES = (7, 8)
RANDOM_PLIES = 6
TIMED = 200
"""Maximum number of positions in which the times of searches are compared."""


def balanced_positions(name: str, count: int, seed: int = 1) -> list[Position]:
    """Return the first balanced quiet position with 7 or 8 pieces of each of enough games, none of them twice."""
    who, generator = player(parse_name(name).with_options(nodes=200, tablebase="no").text), SplitMix64(seed)
    found = dict[Position, None]()
    while len(found) < count:
        position, opening = Position.start(), []
        for _ in range(RANDOM_PLIES):
            after = moves.successors(position)
            move, position = after[generator.below(len(after))]
            opening.append(move)
        record = play(who, who, opening=opening, rules=DrawRules(max_plies=120))
        position = Position.start()
        wanted = PIECES[len(found) % len(PIECES)]
        for move in record.moves:
            position = moves.apply(position, move)
            pieces = (position.black | position.white).bit_count()
            legal = moves.legal_moves(position)
            quiet = len(legal) > 1 and not any(each.captured for each in legal)
            if pieces == wanted and quiet and abs(float(lead(rows_seen([position]))[0])) < 1:
                found[position] = None
                break
            if pieces < wanted:
                break
    return list(found)


def seconds(who: SearchingPlayer, positions: list[Position], nodes: int) -> tuple[float, int]:
    """Return the CPU time and the nodes of searches from positions."""
    searcher, began, visited = who.searcher(), time.thread_time(), 0
    for position in positions:
        visited += searcher.search(position, limits=Limits(nodes=nodes)).nodes
    return time.thread_time() - began, visited


def judged(name: str, pieces: int, count: int) -> str:
    """Return how many test positions with a number of pieces a network judges right, each way, as a line of text."""
    who = player(name)
    assert isinstance(who, EndgamePlayer)
    source, tables = SampleSource(1, pieces, pieces), complete_tables(pieces, "--judge")
    samples = source.draw(TEST, 0, min(source.places, count * PARTS), tables)
    found = tally(samples, chances_of(Evaluator(*who.network))).columns(who.threshold)
    shares = {kind: [found[f"{kind}_{way}"] or 0.0 for way in WAYS] for kind in ("all", "balanced")}
    rows = [
        f"{kind}: " + ", ".join(f"{way} {100 * share:.2f}" for way, share in zip(WAYS, row, strict=True))
        for kind, row in shares.items()
    ]
    return f"{len(samples):,} positions; {'; '.join(rows)}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measurements.endings")
    parser.add_argument("player", nargs="?")
    parser.add_argument("--judge", type=int, metavar="PIECES")
    parser.add_argument("run")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=4000)
    parser.add_argument("--runs", type=Path, default=Path("populations"))
    options = parser.parse_args(arguments)
    register(options.runs)
    if options.judge is not None:
        print(judged(options.run, options.judge, options.positions))
        return 0
    positions = balanced_positions(options.player, options.positions)
    names = [parse_name(options.player), parse_name(options.player).with_options(endings=options.run)]
    alone, both = (player(name.with_options(nodes=options.nodes).text) for name in names)
    assert alone.searching is not None and both.searching is not None
    timed = positions[:TIMED]
    for who in (alone, both):
        seconds(who.searching, timed[:5], options.nodes)  # so that nothing has to be loaded or compiled
    (one, one_nodes), (other, other_nodes) = (seconds(who.searching, timed, options.nodes) for who in (alone, both))
    nodes = round(options.nodes * (one / one_nodes) / (other / other_nodes))
    print(f"{1e6 * one / one_nodes:.2f} and, with endings, {1e6 * other / other_nodes:.2f} CPU microseconds a node")
    for given in dict.fromkeys((options.nodes, nodes)):
        both = player(names[1].with_options(nodes=given).text)
        pairs = np.zeros(5, int)
        for position in positions:
            results = [play(both, alone, start=position).result, -play(alone, both, start=position).result]
            pairs[sum(results) + 2] += 1
        found = score_interval(pairs.tolist())
        bounds = f"{found.elo_low:+.0f} to {found.elo_high:+.0f}"
        print(f"{given:,} nodes against {options.nodes:,}: pairs {pairs.tolist()}, {found.elo:+.0f} Elo ({bounds})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
