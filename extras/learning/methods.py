"""The built-in methods of learning: their keys in TOML, their columns in the log, and their curves.

`endgame` has a module of its own. Neither loads jax or a learner; a session imports the learner that its method names.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from evolve.kinds.kind import choice, number, string, switch, tables, whole
from evolve.kinds.methods import GAMES, LOSS, LogCurve, beside
from extras.learning import endgame_method  # noqa: F401 (so that it is a kind of method)
from extras.learning.method import LearningMethod
from game.errors import InputError
from game.regular_files import open_regular
from game.search.layout import MAX_DEPTH

if TYPE_CHECKING:
    from evolve.breeding.founder import EarlierIndividual
    from game.networks.spec import Spec
    from game.pdn.game import Fault


TOP = (1, 2, 3, 5, 10)
"""Values of k in top-k, the share of positions in which the network ranks the played first step among its top k."""
FIRST = "first choice"
"""The name of top-1."""
SURE = (1, 3)
"""Values of k for which top-k has a 95 % interval."""
MEASURED = {"all": "all", "choice": "with a choice", "seen": "seen in training", "unseen": "new positions"}
"""Kinds of held-out positions, with their displayed names. Positions of all kinds but `all` have a choice, that is,
more than one legal first step. Boards of `seen` positions also occur in training games, boards of `unseen` ones do
not."""


def sure(what: str, tops: tuple[int, ...]) -> tuple[str, ...]:
    """Return the columns for the intervals and sample sizes of top-k in one kind of position, without duplicates."""
    return tuple(dict.fromkeys(column for count in tops for column in beside(f"{what}_top{count}")))


RECORDED = "from recorded games"
BY_GAMES = "by games alone, with a gradient"


def after_games(how: str) -> str:
    """Return how a network was obtained whose first weights had learnt from recorded games."""
    return how if how.startswith(RECORDED) else f"{RECORDED}, then {how}"


def identify_teacher(teacher: EarlierIndividual, runs: Path, ways: Iterable[str]) -> tuple[str, str, bool]:
    """Return the full name and the digest of a teacher, and whether it has learnt from recorded games.

    Args:
        ways: how it may have been obtained, whether or not it had learnt from recorded games before.

    Raises:
        InputError: it cannot be read, or was obtained in another way.
    """
    player, genome, obtained = teacher.identify(runs)
    known = dict.fromkeys(ways)
    if obtained not in (*known, *map(after_games, known)):
        raise InputError(
            f"learning.teacher: expected a run obtained {' or '.join(known)}, got {player}, obtained {obtained}"
        )
    return player, genome, obtained.startswith(RECORDED)


class Taught(LearningMethod):
    """A method that may begin with the network of a teacher, an earlier run with both heads.

    Attributes:
        ways: how the teacher may have been obtained.
    """

    ways: ClassVar[tuple[str, ...]]
    if TYPE_CHECKING:  # keys, which each method has in an order of its own
        teacher: str
        genome: str
        recorded: bool

    def first(self, network: Spec) -> EarlierIndividual:
        from evolve.breeding.founder import EarlierIndividual

        return EarlierIndividual("learning", "teacher", self.teacher, network, self.genome, narrower=True)

    def begun(self, network: Spec, runs: Path) -> Self:
        """Return the method with the generation and the digest of the teacher.

        Raises:
            InputError: the teacher cannot be used.
        """
        if not self.teacher:
            return self
        player, genome, recorded = identify_teacher(self.first(network), runs, self.ways)
        known: dict[str, Any] = {"teacher": player, "genome": genome, "recorded": recorded}
        return replace(self, **known)

    def how_obtained(self) -> str:
        return after_games(self.obtained) if self.recorded else self.obtained


@dataclass(frozen=True)
class Policy(LearningMethod, kind="policy"):
    """policy: to predict moves of recorded games, by their first step; most become the network's first choice."""

    columns: ClassVar[tuple[str, ...]] = (
        "rate",
        "validation_loss",
        *(f"{kind}_top{count}" for kind in MEASURED for count in TOP),
        "illegal",
        "test_all_top1",
        "test_choice_top1",
        *(column for kind in MEASURED for column in sure(kind, SURE)),
        *(column for kind in ("test_all", "test_choice") for column in sure(kind, SURE[:1])),
        "value_loss",
    )
    curves: ClassVar[tuple[LogCurve, ...]] = (
        LogCurve("loss", (("validation_loss", "validation"), ("loss", "training"))),
        LogCurve("loss of results", (("value_loss", "validation"),)),
        LogCurve(
            "moves predicted",
            tuple((f"{kind}_top1", words) for kind, words in MEASURED.items()),
            percent=True,
            short="predicted",
        ),
        *(
            LogCurve(
                f"played move, {words}",
                tuple((f"{kind}_top{count}", f"in its first {count}" if count > 1 else FIRST) for count in TOP),
                percent=True,
                short=f"{words}, {FIRST}",
            )
            for kind, words in MEASURED.items()
        ),
        LogCurve("illegal first choices", (("illegal", "illegal"),), percent=True),
        LogCurve("test", (("test_all_top1", "all"), ("test_choice_top1", "with a choice")), percent=True),
    )
    shown: ClassVar[tuple[str, ...]] = ("validation_loss", "all_top1", "all_top3", "choice_top1", "unseen_top1")
    outside: ClassVar[tuple[str, ...]] = ("games",)
    games_file: ClassVar[str] = "games"
    obtained: ClassVar[str] = "from recorded games, with a gradient"
    learner: ClassVar[str] = "extras.learning.policy:PolicyLearner"

    games: str = string("", "PDN file of recorded games")
    sha256: str = string("", "SHA-256 of this file when the run began")
    validation: float = number(0.03, 0.0, 0.9, "share of the games held out to measure each generation")
    test: float = number(0.05, 0.0, 0.9, "share of the games held out to measure the last generation")
    losers: bool = switch(True, "moves of losing sides are learnt, too")
    results: float = number(0.3, 0.0, 100.0, "weight of the loss of results beside that of moves, if there is a value")
    samples: int = whole(80_000, 1, 100_000_000, "positions learnt from in each generation")
    batch: int = whole(128, 1, 1_000_000, "positions in each step of Adam")
    rate: float = number(3e-3, 1e-9, 10.0, "highest rate of Adam, reached after a twentieth of `settled`")
    decay: float = number(0.0, 0.0, 1.0, "weight decay in each step, times the rate (AdamW)")
    start: str = choice(
        "random",
        ("random", "placed"),
        "first weights of a linear layer with as many units as inputs: random, as in other layers; or placed: close to "
        "the identity, so that neighbouring squares stay neighbours, with biases that distinguish squares",
    )
    settled: int = whole(40, 1, 1_000_000, "generation in which the rate, falling along a cosine, reaches 0")

    def problem(self, network: Spec) -> str:
        if network.heads is None or network.heads.policy == "none":
            return 'network: expected one with [heads] policy = "steps"'
        if network.heads.value == "score":
            return 'network: expected heads.value = "wdl", which learns the results of recorded games, or "none"'
        if self.validation + self.test >= 1:
            return f"learning.validation: expected less than {1 - self.test:g}, so that games are left to learn from"
        return ""

    def begun(self, network: Spec, runs: Path) -> Policy:
        """Return the method with the checksum and absolute path of the file, to be resumed from any folder.

        Raises:
            InputError: no file is given, it cannot be read, or it has no game that can be learnt from.
        """
        if not self.games:
            raise InputError("learning.games: expected a file of recorded games: --games FILE")
        needs_results = network.values and self.results > 0
        games, sha256 = identify_games(self.games, "learning.games", results=needs_results)
        return replace(self, games=games, sha256=sha256)

    def check_outside(self) -> None:
        check_unchanged(self.games, self.sha256, "learning.games")


@dataclass(frozen=True)
class People(Policy, kind="people"):
    """people: to move like the people of recorded games, at the strength that is asked for, with their errors."""

    columns: ClassVar[tuple[str, ...]] = (*Policy.columns, "ks", "test_ks")
    curves: ClassVar[tuple[LogCurve, ...]] = (
        *Policy.curves,
        LogCurve("distance of losses from people's (Kolmogorov-Smirnov)", (("ks", "validation"), ("test_ks", "test"))),
    )
    shown: ClassVar[tuple[str, ...]] = (*Policy.shown, "ks")
    learner: ClassVar[str] = "extras.learning.people:PeopleLearner"

    def problem(self, network: Spec) -> str:
        if network.heads is None or network.heads.policy != "people":
            return 'network: expected one with [heads] policy = "people"'
        return super().problem(network) or ("" if self.losers else "learning.losers: expected true, since both err")


def identify_games(path: str, key: str, *, results: bool = False) -> tuple[str, str]:
    """Return the absolute path of a file of recorded games, to be found from any folder, and its checksum.

    Args:
        results: whether results are learnt.

    Raises:
        InputError: it cannot be read, or it has no game, or no result, that can be learnt from.
    """
    sha256 = file_digest(path, key)
    check_games(path, key, results=results)
    return os.path.abspath(path), sha256


def check_unchanged(path: str, sha256: str, key: str) -> None:
    """Check that a file of games still exists at its recorded path and has not changed."""
    try:
        now = file_digest(path, key)
    except InputError as error:
        raise InputError(f"{error}; if it has moved, give its new path: --games FILE") from error
    if now != sha256:
        raise InputError(f"{path}: has changed since the run began: restore it, or begin another run")


def check_games(path: str, key: str, *, results: bool = False) -> None:
    """Check that a file has a game that can be learnt from, if wanted with a result, reading no further than this game.

    Raises:
        InputError: it has none.
    """
    from extras.recorded.check import read_records

    count, has_moves = 0, False
    faults: tuple[Fault, ...] = ()
    try:
        for record in read_records(path):
            if record.whole and record.game is not None and record.game.moves:
                if not results or record.game.result != "*":
                    return
                has_moves = True
            count, faults = record.number, faults or record.faults
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
    if has_moves:
        raise InputError(f"{key}: {path}: none of its games has a result, which this method learns")
    why = f": line {faults[0]}" if faults else ""
    what = f"none of its {count:,} games can" if count > 1 else "its only game cannot"
    raise InputError(f"{key}: {path}: {f'{what} be learnt from{why}' if count else 'it has no games'}")


def file_digest(path: str, key: str) -> str:
    """Return the SHA-256 of a file as hexadecimal digits.

    Raises:
        InputError: it cannot be read.
    """
    try:
        file: Any = open_regular(Path(path), links=True)
        with file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{key}: {path}: {error.strerror or error}") from None


@dataclass(frozen=True)
class QLearning(LearningMethod, kind="q-learning"):
    """q-learning: the values of moves, from games against itself; a frozen copy values the next moves."""

    obtained: ClassVar[str] = BY_GAMES
    plays: ClassVar[bool] = True
    games_file: ClassVar[str] = "recorded"
    columns: ClassVar[tuple[str, ...]] = ("epsilon", "target")
    curves: ClassVar[tuple[LogCurve, ...]] = (
        LOSS,
        GAMES,
        LogCurve("mean size of targets", (("target", "target"),)),
        LogCurve("random moves", (("epsilon", "random"),), percent=True),
    )
    learner: ClassVar[str] = "extras.learning.q_learning:QLearner"

    games: int = whole(200, 2, 100_000, "games in each generation, an even number: two per ballot, colours swapped")
    earlier: float = number(
        0.25, 0.0, 1.0, "share of the games against an earlier generation; others are against itself"
    )
    among: int = whole(20, 1, 1000, "number of newest generations that the earlier one is drawn from")
    epsilon: float = number(0.1, 0.0, 1.0, "chance of a random move in generation 1")
    epsilon_end: float = number(0.02, 0.0, 1.0, "chance of a random move from generation `settled` on")
    settled: int = whole(60, 1, 1_000_000, "generation up to which epsilon and rate fall evenly; then they stay")
    discount: float = number(0.99, 0.0, 1.0, "factor of a value for each move by which it lies in the future")
    draw: float = number(0.0, -1.0, 1.0, "value of a draw to both sides; a win is worth 1, a loss -1")
    reply: str = choice(
        "best",
        ("best", "played"),
        "the maximum over the next moves is taken after the best reply, or after the one that was played",
    )
    look_ahead: int = whole(
        2, 1, MAX_DEPTH, "plies of the search for this maximum; with reply=best, the first is the reply"
    )
    captures: bool = switch(True, "this search plays out captures after its last ply")
    both_views: bool = switch(True, "quiet boards are also learnt as the side to move sees them")
    window: int = whole(5, 1, 1000, "number of newest generations whose games are learnt from")
    batch: int = whole(256, 1, 1_000_000, "samples in each step of Adam")
    steps: int = whole(160, 1, 1_000_000, "steps of Adam in each generation")
    rate: float = number(1e-3, 1e-9, 10.0, "rate of Adam in generation 1")
    rate_end: float = number(1e-4, 1e-9, 10.0, "rate of Adam from generation `settled` on")
    begin: str = choice("metrics", ("metrics", "random"), "generation 0: taught by ten metrics of a board, or random")
    recorded: str = string("", "PDN file of recorded games, whose results generation 0 learns after that")
    sha256: str = string("", "SHA-256 of this file when the run began")

    def problem(self, network: Spec) -> str:
        if self.games % 2:
            return f"learning.games: expected an even number, got {self.games}"
        if network.activation != "tanh" or network.patterns or network.phases > 1:
            return (
                "network: expected tanh in the last layer, since values go from -1 to 1; no heads, patterns or phases"
            )
        return ""

    def begun(self, network: Spec, runs: Path) -> QLearning:
        """Return the method with the checksum and absolute path of the recorded games, if there are any.

        Raises:
            InputError: the file cannot be read, or it has no game that can be learnt from.
        """
        if not self.recorded:
            return self
        recorded, sha256 = identify_games(self.recorded, "learning.recorded", results=True)
        return replace(self, recorded=recorded, sha256=sha256)

    def how_obtained(self) -> str:
        return after_games(self.obtained) if self.recorded else self.obtained

    @property
    def places(self) -> int:
        return 1 + self.among  # the network and earlier ones


@dataclass(frozen=True)
class LearningStage:
    """Generations of `Zero` or `Searches` that learn in the same way; without `nodes`, tree searches choose moves.

    Attributes:
        first: the first of these generations.
        nodes: positions that alpha-beta visits before a move of these games; 0 for a tree search.
        searched: share of the search's value in what is learnt of results.
        window: number of newest generations whose games are learnt from.
        grows: whether the window begins with the newer half of the stage instead of all of it.
        settled: generation of the stage, counted from 1, up to which the rate falls as a cosine.
        moves: weight of the loss of the policy, beside that of the value.
        endings, searched_few: games begun in endings, and what is learnt there; only with `nodes`.
    """

    first: int = whole(241, 1, 1_000_000, "first generation of the stage; before the first stage, as by zero")
    games: int = whole(800, 1, 1_000_000, "games in each generation")
    nodes: int = whole(1000, 1, 1_000_000, "positions that alpha-beta visits before a move of these games")
    plies: int = whole(8, 0, 100, "most random plies between the ballot and the first search of a game")
    length: int = whole(150, 20, 100_000, "plies after which a game is a draw")
    searched: float = number(0.95, 0.0, 1.0, "share of the score of alpha-beta in what is learnt of results")
    window: int = whole(30, 1, 1000, "number of newest generations whose games are learnt from")
    steps: int = whole(400, 1, 1_000_000, "steps of Adam in each generation")
    rate: float = number(1e-3, 1e-9, 10.0, "highest rate of Adam")
    settled: int = whole(60, 1, 1_000_000, "number of generations over which the rate falls as a cosine")
    moves: float = number(1.0, 0.0, 1.0, "weight of the loss of moves, beside that of results")
    endings: int = whole(0, 0, 100, "further games from an ending of each game, after a few random plies")
    searched_few: float = number(0.0, 0.0, 1.0, "as searched, in endings that are not proved; 0: the same as searched")

    def oldest(self, generation: int) -> int:
        """Return the first generation whose games a generation learns from."""
        width = generation - self.first + 1
        if not self.nodes:  # the games of the first generations teach little
            width = (width + 1) // 2
        return max(self.first, generation - min(self.window, width) + 1)


@dataclass(frozen=True)
class Zero(Taught, kind="zero"):
    """zero: moves and results, from games against itself in which tree searches guided by the network choose."""

    plays: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("value_loss", "policy_loss", "surprise", "rate", "gate")
    curves: ClassVar[tuple[LogCurve, ...]] = (
        LogCurve("loss of new games", (("value_loss", "results"), ("policy_loss", "moves")), short="results"),
        LogCurve("games against itself", (("won", "Black"), ("drawn", "drawn"), ("lost", "White")), percent=True),
        LogCurve("plies a game", (("length", "plies"),)),
        LogCurve("moves changed by searches", (("surprise", "changed"),), percent=True),
    )
    shown: ClassVar[tuple[str, ...]] = ("value_loss", "policy_loss", "surprise")
    obtained: ClassVar[str] = "by tree search, with a gradient"
    ways: ClassVar[tuple[str, ...]] = (obtained, Policy.obtained, BY_GAMES)
    search: ClassVar[str] = "tree"
    learner: ClassVar[str] = "extras.learning.zero:ZeroLearner"

    games: int = whole(2400, 1, 1_000_000, "games in each generation")
    visits: int = whole(16, 1, 1_000_000, "positions that a search visits before a move")
    selection: str = choice("gumbel", ("gumbel", "puct"), "how searches choose what to visit: by Gumbel, or by PUCT")
    candidates: int = whole(8, 1, 16, "moves that a search by Gumbel considers")
    searched: float = number(0.3, 0.0, 1.0, "share of the search's value in what is learnt of results")
    window: int = whole(
        8,
        1,
        1000,
        "number of newest generations whose games are learnt from; at first, the newer half of all generations",
    )
    batch: int = whole(1024, 1, 1_000_000, "positions in each step of Adam")
    steps: int = whole(280, 1, 1_000_000, "steps of Adam in each generation")
    rate: float = number(2e-3, 1e-9, 10.0, "highest rate of Adam, after a twentieth of the generations to `settled`")
    rate_end: float = number(1e-4, 1e-9, 10.0, "rate of Adam from generation `settled` on")
    decay: float = number(1e-4, 0.0, 1.0, "weight decay in each step, times the rate (AdamW)")
    settled: int = whole(60, 1, 1_000_000, "generation up to which the rate falls as a cosine")
    gate: int = whole(
        0,
        0,
        100_000,
        "games of a fitted network against the one before, which it replaces if it scores at least half; an even "
        "number, or 0 for none",
    )
    teacher: str = string(
        "",
        "an earlier run by this method, by `zero`, or by `policy` with a value, such as RUN or RUN@240, whose network "
        "is the first one; it may have fewer units",
    )
    genome: str = string("", "digest of the teacher's weights when the run began")
    recorded: bool = switch(False, "whether the teacher has learnt from recorded games, as when the run began")

    @property
    def all_stages(self) -> tuple[LearningStage, ...]:
        tree = LearningStage(
            first=1, games=self.games, nodes=0, searched=self.searched, window=self.window, steps=self.steps,
            rate=self.rate, settled=self.settled,
        )  # fmt: skip
        return (tree,)

    def stage(self, generation: int) -> LearningStage:
        """Return the stage of a generation after the first network."""
        return next(stage for stage in reversed(self.all_stages) if stage.first <= generation)

    def played_again(self, generation: int) -> range:
        return range(self.stage(generation + 1).oldest(generation + 1) - 1, generation)

    def problem(self, network: Spec) -> str:
        if self.gate % 2:
            return f"learning.gate: expected an even number, got {self.gate}"
        if network.heads is None or network.heads.value != "wdl" or network.heads.policy == "none":
            return 'network: expected one with [heads] value = "wdl" and policy = "steps"'
        return ""

    @property
    def places(self) -> int:
        return 2 if self.gate else 1  # with a gate, the network before the fit, too


@dataclass(frozen=True)
class Searches(Zero, kind="searches"):
    """searches: to judge as its own alpha-beta searches do, by moves, scores and results, in stages; before, as zero.

    A search of a thousand positions says more about a position than the result of a game, or a tree search of sixteen.
    """

    older: ClassVar[Mapping[str, str]] = {
        "own_from": "stages.0.first",
        **{f"own_{item.name}": f"stages.0.{item.name}" for item in fields(LearningStage) if item.name != "first"},
    }
    obtained: ClassVar[str] = "by tree search and own searches, with a gradient"
    ways: ClassVar[tuple[str, ...]] = (Zero.obtained, obtained, Policy.obtained, BY_GAMES)
    search: ClassVar[str] = ""

    stages: tuple[LearningStage, ...] = tables(LearningStage, "stages in which alpha-beta plays the games")

    def how_obtained(self) -> str:
        how = self.obtained if self.teacher or self.stages[0].first > 1 else "by own searches, with a gradient"
        return after_games(how) if self.recorded else how

    def problem(self, network: Spec) -> str:
        firsts = [stage.first for stage in self.stages]
        for index in range(1, len(firsts)):
            if firsts[index] <= firsts[index - 1]:
                expected = f"expected more than that of the stage before, {firsts[index - 1]}, got {firsts[index]}"
                return f"learning.stages.{index}.first: {expected}"
        return super().problem(network)

    @property
    def all_stages(self) -> tuple[LearningStage, ...]:
        return (*(super().all_stages if self.stages[0].first > 1 else ()), *self.stages)


@dataclass(frozen=True)
class Distilled(Searches, kind="distilled"):
    """distilled: to choose as searches of a stronger network do, in games of its policy alone, without a search."""

    curves: ClassVar[tuple[LogCurve, ...]] = (
        LogCurve("loss of new games", (("policy_loss", "moves"), ("value_loss", "results")), short="moves"),
        GAMES,
    )
    shown: ClassVar[tuple[str, ...]] = ("policy_loss",)
    search: ClassVar[str] = "glance"

    judge: str = string("", "the run whose searches judge moves, such as RUN or RUN@120; empty for the teacher")
    judge_genome: str = string("", "digest of the judge's weights when the run began")
    noise: float = number(0.05, 0.0, 1.0, "chance of a random move in these games")
    heat: float = number(0.1, 0.001, 100.0, "difference of log odds of scores that makes a move e times as likely")

    def problem(self, network: Spec) -> str:
        if not self.teacher:
            return "learning.teacher: expected a run, such as zero, whose network is the first one"
        if self.stages[0].first != 1 or not all(stage.nodes for stage in self.stages):
            return "learning.stages.0.first: expected 1, since searches judge all games"
        return super().problem(network)

    def judging(self, network: Spec) -> EarlierIndividual:
        if not self.judge:
            return self.first(network)
        return replace(self.first(network), key="judge", player=self.judge, genome=self.judge_genome)

    def begun(self, network: Spec, runs: Path) -> Self:
        begun = super().begun(network, runs)
        player, genome, _ = begun.judging(network).identify(runs)
        return replace(begun, judge=player, judge_genome=genome)


@dataclass(frozen=True)
class PublishedQLearning(LearningMethod, kind="q-learning-published"):
    """q-learning-published: the values of moves, by the rules of the article; they teach next to nothing (see
    docs/published.md).
    """

    obtained: ClassVar[str] = BY_GAMES
    plays: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("unlost",)
    curves: ClassVar[tuple[LogCurve, ...]] = (
        LOSS,
        GAMES,
        LogCurve("games not lost", (("unlost", "not lost"),), percent=True),
    )
    learner: ClassVar[str] = "extras.learning.q_learning:PublishedLearner"

    games: int = whole(200, 1, 100_000, "games in each generation; all are copies of two, one to teach each side")

    def problem(self, network: Spec) -> str:
        sound = network.layers and network.heads is None and network.phases == 1 and not network.patterns
        return "" if sound else "network: expected layers, and no heads, patterns or phases"

    def state_size(self, weights: int) -> int:
        return 2 * weights  # Adadelta: two sums per weight
