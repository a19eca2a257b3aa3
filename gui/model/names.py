"""Names of players in words, and as they are written."""

from __future__ import annotations

from collections.abc import Sequence

from game.players.names import PlayerName


def individual(target: str, member: str | None = None) -> str:
    """The name of an individual of a run, a generation (``RUN@15``) or a file; without `member` of its best."""
    return PlayerName.of(target, member).text


def title_of(name: str, source: str, generation: int | None = None, rank: int | None = None) -> str:
    """What the window calls an individual during a game: its short name, and the rest in brackets.

    The best of a generation is the champion of its run: ``Crownhead champion (gen 100)``; others keep their names:
    ``Gen15_0111 (alpha, gen 15, rank 4)``. `Seat.brief` and `Seat.detail` take it apart.
    """
    if generation is None or source.lower().endswith(".csv"):
        return f"{name} ({source})" if source else name
    if rank == 1:
        return f"{source[:1].upper()}{source[1:]} champion (gen {generation})"
    place = "" if rank is None else f", rank {rank}"
    return f"{name} ({source}, gen {generation}{place})"


def several(names: Sequence[str], shown: int = 4) -> str:
    """A list of names as text; of very many only the first are named."""
    more = [f"{len(names) - shown + 1:,} more"] if len(names) > shown else []
    said = [*(names[: shown - 1] if more else names), *more]
    return " and ".join([*([", ".join(said[:-1])] if said[1:] else []), *said[-1:]])
