"""Reviews as text, and as PDN annotations: marks, comments, and better moves as variations."""

from __future__ import annotations

from collections.abc import Sequence

from game.ballots import opening_of
from game.board import Position
from game.moves import Move
from game.number_text import count_text, plies_text, whole_percents
from game.pdn.game import Annotation, Game
from game.review.chances import Chances, Result
from game.review.judged import GamePhase, Judged, Mark, Review
from game.rules import BLACK, WHITE

SIDES = {BLACK: "Black", WHITE: "White"}
MARK_WORDS = {Mark.SLIP: "Inaccurate", Mark.MISTAKE: "Mistake", Mark.BLUNDER: "Blunder"}


def percent(points: float) -> str:
    """Return expected points as a percentage, from ``1 %`` to ``99 %``, since no result is certain."""
    return f"{min(max(round(100 * points), 1), 99)} %"


def result_percents(chances: Chances) -> tuple[str, str, str]:
    """Return the chances as percentages that sum to 100; only certain results are 0 or 100."""
    shares = chances.win, chances.draw, chances.loss
    win, draw, loss = (f"{part} %" for part in whole_percents(shares, 0 if chances.certain else 1))
    return win, draw, loss


def chances_text(chances: Chances) -> str:
    """Return chances such as ``win 30 %, draw 44 %, loss 26 %`` or, if a result is certain, ``a certain draw``."""
    if chances.certain:
        return f"a certain {chances.result.value}"
    win, draw, loss = result_percents(chances)
    return f"win {win}, draw {draw}, loss {loss}"


def judgement(mark: Judged) -> str:
    """Describe the effect of a move, as in ``Mistake: from an even to a losing position``."""
    head = MARK_WORDS[mark.mark]
    if not mark.mistake:
        return head
    words = CERTAIN_WORDS if mark.certain else LIKELY_WORDS
    return f"{head}: from {words[mark.had]} to {words[mark.left]} position"


LIKELY_WORDS = {Result.WIN: "a winning", Result.DRAW: "an even", Result.LOSS: "a losing"}
CERTAIN_WORDS = {Result.WIN: "a won", Result.DRAW: "a drawn", Result.LOSS: "a lost"}
"""Words for expected and for certain results of the side that moves."""


def counted(number: int, what: str) -> str:
    """Return a number with its noun: ``no mistakes``, ``1 mistake``, ``1,200 mistakes``."""
    return count_text(number, what) if number else f"no {what}s"


def side_summary(side: int, review: Review) -> str:
    """Return a text such as ``Black: 2 mistakes (opening 1, endgame 1), threw away 1 of 12 proved results``."""
    counts, proved = review.summary[side], review.proved_of(side)
    threw = f", threw away {proved.text} proved results" if proved.moves else ""
    total = sum(counts.values())
    if not total and (slipped := slide_words(side, review)):
        return f"{SIDES[side]}: no big mistake, but {slipped}{threw}"
    where = ", ".join(f"{phase.value} {counts[phase]}" for phase in GamePhase if counts[phase])
    return f"{SIDES[side]}: {counted(total, 'mistake')}{f' ({where})' if where else ''}{threw}"


def slide_words(side: int, review: Review) -> str:
    """Return a text such as ``move 4 (10-15) cost 17 %``; empty without slide or loss."""
    slide = review.slide_of(side)
    if slide is not None:
        first, last = ((ply - 1 + review.first) // 2 + 1 for ply in (slide.first, slide.last))
        if slide.first == slide.last and (slide.first - 1 + review.first) % 2 == side:
            return f"move {first} ({review.moves[slide.first - 1]}) cost {percent(slide.before - slide.after)}"
        where = f"in move {first}" if first == last else f"between moves {first} and {last}"
        return f"the expected score fell from {percent(slide.before)} to {percent(slide.after)} {where}"
    if review.mistakes_of(side) or review.result_of(side) != -1:
        return ""
    known = [points for points in review.points if points is not None]
    if not known:
        return "lost"
    left = percent(known[-1] if side == BLACK else 1 - known[-1])
    return f"lost with an expected score of {left} at the end"


def summary_words(review: Review) -> str:
    return "; ".join(side_summary(side, review) for side in (BLACK, WHITE))


SIGN = "Crownhead"
"""The start of each comment of a review. A later review recognises these comments by it, and replaces them."""

NAGS = {Mark.SLIP: "$6", Mark.MISTAKE: "$2", Mark.BLUNDER: "$4"}
"""NAG numbers of marks in PGN and PDN, used for moves that already have a mark by the author."""

LINE = 8
"""Maximum number of plies in a variation, except for proofs, which are whole."""


def annotate(game: Game, review: Review) -> Game:
    """Return a game with the annotations of a review, and the name of its opening if no tag has it."""
    opening = opening_of([str(move) for move in game.moves]).pdn if game.start == Position.start() else ""
    tags = game.tags if not opening or "Opening" in dict(game.tags) else (*game.tags, ("Opening", opening))
    return Game(tags, game.start, game.moves, game.result, merge_notes(game.notes, review, game.start.side))


def merge_notes(notes: Sequence[Annotation], review: Review, first: int = BLACK) -> tuple[Annotation, ...]:
    """Return the notes of a game, replacing the notes of an earlier review with the notes of a new one."""
    left = _without_reviews(notes)
    who = f"{review.analyst}, {plies_text(review.depth)} ahead" if review.depth else review.analyst
    result = [Annotation(0, "comment", f"{SIGN}: {summary_words(review)}; judged by {who}")]
    for ply in range(len(review.moves) + 1):
        here = [note for note in left if note.ply == ply]
        mark = review.mark_of(ply)
        result += here if mark is None else _marked(here, mark, first, LINE if review.depth else None)
    return tuple(result)


def _marked(here: list[Annotation], mark: Judged, first: int, most: int | None) -> list[Annotation]:
    own = [note for note in here if note.kind == "mark"]
    others = [note for note in here if note.kind != "mark"]
    if own:
        sign = own if own[0].text == mark.mark else [*own, Annotation(mark.ply, "nag", NAGS[mark.mark])]
    else:
        sign = [Annotation(mark.ply, "mark", mark.mark.value)]
    return [
        *sign,
        Annotation(mark.ply, "comment", _comment(mark, most)),
        Annotation(mark.ply, "variation", numbered(mark.line[:most], mark.ply, first)),
        *others,
    ]


def _comment(mark: Judged, most: int | None) -> str:
    """Return a text such as ``Crownhead: mistake: from an even to a losing position, win 30 %, ...``."""
    words = judgement(mark)
    chance = f"{chances_text(mark.before)} before, {chances_text(mark.after)} after"
    if mark.certain:
        chance = "certain by tablebase" if most else "proved"
    others = [str(move) for move in mark.good if move != mark.best][:3]
    also = f"; also good {', '.join(others)}" if others else ""
    refuted = f"; refuted by {' '.join(map(str, mark.refutation[:most]))}" if mark.refutation and mark.mistake else ""
    return f"{SIGN}: {words[:1].lower()}{words[1:]}, {chance}; better {mark.best}{also}{refuted}"


def numbered(line: Sequence[Move], ply: int, first: int = BLACK) -> str:
    """Return moves with their numbers, as in variations: ``5... 22-18 6. 15x22``.

    Args:
        ply: number of the first move in the game, from 1.
        first: the side that moved first in the game.
    """
    words = []
    for index, move in enumerate(line):
        half = ply - 1 + first + index
        if half % 2 == 0:
            words.append(f"{half // 2 + 1}.")
        elif index == 0:
            words.append(f"{half // 2 + 1}...")
        words.append(str(move))
    return " ".join(words)


def _without_reviews(notes: Sequence[Annotation]) -> list[Annotation]:
    ours = {index for index, note in enumerate(notes) if note.kind == "comment" and note.text.startswith(f"{SIGN}: ")}
    dropped = set(ours)
    for index in ours:
        ply = notes[index].ply
        if ply and index and notes[index - 1].ply == ply and notes[index - 1].kind in ("mark", "nag"):
            dropped.add(index - 1)
        if index + 1 < len(notes) and notes[index + 1].ply == ply and notes[index + 1].kind == "variation":
            dropped.add(index + 1)
    return [note for index, note in enumerate(notes) if index not in dropped]
