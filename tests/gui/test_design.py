"""One design for all screens: named sizes, one meaning for each icon, one main button, and readable texts."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from gui.look.icons import DRAWINGS
from gui.look.theme import THEMES, Theme, contrast
from gui.screens.play.evaluation_bar import result_colours
from gui.widgets.button import FADED
from tests.cases import for_each
from tests.sources import window_files

GUI = Path(__file__).parents[2] / "gui"
SCREENS = [path for path in window_files() if path.is_relative_to(GUI / "screens") or "gui.screens" in path.read_text()]

NUMBERS = (
    (re.compile(r"\bsize=\d"), "a size of text"),
    (re.compile(r"\bgap=(?:look\.)?px\(\d"), "a gap"),
    (re.compile(r"\.inset\((?:look\.|canvas\.)?px\(\d"), "a margin"),
    (re.compile(r"\b(?:wrap|height|size)\([^\n]*px\(1\d\)"), "a size of text"),
    (re.compile(r"\brgb\(|Colour\(|\(\d+, \d+, \d+\)"), "a colour"),
)
"""Sizes and colours that screens must give by name, not as numbers."""

MEANINGS = {
    "archive": {"archive"},
    "back": {"back", "done"},
    "bar": {"analyst", "evaluation-bar"},
    "board": {"set-up", "start", "show-game", "study-group"},
    "bolt": {"move-now"},
    "bookmark": {"mark", "mark-run"},
    "branch": {"branch"},
    "check": {"take", "toggle", "next-mistake"},
    "close": {"close"},
    "columns": {"columns"},
    "compare": {"compare", "compare-runs"},
    "copy": {"copy", "copy-position", "copy-fen", "copy-picture"},
    "cycle": {"cycle"},
    "delete": {"forget", "delete", "remove"},
    "down": {"easier", "next"},
    "draw": {"draw"},
    "equal": {"equal", "alike"},
    "erase": {"clear"},
    "evolution": {"evolve", "evolution", "evolve-group", "like-this", "next-run", "run"},
    "eye": {"watch", "play", "answer"},
    "family": {"family", "its-family"},
    "file": {"recorded"},
    "filter": {"playable"},
    "finish": {"stop-after"},
    "first": {"first"},
    "flag": {"resign"},
    "flip": {"flip"},
    "heart": {"liked"},
    "help": {"keys"},
    "hint": {"hint"},
    "home": {"home"},
    "ladder": {"other", "climb", "level", "measure"},
    "last": {"newest"},
    "list": {"all-games", "all-runs", "players", "analyst-other", "whole", "all", "values"},
    "map": {"characters"},
    "menu": {"menu"},
    "next": {"next", "next-game", "another-game", "curve", "next-mistake"},
    "open": {"open", "choose-games", "explored-file"},
    "paste": {"paste"},
    "pause": {"pause", "move", "games", "play"},
    "people": {"two-players"},
    "person": {"choose", "take-over", "opponent", "whose"},
    "play": {"play", "begin", "resume", "pause", "move", "games", "open", "champion", "play-group"},
    "plus": {"resume", "new-game", "add-program"},
    "previous": {"previous", "return", "previous-game", "previous-mistake"},
    "redo": {"redo"},
    "rematch": {"again", "refresh", "usual", "rematch", "preset"},
    "resume": {"continue", "play-on"},
    "review": {"drills", "review", "review-all", "judge-again"},
    "save": {"save", "save-all", "save-preset", "share"},
    "search": {"search"},
    "settings": {"settings"},
    "star": {"star"},
    "step": {"step"},
    "stop": {"stop"},
    "swap": {"swap", "side"},
    "table": {"browse"},
    "tag": {"tags"},
    "tree": {"next-variation", "explored", "explore"},
    "undo": {"leave-variation", "undo"},
    "up": {"above", "harder", "previous"},
    "write": {"fen", "note", "type"},
}
"""The commands, by id, that may use each icon; whoever gives an icon to a command must add it here."""

TWICE = {"analyst", "resume", "pause", "move", "games", "play", "next", "previous", "next-mistake", "open"}
"""Ids whose icon depends on the effect of the next press (play or pause), or that have two meanings on two screens."""


def commands(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the ids and icons of the commands in a module whose source gives both as constants."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").lower() == "command":
            given = {each.arg: each.value for each in node.keywords}
            name, icon = given.get("id"), given.get("icon")
            if isinstance(name, ast.Constant) and icon is not None:
                for each in ast.walk(icon):
                    if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value:
                        yield str(name.value), each.value


@for_each("path", SCREENS)
def test_a_screen_names_its_sizes_and_colours(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [(what, result.group(0)) for wrong, what in NUMBERS for result in wrong.finditer(text)] == []


def test_that_check_can_fail() -> None:
    for text in ("Label(size=13)", "rows(gap=px(5))", "rect.inset(look.px(3), 0)", "fill((1, 2, 3))"):
        assert any(wrong.search(text) for wrong, _ in NUMBERS), text


@pytest.mark.addition(
    "icon",
    "a drawing in `gui/look/icons.py`, and its meaning in this test",
)
def test_an_icon_means_one_thing() -> None:
    outcome: dict[str, set[str]] = defaultdict(set)
    icons: dict[str, set[str]] = defaultdict(set)
    for path in window_files():
        for name, icon in commands(path):
            outcome[icon].add(name)
            icons[name].add(icon)
    assert len(outcome) > 40
    assert {
        icon: ids - MEANINGS.get(icon, set()) for icon, ids in outcome.items() if ids - MEANINGS.get(icon, set())
    } == {}
    assert set(MEANINGS) <= set(DRAWINGS)
    assert {name: result for name, result in icons.items() if len(result) > 1 and name not in TWICE} == {}


@for_each("theme", THEMES.values())
def test_contrast_of_texts_is_sufficient(theme: Theme) -> None:
    pairs = {
        f"{name} on {ground}": (getattr(theme, name), getattr(theme, ground))
        for name in ("text", "muted", "warning", "danger", "good", "accent")
        for ground in ("background", "panel", "stripe", "selection")
    }
    for ground in ("accent", "accent_hover"):
        pairs[f"key on {ground}"] = theme.mix(theme.on_accent, theme.accent, FADED), getattr(theme, ground)
    pairs["key on control"] = theme.mix(theme.text, theme.control, FADED), theme.control_hover
    pairs["danger on control"] = theme.danger, theme.control_hover
    for name, (colour, ink) in zip(("black", "draws", "white"), result_colours(theme), strict=True):
        pairs[f"per cent on {name}"] = ink, colour
    pairs["number on square"] = theme.number, theme.square_dark
    assert {name: round(contrast(*pair), 2) for name, pair in pairs.items() if contrast(*pair) < 4.5} == {}
