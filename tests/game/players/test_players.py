"""Player names, resolvers, and how the plain players choose."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import extras
from game import moves
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64
from game.networks import evaluator
from game.networks.named import CNN_247, SHIPPED
from game.networks.spec import Spec
from game.players import registry
from game.players.basic import MaterialPlayer, RandomPlayer, material
from game.players.names import RESERVED, PlayerName, PlayerNameError, list_options, parse_name
from game.players.network import NetworkPlayer
from game.players.player import PlayerFailure
from game.players.registry import player
from game.rules import BLACK, WHITE
from tests import naive
from tests.cases import for_each

pytestmark = pytest.mark.usefixtures("own_names")

START = Position.start()


def boards(seed: int, count: int) -> list[Position]:
    return [Position.from_fen(board.fen()) for board in naive.random_boards(Random(seed), count)]


@for_each(
    ("text", "target", "member", "options"),
    [
        ("random", "random", None, {}),
        ("material,depth=1,quiescence=no", "material", None, {"depth": "1", "quiescence": "no"}),
        ("material, depth = 1", "material", None, {"depth": "1"}),
        ("cowan-1@15:Gen15_0111,depth=1,seed=3", "cowan-1@15", "Gen15_0111", {"depth": "1", "seed": "3"}),
        ("runs/champions.csv", "runs/champions.csv", None, {}),
        ("external:./engine --fast", "external", "./engine --fast", {}),
        ('"a file, with: everything.csv":NAME', "a file, with: everything.csv", "NAME", {}),
        ("'a file, with: everything.csv':'x,y'", "a file, with: everything.csv", "x,y", {}),
        (r'"C:\runs\one.csv":NAME,seed=1', r"C:\runs\one.csv", "NAME", {"seed": "1"}),
        ('a" b, "c', "a b, c", None, {}),
        ('"it\'s"', "it's", None, {}),
        ('random,"seed"=4', "random", None, {"seed": "4"}),
        ("random,seed=", "random", None, {"seed": ""}),
        ("random,seed=1=2", "random", None, {"seed": "1=2"}),
        ("Läufe@3:Ä", "Läufe@3", "Ä", {}),
    ],
)
def test_names_taken_apart(text: str, target: str, member: str | None, options: dict[str, str]) -> None:
    assert parse_name(text) == PlayerName(text, target, member, options)


@for_each(
    ("text", "message"),
    [
        ("", "expected random, material, RUN, RUN@"),
        (":Gen1", "expected random, material, RUN, RUN@"),
        ('""', "expected random, material, RUN, RUN@"),
        ('"random', 'the quote " is not closed'),
        ("it's", "the quote ' is not closed"),
        ("random,", "'' is not an option"),
        ("random,seed", "seed: expected a value, as in seed="),
        ("random,sede=1", "did you mean seed"),
        (
            "random,colour=red",
            r"'colour=red' is not an option \(depth, nodes, time, quiescence, blondie, selective, threats, twofold, "
            r"keeps_table, reductions, pruning, corrections, table, tablebase, threads, book, seed, network, .*\)$",
        ),
        ("random,seed=1,seed=1", "option seed is given twice"),
    ],
)
def test_names_that_cannot_be_read(text: str, message: str) -> None:
    for read in (parse_name, player):
        with pytest.raises(PlayerNameError, match=message):
            read(text)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("endings=endgame", "option endings was removed: use tablebase=N"),
        ("search=endgame", "option search=endgame was removed: use search=alphabeta"),
    ],
)
def test_removed_options_can_be_parsed_for_saved_games_and_name_their_replacement(option: str, message: str) -> None:
    key, _, value = option.partition("=")
    assert parse_name(f"crownhead-1,{option}").options == {key: value}
    with pytest.raises(PlayerNameError, match=message):
        player(f"crownhead-1,{option}")


@for_each(
    ("text", "message"),
    [
        ("nobody", "no player has this name; expected random, material, RUN"),
        ("file.csv:NAME", "no player has this name"),
        ("material,depth=65", "depth=65: expected a whole number from 1 to 64"),
        ("material,quiescence=maybe", "quiescence=maybe: expected yes or no"),
        ("material,tablebase=maybe", "expected yes, no, or the largest number of pieces, 2 to 6"),
        ("random,depth=1", "random has no option depth"),
        ("random,seed=9223372036854775808", "expected a whole number from 0 to"),
        ("random,seed=٣", "expected a whole number"),  # digits, but not those that everybody can read
        ("random,seed=" + "9" * 5000, "expected a whole number"),  # Python itself refuses more than 4300 digits
    ],
)
def test_unknown_names_are_refused(text: str, message: str) -> None:
    parse_name(text)  # well written
    with pytest.raises(PlayerNameError, match=message):
        player(text)


@pytest.mark.needs("external")
@for_each(
    ("text", "message"),
    [
        ("external", "expected a command after the colon"),
        ("external:./engine", "external program './engine': there is no such program"),
        ("""external:'"python'""", "no closing quotation"),
        ("external:python3,quiescence=yes", r"external has no option quiescence \(it has depth, nodes, time, start, "),
        ("external:python3,depth=0", "depth=0: expected a whole number from 1"),
        ("material,timeout=3", "material has no option timeout"),
    ],
)
def test_names_of_programs_are_refused(text: str, message: str) -> None:
    parse_name(text)  # well written
    with pytest.raises(PlayerNameError, match=message):
        player(text)


def test_names_of_plain_players_give_their_options() -> None:
    assert player("random") == RandomPlayer("random", 0)
    assert player("random,seed=9223372036854775807") == RandomPlayer("random,seed=9223372036854775807", 2**63 - 1)
    assert player("material") == MaterialPlayer("material", 0, False)
    assert player("material,depth=1,quiescence=no,tablebase=no").deterministic
    assert player("material,seed=0") == MaterialPlayer("material,seed=0", 0, True)
    assert not player("material,seed=0").deterministic
    assert not player("random").deterministic


NAME_PIECES = st.sampled_from(
    [*RESERVED, *list_options(), *",:=@'\" \n\0\\.-+", "1", "0", "yes", "no", ".csv", "٣", "é", "\ud800"]
)


@given(st.one_of(st.text(), st.lists(NAME_PIECES, max_size=12).map("".join)))
def test_any_text_is_a_player_or_an_input_error(text: str) -> None:
    try:
        result = player(text)
    except InputError as error:
        assert isinstance(error, PlayerNameError)
        assert "player " in str(error)
    else:
        assert result.name == text
        assert isinstance(result, RandomPlayer | MaterialPlayer)


@given(st.text(min_size=1), st.text(min_size=1))
def test_quotes_protect_everything_but_themselves(target: str, member: str) -> None:
    target, member = target.replace('"', ""), member.replace('"', "")
    if target:
        name = parse_name(f'"{target}":"{member}"')
        assert (name.target, name.member, dict(name.options)) == (target, member, {})


def test_resolvers_run_in_turn_for_other_names() -> None:
    asked = []

    def unknown(name: PlayerName) -> None:
        asked.append(("first", name.target))

    def somebody(name: PlayerName) -> RandomPlayer | None:
        asked.append(("second", name.target))
        return RandomPlayer(name.text) if name.member == "me" else None

    registry.register_resolver("first", unknown)
    registry.register_resolver("second", somebody)
    assert player("run@3:me").name == "run@3:me"
    assert asked == [("first", "run@3"), ("second", "run@3")]
    with pytest.raises(PlayerNameError, match="no player has this name"):
        player("run@3:you")
    player("random")
    assert len(asked) == 4


def test_a_player_of_an_absent_extra_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a run could have its name, before anything is asked for such a run."""
    monkeypatch.setitem(extras.HOMES, "absent", "players.oracle")
    for name in ("oracle", "oracle:of Delphi,depth=2"):
        with pytest.raises(
            PlayerNameError, match="oracle needs the extra absent: its folder extras/absent is not here"
        ):
            player(name)


def test_options_are_checked_before_resolvers_run() -> None:
    registry.register_resolver("runs", lambda name: RandomPlayer(name.text))
    with pytest.raises(PlayerNameError, match="depth=99: expected a whole number"):
        player("run,depth=99")


def test_errors_of_resolvers_reach_the_caller() -> None:
    def damaged(name: PlayerName) -> None:
        raise InputError("run: damaged")

    registry.register_resolver("runs", damaged)
    with pytest.raises(InputError, match="damaged"):
        player("run")


@pytest.mark.parametrize(
    ("fen", "black"),
    [
        ("B:W21-32:B1-12", 0),
        ("B:W:B1", 100),
        ("B:W:BK1", 150),
        ("B:WK32,21:B1,2,K3", 100),
        ("W:WK32,K31,K30:B1,2,3,4", -50),
    ],
)
def test_material_is_men_100_and_kings_150(fen: str, black: int) -> None:
    position = Position.from_fen(fen)
    assert material(position, BLACK) == black
    assert material(position, WHITE) == -black


def test_material_takes_the_first_of_the_best() -> None:
    for position in boards(1, 150):
        after = moves.successors(position)
        if not after:
            continue
        choice = MaterialPlayer().choose(position, [], SplitMix64(1))
        scores = [material(board, position.side) for _, board in after]
        assert choice.move == after[scores.index(max(scores))][0]
        assert choice.evaluations == 0
        assert choice.score == (None if len(after) == 1 else max(scores))


def test_material_with_a_seed_draws_evenly_among_the_best() -> None:
    stream = SplitMix64(7)
    chosen = Counter(MaterialPlayer(draws_ties=True).choose(START, [], stream).move for _ in range(7000))
    assert len(chosen) == 7
    assert all(abs(count - 1000) < 150 for count in chosen.values())
    for fen, best in (("B:W14,K15,32:B10", {"10x19"}), ("B:W14,15,32:B10", {"10x17", "10x19"})):
        position = Position.from_fen(fen)
        assert {str(MaterialPlayer(draws_ties=True).choose(position, [], stream).move) for _ in range(50)} == best


def test_random_draws_evenly_among_the_legal_moves() -> None:
    stream = SplitMix64(8)
    chosen = Counter(RandomPlayer().choose(START, [], stream).move for _ in range(7000))
    assert set(chosen) == set(moves.legal_moves(START))
    assert all(abs(count - 1000) < 150 for count in chosen.values())


def network(seed: int = 1, spec: Spec = CNN_247, king: float | None = None) -> NetworkPlayer:
    weights = np.random.default_rng(seed).uniform(-1, 1, spec.weights).astype(np.float32)
    return NetworkPlayer("net", weights, 0, spec, king)


@pytest.mark.parametrize("spec", SHIPPED.values(), ids=SHIPPED)
@pytest.mark.parametrize("king", [None, 1.3])
def test_a_network_chooses_by_its_scores(spec: Spec, king: float | None) -> None:
    player = network(1, spec, king)
    for position in boards(2, 100):
        after = moves.successors(position)
        if len(after) < 2:
            continue
        choice = player.choose(position, [], SplitMix64(0))
        judge = evaluator.Evaluator(spec, player.weights, spec.king if king is None else king)
        scores = judge.scores([board for _, board in after], position.side)
        assert (choice.score, choice.evaluations) == (max(scores), len(after))
        assert dict(after)[choice.move] == after[scores.index(max(scores))][1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_network_whose_value_is_no_number_fails(bad: float) -> None:
    broken = network()
    broken.weights[246] = bad
    with pytest.raises(PlayerFailure, match="net: its network gives a value that is not a finite number"):
        broken.choose(START, [], SplitMix64(0))


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("random", True),
        ("material", True),
        ("material,depth=3,nodes=100", True),
        ("material,time=0.1", False),
        ("material,depth=3,time=0.1", False),
        pytest.param(f"external:'{sys.executable}',depth=1", False, marks=pytest.mark.needs("external")),
    ],
)
def test_seed_repeats_games(name: str, same: bool) -> None:
    assert player(name).repeatable is same


def test_the_line_of_a_drawn_move_begins_with_it() -> None:
    tested = player("material,depth=3,seed=1")
    results = [tested.choose(START, (), SplitMix64(seed)) for seed in range(30)]
    assert len({choice.move for choice in results}) > 1
    assert all(choice.pv[0] == choice.move for choice in results)
