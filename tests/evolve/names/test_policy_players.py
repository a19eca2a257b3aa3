"""Networks with a policy and no value as players: their choices, names, analysis, games; what is refused."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.config.preset_files import ConfigError
from evolve.config.toml import load
from evolve.names.registration import register
from game import analysis, moves
from game.board import Position
from game.generator import SplitMix64
from game.networks.evaluator import evaluator_of
from game.networks.named import to_toml
from game.networks.spec import Heads, Layer, Spec
from game.players.names import PlayerNameError
from game.players.network import HEADS_OF, NetworkPlayer
from game.players.policy import CERTAIN, GLANCE, GlancePlayer, PolicyPlayer
from game.players.registry import player
from game.search.interface import Limits
from tests.game.networks.network_samples import HEADED, POLICIES, positions, tame, write_player

SPEC = POLICIES[0]
START = Position.start()
RUNS = Path(__file__).parents[3] / "populations"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The player ``steps``, and with a value beside their policy ``both`` and ``signed``."""
    write_player(tmp_path, "steps", SPEC, tame(SPEC, 4))
    write_player(tmp_path, "both", HEADED[0], tame(HEADED[0], 4))
    write_player(tmp_path, "signed", HEADED[1], tame(HEADED[1], 4))
    monkeypatch.chdir(tmp_path)
    register(tmp_path)
    return tmp_path


def test_name_of_a_policy_player_is_complete(folder: Path) -> None:
    one = player("steps,network=steps.toml")
    assert isinstance(one, PolicyPlayer)
    assert one.canonical_name == "steps,network=steps.toml"
    assert (one.deterministic, one.repeatable, one.searching, one.compiled) == (True, True, None, None)
    assert one.describe() == f"plays the first choice of a policy of {SPEC.weights:,} weights"
    drawing = player("steps,sampling=yes,seed=3,network=steps.toml")
    assert drawing.canonical_name == "steps,network=steps.toml,sampling=yes,seed=3"
    assert player(drawing.canonical_name).identity == drawing.identity != one.identity
    assert not drawing.deterministic
    assert drawing.describe().startswith("draws by the probabilities")
    assert player("steps:Ann,sampling=no,seed=5,network=steps.toml").identity == one.identity


def test_a_network_with_both_heads_plays_by_each_search(folder: Path) -> None:
    both = {how: player(f"both,network=both.toml,search={how}") for how in HEADS_OF}
    assert {how: type(one).__name__ for how, one in both.items()} == {
        "alphabeta": "NetworkPlayer",
        "tree": "TreePlayer",
        "policy": "PolicyPlayer",
        "glance": "GlancePlayer",
    }
    assert both["alphabeta"].canonical_name == "both,network=both.toml"
    assert both["tree"].canonical_name == "both,network=both.toml,search=tree"
    assert both["policy"].canonical_name == "both,network=both.toml,search=policy"
    drawing = player("both,sampling=yes,seed=3,network=both.toml")
    assert drawing.canonical_name == "both,network=both.toml,search=policy,sampling=yes,seed=3"
    tree = player("both,network=both.toml,search=tree,depth=5,tablebase=4")
    assert tree.canonical_name == "both,network=both.toml,search=tree,depth=5,tablebase=4"
    how = "guides a tree search of 32 visits, endings of up to 4 pieces by tablebase"
    assert tree.describe() == f"a network of {HEADED[0].weights:,} weights {how}"
    everybody = [*both.values(), drawing, tree]
    assert len({one.identity for one in everybody}) == len(everybody)
    assert all(player(one.canonical_name).identity == one.identity for one in everybody)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("steps,network=steps.toml,search=tree", "search=tree: expected a network with a value; "),
        ("steps,network=steps.toml,search=alphabeta", "search=alphabeta: expected a network with a value; "),
        ("crownhead-1,search=tree", "search=tree: expected a network with a policy; "),
        ("crownhead-1,search=policy", "search=policy: expected a network with a policy; "),
        ("signed,network=signed.toml,search=glance", "search=glance: expected a network with chances of results"),
        ("both,network=both.toml,search=glance,depth=1", "depth: with search=policy it does not search"),
        ("crownhead-1,search=wide", "search=wide: expected alphabeta, tree"),
        ("material,search=tree", "material has no option search"),
        ("both,network=both.toml,search=tree,nodes=0", "nodes=0: expected a whole number from 1"),
        ("both,network=both.toml,search=tree,nodes=1000001", "nodes: expected 1 to 1,000,000 for a tree search"),
        ("both,network=both.toml,search=tree,selective=yes", "selective: a tree search has no such option"),
        ("both,network=both.toml,search=tree,quiescence=yes", "quiescence: a tree search has no such option"),
        ("both,network=both.toml,search=policy,depth=3", "depth: with search=policy it does not search"),
    ],
)
def test_searches_that_do_not_fit_a_network_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str
) -> None:
    register(RUNS)
    assert main.main(["move", name, "--runs", str(RUNS if "crownhead" in name else folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert reason in line


def test_it_plays_its_first_choice_or_draws_one(folder: Path) -> None:
    one, drawing = player("steps,network=steps.toml"), player("steps,sampling=yes,network=steps.toml")
    for position in positions(5, 30):
        legal = moves.legal_moves(position)
        if not legal:
            continue
        likely = one.likelihoods(position)
        assert likely is not None
        assert [move for move, _ in likely] == legal
        choice = one.choose(position, (), SplitMix64(1))
        assert choice.move == max(likely, key=lambda each: each[1])[0]
        assert choice.evaluations == (len(legal) > 1)
        assert drawing.choose(position, (), SplitMix64(1)) == drawing.choose(position, (), SplitMix64(1))
    likely, draws = dict(one.likelihoods(START) or ()), SplitMix64(2)
    drawn = Counter(drawing.choose(START, (), draws).move for _ in range(1000))
    for move, chance in likely.items():
        assert drawn[move] == pytest.approx(1000 * chance, abs=4 * (1000 * chance) ** 0.5 + 3)


def test_a_policy_draws_among_its_best_moves_by_their_probabilities(folder: Path) -> None:
    drawing = player("steps,network=steps.toml,sampling=best-3,seed=3")
    assert drawing.canonical_name == "steps,network=steps.toml,sampling=best-3,seed=3"
    assert drawing.describe().endswith(f"{SPEC.weights:,} weights, the 3 best moves")
    likely = sorted(drawing.likelihoods(START) or (), key=lambda each: -each[1])[:3]
    total, draws = sum(chance for _, chance in likely), SplitMix64(2)
    drawn = Counter(drawing.choose(START, (), draws).move for _ in range(1000))
    assert set(drawn) == {move for move, _ in likely}
    for move, chance in likely:
        expected = 1000 * chance / total
        assert drawn[move] == pytest.approx(expected, abs=4 * expected**0.5 + 3)


def test_an_epsilon_greedy_policy_plays_some_moves_at_random(folder: Path) -> None:
    first, drawing = player("steps,network=steps.toml"), player("steps,network=steps.toml,sampling=epsilon-0.25")
    assert drawing.canonical_name == "steps,network=steps.toml,sampling=epsilon-0.25"
    assert drawing.describe().endswith("weights, 0.25 of moves at random")
    best, draws = first.choose(START, (), SplitMix64(1)).move, SplitMix64(2)
    legal = moves.legal_moves(START)
    drawn = Counter(drawing.choose(START, (), draws).move for _ in range(2000))
    for move in legal:
        expected = 2000 * (0.25 / len(legal) + 0.75 * (move == best))
        assert drawn[move] == pytest.approx(expected, abs=4 * expected**0.5 + 3)


def test_only_a_policy_alone_draws(folder: Path) -> None:
    assert isinstance(player("both,network=both.toml,depth=2"), NetworkPlayer)
    for options in ("sampling=no", "search=alphabeta,sampling=yes", "search=tree,sampling=yes"):
        with pytest.raises(PlayerNameError, match="sampling: only a policy draws its moves"):
            player(f"both,network=both.toml,{options}")
    for wrong in ("often", "best-1", "best-193", "best-", "epsilon-0", "epsilon-1.5", "epsilon", "epsilon-nan"):
        with pytest.raises(PlayerNameError, match=f"sampling={wrong}: expected yes, no, best-N"):
            player(f"steps,network=steps.toml,sampling={wrong}")
    with pytest.raises(PlayerNameError, match="random has no option sampling"):
        player("random,sampling=yes")


def test_a_search_takes_the_chance_to_win_less_that_to_lose() -> None:
    """Two plies by the definition: each reply valued by the network as its mover sees it, the other way round."""
    both = NetworkPlayer("both", tame(HEADED[0], 6), spec=HEADED[0])
    position = Position.from_fen("B:W21,22,30,K8:B1,11,14,K25")
    values = {}
    for move, after in moves.successors(position):
        replies = [board for _, board in moves.successors(after)]
        values[move] = min(evaluator_of(both.spec, both.weights).scores(replies, position.side))
    result = analysis.analyse(both, position, Limits(depth=2))
    assert {each.move: each.score for each in result.root} == pytest.approx(values)
    assert all(-1 < value < 1 for value in values.values())
    assert both.scale.unit == "chance to win less chance to lose"


@pytest.mark.parametrize("spec", [HEADED[0], HEADED[2]], ids=lambda spec: spec.name)
def test_chances_of_results_are_those_that_a_search_weighs(spec: Spec) -> None:
    """By networks that see as the side to move does, and by those that see as the searching side."""
    one = NetworkPlayer("one", tame(spec, 6), spec=spec)
    for position in positions(3, 20):
        for side in (0, 1):
            result = one.result_chances(position, side)
            assert result is not None and sum(result) == pytest.approx(1) and min(result) > 0
            (score,) = evaluator_of(spec, one.weights).scores([position], side)
            assert result[0] - result[2] == pytest.approx(score, abs=1e-5)
    assert NetworkPlayer("other", tame(HEADED[1], 6), spec=HEADED[1]).result_chances(START, 0) is None


def test_a_population_needs_values(tmp_path: Path) -> None:
    spec = Spec("steps", "pieces", (Layer("dense", 4),), heads=Heads("none", "steps"))
    (tmp_path / "config.toml").write_text(f"[network]\n{to_toml(spec, 'network.')}", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"network: heads\.value: expected score or wdl, since individuals choose moves by"
    ):
        load(None, tmp_path / "config.toml")


@pytest.mark.parametrize(
    ("fen", "onward"), [("B:WK29,30:BK1,K2,K6,K10,K15", True), ("W:WK29,30:BK1,K2,K6,K10,K15", False)]
)
def test_only_where_it_expects_to_win_it_does_not_go_back(fen: str, onward: bool) -> None:
    """To a position of the game: a policy sees only the board, so it would move to and fro."""
    register(RUNS)
    one, position = player("zero,search=policy"), Position.from_fen(fen)
    assert isinstance(one, PolicyPlayer)
    best, second = sorted(one.likelihoods(position), key=lambda each: -each[1])[:2]
    assert one.choose(position, (), SplitMix64(0)).move == best[0]
    back = [moves.apply(position, best[0]), position]
    assert one.choose(position, back, SplitMix64(0)).move == (second if onward else best)[0]
    everywhere = [after for _, after in moves.successors(position)]
    assert one.choose(position, everywhere, SplitMix64(0)).move == best[0]
    assert pickle.loads(pickle.dumps(one)).choose(position, back, SplitMix64(0)).evaluations == 1


def test_a_glance_weighs_the_policy_with_the_values_of_the_positions_after_its_moves() -> None:
    register(RUNS)
    policy, glance = player("zero,search=policy"), player("zero,search=glance")
    assert isinstance(policy, PolicyPlayer) and isinstance(glance, GlancePlayer)
    assert "values of the positions after its moves" in glance.describe()
    spec, weights, _ = glance.network
    for position in positions(5, 30):
        after = moves.successors(position)
        if not after:
            continue
        heads = evaluator_of(spec, weights).outputs([each for _, each in after])[:, :3].astype(float)
        chances = np.exp(heads) / np.exp(heads).sum(1, keepdims=True)
        values = np.clip(chances[:, 2] - chances[:, 0], -CERTAIN, CERTAIN)  # to the mover, the opponent of whom is next
        weighed = np.array([chance for _, chance in policy.likelihoods(position)]) * np.exp(np.arctanh(values) / GLANCE)
        likely = glance.likelihoods(position)
        assert [move for move, _ in likely] == [move for move, _ in after]
        assert [chance for _, chance in likely] == pytest.approx(weighed / weighed.sum(), abs=1e-4)
        best = max(likely, key=lambda each: each[1])[0]
        assert glance.choose(position, (), SplitMix64(0)).move == best
