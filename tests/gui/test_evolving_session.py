"""A real session that evolves an opponent: the same game from the same seed, after a kill, and again from the run."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve.run import status
from evolve.run.folder import Run
from evolve.run.status import Request
from game import plain
from gui.evolving.opponent import EvolvingOpponent, Pace, generation_note
from gui.model.game import GameModel, seed_tags
from gui.model.pdn import read, to_pdn
from gui.model.seats import HUMAN, Seat
from gui.runs.live_run import LiveRun
from gui.thinking.messages import Purpose, SearchRequest
from gui.thinking.thoughts import Players, Stopper, think

SMALL = ("--set=population.mutants=8", "--set=population.parents=5", "--set=rating.every=0")
MOVES, SEED = 2, 7
PATIENCE = 300.0


@contextlib.contextmanager
def evolving(runs: Path, name: str) -> Iterator[EvolvingOpponent]:
    new = ("--preset=living", f"--name={name}", f"--runs={runs}", f"--seed={SEED}", *SMALL)
    opponent = EvolvingOpponent(LiveRun, runs / name, Pace(2), new)
    try:
        yield opponent
    finally:
        opponent.run.ask(Request.STOP)
        wait_for_end(opponent)


def wait_for_end(opponent: EvolvingOpponent) -> None:
    end = time.monotonic() + PATIENCE
    while opponent.evolves or status.is_locked(opponent.run.path):
        assert time.monotonic() < end
        opponent.run.look_now()
        opponent.run.step(time.monotonic())
        time.sleep(0.02)


def play(opponent: EvolvingOpponent, runs: Path, kill_at: int = -1) -> tuple[GameModel, list[int]]:
    """Play a person's first legal moves; return the game, and the generation of each answer.

    The window's clock stands almost still, so that the opponent always makes what it owes.
    """
    players, stopper, now = Players(runs), Stopper(), 0.0
    model, generations = GameModel((HUMAN, Seat("material")), seed=SEED, tags=seed_tags(SEED)), []
    for number in range(MOVES):
        model.play(plain.legal_moves(model.last)[0])
        opponent.on_move(now)
        end = time.monotonic() + PATIENCE
        while (generation := opponent.answering(now)) is None:
            opponent.step(now, to_answer=True)
            now += 1e-6
            time.sleep(0.01)
            assert time.monotonic() < end, opponent.trouble
            if number == kill_at and opponent.run.status is not None and opponent.newest >= 0:
                os.kill(opponent.run.status.pid, signal.SIGKILL)
                kill_at = -1
        assert number != kill_at
        generations.append(generation)
        model.seats = (HUMAN, opponent.seat(runs, generation))
        ply = model.play(answer(players, stopper, model).move)
        model.plies[-1] = ply.__class__(ply.before, ply.move, ply.after, notes=(generation_note(generation),))
        opponent.step(now, to_answer=False)
    return model, generations


def answer(players: Players, stopper: Stopper, model: GameModel, plies: int | None = None):  # type: ignore[no-untyped-def]
    count = len(model.plies) if plies is None else plies
    seat, position = model.seats[1], model.position_at(count)
    assert seat.name is not None
    stopper.renew()
    request = SearchRequest(
        Purpose.MOVE, model.number, seat.name, position, model.history[:count], seat.depth, None, model.seed
    )
    return think(players, request, stopper, lambda result: None)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_the_same_seed_and_moves_give_the_same_game_even_after_a_kill(tmp_path: Path) -> None:
    with evolving(tmp_path, "whole") as opponent:
        whole, generations = play(opponent, tmp_path)
        assert generations == [2, 4]
        text = to_pdn(whole, "2026.01.01", None)
    with evolving(tmp_path, "killed") as opponent:
        killed, again = play(opponent, tmp_path, kill_at=1)
    assert again == generations
    assert [ply.move for ply in killed.plies] == [ply.move for ply in whole.plies]
    digests = [[entry.first for entry in Run(tmp_path / name).manifest().entries[:5]] for name in ("whole", "killed")]
    assert digests[0] == digests[1] and len(digests[0]) == 5

    # The record alone leads back to the same moves.
    recorded = read(text).model
    noted = [int(number) for number in re.findall(r"\{Gen (\d+)\}", text)]
    assert noted == generations
    players, stopper = Players(tmp_path), Stopper()
    for number, generation in enumerate(noted):
        recorded.seats, recorded.seed = (
            (HUMAN, EvolvingOpponent(LiveRun, tmp_path / "whole").seat(tmp_path, generation)),
            SEED,
        )
        ply = recorded.plies[2 * number + 1]
        assert answer(players, stopper, recorded, 2 * number + 1).move == ply.move


def play_until_it_evolves_no_further(opponent: EvolvingOpponent) -> None:
    opponent.on_move(0.0)
    end = time.monotonic() + PATIENCE
    while not opponent.trouble:
        opponent.step(0.0, to_answer=True)
        time.sleep(0.01)
        assert time.monotonic() < end


@pytest.mark.check
@pytest.mark.skipif(sys.platform == "win32", reason="limits of files as POSIX has them")
def test_with_a_full_disk_the_last_champion_plays_on(tmp_path: Path) -> None:
    import resource

    with evolving(tmp_path, "one") as opponent:
        model, _ = play(opponent, tmp_path)
        opponent.run.ask(Request.STOP)
        wait_for_end(opponent)
        newest, (limit, most) = opponent.newest, resource.getrlimit(resource.RLIMIT_FSIZE)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, most))  # sessions that start now inherit it
            play_until_it_evolves_no_further(opponent)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
        assert opponent.trouble.startswith("The opponent evolves no further, and its last champion plays on: ")
        assert "File too large" in opponent.trouble and opponent.trouble.count("\n") == 0
        assert opponent.answering(0.0) == newest == Run(tmp_path / "one").manifest().newest
        model.play(plain.legal_moves(model.last)[0])
        model.seats = (HUMAN, opponent.seat(tmp_path, newest))
        assert answer(Players(tmp_path), Stopper(), model).move in plain.legal_moves(model.last)


@pytest.mark.check
def test_of_two_windows_with_the_same_run_one_evolves_it_and_both_play(tmp_path: Path) -> None:
    with evolving(tmp_path, "one") as opponent:
        play(opponent, tmp_path)
        assert status.is_locked(tmp_path / "one")  # its session waits for the next move
        other = EvolvingOpponent(LiveRun, tmp_path / "one", Pace(2))
        while other.newest < opponent.newest:
            other.run.look_now()
            other.run.step(time.monotonic())
        other.owed = other.newest + 10
        play_until_it_evolves_no_further(other)
        assert "is working on this run" in other.trouble
        assert other.answering(0.0) == opponent.newest
        opponent.on_move(0.0)
        end = time.monotonic() + PATIENCE
        while opponent.newest < opponent.owed:
            opponent.step(0.0, to_answer=True)
            time.sleep(0.01)
            assert time.monotonic() < end and not opponent.trouble


@pytest.mark.check
@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_a_session_finishes_what_it_owes_when_its_window_is_gone(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from gui.sessions import launch; import time\n"
        "folder = Path(sys.argv[1])\n"
        "made = launch.start((*sys.argv[2:], '--pause-at=3', '--workers=1'), quiet=True)\n"
        "while not (folder / 'living-1' / 'status.json').exists(): time.sleep(0.02)\n"
        "os._exit(0)\n"
    )
    import subprocess

    new = ("--preset=living", "--name=living-1", f"--runs={tmp_path}", f"--seed={SEED}", *SMALL, "--generations=100")
    subprocess.run([sys.executable, "-c", code, str(tmp_path), *new], check=True, timeout=PATIENCE, cwd=Path.cwd())
    end = time.monotonic() + PATIENCE
    while True:
        there = status.read(tmp_path / "living-1")
        if there is not None and there.state in status.ENDED:
            break
        assert time.monotonic() < end
        time.sleep(0.05)
    assert there.state == status.State.STOPPED and "the end of" in there.reason
    assert Run(tmp_path / "living-1").manifest().newest == 3
