"""What a family is, in words: how weights are handed on in its run, and what a share counts. No pygame."""

from __future__ import annotations

from evolve.report.ancestry import Ancestor, Descent
from game.number_text import count_text, percent_text

LEARNT = (
    "One network learns in this run: each generation is the one before, taught further. So the tree is a line, and "
    "all of it goes back to the network that learning began with."
)
FOUNDER = "A founder: its first weights are random, so nobody stands below it; above it stand its children."
LINE = "One parent each: all weights go back to one founder, changed by mutation on the way."
DRAWN = (
    "Two parents each. Chance decided for every weight from which parent it comes, and the seed of the run repeats it: "
    "a share counts the weights that go back to somebody, changed by mutation or not."
)
EXPECTED = (
    "Two parents each, of which each counts for one half: from which a weight comes is not known, because children lie "
    "between their parents, or because it was not kept."
)
MEAN = (
    "Each generation is bred around one mean, which leads it; the others are its mutants. So the tree is the line of "
    "means (framed), with those that each was made of. A share is what somebody gave to the mean."
)
MOVED = (
    "An optimiser ({kind}) moves one mean from generation to generation, and everybody is made from it. So the tree is "
    "the line of means (framed), with those that each was made of. Shares count these alike, though the optimiser may "
    "not: take them as expected ones."
)


def tree_text(descent: Descent, branched: str = "") -> str:
    """What the tree means in this run, how shares are counted, and of which run its earliest generations are."""
    run, _, generation = branched.rpartition("@")
    if not run:
        return method_text(descent)
    return (
        f"{method_text(descent)} This run is a branch: up to generation {generation} its ancestors are those of {run}."
    )


def method_text(descent: Descent) -> str:
    """What the tree means in this run, and how shares are counted."""
    if descent.method == "learnt":
        return LEARNT
    if descent.generation == 0:
        return FOUNDER
    if descent.method == "mean":
        return MEAN
    if descent.method:
        return MOVED.format(kind=descent.method)
    if descent.is_line:
        return LINE
    return DRAWN if descent.founders.exact else EXPECTED


def founders_text(descent: Descent) -> str:
    """Of how many founders an individual has weights."""
    founders = descent.founders
    here, of = len(founders.shares), count_text(founders.ancestors, "founder")
    lost = sum(founder.generation > 0 for founder in founders.shares)
    if founders.ancestors == 1:
        text = "It has one founder."
    elif founders.exact and here < founders.ancestors:
        text = f"It descends from {of}, and has weights of {here} of them."
    else:
        text = f"It descends from {of}."
    return f"{text} {count_text(lost, 'line')} can be followed no further." if lost else text


def share_text(descent: Descent, generation: int, member: Ancestor, root: str) -> str:
    """What a member of the tree gave to the one whose family it is; empty of that one and its children."""
    if generation >= descent.generation or descent.is_line or (member.is_mean and not member.share):
        return ""
    if not member.share:
        return f"No weight of {root} goes back to it any more."
    share = percent_text(member.share)
    if not descent.founders.exact:
        return f"Expected share of {root}: {share}."
    return f"{share} of {root} comes from it." if descent.method else f"{share} of the weights of {root} go back to it."
