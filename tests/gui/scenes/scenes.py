"""Pictures of the window: those of the README, and those that tests compare. Needs no display.

    python -m tests.gui.scenes.scenes docs/pictures
    python -m tests.gui.scenes.scenes tests/gui/pictures --size 800x600 --all

Each scene is made anew from fixed data, so the same program gives the same picture.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import evolve.commands.options  # `picture` changes what these two would find if they were loaded in a scene
import evolve.names.players  # noqa: F401
from evolve.run.runs import CHAMPION_RUN, FROZEN_RUN, PEOPLE_RUN
from evolve.run.status import State
from evolve.strength.elo import RatingEstimate
from game import plain
from game.board import Position
from game.endgame.verdict import Verdict
from gui.app import App
from gui.evolving.opponent import EvolvingOpponent, generation_note
from gui.files import FileChooser, FileEntry
from gui.geometry import Size
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.individuals.shelves import EXHIBITS, YOURS
from gui.model.ending import Cause, Ending
from gui.model.game import GameModel
from gui.model.lines import Thought
from gui.model.pdn import PdnIndex, to_pdn
from gui.model.seats import HUMAN, Seat, title_of
from gui.rating.measuring import key_of
from gui.rating.rating import Opponent, level_opponents
from gui.screens.dialogs.files import Files
from gui.screens.home import Home
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.evolving import Evolving
from gui.screens.play.games import GamesScreen
from gui.screens.play.play import Play
from gui.screens.play.review import ReviewScreen
from gui.screens.settings import SettingsScreen
from gui.services import Services
from gui.thinking.messages import Answer, Progress, Reply, SearchRequest
from gui.toolkit import pygame
from gui.widgets.base import by_id
from tests.gui.hands import Recorder, step, surface_of
from tests.gui.scenes.made_up import GAME, Scripted, find, judge
from tests.gui.scenes.run_scenes import SCENES as RUN_SCENES
from tests.gui.scenes.run_scenes import STEP, going_run, until

POPULATIONS = Path(__file__).parents[3] / "populations"

ENDGAME = "W:WK15,20:BK28,12", "15-19 28-32 20-16 32-28 16-11 28-32 19-24 32-28"
"""A game with few pieces; its last two moves throw away a win and a draw."""

VERDICTS = [Verdict(*each) for each in ((1, 81), (-1, 80), (1, 79), (-1, 78), (1, 77), (-1, 76), (1, 75), (0, None))]
"""What tables know of the positions of that game before each move."""

LAST_VERDICTS = {"24-19": Verdict(1, 77), "24-27": Verdict(0, None), "24-20": Verdict(0, None),
                 "11-7": Verdict(-1, 40), "11-8": Verdict(-1, 14)}  # fmt: skip
"""The same of the moves after it, best first."""

SHARES = (0.0, 0.06, 0.0, 0.15, 0.0, 0.11, 0.0, -0.05, 0.0, -0.22, 0.0, -0.08, 0.0, -0.31, 0.0, -0.26, 0.0, 0.1)
CHANGED = datetime.datetime(2026, 5, 17, 14, 30).timestamp()
"""When files were changed, the same in every time zone."""

LEAGUE = POPULATIONS / "crownhead-1"
OPPONENT = Seat(f"{LEAGUE}@40:Gen40_0000", 6, 5.0, title_of("Gen40_0000", "league", 40, 1))
OTHER = Seat(f"{LEAGUE}@10:Gen10_0000", 6, 5.0, title_of("Gen10_0000", "league", 10, 1))


def played(plies: int, seats: tuple[Seat, Seat] = (HUMAN, OPPONENT)) -> GameModel:
    model = GameModel(seats)
    for number, text in enumerate(GAME.split()[:plies]):
        if model.seat.human:
            model.type_move(text)
        else:
            move = next(move for move in plain.legal_moves(model.last) if str(move) == text)
            share = SHARES[number % len(SHARES)]
            model.play(move, Thought(share, 6, f"{share:+.2f}"))
    return model


def _at(fen: str, seats: tuple[Seat, Seat] = (HUMAN, OPPONENT)) -> GameModel:
    return GameModel(seats, Position.from_fen(fen))


def _home(app: App) -> None:
    """The first screen with the levels, and a game that waits."""
    for name in (PEOPLE_RUN, FROZEN_RUN, CHAMPION_RUN):
        shutil.copytree(POPULATIONS / name, app.services.runs / name)
    app.services.opponents._levels.clear()  # looked for before the levels were there
    app.open(Play(app, played(14)))
    app.back()
    date_games(app, NOON)
    settled(app)


def _home_session(app: App) -> None:
    """The first screen while a session is paused."""
    going_run(app, State.PAUSED, time.time())
    _home(app)
    while "do.session" not in {widget.key for widget in app.view()}:
        step(app, 0.25, drawing=False)
        _await_threads(app)  # else the session of the scene could be long over before it is read


def date_games(app: App, when: float) -> None:
    """As if all games had been played then."""
    kept = app.services.kept
    for game in kept.read_all():
        path = kept.path(game)
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"when": when}))


def _kept_games(app: App) -> None:
    """Games that ended in every way, one of which was reviewed."""
    review = {"review": {"summary": {"black": {"opening": 0, "middle game": 2}, "white": {"endgame": 1}}}}
    for number, (seats, result) in enumerate(
        [
            ((HUMAN, OPPONENT), 1),
            ((OTHER, HUMAN), 1),
            ((HUMAN, HUMAN), 0),
            ((OTHER, OPPONENT), -1),
            ((HUMAN, OTHER), None),
        ]
    ):
        model = played(14 + 2 * number, seats)
        if result is not None:
            model.end(Ending(result, Cause.RECORDED))
        app.services.autosave.save(model, review if number == 0 else {"flipped": True})
        app.services.autosave.release()
        date_games(app, NOON)
    app.open(GamesScreen(app))
    settled(app)


def _chooser(app: App, watch: bool = False, shelf: str = YOURS) -> None:
    """Runs that were evolved, each with a game of its champion on its card, and shipped ones."""
    for name in (
        "crownhead-2",
        "cowan-deep",
        "q-learning",
        "first",
        *(["cast", "crownhead-1"] if shelf == EXHIBITS else []),
    ):
        shutil.copytree(POPULATIONS / name, app.services.runs / name)
    runs = ("evening", "first"), ("first-try", "q-learning"), ("league", "crownhead-1")
    for number, (name, run) in enumerate(runs):
        shutil.copytree(POPULATIONS / run, app.services.runs / name)
        os.utime(app.services.runs / name / "manifest.csv", (NOON - 100_000 * number,) * 2)
    chooser = Chooser(app, shelf=shelf, watch=watch)
    app.open(chooser)
    until(app, lambda: not chooser.shelves.busy)
    chooser.choose(0)
    if watch:
        chooser.activate(0)
        chooser.activate(1)
    app.step([], STEP)
    until(app, lambda: not chooser.shelves.busy)


def _ballots(app: App) -> None:
    _chooser(app)
    by_id(app.screen.commands())["ballot"].run()
    picker = app.screen
    picker.search("9-14")
    picker._step(9)


def _play(app: App) -> None:
    app.open(Play(app, played(17)))


def _confirm(app: App) -> None:
    app.change_settings(confirm=True)
    screen = Play(app, played(16))
    app.open(screen)
    screen._touch(screen.model.turn.legal[0].path[0])
    screen._touch(screen.model.turn.targets[0])
    app.step([], 1.0)


def _thinking(app: App) -> None:
    _script(app).say = lambda ticket, request: Progress(ticket, find(request))
    app.open(Play(app, played(15)))


def _liked(app: App) -> None:
    """What each piece is worth to the opponent."""
    app.change_settings(worth=True)
    app.open(Play(app, played(16)))


def _late(app: App) -> None:
    """A program with a long name thinks in the middle of a game, after captures."""
    _script(app).say = lambda ticket, request: Progress(ticket, find(request))
    long = Seat(OPPONENT.player, 12, 30.0, "Generation 140 of night")
    app.open(Play(app, played(19, (HUMAN, long))))


def _rated(app: App) -> None:
    """A rated game against a generation of a run with a long name, after captures."""
    title = title_of("", "night-shift", 140, 1)
    opponent = Opponent(f"{LEAGUE}@100", 6, title, "generation 140", 214.0, 180.0, 250.0)
    with mock.patch("gui.rating.career.secrets.choice", lambda ballots: ballots[0]):
        model = app.services.career.begin(opponent)
    while len(model.plies) < 21:
        move = plain.legal_moves(model.last)[-1]
        if model.seat.human:
            model.type_move(str(move))
        else:
            model.play(move, Thought(0.1, 6, "+0.10"))
    app.open(Play(app, model))


def _climbed(app: App) -> None:
    """The second win against a level, after which the next one is the opponent."""
    career, casual = app.services.career, level_opponents()[2]
    with mock.patch("gui.rating.career.secrets.choice", lambda ballots: ballots[0]):
        career.finish(career.game_of(career.begin(casual)), 1)
        settled(app)
        model = career.begin(casual)
    app.open(Play(app, model))
    model.resign(0 if model.seats[1].human else 1)
    settled(app)


def _evolving(app: App) -> None:
    """Ten moves into a game against an opponent that evolves, which is six generations ahead of its answer."""
    path = app.services.runs / "first"
    shutil.copytree(ROOT / "populations" / "first", path)
    opponent = EvolvingOpponent(app.services.sources.live, path, owed=106)
    seat = Seat("first@106", 6, title="Generation 106 (first)")
    screen = Play(app, played(20, (HUMAN, seat)), make_state=partial(Evolving, opponent=opponent))
    assert isinstance(screen.state, Evolving)
    screen.state.spectacle.arena.still = False
    app.open(screen)


def _evolved(app: App) -> None:
    """Such a game after its end, with the measured rating of the last champion."""
    _evolving(app)
    screen = app.screen
    assert isinstance(screen, Play) and isinstance(screen.state, Evolving)
    run = screen.state.opponent.run
    run.refresh(0.0)
    while run.newest < run.complete:
        run.read()
    app.services.measuring.measured.keep(key_of(run, run.newest), RatingEstimate(212.0, 180.0, 246.0))
    for number, index in enumerate(range(1, 20, 2)):
        screen.model.plies[index] = replace(screen.model.plies[index], notes=(generation_note(34 + 8 * number),))
    screen.table.resign()


def _capture(app: App) -> None:
    screen = Play(app, _at("B:W18,26,27,K6,32:BK14,10,2,5"))
    app.open(screen)


def _jumping(app: App) -> None:
    _capture(app)
    screen = app.screen
    screen.model.touch(14)
    screen.model.touch(23)


def _analysis(app: App) -> None:
    champion = ListedPlayer(None, 120, "", EntryKind.CHAMPION, "crownhead@120", "crownhead", rank=1)
    app.services.opponents.first = champion
    app.change_settings(evaluation_bar=True, panel="analysis")
    _script(app).say = lambda ticket, request: Answer(ticket, find(request))
    screen = Play(app, played(14))
    app.open(screen)
    screen.hint()
    for _ in screen.model.plies:
        app.step([], 0.25)


def _tablebase(app: App) -> None:
    def say(ticket: int, request: SearchRequest) -> Reply:
        if len(request.history) < len(VERDICTS):
            return Answer(ticket, replace(find(request), verdict=VERDICTS[len(request.history)]))
        result = find(request)
        lines = {str(line.move): line for line in result.lines}
        judged = tuple(replace(lines[move], verdict=verdict) for move, verdict in LAST_VERDICTS.items())
        best = judged[0]
        return Answer(ticket, replace(result, move=best.move, pv=(best.move,), lines=judged, verdict=best.verdict))

    app.change_settings(evaluation_bar=True, panel="analysis")
    _script(app).say = say
    screen = Play(app, _at(ENDGAME[0], (HUMAN, HUMAN)))
    for text in ENDGAME[1].split():
        screen.play_text(text)
    screen.model.seats = (OPPONENT, HUMAN)
    screen.flipped = False
    app.open(screen)
    for _ in screen.model.plies:
        app.step([], 0.25)
    screen.hint()


def _review(app: App, looks: int = 200, tried: str = "", answer: bool = False, last: bool = False) -> None:
    """The review of a game after so many looks: at its first mistake, with a move tried there, or at its end."""
    _script(app).say = lambda ticket, request: Answer(ticket, judge(request))
    model = played(19)
    model.end(Ending(-1, Cause.RESIGNED))
    shutil.copytree(POPULATIONS / PEOPLE_RUN, app.services.runs / PEOPLE_RUN)
    app.services.opponents._levels.clear()  # looked for before the levels were there
    screen = ReviewScreen(app, model, flipped=True)
    app.open(screen)
    for _ in range(looks):
        app.step([], 0.25)
    if answer:
        screen.show_answer()
    if last:
        screen.look_at(10**9)
    if tried:
        screen.play_text(tried)


def _games_of_file(app: App) -> None:
    folder = app.services.kept.data / "archive"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "club.pdn"
    game = '[Event "Club"]\n[Black "{}"]\n[White "{}"]\n[Date "2024.05.{:02}"]\n[Result "1-0"]\n\n{} 1-0\n'
    names = ("Anna Larsen", "Bertrand Featherstonehaugh", "Cara Ng", "David Oyelaran")
    pairs = [(black, white) for black in names for white in names if black != white]
    path.write_text("\n".join(game.format(*pair, day, GAME) for day, pair in enumerate(pairs, 1)))
    app.open(GamesScreen(app, PdnIndex(path)))
    settled(app)


def _game_of_file(app: App) -> None:
    _games_of_file(app)
    app.screen.key("return")


def _help(app: App) -> None:
    _play(app)
    app.global_commands.help()


def _menu(app: App) -> None:
    screen = Play(app, played(17))
    app.open(screen)
    screen.menu()


def _refusal(app: App) -> None:
    screen = Play(app, _at("B:W18,26,27,32:B14,10,2,5"))
    app.open(screen)
    screen.play_text("5-9")


def _won(app: App) -> None:
    screen = Play(app, _at("B:W18,23:B9,K1", (HUMAN, OPPONENT)))
    app.open(screen)
    screen.play_text("9-14")
    screen.model.play(plain.legal_moves(screen.model.last)[0])
    screen.play_text("1-6")
    screen.model.resign(1)


def _watch(app: App) -> None:
    screen = Play(app, played(22, (OTHER, OPPONENT)))
    screen.key("space")
    app.open(screen)


def _resign(app: App) -> None:
    screen = Play(app, played(8))
    app.open(screen)
    screen.resign()


def _files(app: App) -> None:
    chooser = FileChooser(Path(tempfile.gettempdir()), (".pdn", ".csv"), [Path("games/club.pdn")])
    chooser.folder = Path("/home/anna/checkers")
    chooser.entries = [
        FileEntry("recorded", Path(), True, 0, CHANGED),
        FileEntry("club.pdn", Path(), False, 48_211, CHANGED),
    ]
    screen = Files(app, chooser, lambda path: "")
    app.open(screen)
    screen._select(1)
    screen.preview.show(to_pdn(played(24, (Seat(title="Anna"), Seat(title="Ben")))))
    assert screen.preview.model is not None
    screen.preview.model.go_to(18)
    screen.preview.playing = False


def _script(app: App) -> Scripted:
    thinker = app.services.thinker
    assert isinstance(thinker, Scripted)
    return thinker


Scene = Callable[[App], object]

ROOT = Path(__file__).parents[3]
ADDED = {
    path.parent: import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for path in sorted(ROOT.glob("extras/*/tests/scenes.py"))
}
"""Modules with scenes of extras by their folders."""
FOLDERS = {scene: folder / "pictures" for folder, module in ADDED.items() for scene in module.SCENES}
"""Where the pictures of these scenes are kept."""

SCENES: dict[str, Scene] = {
    "home": _home,
    "home-session": _home_session,
    "play": _play,
    "confirm": _confirm,
    "thinking": _thinking,
    "worth": _liked,
    "capture": _capture,
    "jumping": _jumping,
    "analysis": _analysis,
    "tablebase": _tablebase,
    "refusal": _refusal,
    "won": _won,
    "watch": _watch,
    "chooser": _chooser,
    "exhibits": lambda app: _chooser(app, shelf=EXHIBITS),
    "watch-chooser": lambda app: _chooser(app, watch=True),
    "kept-games": _kept_games,
    "ballots": _ballots,
    "settings": lambda app: app.open(SettingsScreen(app)),
    "files": _files,
    "resign": _resign,
    "commands": lambda app: app.global_commands.palette(),
    "help": _help,
    "menu": _menu,
    "review": _review,
    "review-begins": lambda app: _review(app, looks=5),
    "review-wrong": lambda app: _review(app, tried="15-18"),
    "review-answer": lambda app: _review(app, answer=True),
    "review-done": lambda app: _review(app, last=True),
    "late": _late,
    "evolving": _evolving,
    "evolved": _evolved,
    "rated": _rated,
    "climbed": _climbed,
    "games-of-file": _games_of_file,
    "game-of-file": _game_of_file,
    **RUN_SCENES,
    **{scene: make for module in ADDED.values() for scene, make in module.SCENES.items()},
}
NOON = 1_763_640_000.0
"""Of 2025-11-20, when the games were played; no place of the earth has another day then but some islands."""

LISTS = ("home", "home-session", "chooser", "exhibits", "watch-chooser", "ballots", *RUN_SCENES, *FOLDERS)
"""Scenes with lists that would be read anew if time went on."""

README = {
    "home": "light",
    "play": "light",
    "analysis": "dark",
    "levels": "light",
    "tablebase": "light",
    "characters": "light",
}
"""Scenes of README and pages with their themes."""


def picture(scene: str, size: Size, theme: str = "light", **settings: Any) -> App:
    """The window in a scene, drawn; its `surface` is the picture."""
    with tempfile.TemporaryDirectory(prefix="crownhead-pictures-") as folder, contextlib.ExitStack() as patched:
        runs = Path(folder).resolve() / "runs"
        for place in ("SHIPPED_RUNS", "DEFAULT_RUNS"):  # one folder, as in a checkout: commands name the runs in it
            patched.enter_context(mock.patch(f"evolve.run.runs.{place}", runs))
        services = Services.in_folder(Path(folder) / "data", runs, Scripted(), speaker=Recorder())
        services.change_settings(theme=theme, animation="off", **settings)
        app = App(services, size, surface_of)
        app.open(Home(app))
        settled(app)
        SCENES[scene](app)
        if scene not in LISTS:
            settled(app)
        app.surface.set_clip(None)
        app.redraw()
        app.draw()  # and ask for emblems
        while services.personas.busy:
            time.sleep(0.002)
            services.personas.step()
        app.redraw()
        app.draw()
        services.autosave.release()
        return app


def settled(app: App) -> None:
    """Until nothing more comes by itself, with the same pictures however long threads and the machine take."""
    for left in reversed(range(8)):
        step(app, 0.25, drawing=left == 0)
        _await_threads(app)
    while app.services.sources.busy:
        step(app, 1.0, drawing=False)  # whole seconds, in which what moves comes back to its place
        _await_threads(app)


def _await_threads(app: App) -> None:
    done: list[object] = []
    app.services.background.ask(app, "rest", list, done.append)
    while not done or app.services.personas.busy:
        time.sleep(0.001)
        app.services.background.deliver()
        app.services.personas.step()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.gui.scenes.scenes", description="Make pictures of the window."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", default="1280x800", help="WIDTHxHEIGHT (default: 1280x800)")
    parser.add_argument("--all", action="store_true", help="every scene in every theme, not only those of the README")
    options = parser.parse_args(arguments)
    width, height = map(int, options.size.split("x"))
    chosen = [(scene, theme) for scene in SCENES for theme in ("light", "dark", "contrast")]
    options.folder.mkdir(parents=True, exist_ok=True)
    for scene, theme in chosen if options.all else README.items():
        app = picture(scene, (width, height), theme)
        name = f"{scene}-{theme}.png" if options.all else f"{scene}.png"
        pygame.image.save(app.surface, str(options.folder / name))


if __name__ == "__main__":
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    main()
