"""Matches: counts, openings, reports, and the command."""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import main
from evolve.strength import match_games
from evolve.strength.elo import PAIR_POINTS, elo, score_interval
from evolve.strength.match import LEAST_OFFERS, CountedGame, Failures, MatchResult, play_match
from evolve.strength.match_games import GamePairs, loader_for
from evolve.strength.match_report import as_json, report
from game import match
from game.board import Position
from game.endgame.tables import open_tables
from game.endings import Reason
from game.errors import FailureKind, InputError
from game.generator import SplitMix64, derive_seed
from game.openings import KINDS, Opening, openings
from game.players.basic import MaterialPlayer, RandomPlayer
from game.players.player import Choice, Player
from game.players.registry import player
from game.review.judged import ProvedMoves
from game.review.proved import proved_moves
from game.rules import WCDF, DrawRules
from game.search import memory
from tests.cases import for_each
from tests.evolve.strength.simulated import network, timeless

RANDOM, MATERIAL = RandomPlayer(), MaterialPlayer()
KEYS = ("games", "distinct_games", "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high", "seconds")


@dataclass(frozen=True)
class Foreign(Player):
    """A player in a shape that compiled code does not know."""

    inner: Player

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def deterministic(self) -> bool:
        return self.inner.deterministic

    @property
    def seed(self) -> int:
        return self.inner.seed

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        return self.inner.choose(position, history, generator)


Watch = Callable[..., tuple[MatchResult, list[tuple[Opening, bool, match.GameRecord]]]]


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Plays a match one by one and also gives each game: its opening, whether A had Black, its record."""

    def play(a: Player, b: Player, *arguments: Any, **options: Any) -> Any:
        seen = []
        one_by_one = match_games._one_by_one

        def noted(task: GamePairs) -> Any:
            played = one_by_one(replace(task, sides=replace(task.sides, keep=True)))
            for index, game in enumerate(played):
                seen.append((task.openings[index // 2], index % 2 == 0, game.record))
            return played

        monkeypatch.setattr(match_games, "_one_by_one", noted)
        return play_match(Foreign(a), Foreign(b), *arguments, **options), seen

    return play


@pytest.mark.parametrize(
    ("a", "b"), [(MATERIAL, RANDOM), (network(1), network(2)), (RANDOM, RANDOM), (network(3), network(3))]
)
@pytest.mark.parametrize("kind", KINDS)
def test_counts_agree_with_the_games(a: Player, b: Player, kind: str, watched: Watch) -> None:
    result, seen = watched(a, b, 20, kind=kind, seed=11)
    assert result.games == 20 == 2 * len(result.pair_points)
    if a.deterministic:  # pairs with a game that was known are not counted
        known: set[Any] = set()
        kept = []
        for first, second in zip(seen[::2], seen[1::2], strict=True):
            if known.isdisjoint({first[2].moves, second[2].moves}):
                kept += [first, second]
                known |= {first[2].moves, second[2].moves}
        seen = kept
    assert len(seen) == 20
    for_a = [(1 if black else -1) * record.result for _, black, record in seen]
    assert [result.wins, result.draws, result.losses] == [for_a.count(1), for_a.count(0), for_a.count(-1)]
    assert result.black == tuple(for_a[::2].count(value) for value in (1, 0, -1))
    assert result.white == tuple(for_a[1::2].count(value) for value in (1, 0, -1))
    pairs = [1 + (first + second) / 2 for first, second in zip(for_a[::2], for_a[1::2], strict=True)]
    assert list(result.pair_points) == pairs
    assert result.pentanomial == tuple(pairs.count(points) for points in PAIR_POINTS)
    assert result.estimate == score_interval(result.pentanomial)
    assert result.estimate.score == pytest.approx((result.wins + result.draws / 2) / 20)
    assert result.reasons == tuple(Counter(record.reason for _, _, record in seen)[reason] for reason in Reason)
    assert result.evaluations == sum(record.evaluations for _, _, record in seen)
    assert result.distinct_games == len({record.moves for _, _, record in seen})


def test_every_game_has_a_seed_of_its_own(watched: Watch) -> None:
    _, seen = watched(RANDOM, RANDOM, 30, kind="start", seed=77)
    for game, (_, black, record) in enumerate(seen):
        assert record == match.play(RANDOM, RANDOM, seed=derive_seed(77, game))
        assert black == (game % 2 == 0)
    assert len({record.moves for _, _, record in seen}) == 30


RULES = [WCDF, DrawRules(2), DrawRules(0, 30, men_reset=False), DrawRules(3, 0, max_plies=50)]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (MATERIAL, RANDOM),
        (MaterialPlayer("m", 5, True), network(4)),
        (network(5), network(6)),
        (network(7), network(7)),
        (RANDOM, RandomPlayer("r", 3)),
    ],
)
def test_compiled_and_single_games_give_the_same_match(a: Player, b: Player, rules: DrawRules) -> None:
    compiled = play_match(a, b, 12, kind="two-move", seed=9, rules=rules)
    single = play_match(Foreign(a), b, 12, kind="two-move", seed=9, rules=rules)
    assert timeless(compiled) == timeless(single)
    assert compiled.distinct_games == single.distinct_games


@pytest.mark.parametrize(("kind", "ballots"), [("start", 1), ("two-move", 47)])
def test_all_ballots_come_before_any_is_lengthened(kind: str, ballots: int, watched: Watch) -> None:
    result, seen = watched(network(1), network(2), 2 * ballots + 20, kind=kind, seed=3)
    played = [opening for opening, _, _ in seen[::2]]
    assert set(played[:ballots]) == set(openings(kind))
    plies = len(openings(kind)[0].moves)
    assert all(len(opening.moves) > plies for opening in played[ballots:])
    assert result.lengthened == 10
    assert len({opening.position for opening in played}) == len(played)


@pytest.mark.parametrize(("kind", "games"), [("start", 200), ("two-move", 200), ("three-move", 400)])
def test_two_deterministic_players_play_no_game_twice(kind: str, games: int) -> None:
    for a, b in ((network(1), network(2)), (MATERIAL, network(3))):
        result = play_match(a, b, games, kind=kind, seed=5)
        assert result.games == result.distinct_games == games
        assert result.lengthened == games // 2 - len(openings(kind))


def test_longer_openings_get_longer_still_when_they_are_used_up(watched: Watch) -> None:
    _, seen = watched(network(1), network(2), 140, kind="start", seed=5)
    plies = [len(opening.moves) for opening, _, _ in seen[::2]]
    assert plies == sorted(plies)
    assert [plies.count(count) for count in (0, 1)] == [1, 7]
    assert plies.count(2) == 49
    assert max(plies) == 3


def test_random_players_reuse_ballots(watched: Watch) -> None:
    result, seen = watched(RANDOM, MATERIAL, 200, kind="two-move", seed=1)
    played = [opening.name for opening, _, _ in seen[::2]]
    assert sorted(Counter(played).values()) == [2] * 41 + [3] * 6
    assert played[:47] != played[47:94]
    assert (result.lengthened, result.distinct_games) == (0, 200)


def test_exhausted_openings_are_reported() -> None:
    """Three plies and no more: 1 + 7 + 49 + 216 positions less deep than that are all there is."""
    short = DrawRules(0, 0, max_plies=4)
    with pytest.raises(InputError, match=r"two deterministic players would repeat .* only 273 different openings"):
        play_match(network(1), network(2), 560, kind="start", rules=short)
    assert play_match(RANDOM, network(2), 560, kind="start", rules=short).games == 560


@pytest.mark.parametrize("rules", [DrawRules(0, 0, max_plies=3), DrawRules(0, 3, men_reset=False)])
def test_rules_that_end_games_within_the_openings(rules: DrawRules) -> None:
    for players in ((network(1), network(2)), (RANDOM, MATERIAL)):
        with pytest.raises(InputError, match="the draw rules end games after 3 plies, within the openings"):
            play_match(*players, 2, rules=rules)
        assert play_match(*players, 2, kind="two-move", rules=rules).games == 2


def test_a_failed_network_loses_every_game() -> None:
    broken = network(1)
    broken.weights[0] = np.nan
    for opponent in (RANDOM, Foreign(MATERIAL)):
        result = play_match(broken, opponent, 20)
        assert (result.losses, result.reasons[Reason.FAILURE]) == (20, 20)
        text = "its network gives a value that is not a finite number"
        assert result.failures == (Failures(0, FailureKind.VALUE, 20, text),)
        assert play_match(opponent, broken, 20).failures == (Failures(1, FailureKind.VALUE, 20, text),)


def made_up(points: Sequence[float], **changes: Any) -> MatchResult:
    wins = sum(points) / 2
    result = MatchResult(
        openings="three-move", seed=5, pair_points=tuple(points), black=(int(wins), 0, len(points) - int(wins)),
        white=(int(wins), 0, len(points) - int(wins)),
        digests=frozenset(bytes([index]) for index in range(2 * len(points))), lengthened=0,
        reasons=(2 * len(points), 0, 0, 0, 0, 0), evaluations=0, seconds=0.5,
    )  # fmt: skip
    return replace(result, **changes)


def test_json_has_the_numbers_of_the_match() -> None:
    result = play_match(network(1), MATERIAL, 80, seed=3)
    values = as_json(result)
    assert tuple(values)[: len(KEYS)] == KEYS
    assert (values["games"], values["wins"] + values["draws"] + values["losses"]) == (80, 80)
    assert values["score"] == (values["wins"] + values["draws"] / 2) / 80
    assert values["elo"] == elo(values["score"])
    assert values["elo_low"] < values["elo"] < values["elo_high"]
    assert (values["openings"], values["seed"]) == ("three-move", 3)
    assert sum(values["pentanomial"]) == 40
    assert sum(values["reasons"].values()) == 80
    assert json.loads(json.dumps(values, allow_nan=False)) == values


def test_proved_moves_are_counted_for_each_player() -> None:
    games: list[CountedGame] = []
    result = play_match(MATERIAL, RANDOM, 2, seed=3, on_game=games.append, proved=True)
    (black, white), (other, own) = (proved_moves(game.record, open_tables().pieces) for game in games)
    assert result.proved == (black + own, white + other) and result.proved[0].moves and result.proved[0] != black
    assert as_json(result)["proved"]["a"]["moves"] == result.proved[0].moves
    assert play_match(MATERIAL, RANDOM, 2, seed=3).proved is None is as_json(made_up([1.0]))["proved"]
    text = report(made_up([1.0], proved=(ProvedMoves(1467, 3), ProvedMoves(594, 9))), MATERIAL, RANDOM)
    assert "Proved by tables of up to " in text and "positions: A threw away 3 of 1,467 results, B 9 of 594\n" in text


def test_json_of_matches_without_a_bound() -> None:
    values = as_json(made_up([2.0] * 10))
    assert (values["score"], values["elo"], values["elo_high"]) == (1.0, None, None)
    assert math.isfinite(values["elo_low"])
    values = as_json(made_up([0.0] * 10))
    assert (values["score"], values["elo"], values["elo_low"]) == (0.0, None, None)
    assert math.isfinite(values["elo_high"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("random", "plays any legal move"),
        ("material,depth=8,quiescence=yes", "counts pieces 8 plies ahead, captures played out, takes the first of"),
        ("material,depth=8,selective=yes", "counts pieces 8 plies ahead, captures played out, selectively, takes the"),
        ("material,nodes=20000,seed=1", "counts pieces within 20,000 positions, chooses at random among equal moves"),
        ("material,depth=1,time=0.5,blondie=yes", "counts pieces 1 ply ahead, within 0.5 s, as Blondie24 searched"),
        pytest.param("external:python3", "another program", marks=pytest.mark.needs("external")),
    ],
)
def test_the_report_describes_the_players(name: str, text: str) -> None:
    assert text in report(made_up([1.0]), player(name), RANDOM)


@pytest.mark.parametrize(
    ("points", "parts"),
    [
        ([2.0] * 20, ["Score  100.0 %", "Elo    above +", "nothing bounds it from above", "A is the stronger player"]),
        ([0.0] * 20, ["Score  0.0 %", "Elo    below -", "nothing bounds it from below", "B is the stronger player"]),
        ([2.0, 0.0] * 10, ["Score  50.0 %", "Elo    0, with", "Not decided"]),
        ([2.0] * 18 + [0.0] * 2, ["Elo    +382", "A is the stronger player"]),
        ([0.0] * 18 + [2.0] * 2, ["Elo    -382", "B is the stronger player"]),
    ],
)
def test_report_explains_its_numbers(points: list[float], parts: list[str]) -> None:
    text = report(made_up(points), RANDOM, Foreign(MATERIAL))
    for part in [*parts, "plays any legal move", "B  material  deterministic"]:
        assert part in text


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main.main(["match", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_prints_the_match_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = ("--games", "20", "--openings", "start", "--seed", "12", "--runs", str(tmp_path), "--json")
    code, out, err = run(capsys, "material", "random", *options)
    assert (code, err) == (0, "")
    values = json.loads(out)
    assert set(KEYS) <= set(values)
    expected = as_json(play_match(MATERIAL, RANDOM, 20, kind="start", seed=12))
    nodes = values.pop("nodes")
    assert nodes["a"] > 1 and nodes["b"] is None
    assert values.pop("tablebase") == {"a": 0, "b": 0}
    assert values.pop("players") == {"a": "material", "b": "random"}
    assert {**values, "seconds": 0} == {**expected, "seconds": 0}


def test_the_command_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "material", "material,seed=1")
    assert (code, err) == (0, "")
    assert "200 games in pairs with colours swapped, on random three-move openings, all different\n" in out
    (seed,) = [line.split()[1] for line in out.splitlines() if line.startswith("Seed")]
    _, again, _ = run(capsys, "material", "material,seed=1", "--seed", seed)

    def timeless(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith("Time")]

    assert timeless(again) == timeless(out)
    _, other, _ = run(capsys, "material", "material,seed=1")
    assert timeless(other) != timeless(out)


@for_each(
    ("arguments", "message"),
    [
        (("random", "random", "--games", "7"), "--games: expected an even number"),
        (("random", "random", "--openings", "all"), "--openings: expected one of start, two-move, three-move"),
        (("random", "random", "--seed", "-1"), "--seed: expected a whole number"),
        (("random", "random", "--sprt", "5"), "--sprt: expected ELO0,ELO1 such as 0,10, got '5'"),
        (("random", "random", "--sprt", "10,0"), "--sprt: expected ELO0,ELO1, two ascending numbers"),
        (("random", "random", "--workers", "0"), "--workers: expected 1 to 1024, got 0"),
        (("random", "random", "--pdn", "{folder}"), "is a folder, expected the name of a file"),
        (("random", "random", "--pdn", "{folder}/none/x.pdn"), "none: there is no such folder"),
        (("random", "nobody", "--pdn", "{folder}/x.pdn"), "nobody"),
    ],
)
def test_mistakes_of_the_user(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, err = run(capsys, *(each.format(folder=tmp_path) for each in arguments), "--runs", str(tmp_path))
    assert (code, out) == (2, "")
    assert list(tmp_path.iterdir()) == []
    assert message in err
    assert err.count("\n") == 1


def test_a_machine_with_other_tablebases_does_not_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a player would look less up, its games would be others."""
    there = SimpleNamespace(pieces=3)
    monkeypatch.setattr(memory, "open_for", lambda pieces: there)
    players = [player("material,depth=1"), player("material,depth=1,tablebase=3")]
    load = pickle.loads(pickle.dumps(loader_for(players)))
    there.pieces = 2
    with pytest.raises(InputError, match="tablebase=3: tablebases of up to 2 pieces there and 3 here"):
        load()


BALLOTS = openings("three-move")


def test_openings_that_never_get_longer_have_an_end(
    limit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_games, "lengthen", lambda opening, plies, generator: opening)
    limit(match_games, "LAST_DRAWS", 200)
    source = match_games.vary_openings(BALLOTS, WCDF, np.random.default_rng(1))
    with pytest.raises(InputError, match=f"only {len(BALLOTS)} different openings"):
        list(source)


def test_repetitive_players_end_the_draws_of_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_games, "_digest", lambda moves: b"the same")
    text = r"repeat their games: only 1 of 1,[0-9]{3} openings gave new ones.*fewer games"
    assert LEAST_OFFERS == 1000
    with pytest.raises(InputError, match=text):
        play_match(MaterialPlayer(), MaterialPlayer("other"), 40)
