"""The verb ``train``: a new or resumed session in which one network learns."""

from __future__ import annotations

import argparse
import os

from evolve.commands.evolve import run as run_session
from evolve.commands.options import SETTINGS, add_session, group
from game.errors import InputError

EXAMPLES = (
    ("--preset q-learning --name learner", "learn from games against itself"),
    ("--preset policy --games games.pdn", "learn from recorded games"),
    ("--preset people --games games.pdn", "learn to err like their players, at several strengths"),
    ("--preset q-learning --games games.pdn", "begin with the results of recorded games, then play itself"),
    ("--preset zero --generations 30 --set learning.settled=30", "learn by tree search, in some five minutes"),
    ("--preset crownhead --generations 20 --set learning.stages.0.settled=20", "learn from own alpha-beta searches"),
    ("--preset crownhead --set learning.teacher=zero@120", "the same, from an earlier network"),
    ("--preset search-free", "learn to play without a search, from searches of the champion"),
    ("--preset alphago --set learning.teacher=RUN", "go on from recorded games by policy gradient, then by results"),
    ("--preset endgame --set learning.pieces_to=4", "learn from tablebases who wins with 2 to 4 pieces"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "One network learns, generation by generation: with --preset policy or people from the recorded games in "
        "--games FILE, with --preset q-learning from games against itself, and with --preset zero from games against "
        "itself in which tree searches choose the moves; --preset crownhead begins with the network of the shipped "
        "zero, and learns from the scores of alpha-beta in its own games; --preset search-free learns to play without "
        "a search, as the champion's searches advise in positions that it reaches; with --preset endgame it learns "
        "who wins with few pieces, from tablebases (tablebase build --pieces 5). Learning needs the packages of "
        "learning (pip install '.[learning]'); the networks play without them (extras/learning/learning.md)."
    )
    add_session(parser, "train", "")
    text = "PDN file of recorded games to learn from (policy, people, q-learning)"
    group(parser, SETTINGS).add_argument("--games", metavar="FILE", help=text)


def run(options: argparse.Namespace) -> int:
    from extras.learning.kind import LearningRuns

    LearningRuns.check_installed()
    if options.games is not None:
        if not (key := _games_key(options)):
            line = "--games: only for the methods policy, people and q-learning"
            raise InputError(f"{line}; zero can begin with a run by policy (learning.teacher)")
        options.settings.append(f"learning.{key}={os.path.abspath(options.games)}")
    return run_session(options)


def _games_key(options: argparse.Namespace) -> str:
    """Return the key of the file of recorded games; empty if the method learns from none."""
    from evolve.config import toml
    from evolve.run.folder import Run

    begun = options.resume or options.branch
    try:
        if begun is not None:
            config = Run.open(begun.partition("@")[0], options.out).config()
        elif options.preset is None and options.config is None:
            return "games"
        else:
            chosen = [setting for setting in options.settings if setting.startswith("learning.method")]
            config = toml.load(options.preset, options.config, chosen, own=None)
    except InputError:
        return "games"
    key: str = getattr(config.learning.method, "games_file", "games")
    return key if config.verb == options.verb else "games"
