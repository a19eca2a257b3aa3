"""The example of docs/engine.md that plays in OpenSpiel."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evolve.names.registration import register
from evolve.run.runs import DEFAULT_RUNS
from game import moves
from game.board import Position
from game.players.network import NetworkPlayer
from game.players.registry import player
from game.rules import DrawRules

PAGE = Path(__file__).parents[1] / "docs" / "engine.md"
EXAMPLE = Path(__file__).parents[1] / "docs" / "examples" / "open_spiel_bot.py"
PYSPIEL = importlib.util.find_spec("pyspiel")
pytestmark = [
    pytest.mark.needs("engine"),
    pytest.mark.skipif(PYSPIEL is None, reason="open_spiel has no wheel for this Python or system"),
]

RULES = DrawRules(repetition=0, quiet_plies=40, men_reset=False)
"""The draw rules of OpenSpiel."""
NAME = "crownhead-1,depth=3,tablebase=no"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("open_spiel_bot", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def agent() -> Iterator[Any]:
    """Return a bot for all tests, since its engine takes a second to start."""
    made = example().Crownhead(NAME)
    yield made
    made.engine.communicate("quit\n", timeout=60)


def start() -> Any:
    import pyspiel

    return pyspiel.load_game("checkers").new_initial_state()


@pytest.mark.check
def test_the_example_of_the_page_plays_a_game() -> None:
    (program,) = re.findall(r"```python\n(import pyspiel.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=EXAMPLE.parent, capture_output=True, text=True, timeout=300, check=False)
    assert re.match(r"\[-?[01]\.0, -?[01]\.0\]", done.stdout), done.stderr


def test_the_example_has_at_most_60_lines() -> None:
    assert EXAMPLE.read_text(encoding="utf-8").count("\n") <= 60


def test_each_turn_in_the_library_is_the_move_of_the_player(agent: Any) -> None:
    register(DEFAULT_RUNS)
    squares, made, random = example().squares, player(NAME), Random(1)
    assert isinstance(made, NetworkPlayer)
    jumps, results = 0, list[float]()
    for side in (0, 1):
        searcher, state, line = made.searcher(), start(), [Position.start()]
        agent.restart_at(state)
        while not state.is_terminal():
            mover, path = state.current_player(), tuple[int, ...]()
            assert mover == line[-1].side
            while not state.is_terminal() and state.current_player() == mover:
                action = agent.step(state) if mover == side else random.choice(state.legal_actions())
                first, last = squares(state.action_to_string(mover, action))
                path = (*(path or (first,)), last)
                state.apply_action(action)
            turns = moves.legal_moves(line[-1])
            if mover == side and len(turns) > 1:
                result = searcher.search(line[-1], line[:-1], limits=made.limits, rules=RULES)
                assert path == result.move.path
                jumps += len(path) > 2
            line.append(moves.apply(line[-1], next(turn for turn in turns if turn.path == path)))
        assert moves.legal_moves(line[-1]) == [] and state.returns()[line[-1].side] == -1.0
        results.append(state.returns()[side])
    assert results == [1.0, 1.0]  # against random moves
    assert jumps


def test_a_turn_that_another_player_began_is_continued(agent: Any) -> None:
    random, begun = Random(4), 0
    while begun < 3:
        state = start()
        while not state.is_terminal():
            history = state.full_history()
            if history and history[-1].player == state.current_player():
                begun += 1
                assert agent.step(state) in state.legal_actions()
            state.apply_action(random.choice(state.legal_actions()))


def test_a_fault_of_the_engine_is_reported(agent: Any) -> None:
    agent.restart()
    agent.go = "go away"
    with pytest.raises(RuntimeError, match="error go: 'away': expected depth D"):
        agent.step(start())
    agent.go = "go"
