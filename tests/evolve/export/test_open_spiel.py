"""Bots for OpenSpiel: the same moves, scores and numbers of positions as the program, and games in the library."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

import main
from evolve.export import open_spiel
from evolve.export.html import player_data
from evolve.export.spiel.search import AgentPlayer
from game import moves
from game.bitboard import squares_of
from game.board import Position
from game.players.network import NetworkPlayer
from game.search.interface import Limits, SearchOptions
from tests.evolve.export import exported
from tests.evolve.export.exported import SHIPPED, STYLES, VALUED, Job, jobs_of, searching

Answer = tuple[tuple[int, ...], float, int]


def of_position(position: Position) -> tuple[int, int, int, int]:
    words = (
        sum(1 << square - 1 for square in squares_of(part)) for part in (position.black, position.white, position.kings)
    )
    return (*words, position.side)  # type: ignore[return-value]


def answers_of_agent(made: NetworkPlayer, jobs: list[Job]) -> list[Answer]:
    data, answers = json.loads(json.dumps(player_data(made))), list[Answer]()
    for job in jobs:
        line = [*map(Position.from_fen, job["earlier"]), Position.from_fen(job["fen"])]
        answers.append(AgentPlayer(data).search(list(map(of_position, line)), job["depth"], job["nodes"]))
    return answers


def answers_of_program(made: NetworkPlayer, jobs: list[Job]) -> list[Answer]:
    answers = []
    for job in jobs:
        history, position = list(map(Position.from_fen, job["earlier"])), Position.from_fen(job["fen"])
        result = made.searcher().search(position, history, limits=Limits(depth=job["depth"], nodes=job["nodes"]))
        answers.append((result.move.path, result.score, result.nodes))
    return answers


@pytest.mark.parametrize(
    "number",
    [
        # Every third, but the smaller one of two with diagonal layers.
        pytest.param(number, marks=() if number in (0, 3, 6, 9, 12, 15, 18, 19, 24) else pytest.mark.check)
        for number in range(len(VALUED))
    ],
)
def test_networks_of_every_kind(number: int) -> None:
    spec, genome = VALUED[number]
    style = SearchOptions(**STYLES[number % len(STYLES)])
    made = NetworkPlayer("some", genome, spec=spec, king=exported.king_of(spec), limits=Limits(depth=3), style=style)
    jobs = jobs_of(3, 2, (1, 2))
    assert answers_of_agent(made, jobs) == answers_of_program(made, jobs)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_players(name: str) -> None:
    made = searching(name)
    jobs = jobs_of(5, 6, (1, 2, 3)) + jobs_of(6, 1, (20,), 200)
    assert answers_of_agent(made, jobs) == answers_of_program(made, jobs)


@pytest.mark.check
@pytest.mark.parametrize("name", SHIPPED[:3])
def test_more_positions(name: str) -> None:
    made = searching(name)
    jobs = jobs_of(1, 100, (1, 2, 3, 4)) + jobs_of(2, 5, (20,), 2000)
    assert answers_of_agent(made, jobs) == answers_of_program(made, jobs)


def agent_of(folder: Path, name: str) -> ModuleType:
    """Export a player, and import the file."""
    path = folder / "agent.py"
    assert main.main(["export", name, "--open-spiel", str(path)]) == 0
    spec = importlib.util.spec_from_file_location("exported_agent", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [pytest.param("crownhead,depth=2", marks=pytest.mark.check), "first,depth=2"])
def test_whole_games_in_the_library(name: str, tmp_path: Path) -> None:
    """Each move is the program's, and results agree except for the library's draw after 40 quiet actions."""
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel has no wheel for this Python or system")
    made, module = searching(f"{name},tablebase=no"), agent_of(tmp_path, name)
    random, results = Random(1), list[float]()
    for side in (0, 1):
        agent, searcher = module.Agent(), made.searcher()
        assert isinstance(agent, pyspiel.Bot)
        state, line = pyspiel.load_game("checkers").new_initial_state(), [Position.start()]
        while not state.is_terminal():
            mover, path = state.current_player(), tuple[int, ...]()
            assert mover == line[-1].side
            while not state.is_terminal() and state.current_player() == mover:
                action = agent.step(state) if mover == side else random.choice(state.legal_actions())
                text = state.action_to_string(mover, action)
                path = (*(path or (module.square_of(text[:2]),)), module.square_of(text[2:]))
                state.apply_action(action)
            turns = moves.legal_moves(line[-1])
            if mover == side and len(turns) > 1:
                result = searcher.search(line[-1], line[:-1], limits=made.limits)
                assert (path, agent.score) == (result.move.path, result.score)
            line.append(moves.apply(line[-1], next(turn for turn in turns if turn.path == path)))
        if any(state.returns()):
            assert moves.legal_moves(line[-1]) == [] and state.returns()[line[-1].side] == -1.0
        results.append(state.returns()[side])
    assert results == [1.0, 1.0]  # against random moves


def test_a_turn_that_another_began(tmp_path: Path) -> None:
    """Within a turn of several jumps, the agent goes on from where the piece is."""
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel has no wheel for this Python or system")
    module, random, begun = agent_of(tmp_path, "crownhead-1,depth=1"), Random(4), 0
    agent, game = module.Agent(), pyspiel.load_game("checkers")
    while begun < 3:
        state = game.new_initial_state()
        while not state.is_terminal():
            if module.game_of(state)[1]:
                begun += 1
                assert agent.step(state) in state.legal_actions()
            state.apply_action(random.choice(state.legal_actions()))


def test_the_file_needs_only_numpy(tmp_path: Path) -> None:
    agent_of(tmp_path, "crownhead-1")
    code = "import agent, sys; print(agent.AgentPlayer(agent.DATA).search([START], 2)[0])"
    code = code.replace("START", "(0xFFF, 0xFFF00000, 0, 0)")
    code += "\nassert not {'game', 'evolve', 'crownhead', 'numba'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = searching("crownhead-1,tablebase=no")
    expected = made.searcher().search(Position.start(), (), limits=Limits(depth=2)).move.path
    assert done.stdout.strip() == str(expected)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["random", "--open-spiel=a.py"], "random: has no network to export"),
        (["policy", "--open-spiel=a.py"], "policy: pages and bots search with alpha-beta, and this player does not"),
        (["first", "--open-spiel=a.txt"], "a.txt: expected a name that ends in .py"),
    ],
)
def test_what_is_refused(
    arguments: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["export", *arguments]) == 2
    assert text in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_a_network_that_is_too_large(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(open_spiel, "MOST_BYTES", 50_000)
    assert main.main(["export", "crownhead", "--open-spiel=a.py"]) == 2
    error = capsys.readouterr().err
    assert "crownhead: its network is too large for a bot, whose file may have" in error and error.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_hostile_names() -> None:
    from evolve.export.open_spiel import agent_of as source_of

    spec, genome = exported.NETWORKS[0]
    made = NetworkPlayer('"""\nraise SystemExit\udcff\\', genome, spec=spec, limits=Limits(depth=1))
    source = source_of(made, "agent\nraise SystemExit").encode()
    assert "from agent import" in source_of(made, "class")
    names: dict[str, Any] = {"__name__": "agent"}
    exec(compile(source, "agent.py", "exec"), names)
    assert names["DATA"]["name"] == made.name
