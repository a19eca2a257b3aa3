"""An opponent that evolves during a game: its session, its answers, and its screen. No games are played here."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import main
from evolve.run import status
from evolve.run.status import State
from evolve.strength.elo import RatingEstimate
from game.errors import InputError
from gui.evolving.opponent import (
    FREE,
    MOST_AHEAD,
    PATIENCE_SECONDS,
    REST_SECONDS,
    TRIES,
    Beginning,
    EvolvingOpponent,
    Pace,
)
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.rating.measuring import key_of
from gui.runs.live_run import LiveRun
from gui.screens.play.evolving import Evolving, new_game, with_measured
from gui.screens.play.play import Play
from gui.widgets.base import by_id
from gui.widgets.plot import Curve
from tests.gui.counts import controls, words
from tests.gui.hands import Hands, Opened
from tests.gui.session_folder import RatedFolder, SessionFolder, Starts


class Process:
    running = True
    trouble = ""
    pid = 4711


@pytest.fixture
def process(starts: Starts) -> Process:
    starts.process = Process()  # type: ignore[assignment]
    return starts.process  # type: ignore[return-value]


@pytest.fixture
def folder(tmp_path: Path, process: Process) -> SessionFolder:
    """The folder of a run whose session runs, with generations 0 to 4."""
    made = SessionFolder(tmp_path / "runs" / "living-1", 5, last=10**6)
    made.say(State.RUNNING, pid=process.pid)
    return made


@pytest.fixture
def opponent(folder: SessionFolder) -> EvolvingOpponent:
    made = EvolvingOpponent(LiveRun, folder.path)
    made.on_input(0.0)
    return made


def test_generations_are_owed_for_each_move(opponent: EvolvingOpponent) -> None:
    assert opponent.allowed(1.0, to_answer=False) == 6  # two of eight are left for the time after the move
    opponent.on_move(2.0)
    assert opponent.owed == opponent.allowed(2.0, to_answer=True) == 8
    assert opponent.allowed(3.0, to_answer=False) == 14
    opponent.pace = Pace(32)
    opponent.on_move(4.0)
    assert (opponent.owed, opponent.allowed(4.0, to_answer=False)) == (40, 70)
    opponent.pace = Pace(2, beside=False)
    assert opponent.allowed(5.0, to_answer=False) == 40


def test_a_free_pace_ends_with_the_persons_thinking(opponent: EvolvingOpponent) -> None:
    opponent.pace = Pace(FREE)
    opponent.run.read()
    assert opponent.allowed(1.0, to_answer=False) == 4 + MOST_AHEAD
    opponent.on_move(2.0)
    assert opponent.allowed(2.0, to_answer=True) == opponent.answering(2.0) == 4
    assert Pace(FREE, beside=False).ahead(0, 4) == 4 + MOST_AHEAD


def test_generations_beyond_what_is_owed_are_no_credit(opponent: EvolvingOpponent, folder: SessionFolder) -> None:
    while folder.newest < 20:
        folder.complete()
    opponent.run.read()
    opponent.on_move(3.0)
    assert opponent.owed == 28


@pytest.mark.parametrize("shown", [True, False])
def test_it_rests_without_input_and_while_the_window_is_hidden(opponent: EvolvingOpponent, shown: bool) -> None:
    now = 1.0 if not shown else REST_SECONDS
    assert opponent.allowed(now, to_answer=False, shown=shown) == 0
    opponent.on_input(now)
    assert opponent.allowed(now, to_answer=False, shown=True) == 6


def test_it_answers_with_what_it_owes_or_when_patience_ends(opponent: EvolvingOpponent, folder: SessionFolder) -> None:
    opponent.step(0.0, to_answer=False)
    opponent.on_move(10.0)
    assert opponent.answering(10.0) is None
    assert opponent.answering(10.0 + PATIENCE_SECONDS) == 4
    opponent.on_move(20.0)
    while folder.newest < 16:
        folder.complete()
    opponent.step(20.5, to_answer=True)
    assert opponent.answering(20.5) == 16


def test_the_session_learns_once_how_far_it_may_go(
    opponent: EvolvingOpponent, starts: Starts, folder: SessionFolder
) -> None:
    opponent.step(0.0, to_answer=False)  # begins a session, although the run has one: it is not of this window
    assert [call[0] for call in starts.calls] == [f"--resume={folder.path}"]
    assert "--pause-at=6" in starts.calls[0]
    opponent.step(0.5, to_answer=False)
    assert status.take_pause_at(folder.path) is None
    opponent.on_move(1.0)
    opponent.step(1.0, to_answer=True)
    assert status.take_pause_at(folder.path) == 8
    opponent.step(1.1, to_answer=True)
    assert status.take_pause_at(folder.path) is None
    opponent.step(1.2, to_answer=False)
    assert status.take_pause_at(folder.path) == 14
    opponent.leave()
    assert status.take_pause_at(folder.path) == 8


def test_a_session_that_is_killed_begins_again(
    opponent: EvolvingOpponent, starts: Starts, process: Process, folder: SessionFolder
) -> None:
    opponent.step(0.0, to_answer=False)
    process.running = False
    opponent.step(1.0, to_answer=False)
    assert (len(starts.calls), opponent.trouble) == (2, "")
    folder.complete()
    opponent.step(2.0, to_answer=False)
    for second in range(TRIES):
        opponent.step(3.0 + second, to_answer=False)
    assert len(starts.calls) == 1 + TRIES  # the new generation has shown that sessions work


def test_a_session_that_cannot_run_leaves_its_last_champion(
    opponent: EvolvingOpponent, starts: Starts, process: Process
) -> None:
    process.running, process.trouble = False, "living-1: process 12 (running) is working on this run."
    for second in range(10):
        opponent.step(float(second), to_answer=False)
    assert len(starts.calls) == TRIES
    assert opponent.trouble.startswith("The opponent evolves no further, and its last champion plays on: ")
    assert "process 12" in opponent.trouble
    opponent.on_move(20.0)
    assert opponent.answering(20.0) == 4


def test_values_of_a_kept_game_give_the_opponent_again(opponent: EvolvingOpponent) -> None:
    opponent.on_move(1.0)
    opponent.pace = Pace(32, beside=False)
    values = opponent.values()
    assert values["first"]
    again = EvolvingOpponent.of_values(values, LiveRun)
    assert again is not None and (again.run.path, again.pace, again.owed) == (opponent.run.path, opponent.pace, 8)
    assert EvolvingOpponent.of_values({**values, "first": "1" * 64}, LiveRun) is None  # another run of this name
    for wrong in (
        None,
        {},
        {**values, "pace": 7},
        {**values, "owed": -1},
        {**values, "run": 3},
        {**values, "owed": 8.0},
    ):
        assert EvolvingOpponent.of_values(wrong, LiveRun) is None


@pytest.mark.parametrize(
    ("beginning", "why"),
    [
        (Beginning(run="nobody"), "no run"),
        (Beginning(run="first"), "came with the program"),
        pytest.param(Beginning(preset="crownhead"), "does not evolve by games", marks=pytest.mark.needs("learning")),
        (Beginning(preset="livign"), "preset"),
        (Beginning(seed=-1), "seed"),
    ],
)
def test_what_cannot_evolve_is_refused(beginning: Beginning, why: str) -> None:
    from evolve.run.runs import DEFAULT_RUNS

    with pytest.raises(InputError, match=why):
        beginning.check(DEFAULT_RUNS)


def _begin(hands: Hands, model: GameModel, opponent: EvolvingOpponent) -> None:
    hands.app.open(Play(hands.app, model, make_state=partial(Evolving, opponent=opponent)))


@pytest.fixture
def playing(opened: Callable[..., Hands], folder: SessionFolder) -> Hands:
    hands = opened(animation="off")
    opponent = EvolvingOpponent(hands.app.services.sources.live, folder.path)
    hands.app.open(
        Play(hands.app, GameModel((HUMAN, Seat("living-1")), seed=5), make_state=partial(Evolving, opponent=opponent))
    )
    hands.wait(0.2)
    return hands


def _screen(hands: Hands) -> Play:
    screen = hands.app.screen
    assert isinstance(screen, Play)
    return screen


def _opponent(screen: Play) -> EvolvingOpponent:
    assert isinstance(screen.state, Evolving)
    return screen.state.opponent


def _answer(hands: Hands) -> None:
    hands.wait(0.3)
    hands.thinker.answer()
    hands.wait(0.6)


def test_each_answer_comes_from_its_generation_and_says_so(playing: Hands, folder: SessionFolder) -> None:
    screen = _screen(playing)
    screen.play_text("11-15")
    playing.wait(0.3)
    assert not playing.thinker.asked
    while folder.newest < 8:
        folder.complete()
    playing.wait(0.5)
    assert playing.thinker.asked[-1].player.text == "living-1@8"
    _answer(playing)
    assert screen.model.plies[-1].notes == (("comment", "Gen 8"),)
    assert screen.model.person_to_move
    screen.play_text("9-13")
    playing.wait(PATIENCE_SECONDS + 0.3)  # nothing new comes
    assert playing.thinker.asked[-1].player.text == "living-1@8"


def test_the_first_generation_is_awaited_with_progress(opened: Opened, tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "runs" / "living-1")
    folder.say(State.RUNNING, phase="compiling search, 2 of 6")
    hands = opened()
    opponent = EvolvingOpponent(hands.app.services.sources.live, folder.path)
    hands.app.open(
        Play(hands.app, GameModel((HUMAN, Seat("living-1")), seed=5), make_state=partial(Evolving, opponent=opponent))
    )
    hands.until(lambda: "headline" in hands.keys)
    assert hands.widget("headline").text == "It is compiling search, 2 of 6."
    assert hands.widget("status").share == 1 / 6


def test_the_game_says_which_generation_is_played_in_few_words(opened: Opened, tmp_path: Path) -> None:
    folder = RatedFolder(tmp_path / "runs" / "living-1", [(-900.0, -1200.0, -800.0, 1)] * 20, 1)
    folder.say(State.RUNNING)
    hands = opened()
    opponent = EvolvingOpponent(hands.app.services.sources.live, folder.path)
    hands.app.open(
        Play(hands.app, GameModel((HUMAN, Seat("living-1")), seed=5), make_state=partial(Evolving, opponent=opponent))
    )
    hands.until(lambda: "headline" in hands.keys)
    assert hands.widget("headline").text == "Generation 0 comes with your next move."
    _screen(hands).play_text("11-15")
    while folder.newest < 8:
        folder.complete()
    hands.wait(0.5)
    _answer(hands)
    assert hands.widget("headline").text == "It evolves while you think."
    assert hands.widget("strip1").name == "Generation 8"
    while folder.newest < 14:
        folder.complete()
    hands.wait(0.5)
    assert hands.widget("headline").text == "Generation 14 comes with your next move."
    assert 0 < controls(hands) <= 15 and 0 < words(hands) <= 40


WRONG = (
    ("play --pace 8", "only together with --evolving"),
    ("play --seed 8", "only together with --evolving"),
    ("play --evolving --fen B:W21:B1", "not together with PLAYER, --fen"),
    ("play --evolving living-1 --seed 3", "the run keeps its own"),
    ("play --evolving nobody", "no run"),
    ("play --evolving first", "came with the program"),
    ("play --evolving --preset livign", "livign"),
    ("play --evolving --preset policy", "does not evolve by games"),
    ("play --evolving --seed -1", "--seed: expected"),
    ("evolve --pause-at -1", "--pause-at: expected"),
    ("evolve --pause-at 4 --minutes 3", "the time of pauses is unknown"),
)


def test_a_game_that_begins_while_another_session_starts_has_a_run_of_its_own(opened: Opened) -> None:
    hands = opened()
    names = [_opponent(new_game(hands.app)).run.name for _ in range(2)]  # the first run has no folder yet
    assert names == ["living-1", "living-2"]
    mark, then = hands.app.services.runs / ".living-1.begun", time.time() - 1000
    os.utime(mark, (then, then))  # its session has failed since
    assert _opponent(new_game(hands.app)).run.name == "living-1"


@pytest.mark.needs("learning")
def test_wrong_commands_say_why_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for command, why in WRONG:
        assert main.main(command.split()) == 2, command
        output = capsys.readouterr()
        assert output.out == "" and output.err.count("\n") == 1 and why in output.err, (command, output.err)


def test_the_end_says_how_far_it_came_and_offers_what_comes_next(playing: Hands, folder: SessionFolder) -> None:
    screen = _screen(playing)
    screen.play_text("11-15")
    playing.wait(PATIENCE_SECONDS + 0.5)
    _answer(playing)
    measuring = playing.app.services.measuring
    asked: list[str] = []
    measuring.begin = lambda key, player: asked.append(player)  # type: ignore[method-assign]
    screen.table.resign()
    playing.wait(1.0)
    assert asked == ["living-1@4,tablebase=no"]  # once
    label = playing.widget("how-far").text
    assert label == "Generation 4 beat you."
    commands = by_id(screen.commands())
    assert commands["rematch"].enabled and commands["first-last"].enabled and not commands["play-champion"].enabled
    run = _opponent(screen).run
    measuring.measured.keep(key_of(run, 4), RatingEstimate(100.0, 60.0, 140.0))
    playing.wait(1.2)
    playing.app.redraw()
    playing.wait(0.1)
    assert by_id(screen.commands())["play-champion"].enabled
    assert playing.widget("how-far").text == "Generation 4 beat you, rated 1600."
    assert playing.widget("how-far").hint.startswith("95 %: 1560 to 1640.")
    owed = _opponent(screen).owed
    playing.key("r")
    assert not screen.model.over and not screen.model.plies and _opponent(screen).owed == owed


def test_a_measured_rating_takes_the_place_of_the_estimate_in_the_curve() -> None:
    curve = with_measured(
        Curve([1000.0, 1630.0], low=[None, 1500.0], high=[None, None], sparse=True), 1, (212, 180, 246)
    )
    assert (curve.values, curve.low, curve.high) == ([1000.0, 1712.0], [None, 1680.0], [None, 1746.0])
    endless = with_measured(Curve([None], low=[None], high=[None]), 0, (math.inf, 180, math.inf))
    assert (endless.values, endless.low, endless.high) == ([None], [1680.0], [None])


def test_a_kept_game_comes_back_with_its_opponent(playing: Hands) -> None:
    screen = _screen(playing)
    opponent = _opponent(screen)
    screen.play_text("11-15")
    playing.wait(0.2)
    playing.key("escape")
    playing.wait(3.0)
    playing.key("c")
    again = _screen(playing)
    assert again is not screen and _opponent(again).owed == opponent.owed == 8
    assert _opponent(again).run.path == opponent.run.path


def test_a_kept_game_finds_its_run_by_another_name(playing: Hands, folder: SessionFolder) -> None:
    _screen(playing).play_text("11-15")
    playing.wait(0.2)
    playing.key("escape")
    folder.path.rename(folder.path.with_name("bright"))
    playing.wait(3.0)
    playing.key("c")
    assert _opponent(_screen(playing)).run.path == folder.path.with_name("bright")


def test_a_kept_game_whose_run_is_gone_can_only_be_viewed(
    playing: Hands, folder: SessionFolder, tmp_path: Path
) -> None:
    _screen(playing).play_text("11-15")
    playing.wait(0.2)
    playing.key("escape")
    folder.path.rename(tmp_path / "elsewhere")
    playing.wait(3.0)
    playing.key("c")
    assert not isinstance(playing.state, Evolving)
    assert "can only be viewed" in playing.app.notice
    playing.wait(1.0)
    assert not playing.thinker.asked


def test_a_game_without_any_champion_ends_when_no_session_can_run(
    opened: Callable[..., Hands], process: Process
) -> None:
    process.running, process.trouble = False, "No space left on device."
    hands = opened(animation="off")
    opponent = EvolvingOpponent(hands.app.services.sources.live, hands.app.services.runs / "new")
    hands.app.open(
        Play(hands.app, GameModel((HUMAN, Seat("material"))), make_state=partial(Evolving, opponent=opponent))
    )
    _screen(hands).play_text("11-15")
    hands.wait(3.0)
    ending = _screen(hands).model.ending
    assert ending is not None and ending.detail == "The opponent cannot evolve: No space left on device."


def test_the_pace_is_chosen_in_a_menu_and_kept(playing: Hands) -> None:
    screen = _screen(playing)
    by_id(screen.commands())["pace"].run()
    playing.key("3")
    assert _opponent(screen).pace == Pace(32)
    by_id(screen.commands())["pace"].run()
    playing.key("4")
    assert _opponent(screen).pace == Pace(FREE)
    assert Pace.last(playing.app.services.store) == Pace(FREE)
