"""The film of a run, in at most twenty seconds: its race to the levels, a game of the champion, and its weights."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from extras.export.champion import WritingEntry
from extras.weights.tab import pictures_of
from extras.weights.weight_map import WeightMap
from game.installation import check_extra
from gui.evolving.arena import Spectacle
from gui.geometry import Rect
from gui.look.canvas import Canvas, Fonts, Look
from gui.look.theme import LIGHT
from gui.runs.live_run import LiveRun
from gui.screens.evolution import headline_labels, race_plot
from gui.screens.play.game_files import share
from gui.sessions.boards import Replay, film_pace
from gui.toolkit import pygame
from gui.widgets.base import Command, Ui, Widget
from gui.widgets.board import BoardMarks, BoardWidget

FRAMES = 60
"""Maximum number of generations in a film."""

SIZE, HEIGHT, EDGE = 640, 400, 12
"""Width, height and margin in pixels."""

LAST = 4
"""The last generation stays for this many times as long as another one."""

COLOURS = 64
"""Colours of the palette, which all frames share so that equal pixels of two frames are stored once."""

T = TypeVar("T")


class FilmEntry(WritingEntry):
    """The command that saves the film of a run, as an animation here, or as a page in a process of its own."""

    def commands(self) -> Sequence[Command]:
        return [Command(id="share", name="Share the film", keys=(), run=self._share, icon="save", group="Generations",
                        about="Save the film of the run, with its race, a game and the weights, as an animation or a "
                        "page", enabled=not self.why, why=self.why)]  # fmt: skip

    def _share(self) -> None:
        run = self.screen.run
        work = partial(film, run.path, run.player_name)
        share(self.app, f"{run.name}.gif", (".gif",), lambda kind: work, {".html": self._page})

    def _page(self, path: Path) -> str:
        about = "a page with a slider over generations and champions to play against"
        return self.begin(path, about, "inspect", str(self.screen.run.path), "--games=0", f"--html={path}")


def film(path: Path, player_name: str) -> bytes:
    """Return the film of a run as an animated GIF that repeats for ever.

    It reads the run anew, so it may work in a thread while the window follows the run.

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    run = LiveRun(path, player_name=player_name)
    while run.read() or run.busy:
        pass
    count = min(run.newest + 1, FRAMES)
    shown = [round(at * run.newest / max(count - 1, 1)) for at in range(count)]
    return animated(_frames(run, shown), film_pace(len(shown)))


def _frames(run: LiveRun, generations: Sequence[int]) -> Iterator[tuple[Any, int]]:
    look, replay = Look(LIGHT, 1.0, Fonts()), Replay()
    spectacle = Spectacle(run)
    area = Rect(0, 0, SIZE, HEIGHT).inset(EDGE)
    left, right = area.columns(None, HEIGHT * 2 // 3 - EDGE, gap=EDGE)
    board, weights = right.rows(right.w, None, gap=EDGE)
    for at, generation in enumerate(generations):
        spectacle.tick(0.0, generation)
        replay.show(run.games_of(generation), run.title_in_game)
        replay.go_along((at + 1) / len(generations))
        surface = pygame.Surface((SIZE, HEIGHT), 0, 32)
        surface.fill(LIGHT.background)
        canvas = Canvas(surface, look)
        for widget in (
            *_race(spectacle, left, look),
            BoardWidget(key="board", rect=board, pieces=replay.pieces, numbers=False,
                        marks=BoardMarks(last=replay.last_move)),
            WeightMap(key="kernels", rect=weights, pictures=pictures_of(run, generation)[0]),
        ):  # fmt: skip
            widget.draw(canvas, Ui())
        yield surface, LAST if generation == generations[-1] else 1


def _race(spectacle: Spectacle, rect: Rect, look: Look) -> list[Widget]:
    """Return the race as it was at the generation on display; nothing for a run without one."""
    race, now = spectacle.race, spectacle.generation
    if race is None:
        return []
    head, place = rect.rows(40, None, gap=EDGE)
    plot = race_plot(spectacle, race, place)

    def so_far(row: Sequence[T | None]) -> list[T | None]:
        return [*row[: now + 1], *[None] * (len(row) - now - 1)]

    curves = [
        replace(curve, values=so_far(curve.values), low=so_far(curve.low or ()), high=so_far(curve.high or ()))
        for curve in plot.curves
    ]
    beaten = [number if number <= now else -1 for number in plot.beaten]
    return [*headline_labels(spectacle, race, head, look), replace(plot, curves=curves, beaten=beaten)]


def animated(frames: Iterator[tuple[Any, int]], seconds: float) -> bytes:
    """Return surfaces as an animated GIF that repeats for ever.

    Args:
        frames: surfaces, each with how many times `seconds` it stays.

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    check_extra("a GIF needs Pillow", "figures", ("PIL",))
    from PIL import Image

    pictures, milliseconds = [], []
    for surface, times in frames:
        pictures.append(Image.frombytes("RGB", surface.get_size(), pygame.image.tobytes(surface, "RGB")))
        milliseconds.append(round(seconds * 1000 * times))
    palette = _palette(pictures[:: max(len(pictures) // 8, 1)])
    first, *more = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    stream = io.BytesIO()
    first.save(stream, "GIF", save_all=True, append_images=more, duration=milliseconds, loop=0, disposal=1)
    return stream.getvalue()


def _palette(pictures: list[Any]) -> Any:
    """Return a picture with one palette that suits all the given ones."""
    from PIL import Image

    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, height * len(pictures)))
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (0, number * height))
    return sheet.quantize(COLOURS, dither=Image.Dither.NONE)
