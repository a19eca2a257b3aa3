"""The session screen, and the form that starts a session, by posted events."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from evolve.run import status
from evolve.run.folder import LOOP, Run
from evolve.run.status import Request, State
from gui.geometry import Rect
from gui.look.canvas import Fonts, Look
from gui.look.theme import LIGHT
from gui.runs.live_run import LiveRun
from gui.screens.dialogs.dialog import Dialog
from gui.screens.play.play import Play
from gui.screens.play.watching import Watching
from gui.screens.sessions.panels import ThenAndNow
from gui.screens.sessions.session import SessionScreen
from gui.thinking.messages import SideResult
from gui.widgets.arena import LEAST_BOARDS
from tests.gui.hands import Hands, Opened
from tests.gui.scenes.made_up import arena_games
from tests.gui.session_folder import RatedFolder, SessionFolder, Starts
from tests.synthetic import make_run


@pytest.fixture
def folder(tmp_path: Path) -> SessionFolder:
    return SessionFolder(tmp_path / "runs" / "demo", 5)


def watched(opened: Opened, folder: SessionFolder, **more: Any) -> tuple[Hands, SessionScreen]:
    hands = opened(**more)
    screen = SessionScreen(hands.app, folder.path)
    hands.app.open(screen)
    hands.wait(0.5)
    assert hands.app.screen is screen
    return hands, screen


def asked(folder: SessionFolder) -> set[str]:
    control = folder.path / "control"
    return {path.name for path in control.iterdir()} if control.is_dir() else set()


def test_the_end_shows_the_champion(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.RUNNING)
    hands, _ = watched(opened, folder)
    assert "do.why" not in hands.keys
    folder.say(State.DONE)
    hands.until(lambda: hands.words[0] == "Generation 4 is the champion")
    assert hands.words[1] == "500 games, 12 s."
    buttons = [hands.widget(f"do.{name}") for name in ("play", "watch", "why", "send", "resume")]
    assert [each.text for each in buttons] == ["Play it", "Watch", "Why it is good", "Share", "Evolve on"]
    assert len({each.rect.y for each in buttons}) == 1
    assert hands.widget("do.play").kind == "main" and hands.widget("do.resume").kind == "plain"
    hands.click("do.watch")
    assert [seat.title for seat in hands.game.model.seats] == ["Generation 4 of demo", "Generation 0 of demo"]
    hands.key("escape", "i")
    assert isinstance(hands.state, Watching) and hands.game.settings.worth
    hands.key("i")
    assert not hands.app.screen.settings.worth
    hands.key("escape", "i")
    assert hands.game.settings.worth and not hands.app.services.settings.worth  # nowhere else
    hands.key("escape")
    hands.click("do.play")
    assert "Generation 4 of demo" in [seat.title for seat in hands.game.model.seats]


def test_the_end_names_what_the_champions_beat(opened: Opened, folder: SessionFolder) -> None:
    log = (folder.path / "log.csv").read_text().replace(",,,,2.5", ",500,400,600,2.5")
    (folder.path / "log.csv").write_text(log)
    folder.say(State.DONE)
    hands, _ = watched(opened, folder)
    assert hands.words[0] == "Generation 4 is above Expert"


@pytest.mark.parametrize(("state", "wins"), [(State.DONE, True), (State.RUNNING, False)])
def test_then_and_now_are_compared_when_the_games_of_the_newest_are_over(
    opened: Opened, folder: SessionFolder, state: State, wins: bool
) -> None:
    """A game of generation 0 is beside one of the champion; both are played once."""
    if wins:
        recorded = (folder.path / "champions.pdn").read_text().replace(" *\n\n", " 1-0\n\n").replace('"*"', '"1-0"')
        (folder.path / "champions.pdn").write_text(recorded)
    folder.say(state)
    hands, screen = watched(opened, folder)
    hands.until(lambda: hands.thinker.asked_work)
    request = hands.thinker.asked_work[-1]
    hands.thinker.done[request] = SideResult(request, arena_games(4))
    hands.until(lambda: screen.spectacle.arena.moves)
    assert "then" not in hands.keys
    hands.until(lambda: "then" in hands.keys, 120.0)
    assert [hands.widget(key).text for key in ("then", "now")] == ["Then", "Now"]
    results = [hands.widget(f"{key}.result").text for key in ("then", "now")]
    assert results == [f"Generation {number}{' wins' * wins}" for number in (0, 4)]
    assert hands.widget("now.board").hint.startswith("Generation 4 of demo – Other")
    assert len(hands.widget("then.board").pieces) == 24
    hands.until(lambda: all(board.model is not None and board.model.at_end for board in screen.games.boards))
    assert dict(hands.widget("then.board").pieces) == dict(hands.widget("now.board").pieces) != {}
    before = hands.app.frames
    hands.wait(3.0)
    assert hands.app.frames == before  # it rests
    hands.key("left")
    assert "then" not in hands.keys


def test_a_session_that_was_stopped_goes_on_first(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.STOPPED)
    hands, _ = watched(opened, folder)
    assert hands.words[0] == "Stopped" and hands.widget("do.play").kind == "plain"
    assert hands.widget("do.resume").kind == "main"


def test_new_generations_appear_during_a_session(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.RUNNING)
    hands, screen = watched(opened, folder)
    assert hands.words == ("Generation 4 of 9", "500 games, 12 s left.")
    assert hands.widget("status").share == 4 / 9
    assert (screen.newest, screen.generation, screen.follows) == (4, 4, True)
    assert hands.widget("champion").text == "Generation 4"
    folder.complete()
    folder.say(State.RUNNING)
    hands.wait(0.5)
    assert (screen.newest, screen.generation) == (5, 5)
    assert hands.widget("champion").text == "Generation 5"
    assert hands.widget("hall").count == 6
    hands.key("left")
    folder.complete()
    hands.wait(0.5)
    assert (screen.newest, screen.generation) == (6, 4)  # looking back is not interrupted
    hands.key("end")
    assert screen.follows


@pytest.mark.needs("weights")
def test_one_slider_drives_every_part(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.DONE)
    hands, screen = watched(opened, folder)
    hands.click("slider")
    middle = screen.generation
    assert 0 < middle < 4
    assert hands.widget("hall").selected == 4 - middle
    shown = hands.widget("kernels").pictures
    hands.key("home")
    hands.wait(0.2)
    assert hands.widget("kernels").pictures[0].rows != shown[0].rows
    assert screen.generation == 0


def test_while_it_plays_through_a_board_shows_recorded_games(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.DONE)
    hands, screen = watched(opened, folder)
    plies = []
    hands.key("space")
    while screen.moving:
        hands.wait(0.1)
        if screen.in_film and screen.replay.model is not None:
            assert "arena" not in hands.keys and hands.board.pieces == screen.replay.pieces
            plies.append(screen.replay.model.cursor)
    assert plies[0] == 0 and plies == sorted(plies) and plies[-1] >= 2  # the game goes on from one to the next
    hands.wait(0.5)
    assert "arena" in hands.keys and "board" not in hands.keys


def test_playing_through_takes_twenty_seconds_however_long_the_run(
    opened: Opened, folder: SessionFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.say(State.DONE)
    hands, screen = watched(opened, folder)
    monkeypatch.setattr(type(screen), "newest", 1000)
    monkeypatch.setattr(screen.spectacle, "tick", lambda now, generation: False)
    monkeypatch.setattr(screen, "view", lambda size, look: [])
    screen._toggle_moving()
    start, steps = screen.now, 0
    while screen.moving:
        hands.wait(0.1)
        steps += 1
        assert abs(screen.generation - (screen.now - start) * 50) <= 30
        assert steps < 250
    assert 18 <= screen.now - start <= 21
    assert screen.generation == 1000


def test_only_what_fits_the_state_is_offered(opened: Opened, folder: SessionFolder) -> None:
    def offered() -> list[str]:
        return [hands.widget(f"do.{name}").text for name in names if f"do.{name}" in {w.key for w in hands.app.view()}]

    names = ("pause", "stop", "resume")
    folder.say(State.RUNNING)
    hands, _ = watched(opened, folder)
    assert offered() == ["Pause", "Stop"]
    folder.say(State.PAUSED)
    hands.wait(0.5)
    assert offered() == ["Go on", "Stop"]
    folder.say(State.STOPPED)
    hands.wait(0.5)
    assert offered() == ["Evolve on"]


def test_a_request_is_made_shown_and_seen_to_be_taken(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.RUNNING)
    hands, _ = watched(opened, folder)
    hands.key("<pause>")
    hands.wait(0.5)
    assert asked(folder) == {"pause"}
    assert "asked to pause" in hands.words[1]
    assert not hands.widget("do.pause").enabled
    (folder.path / "control" / "pause").unlink()
    folder.say(State.PAUSED)
    hands.wait(0.5)
    assert hands.words[0] == "Paused"
    assert f"After generation {folder.newest}; nothing is lost." in hands.words[1]  # which is complete
    hands.click("do.pause")
    hands.wait(0.5)
    assert asked(folder) == {"resume"}


def test_stop_asks_when(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.RUNNING)
    hands, screen = watched(opened, folder)
    hands.key("<stop>")
    assert isinstance(hands.app.screen, Dialog)
    hands.key("escape")
    assert (hands.app.screen, asked(folder)) == (screen, set())
    hands.key("<stop>", "return")
    assert asked(folder) == {Request.STOP_AFTER_GENERATION.value}
    hands.wait(0.5)
    hands.key("<stop>", "return")  # now
    assert asked(folder) == {"stop", "stop-after-generation"}


def test_ended_session_takes_no_requests(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.STOPPED)
    hands, _ = watched(opened, folder)
    hands.key("<pause>", "<stop>")
    assert asked(folder) == set()
    assert not isinstance(hands.app.screen, Dialog)


def test_keys_before_the_first_generation_show_their_reason(opened: Opened, tmp_path: Path) -> None:
    hands, screen = watched(opened, SessionFolder(tmp_path / "runs" / "fresh", 0))
    for key in ("space", "left", "right", "home", "end", "p", "<watch>"):
        hands.app.say("-")
        hands.key(key)
        assert hands.app.notice == "There is no generation yet."
    assert [command.id for command in screen.commands() if command.reason.endswith("is not possible now.")] == []


def test_killed_session_is_reported_and_resumed(opened: Opened, folder: SessionFolder, starts: Starts) -> None:
    folder.say(State.RUNNING, ago=60, pid=4711)
    hands, _ = watched(opened, folder)
    assert hands.words[0] == "Interrupted"
    assert "Process 4711 ended without notice" in hands.words[1]
    assert asked(folder) == set()
    hands.key("c")
    assert starts.calls == [(f"--resume={folder.path}",)]
    folder.say(State.RUNNING)
    hands.wait(0.5)
    assert hands.words[0] == "Generation 4 of 9"


def test_a_run_that_came_with_an_installed_program_is_not_resumed(
    opened: Opened, folder: SessionFolder, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.screens.sessions.session.came_installed", lambda run: run == folder.path)
    folder.say(State.DONE)
    hands, screen = watched(opened, folder)
    hands.key("c")
    assert hands.app.screen is screen
    assert starts.calls == []
    way = f"To continue it as a run of your own: python main.py evolve --branch {folder.path.name}"
    assert hands.app.notice == f"This run came with the program and stays as it is. {way}"


def test_a_run_of_a_users_loop_is_continued_only_by_it(opened: Opened, folder: SessionFolder, starts: Starts) -> None:
    config = folder.path / "config.toml"
    config.write_text(f"{config.read_text(encoding='utf-8')}{LOOP} = true\n", encoding="utf-8")
    assert LOOP in Run(folder.path).check_format()
    folder.say(State.DONE)
    hands, screen = watched(opened, folder)
    why = "A loop of your own made this run, and only that loop can continue it: record('demo', resume=True)"
    assert not hands.widget("do.resume").enabled and hands.widget("do.resume").why == why
    hands.key("c")
    assert (hands.app.screen, hands.app.notice) == (screen, why)
    hands.wait(10)
    folder.say(State.RUNNING)
    hands.wait(0.5)
    enabled = {command.id: command.enabled for command in screen.commands()}
    assert [enabled[name] for name in ("pause", "stop", "resume")] == [False, True, False]
    hands.key("<stop>")
    assert (asked(folder), starts.calls) == ({"stop-after-generation"}, [])


def test_complete_run_is_resumed_to_a_later_generation(opened: Opened, folder: SessionFolder, starts: Starts) -> None:
    folder.say(State.DONE)
    hands, screen = watched(opened, folder)
    hands.app.services.store.set("session_workers", "3")
    hands.click("do.resume")
    assert hands.widget("line").value == "8"
    hands.key("ctrl+a")
    hands.type("4")
    hands.click("take")
    assert hands.widget("wrong").text == "Expected a whole number from 5 to 1,000,000."
    hands.click("line")
    hands.key("ctrl+a")
    hands.type("6")
    hands.click("take")
    assert hands.app.screen is screen
    assert starts.calls == [(f"--resume={folder.path}", "--generations=6", "--workers=3")]


@pytest.mark.parametrize("name", ["log.csv", "hall_of_fame.csv", "champions.pdn", "config.toml", "status.json"])
def test_any_file_may_be_missing_or_senseless(opened: Opened, folder: SessionFolder, name: str) -> None:
    folder.say(State.STOPPED)
    path = folder.path / name
    hands, screen = watched(opened, folder)
    path.unlink()
    hands.wait(0.5)
    path.write_bytes(b"\xff\x00nothing\n" * 20)
    hands.wait(0.5)
    hands.key("left", "home", "end", "<tab>")
    hands.wait(1.0)
    path.unlink()
    path.mkdir()
    hands.wait(0.5)
    assert hands.app.screen is screen
    assert not screen.broken


def test_a_champion_is_played_or_watched(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.DONE)
    hands, _ = watched(opened, folder)
    hands.click_row("hall", 2)
    hands.key("<watch>")
    screen = hands.app.screen
    assert isinstance(screen, Play) and isinstance(screen.state, Watching)
    assert [seat.player for seat in screen.model.seats] == ["demo@2", "demo@4"]
    hands.key("escape")
    hands.click_row("hall", 1, times=2)
    screen = hands.app.screen
    assert isinstance(screen, Play)
    assert "demo@3" in [seat.player for seat in screen.model.seats]
    assert screen.title == "Against Generation 3 of demo"


def test_the_champion_has_the_largest_board_and_its_shield(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.RUNNING)
    hands, screen = watched(opened, folder, size=(1280, 800))
    hands.until(lambda: hands.thinker.asked_work)
    assert not {"champion.emblem", "champion.side"} & set(hands.keys)
    request, games = hands.thinker.asked_work[-1], arena_games(4)
    hands.thinker.done[request] = SideResult(request, replace(games, games=games.games[::-1]))
    hands.until(lambda: screen.spectacle.arena.moves)
    assert hands.widget("champion.side").text == "Champion: White"
    boards, emblem = hands.widget("arena"), hands.widget("champion.emblem").rect
    assert boards.boards[0].position == games.games[0].at(0) and boards.first.bottom < emblem.y
    assert boards.first.w > 2 * LEAST_BOARDS[0] and boards.first.right < boards.rect.x


def test_champions_without_ratings_have_their_shields(opened: Opened, tmp_path: Path) -> None:
    hands = opened()
    hands.app.open(SessionScreen(hands.app, make_run(tmp_path / "runs", "alpha", 2).path))
    hands.until(lambda: hands.widget("hall").count == 3)
    hall = hands.widget("hall")
    assert [column.title for column in hall.columns] == ["Champion"]
    hands.until(lambda: all(hall.cells(row)[0].emblems[0] for row in range(3)), 10.0)


def test_rated_champions_alone_have_rows(opened: Opened, tmp_path: Path) -> None:
    nan = float("nan")
    rows = [(-1000.0, -1300.0, -800.0, 0), (nan, nan, nan, 0), (-900.0, -1200.0, -700.0, 0), *[(nan, nan, nan, 0)] * 2]
    folder = RatedFolder(tmp_path / "runs" / "demo", rows, 5)
    folder.say(State.RUNNING)
    hands, screen = watched(opened, folder, size=(1280, 800))
    hall = hands.widget("hall")
    assert [hall.cells(row)[0].text for row in range(hall.count)] == ["Generation 4", "Generation 2", "Generation 0"]
    screen.pick(3)
    hands.wait(0.2)
    assert hands.widget("hall").selected == 1, "the last rated one before it"
    hands.click_row("hall", 2)
    assert screen.generation == 0


def test_at_the_end_a_game_is_shown_that_a_new_champion_won(folder: SessionFolder) -> None:
    path = folder.path / "champions.pdn"
    games = path.read_text().split("[Event ")
    won = [
        game.replace(" *\n\n", " 1-0\n\n").replace('"*"', '"1-0"') if "generation 2" in game else game for game in games
    ]
    path.write_text("[Event ".join(won))
    run = LiveRun(folder.path)
    while run.read() or run.busy:
        pass
    both = ThenAndNow(run)
    both.tick(0.0, visible=True)
    assert run.newest == 4 and both.numbers == (0, 2)
    labels = {each.key: each for each in both.view(Rect(0, 0, 500, 300), Look(LIGHT, 1.0, Fonts()))}
    assert labels["now"].text == "Lately" and labels["now.result"].text.startswith("Generation 2")


def test_before_the_first_generation_boards_are_set_up_beside_the_progress(opened: Opened, tmp_path: Path) -> None:
    folder = SessionFolder(tmp_path / "runs" / "fresh")
    folder.say(State.RUNNING, phase="compiling search, 3 of 6")
    hands, _ = watched(opened, folder)
    assert hands.words[0] == "Starting" and hands.widget("status").share == 2 / 6
    before = [board.position for board in hands.widget("arena").boards]
    for _ in range(2):
        folder.say(State.RUNNING, phase="compiling search, 3 of 6")  # else it is silent for too long
        hands.wait(1.25)
    after = [board.position for board in hands.widget("arena").boards]
    men = [[sum(words.bit_count() for words in each) for each in boards] for boards in (before, after)]
    assert men[0][0] < 24 and men[1] == [24] * 12, "the boards are set up"
    assert hands.widget("children").text == "Soon the winners have children"
    assert hands.widget("do.pause").kind == "plain"
    assert not {"tabs", "hall", "slider", "do.play", "do.move"} & set(hands.keys)
    folder.say(State.RUNNING)
    hands.wait(0.5)
    assert hands.words[0] == "Generation 0 of 9" and hands.widget("status").share == 0.0
    status.write(folder.path, status.now(State.RUNNING, os.getpid(), 0, 9, 3))
    hands.wait(1.0)
    boards = [sum(words.bit_count() for words in board.position) for board in hands.widget("arena").boards]
    assert max(boards[:3]) < 24 and boards[3:] == [24] * 9, "after three games, three boards are set up again"
    folder.complete()
    hands.wait(0.5)
    assert {"tabs", "hall", "arena", "slider", "do.play", "do.move"} <= set(hands.keys)


def test_in_a_narrow_window_the_parts_are_one_below_the_other(opened: Opened, tmp_path: Path) -> None:
    folder = RatedFolder(tmp_path / "runs" / "demo", [(-1000.0, -1300.0, -800.0, 1)] * 5, 5)
    folder.say(State.RUNNING)
    hands, screen = watched(opened, folder, size=(500, 820))
    tops = [hands.widget(key).rect for key in ("status", "do.pause", "rating", "champion", "tabs", "arena", "slider")]
    assert all(above.bottom <= below.y for above, below in pairwise(tops))
    assert all(hands.widget(key).rect.w > 450 for key in ("status", "rating", "arena")) and "hall" not in hands.keys
    hands.click(hands.widget("tabs").parts()[screen.tabs.index("Champions")].centre)
    assert "hall" in hands.keys and "arena" not in hands.keys


def test_every_state_has_room_in_the_smallest_window(opened: Opened, folder: SessionFolder) -> None:
    folder.say(State.RUNNING, ago=6000, pid=1_234_567)
    hands, _ = watched(opened, folder, size=(800, 600))
    hands.picture()
    assert (hands.words[0], hands.app.cut) == ("Interrupted", [])
    for state in (State.RUNNING, State.PAUSED, State.STOPPING, State.STOPPED, State.DONE):
        folder.say(state)
        for what in ("", "pause", "resume", "stop", "stop-after-generation"):
            (folder.path / "control").mkdir(exist_ok=True)
            if what:
                (folder.path / "control" / what).touch()
            hands.wait(0.5)
            hands.picture()
            assert hands.app.cut == [], hands.words
            if what:
                (folder.path / "control" / what).unlink()
