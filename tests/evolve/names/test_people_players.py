"""Policies taught by people as players: their strength, the errors that they see coming, and what is refused."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

import main
from evolve.names.registration import register
from evolve.run.files import MEMORY
from evolve.run.runs import PEOPLE_RUN, SHIPPED_RUNS
from game import moves
from game.board import Position
from game.generator import SplitMix64
from game.match import play
from game.moves import Move, parse_move
from game.networks.evaluator import evaluator_of, rows_seen
from game.networks.spec import Heads, Layer, Spec
from game.players import people as taught
from game.players.people import ENTRY, GIVEN_AWAY, KING, PeoplePlayer, at_strength, board_keys
from game.players.policy import PolicyPlayer, first_step, policy_likelihoods
from game.players.registry import player
from game.rules import BLACK
from tests.game.networks.network_samples import POLICIES, tame, write_player

TRUNK = (Layer("dense", 32, activation="none"), Layer("dense", 32, activation="relu"))
SPEC = Spec("people", "pieces", TRUNK, heads=Heads("none", "people"))
Chances = dict[Move, float]
HANGING = Position.from_fen("B:W22,26,32:B14,10,5")
"""The move 14-17 loses a man at once, 14-18 two, and the others none."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_player(tmp_path, "people", SPEC, tame(SPEC, 4))
    write_player(tmp_path, "steps", POLICIES[0], tame(POLICIES[0], 4))
    monkeypatch.chdir(tmp_path)
    register(tmp_path)
    return tmp_path


def named(options: str = "") -> PeoplePlayer:
    result = player(f"people,network=people.toml{options}")
    assert isinstance(result, PeoplePlayer)
    return result


def habits_of(one: PeoplePlayer, position: Position) -> list[tuple[Move, float]]:
    return one.habits(position, PolicyPlayer.likelihoods(one, position))


def test_a_name_has_a_strength_and_a_depth(folder: Path) -> None:
    texts = {
        "": "",
        ",strength=3": ",strength=3",
        ",depth=2,strength=3.0,seed=5": ",strength=3,depth=2,seed=5",
        ",strength=0.25,sampling=no,seed=5": ",strength=0.25,sampling=no",
        ",strength=4,sampling=best-2": ",strength=4,sampling=best-2",
        ",sampling=yes,depth=1": ",strength=9",
        ",depth=4,tablebase=no": ",depth=4",
        ",strength=9,sampling=no": "",
    }
    for text, canonical in texts.items():
        one = named(text)
        assert one.canonical_name == f"people,network=people.toml{canonical}"
        assert player(one.canonical_name).identity == one.identity
    assert len({named(text).identity for text in texts}) == len(texts) - 1
    assert named().deterministic and not named(",strength=2").deterministic
    about = named(",strength=2,depth=3").describe()
    assert about.endswith("taught by people, strength 2 of 9, looks 3 plies ahead for lost pieces")


def test_a_strength_changes_the_first_biases_and_the_power_of_chances(folder: Path) -> None:
    weights, position = tame(SPEC, 4), Position.start()
    for strength, power in ((9.0, 11), (4.5, 6.5), (1.0, 3), (0.5, 3)):
        evaluator = evaluator_of(SPEC, at_strength(SPEC, weights, max(strength, 1)))
        sizes = np.array([chance for _, chance in policy_likelihoods("taught", evaluator, position)]) ** power
        chances = [chance for _, chance in named(f",strength={strength}").likelihoods(position)]
        assert chances == pytest.approx((sizes / sizes.sum()).tolist())
    assert (at_strength(SPEC, weights, 9) == weights).all()
    assert (at_strength(SPEC, weights, 1) != weights).any()


@pytest.mark.parametrize("fen", ["B:W22,26,32:B14,10,5", "W:B11,7,1:W19,23,28"], ids=["black", "white"])
def test_moves_made_on_a_remembered_board_count_beside_the_chances_of_the_network(fen: str, tmp_path: Path) -> None:
    folder, position = shutil.copytree(SHIPPED_RUNS / PEOPLE_RUN, tmp_path / "taught"), Position.from_fen(fen)
    legal = moves.legal_moves(position)
    steps = [first_step(move, position.side) for move in legal]
    key = board_keys(rows_seen([HANGING]))[0]
    table = np.array([(key - 1, steps[0], 9), (key, steps[0], 3), (key, steps[2], 1), (key + 1, steps[1], 9)], ENTRY)
    (folder / MEMORY).write_bytes(table.tobytes())
    remembers = player(f"{folder},strength=2")
    (folder / MEMORY).unlink()
    forgot = player(f"{folder},strength=2")
    assert isinstance(remembers, PeoplePlayer) and isinstance(forgot, PeoplePlayer)
    assert remembers.identity != forgot.identity and remembers.canonical_name == forgot.canonical_name
    alone = [chance for _, chance in habits_of(forgot, position)]
    played = dict(zip(steps, (3, 0, 1), strict=False))
    expected = [
        (taught.OPINION * chance + played.get(step, 0) / steps.count(step)) / (taught.OPINION + 4)
        for chance, step in zip(alone, steps, strict=True)
    ]
    assert [chance for _, chance in habits_of(remembers, position)] == pytest.approx(expected)
    assert habits_of(remembers, Position.start()) == habits_of(forgot, Position.start())


def test_a_distracted_player_forgets_what_it_remembers(tmp_path: Path) -> None:
    folder, chances = shutil.copytree(SHIPPED_RUNS / PEOPLE_RUN, tmp_path / "taught"), Counter[Move]()
    step, key = first_step(moves.legal_moves(HANGING)[0], HANGING.side), board_keys(rows_seen([HANGING]))[0]
    (folder / MEMORY).write_bytes(np.array([(key, step, 200)], ENTRY).tobytes())
    remembers = player(f"{folder},strength=0.6")
    (folder / MEMORY).unlink()
    forgot = player(f"{folder},strength=0.6")
    assert isinstance(remembers, PeoplePlayer) and isinstance(forgot, PeoplePlayer)
    for share, attends, one in ((0.6, True, remembers), (0.4, False, forgot)):
        for move, chance in mood(one, HANGING, dict(habits_of(one, HANGING)), attends, power=3).items():
            chances[move] += share * chance
    assert {move: chance for move, chance in remembers.likelihoods(HANGING) if chance} == pytest.approx(chances)


@pytest.mark.parametrize("data", [b"cut", bytes([9] * 6 + [0] * 6), b"\xff" * 6], ids=["cut", "unsorted", "no step"])
def test_a_memory_that_was_not_written_by_a_session_is_refused(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(SHIPPED_RUNS / PEOPLE_RUN, tmp_path / "taught")
    (folder / MEMORY).write_bytes(data)
    assert main.main(["move", f"{folder},strength=2"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "memory.bin: damaged, expected entries of 6 bytes, sorted by board; without this file" in line


def mood(one: PeoplePlayer, at: Position, habits: Chances, attends: bool, aim: float = 1, power: float = 1) -> Chances:
    """Return the chances of the moves that a player may make, if these are its habits."""
    lost, at_once, later = (one.lost_men(at, plies) for plies in (one.plies, 1, taught.TRAP))
    made = {move: -taught.CARE * men for move, men in lost.items() if men < GIVEN_AWAY}
    if not attends:
        hung = taught.HUNG * aim + taught.MORE * min(max(3 - 6 * one.strength, 0), 1)
        traps = {move: hung if at_once[move] >= 1 else taught.DISTRACTION * min(later[move], 1) for move in made}
        kept = taught.KEPT * min(one.strength, 1) ** 2 - taught.LEFT * max(taught.WEAK - one.strength, 0)
        made = {move: -kept * lost[move] if at_once[move] >= KING else men for move, men in traps.items()}
    sizes = {move: (max(habits[move], 1e-12) ** aim * math.exp(men)) ** power for move, men in made.items()}
    return {move: size / sum(sizes.values()) for move, size in sizes.items()}


@pytest.mark.parametrize("strength", [5.0, 1.0, 0.5])
def test_a_player_avoids_losses_within_its_depth_unless_it_is_distracted(strength: float, folder: Path) -> None:
    one = named(f",strength={strength},depth=2")
    lost = {str(move): men for move, men in one.lost_men(HANGING, 2).items()}
    assert lost == {"5-9": 0, "10-15": 0, "14-17": 1, "14-18": 2}
    evaluator = evaluator_of(SPEC, at_strength(SPEC, tame(SPEC, 4), max(strength, 1)))
    blind, expected = dict(policy_likelihoods("blind", evaluator, HANGING)), Counter[Move]()
    for share, attends in ((min(strength, 1), True), (1 - min(strength, 1), False)):
        chances = mood(one, HANGING, blind, attends, power=max(strength, 1) + 2)
        expected.update({move: share * chance for move, chance in chances.items()})
    assert {move: chance for move, chance in one.likelihoods(HANGING) if chance} == pytest.approx(expected)
    assert GIVEN_AWAY == 2


@pytest.mark.parametrize("strength", [5.0, 0.5])
def test_people_find_good_moves_more_often_than_the_network_expects(strength: float, folder: Path) -> None:
    one = named(f",strength={strength},depth=2")
    evaluator = evaluator_of(SPEC, at_strength(SPEC, tame(SPEC, 4), max(strength, 1)))
    blind, attention = dict(policy_likelihoods("blind", evaluator, HANGING)), min(strength, 1)
    moods, shares = [mood(one, HANGING, blind, attends) for attends in (True, False)], dict(one.shares(HANGING))
    for move in moods[0]:
        assert shares[move] == pytest.approx(attention * moods[0][move] + (1 - attention) * moods[1][move])
    good = [parse_move(HANGING, text) for text in ("5-9", "10-15")]
    seen, overlooked = (sum(each[move] for move in good) for each in moods)
    odds = math.exp(taught.FOUND) * (seen / (1 - seen)) ** taught.FOUND_BY
    assert one.finders(HANGING, good) == pytest.approx(attention * odds / (1 + odds) + (1 - attention) * overlooked)
    assert one.finders(HANGING, [parse_move(HANGING, "14-18")]) < 0.01
    assert one.finders(HANGING, moves.legal_moves(HANGING)) == pytest.approx(1)


def test_a_network_that_is_sure_of_a_bad_move_makes_another(folder: Path) -> None:
    weights = np.zeros(SPEC.weights, np.float32)
    weights[-128 + first_step(parse_move(HANGING, "14-18"), BLACK)] = 3000.0
    write_player(folder, "sure", SPEC, weights)
    careful = player("sure,network=sure.toml,strength=1")
    drawn = {careful.choose(HANGING, (), SplitMix64(seed)).move for seed in range(9)}
    assert {str(move) for move in drawn} <= {"5-9", "10-15", "14-17"} and len(drawn) > 1


def of_random_games() -> Iterator[Position]:
    random = Random(7)
    while True:
        position = Position.start()
        while after := moves.successors(position):
            yield position
            position = random.choice(after)[1]


@pytest.mark.parametrize("strength", [1.0, 0.75, 0.5, 0.25])
@pytest.mark.parametrize("crowned", [True, False])
def test_a_weak_player_is_aimless_and_careless_at_ease(strength: float, crowned: bool, folder: Path) -> None:
    one, whole = named(f",strength={strength}"), named(",strength=1")
    for position in of_random_games():
        lost = one.lost_men(position, 1)
        ahead = position.own.bit_count() > position.opponent.bit_count()
        king = bool(position.own & position.kings)
        if {0.0, 1.0, KING if crowned else 0.5} <= set(lost.values()) and king == crowned and ahead != crowned:
            break
    share, expected = max(2 * strength - 1, 0.0), Counter[Move]()
    aim, habits = min(2 * strength, 1) ** 2 * share**taught.AIMLESS, dict(habits_of(whole, position))
    for part, attends in ((share, True), (1 - share, False)):
        chances = mood(one, position, habits, attends, aim, power=3)
        expected.update({move: part * chance for move, chance in chances.items()})
    likely = {move: chance for move, chance in one.likelihoods(position) if chance}
    assert likely == pytest.approx(expected)
    if strength > 0.5:  # the weakest leave kings, too
        assert sum(likely[move] for move, men in lost.items() if men == KING and move in likely) < 0.01


def test_it_draws_moves_by_their_chances_and_repeats_its_games(folder: Path) -> None:
    one, draws = named(",strength=2"), SplitMix64(2)
    likely = dict(one.likelihoods(Position.start()))
    drawn = Counter(one.choose(Position.start(), (), draws).move for _ in range(500))
    for move, chance in likely.items():
        assert drawn[move] == pytest.approx(500 * chance, abs=4 * (500 * chance) ** 0.5 + 3)
    games = [play(one, named(",strength=8"), seed=seed).moves for seed in (3, 3, 4)]
    assert games[0] == games[1] != games[2]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("people,network=people.toml,strength=0", "strength=0: expected a number above 0, to 9"),
        ("people,network=people.toml,strength=9.5", "strength=9.5: expected a number above 0, to 9"),
        ("people,network=people.toml,nodes=5", "it does not search (it has network, sampling, seed, depth, strength)"),
        ("steps,network=steps.toml,strength=3", "strength: only a policy taught by people has one"),
        ("crownhead-1,strength=3", "strength: only a policy taught by people has one"),
        ("material,strength=3", "material has no option strength"),
    ],
)
def test_names_without_such_a_strength_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str
) -> None:
    runs = Path(__file__).parents[3] / "populations" if "crownhead" in name else folder
    assert main.main(["move", name, "--runs", str(runs)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert reason in line
