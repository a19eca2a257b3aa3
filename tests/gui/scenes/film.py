"""A moving picture of a game against an opponent that evolves; window, thinking process and session are real.

``python -m tests.gui.scenes.film docs/pictures/evolving.gif`` takes as long as the picture, whose players it writes
beside it, into a file ``.json``. A piece counter plays the person's moves. The last frame comes first, too: where the
picture does not move, it shows a game that has begun.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from game.generator import SplitMix64

SIZE, SHOWN = (1280, 800), (896, 560)
"""Size of the window, and of the picture."""
EVERY = 0.2
"""Seconds between two frames."""
COLOURS = 64
"""Colours of the palette."""
THINKS = 0.8
"""Seconds that the person takes for a move."""
PERSON = "material,depth=4,quiescence=yes"


def film(seconds: int, seed: int) -> tuple[bytes, dict[str, str | int]]:
    """Return a picture in GIF of the first moves of a game, and who plays it."""
    from game.players.registry import player
    from gui.app import App
    from gui.evolving.opponent import Beginning
    from gui.screens.home import Home
    from gui.screens.play.evolving import Evolving, new_game
    from gui.services import Services
    from gui.thinking.thinker import Thinker
    from gui.toolkit import pygame

    person = player(PERSON)
    lots, frames = SplitMix64(seed), list[object]()
    with tempfile.TemporaryDirectory(prefix="crownhead-film-") as folder:
        runs = Path(folder) / "runs"
        services = Services.in_folder(Path(folder) / "data", runs, Thinker(runs))
        services.change_settings(animation="fast")
        app = App(services, SIZE, pygame.Surface)
        app.open(Home(app))
        app.step([], 0.01)
        app.after_first_frame()
        screen = new_game(app, Beginning(seed=seed, colour="black"))
        assert isinstance(screen.state, Evolving)
        opponent = screen.state.opponent
        app.open(screen)
        last = taken = time.monotonic()

        def until(happened: Callable[[], bool]) -> None:
            nonlocal last, taken
            while not happened() and len(frames) * EVERY < seconds:
                time.sleep(0.01)
                now = time.monotonic()
                app.step([], now - last)
                last = now
                if opponent.newest >= 0 and now >= taken + EVERY:
                    taken = now
                    app.redraw()
                    app.draw()
                    frames.append(pygame.transform.smoothscale(app.surface, SHOWN))

        until(lambda: opponent.newest >= 0)
        while len(frames) * EVERY < seconds and not screen.model.over:
            begun = time.monotonic()
            until(lambda: time.monotonic() >= begun + THINKS)  # noqa: B023
            choice = person.choose(screen.model.last, screen.model.history, lots)
            screen.play_text(str(choice.move))
            until(lambda: screen.model.person_to_move or screen.model.over)
        facts = {"black": PERSON, "white": f"living, seed {seed}", "newest": opponent.newest, "seconds": seconds}
        app.quit()
        services.close()
        while opponent.evolves:
            opponent.run.look_now()
            opponent.run.step(time.monotonic())
            time.sleep(0.05)
        return animated([frames[-1], *frames]), facts


def animated(frames: Iterable[Any]) -> bytes:
    """Return surfaces as a GIF that repeats for ever, with one palette, so that equal pixels are stored once."""
    from PIL import Image

    from gui.toolkit import pygame

    pictures = [Image.frombytes("RGB", each.get_size(), pygame.image.tobytes(each, "RGB")) for each in frames]
    some = pictures[:: max(len(pictures) // 8, 1)]
    width, height = some[0].size
    sheet = Image.new("RGB", (width, height * len(some)))
    for number, picture in enumerate(some):
        sheet.paste(picture, (0, number * height))
    palette = sheet.quantize(COLOURS, dither=Image.Dither.NONE)
    first, *more = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    stream = io.BytesIO()
    first.save(stream, "GIF", save_all=True, append_images=more, duration=round(1000 * EVERY), loop=0, disposal=1)
    return stream.getvalue()


if __name__ == "__main__":
    os.environ |= {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    parser = argparse.ArgumentParser(prog="python -m tests.gui.scenes.film")
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=int, default=19)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    picture, facts = film(options.seconds, options.seed)
    options.file.write_bytes(picture)
    options.file.with_suffix(".json").write_text(f"{json.dumps(facts)}\n", encoding="utf-8")
