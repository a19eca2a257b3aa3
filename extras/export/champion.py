"""The commands that save a player as a file to send."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.strength.levels import LEVELS, level_of
from extras import file_kind, formats
from game.errors import InputError
from game.players.names import parse_name
from gui.individuals.individual import EntryKind, ListedPlayer
from gui.model.seats import individual
from gui.screens.entries import Entry, ask_which
from gui.screens.play.game_files import share
from gui.screens.sessions.session import NO_GENERATION, SessionScreen
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.app import App


class ChampionEntry(Entry):
    screen: SessionScreen

    def commands(self) -> Sequence[Command]:
        return [Command(id="send", name="Share the champion", keys=("ctrl+s",), run=self._send, icon="save",
                        about=f"Save this champion as {_texts()}, to send to a friend", group="The champion",
                        enabled=self.screen.generation >= 0, why=NO_GENERATION)]  # fmt: skip

    def _send(self) -> None:
        run, generation = self.screen.run, self.screen.generation
        player = individual(f"{run.player_name}@{generation}")
        _save(self.app, f"{run.name}-{generation}", player, "Share the champion")


def share_command(app: App, players: Sequence[ListedPlayer], why: str) -> Command:
    """Return the command that saves a player as a page that plays in any browser; of several, it asks which."""
    of_network = [player for player in players if player.player and player.kind is not EntryKind.BUILT_IN]
    able = [player for player in of_network if not app.services.opponents.is_policy(player.player)]  # pages search
    return Command(id="send", name="Share", keys=("ctrl+s",), icon="save", enabled=bool(able), why=why,
                   run=lambda: ask_which(app, "Which player", able, partial(_share, app), "save"),
                   about="Save it as a page that plays in any browser, to send to a friend")  # fmt: skip


def _share(app: App, player: ListedPlayer) -> None:
    """Ask for a file, and write the player to it in the background; the window says where it is."""
    bare, _, depth = player.player.rpartition(",depth=")
    level = level_of(bare, int(depth)) if depth.isdecimal() else -1
    name = LEVELS[level].name if level >= 0 else app.services.opponents.name_of(player)
    _save(app, "-".join(name.lower().split()), player.player, f"Share {name}")


def _save(app: App, name: str, player: str, title: str) -> None:
    kinds, runs = [f".{each}" for each in formats("champion")], app.services.runs
    share(app, f"{name}{kinds[0]}", kinds, lambda kind: partial(_page, player, runs, kind[1:]), title, _texts())


def _texts() -> str:
    return " or ".join(each.TEXTS["champion"] for each in formats("champion").values())


def _page(text: str, runs: Path, kind: str) -> bytes:
    from evolve.names.registration import resolve

    name = parse_name(text)
    file = file_kind(name.target)
    player = resolve(name, runs) if file is None else file.resolve(name)
    if player is None or player.network is None:
        raise InputError(f"{text} has no network that could play on a page.")
    data: bytes = formats("champion")[kind].of_player(player, runs)
    return data
