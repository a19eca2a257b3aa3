"""The shelves of opponents: levels, what you have evolved or opened, and exhibits; and a search in all of them.

`Shelves.step` does a little of the reading and returns.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.config.anchors import shown_text
from evolve.run.files import Stamp
from evolve.run.row_index import RowIndex
from evolve.run.runs import SHIPPED, run_title
from evolve.strength.levels import AT_RATING, LEVELS
from game.board import Position
from game.errors import capital
from game.players.registry import KINDS
from gui.individuals.individual import NO_GENERATION, EntryKind, ListedPlayer
from gui.individuals.opponents import first_of_file
from gui.model.lines import pieces_of
from gui.model.pdn import late_pieces
from gui.runs.session_state import ICONS

if TYPE_CHECKING:
    from evolve.run.row_index import Head
    from game.players.names import PlayerName
    from gui.model.lines import Piece
    from gui.runs.live_run import LiveRun
    from gui.runs.sources import Source
    from gui.services import Services
    from gui.widgets.base import Command

SHELVES = LEVEL, YOURS, EXHIBITS = "Levels", "Yours", "Characters and exhibits"

MOST_RESULTS = 300

_BORN = re.compile(r"gen0*([0-9]{1,9})_[0-9]+")
"""The name of an individual, with the generation in which it was born."""


@dataclass(frozen=True)
class Offer:
    """An opponent on a shelf.

    Attributes:
        source: the run or file it comes from; None for others.
        level: its index in `LEVELS`, or `AT_RATING`; -1 for others.
        words: what a search finds besides title and line, in phrases.
        command: what an extra offers instead of an opponent.
    """

    player: ListedPlayer
    title: str
    line: str = ""
    source: Source | None = None
    level: int = -1
    words: tuple[str, ...] = ()
    command: Command | None = None

    @property
    def key(self) -> tuple[object, ...]:
        return self.level, self.player.player, self.title, self.player.generation if self.player.trouble else None

    @property
    def text(self) -> str:
        return " ".join((self.title, self.line, *self.words))

    @property
    def rating(self) -> str:
        """Its rating as text; empty if it is not rated."""
        return "" if self.player.rating is None else shown_text(self.player.rating[0])

    @property
    def icon(self) -> str:
        if self.command is not None:
            return self.command.icon
        if self.player.trouble:
            return "warning"
        if self.source is not None:
            return (ICONS[self.source.state] if self.source.live else "evolution") if self.source.is_run else "file"
        signs = {EntryKind.EXTERNAL: "program", EntryKind.BUILT_IN: "dice" if self.player.player == "random" else "men"}
        return signs.get(self.player.kind, "person")


class Shelves:
    """All opponents.

    Attributes:
        other: an opponent that is on no shelf, such as an individual of an earlier generation; it is listed with yours.
        results: what the search has found so far; None if nothing is searched.
        more: returns opponents that are on no shelf, and that the search finds.
    """

    def __init__(self, services: Services) -> None:
        self.other: Offer | None = None
        self.results: list[Offer] | None = None
        self.more: Callable[[], Sequence[Offer]] = lambda: ()
        self._opponents, self._sources = services.opponents, services.sources
        self._text = ""
        self._search: Iterator[None] | None = None
        self._order: list[Source] = []
        self._looked = -1
        self._runs: dict[Path, Source] = {}
        self._unread: list[Path] = []
        self._boards: dict[tuple[Path, int], Mapping[int, Piece] | None] = {}  # by run and generation
        self._wanted: dict[tuple[Path, int], None] = {}
        self._firsts: dict[Path, tuple[Stamp, ListedPlayer]] = {}
        self._shelves: dict[str, list[Offer]] = {}
        self._sources.look_soon()
        self.arrange()

    def __getitem__(self, shelf: str) -> list[Offer]:
        return self._shelves[shelf]

    @property
    def busy(self) -> bool:
        return self._sources.busy or bool(self._unread or self._wanted) or self._search is not None

    def step(self, now: float, seconds: float) -> bool:
        """Work for about some seconds; return whether something may have changed."""
        sources, end = self._sources, time.perf_counter() + seconds
        changed = sources.step(now, seconds)
        if self._looked != sources.looks:
            self._looked = sources.looks
            runs = {run.path: run for run in (*sources.members, *reversed(sources.runs))}
            self._unread = [path for path, run in runs.items() if self._runs.get(path) != run or path in self._unread]
            self._runs = runs
        while self._unread and time.perf_counter() < end:
            live = sources.live(self._unread[-1])
            news = live.read_log()
            changed = live.read_config() or news.anew or bool(news.lines) or changed
            if not news.more:
                self._unread.pop()
        if changed:
            self.arrange()
        for game in list(self._wanted):
            if time.perf_counter() < end and self._read_board(*game):
                del self._wanted[game]
                changed = True
        while self._search is not None and time.perf_counter() < end:
            changed = True
            if next(self._search, self) is self:
                self._search = None
        return changed

    def arrange(self) -> None:
        sources = self._sources
        self._order = sources.in_order(self._order)
        every = [*self._order, *sources.members, *sources.all_files]
        yours = [self._offer(each) for each in every if not _about(each)]
        if self.other is not None and all(offer.key != self.other.key for offer in yours):
            yours.insert(0, self.other)
        for name in sources.programs:
            title = name.member or name.target
            player = ListedPlayer(None, None, title, EntryKind.EXTERNAL, name.text, name.target)
            yours.append(Offer(player, title, "a program"))
        exhibits = sorted((self._offer(each) for each in every if _about(each)), key=lambda each: each.title)
        for kind in KINDS.values():
            if kind.title:
                player = ListedPlayer(None, None, kind.title, EntryKind.BUILT_IN, kind.target)
                exhibits.append(Offer(player, kind.title, re.split("[:,.]", kind.about)[0]))
        self._shelves = {LEVEL: self._levels(), YOURS: yours, EXHIBITS: exhibits}

    def _levels(self) -> list[Offer]:
        by_name = {run.name: run for run in self._sources.runs}
        levels = [self._opponents.level_at(number) for number in range(AT_RATING + 1)]
        champions = ((level, self._opponents.champion_of(level)) for level in levels)
        return [
            Offer(player, level.name, level.style, by_name.get(level.run), number, ("level", level.play, level.suits))
            for number, (level, player) in enumerate(champions)
            if player is not None
        ]

    def _offer(self, source: Source) -> Offer:
        if not source.is_run:
            player = self._first(source.path)
            alone = player.kind is EntryKind.EXTERNAL
            about = "A file with a player." if alone else f"A file; its first player is {player.name}."
            line = player.trouble or _about(source) or about
            return Offer(player, run_title(source.name), line, source, words=(source.name,))
        live, newest = self._sources.live(source.path), source.newest
        player = ListedPlayer.of_champion(source, live, newest)
        if player.rating is None:  # its session did not rate it
            ratings = (level.interval for level in reversed(LEVELS) if level.player == player.player)
            player = player._replace(rating=next(ratings, None))
        noted = () if source.about is None else (*source.tags, source.note)
        hidden = "hidden" if source.archived else ""
        words = f"champion of {source.name}", live.preset, *noted, source.state, hidden, player.name
        line = source.trouble or _about(source) or _progress(source, live, player)
        return Offer(player, run_title(source.name), line, source, words=words)

    def _first(self, path: Path) -> ListedPlayer:
        stamp, player = self._firsts.get(path, (Stamp(path), None))
        if stamp.refresh() or player is None:
            player = first_of_file(path)
        self._firsts[path] = stamp, player
        return player

    def find(self, player: str, level: int = -1) -> tuple[str, Offer] | None:
        """Return the shelf and the offer of a level or, without one, of a player; None if it is on no shelf."""
        for shelf in SHELVES:
            for offer in self._shelves[shelf]:
                if offer.level == level and (level >= 0 or offer.player.player == player):
                    return shelf, offer
        return None

    def add_program(self, name: PlayerName) -> None:
        if name not in self._sources.programs:
            self._sources.programs.append(name)
        self.arrange()

    def keep(self, offer: Offer) -> None:
        """List an opponent with yours if it is on no shelf."""
        if not any(each.key == offer.key for shelf in SHELVES for each in self._shelves[shelf]):
            self.other = offer
            self.arrange()

    def pieces(self, offer: Offer) -> Mapping[int, Piece] | None:
        """Return a position from a game of a level or champion; None if it has none, or until it is read."""
        player, source = offer.player, offer.source
        if offer.level >= 0:
            return _pieces(self._opponents.level_at(offer.level).position)
        if source is None or not source.is_run or player.generation is None or player.trouble:
            return None
        game = source.path, player.generation
        if game not in self._boards:
            self._wanted[game] = None
        return self._boards.get(game)

    def _read_board(self, run: Path, generation: int) -> bool:
        live = self._sources.live(run)
        live.read()
        if live.busy:
            return False
        self._boards[run, generation] = late_pieces(live.games_of(generation))
        return True

    @property
    def text(self) -> str:
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text
        words = text.lower().split()
        self.results = [] if words else None
        self._search = self._look_for(words, self.results) if self.results is not None else None

    def _look_for(self, words: list[str], results: list[Offer]) -> Iterator[None]:
        """Find offers, then champions of earlier generations, then individuals by their names."""
        fits = finder(words)
        while self._sources.busy or self._unread:
            yield
        offers = [offer for shelf in SHELVES for offer in self._shelves[shelf]]
        offers = [*{offer.key: offer for offer in (*offers, *self.more())}.values()]
        if "hidden" in words:
            offers += map(self._offer, self._sources.archived)
        found = (_with_reason(each, words) for each in offers if fits(each.text))
        results += sorted(found, key=lambda each: each.title.lower().split() != words)
        matches = {each.source.path for each in results if each.source is not None and each.level < 0}
        runs = sorted((*self._order, *self._sources.members), key=lambda run: bool(_about(run)))
        for run in runs:
            if run.path in matches:  # by its own words, which all of its generations have
                continue
            live = self._sources.live(run.path)
            live.read()
            while live.busy:
                yield
                live.read()
            for generation in range(run.newest, -1, -1):
                player = ListedPlayer.of_champion(run, live, generation)
                line = f"Champion of {run_title(run.name)}{'. ' * bool(player.trouble)}{player.trouble}"
                offer = Offer(player, f"Generation {generation}", line, run, words=(run.name, player.name))
                if fits(offer.text):
                    results.append(_with_reason(offer, words))
            yield
        for source in (*runs, *self._sources.all_files):
            for number in _generations(source, words):
                rows = RowIndex(source.file(number), source.checksums(number))
                while rows.step():
                    yield
                known = {result.player.name for result in results if result.source == source}
                for head in rows.heads:
                    if head.name not in known and fits(f"{head.name} of {source.name} {run_title(source.name)}"):
                        results.append(_individual(source, number, head, kept=rows.weights > 0))
                if len(results) > MOST_RESULTS:
                    return


@lru_cache(maxsize=len(LEVELS))
def _pieces(fen: str) -> Mapping[int, Piece]:
    return pieces_of(Position.from_fen(fen))


def _with_reason(offer: Offer, words: list[str]) -> Offer:
    """Return an offer whose line begins with what a search has found besides its title and line."""
    shown = f"{offer.title} {offer.line}"
    missing = [word for word in words if not finder([word])(shown)]
    reasons = [phrase for phrase in offer.words if any(finder([word])(phrase) for word in missing)]
    return replace(offer, line=capital(". ".join(filter(None, (*reasons, offer.line))))) if reasons else offer


def _individual(source: Source, number: int, head: Head, *, kept: bool) -> Offer:
    if source.is_run:
        player = ListedPlayer.of_generation(source, number, head, kept=kept)
    else:
        player = ListedPlayer.of_file(source.path, head)
    rank = f", rank {head.rank}" if head.rank else ""
    place = f"generation {number:,} of {source.name}{rank}" if source.is_run else source.name
    return Offer(player, head.name, player.trouble or capital(place), source)


def _generations(source: Source, words: list[str]) -> list[int]:
    """Return the generations in which individuals with these names can be: the newest, and that of their birth.

    A file has a single one.
    """
    if not source.is_run:
        return [0]
    born = [int(name[1]) for word in words if (name := _BORN.fullmatch(word))]
    return [*dict.fromkeys((source.newest, *(number for number in born if number <= source.newest)))] if born else []


def finder(words: list[str]) -> Callable[[str], bool]:
    """Return a function that looks for all words in a text; numbers must be whole, and no part of a time."""
    words = [word.replace(",", "") for word in words]
    patterns = [
        re.compile(rf"(?<![\w:])0*{word}(?![\w:])" if word.isdecimal() else re.escape(word), re.IGNORECASE)
        for word in words
    ]
    return lambda text: all(pattern.search(text.replace(",", "")) for pattern in patterns)


def _about(source: Source) -> str:
    return SHIPPED.get(source.name, ("", ""))[1]  # no other run can have one of these names


def _progress(source: Source, live: LiveRun, champion: ListedPlayer) -> str:
    """Return how far a run has come, what its champion beats unless it is rated, and when it changed."""
    if source.newest < 0:
        return NO_GENERATION
    verdict, parts = live.verdict, [f"Generation {source.newest:,}"] * (source.newest > 0)
    if verdict is not None and verdict.opponent and champion.rating is None:
        parts.append(f"{'rated above' if verdict.by < 0 else 'beats'} {verdict.opponent}")
    if source.state not in ("", "done"):
        parts.append(source.state)
    return capital(", ".join([*parts, source.date]))
