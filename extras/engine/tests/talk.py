"""A conversation with an engine, for tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from extras.engine.engine import Engine
from game.players.player import Player


class Talk:
    """An engine in a thread, to which lines are sent one by one."""

    def __init__(self, player: Player) -> None:
        self.answers: list[str] = []
        self._lines: list[str | None] = []
        self._more = threading.Condition()
        self.engine = Engine(player, self._hear)
        self._thread = threading.Thread(target=self.engine.run, args=(self._sent(),), daemon=True)
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
