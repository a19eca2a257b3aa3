"""What players like about positions, computed in the thinking process during its searches, which hold no lock."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from game.players.names import PlayerName
from gui.thinking.messages import Liked, LikesRequest

if TYPE_CHECKING:
    from game.players.player import Player

log = logging.getLogger(__name__)


class Liking:
    """Answers requests in a thread of its own, the newest one only.

    Args:
        send: called with each answer, from that thread.
    """

    def __init__(self, send: Callable[[Liked], object]) -> None:
        self._send = send
        self._waiting: queue.SimpleQueue[LikesRequest] = queue.SimpleQueue()
        self._ready = threading.Event()
        self._game = 0
        self._known: dict[PlayerName, Player] = {}
        self._thread: threading.Thread | None = None

    def allow(self) -> None:
        """Everything is loaded and compiled that moves take, which come first."""
        self._ready.set()

    def ask(self, request: LikesRequest) -> None:
        """Answer a request soon, unless a newer one comes."""
        self._waiting.put(request)
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        self._ready.wait()
        while True:
            request = self._waiting.get()
            while not self._waiting.empty():
                request = self._waiting.get()
            self._send(self._answer(request))

    def _answer(self, request: LikesRequest) -> Liked:
        from game.errors import InputError
        from game.likes import likes
        from game.players.player import PlayerFailure
        from game.players.registry import player

        if request.game != self._game:  # files of players may have changed
            self._game, self._known = request.game, {}
        try:
            if request.player not in self._known:
                self._known[request.player] = player(request.player)
            return Liked(request, likes(self._known[request.player], request.position, request.side))
        except (InputError, PlayerFailure) as error:
            return Liked(request, None, " ".join(str(error).split()))
        except Exception as error:
            log.exception("what a player likes cannot be found")
            return Liked(request, None, f"a fault of the program: {type(error).__name__}")
