"""A small seeded generator of random numbers for players and games, the same in Python and in compiled code.

SplitMix64 (Steele, Lea and Flood, 2014) has one 64-bit word of state. Each colour of each game has its own stream,
derived from recorded numbers, so the order in which games are played does not matter.
"""

from __future__ import annotations

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB


def mix(word: int) -> int:
    """Return the output of SplitMix64 for a state: a bijection of 64-bit words that maps similar inputs far apart."""
    word = ((word ^ (word >> 30)) * MIX_1) & MASK
    word = ((word ^ (word >> 27)) * MIX_2) & MASK
    return word ^ (word >> 31)


def derive_seed(*numbers: int) -> int:
    """Derive one 64-bit seed from several numbers, each taken modulo 2**64; their order matters."""
    seed = 0
    for number in numbers:
        seed = mix((seed + GAMMA) & MASK) ^ mix((number * MIX_2 + GAMMA) & MASK)
    return seed


class SplitMix64:
    """A stream of 64-bit words.

    Attributes:
        state: uint64; the same state gives the same words from then on.
    """

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def next(self) -> int:
        """Return the next word, uniform over 0 to 2**64 - 1."""
        self.state = (self.state + GAMMA) & MASK
        return mix(self.state)

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1, for limits far below 2**32 (the bias is at most limit / 2**32)."""
        return ((self.next() >> 32) * limit) >> 32
