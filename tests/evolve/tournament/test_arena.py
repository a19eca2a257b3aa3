"""Pairings as games: own weights, colours swapped on ballots, results in order; and the same games played again."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.config import toml
from evolve.config.model import Config
from evolve.kinds.pairing import Scores
from evolve.run.folder import Run
from evolve.run.runs import SHIPPED_RUNS
from evolve.streams import Draw, stream
from evolve.tournament.again import GameAgain, play_again
from evolve.tournament.arena import LARGEST_TASK, TournamentArena, least_games, task_sizes
from evolve.workers import processes as workers_module
from evolve.workers.processes import SharedRows, WorkerProcesses
from game import match
from game.batch.games import BatchPlayers
from game.endings import Reason
from game.errors import InputError
from game.networks.named import CNN_247
from game.openings import openings
from game.players.network import NetworkPlayer
from tests.cases import for_each
from tests.evolve.tiny_sessions import Evolve
from tests.game.pdn.pdn_texts import games_of

COWAN = toml.load("cowan")
BALLOTS = toml.load("cowan-ballots")
ROWS = 40
KEY = (3, Draw.BALLOTS, (0, 1, 2))
GENOMES = np.random.Generator(np.random.Philox(12)).uniform(-1, 1, (ROWS, CNN_247.weights)).astype(np.float32)


def drawn_pairs(count: int, seed: int = 0) -> Any:
    generator = np.random.Generator(np.random.Philox(seed))
    return np.stack([generator.permutation(ROWS)[:2] for _ in range(count)])


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> SharedRows:
    """Genomes that this process sees as a worker would."""
    rows = SharedRows(ROWS, CNN_247.weights)
    rows.genomes()[:] = GENOMES
    rows.kings()[:] = CNN_247.king
    monkeypatch.setattr(workers_module, "_shared", rows)
    return rows


def arena_of(config: Config, shared: SharedRows, chunk: int = 0) -> TournamentArena:
    return TournamentArena(replace(config, workers=replace(config.workers, chunk=chunk)), map, 1, shared)


def outcome(scores: Scores) -> list[tuple[int, int]]:
    return list(zip(scores.first.tolist(), scores.second.tolist(), strict=True))


def player(row: int) -> NetworkPlayer:
    return NetworkPlayer(f"row {row}", GENOMES[row])


def test_two_games_on_one_ballot_with_colours_swapped(shared: SharedRows) -> None:
    pairs = drawn_pairs(12)
    arena = arena_of(BALLOTS, shared)
    scores = arena.play(pairs, KEY, keep=True)
    known = openings("three-move")
    drawn = stream(BALLOTS.seed, KEY[0], KEY[1], *KEY[2]).integers(0, len(known), len(pairs))
    assert len(set(drawn.tolist())) > 8
    for index, (first, second) in enumerate(pairs.tolist()):
        ballot = known[drawn[index]].moves
        games = [
            match.play(player(first), player(second), opening=ballot),
            match.play(player(second), player(first), opening=ballot),
        ]
        for game, record in enumerate(games):
            assert arena.kept[-1].outcomes.record(2 * index + game, record.start) == record
        won = [int(games[0].result == 1) + int(games[1].result == -1)]
        won.append(int(games[0].result == -1) + int(games[1].result == 1))
        assert outcome(scores)[index] == tuple(won)
    assert arena.kept[-1].blacks.tolist() == pairs.reshape(-1).tolist()
    assert arena.kept[-1].whites.tolist() == pairs[:, ::-1].reshape(-1).tolist()


def test_a_ballot_depends_on_seed_generation_purpose_and_place(shared: SharedRows) -> None:
    pairs = drawn_pairs(8)
    seen = []
    for config, key in (
        (BALLOTS, KEY),
        (replace(BALLOTS, seed=1), KEY),
        (BALLOTS, (4, Draw.BALLOTS, (0, 1, 2))),
        (BALLOTS, (3, Draw.FOUNDER_GAMES, (0, 1, 2))),
        (BALLOTS, (3, Draw.BALLOTS, (0, 1, 3))),
    ):
        arena = arena_of(config, shared)
        arena.play(pairs, key, keep=True)
        moves = arena.kept[-1].outcomes.codes
        seen.append(tuple(code for game in moves for code in game[:3].tolist()))
        assert all(one[:3].tolist() == other[:3].tolist() for one, other in zip(moves[::2], moves[1::2], strict=True))
    assert len(set(seen)) == 5


@pytest.mark.parametrize(("config", "games_a_pair"), [(COWAN, 1), (BALLOTS, 2)])
def test_scores_and_counts_add_up(config: Config, games_a_pair: int, shared: SharedRows) -> None:
    pairs = drawn_pairs(50)
    arena = arena_of(config, shared)
    counts: list[int] = []
    arena.on_games = counts.append
    scores = arena.play(pairs, KEY, keep=True)
    outcomes = arena.kept[-1].outcomes
    decided = int(scores.first.sum() + scores.second.sum())
    assert ((scores.first + scores.second) <= games_a_pair).all()
    assert arena.counts.draws == games_a_pair * 50 - decided == (outcomes.results == 0).sum() > 0
    assert arena.counts.games == games_a_pair * 50 == len(outcomes.results) == sum(counts)
    assert arena.counts.plies == outcomes.plies.sum()
    assert arena.counts.evaluations == outcomes.evaluations.sum() > arena.counts.plies
    assert arena.counts.failures == 0
    arena.play(pairs, KEY)
    assert arena.counts.games == 2 * games_a_pair * 50
    assert arena.kept[-1].outcomes is outcomes  # games without moves take nothing away
    arena.reset()
    assert arena.counts.games == arena.counts.plies == arena.counts.draws == arena.counts.evaluations == 0
    assert arena.kept == []


@pytest.mark.parametrize("config", [COWAN, BALLOTS])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_network_without_a_finite_value_loses_and_it_is_recorded(
    config: Config, value: float, shared: SharedRows, caplog: pytest.LogCaptureFixture
) -> None:
    shared.genomes()[7] = value
    pairs = np.array([[7, 1], [2, 7], [1, 2]])
    arena = arena_of(config, shared)
    games = 1 if config is COWAN else 2
    with caplog.at_level(logging.WARNING):
        scores = arena.play(pairs, KEY, keep=True)
    assert outcome(scores)[:2] == [(0, games), (games, 0)]
    assert arena.counts.failures == 2 * games
    assert f"{2 * games} games were lost by a player whose value was not a finite number" in caplog.text
    assert (arena.kept[-1].outcomes.reasons == Reason.FAILURE).sum() == 2 * games


def everything(arena: TournamentArena, pairs: Any) -> tuple[Any, ...]:
    scores = arena.play(pairs, KEY, keep=True)
    outcomes = arena.kept[-1].outcomes
    assert outcomes.codes is not None
    columns = (outcomes.results, outcomes.reasons, outcomes.plies, outcomes.evaluations)
    return outcome(scores), [column.tolist() for column in columns], [codes.tolist() for codes in outcomes.codes]


@pytest.mark.parametrize("config", [COWAN, BALLOTS])
def test_chunks_change_nothing(config: Config, shared: SharedRows) -> None:
    pairs = drawn_pairs(30)
    first = everything(arena_of(config, shared), pairs)
    for chunk in (1, 7, 64):
        assert everything(arena_of(config, shared, chunk), pairs) == first
    assert everything(arena_of(config, shared), pairs[::-1].copy())[0] != first[0]  # the order of games is kept


class Measured:
    """Does tasks here, and says that they take a second, and as long to hand out as it is told."""

    lost, overhead = 0, 0.0
    seconds = 1.0

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.asked = 0

    def __len__(self) -> int:
        return 2

    def stream(self, function: Any, tasks: Any) -> Iterator[Any]:
        for task in tasks:
            self.asked += len(task.blacks)
            yield function(task)


@pytest.mark.parametrize(("latency", "chunk", "asked"), [(0.0, 0, 20), (1e9, 0, 10), (1e9, 3, 20)])
def test_few_games_are_played_here_where_others_would_take_longer(
    shared: SharedRows, latency: float, chunk: int, asked: int
) -> None:
    crew: Any = Measured(latency)
    arena = arena_of(COWAN, shared, chunk)
    arena.map, arena.crew = crew.stream, crew
    pairs = np.stack([np.arange(10), np.arange(1, 11)], axis=1)
    once = outcome(arena_of(COWAN, shared).play(pairs, KEY))
    assert [outcome(arena.play(pairs, KEY)) for _ in range(2)] == [once, once]
    assert crew.asked == asked  # of the first ten games nobody knew how long they are


def test_a_task_prepares_only_its_players(shared: SharedRows, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[int] = []
    of_networks = BatchPlayers.of_networks

    def counted(spec: Any, genomes: Any, *arguments: Any, **options: Any) -> BatchPlayers:
        prepared.append(len(genomes))
        return of_networks(spec, genomes, *arguments, **options)

    monkeypatch.setattr(BatchPlayers, "of_networks", counted)
    arena_of(BALLOTS, shared, 2).play(drawn_pairs(6), KEY)
    assert max(prepared) <= 4
    assert task_sizes(50_000, 1, searched=True)[0] == LARGEST_TASK


@for_each(
    ("games", "workers", "searched", "fixed", "sizes"),
    [
        (0, 2, False, 0, []),
        (100, 2, False, 0, [25] * 4),
        (50, 2, False, 0, [16, 16, 16, 2]),
        (30, 2, False, 7, [7, 7, 7, 7, 2]),
        (20, 2, True, 0, [5, 4, 3, 2, 2, 1, 1, 1, 1]),
        (5, 1, True, 0, [3, 1, 1]),
        (9000, 2, False, 0, [1024] * 8 + [808]),
    ],
)
def test_sizes_of_tasks(games: int, workers: int, searched: bool, fixed: int, sizes: list[int]) -> None:
    assert task_sizes(games, workers, searched=searched, fixed=fixed) == sizes


@pytest.mark.parametrize(
    ("games", "workers", "searched", "least", "sizes"),
    [(100, 2, False, 40, [40, 40, 20]), (20, 2, True, 4, [5, 4, 4, 4, 3]), (3000, 2, False, 2000, [1024, 1024, 952])],
)
def test_tasks_that_cost_something_are_larger(
    games: int, workers: int, searched: bool, least: int, sizes: list[int]
) -> None:
    assert task_sizes(games, workers, searched=searched, least=least) == sizes
    assert task_sizes(games, workers, searched=searched, fixed=7, least=least)[0] == 7


@pytest.mark.parametrize(
    ("games", "seconds", "workers", "overhead", "least"),
    [
        (1000, 0.01, 4, 0.0, 1),  # nobody has to be spared
        (1000, 0.005, 4, 0.002, 4),  # a fiftieth of a second
        (10**6, 0.01, 100, 0.002, 40),  # a hundred workers ask every 4 ms
        (60, 0.001, 4, 0.002, 15),  # a quarter for each
        (1000, 0.0002, 100, 0.002, 100),  # ten tasks of 20 ms, handed out in 20 ms
    ],
)
def test_tasks_take_some_time(games: int, seconds: float, workers: int, overhead: float, least: int) -> None:
    assert least_games(games, seconds, workers, overhead) == least


@pytest.mark.parametrize("config", [COWAN, replace(BALLOTS, games=replace(BALLOTS.games, swap=False))])
def test_a_pairing_that_was_drawn_twice_is_played_once_and_counted_twice(config: Config, shared: SharedRows) -> None:
    pairs = np.concatenate([drawn_pairs(6)] * 60)
    arena, once, tasks = arena_of(config, shared), arena_of(config, shared, 1), []

    def noted(function: Any, given: Any) -> Any:
        tasks.extend(given)
        return map(function, given)

    arena.map = noted
    scores, results, codes = everything(arena, pairs)
    ballot = np.zeros(360, np.int64)
    if config is not COWAN:
        ballot = stream(config.seed, KEY[0], KEY[1], *KEY[2]).integers(0, 174, 360)
    games = [(*pair, opening) for pair, opening in zip(pairs.tolist(), ballot.tolist(), strict=True)]
    assert sum(len(chunk.blacks) for chunk in tasks) == len(set(games)) < 360
    assert len(scores) == len(codes) == arena.counts.games == 360
    assert arena.counts.plies == sum(map(len, codes))
    assert arena.counts.evaluations == sum(results[3])
    for place in range(0, 360, 29):
        first = games.index(games[place])
        assert (scores[place], codes[place]) == (scores[first], codes[first])
    if config is COWAN:
        assert everything(once, pairs[:6])[2] == codes[:6]


@pytest.fixture
def crew(shared: SharedRows, request: pytest.FixtureRequest) -> Iterator[WorkerProcesses]:
    workers = WorkerProcesses(request.param, start_method="fork", shared=shared, timeout=300, tick=lambda: None)
    yield workers
    workers.close()


@pytest.mark.parametrize("crew", [1, 2, 4], indirect=True)
def test_processes_change_nothing(crew: WorkerProcesses, shared: SharedRows) -> None:
    """The built-in `map` in this process and workers of any number give the same, game for game."""
    pairs = drawn_pairs(30)
    for config in (COWAN, BALLOTS):
        alone = everything(arena_of(config, shared), pairs)
        assert everything(TournamentArena(config, crew.stream, len(crew), shared), pairs) == alone
        small = replace(config, workers=replace(config.workers, chunk=3))
        assert everything(TournamentArena(small, crew.stream, len(crew), shared), pairs) == alone


ALL = 10_000
OPPONENTS = (
    "--preset=blondie24", "--set=population.parents=4", "--set=search.depth=1", "--set=rating.every=0",
    "--generations=2", "--seed=3",
)  # fmt: skip


def champions_games(games: list[GameAgain]) -> list[tuple[str, str]]:
    """Return the moves and results of the games of the best individual, sorted."""
    own = [game for game in games if 0 in (game.black, game.white)]
    return sorted((" ".join(map(str, game.record.moves)), game.record.pdn_result) for game in own)


def test_the_champions_games_are_the_recorded_ones(evolve: Evolve, tmp_path: Path) -> None:
    assert evolve("--name=one", *OPPONENTS).code == 0
    run = Run(tmp_path / "one")
    recorded = games_of(run.path / "champions.pdn")
    for generation in range(3):
        rows, games = play_again(run, generation, ALL)
        own = [game for game in recorded if str(game.tag("Round")).startswith(f"{generation}.")]
        assert champions_games(games) == sorted((" ".join(map(str, game.moves)), game.result) for game in own)
        assert all(rows.names[0] in (game.tag("Black"), game.tag("White")) for game in own)


def test_results_are_those_in_the_file_of_the_generation() -> None:
    """All but the players of a later stage have played all their games in the first round."""
    rows, games = play_again(Run(SHIPPED_RUNS / "first"), 0, ALL)
    assert rows.counts is not None
    results = np.zeros((len(rows.names), 4), np.int64)
    for game in games:
        for row, result in ((game.black, game.record.result), (game.white, -game.record.result)):
            results[row] += 1, result > 0, result == 0, result < 0
    same = (results == rows.counts[:, :4]).all(1)
    assert same.sum() >= len(rows.names) - 2
    assert (results[~same] < rows.counts[~same, :4]).any(1).all()


def test_some_of_the_games_are_among_all_of_them() -> None:
    run = Run(SHIPPED_RUNS / "crownhead-1")
    _, every = play_again(run, 0, ALL)
    _, some = play_again(run, 0, 8)
    known = [(game.black, game.white, game.record) for game in every]
    assert len(some) == 8
    assert all((game.black, game.white, game.record) in known for game in some)
    pairs = [frozenset((game.black, game.white)) for game in some]
    assert len(set(pairs)) == 8  # of different pairings


def test_the_champions_first_game_comes_first(evolve: Evolve, tmp_path: Path) -> None:
    assert evolve("--name=one", *OPPONENTS).code == 0
    _, games = play_again(Run(tmp_path / "one"), 2, 3)
    assert len(games) == 3 and 0 in (games[0].black, games[0].white)


@pytest.mark.parametrize(
    ("run", "generation", "reason"),
    [
        ("first", 17, "has not kept its weights"),
        ("zero", 0, "only the games of a population among itself"),
        pytest.param("cast", 162, "only the games of a population among itself", marks=pytest.mark.needs("cast")),
    ],
)
def test_games_that_cannot_be_repeated_are_refused_in_one_line(run: str, generation: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        play_again(Run(SHIPPED_RUNS / run), generation, 4)
    assert "\n" not in str(caught.value)
