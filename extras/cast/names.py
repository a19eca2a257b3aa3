"""Names of the members of a cast, such as *The Swift Fortress*, from what each does more or less than the others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from game.traits import FEW_GAMES, OUTER, TRAITS, TraitMean

NOUNS = {
    "back-row": (("Rover", "Nomad", "Wanderer"), ("Fortress", "Castle", "Rampart")),
    "advance": (("Sentry", "Watchman", "Guard"), ("Vanguard", "Charger", "Pioneer")),
    "pieces": (("Reaper", "Barber", "Woodcutter"), ("Collector", "Keeper", "Shepherd")),
    "centre": (("Outsider", "Bystander", "Hermit"), ("Hub", "Pivot", "Ringmaster")),
    "wing": (("Right Hand", "Right Hook", "Right Hander"), ("Southpaw", "Left Hook", "Left Hander")),
    "exchanges": (("Diplomat", "Peacemaker", "Pacifist"), ("Trader", "Merchant", "Broker")),
    "rim": (("Inlander", "Insider", "Highlander"), ("Beachcomber", "Coaster", "Edge Walker")),
    "first-king": (("Latecomer", "Commoner", "Tortoise"), ("Sprinter", "Kingmaker", "Racer")),
    "length": (("Finisher", "Closer", "Blitzer"), ("Marathoner", "Grinder", "Stayer")),
}
"""Nouns for the trait that sets a member apart most: for little of it, and for much."""

ADJECTIVES = {
    "back-row": ("Roaming", "Walled"),
    "advance": ("Cautious", "Bold"),
    "pieces": ("Lean", "Stocky"),
    "centre": ("Shy", "Central"),
    "wing": ("Right-Handed", "Left-Handed"),
    "exchanges": ("Peaceful", "Trading"),
    "rim": ("Inland", "Coastal"),
    "first-king": ("Slow", "Swift"),
    "length": ("Brisk", "Patient"),
}
"""Adjectives for a further trait, likewise."""

PLAIN = "Newcomer"
"""A member that nothing sets apart."""


@dataclass(frozen=True)
class CharacterName:
    """The name of a member.

    Attributes:
        traits: what it is made of, indexes of `TRAITS` with whether the member has much of it: first that of the noun.
    """

    text: str
    traits: tuple[tuple[int, bool], ...] = ()


def name_members(members: Sequence[Sequence[TraitMean]]) -> list[CharacterName]:
    """Return a name for each member of a cast; no two are the same.

    In order of how far they are from the others, the first members with a main trait get nouns alone, and later ones an
    adjective for another trait, too.
    """
    profiles = [_profile(number, members) for number in range(len(members))]
    order = sorted(range(len(members)), key=lambda number: (-max(profiles[number], default=(0.0,))[0], number))
    named: dict[int, CharacterName] = {}
    taken: set[str] = set()
    for number in order:
        traits = tuple((trait, much) for _, trait, much in profiles[number])
        named[number] = next(name for name in _choices(traits) if name.text not in taken)
        taken.add(named[number].text)
    return [named[number] for number in range(len(members))]


def _profile(number: int, members: Sequence[Sequence[TraitMean]]) -> list[tuple[float, int, bool]]:
    """Return the traits that set a member apart: how far, the trait, whether the member has much of it.

    Those that its sentence can name come first, then the others, each time the furthest first. A trait counts if the
    member is on the same side of the mean of all and of the middle of the range, so no name contradicts a sentence.
    """
    apart = []
    for index, trait in enumerate(TRAITS):
        own = members[number][index]
        values = [each[index].value for each in members if each[index].games >= FEW_GAMES]
        if own.games < FEW_GAMES:
            continue
        mean, spread = trait.middle, trait.high - trait.middle
        beyond = (own.value - mean) / spread
        if len(values) >= 3 and min(values) < max(values):
            mean = math.fsum(values) / len(values)
            spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
        distance = (own.value - mean) / spread
        if distance * beyond > 0:
            rank = 0 if abs(beyond) > 1 - 2 * OUTER else 1
            apart.append((rank, -abs(distance), index, distance > 0))
    return [(-distance, index, much) for _, distance, index, much in sorted(apart)]


def _choices(traits: tuple[tuple[int, bool], ...]) -> Iterator[CharacterName]:
    if not traits:
        yield from (CharacterName(f"The {PLAIN}{_numeral(number)}") for number in itertools.count(1))
    (main, much), *others = traits
    nouns = NOUNS[TRAITS[main].name][much]
    yield from (CharacterName(f"The {noun}", traits[:1]) for noun in nouns)
    for other, more in others:
        adjective = ADJECTIVES[TRAITS[other].name][more]
        yield from (CharacterName(f"The {adjective} {noun}", (traits[0], (other, more))) for noun in nouns)
    yield from (CharacterName(f"The {nouns[0]}{_numeral(number)}", traits[:1]) for number in itertools.count(2))


def _numeral(number: int) -> str:
    return "" if number == 1 else f" {number}"
