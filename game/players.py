"""Players: the protocol, the names that people write for them, and the plain ones.

A name is a target and options after commas: ``random``, ``material,depth=1``, ``cowan-1@15:Gen15_0111``,
``"a file, with a comma.csv":NAME``. Targets that are no built-in player are asked of the registered resolvers (runs
and CSV files belong to `evolve.store`, which registers by an explicit call).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from game import moves
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64
from game.moves import Move
from game.networks.shipped import CNN_247
from game.networks.spec import Spec

RESERVED = ("random", "material", "external")
"""Targets that can never be the name of a run."""

OPTIONS = ("depth", "nodes", "time", "quiescence", "tablebase", "seed")
MAN_VALUE, KING_VALUE = 100, 150


class PlayerNameError(InputError):
    """A player name that names nobody; the text says what is near or allowed."""


class PlayerFailure(RuntimeError):
    """Raised by a player that cannot go on, such as a network whose value is not a number. It loses that game."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player decided.

    Attributes:
        move: a legal move.
        score: its value in the player's own units, larger is better; None if it has none (forced moves, random).
        evaluations: network results that the decision took.
    """

    move: Move
    score: float | None = None
    evaluations: int = 0


class Player(Protocol):
    """Anything that chooses moves.

    Attributes:
        name: as people write it.
        deterministic: the same position and history always give the same move.
        seed: mixed into the generator of each of its games, so that two players of one kind can differ.
    """

    @property
    def name(self) -> str:
        """As people write it."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether the same position and history always give the same move."""
        ...

    @property
    def seed(self) -> int:
        """Mixed into the generator of each game."""
        ...

    def choose(self, position: Position, history: Sequence[Position], generator: SplitMix64) -> Choice:
        """Choose a move in a position that has one.

        Args:
            position: the board and who moves.
            history: the positions of the game before this one, first to last.
            generator: the player's own stream for this game.

        Raises:
            PlayerFailure: the player cannot go on.
        """
        ...


@dataclass(frozen=True)
class RandomPlayer:
    """Any legal move, all equally likely."""

    name: str = "random"
    seed: int = 0
    deterministic: bool = field(default=False, init=False)

    def choose(self, position: Position, history: Sequence[Position], generator: SplitMix64) -> Choice:
        """A drawn move; a forced move draws nothing."""
        legal = moves.legal_moves(position)
        return Choice(legal[0] if len(legal) == 1 else legal[generator.below(len(legal))])


@dataclass(frozen=True)
class MaterialPlayer:
    """Most material after its own move: men 100, kings 150.

    Attributes:
        draws_ties: draw among the best moves; otherwise the first of them, as the mover sees the board.
    """

    name: str = "material"
    seed: int = 0
    draws_ties: bool = False

    @property
    def deterministic(self) -> bool:
        """Whether ties are broken by the order of moves."""
        return not self.draws_ties

    def choose(self, position: Position, history: Sequence[Position], generator: SplitMix64) -> Choice:
        """The best move by piece count, no look-ahead; a forced move draws nothing."""
        after = moves.successors(position)
        if len(after) == 1:
            return Choice(after[0][0])
        scores = [material(board, position.side) for _, board in after]
        best = [index for index, score in enumerate(scores) if score == max(scores)]
        index = best[generator.below(len(best))] if self.draws_ties and len(best) > 1 else best[0]
        return Choice(after[index][0], float(scores[index]))


def material(position: Position, side: int) -> int:
    """Men 100, kings 150: the pieces of `side` minus the other's."""
    own, opponent = (position.black, position.white) if side == 0 else (position.white, position.black)

    def value(pieces: int) -> int:
        royal = (pieces & position.kings).bit_count()
        return MAN_VALUE * (pieces.bit_count() - royal) + KING_VALUE * royal

    return value(own) - value(opponent)


@dataclass(frozen=True)
class NetworkPlayer:
    """The move after which its network likes the board best; no look-ahead.

    Attributes:
        weights: float32 of shape (spec.weights,), the genome.
        spec: its network.
        king: its own value of a king; the network's if None.
    """

    name: str
    weights: Any
    seed: int = 0
    spec: Spec = CNN_247
    king: float | None = None
    deterministic: bool = field(default=True, init=False)

    def choose(self, position: Position, history: Sequence[Position], generator: SplitMix64) -> Choice:
        """The best-scored move, the first of them on ties; scores are compared before the last sigmoid.

        Raises:
            PlayerFailure: a score is not a finite number.
        """
        from game.networks import evaluator

        after = moves.successors(position)
        if len(after) == 1:
            return Choice(after[0][0])
        scores = evaluator.scores(self.spec, self.weights, [board for _, board in after], position.side, self.king)
        if not all(score - score == 0 for score in scores):
            raise PlayerFailure(f"{self.name}: its network gives a value that is not a finite number")
        best = max(range(len(after)), key=lambda index: scores[index])
        return Choice(after[best][0], scores[best], len(after))


@dataclass(frozen=True)
class PlayerName:
    """A player name taken apart.

    Attributes:
        text: as written.
        target: the part before the first free colon or comma, without quotes.
        member: the part after a colon (an individual); None if there is none.
        options: values by option name, as written.
    """

    text: str
    target: str
    member: str | None
    options: Mapping[str, str]


Resolver = Callable[[PlayerName], "Player | None"]
_resolvers: dict[str, Resolver] = {}


def register_resolver(source: str, resolver: Resolver) -> None:
    """Ask `resolver` too when a name is no built-in player; it returns None for names that are not its own.

    A second one for the same `source` takes the place of the first.
    """
    _resolvers[source] = resolver


def parse_name(text: str) -> PlayerName:
    """Take a player name apart; quotes (' or ") protect commas, colons and spaces.

    Raises:
        PlayerNameError: empty, an open quote, or an option that does not exist.
    """
    parts = _split(text)
    target, member = parts[0]
    if not target:
        raise PlayerNameError(f"player {text!r}: expected a name such as random, material, RUN, RUN@15 or file.csv")
    options: dict[str, str] = {}
    for part, rest in parts[1:]:
        key, equals, value = (part + ("" if rest is None else f":{rest}")).partition("=")
        key = key.strip()
        if not equals or key not in OPTIONS:
            near = difflib.get_close_matches(key, OPTIONS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise PlayerNameError(f"player {text!r}: {part!r} is no option ({', '.join(OPTIONS)}){hint}")
        if key in options:
            raise PlayerNameError(f"player {text!r}: option {key} is given twice")
        options[key] = value.strip()
    return PlayerName(text, target, member, options)


def _split(text: str) -> list[tuple[str, str | None]]:
    """Split at free commas, and each part at its first free colon."""
    parts: list[tuple[str, str | None]] = []
    head, tail, quote = "", None, ""
    for letter in text.strip():
        if quote:
            if letter == quote:
                quote = ""
                continue
        elif letter in "\"'":
            quote = letter
            continue
        elif letter == ",":
            parts.append((head, tail))
            head, tail = "", None
            continue
        elif letter == ":" and tail is None:
            tail = ""
            continue
        if tail is None:
            head += letter
        else:
            tail += letter
    if quote:
        raise PlayerNameError(f"player {text!r}: the quote {quote} is not closed")
    parts.append((head, tail))
    return parts


def player(text: str) -> Player:
    """The player behind a name.

    Raises:
        PlayerNameError: nobody has this name, or an option is not possible.
        InputError: a resolver found the file or run, but it cannot be used.
    """
    name = parse_name(text)
    seed = _checked(name)
    if name.target in RESERVED:
        if name.target == "external":
            raise PlayerNameError(f"player {text!r}: external programs cannot be played yet")
        if name.member is not None:
            raise PlayerNameError(f"player {text!r}: {name.target} has no individuals")
        if name.target == "random":
            return RandomPlayer(text, seed or 0)
        return MaterialPlayer(text, seed or 0, seed is not None)
    for resolver in _resolvers.values():
        found = resolver(name)
        if found is not None:
            return found
    raise PlayerNameError(
        f"player {text!r}: nobody has this name; expected random, material, RUN, RUN@GENERATION, "
        "RUN@GENERATION:NAME, file.csv or file.csv:NAME"
    )


def _checked(name: PlayerName) -> int | None:
    """Check the options; return the seed if one is given."""
    allowed = {"depth": ("1",), "quiescence": ("no",), "tablebase": ("no",)}
    for key, value in name.options.items():
        if key in allowed and value not in allowed[key]:
            raise PlayerNameError(f"player {name.text!r}: {key}={value} is not possible, only {key}={allowed[key][0]}")
        if key in ("nodes", "time"):
            raise PlayerNameError(f"player {name.text!r}: {key} limits a search, and depth=1 does not search")
    if "seed" not in name.options:
        return None
    seed = name.options["seed"]
    # Python refuses to read numbers of thousands of digits, with an error of its own.
    if not (seed.isascii() and seed.isdigit() and len(seed) < 100 and int(seed) < 2**63):
        raise PlayerNameError(f"player {name.text!r}: seed={seed}: expected a whole number from 0 to 2**63 - 1")
    return int(seed)
