"""Every screen at every size of window and text: no widget is outside or covered, and no text is cut."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from gui.look.canvas import LEAST_DESIGN, largest_wish, scale_of
from gui.rating.rating import level_opponents
from gui.screens.dialogs.picker import HelpCard, Palette
from gui.screens.play.games import GamesScreen
from tests.gui.chooser_helpers import titles
from tests.gui.hands import Opened
from tests.gui.layouts_helpers import SCALES, SIZES, cut_texts, fits_everywhere
from tests.gui.scenes.scenes import SCENES, picture


@pytest.mark.addition("widget", "a frozen class in `gui/widgets/`")
@pytest.mark.check
@pytest.mark.parametrize("scene", SCENES)
def test_everything_has_its_place_at_every_size(scene: str, display: None) -> None:
    fits_everywhere(picture(scene, (800, 600), panel="analysis"), itertools.product(SIZES, SCALES))


def test_no_name_of_the_shipped_players_is_cut(opened: Opened) -> None:
    hands = opened(runs=Path(__file__).parents[2] / "populations")
    hands.key("n", "3")
    assert {*titles(hands)} >= {"Crownhead 1", "Blondie24"}
    assert cut_texts(hands.app) == []


def test_no_event_of_a_file_of_games_is_cut_beside_empty_columns(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "archive.pdn"
    event = '[Event "ACF archive game {} (EricCJoyce/Dataset)"]\n[Result "1-0"]\n1. 11-15 23-19 1-0\n\n'
    path.write_text("".join(event.format(number) for number in range(1, 40)))
    hands = opened()
    hands.drop(path)
    hands.until(lambda: isinstance(hands.app.screen, GamesScreen))
    hands.wait(1.0)
    assert cut_texts(hands.app) == []


def test_no_key_is_explained_by_a_cut_text(opened: Opened) -> None:
    hands = opened()
    for key in ("p", "n", "l", "g", "<all-runs>", "a", "ctrl+,"):
        hands.app.go_home()
        hands.key(key)
        hands.wait(0.2)
        for opens, dialog in (("ctrl+p", Palette), ("?", HelpCard)):
            hands.key(opens)
            assert isinstance(hands.app.screen, dialog)
            assert cut_texts(hands.app) == [], key
            hands.key("escape")


def test_a_first_rating_is_whole_on_the_first_screen(opened: Opened) -> None:
    hands = opened()
    career = hands.app.services.career
    career.finish(career.game_of(career.begin(level_opponents()[1])), 0.0)
    hands.until(lambda: career.rating is not None and not career.busy)
    sizes = [((784, 504), 1.0), *itertools.product(SIZES[:6], (1.0, 2.0))]
    assert career.rating is not None and cut_texts(hands.app, sizes) == []
    hands.resize((784, 504))
    assert hands.widget("rating.interval").text.endswith(", a first guess after 1 game")


def test_size_is_limited_by_the_room() -> None:
    for size in SIZES:
        for wanted in SCALES:
            scale = scale_of(size, wanted)
            assert all(length / scale >= least - 1 for length, least in zip(size, LEAST_DESIGN, strict=True)) or (
                scale < 0.87
            )
        assert scale_of(size, 9.0) == pytest.approx(scale_of(size, largest_wish(size)))
    assert scale_of((3840, 2160), 2.0) == pytest.approx(2 * scale_of((3840, 2160)))
    assert scale_of((800, 600), 2.0) > scale_of((800, 600), 1.0)


def test_settings_show_the_effective_size(opened: Opened) -> None:
    hands = opened(size=(800, 600), scale=2.0)
    hands.key("ctrl+,")
    assert hands.widget("scale").shown == f"200 %, here {largest_wish((800, 600)) * 100:.0f} %"
    hands.resize((3840, 2160))
    assert hands.widget("scale").shown == "200 %"


def test_switches_of_the_settings_are_44_pixels_apart(opened: Opened) -> None:
    hands = opened(size=(1280, 800))
    hands.key("ctrl+,")
    assert hands.widget("dots").rect.y - hands.widget("numbers").rect.y == 44
    hands.resize((700, 560))
    assert 25 <= hands.widget("dots").rect.y - hands.widget("numbers").rect.y < 44


def test_a_shortened_text_is_whole_in_its_tooltip(opened: Opened) -> None:
    hands = opened(size=(600, 800))
    name = "A title that is far too long for the bar at the top of any window, whoever has thought of it, and why"
    hands.key("n")
    hands.app.screen.title = name
    hands.app.redraw()
    hands.wait(0.1)
    hands.move(hands.widget("title").rect.centre)
    hands.wait(1.0)
    hinted = hands.app._notices.hinted
    assert hinted[1] == name
    hands.key("escape")
    hands.move(hands.widget("play").rect.centre)
    hands.wait(1.0)
    assert "Start a game now" in hands.app._notices.hinted[1]  # type: ignore[index]
