"""A reviewed game as PDN: marks, what they mean as comments, and what should have been played as variations."""

from __future__ import annotations

from collections.abc import Sequence

from game.moves import Move
from game.pdn.game import Annotation, Game
from game.review.judged import Judged, Mark, Review
from game.review.words import judgement, percent, summary_words
from game.rules import BLACK

SIGN = "Crownhead"
"""Begins each comment of a review, so that the next review of the game takes its place."""

NAGS = {Mark.SLIP: "$6", Mark.MISTAKE: "$2", Mark.BLUNDER: "$4"}
"""Numbers of the marks, as PGN and PDN have them, where a game has a mark of its own."""

LINE = 8
"""Plies of a variation at most."""


def annotate(game: Game, review: Review) -> Game:
    """The game with what a review says; what others have written in it stays.

    Args:
        game: as it was read.
        review: of the same moves.
    """
    return Game(game.tags, game.start, game.moves, game.result, merge_notes(game.notes, review, game.start.side))


def merge_notes(notes: Sequence[Annotation], review: Review, first: int = BLACK) -> tuple[Annotation, ...]:
    """The notes of a game, without those of an earlier review, and those of a review.

    Args:
        notes: of the game, in order of plies.
        review: of the game.
        first: the side that moves first.
    """
    left = _without_reviews(notes)
    who = f"{review.analyst}, {review.depth} {'ply' if review.depth == 1 else 'plies'} ahead"
    result = [Annotation(0, "comment", f"{SIGN}: {summary_words(review)}; judged by {who}")]
    for ply in range(len(review.moves) + 1):
        here = [note for note in left if note.ply == ply]
        mark = review.mark_of(ply)
        result += here if mark is None else _marked(here, mark, first)
    return tuple(result)


def _marked(here: list[Annotation], mark: Judged, first: int) -> list[Annotation]:
    own = [note for note in here if note.kind == "mark"]
    others = [note for note in here if note.kind != "mark"]
    if own:
        sign = own if own[0].text == mark.mark else [*own, Annotation(mark.ply, "nag", NAGS[mark.mark])]
    else:
        sign = [Annotation(mark.ply, "mark", mark.mark.value)]
    return [
        *sign,
        Annotation(mark.ply, "comment", _comment(mark)),
        Annotation(mark.ply, "variation", numbered(mark.line[:LINE], mark.ply, first)),
        *others,
    ]


def _comment(mark: Judged) -> str:
    """``Crownhead: mistake: a draw became a loss, 52 % to 20 %; better 11-15``."""
    before, after = (percent(each, certain=mark.certain) for each in (mark.before, mark.after))
    words = judgement(mark)
    chance = f"{before} to {after}" + (", certain by tablebase" if mark.certain else "")
    others = [str(move) for move in mark.good if move != mark.best][:3]
    also = f"; also good {', '.join(others)}" if others else ""
    refuted = f"; refuted by {' '.join(map(str, mark.refutation[:LINE]))}" if mark.refutation and mark.mistake else ""
    return f"{SIGN}: {words[:1].lower()}{words[1:]}, {chance}; better {mark.best}{also}{refuted}"


def numbered(line: Sequence[Move], ply: int, first: int = BLACK) -> str:
    """Moves with their numbers, as variations are written: ``5... 22-18 6. 15x22``.

    Args:
        line: the moves.
        ply: number of the first of them in the game, from 1.
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
    """Without the comments, marks and variations of an earlier review."""
    ours = {index for index, note in enumerate(notes) if note.kind == "comment" and note.text.startswith(f"{SIGN}: ")}
    dropped = set(ours)
    for index in ours:
        ply = notes[index].ply
        if ply and index and notes[index - 1].ply == ply and notes[index - 1].kind in ("mark", "nag"):
            dropped.add(index - 1)
        if index + 1 < len(notes) and notes[index + 1].ply == ply and notes[index + 1].kind == "variation":
            dropped.add(index + 1)
    return [note for index, note in enumerate(notes) if index not in dropped]
