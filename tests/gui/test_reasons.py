"""Nothing is silent: keys that are not possible say why, and colours are also put into words."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from game.board import Position
from game.review.chances import Chances
from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look, scale_of
from gui.look.theme import THEMES, contrast
from gui.model.game import GameModel
from gui.model.seats import HUMAN, Seat
from gui.screens.home import Home
from gui.screens.play.analysis_panel import EvaluationBar, draw_results, standing_words
from gui.screens.play.play import Play
from gui.toolkit import pygame
from gui.widgets.base import Ui
from gui.widgets.button import Pressed
from gui.widgets.table import ROW
from tests.gui.hands import Opened

OPPONENT = Seat("material", 4, 2.0, "Counter")


def test_disabled_keys_show_their_reason(opened: Opened) -> None:
    hands = opened()
    hands.key("c")
    assert hands.app.notice == "There are no unfinished games."
    assert isinstance(hands.app.screen, Home)
    hands.app.open(Play(hands.app, GameModel((HUMAN, OPPONENT))))
    for key, why in (
        ("u", "There is nothing to take back."),
        ("ctrl+y", "No move has been taken back."),
        (".", "No program is thinking."),
        ("r", "The game is not over yet: press “Resign” to resign."),
        ("left", "This is the start of the game."),
        ("end", "This is the latest position."),
        ("p", "This is the latest position: go back first."),
    ):
        hands.key(key)
        assert hands.app.notice == why
    hands.touch(11, 15)
    hands.key("h")
    assert hands.app.notice == "It is not your move."
    hands.game.model.resign(0)
    hands.wait(0.1)
    for key in ("h", "<draw>", "<resign>", "."):
        hands.key("left", key)
        assert hands.app.notice == "The game is over."


def test_disabled_button_shows_its_reason_on_hover_and_click(opened: Opened) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, OPPONENT))))
    hands.wait(0.1)
    why, place = "There is nothing to take back.", hands.middle("do.undo")
    hands.move(place)
    hands.wait(1.0)
    hinted = hands.app._notices.hinted
    assert hinted is not None and hinted[1].endswith(f"\n{why}")
    hands.click("do.undo")
    assert hands.app.notice == why
    assert hands.app.screen.ui.focus != "do.undo"
    hands.click("do.hint")  # a possible key says nothing
    assert hands.app.notice == ""


@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (640, 480), (600, 900), (1920, 1080)])
def test_a_sentence_covers_no_button_and_no_board(opened: Opened, size: tuple[int, int]) -> None:
    hands = opened(size=size)
    hands.app.open(Play(hands.app, GameModel((HUMAN, OPPONENT))))
    hands.wait(0.1)
    buttons = [widget.rect for widget in hands.app.view() if isinstance(widget, Pressed)]
    board = hands.widget("board").rect
    for text in ("Draw?", "You must jump. Play the ringed piece. " * 5):
        hands.app._notices.say(text, "info", hands.app.now)
        box = hands.app._notices.place(Canvas(hands.app.surface, hands.app.look), hands.app.view())
        assert not [button for button in buttons if box.meets(button)]
        assert not box.meets(board) or (size == (640, 480) and len(text) > 150 and box.bottom < board.centre[1])


def bar(win: float, *, flipped: bool = False) -> EvaluationBar:
    return EvaluationBar(key="bar", rect=Rect(0, 0, 28, 400), chances=Chances(win, 0.0, 1 - win), flipped=flipped)


def test_bar_shows_the_lead_in_men() -> None:
    messages = [standing_words(score) for score in (0.31, -2.5, 0.001, -0.2, 999_977.0, -999_990.0, None)]
    assert messages == [
        "Black is ahead by 0.31 men",
        "White is ahead by 2.50 men",
        "Even (Black +0.00)",
        "Even (White +0.20)",
        "Black wins in 12 moves",
        "White wins in 5 moves",
        "Not evaluated yet",
    ]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("flipped", [False, True])
def test_the_bar_is_read_in_every_theme(theme: object, flipped: bool, display: None) -> None:
    look = Look(theme, 1.0, Fonts())  # type: ignore[arg-type]
    colours = look.theme
    assert contrast(colours.black.face, colours.white.face) >= 7
    assert contrast(colours.control_line, colours.background) >= 3
    surface = pygame.Surface((28, 400))

    def column(win: float) -> list[tuple[int, ...]]:
        bar(win, flipped=flipped).draw(Canvas(surface, look), Ui())
        return [tuple(surface.get_at((4, y)))[:3] for y in range(400)]

    black = [column(win).count(colours.black.face) for win in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert black == sorted(black)
    assert black[0] < 50  # its cap stays, with the letter, and room for its figure
    assert black[-1] > 300
    shown = column(0.5)
    assert (shown[3] == colours.black.face) != flipped  # Black's side of the board is at the top, unless it is flipped
    assert (shown[-4] == colours.black.face) == flipped


def test_no_figure_is_left_out_however_thin_its_part(display: None, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[str, Rect]] = []
    draw_text = Canvas.text

    def record(canvas: Canvas, text: str, *args: Any, **options: Any) -> Rect:
        drawn.append((text, draw_text(canvas, text, *args, **options)))
        return drawn[-1][1]

    monkeypatch.setattr(Canvas, "text", record)
    look = Look(THEMES["light"], scale_of((640, 480), 2.0), Fonts())
    canvas = Canvas(pygame.Surface((400, 400)), look)
    row = Rect(0, 0, look.px(100), look.px(ROW))
    draw_results((0.99, 0.0, 0.01), ("100 %", "0 %", "1 %"), canvas, row)
    drawn.sort(key=lambda each: each[1].x)
    assert [text for text, _ in drawn] == ["100", "1"]
    assert all(one.right < other.x for (_, one), (_, other) in itertools.pairwise(drawn))
    assert all(abs(place.centre[1] - row.centre[1]) <= 1 for _, place in drawn)  # on the line of its move
    drawn.clear()
    bar = EvaluationBar(key="bar", rect=Rect(0, 0, look.px(28), 200), chances=Chances(0.006, 0.988, 0.006))
    bar.draw(canvas, Ui())
    assert [text for text, _ in drawn] == ["B", "W", "1", "98", "1"]
    assert canvas.elided == []


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("B:W18,26,27:B14,1", "You must jump. Play the ringed piece."),
        ("B:W18,7:B14,3", "You must jump. Play a ringed piece."),
    ],
)
def test_obligation_to_capture_is_shown(opened: Opened, fen: str, words: str) -> None:
    hands = opened()
    hands.app.open(Play(hands.app, GameModel((HUMAN, OPPONENT), Position.from_fen(fen))))
    assert hands.words == ("Your move", words)
    hands.app.change_settings(must_marks=False)
    assert hands.words == ("Your move", "You must jump.")
