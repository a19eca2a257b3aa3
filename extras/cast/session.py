"""A session in which a cast evolves: each generation is the whole map after mutants have challenged its members."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.breeding.founder import founder_of
from evolve.breeding.hall_of_fame import HallOfFame
from evolve.breeding.loop import points_statistics
from evolve.config.model import Config
from evolve.config.sections import Games
from evolve.kinds.individual import Individual
from evolve.kinds.pairing import Indexes, PointsTable, Scores, Tally
from evolve.kinds.stages import StageContext
from evolve.run.conditions import PlayConditions
from evolve.run.generation_csv import Generation
from evolve.run.manifest import Manifest
from evolve.session import saving
from evolve.session.frame import Made, Session
from evolve.streams import Draw, stream
from evolve.strength.effort import ballot_game, network_player
from evolve.strength.elo import RatingEstimate
from evolve.tournament.arena import Counts, openings_of
from evolve.workers.processes import SharedRows, Workers
from extras.cast import kind
from extras.cast.archive import Archive, Cell, Member, archive_of
from extras.cast.mutants import Adapted, Gain, State, line_mutants
from game.batch.games import BatchPlayers, play_all
from game.endings import Reason
from game.errors import InputError
from game.players.player import Player
from game.traits import FEW_GAMES, TRAITS, measure

FIRST, AGAIN = range(2)
"""Rounds of a generation, which index its streams of ballots."""
A_TASK = 64
"""Number of games of a task, about a tenth of a second at three plies."""


@dataclass(frozen=True)
class FieldTask:
    """Games of some individuals against the field, two for each pair; plain data.

    Attributes:
        pairs: int64 of shape (pairs, 2), indexes of an individual, which has Black in the first game, and an opponent.
        openings: int16 of shape (openings, plies), in the form for compiled games.
        opening_of: int64 of shape (pairs,), row of each pair's opening.
    """

    players: tuple[Player, ...]
    pairs: Indexes
    openings: NDArray[np.int16]
    opening_of: Indexes
    games: Games


@dataclass(frozen=True)
class FieldGames:
    """Games of a task.

    Attributes:
        results: int64 of shape (games,): 1 if the individual won, -1 if it lost.
        traits: float64 of shape (games, traits), those of the individual.
    """

    results: Indexes
    traits: NDArray[np.float64]
    counts: Counts


def play_task(task: FieldTask) -> FieldGames:
    field = BatchPlayers.of_players(task.players)
    assert field is not None  # the configuration has been checked
    played = play_all(
        field, task.pairs.reshape(-1), task.pairs[:, ::-1].reshape(-1), openings=task.openings,
        opening_of=np.repeat(task.opening_of, 2), rules=task.games.rules(), keep=True,
        adjudicate=task.games.adjudicate,
    )  # fmt: skip
    sides = np.tile([0, 1], len(task.pairs))
    traits = np.array([measure(codes)[side] for codes, side in zip(played.codes or (), sides.tolist(), strict=True)])
    failures = int((played.reasons == Reason.FAILURE).sum())
    counts = Counts(
        len(played.results),
        int(played.evaluations.sum()),
        int(played.plies.sum()),
        int((played.results == 0).sum()),
        failures,
    )
    return FieldGames(played.results * (1 - 2 * sides), traits.reshape(-1, len(TRAITS)), counts)


class CastSession(Session):
    threads = True  # the packages that pyribs needs start threads
    _counts = Counts()
    _archive: Archive
    _state: State

    @property
    def places(self) -> int:
        return 1  # tasks contain their players

    def begin(self, manifest: Manifest, workers: Workers, shared: SharedRows) -> None:
        self._opponents = kind.check_field(self.config)
        self._cells = kind.map_of(self.config)
        self._hall = HallOfFame()
        self._archive, self._state = Archive(self._cells), np.empty(0, np.float32)
        if manifest.newest >= 0:
            self._take(self.run_folder.read_generation(manifest.newest), manifest.newest)

    def _take(self, rows: Generation, generation: int) -> None:
        source = str(self.run_folder.generation_path(generation))
        self._archive = archive_of(rows, self._cells, self.config.network.king, source)
        self._state = rows.state_numbers[: self.config.state_size]
        best = self._archive.members[self._archive.best_first()[0]].individual
        self._hall.update([best])

    def make(self, generation: int) -> Made:
        replaced = self._evolve(generation)
        if not self._archive.members:
            raise InputError(
                f"generation {generation}: no player has a cell, since each had fewer than {FEW_GAMES} games that "
                "count; begin a run with more ballots (stages.0.ballots) or longer games (games.max_plies)"
            )
        self._archive.rename(generation)
        size = len(self._archive.members)
        rows = self._archive.rows(saving.spread(self._state, size) if len(self._state) else None)
        order = self._archive.best_first()
        best = self._archive.members[order[0]].individual
        second = self._archive.members[order[min(1, size - 1)]].individual
        since = self._hall.find(best)
        self._hall.update([best])
        assert rows.counts is not None
        counts, points = self._counts, points_statistics(int).compile(rows.counts[:, -1])

        def record(seconds: float, rating: RatingEstimate | None) -> dict[str, Any]:
            common = saving.log_record(generation, rows, counts, points, seconds, rating)
            return common | kind.numbers(rows, replaced)

        black, white = (best, second) if generation % 2 else (second, best)
        return Made(rows, best, record, ballot_game(self.config, generation, black, white), since)

    @property
    def games_in_hand(self) -> int:
        return self._counts.games

    def settle(self) -> None:
        self._counts = Counts()

    def _evolve(self, generation: int) -> int:
        config, archive, stage = self.config, self._archive, kind.field_of(self.config)
        before = dict(archive.members)
        adapted = None
        if before:
            made = line_mutants(config, archive, generation)
            if kind.adapted_of(config):
                adapted = Adapted(config, archive, generation, self._state)
                made += adapted.ask()
        else:
            made = _founders(config, generation)
        mutants = self._play(list(map(Member.new, made)), generation, FIRST, stage.ballots)
        chosen, held = archive.contest(mutants)
        again = sorted({*held, *archive.fewest(kind.rules_of(config).refresh)})
        playing = [mutants[index] for index in chosen] + [before[cell] for cell in again]
        players = self._play(playing, generation, AGAIN, stage.again)
        settled = archive.settle(dict(zip(again, players[len(chosen) :], strict=True)), players[: len(chosen)])
        places = dict(zip(chosen, settled, strict=True))
        if adapted is not None:
            first = len(made) - kind.adapted_of(config)
            self._state = adapted.tell([_gain(places.get(index), archive, before) for index in range(first, len(made))])
        elif not len(self._state):
            self._state = np.zeros(config.state_size, np.float32)
        return sum(cell is not None for cell in settled)

    def _play(self, members: Sequence[Member], generation: int, number: int, ballots: int) -> list[Member]:
        """Return the members after games against the field, each from the same ballots."""
        if not members:
            return []
        config, size = self.config, len(members)
        generator = stream(config.seed, generation, Draw.BALLOTS, number)
        table = openings_of(config)
        numbers = np.arange(ballots) % len(table)
        chosen = generator.permutation(len(table))[numbers]
        traits: list[list[NDArray[np.float64]]] = [[] for _ in members]
        tally = Tally(size)

        def play(_: int, pairs: Indexes) -> Scores:
            scores, measured = self._games(members, pairs, np.resize(chosen, len(pairs)), generation)
            for (first, _second), own in zip(pairs.tolist(), measured, strict=True):
                traits[first].append(own)
            tally.add(pairs, scores, config.points)
            return scores

        players, opponents = np.arange(size), size + np.arange(len(self._opponents))
        table_of_points = PointsTable(size + len(opponents), config.points, led=False)
        context = StageContext(players, opponents, play, generator, config.points, tally, table_of_points, last=True)
        replace(kind.field_of(config), ballots=ballots).play(context)
        results = np.stack([tally.games, tally.wins, tally.draws, tally.losses, tally.points], axis=1)
        return [
            member.with_games(results[index], np.concatenate(traits[index])) for index, member in enumerate(members)
        ]

    def _games(
        self, members: Sequence[Member], pairs: Indexes, ballots: Indexes, generation: int
    ) -> tuple[Scores, list[NDArray[np.float64]]]:
        tasks = self._tasks(members, pairs, ballots, generation)
        results, traits = [], []
        for games in self.map(play_task, tasks):
            results.append(games.results)
            traits.append(games.traits)
            self._counts = Counts(*map(operator.add, astuple(self._counts), astuple(games.counts)))
            self.reporter.on_games(games.counts.games)
        each = np.concatenate(results).reshape(-1, 2)
        scores = Scores((each == 1).sum(axis=1), (each == -1).sum(axis=1), 2)
        return scores, list(np.concatenate(traits).reshape(-1, 2, len(TRAITS)))

    def _tasks(self, members: Sequence[Member], pairs: Indexes, ballots: Indexes, generation: int) -> list[FieldTask]:
        config, size = self.config, len(members)
        how = PlayConditions.of(config.search, generation)
        openings, tasks = openings_of(config), []
        for start in range(0, len(pairs), A_TASK // 2):
            part = pairs[start : start + A_TASK // 2]
            used, places = np.unique(part, return_inverse=True)
            places = places.reshape(part.shape)
            players = tuple(
                self._opponents[index - size]
                if index >= size
                else network_player(
                    str(index), np.asarray(members[index].individual), config.network, config.network.king, how
                )
                for index in used.tolist()
            )
            rows, opening_of = np.unique(ballots[start : start + A_TASK // 2], return_inverse=True)
            tasks.append(FieldTask(players, places, openings[rows], opening_of, config.games))
        return tasks


def _founders(config: Config, generation: int) -> list[Individual]:
    rules, king = kind.rules_of(config), config.network.king
    shape = (rules.first or kind.mutants_of(config), config.network.weights)
    generator = stream(config.seed, generation, Draw.FOUNDERS)
    if not config.founded:
        drawn = generator.uniform(config.founders.low, config.founders.high, shape)
        return [Individual(genome, "", "founder", (), king) for genome in drawn]
    founder = np.asarray(founder_of(config), np.float64)
    steps = np.linspace(0.0, rules.spread * founder.std(), shape[0])
    drawn = founder + steps[:, None] * generator.standard_normal(shape)
    return [Individual(genome, "", "mutated" if at else "founder", (), king) for at, genome in enumerate(drawn)]


def _gain(cell: Cell | None, archive: Archive, before: dict[Cell, Member]) -> Gain:
    if cell is None:
        return Gain(0, 0.0)
    score, holder = archive.members[cell].score, before.get(cell)
    return Gain(2, score) if holder is None else Gain(1, score - holder.score)
