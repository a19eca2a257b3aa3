"""What a review says beside the board: where the person is, mistakes by phase and side, the chances as a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from game.moves import Move
from game.review.judged import Judged, Phase, Review
from game.review.words import CERTAIN_WORDS, LIKELY_WORDS, MARK_WORDS, chance_text, judgement, percent, slide_words
from game.rules import BLACK, WHITE
from gui.geometry import Rect
from gui.model.endings import SIDE_NAME
from gui.model.game import GameModel
from gui.model.game_review import GameReview
from gui.model.practice import FOUND, Practice, Stage, Verdict
from gui.screens.play.analysis_panel import game_graph
from gui.widgets.plot import Curve, Plot
from gui.widgets.table import Cell, Column, Table

Words = tuple[str, tuple[str, ...], str, str]
"""Headline, texts of which the first that fits is shown, icon, tone."""

LONGEST = 8


def review_words(practice: Practice, review: GameReview, *, stuck: bool) -> Words:
    """Return what the panel says at this stage of the review."""
    mistake = practice.mistake
    if mistake is None:
        return _looking(practice, review, stuck=stuck)
    if practice.stage is Stage.ASKED:
        head = f"Mistake {practice.number} of {len(practice.mistakes)}"
        who = "You" if practice.person == mistake.side else SIDE_NAME[mistake.side]
        side = SIDE_NAME[mistake.side]
        find = f"Find a better move for {side} than {mistake.move}."
        return (
            head,
            (f"{who} played {mistake.move}, {_changed(mistake)}. Find a better move.", find),
            "review",
            "normal",
        )
    if practice.stage is Stage.SHOWN:
        texts = _with_line(f"{_expects(mistake.before, mistake)}.", practice.following)
        return f"Best was {mistake.best}", texts, "eye", "normal"
    return _tried(practice, mistake)


def _tried(practice: Practice, mistake: Judged) -> Words:
    tried, expected = practice.tried, practice.expected
    if practice.verdict is Verdict.BEST:
        texts = _with_line(f"{_expects(mistake.before, mistake)}.", practice.following)
        return f"Right: {tried}", texts, "check", "good"
    if practice.verdict is Verdict.GOOD:
        told = f"{_expects(expected, mistake)}. " if expected is not None else ""
        best = f"The best move is {mistake.best}, {percent(mistake.before, certain=mistake.certain)}."
        return f"Also good: {tried}", (f"{told}{best}", best), "check", "good"
    head = f"{tried} was the mistake" if tried == mistake.move else f"{tried} is wrong, too"
    if practice.waits:
        return head, ("Looking for what refutes it…",), "review", "warning"
    before = percent(mistake.before, certain=mistake.certain)
    told = f"{_expects(expected, mistake)} instead of {before}." if expected is not None else ""
    return head, _with_line(told, practice.following, "Refuted by "), "review", "warning"


def _with_line(text: str, line: Sequence[Move], word: str = "Then ") -> tuple[str, ...]:
    """A text and as many moves of a line as there is room for."""
    lengths = range(min(len(line), LONGEST), 0, -1)
    return (*(f"{text} {word}{' '.join(map(str, line[:count]))}.".lstrip() for count in lengths), text)


def _expects(points: float, mistake: Judged) -> str:
    return f"Chances {percent(points, certain=mistake.certain)}"


def _changed(mistake: Judged) -> str:
    """``from even to losing (52 % to 20 %)``."""
    words = CERTAIN_WORDS if mistake.certain else LIKELY_WORDS
    before, after = (percent(each, certain=mistake.certain) for each in (mistake.before, mistake.after))
    return f"from {words[mistake.had]} to {words[mistake.left]} ({before} to {after})"


def _looking(practice: Practice, review: GameReview, *, stuck: bool) -> Words:
    game, known = practice.game, review.review
    mark = known.mark_of(game.cursor)
    if not review.finished and (game.at_end or not game.cursor):
        if stuck:
            text = "The analyst cannot go on. Choose another one at the board with J."
            return "The review has stopped", (text,), "warning", "warning"
        so_far = f"{_mistakes(len(practice.mistakes))} so far."
        return (
            "Going through the game",
            (f"Move {review.done} of {len(game.plies)}. {so_far}", so_far),
            "bolt",
            "normal",
        )
    if mark is not None:
        hidden = mark.mistake and mark.ply not in practice.solved
        better = "Space: find what was better." if hidden else f"Better was {mark.best}."
        costs = f"{percent(mark.before, certain=mark.certain)} to {percent(mark.after, certain=mark.certain)}"
        head = f"{mark.move}: {MARK_WORDS[mark.mark].lower()}"
        told = f"{judgement(mark).partition(': ')[2]} ({costs})" if mark.mistake else f"Chances {costs}"
        return head, (f"{told[:1].upper()}{told[1:]}. {better}", better), "warning", "warning"
    if game.cursor and not game.at_end:
        return game.place, (_chances(known, game.cursor),), "eye", "normal"
    return _summary(practice, known)


def _summary(practice: Practice, review: Review) -> Words:
    """Return the mistakes of the game, or where the chances went without a single one."""
    left = [mark for mark in practice.mistakes if mark.ply not in practice.solved]
    whose = "" if practice.side is None else f" by {SIDE_NAME[practice.side]}"
    sides = (BLACK, WHITE) if practice.side is None else (practice.side,)
    slides = [f"{SIDE_NAME[side]}: {words}" for side in sides if (words := slide_words(side, review))]
    slipped = "; ".join(slides)
    if not practice.mistakes:
        if slides:
            return f"No single mistake{whose}", (f"{slipped}.", f"{slides[0]}."), "review", "warning"
        return f"No mistakes{whose}", ("No move changed the result that was to be expected.",), "check", "good"
    number = len(practice.mistakes)
    head = _mistakes(number) if practice.side is None else f"{SIDE_NAME[practice.side]}: {_mistakes(number).lower()}"
    counts = Counter(mark.phase for mark in practice.mistakes)
    where = ", ".join(f"{phase.value} {counts[phase]}" for phase in Phase if counts[phase])
    where = f"{where[:1].upper()}{where[1:]}. " + (f"{slipped}. " if slides else "")
    if left:
        seen = f"{len(left)} not seen yet. " if len(left) < len(practice.mistakes) else ""
        return head, (f"{where}{seen}Space: find what was better.", "Space: find what was better."), "review", "normal"
    found = sum(practice.solved[mark.ply] == FOUND for mark in practice.mistakes)
    told = f"Better moves found: {found} of {number}."
    return head, (f"{where}{told}", told), "check", "good"


def _mistakes(number: int) -> str:
    return f"{number or 'No'} mistake{'' if number == 1 else 's'}"


def _chances(review: Review, cursor: int) -> str:
    points = review.points[cursor] if cursor < len(review.points) else None
    if points is None:
        return "Nobody has judged this position yet."
    return f"Chances: Black {chance_text(points)}, White {chance_text(1 - points)}."


def summary_rows(review: Review) -> list[tuple[str, list[int]]]:
    """Return the numbers of Black's and White's mistakes in phases that have some, and in all if these are several."""
    summary = review.summary
    rows = [(phase.value.capitalize(), [summary[side][phase] for side in (BLACK, WHITE)]) for phase in Phase]
    rows = [(name, counts) for name, counts in rows if any(counts)]
    whole = [("Whole game", [sum(counts[side] for _, counts in rows) for side in (BLACK, WHITE)])]
    return rows + whole * (len(rows) > 1)


def summary_table(review: Review, rect: Rect) -> Table:
    """Return the table of mistakes by phase and side."""
    rows = summary_rows(review)

    def cells(number: int) -> Sequence[str | Cell]:
        name, counts = rows[number]
        last = len(rows) > 1 and number == len(rows) - 1
        return [Cell(name, bold=last), *(Cell(str(count or "–"), bold=last) for count in counts)]

    return Table(
        key="summary",
        rect=rect,
        columns=(Column("Mistakes"), Column("Black", 70, "right"), Column("White", 70, "right")),
        count=len(rows),
        cells=cells,
        keys=False,
        hint="Moves that changed the result to be expected. Opening: 19 pieces or more; endgame: 8 or fewer",
    )


def chances_graph(game: GameModel, review: Review, go_to: Callable[[int], object], rect: Rect) -> Plot:
    """What Black could expect after each move; a dot marks each move that changed that, in its own colour a mistake."""
    shares: list[float | None] = []
    for points in review.points:
        shares.append(2 * points - 1 if points is not None else shares[-1] if shares else None)
    dots = [
        Curve([*[None] * mark.ply, shares[mark.ply]], colour=1 if mark.mistake else 2, sparse=True)
        for mark in review.marks
    ]

    def says(cursor: int) -> str:
        mark = review.mark_of(cursor)
        chances = _chances(review, cursor).removesuffix(".")
        if mark is not None:
            return f"{mark.move} {mark.mark.value} {chances}"
        return f"{game.plies[cursor - 1].move}: {chances}" if 0 < cursor <= len(game.plies) else chances

    hint = "Chances to win, a draw counts half; above the line Black is ahead. A dot: a move that changed them"
    return game_graph((Curve(shares), *dots), game.cursor, go_to, rect, title="Chances", says=says, hint=hint)
