"""The analysis beside a board: the analyst, the best line, and the scores of the moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from game.board import Position
from game.errors import capital
from game.number_text import moves_text, with_minus
from game.review.annotations import result_percents
from game.review.chances import Chances, GameKind, score_chances
from game.rules import BLACK, WHITE
from game.scores import EVEN, Line, SearchInfo
from game.search.interface import BY_TABLEBASE, WON, plies_to_win, reported_score
from gui.geometry import Rect
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP, SMALL, TIGHT
from gui.model.analyses import ANALYST, CERTAIN, black_chances, certain_words, verdict_words
from gui.model.ending import SIDE_NAME
from gui.model.seats import Seat
from gui.model.table import GameTable
from gui.screens.play.evaluation_bar import draw_results
from gui.screens.play.game_parts import search_text
from gui.services import Services
from gui.widgets.base import Label, Widget
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    pass


def find_analyst(services: Services) -> Seat:
    """Return the player that evaluates games: the champion of the shipped or newest run, or else a piece counter."""
    first = services.opponents.first
    if first is None or services.opponents.is_policy(first.player):
        return ANALYST
    # By its own name, also if it would be a level at the depth chosen for opponents.
    seat = services.opponents.seat_of(first)
    return replace(seat, depth=ANALYST.depth, seconds=ANALYST.seconds, title=first.title)


HEAD, LINE = 28, 18
MOVE, MEN, LEAST_BAR = 62, 60, 90
PROVED = 154
"""Width of "loss in 113 moves" with its icon."""


def standing_words(black: float | None) -> str:
    if black is None:
        return "Not evaluated yet"
    plies = plies_to_win(black)
    side = SIDE_NAME[BLACK if black > 0 else WHITE]
    if abs(black) > WON:
        return f"{side} wins" if plies is None else f"{side} wins in {moves_text(abs(plies))}"
    men = f"{abs(black):.2f}"
    return f"Even ({side} +{men})" if abs(black) < EVEN else f"{side} is ahead by {men} men"


def results_words(black: Chances | None, between: str = " wins ") -> str:
    """Return the chances of a win for Black, a draw, and a win for White; empty if they are unknown."""
    if black is None:
        return ""
    win, draw, loss = result_percents(black)
    return f"Black{between}{win}, draw {draw}, White{between}{loss}"


def analysis_panel(table: GameTable, look: Look, rect: Rect) -> list[Widget]:
    """Return the analyst, the chances, the extent of its search, its expected line, and the scores of moves.

    A tablebase verdict replaces the chances; missing tablebases that would cover the position are named below.
    """
    model, px = table.model, look.px
    head, info, line, _, body = rect.rows(px(HEAD), px(LINE), px(LINE), px(TIGHT), None)
    thinking, analysis = table.thinking, table.analysis
    if thinking is not None and model.at_end and analysis is None:
        finding, position, thinker = thinking.finding, model.last, model.seats[thinking.side].brief
    else:
        finding, position, thinker = (analysis.finding if analysis else None), model.shown, ""
    edge = px(GAP)
    info, line = info.inset(edge, 0), line.inset(edge, 0)

    def fitting(*texts: str) -> str:
        return next((text for text in texts if look.fonts.size(text, px(BODY))[0] <= info.w), texts[-1])

    chances = black_chances(position, finding, model.games)
    extent = search_text(finding)
    whole, says = f"{thinker}: {extent}" if thinker and extent else capital(extent), ""
    if thinker and not extent:
        whole = f"{thinker} is thinking…"
    if chances is not None and not chances.certain:
        says = results_words(chances, " ")
    parts = ". ".join(filter(None, (says, whole)))
    ended = model.over and model.at_end and not table.analysing
    empty = "The game is over." if ended else "Thinking…" if thinker or table.analysing else ""
    moves = [str(move) for move in finding.pv] if finding else []
    more = list[Widget]()
    searched = Label(key="searched", rect=info, text=fitting(parts, says or whole), hint=parts,
                     colour=look.theme.muted, may_cut=True)  # fmt: skip
    if analysis is not None and analysis.verdict is not None:
        sure = certain_words(analysis.side, analysis.verdict)
        opinion = f"{standing_words(analysis.black_score)}, says {table.analyst.brief}. {whole}"
        searched = replace(searched, text=verdict_words(analysis.side, analysis.verdict), bold=True, icon="check",
                           key="verdict", colour=None, hint=f"{sure}. {opinion}")  # fmt: skip
    elif finding is not None and finding.missing:
        lines = look.fonts.wrap(finding.missing, body.w - 2 * edge, px(SMALL))
        body, low = body.rows(None, px(LINE) * len(lines))
        more.append(
            Label(key="missing", rect=low.inset(edge, 0), text=finding.missing, size=SMALL,
                  colour=look.theme.muted, wrap=True)
        )  # fmt: skip
    return [
        Label(key="analyst", rect=head.inset(edge, 0), text=f"{table.analyst.brief}, {table.analyst.depth_text}",
              bold=True, may_cut=True),
        searched,
        Label(key="line", rect=line, text=fitting(*(" ".join(moves[:count]) for count in range(len(moves), -1, -1))),
              hint=" ".join(moves), may_cut=True),
        _scores(finding, position, model.games, empty, body, look),
        *more,
    ]  # fmt: skip


def _scores(
    finding: SearchInfo | None, position: Position, games: GameKind, empty: str, rect: Rect, look: Look
) -> Table:
    px, known = look.px, finding is not None and finding.verdict is not None
    lines = finding.lines if finding is not None and (known or finding.score is not None) else ()
    proved = any(line.verdict is not None or abs(line.score) > WON for line in lines)
    wide = PROVED if proved else MEN
    longest = max((look.fonts.size(str(line.move), px(BODY), bold=True)[0] for line in lines), default=0)
    moves = max(MOVE, round(longest / look.scale) + 2 * GAP)
    barred = rect.w >= px(moves + LEAST_BAR + wide)

    def cells(number: int) -> Sequence[str | Cell]:
        line, best = lines[number], number == 0
        chances = [_results_cell(line, position, games)] if barred else []
        return [Cell(str(line.move), bold=best), *chances, _worth(line, best)]

    columns = [Column("Move", moves), Column("Black, draw, White")] if barred else [Column("Move")]
    return Table(
        key="scores",
        rect=rect,
        columns=(*columns, Column("Men", wide, "right")),
        count=len(lines),
        cells=cells,
        keys=False,
        headed=False,
        empty=empty,
        hint=f"The result of each move, {CERTAIN}" if known else "The chances of each move, and its score in men",
    )


def _results_cell(line: Line, position: Position, games: GameKind) -> Cell:
    """Return the chances after a move as a bar; empty if its score is only a bound."""
    if not line.exact and line.verdict is None:
        return Cell("")
    chances = score_chances(position, reported_score(line.score), line.verdict, games)
    black = chances if position.side == BLACK else chances.reversed
    shares = black.win, black.draw, black.loss
    return Cell(results_words(black), draw=partial(draw_results, shares, result_percents(black)))


def _worth(line: Line, best: bool) -> Cell:
    verdict, plies = line.verdict, plies_to_win(line.score)
    if verdict is not None:
        word = ("draw", "win", "loss")[verdict.value]
        text = word if verdict.plies is None or not verdict.value else f"{word} in {moves_text(verdict.plies)}"
        return Cell(text, icon="check", bold=best)
    if abs(line.score) > WON:
        text = f"{'win' if line.score > 0 else 'loss'}{'' if plies is None else f' in {moves_text(abs(plies))}'}"
        by_tables = line.text.endswith(BY_TABLEBASE) and (line.exact or line.score < 0)
        return Cell(text if line.exact or by_tables else f"≤ {text}", icon="check" if by_tables else "", bold=best)
    text = with_minus(line.text)
    return Cell(text if line.exact else f"≤ {text}", bold=best)
