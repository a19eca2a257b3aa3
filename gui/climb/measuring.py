"""Measures a champion that nobody has rated: a few games against fixed opponents, by a process of its own. No pygame.

The process is ``main.py ladder``, whose games need neither this window nor its thinking process. What is taken of it is
what a session takes of its own rating games: results against anchors of known ratings. The champion plays as it did
there, and does in rated games here: without tablebases.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.strength.elo import RatingEstimate, rate_against
from game.errors import InputError
from game.installation import PROGRAM
from gui.individuals.background import Background, Trouble
from gui.storage.places import in_words, read_bytes, write_whole

if TYPE_CHECKING:
    import subprocess

NAME = "measured_champions.json"
GAMES = 10
"""Against each anchor, as a session plays."""


class Measuring:
    """Ratings of champions that were measured here, by a text that is the same for the same genome.

    Args:
        folder: where they are kept.
        command: what is started, before its options; the command line of this program if empty.

    Attributes:
        trouble: why the last one could not be measured or kept, in one sentence; empty if all is well.
        present: who is measured now; empty if nobody is.
        stamp: changes with what is known.
    """

    def __init__(self, folder: Path, command: Sequence[str] = ()) -> None:
        self.trouble = self.present = ""
        self.stamp = 0
        self._path = folder / NAME
        self._command = command
        self._known: dict[str, Any] | None = None
        self._background = Background()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def find(self, key: str) -> tuple[float, float, float] | None:
        """The rating of a champion with the ends of its interval; None if nobody has measured it."""
        if self._known is None:
            self._known = self._read()
        values = self._known.get(key)
        if not isinstance(values, list) or len(values) != 3 or any(type(each) not in (int, float) for each in values):
            return None
        value, low, high = map(float, values)
        return value, low, high

    def begin(self, key: str, player: str, runs: Path) -> None:
        """Measure a player in the background; one at a time."""
        if not self.present:
            self.present, self.trouble = key, ""
            options = ["ladder", player, "--games", f"{GAMES}", "--workers", "1", "--runs", str(runs), "--json"]
            self._background.ask(key, lambda: self._measure(player, options))

    def step(self) -> bool:
        """Take what was measured; returns whether anything changed."""
        found = self._background.poll()
        for key, result in found:
            self.present = ""
            self.stamp += 1
            if isinstance(result, RatingEstimate):
                self._keep(key, result)
            else:
                self.trouble = f"It could not be measured: {result.text if isinstance(result, Trouble) else result}"
        return bool(found)

    def close(self) -> None:
        """End what is being measured."""
        self._closed = True
        self._background.close()
        if self._process is not None:
            self._process.kill()

    def _measure(self, player: str, options: Sequence[str]) -> RatingEstimate:
        import subprocess

        from gui.sessions.launch import MAIN

        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        if sys.platform == "win32":
            quiet["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        else:
            quiet["process_group"] = 0
        self._process = process = subprocess.Popen([*(self._command or (sys.executable, str(MAIN))), *options], **quiet)
        if self._closed:
            process.kill()
        out, said = process.communicate()
        if process.returncode:
            words = said.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise InputError(words[0].removeprefix(f"{PROGRAM}: ") if words else f"code {process.returncode}")
        return rating_of(json.loads(out), player)

    def _keep(self, key: str, rating: RatingEstimate) -> None:
        self._known = self._read() | {
            key: [rating.value, rating.low, rating.high]
        }  # another window may have added some
        try:
            write_whole(self._path, json.dumps(self._known, indent=1).encode() + b"\n")
        except OSError as error:
            self.trouble = f"What was measured cannot be kept in {self._path.parent}: {in_words(error)}."

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(read_bytes(self._path) or b"{}")
        except (OSError, ValueError, RecursionError):
            return {}  # it can be measured again
        return found if isinstance(found, dict) else {}


def rating_of(ladder: dict[str, Any], player: str) -> RatingEstimate:
    """The rating of the one player of a ladder that is no anchor, by its matches against these.

    Raises:
        InputError: it won or lost all of its games, so nothing bounds its rating.
    """
    from evolve.config.anchors import CHAIN, RATINGS

    known = []
    for each in ladder["pairings"]:
        names, counts = (each["a"], each["b"]), each["pentanomial"]
        if names[1] in RATINGS and names[0] not in RATINGS:
            known.append((RATINGS[names[1]], counts))
        elif names[0] in RATINGS and names[1] not in RATINGS:
            known.append((RATINGS[names[0]], counts[::-1]))
    rating = rate_against(known)
    if not abs(rating.value) < float("inf"):
        raise InputError(f"{player} {'won' if rating.value > 0 else 'lost'} all games against {len(CHAIN)} opponents.")
    return rating
