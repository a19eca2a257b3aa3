"""Where the games of a match start: shuffled ballots, and longer openings when two players would repeat themselves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from game.errors import InputError
from game.openings import Opening, lengthen
from game.rules import DrawRules

LONGEST_OPENING = 24
"""Plies up to which openings are lengthened: there are far more such positions than anybody can play games."""

DRAWS = 100
"""Openings drawn in a row that are known already, before they get one ply more."""

LAST_DRAWS = 10_000
"""The same where no ply more is possible."""


def repeat_ballots(ballots: Sequence[Opening], rules: DrawRules, generator: np.random.Generator) -> Iterator[Opening]:
    """All ballots, again and again, each time in a new order.

    Raises:
        InputError: the draw rules end games within them.
    """
    _checked_room(ballots, rules)
    return _shuffled(ballots, generator)


def vary_openings(ballots: Sequence[Opening], rules: DrawRules, generator: np.random.Generator) -> Iterator[Opening]:
    """All ballots, then longer openings, no position twice.

    Raises:
        InputError: the draw rules end games within the openings, or there are no more.
    """
    length = len(ballots[0].moves)
    room = _checked_room(ballots, rules)
    known = {opening.position for opening in ballots}
    order = _shuffled(ballots, generator)
    yield from itertools.islice(order, len(ballots))
    for plies in range(1, room - length + 1):
        draws = DRAWS if length + plies < room else LAST_DRAWS
        while True:
            longer = (lengthen(next(order), plies, generator) for _ in range(draws))
            new = next((each for each in longer if each.position not in known), None)
            if new is None:
                break
            known.add(new.position)
            yield new
    raise InputError(
        f"--games: two deterministic players would repeat themselves, there are only {len(known)} different openings "
        f"of up to {room} plies here; ask for fewer games"
    )


def _shuffled(ballots: Sequence[Opening], generator: np.random.Generator) -> Iterator[Opening]:
    while True:
        for index in generator.permutation(len(ballots)).tolist():
            yield ballots[index]


def _checked_room(ballots: Sequence[Opening], rules: DrawRules) -> int:
    """Most plies of an opening that surely leave the players a move."""
    limits = [LONGEST_OPENING]
    limits += [rules.max_plies - 1] if rules.max_plies else []
    limits += [rules.quiet_plies - 1] if rules.quiet_plies and not rules.men_reset else []
    if len(ballots[0].moves) > min(limits):
        raise InputError(f"openings: the draw rules end games after {min(limits) + 1} plies, within the openings")
    return min(limits)
