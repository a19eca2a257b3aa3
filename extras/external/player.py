"""An external program as a player."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from extras.external.process import split_command
from extras.external.program import DEFAULT_LIMITS, MOVE_SECONDS, START_SECONDS, Contract, ProgramFailure, program
from extras.external.protocol import read_line
from game import moves
from game.board import Position
from game.errors import InputError
from game.generator import SplitMix64
from game.players.names import PlayerName, PlayerNameError, read_option, read_settings
from game.players.player import Choice, Player, PlayerFailure
from game.rules import WCDF, DrawRules


@dataclass(frozen=True)
class ExternalPlayer(Player):
    """A player that is a separate program, which speaks the protocol of `docs/engine.md`."""

    name: str
    contract: Contract
    seed: int = field(default=0, init=False)

    @property
    def repeatable(self) -> bool:
        return False

    @property
    def identity(self) -> Hashable:
        return self.contract

    def describe(self) -> str:
        """Describe the program, with a note if it may not support everything."""
        known = program(self.contract)
        if known.greeted and known.supported is None:
            return "another program, which does not say what it supports"
        forgets = known.supported is None or "newgame" in known.supported
        return "another program" if forgets else "another program, which may remember earlier games"

    def begin_game(self, rules: DrawRules, seed: int) -> None:
        """Announce a game to the program.

        Raises:
            InputError: the program reports that it does not support an option in the player's name.
        """
        program(self.contract).begin_game(rules, seed)

    def choose(
        self, position: Position, history: Sequence[Position], generator: SplitMix64, rules: DrawRules = WCDF
    ) -> Choice:
        """Ask the program for a move, unless it is forced.

        Raises:
            PlayerFailure: the program crashed, took too long, wrote too much, or gave no legal move.
        """
        legal = moves.legal_moves(position)
        if len(legal) == 1:
            return Choice(legal[0])
        try:
            answer = program(self.contract).choose(position, history, rules)
        except ProgramFailure as error:
            raise PlayerFailure(f"{self.name}: {error}", error.kind) from error
        info = answer.info
        return Choice(answer.move, info.score, 0, info.depth or 0, info.nodes or 0, read_line(position, info.pv))


def external_player(name: PlayerName) -> ExternalPlayer:
    """Make the player of a name such as ``external:COMMAND,time=1``.

    Raises:
        PlayerNameError: there is no command, or an option is not valid.
    """
    try:
        split_command(name.member or "")
    except InputError as error:
        raise PlayerNameError(f"player {name.text!r}: {error}") from None
    limits = read_settings(name, DEFAULT_LIMITS).limits
    times = read_option(name, "start", START_SECONDS), read_option(name, "timeout", MOVE_SECONDS)
    return ExternalPlayer(name.text, Contract(name.member or "", limits, *times))
