"""The options of ``inspect`` that keep, hide and delete runs."""

from __future__ import annotations

import argparse

from evolve.commands.options import group, is_given, print_result
from game.errors import InputError

EXAMPLES = (('mine --tags good --note "the best so far"', "keep tags and a note"),)


def arguments(parser: argparse.ArgumentParser) -> None:
    notes = group(parser, "keep, hide and delete runs")
    notes.add_argument("--note", metavar="TEXT", help="of a run: keep this note; an empty note removes it")
    notes.add_argument(
        "--tags",
        metavar="A,B",
        help="of a run: set these tags; of several runs, or without a target: include only runs with all these tags",
    )
    notes.add_argument(
        "--archive",
        action=argparse.BooleanOptionalAction,
        help="of one or more runs: leave them out of lists, or list them again",
    )
    notes.add_argument("--delete", action="store_true", help="delete one or more runs permanently, after asking")
    notes.add_argument("--yes", action="store_true", help="with --delete: do not ask")


def run(options: argparse.Namespace) -> int | None:
    """Change or delete runs, if the options ask for it; None if they also, or only, request a report or a list."""
    from extras.keeping import kept

    if options.yes and not options.delete:
        raise InputError("--yes: only together with --delete")
    changes = options.delete or options.archive is not None
    if not changes and not _notes_run(options):
        return None
    if not changes and any(is_given(options, name) for name in kept.OF_A_REPORT):
        kept.keep(argparse.Namespace(**vars(options) | dict.fromkeys(kept.OF_A_REPORT)), kept.ask_here)
        return None
    done = kept.keep(options, kept.ask_here)
    print_result(options, lambda: done, lambda: kept.in_words(done))
    return 0


def _notes_run(options: argparse.Namespace) -> bool:
    """Return whether a note or tags of a run are to be changed; tags of several runs, or of a list, select them."""
    if options.note is None and options.tags is None:
        return False
    from evolve.run import notes
    from evolve.run.folder import Run

    option = "--note" if options.note is not None else "--tags"
    if not options.targets:
        if option == "--note":
            raise InputError("--note: expected a TARGET: a run")
        if not notes.checked_tags(options.tags):
            raise InputError("--tags: expected one or more tags, such as good,kept")
        return False
    if len(options.targets) > 1:
        if option == "--note":
            raise InputError("--note: not with several runs")
        return False
    [target] = options.targets
    if Run.find(options.runs, target) is not None:
        return True
    if option == "--note" or "@" in target or ":" in target:
        raise InputError(f"{option}: only for a run, {target} is not one")
    return False
