"""Commands that begin, open, paste, save, copy and delete games."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extras import formats
from game.board import Position
from game.errors import InputError
from game.number_text import count_text
from game.review.judged import Review
from gui import pictures
from gui.background import Trouble
from gui.files import kind_of
from gui.model import pdn
from gui.model.game import GameModel
from gui.model.kept_game import KeptGame
from gui.model.pdn import Loaded
from gui.model.seats import HUMAN, Seat, with_person
from gui.screens.dialogs.dialog import Dialog
from gui.storage.autosave import EVOLVING
from gui.storage.game_text import review_in
from gui.storage.whole_files import in_words, write_whole
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App
    from gui.screens.play.games import GamesScreen
    from gui.screens.screen import Screen


def begin(app: App, opponent: Seat, colour: str, make: Callable[[tuple[Seat, Seat]], GameModel] = GameModel) -> None:
    """Begin a game, above the screen that lists runs if one is open; `make` creates the game of two players."""
    app.go_home(keep=lambda screen: screen.browses)
    app.open(app.screens.play(app, make(with_person(opponent, colour)).vary()))


def show_loaded(app: App, loaded: Loaded, above: Screen | None = None, *, source: GamesScreen | None = None) -> None:
    """Show a game or position above the screen that it comes from; the current game is saved.

    Args:
        above: the screen to which closing it returns.
    """
    model = loaded.model
    model.go_to(0 if model.over and model.plies else len(model.plies))
    app.go_home(keep=lambda screen: screen is above or screen.browses)
    flipped = app.services.settings.flipped(False)
    app.open(app.screens.play(app, model, flipped=flipped, recorded=bool(model.plies), source=source))
    if loaded.warning:
        app.say(loaded.warning, "warning")


LARGEST_PASTE = 500_000
"""Maximum length of a pasted text in characters, since it is read within one frame. A game has about a thousandth of
this length."""


def pdn_date(when: float | None = None) -> str:
    """Return the day of a time in seconds since 1970, or today, as PDN writes it."""
    day = datetime.date.today()
    if when is not None:
        with contextlib.suppress(OSError, ValueError, OverflowError):
            day = datetime.date.fromtimestamp(when)
    return f"{day:%Y.%m.%d}"


def why_not_writable(path: Path) -> str:
    """Return why a file certainly cannot be written; empty if writing may succeed."""
    with contextlib.suppress(OSError, RuntimeError):
        target = path.resolve()  # the target of a link
        if target.exists() and not target.is_file():
            return f"{path.name} cannot be written: it is {kind_of(target)}."
    return ""


def write_data(path: Path, data: bytes) -> str:
    """Write a file completely or not at all; return an error message, or an empty string."""
    trouble = why_not_writable(path)
    if trouble:
        return trouble
    try:
        write_whole(path.resolve(), data)
    except (OSError, ValueError, RuntimeError) as error:
        return f"{path.name} cannot be written: {in_words(error)}."
    return ""


PICTURES = "pictures"
"""The folder in the data folder for pictures that cannot be copied."""

TEXTS = (".pdn", ".fen")


def shared_pages() -> dict[str, Any]:
    """Return the formats that extras add for games, by the endings of their files."""
    return {f".{name}": each for name, each in formats("game").items()}


def drawn() -> tuple[str, ...]:
    """Return the endings of pictures of the visible position."""
    return ".png", *(f".{name}" for name in formats("position"))


def save_command(
    app: App, model: GameModel, review: Review | None = None, *, flipped: bool = False, group: str = "Files"
) -> Command:
    pages = "".join(f"{ending}, " for ending in shared_pages())
    return Command(id="save", name="Save the game", keys=("s", "ctrl+s"), icon="save", group=group,
                   run=lambda: save_game(app, model, review=review, flipped=flipped),
                   about=f"Write the game as .pdn, {pages}or the position as .fen, {', '.join(drawn())}")  # fmt: skip


def save_game(
    app: App, model: GameModel, when: float | None = None, review: Review | None = None, *, flipped: bool = False
) -> None:
    """Ask for a file, and write the game with its review, or the visible position.

    Args:
        when: the time when it was played, in seconds since 1970; today if None.
    """
    day = pdn_date(when)
    kinds = (*TEXTS, *shared_pages(), *drawn())
    name = f"game-{day.replace('.', '-')}{kinds[0]}"
    share(app, name, kinds, lambda kind: _saved(model, day, review, kind, flipped), title="Save the game")


def save_all(app: App, games: Sequence[KeptGame]) -> None:
    def whole() -> bytes:
        texts = [
            pdn.to_pdn(kept.model, pdn_date(game.when), review_in(kept.extra, kept.model))
            for game in games
            if (kept := app.services.autosave.read(app.services.kept.path(game))) is not None
        ]
        return "\n".join(texts).encode(errors="replace")

    name = f"games-{pdn_date().replace('.', '-')}.pdn"
    share(app, name, TEXTS[:1], lambda kind: whole, title=f"Save {count_text(len(games), 'game')}")


def share(
    app: App,
    name: str,
    kinds: Sequence[str],
    make: Callable[[str], Callable[[], bytes]],
    title: str = "Share",
    sent: str = "",
) -> None:
    """Ask for a file, and write what `make` prepares for its suffix, in the background.

    Args:
        sent: what it is, to say so afterwards, if it is a file to send.
    """
    from gui.screens.dialogs.files import FOLDER, SENT, Files

    def take(path: Path) -> str:
        kind = path.suffix.lower()
        if kind not in kinds:
            names = " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
            return f"{path.name} cannot be written: expected a name that ends in {names}."
        trouble = why_not_writable(path)
        if not trouble:
            work = make(kind)
            app.services.background.ask(app, str(path), work, partial(_write_shared, app, path, sent))
            app.say(f"Writing {path.name}")
        return trouble

    app.open(Files.to_save(app, name, take, kinds, title, SENT if sent else FOLDER))


def _saved(model: GameModel, day: str, review: Review | None, kind: str, flipped: bool) -> Callable[[], bytes]:
    if kind in TEXTS:
        text = model.shown.fen() + "\n" if kind == ".fen" else pdn.to_pdn(model, day, review)
        return partial(text.encode, errors="replace")
    if kind in drawn():
        make = pictures.png if kind == ".png" else formats("position")[kind[1:]].of_position
        return partial(make, model.shown, PICTURE, flipped)
    return partial(shared_pages()[kind].of_game, pdn.to_game(model, day), review)


PICTURE = 800
"""Width of a picture of a position in pixels."""


def _write_shared(app: App, path: Path, sent: str, data: bytes | Trouble) -> None:
    trouble = f"{path.name} cannot be written: {data.text}" if isinstance(data, Trouble) else write_data(path, data)
    app.say(trouble or f"Saved as {path}{sent and f', {sent}'}", "warning" if trouble else "check")
    if not trouble and path.suffix.lower() in TEXTS:
        app.services.remember_file(path)


def copy_picture(app: App, model: GameModel, seats: Sequence[Seat], *, flipped: bool = False) -> None:
    """Copy a picture of the visible position with both names, or save it where only texts can be copied."""
    ply, ended = model.shown_ply, model.ending is not None and model.at_end
    words = model.ending.headline if model.ending is not None and ended else "" if ply is None else str(ply.move)
    names = ["Person" if seat.shown == HUMAN.shown else seat.brief for seat in seats]
    png = pictures.still(model.shown, names, words, ply.move.path if ply else (), flip=flipped)
    if app.services.clipboard.copy_picture(png):
        app.say("Copied the picture.", "check")
        return
    folder, day = app.services.kept.data / PICTURES, pdn_date().replace(".", "-")
    path = next(path for number in count(1) if not (path := folder / f"board-{day}-{number}.png").exists())
    trouble = write_data(path, png)
    app.say(trouble or f"Saved the picture as {path}", "warning" if trouble else "check")


def open_file(app: App) -> None:
    from gui.screens.dialogs.files import Files

    app.open(Files.to_open(app, lambda path: app.open_path(str(path))))


def copy_game(app: App, model: GameModel, review: Review | None = None) -> None:
    copy(app, pdn.to_pdn(model, pdn_date(), review), "Copied the game as PDN.")


def copy_position(app: App, position: Position) -> None:
    copy(app, position.fen(), "Copied the position as FEN.")


def copy(app: App, text: str, done: str) -> None:
    """Copy a text to the clipboard; report `done`, or why it failed."""
    trouble = app.services.clipboard.copy(text)
    app.say(trouble or done, "warning" if trouble else "check")


def paste(app: App) -> None:
    text = app.services.clipboard.paste()
    if not text.strip():
        app.say("There is no text on the clipboard.", "warning")
        return
    if len(text) > LARGEST_PASTE:
        size, most = f"{len(text) / 1e6:,.1f} MB", f"{LARGEST_PASTE / 1e6:g} MB"
        app.say(f"The clipboard holds {size} of text, more than {most}: save and open it as a file.", "warning")
        return
    try:
        show_loaded(app, pdn.read(text))
    except InputError as error:
        app.say(str(error), "warning")


def show_kept(app: App, game: KeptGame, source: GamesScreen | None = None) -> None:
    """Continue a kept game, or show it if it is over, with the way to the other games of the list."""
    autosave, path = app.services.autosave, app.services.kept.path(game)
    kept = autosave.read(path) if game.over else autosave.take(path)
    if kept is None:
        app.say(autosave.trouble or "This game is open in another window.", "warning")
        return
    over, flipped = kept.model.over, kept.extra.get("flipped")
    evolving = None if over else app.screens.evolving(app, kept)
    lost = not over and evolving is None and EVOLVING in kept.extra
    if lost:
        black, white = (Seat(title=seat.shown) if seat.player else seat for seat in kept.model.seats)
        kept.model.seats = black, white
        app.say("The run of this opponent is gone or has another name, so the game can only be viewed.", "warning")
    app.open(evolving or app.screens.play(
        app, kept.model, flipped=flipped if isinstance(flipped, bool) else None, recorded=over or lost,
        kept=kept if over or lost else None, source=source,
    ))  # fmt: skip


def ask_to_delete(app: App, game: KeptGame, done: Callable[[], object]) -> None:
    def delete() -> None:
        trouble = app.services.autosave.delete(app.services.kept.path(game))
        app.say(trouble, "warning")
        done()

    answers = (("Delete", "return", delete), ("Keep", "escape", lambda: None))
    text = f"{game.players}, {game.moves_text}, {game.outcome}, {game.date}. This cannot be undone."
    app.open(Dialog(app, "Delete this game?", text, answers, "danger"))
