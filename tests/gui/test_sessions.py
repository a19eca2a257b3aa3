"""Sessions and states of runs without drawing: growing files, states, and forms."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.run import status
from evolve.run.append_only import Tail
from evolve.run.folder import Run
from evolve.run.status import GOING, UNREPORTED, Request, State
from gui.individuals.individual import ListedPlayer
from gui.individuals.shelves import Offer
from gui.runs.live_run import LiveRun
from gui.runs.session_state import ICONS, describe_session, rating_text
from gui.runs.sources import Sources
from gui.screens.sessions.session import SessionScreen
from gui.sessions.boards import END_SECONDS, MOVE_SECONDS, Replay
from gui.sessions.form import Form
from tests.gui.hands import Opened
from tests.gui.session_folder import SessionFolder
from tests.synthetic import make_run


def looked(followed: LiveRun, now: float = 0.0) -> LiveRun:
    followed.look_now()
    while followed.step(now) and followed.busy:
        pass
    return followed


def listed(path: Path) -> LiveRun:
    run = LiveRun(path)
    run.refresh(0.0)
    run.refresh(1.0)
    return run


def lines(tail: Tail, most: int = 1 << 19) -> list[bytes]:
    results: list[bytes] = []
    while True:
        news = tail.read(most)
        results += [line for _, line in news.lines]
        if not news.more:
            return results


def test_a_growing_file_is_read_once_and_only_in_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = Tail(path)
    assert lines(tail) == []
    path.write_bytes(b"one\ntw")
    assert lines(tail) == [b"one\n"]
    assert lines(tail) == []
    with open(path, "ab") as file:
        file.write(b"o\nthree\n")
    assert lines(tail) == [b"two\n", b"three\n"]


def test_cut_file_that_grew_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo\nthree\n")
    tail = Tail(path)
    lines(tail)
    path.write_bytes(b"one\n2\n3\n4 is longer than what was there before\n")
    news = tail.read()
    assert news.anew
    assert [line for _, line in news.lines][1] == b"2\n"
    path.unlink()
    assert tail.read().anew
    assert not tail.read().anew


def test_a_run_that_is_written_while_it_is_read(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run")
    followed = looked(LiveRun(folder.path))
    assert (followed.newest, followed.state) == (-1, "stopped")
    for number in range(4):
        folder.complete()
        line = folder.log_line(number + 1)
        folder.append("log.csv", line[:7])  # the next one is being written
        folder.say(State.RUNNING)
        looked(followed, number)
        assert followed.champions == [f"Gen{n:02d}_0001" for n in range(number + 1)]
        assert followed.column("best_points") == [30.0 + n for n in range(number + 1)]
        assert followed.games_of(number).count("[Event ") == 2
        assert len(followed.hall) == number + 1
        log = folder.path / "log.csv"
        log.write_bytes(log.read_bytes()[:-7])
    assert followed.state == "running"
    assert followed.trouble == ""
    assert followed.work == 400
    assert followed.seconds == 10.0
    assert (followed.last, followed.seconds_left) == (9, 2.5 * (9 - 3))
    folder.say(State.RUNNING, left=4.0)
    looked(followed, 5.0)
    assert (followed.last, followed.seconds_left) == (-1, 4.0)
    folder.say(State.RUNNING, left=400.0)
    looked(followed, 6.0)
    assert (followed.last, followed.seconds_left) == (-1, 400.0)  # whatever the last ten took: later ones are deeper
    assert followed.interval("rating") is None


def test_a_run_that_was_taken_back_is_shown_as_it_is(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 5)
    followed = looked(LiveRun(folder.path))
    for name in ("log.csv", "hall_of_fame.csv", "champions.pdn"):
        (folder.path / name).unlink()
    folder.newest = -1
    folder.complete()
    looked(followed, 1.0)
    assert followed.newest == 0
    assert followed.games_of(3) == ""


@pytest.mark.parametrize(
    ("name", "damage", "text"),
    [
        ("log.csv", lambda data: data.replace(b"2,Gen02", b"7,Gen07"), "log.csv, line 4: damaged"),
        ("log.csv", lambda data: data.replace(b"32,20.5", b"x,20.5"), "log.csv, line 4: damaged"),
        ("log.csv", lambda data: b"\xff\xfe\x00 nothing\n", "log.csv, line 1: column generation is missing"),
        ("hall_of_fame.csv", lambda data: data.replace(b"2,Gen02", b"9,Gen02"), "hall_of_fame.csv, line 4: damaged"),
    ],
)
def test_damage_is_reported_with_file_and_line(
    tmp_path: Path, name: str, damage: Callable[[bytes], bytes], text: str
) -> None:
    folder = SessionFolder(tmp_path / "run", 5)
    path = folder.path / name
    path.write_bytes(damage(path.read_bytes()))
    followed = looked(LiveRun(folder.path))
    assert followed.trouble.startswith(text)


def test_ratings_are_shown_where_the_log_has_them(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 3)
    log = folder.path / "log.csv"
    log.write_bytes(log.read_bytes().replace(b",,,,2.5\n", b",150,100.5,200,2.5\n", 1))
    interval = looked(LiveRun(folder.path)).interval("rating")
    assert interval is not None
    assert [column[0] for column in interval] == [150.0, 100.5, 200.0]
    assert math.isnan(interval[0][2])


@pytest.mark.parametrize(
    ("state", "head"),
    [
        (State.RUNNING, "Running"), (State.PAUSED, "Paused"), (State.STOPPING, "Stopping"),
        (State.STOPPED, "Stopped"), (State.FAILED, "Failed"), (State.DONE, "Done"),
    ],
)  # fmt: skip
def test_state_is_that_of_the_session(tmp_path: Path, state: State, head: str) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(state)
    followed = looked(LiveRun(folder.path))
    assert (followed.state, describe_session(followed, 0.0).head) == (state.value, head)
    assert followed.going == (head in ("Running", "Paused", "Stopping"))
    assert (listed(folder.path).state, listed(folder.path).last) == (head.lower(), folder.last)


def test_why_a_session_stopped_is_shown_after_it_was_reopened(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    status.write(folder.path, status.now(State.STOPPED, os.getpid(), 1, 9, 200, reason="SIGTERM"))
    state = describe_session(looked(LiveRun(folder.path)), 0.0)
    assert state.text == "It is complete to generation 1. Ended by SIGTERM."


def test_an_old_heartbeat_with_the_lock_free_means_killed(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.RUNNING, ago=60.0, pid=4711)
    with folder.locked():
        pass  # the lock file remains
    followed = looked(LiveRun(folder.path))
    shown = describe_session(followed, 0.0)
    assert (followed.state, shown.head, followed.going) == ("interrupted", "Interrupted", False)
    assert "4711" in shown.text
    assert "omplete to generation 1" in shown.text
    assert listed(folder.path).state == "interrupted"


def test_a_session_that_is_silent_but_has_the_run_is_not_called_dead(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.RUNNING, ago=60.0)
    with folder.locked():
        followed = looked(LiveRun(folder.path))
        assert followed.state == "running"
        assert "No sign of life for 1 min" in describe_session(followed, 0.0).text


def test_a_clock_that_was_put_back_does_not_hide_a_kill(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.RUNNING, ago=-3600.0)
    assert looked(LiveRun(folder.path)).state == "interrupted"


def test_a_new_session_on_an_ended_run_is_starting(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.STOPPED, ago=60.0)
    with folder.locked():
        followed = looked(LiveRun(folder.path))
        assert describe_session(followed, 0.0).head == "Starting"
    assert looked(followed, 5.0).state == "stopped"
    folder.say(State.STOPPED)
    with folder.locked():  # by the session that has just said so
        assert describe_session(looked(followed, 5.2), 5.2).head == "Stopped"
        assert describe_session(looked(followed, 10.0), 10.0).head == "Starting"


def test_the_generation_that_is_played_comes_after_the_newest(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.RUNNING)
    for _ in range(4):
        folder.complete()
    folder.say(State.STOPPING)
    assert describe_session(looked(LiveRun(folder.path)), 0.0).text == "Generation 6 is finished first."
    folder.say(State.RUNNING)
    for _ in range(4):
        folder.complete()
    folder.say(State.STOPPING)
    assert describe_session(looked(LiveRun(folder.path)), 0.0).text == f"Generation {folder.last} is finished first."


def test_other_work_is_reported_for_its_generation(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 0)
    folder.say(State.RUNNING, work="own games: 450 of 1,500")
    assert describe_session(looked(LiveRun(folder.path)), 0.0).text == "Generation 0, own games: 450 of 1,500."
    folder.complete()
    assert describe_session(looked(LiveRun(folder.path)), 0.0).text == "100 games, 22 s left."


def test_a_request_is_shown_until_it_is_taken(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.RUNNING)
    followed = looked(LiveRun(folder.path))
    assert followed.ask(Request.PAUSE) == ""
    looked(followed, 0.1)
    assert followed.requests == ("pause",)
    assert followed.state == "running"
    assert "asked to pause; no answer yet" in describe_session(followed, 0.1).text
    (folder.path / "control" / "pause").unlink()
    folder.say(State.PAUSED)
    looked(followed, 0.2)
    assert (followed.requests, followed.state) == ((), "paused")


def test_unchanged_session_is_not_drawn(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.DONE)
    followed = looked(LiveRun(folder.path))
    assert not any(followed.step(now / 4) for now in range(1, 60))


def test_ratings_beyond_all_measure() -> None:
    nan, beyond = math.nan, math.inf
    pairs = ((-93.4, -400.0), (nan, nan), (beyond, -341.2), (beyond, nan), (-beyond, nan))
    assert [rating_text(*pair) for pair in pairs] == [
        "1407", "", "> 1159", "won all", "lost all",
    ]  # fmt: skip


def test_games_are_replayed_one_after_the_other(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 1)
    replay = Replay()
    replay.show(looked(LiveRun(folder.path)).games_of(0))
    assert (replay.count, replay.number, len(replay.pieces)) == (2, 0, 24)
    now, seen = 0.0, []
    while replay.number == 0:
        if replay.tick(now):
            seen.append(replay.last_move)
        now += MOVE_SECONDS / 2
    assert seen[:3] == [(11, 15), (23, 19), (9, 14)]
    assert now < 8 * MOVE_SECONDS + END_SECONDS
    replay.playing = False
    assert not replay.tick(now + 100)
    replay.show("")
    assert (len(replay.pieces), replay.caption) == (24, "No recorded games")  # the start


def test_unreadable_recorded_game_is_reported() -> None:
    replay = Replay()
    replay.show('[Event "x"]\n[Black "a"]\n\n1. 11-40 *\n\n')
    assert replay.trouble
    for now in range(20):
        replay.tick(float(now))


def test_a_generation_is_complete_once_the_manifest_has_it(tmp_path: Path) -> None:
    run = make_run(tmp_path, "killed", 3)
    whole = run.manifest()
    whole.up_to(2).write(run.path)  # as a kill between log and manifest leaves the folder
    followed = looked(LiveRun(run.path))
    assert (followed.newest, followed.column("games")) == (2, [200.0] * 3)
    assert not followed.step(1.0)
    whole.write(run.path)
    assert followed.step(2.0)
    assert followed.newest == 3
    (run.path / "manifest.csv").write_bytes(b"rubbish")
    assert looked(LiveRun(run.path)).newest == 3
    (run.path / "manifest.csv").unlink()  # as a kill in generation 0 leaves the folder
    assert looked(LiveRun(run.path)).newest == -1


def test_a_run_and_its_generations_have_sentences_about_beaten_levels(tmp_path: Path) -> None:
    followed = looked(LiveRun(make_run(tmp_path, "rated", 3, rated=True).path))
    assert followed.verdict is not None and followed.verdict.text == "generation 0 beats Club"
    said = [followed.verdict_at(generation) for generation in (-1, 0, 1, 3, 4)]
    assert said == ["", "Beats Club.", "Generation 0 beat Club.", "Generation 0 beat Club.", ""]
    assert looked(LiveRun(make_run(tmp_path, "unrated", 1).path)).verdict is None


def test_mistakes_are_reported_together(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    form = Form()
    form.values |= {"name": "taken", "generations": "many", "seed": "-1", "workers": "0", "network": "nobody"}
    form.settings = {"population.parents": "q", "population.parentz": "3", "nothing": "3"}
    wrong = form.check(tmp_path).wrong
    assert wrong.pop("population.parentz") == "population.parentz: unknown key, did you mean population.parents?"
    assert set(wrong) == {"name", "generations", "seed", "workers", "network", "population.parents", "nothing"}
    assert "already" in wrong["name"]
    assert "2 to 65536" in wrong["population.parents"]
    assert "unknown key" in wrong["nothing"]


@pytest.mark.parametrize("name", ["random", "ends "])
def test_names_that_no_run_may_have(tmp_path: Path, name: str) -> None:
    form = Form()
    form.values["name"] = name
    assert ("name" in form.check(tmp_path).wrong) == (name != "ends ")  # spaces around the value are removed


def test_form_and_command_line_agree(tmp_path: Path) -> None:
    import main

    form = Form()
    form.values |= {"generations": "4", "seed": "7", "workers": "1", "network": "blondie-1741", "preset": "league"}
    form.settings = {"population.parents": " 8", "games.swap": " "}
    checked = form.check(tmp_path)
    assert checked.wrong == {}
    options = main.build_parser().parse_args(["evolve", *checked.arguments])
    assert (options.out, options.name, options.preset) == (tmp_path, "league-1", "league")
    assert (options.generations, options.seed, options.workers) == (4, 7, 1)
    assert (options.network, options.settings) == ("blondie-1741", ["population.parents=8"])


def test_the_list_of_runs_and_the_first_screen_call_a_state_the_same(tmp_path: Path) -> None:
    """There is one vocabulary (`State`), with one icon for each state."""
    runs = Sources(tmp_path)
    folders = {state: SessionFolder(tmp_path / state.value, 1) for state in sorted(set(State) - set(UNREPORTED))}
    with contextlib.ExitStack() as stack:
        for state, folder in folders.items():
            folder.say(state)
            if state in GOING:
                stack.enter_context(folder.locked())
        list(runs.look(0.0))
        result = {source.name: source for source in runs.runs}
        for state, folder in folders.items():
            source = result[state.value]
            assert Run(folder.path).state()[0] == source.state
            assert (source.state, source.live) == (state.value, state in GOING)
            live = runs.live(folder.path)
            assert live.state == state.value
            icon = Offer(ListedPlayer.of_player(""), source.name, source=source).icon
            assert icon == (ICONS[state.value] if source.live else "evolution")
    assert set(ICONS) == set(State)


def test_compiling_and_reasons_of_failure_are_shown(tmp_path: Path) -> None:
    """A window that did not start the session reports them too, even long afterwards."""
    folder = SessionFolder(tmp_path / "run")
    folder.say(State.RUNNING, phase="compiling games, 3 of 4")
    followed = looked(LiveRun(folder.path))
    assert (followed.state, followed.going, listed(folder.path).state) == ("starting", True, "starting")
    text = "Compiling games, 3 of 4 (only the first time)."
    assert describe_session(followed, 0.0).text == text
    folder.complete()
    folder.say(State.FAILED, ago=1e6, reason=f"{folder.path}/generation_0001.csv: No space left on device")
    followed = looked(LiveRun(folder.path))
    shown = describe_session(followed, 0.0)
    assert (followed.state, shown.head, followed.going) == ("failed", "Failed", False)
    assert listed(folder.path).state == "failed"
    assert shown.text == f"{folder.path}/generation_0001.csv: No space left on device. It is complete to generation 0."


def test_a_pause_is_in_a_generation_or_after_one(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    folder.say(State.PAUSED)  # says generation 1, and that is complete
    assert describe_session(looked(LiveRun(folder.path)), 0.0).text == "After generation 1; nothing is lost."
    status.write(folder.path, status.now(State.PAUSED, os.getpid(), 2, 9, 200))
    assert describe_session(looked(LiveRun(folder.path)), 0.0).text == "In generation 2; nothing is lost."


def test_a_cluster_that_plays_is_named(tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "run", 2)
    status.write(folder.path, status.now(State.RUNNING, os.getpid(), 2, 9, 200, cluster="tls://10.0.0.1:8786"))
    text = "200 games, 20 s left. Games are played on tls://10.0.0.1:8786."
    assert describe_session(looked(LiveRun(folder.path)), 0.0).text == text


def test_compiling_session_takes_requests(opened: Opened, tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "runs" / "demo")
    folder.say(State.RUNNING, phase="compiling games, 3 of 4")
    hands = opened()
    hands.app.open(SessionScreen(hands.app, folder.path))
    hands.wait(0.5)
    assert hands.words[0] == "Starting"
    hands.key("<pause>")
    hands.key("<stop>", "return")
    assert {path.name for path in (folder.path / "control").iterdir()} == {"pause", "stop-after-generation"}
