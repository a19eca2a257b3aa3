"""A conversation with an engine, for the tests of both protocols."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from extras.engine.engine import Engine
from extras.engine.hub import Hub
from game.players.player import Player


class Talk:
    """An engine in a thread, to which lines are sent one by one.

    Args:
        hub: whether lines pass through the translation of the Hub protocol.
    """

    def __init__(self, player: Player, *, hub: bool = False) -> None:
        self.answers: list[str] = []
        self._lines: list[str | None] = []
        self._more = threading.Condition()
        translation = Hub(self._hear, player) if hub else None
        self.engine = Engine(player, translation.write if translation else self._hear)
        lines = translation.lines(self._sent()) if translation else self._sent()
        self._thread = threading.Thread(target=self.engine.run, args=(lines,), daemon=True)
        self._thread.start()

    def _hear(self, line: str) -> None:
        with self._more:
            self.answers.append(line)
            self._more.notify_all()

    def _sent(self) -> Iterator[str]:
        while True:
            with self._more:
                self._more.wait_for(lambda: self._lines)
                line = self._lines.pop(0)
            if line is None:
                return
            yield line

    def tell(self, *lines: str | None) -> None:
        with self._more:
            self._lines += lines
            self._more.notify_all()

    def wait(self, right: Callable[[str], bool], count: int = 1) -> str:
        """Return the line for which something is right, when so many have come."""

        def results() -> list[str]:
            return [line for line in self.answers if right(line)]

        with self._more:
            assert self._more.wait_for(lambda: len(results()) >= count, 60), self.answers
            return results()[count - 1]

    def bestmove(self, count: int = 1) -> str:
        return self.wait(lambda line: line.startswith("bestmove "), count).split()[1]

    def end(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()
