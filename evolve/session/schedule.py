"""The time in which a session is to end, and the last generation with which it does.

Since other players play longer or shorter games and other programs come and go, it is chosen anew while the session
runs: before each generation, from the times of the newest ones.
"""

from __future__ import annotations

from collections import deque

from evolve.session.forecast import Forecast

RECENT = 6
"""Number of generations whose times correct the estimate."""


class Schedule:
    """The time in which a session is to end, in seconds from its first game."""

    def __init__(self, forecast: Forecast, seconds: float) -> None:
        self._forecast, self.seconds = forecast, seconds
        self._recent: deque[tuple[float, float]] = deque(maxlen=RECENT)

    def add(self, generation: int, seconds: float, *, rated: bool) -> None:
        expected = self._forecast.seconds(generation) + rated * self._forecast.rating(generation)
        self._recent.append((expected, seconds))

    def last(self, generation: int, elapsed: float, planned: int) -> int:
        """Return the last generation: this one if one more would take the session further from its time."""
        expected, seconds = (sum(column) for column in zip(*self._recent, strict=True)) if self._recent else (1.0, 1.0)
        left = (self.seconds - elapsed) * expected / max(seconds, 1e-9)
        one, two = (total for total, _ in self._forecast.sums(generation, generation + 1, timed=True))
        if abs(two - left) > abs(one - left):
            return generation
        return self._forecast.fitting(generation, left)[0] if generation >= planned else planned
