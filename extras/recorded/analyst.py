"""The player that reviews games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evolve.names.registration import register
from evolve.run.runs import CHAMPION_RUN
from game.errors import InputError
from game.networks.named import find_network
from game.players.names import parse_name
from game.players.registry import player, searches
from game.review.reviewing import DEEPER, DEPTH, Analyst
from game.search.layout import MAX_DEPTH


def open_analyst(name: str | None, runs: Path, network: str | None = None) -> Analyst:
    """Return the analyst of a review.

    Args:
        name: a player; None for the shipped champion.

    Raises:
        InputError: there is no such player, or it does not score moves.
    """
    register(runs, None if network is None else find_network(network))
    text = name or CHAMPION_RUN
    parsed = parse_name(text)
    if "keeps_table" in parsed.allowed and searches(parsed):
        # The review of a position must not depend on earlier ones.
        parsed = replace(parsed.with_options(keeps_table="no"), text=text)
    return Analyst(player(parsed).with_name(text))


def review_depth(depth: int | None) -> int:
    """Return the depth of a review, in plies; by default that of the window.

    Raises:
        InputError: the depth is out of range.
    """
    depth = DEPTH if depth is None else depth
    if not 1 <= depth <= MAX_DEPTH - DEEPER:
        raise InputError(f"--depth: expected 1 to {MAX_DEPTH - DEEPER} plies for games, got {depth}")
    return depth
