"""The commands that save a player as a file to send, and the processes that write such files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.strength.levels import LEVELS, level_of
from extras import file_kind, formats
from game.errors import InputError
from game.players.names import parse_name
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.model.seats import individual
from gui.screens.dialogs.dialog import Menu
from gui.screens.dialogs.files import Files
from gui.screens.entries import Entry
from gui.screens.play.game_files import share
from gui.screens.sessions.session import NO_GENERATION, SessionScreen
from gui.sessions import launch
from gui.sessions.launch import Launched
from gui.storage.whole_files import in_words
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App


class WritingEntry(Entry):
    """A command of a run's page that writes files in processes of their own."""

    screen: SessionScreen

    def __init__(self, screen: SessionScreen) -> None:
        super().__init__(screen)
        self._writers: list[tuple[Launched, str]] = []  # and what is said once they have ended

    @property
    def why(self) -> str:
        """The reason why there is nothing to write; empty if there is a generation."""
        return "" if self.screen.generation >= 0 else NO_GENERATION

    def ask(self, name: str, kinds: Sequence[str], write: Callable[[Path], str], title: str) -> None:
        """Ask for a file, and call `write` with it; it returns an error message, or an empty string."""

        def take(path: Path) -> str:
            if path.suffix not in kinds:
                return f"{path.name} cannot be written: expected a name that ends in {' or '.join(kinds)}."
            return write(path)

        self.app.open(Files.to_save(self.app, name, take, kinds, title))

    def begin(self, path: Path, about: str, verb: str, *arguments: str) -> str:
        """Begin to write a file; return an error message, or an empty string."""
        try:
            writer = launch.start(arguments, verb)
        except OSError as error:
            return f"{path.name} cannot be written: {in_words(error)}."
        self._writers.append((writer, f"Saved as {path}, {about}"))
        self.app.say(f"Writing {path.name}")
        return ""

    def step(self) -> bool:
        ended = [each for each in self._writers if not each[0].running]
        for writer, saved in ended:
            self._writers.remove((writer, saved))
            self.app.say(writer.trouble or saved, "warning" if writer.trouble else "check")
        return bool(ended)


class ChampionEntry(WritingEntry):
    """The command that saves the displayed champion."""

    def __init__(self, screen: SessionScreen) -> None:
        super().__init__(screen)
        self._formats = {f".{name}": each.TEXTS["champion"] for name, each in formats("champion").items()}

    def commands(self) -> Sequence[Command]:
        return [Command(id="send", name="Share the champion", keys=("ctrl+s",), run=self._send, icon="save",
                        about=f"Save this champion as {' or '.join(self._formats.values())}", group="The champion",
                        enabled=not self.why, why=self.why)]  # fmt: skip

    def _send(self) -> None:
        generation, kinds = self.screen.generation, tuple(self._formats)
        name = f"{self.screen.run.name}-{generation}{kinds[0]}"
        self.ask(name, kinds, partial(self._export, generation), "Share the champion")

    def _export(self, generation: int, path: Path) -> str:
        player = individual(f"{self.screen.run.player_name}@{generation}")
        return self.begin(path, self._formats[path.suffix], "export", f"--{path.suffix[1:]}={path}", "--", player)


def share_command(app: App, players: Sequence[ListedPlayer], why: str) -> Command:
    """Return the command that saves a player as a page that plays in any browser; of several, it asks which."""
    able = [player for player in players if player.player and player.kind is not EntryKind.BUILT_IN]

    def choose() -> None:
        if len(able) == 1:
            _share(app, able[0])
        else:
            app.open(Menu(app, "Which player", lambda: [_of(app, *each) for each in enumerate(able, 1)]))

    return Command(id="send", name="Share", keys=("ctrl+s",), run=choose, icon="save", enabled=bool(able), why=why,
                   about="Save it as a page that plays in any browser, to send to somebody")  # fmt: skip


def _of(app: App, number: int, player: ListedPlayer) -> Command:
    return Command(id=f"answer{number}", name=player.brief, keys=(str(number),), icon="save",
                   run=partial(_share, app, player), about="Save it as a page")  # fmt: skip


def _share(app: App, player: ListedPlayer) -> None:
    """Ask for a file, and write the player to it in the background; the window says where it is."""
    bare, _, depth = player.player.rpartition(",depth=")
    level = level_of(bare, int(depth)) if depth.isdecimal() else -1
    name = LEVELS[level].name if level >= 0 else app.services.opponents.name_of(player)
    kinds = [f".{name}" for name in formats("champion")]
    work = partial(_page, player.player, app.services.runs)
    share(app, f"{'-'.join(name.lower().split())}{kinds[0]}", kinds, lambda kind: partial(work, kind[1:]),
          title=f"Share {name}")  # fmt: skip


def _page(text: str, runs: Path, kind: str) -> bytes:
    from evolve.names.registration import resolve

    name = parse_name(text)
    file = file_kind(name.target)
    player = resolve(name, runs) if file is None else file.resolve(name)
    if player is None or player.network is None:
        raise InputError(f"{text} has no network that could play on a page.")
    data: bytes = formats("champion")[kind].of_player(player, runs)
    return data
