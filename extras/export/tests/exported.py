"""Networks and players to be exported, and what the program says of positions from games."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evolve.names.registration import register
from evolve.run.runs import DEFAULT_RUNS
from game import moves
from game.board import Position
from game.networks import evaluator
from game.networks.spec import Spec
from game.players.network import NetworkPlayer
from game.players.registry import player
from tests.game.networks.network_samples import POLICIES, SPECS, names, positions, tame

# The kernel rounds first sums to multiples of 2^-16; of weights of 10 binary places nothing is rounded.
NETWORKS = [
    (spec, np.round(tame(spec, 5 + number) * 1024) / np.float32(1024))
    for number, spec in enumerate((*SPECS, *POLICIES))
]
NAMES = names([spec for spec, _ in NETWORKS])


def of_games(seed: int, count: int) -> list[Position]:
    results, random, position = list[Position](), Random(seed), Position.start()
    while len(results) < count:
        turns = moves.legal_moves(position)
        position = moves.apply(position, random.choice(turns)) if turns else Position.start()
        results.append(position)
    return results


BOARDS = [*positions(17, 100), *of_games(18, 200)]
SHARE = 5e-6
"""Of the largest output: float32 sums in another order."""


def king_of(spec: Spec) -> float | None:
    return 1.75 if spec.evolving_king else None


def kernel_outputs(spec: Spec, genome: NDArray[np.float32]) -> NDArray[np.float32]:
    """All outputs for the side to move, of shape (positions, spec.outputs)."""
    return evaluator.evaluator_of(spec, genome, king_of(spec)).outputs(BOARDS)


def kernel_scores(spec: Spec, genome: NDArray[np.float32]) -> NDArray[np.float64]:
    made = evaluator.Evaluator(spec, genome, king_of(spec))
    return np.array([made.scores([position], position.side)[0] for position in BOARDS])


def differs(results: Any, expected: Any) -> float:
    """The largest difference as a share of the largest value, which is at least 1."""
    return float(np.abs(results - expected).max() / max(1.0, np.abs(expected).max()))


# Players that search, and searches for them.

VALUED = [(spec, genome) for spec, genome in NETWORKS if spec.values]
SHIPPED = ("first,tablebase=no", "crownhead-1,tablebase=no", "crownhead,tablebase=no", "cowan-deep,tablebase=no")
STYLES: tuple[dict[str, Any], ...] = (
    {},
    {"quiescence": True, "equal_depth": True},
    {"threats": True, "twofold": True, "equal_depth": True, "table_bits": 6},
    {"reductions": True, "pruning": True},
)

Job = dict[str, Any]


def jobs_of(seed: int, count: int, depths: Sequence[int], nodes: int | None = None) -> list[Job]:
    """Searches of positions from games of random moves, a third of them with the game before them."""
    random, position, earlier = Random(seed), Position.start(), list[Position]()
    jobs = list[Job]()
    while len(jobs) < count:
        turns = moves.legal_moves(position)
        if not turns or len(earlier) > 120:
            position, earlier = Position.start(), []
            continue
        if random.random() < 0.5:
            history = [board.fen() for board in earlier[-40:]] if len(jobs) % 3 == 0 else []
            depth = depths[len(jobs) % len(depths)]
            jobs.append({"fen": position.fen(), "earlier": history, "depth": depth, "nodes": nodes})
        earlier.append(position)
        position = moves.apply(position, random.choice(turns))
    return jobs


def searching(name: str) -> NetworkPlayer:
    register(DEFAULT_RUNS)
    made = player(name)
    assert isinstance(made, NetworkPlayer)
    return made


# Pages in a browser.

TOOLS = Path(__file__).parent / "page"
HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&amp;\"'\u2028{{PAGE}}\udcff"

FROM_ELSEWHERE = r"""https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!\\?"?data:|%23)|(?:src|href)="""
"""Words in the text of a page that loads something from elsewhere."""


def in_chromium(page: Path, *steps: Job) -> Any:
    """Results of expressions, errors of the page, and addresses that it asked for."""
    (page.parent / "steps.json").write_text(json.dumps(steps), encoding="utf-8")
    browser = shutil.which("chromium")
    assert browser is not None, "the check needs chromium"
    profile = page.parent / "profile"
    command = ["node", str(TOOLS / "browser.js"), browser, str(page), str(profile), str(page.parent / "steps.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return json.loads(done.stdout)


def data_of(page: str) -> Any:
    (text,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.S)
    return json.loads(text)
