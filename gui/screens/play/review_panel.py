"""The texts of a review, its list of mistakes, and the graph of chances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from game.errors import capital
from game.moves import Move
from game.number_text import count_text
from game.review.annotations import CERTAIN_WORDS, LIKELY_WORDS, MARK_WORDS, chances_text, slide_words
from game.review.chances import Chances, Result
from game.review.judged import GamePhase, Judged, ProvedMoves, Review
from game.rules import BLACK, WHITE
from gui.geometry import Rect
from gui.look.theme import Theme
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.game_review import FOUND, AttemptResult, GameReview, Practice, PracticeStage
from gui.screens.play.analysis_panel import Finders, results_words
from gui.widgets.plot import Curve, Plot, ReferenceLine
from gui.widgets.table import Cell, Column, Table

Words = tuple[str, tuple[str, ...], str, str]
"""Headline; texts, of which the first that fits is displayed; icon; tone."""

LONGEST = 8
"""Maximum number of moves of a line that are written out."""


def review_words(practice: Practice, review: GameReview, finders: Finders, *, stuck: bool) -> Words:
    mistake = practice.mistake
    if mistake is None:
        return _of_position(practice, review, stuck=stuck)
    if practice.stage is PracticeStage.ASKED:
        head = f"Mistake {practice.number}{f' of {len(practice.mistakes)}' if review.finished else ''}"
        played = f"{_who(practice, mistake.side)} played {mistake.move}, {_changed(mistake)}."
        find = f"{_who(practice, mistake.side)} played {mistake.move}. Find a better move."
        if not review.finished:  # a bar needs the room of a line, and more mistakes may come
            return head, (find,), "review", "normal"
        whole = f"{played} {_figures(mistake)} Find a better move.".replace("  ", " ")
        texts, share = (whole, f"{played} Find a better move.", find), practice.finders.get(mistake)
        one, than = (finders.words(share, what) for what in ("one", f"a better move than {mistake.move}"))
        shared = (*(f"{text} {one}" for text in texts), than) if one else ()
        return head, (*shared, *texts), "review", "normal"
    if practice.stage is PracticeStage.SHOWN:
        line = _with_line(f"{_expects(mistake.before)}.", practice.following)
        return f"Best was {mistake.best}", line, "eye", "normal"
    return _tried(practice, mistake)


def _who(practice: Practice, side: int) -> str:
    return "You" if practice.person == side else SIDE_NAME[side]


def _tried(practice: Practice, mistake: Judged) -> Words:
    tried, expected = practice.tried, practice.expected
    if practice.verdict is AttemptResult.BEST:
        texts = _with_line(f"{_expects(mistake.before)}.", practice.following)
        return f"Right: {tried}", texts, "check", "good"
    if practice.verdict is AttemptResult.GOOD:
        chances = f"{_expects(expected)}. " if expected is not None else ""
        best = f"The best move is {mistake.best}: {chances_text(mistake.before)}."
        return f"Also good: {tried}", (f"{chances}{best}", best), "check", "good"
    head = f"{tried} was the mistake" if tried == mistake.move else f"{tried} is wrong, too"
    if practice.waits:
        return head, ("Looking for the refutation…",), "review", "warning"
    chances = f"{_expects(expected)}." if expected is not None else ""
    return head, _with_line(chances, practice.following, "Refuted by "), "review", "warning"


def _with_line(text: str, line: Sequence[Move], word: str = "Then ") -> tuple[str, ...]:
    """Return versions of a text followed by a line, from the whole line down to the text alone."""
    lengths = range(min(len(line), LONGEST), 0, -1)
    return (*(f"{text}\n{word}{' '.join(map(str, line[:count]))}.".lstrip() for count in lengths), text)


def _expects(chances: Chances) -> str:
    return capital(chances_text(chances))


def _changed(mistake: Judged) -> str:
    """Return the change of the expected result, such as ``from an even to a losing position``."""
    words = CERTAIN_WORDS if mistake.certain else LIKELY_WORDS
    return f"from {words[mistake.had]} to {words[mistake.left]} position"


TAKE_BACK = "Press R to take the move back, Space to go to the next mistake."
GO_TO = "Press Space to go to a mistake, where you can try a better move."


def _figures(mark: Judged) -> str:
    """Return the chances with the best move and after the move that was played; empty if both are certain."""
    if mark.certain:
        return ""
    return f"{_expects(mark.before)} became {chances_text(mark.after)}."


def _of_position(practice: Practice, review: GameReview, *, stuck: bool) -> Words:
    game, known = practice.game, review.review
    mark = known.mark_of(game.cursor)
    if not review.finished and (game.at_end or not game.cursor):
        if stuck:
            return "The review has stopped", ("The analyst failed.",), "warning", "warning"
        so_far, rows = f"{_mistakes(len(practice.mistakes))} so far.", len(game.rows())
        return (
            "Going through the game",
            (f"{review.done * rows // len(game.plies)} of {count_text(rows, 'move')}. {so_far}", so_far),
            "bolt",
            "normal",
        )
    if mark is not None:
        unsolved = mark.mistake and mark.ply not in practice.solved
        better = "Press Space to find a better move." if unsolved else f"Better was {mark.best}."
        head = f"{mark.move}: {MARK_WORDS[mark.mark].lower()}"
        change = f"{capital(_changed(mark))}. " if mark.mistake else ""
        whole = f"{change}{_figures(mark)} {better}".replace("  ", " ")
        return head, (whole, f"{change}{better}", better), "warning", "warning"
    if game.cursor and not game.at_end:
        return game.place, (_chances(known, game.cursor),), "eye", "normal"
    return _summary(practice, known)


def _summary(practice: Practice, review: Review) -> Words:
    left = [mark for mark in practice.mistakes if mark.ply not in practice.solved]
    sides = (BLACK, WHITE) if practice.side is None else (practice.side,)
    slides = [(side, words) for side in sides if (words := slide_words(side, review))]
    named = [f"{_who(practice, side)}: {words}" for side, words in slides]
    if practice.side is not None:
        named = [capital(words) for _, words in slides]
    slipped = "; ".join(named)
    proved = sum(map(review.proved_of, sides), ProvedMoves())
    certain = f"{proved.text} proved results thrown away. " if proved.moves else ""
    number = len(practice.mistakes)
    head = _mistakes(number)
    if practice.side is not None:
        made = "You made" if practice.person == practice.side else f"{SIDE_NAME[practice.side]} made"
        head = f"{made} {'no big mistake' if slides and not number else head.lower()}"
    elif slides and not number:
        head = "No big mistake"
    if not number:
        if slides:
            return head, (f"{slipped}.", f"{named[0]}."), "review", "warning"
        unchanged = "No move changed the expected result."
        return head, (f"{unchanged} {certain}".strip(), unchanged), "check", "good"
    counts = Counter(mark.phase for mark in practice.mistakes)
    every = {1: "In", 2: "Both in"}.get(number, "All in")
    many = {phase: every if counts[phase] == number else f"{counts[phase]} in" for phase in GamePhase if counts[phase]}
    where = ", ".join(f"{each} the {phase.value}" for phase, each in many.items())
    where = f"{where}. " + (f"{slipped}. " if slides else "")
    whole = where + certain
    if left:
        seen = f"{len(left)} not seen yet. " if len(left) < number else ""
        texts = tuple(f"{text}{seen}".rstrip() for text in (whole, where))
        if practice.side is not None:
            other = sum(mark.side != practice.side for mark in review.mistakes)
            texts = f"{texts[0]} {_who(practice, 1 - practice.side)} made {other or 'none'}.", *texts
        return head, texts, "review", "normal"
    solved = sum(practice.solved[mark.ply] == FOUND for mark in practice.mistakes)
    score = f"Better moves found: {solved} of {number}."
    icon, tone = ("check", "good") if solved else ("review", "normal")
    return head, (f"{whole}{score}", f"{where}{score}", score), icon, tone


def _mistakes(number: int) -> str:
    return count_text(number, "mistake") if number else "No mistakes"


def _chances(review: Review, cursor: int) -> str:
    chances = review.chances_after(cursor)
    if chances is None:
        return "This position has not been evaluated yet."
    if chances.certain:
        side = {Result.WIN: BLACK, Result.LOSS: WHITE}.get(chances.result)
        return "A certain draw." if side is None else f"A certain win for {SIDE_NAME[side]}."
    return f"{results_words(chances, ' ')}."


MISTAKE_COLUMNS = (Column("Move", 58, "right"), Column("Played"), Column("Better"), Column("Chance lost", 92, "right"))
UNKNOWN = "?"
"""The better move in the list of mistakes, before it was found or revealed."""


def mistakes_table(practice: Practice, go: Callable[[Judged], object], theme: Theme, rect: Rect) -> Table:
    """Return the list of mistakes; a better move is named once it was found or revealed."""
    marks = practice.mistakes

    def cells(number: int) -> Sequence[str | Cell]:
        mark = marks[number]
        half = mark.ply - 1 + practice.game.start.side
        how = practice.solved.get(mark.ply)
        better = Cell(str(mark.best), theme.good, "check" if how == FOUND else "eye") if how else Cell(UNKNOWN)
        cost = f"{round(100 * mark.lost)} %"
        return [f"{half // 2 + 1}{'…' if half % 2 else '.'}", Cell(f"{mark.move} {mark.mark.value}"), better, cost]

    return Table(
        key="mistakes", rect=rect, columns=MISTAKE_COLUMNS, count=len(marks), cells=cells,
        selected=practice.number - 1, choose=lambda number, column: go(marks[number]), keys=False, follows=True,
        hint="The mistakes, and the expected score that each of them cost: a draw counts half",
    )  # fmt: skip


def chances_graph(game: GameModel, review: Review, go_to: Callable[[int], object], rect: Rect) -> Plot:
    """Return a plot of Black's chances after each move that was read, from -1 (a loss) to 1; a click goes to a move.

    Dots mark moves that changed them; those of a person's opponent are hollow.
    """
    known = [review.chances_after(cursor) for cursor in range(len(review.chances))]
    shares = [None if chances is None else 2 * chances.points - 1 for chances in known]
    dots = [
        Curve(
            [*[None] * mark.ply, shares[mark.ply]],
            colour=1 if mark.mistake else 2,
            sparse=True,
            hollow=not game.seats[mark.side].human and any(seat.human for seat in game.seats),
        )
        for mark in review.marks
    ]

    def says(cursor: int) -> str:
        if cursor == game.cursor or not 0 < cursor <= len(game.plies):  # the words above the list tell it
            return ""
        return f"{game.plies[cursor - 1].move}: {_chances(review, cursor).removesuffix('.')}"

    return Plot(
        key="graph", rect=rect, curves=(Curve(shares), *dots), low=-1.0, high=1.0, mark=game.cursor, pick=go_to,
        axes=False, zero=True, least=12, title="Chances", says=says,
        levels=(ReferenceLine(1.0, "Black"), ReferenceLine(-1.0, "White")),
        hint="Black’s chances; a draw counts half. Above the line Black is ahead. Dots mark moves that changed it, "
        "hollow ones those of your opponent",
    )  # fmt: skip
