"""No key has two meanings, every button displays its key, and the list of keys is complete."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

import extras
import gui.screens
from evolve.run.runs import SHIPPED_RUNS
from game import plain
from gui.events import key_text
from gui.evolving.opponent import EvolvingOpponent
from gui.geometry import Size
from gui.individuals.shelves import YOURS
from gui.model.game import GameModel
from gui.model.pdn import PdnIndex
from gui.model.seats import HUMAN, Seat
from gui.runs.live_run import LiveRun
from gui.screens.dialogs.dialog import Dialog, Menu
from gui.screens.dialogs.files import Files
from gui.screens.dialogs.picker import HelpCard, Palette
from gui.screens.individuals.chooser import Chooser
from gui.screens.play.evolving import Evolving
from gui.screens.play.game_screen import GameScreen
from gui.screens.play.games import GamesScreen
from gui.screens.play.play import Play
from gui.screens.play.review import ReviewScreen
from gui.screens.screen import Screen
from gui.screens.sessions.new import NewSession
from gui.screens.sessions.session import SessionScreen
from gui.screens.settings import SettingsScreen
from gui.widgets.base import Label, by_id, find
from gui.widgets.button import Button, Pressed
from tests.gui.hands import Hands, Opened
from tests.gui.key_meanings import CORE, MEANINGS
from tests.gui.scenes.scenes import ADDED
from tests.gui.session_folder import SessionFolder, Starts
from tests.sources import window_files
from tests.synthetic import make_run

ROOT = Path(__file__).parents[2]
MEANING = {key: meaning for meaning in MEANINGS for key in meaning.keys.split()}
MADE = re.compile(r"answer\d|to-\w+|(explored|liked)-\d+")
"""Commands of questions, of menus with numbers, and of the tree of a family."""

A, B = Seat("material", 2), Seat("random")
EXTRAS = {folder.parent.name: module for folder, module in ADDED.items() if hasattr(module, "open_screen")}
"""Modules that open a screen of each extra."""
SCREENS = (
    *("home", "play", "over", "evolving", "review", "watch", "chooser", "watch-chooser", "settings", "files"),
    *("games", "resign", "session", "runs"),
    *EXTRAS,
)


def open_screen(name: str, hands: Hands, folder: Path) -> None:
    app = hands.app
    played = GameModel((HUMAN, A))
    played.play(plain.legal_moves(played.last)[0])
    over = GameModel((HUMAN, A))
    over.resign(0)
    pdn = folder / "games.pdn"
    pdn.write_text("1. 11-15 23-19 *\n\n1. 9-14 *\n")
    makers: dict[str, Callable[[], Screen]] = {
        "play": lambda: Play(app, played),
        "over": lambda: Play(app, over),
        "evolving": lambda: Play(
            app,
            played,
            make_state=partial(Evolving, opponent=EvolvingOpponent(LiveRun, SessionFolder(folder / "living", 3).path)),
        ),
        "review": lambda: ReviewScreen(app, played),
        "watch": lambda: Play(app, GameModel((A, B))),
        "chooser": lambda: Chooser(app, position=played.last),
        "watch-chooser": lambda: Chooser(app, watch=True),
        "settings": lambda: SettingsScreen(app),
        "session": lambda: SessionScreen(app, SessionFolder(folder / "followed", 3).path),
        "new-session": lambda: NewSession(app),
        "files": lambda: Files.to_open(app, lambda path: ""),
        "games": lambda: GamesScreen(app, PdnIndex(pdn)),
    }
    if name == "resign":
        app.open(Play(app, played))
        hands.key("<resign>")
    elif name in EXTRAS:
        EXTRAS[name].open_screen(hands)
    elif name == "runs":
        make_run(app.services.runs, "alpha", 2)
        runs = Chooser(app, shelf=YOURS)
        app.open(runs)
        hands.until(lambda: runs.run is not None and not runs.shelves.busy, 3000.0)
    elif name != "home":
        app.open(makers[name]())
        hands.wait(0.3)


_shown: dict[str, Hands] = {}
"""The screen that was opened last; the tests of a screen follow one another and leave it as it is."""


@pytest.fixture
def shown(display: None, name: str, tmp_path_factory: pytest.TempPathFactory) -> Hands:
    if name not in _shown:
        folder = tmp_path_factory.mktemp(name)
        hands = Hands(folder)
        open_screen(name, hands, folder)
        _shown.clear()
        _shown[name] = hands
    return _shown[name]


EVERY = pytest.mark.parametrize("name", SCREENS, scope="module")
OFTEN = ("home", "play", "review", "chooser", "setup", "settings", "form", "runs")
BY_TAB = [pytest.param(name, marks=() if name in OFTEN else pytest.mark.check) for name in SCREENS]
"""All screens move the focus with the same code, so every run tries these, and the check tries all."""


@pytest.mark.addition(
    "screen",
    "a module in `gui/screens/`; a command of another screen that opens it; a name in `SCREENS` of this test, and how "
    "`open_screen` opens it; and a scene in `tests/gui/scenes/` with its picture "
    "(`python -m tests.gui.test_pictures SCENE`)",
)
@pytest.mark.needs()
def test_every_screen_has_a_name_here_and_a_scene() -> None:
    for module in pkgutil.walk_packages(gui.screens.__path__, "gui.screens."):
        importlib.import_module(module.name)
    screens = {screen.__name__ for screen in leaves(Screen) if not screen.overlay}
    here = Path(__file__).read_text(encoding="utf-8")
    scenes = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/gui/scenes").glob("*.py")))
    scenes += "".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("extras/*/tests/scenes.py")))
    unnamed = {screen for screen in screens if not re.search(rf"\b{screen}\b[.(]", here)}
    unseen = {screen for screen in screens if not re.search(rf"\b{screen}\b", scenes)}
    assert unnamed == {"FaultDialog", "Home"}, "add it to SCREENS; these have tests of their own"
    assert unseen == {"FaultDialog"}, "add a scene in tests/gui/scenes/"


def leaves(screen: type[Screen]) -> Iterator[type[Screen]]:
    """Yield the screens of the program that derive from a class and have no further ones."""
    for each in screen.__subclasses__():
        if each.__module__.startswith("gui."):
            yield from leaves(each) if each.__subclasses__() else [each]


def every_screen(screen: type[Screen] = Screen) -> Iterator[type[Screen]]:
    """Yield all classes that fill the window, but for the base of the two with a board; dialogs do not."""
    for each in screen.__subclasses__():
        of_program = each.__module__.startswith(("gui.", "extras.")) and ".tests." not in each.__module__
        if of_program and not each.overlay and not issubclass(each, Dialog) and each is not GameScreen:
            yield each
        yield from every_screen(each)


@pytest.mark.needs()
def test_the_page_lists_the_fourteen_screens() -> None:
    for path in window_files():
        if "Screen" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    titles = [screen.title for screen in every_screen()]
    page = (ROOT / "docs" / "window.md").read_text(encoding="utf-8")
    table = page.partition("<!-- screens -->")[2].partition("<!-- end of screens -->")[0]
    rows = [line.split("|")[1].strip() for line in table.strip().splitlines()[2:]]
    assert len(rows) == len(set(rows)) <= 14 and len(titles) == len(set(titles))
    missing = {*rows} - {*titles} if len(extras.installed()) == len(extras.HOMES) else set()
    assert {*titles} - {*rows} == missing == set(), "a screen needs a title and a row in docs/window.md"


@EVERY
def test_each_command_of_a_screen_has_an_id_and_keys_of_its_own(shown: Hands) -> None:
    for commands in (shown.app.screen.commands(), shown.app.commands()):
        assert len(by_id(commands)) == len(commands)
        assert [command.id for command in commands if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)?", command.id)] == []
    assert len(shown.keys) == len(set(shown.keys))
    keys = [key for command in shown.app.screen.commands() if command.enabled for key in command.keys]
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)
    commands = (*shown.app.screen.commands(), *shown.app.commands())
    pairs = other_meanings((key, command.id) for command in commands for key in command.keys)
    assert pairs == [], "add these keys and commands to tests/gui/key_meanings.py, or choose other keys"
    everywhere = [key for command in shown.app.commands() for key in command.keys]
    assert not set(keys) & set(everywhere) - {"escape", "?", "f1"}


def other_meanings(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the keys and ids of commands that the table of keys does not have together."""
    return sorted(
        (key, name)
        for key, name in set(pairs)
        if not MADE.fullmatch(name) and (key not in MEANING or name not in MEANING[key].commands.split())
    )


@pytest.fixture(scope="module")
def nodes() -> list[ast.expr | ast.Expr]:
    """Return calls, constants and statements without effect in the modules of the window."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in window_files())
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Constant | ast.Expr)]


def written_keys(nodes: list[ast.expr | ast.Expr]) -> set[tuple[str, str]]:
    """Return key and id of every command that is written out in the sources, on whatever screen, in whatever state."""
    pairs = set()
    for call in nodes:
        given = {word.arg: word.value for word in call.keywords} if isinstance(call, ast.Call) else {}
        name, keys = given.get("id"), given.get("keys")
        if isinstance(name, ast.Constant) and isinstance(keys, ast.Tuple):
            pairs |= {(key.value, name.value) for key in keys.elts if isinstance(key, ast.Constant)}
    return pairs


@pytest.mark.needs()
def test_no_key_means_two_things_on_two_screens(nodes: list[ast.expr | ast.Expr]) -> None:
    assert not [key for key in MEANING if "ctrl+shift+" in key and key[-1].isalpha()]
    assert len(MEANING) == sum(len(meaning.keys.split()) for meaning in MEANINGS)
    written = written_keys(nodes)
    assert len(written) > 85 and other_meanings(written) == []
    assert other_meanings([("w", "watch"), ("w", "review"), ("ctrl+j", "hint")]) == [("ctrl+j", "hint"), ("w", "watch")]


@pytest.mark.needs()
def test_no_name_has_different_keys_on_two_screens(nodes: list[ast.expr | ast.Expr]) -> None:
    """A command has a key that it has on every screen, and another name if it means something else."""
    keys: dict[str, list[set[str]]] = {}
    for call in nodes:
        if isinstance(call, ast.Call):
            given = {word.arg: word.value for word in call.keywords}
            name, of_name = given.get("name"), given.get("keys")
            texts = [str(part.value) for part in call.args[:3] if isinstance(part, ast.Constant)]
            if isinstance(name, ast.Constant) and isinstance(of_name, ast.Tuple):
                constants = {key.value for key in of_name.elts if isinstance(key, ast.Constant)}
                keys.setdefault(name.value, []).append(constants)
            elif len(texts) == 3 and getattr(call.func, "id", "") == "command":
                keys.setdefault(texts[1], []).append(set(texts[2].split()))
    assert len(keys) > 120
    assert {name: each for name, each in keys.items() if any(each) and not set.intersection(*each)} == {}


NAMED_KEY = re.compile(r"\b[Pp]ress ([A-Z])\b")


def test_keys_that_texts_name_are_keys(nodes: list[ast.expr | ast.Expr]) -> None:
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    named = {key for text in texts for key in NAMED_KEY.findall(text)}
    assert len(named) > 2 and named <= {key_text(key) for key in MEANING}


ELSEWHERE = (
    *(
        ("", "A minute"),
        ("", "An evening"),
        ("cast", "A night"),
        ("form", "Published systems"),
        ("form", "All settings"),
    ),
    *(("cast", "Characters"), ("individuals", "Table"), ("", "Opponents"), ("", "Settings")),
)
"""Commands of other screens that make sense everywhere, with the extras that add them."""


@EVERY
def test_the_palette_has_all_commands_with_their_keys(shown: Hands) -> None:
    """Buttons name their keys if they have some, and what has none is in the palette as everything else."""
    commands = [*shown.app.screen.commands(), *shown.app.commands()]
    named = by_id(commands)
    for widget in shown.app.view():
        command = named.get(widget.key.rpartition(".")[2])
        if isinstance(widget, Button) and command is not None:
            assert command.key in f"{widget.hint} {widget.shortcut}", widget
    screen = shown.app.screen
    if screen.overlay:
        return
    shown.key("ctrl+p")
    assert isinstance(shown.app.screen, Palette)
    table = shown.widget("matches")
    rows = {(cells[0].text, cells[-1].text.split("   ")[0]) for cells in map(table.cells, range(table.count))}
    assert [command for command in commands if (command.name, command.key) not in rows] == []
    assert {name for extra, name in ELSEWHERE if not extra or extra in extras.installed()} <= {row[0] for row in rows}
    shown.key("escape")
    assert shown.app.screen is screen


def test_the_palette_runs_the_command_that_matches(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, A))))
    hands.key("ctrl+p")
    hands.type("full scr")
    assert [hands.widget("matches").cells(0)[at].text for at in (0, 2)] == ["Full screen", "F11"]
    hands.key("return")
    assert hands.app.services.settings.fullscreen and isinstance(hands.app.screen, Play)
    hands.key("ctrl+p")
    hands.type("your runs")  # of the first screen
    hands.key("return")
    assert isinstance(hands.app.screen, Chooser)
    if "keeping" in extras.installed():
        hands.key("ctrl+p")
        hands.type("tags")
        hands.key("return")
        assert hands.app.notice == "Choose a run first."
    hands.key("ctrl+p")
    hands.type("no such thing")
    assert hands.widget("matches").count == 0
    hands.key("return", "escape")
    assert isinstance(hands.app.screen, Chooser)


WAYS = {
    "characters": ("Characters", Chooser),
    "table": ("Table", Chooser),
    "all settings": ("New session", Play),
    "a minute": ("Evolution of first-1", Play),
}


@pytest.mark.needs()
@pytest.mark.parametrize("words", WAYS)
def test_the_palette_of_a_game_leads_on_from_other_screens(
    opened: Opened, starts: Starts, tmp_path: Path, words: str
) -> None:
    """One returns to the screen of the button, if it has not given place to where it leads."""
    shutil.copytree(SHIPPED_RUNS / "cast", tmp_path / "runs" / "cast")
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, A))))
    hands.key("ctrl+p")
    hands.type(words)
    hands.until(lambda: hands.widget("matches").cells(0)[0].bold, 20.0)
    hands.key("return")
    assert (hands.app.screen.title, type(hands.app.stack[-2])) == WAYS[words]


@EVERY
def test_help_has_the_eight_keys_of_the_screen_that_one_needs(shown: Hands) -> None:
    screen = shown.app.screen
    commands = [each for each in (*screen.commands(), *shown.app.commands()) if each.keys]
    if screen.overlay:
        return
    shown.key("?")
    assert isinstance(shown.app.screen, HelpCard)
    caps = {widget.key: widget.shortcut for widget in shown.app.view() if isinstance(widget, Label)}
    known = by_id(commands)
    listed = [known[key.removeprefix("keys.")] for key in caps if key.startswith("keys.")]
    needed = [name for name in dict.fromkeys([*screen.needed, *known]) if name in known]
    assert [each.id for each in listed] == needed[:8]
    assert [each for each in listed if each.key not in caps[f"keys.{each.id}"]] == []
    shown.key("escape")
    assert shown.app.screen is screen


def test_help_has_the_rules_and_leads_to_all_commands(opened: Opened) -> None:
    hands = opened()
    hands.click("header.help")
    assert hands.app.screen.title == "Help"
    rules = [hands.widget(f"rule{number}").text for number in range(3)]
    assert "one square forward" in rules[0] and "must jump" in rules[1] and "king" in rules[2]
    hands.click("all")
    assert isinstance(hands.app.screen, Palette)


def test_a_click_beside_help_closes_it(opened: Opened) -> None:
    hands = opened()
    hands.key("f1")
    hands.click((3, 3))
    assert len(hands.app.stack) == 1


def test_a_menu_without_commands_is_empty(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Menu(hands.app, "Nothing", list))
    assert not [key for key in hands.keys if key.startswith("menu.")]
    hands.key("escape")
    assert not isinstance(hands.app.screen, Menu)


@pytest.mark.needs()
def test_the_menu_has_three_groups_of_at_most_twelve_possible_commands(opened: Opened) -> None:
    hands = opened()
    over = GameModel((HUMAN, A))
    over.resign(0)
    screens = Play(hands.app, GameModel((HUMAN, A))), Play(hands.app, over), Play(hands.app, GameModel((A, B)))
    for screen in screens:
        hands.app.open(screen)
        hands.key("f10")
        groups = [widget.text for widget in hands.app.view() if widget.key.startswith("group.")]
        entries = [key for key in hands.keys if key.startswith("menu.")]
        assert groups == ["The game", "Study", "Files"] and 5 <= len(entries) <= 12
        assert all(hands.widget(key).enabled for key in entries)
        assert ("menu.new-game" in entries, "menu.undo" in entries) == (screen is screens[0], False)
        hands.key("escape")


def test_the_table_of_keys_fits_on_a_page() -> None:
    assert len(MEANINGS) <= 40


@pytest.mark.parametrize("name", BY_TAB, scope="module")
def test_everything_is_reached_by_tab(shown: Hands) -> None:
    reached = set()
    shown.app.draw = lambda: None  # type: ignore[method-assign]  # Tab needs no picture
    for _ in range(len(shown.keys) + 2):
        shown.key("tab")
        reached.add(shown.app.screen.ui.focus)
    del shown.app.draw
    wanted = {widget.key for widget in shown.app.view() if isinstance(widget, Pressed) and widget.enabled}
    assert wanted <= reached


def test_the_page_has_the_table_of_keys() -> None:
    page = (ROOT / "docs" / "window.md").read_text(encoding="utf-8")
    rows = [
        f"| {', '.join(dict.fromkeys(f'`{key_text(key)}`' for key in meaning.keys.split()))} | {meaning.text} |"
        for meaning in CORE
    ]
    table = page.partition("<!-- keys -->")[2].partition("<!-- end of keys -->")[0]
    rows = ["| key | |", "|---|---|", *rows]
    assert table.strip().splitlines() == rows, "\n".join(["the table in docs/window.md should be:", *rows])


def test_keys_as_people_see_them() -> None:
    assert [key_text(key) for key in ("ctrl+z", "?", "+", "ctrl++", "shift+r", "f11", "left", "escape")] == [
        "Ctrl+Z", "?", "+", "Ctrl++", "Shift+R", "F11", "←", "Esc",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [(800, 600), (1280, 800), (2560, 1440)])
def test_steps_of_the_size_have_an_effect_or_a_message(opened: Opened, size: Size) -> None:
    hands = opened(size=size)
    for key, other, word in (("ctrl++", "ctrl+-", "large"), ("ctrl+-", "ctrl++", "small")):
        for _ in range(10):
            before = hands.app.look.scale
            hands.key(key)
            if hands.app.look.scale == before:
                break
        assert hands.app.notice == f"Everything is as {word} as it gets in this window."
        hands.key(other)
        assert hands.app.look.scale != before
    hands.app.change_settings(scale=2.0)
    before = hands.app.look.scale
    hands.key("ctrl+-")
    assert hands.app.look.scale < before
    hands.key("ctrl+,")
    slider = hands.widget("scale")
    for value in (slider.low, slider.high):
        slider.change(value)
        edge = hands.app.look.scale
        slider.change(value + (1 if value == slider.low else -1))
        assert hands.app.look.scale != edge


def test_keys_that_count_everywhere(opened: Opened) -> None:
    hands = opened()
    hands.key("<theme>")
    assert hands.app.look.theme.name == "dark"
    hands.key("ctrl++")
    assert hands.app.services.settings.scale == 1.15
    hands.key("ctrl+-", "ctrl+-")
    assert hands.app.services.settings.scale == 0.85
    hands.key("ctrl+-", "ctrl+-")
    assert hands.app.services.settings.scale == 0.75
    hands.key("<sounds>")
    assert not hands.app.services.settings.sounds
    assert hands.heard == []
    hands.key("ctrl+,")
    assert isinstance(hands.app.screen, SettingsScreen)
    hands.key("ctrl+q")
    assert not hands.app.running
    assert find(hands.app.commands(), "f11") is not None
