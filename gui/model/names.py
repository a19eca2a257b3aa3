"""Names of players in words, and as they are written."""

from __future__ import annotations

from collections.abc import Sequence

from game.players.names import PlayerName


def individual(target: str, member: str | None = None) -> str:
    """The name of an individual of a run, a generation (``RUN@15``) or a file; without `member` of its best."""
    return PlayerName.of(target, member).text


def several(names: Sequence[str], shown: int = 4) -> str:
    """A list of names as text; of very many only the first are named."""
    more = [f"{len(names) - shown + 1:,} more"] if len(names) > shown else []
    said = [*(names[: shown - 1] if more else names), *more]
    return " and ".join([*([", ".join(said[:-1])] if said[1:] else []), *said[-1:]])
