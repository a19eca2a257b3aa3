"""The thoughts of a program on a game: analysis beside the board, the bar of chances, and the worth of each piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from evolve.strength.levels import TOURNAMENT
from game.board import Position
from game.errors import capital
from game.moves import Move
from game.number_text import moves_text, signed_text, with_minus
from game.players.names import parse_name
from game.review.annotations import result_percents
from game.review.chances import Chances, GameKind, score_chances
from game.rules import BLACK, WHITE
from game.scores import EVEN, Line, SearchInfo
from game.search.interface import BY_TABLEBASE, WON, plies_to_win, reported_score
from gui.geometry import Rect
from gui.look.canvas import Canvas, Look
from gui.look.theme import GAP, SMALL, TIGHT, Colour, Theme
from gui.model.analyses import CERTAIN, black_chances, certain_words, verdict_words
from gui.model.ending import SIDE_NAME
from gui.model.lines import pieces_of
from gui.model.seats import Seat
from gui.model.table import GameTable
from gui.screens.play.game_parts import search_text
from gui.thinking.beside import finders_of, likes_of
from gui.thinking.messages import SideResult, SideWork
from gui.widgets.base import Label, Ui, Widget
from gui.widgets.board import Worth
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App


HEAD, LINE, MOST_MOVES = 28, 18, 3
"""Heights, and the maximum number of moves that are expected in sight; the tooltip has all."""
MOVE, MEN, LEAST_BAR = 62, 60, 90
PROVED, CHIP = 162, 18
"""Width of "loss in 113 moves" with the chip of its result, and of the latter."""


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
    """Return the chances, the line that the analyst expects, and the scores of moves; tooltips name it and say more.

    A tablebase verdict replaces the chances; missing tablebases that would cover the position are named below.
    """
    model, px = table.model, look.px
    info, line, _, body = rect.rows(px(HEAD), px(LINE), px(TIGHT), None)
    thinking, analysis = table.thinking, table.analysis
    if thinking is not None and model.at_end and analysis is None:
        finding, position, thinker = thinking.finding, model.last, model.seats[thinking.side].brief
    else:
        finding, position, thinker = (analysis.finding if analysis else None), model.shown, ""
    edge = px(GAP)
    info, line = info.inset(edge, 0), line.inset(edge, 0)

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
    lengths = [" ".join(moves[:count]) for count in range(min(len(moves), MOST_MOVES), 1, -1)]  # one heads the list
    body = body if lengths else body.around(line)
    more = list[Widget]()
    brief = says or whole
    text = look.first_fitting((parts if thinker else brief, brief), info.w)
    hint = parts if thinker else capital(f"{parts}, says {table.analyst.brief}".removeprefix(", "))
    searched = Label(key="searched", rect=info, text=text, hint=hint, bold=True, may_cut=True)
    if analysis is not None and analysis.verdict is not None:
        sure = certain_words(analysis.side, analysis.verdict)
        opinion = f"{standing_words(analysis.black_score)}, says {table.analyst.brief}. {whole}"
        short = verdict_words(analysis.side, analysis.verdict)
        searched = replace(searched, text=look.first_fitting((f"{short}, proven", short), info.w - px(LINE + GAP)),
                           icon="check", key="verdict", hint=f"{sure}. {opinion}")  # fmt: skip
    elif finding is not None and finding.missing:
        lines = look.fonts.wrap(finding.missing, body.w - 2 * edge, px(SMALL))
        body, low = body.rows(None, px(LINE) * len(lines))
        more.append(
            Label(key="missing", rect=low.inset(edge, 0), text=finding.missing, size=SMALL,
                  colour=look.theme.muted, wrap=True)
        )  # fmt: skip
    return [
        searched,
        *([Label(key="line", rect=line, text=look.first_fitting((*lengths, ""), line.w),
                 hint=" ".join(moves), may_cut=True)] if lengths else []),
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
    longest = max((look.wide(str(line.move), bold=True) for line in lines), default=0)
    moves = max(MOVE, round(longest / look.scale) + 2 * GAP)
    barred = rect.w >= px(moves + LEAST_BAR + wide)

    def cells(number: int) -> Sequence[str | Cell]:
        line, best = lines[number], number == 0
        drawn = barred and line.exact and line.verdict is None and abs(line.score) <= WON
        chances = [_results_cell(line, position, games) if drawn else Cell("")] if barred else []
        return [Cell(str(line.move), bold=best), *chances, *([Cell("") if drawn else _worth(line, best)] * worded)]

    worded = not barred or proved or not all(line.exact for line in lines)
    columns = [Column("Move", moves), Column("Black, draw, White")] if barred else [Column("Move")]
    return Table(
        key="scores", rect=rect, columns=(*columns, *[Column("Men", wide, "right")] * worded), count=len(lines),
        cells=cells, keys=False, headed=False, row=results_row(rect, look), empty=empty,
        hint=f"The result of each move, {CERTAIN}" if known
        else "The chances of each move; without them, its score in men",
    )  # fmt: skip


def _results_cell(line: Line, position: Position, games: GameKind) -> Cell:
    chances = score_chances(position, reported_score(line.score), line.verdict, games)
    black = chances if position.side == BLACK else chances.reversed
    shares = black.win, black.draw, black.loss
    return Cell(results_words(black), draw=partial(draw_results, shares, result_percents(black)))


def _worth(line: Line, best: bool) -> Cell:
    verdict, plies = line.verdict, plies_to_win(line.score)
    if verdict is not None:
        word = ("draw", "win", "loss")[verdict.value]
        text = word if verdict.plies is None or not verdict.value else f"{word} in {moves_text(verdict.plies)}"
        return Cell(text, draw=partial(draw_proved, text, best))
    if abs(line.score) > WON:
        text = f"{'win' if line.score > 0 else 'loss'}{'' if plies is None else f' in {moves_text(abs(plies))}'}"
        by_tables = line.text.endswith(BY_TABLEBASE) and (line.exact or line.score < 0)
        if by_tables:
            return Cell(text, draw=partial(draw_proved, text, best))
        return Cell(text if line.exact else f"≤ {text}", bold=best)
    text = with_minus(line.text)
    return Cell(text if line.exact else f"≤ {text}", bold=best)


def draw_proved(text: str, best: bool, canvas: Canvas, rect: Rect) -> None:
    """Draw a proved result: its sign on a colour of its own, and the words."""
    theme, side = canvas.theme, canvas.px(CHIP)
    chip, words = rect.columns(side, None, gap=canvas.px(GAP))
    chip = chip.centre_within(side, side)
    sign, colour = {"w": ("check", theme.good), "l": ("close", theme.danger)}.get(text[0], ("draw", theme.muted))
    canvas.box(chip, colour, radius=TIGHT)
    canvas.icon(sign, chip, theme.panel, SMALL)
    canvas.text(text, words, bold=best, may_cut=True)


MIDDLE = 0.55
"""Grey level of draws, from 0 (black) to 1 (white); light enough for dark letters."""


NOTHING = "0 %"
RESULTS, RESULTS_ROW, ROOMY = 20, 36, 240
"""Height of a bar with results, of its row, and of a table with such rows, at least."""


def result_colours(theme: Theme) -> tuple[tuple[Colour, Colour], ...]:
    """Return colour and letters of the parts for a win of Black, a draw, and a win of White."""
    black, white = theme.black.face, theme.white.face
    return (black, white), (theme.mix(black, white, MIDDLE), black), (white, black)


def draw_results(shares: Sequence[float], texts: Sequence[str], canvas: Canvas, rect: Rect) -> None:
    """Draw a bar in three parts for Black, draws and White with their texts; a part of 0 % is left out."""
    bar = rect.centre_within(rect.w, canvas.px(RESULTS))
    canvas.fill(bar, canvas.theme.control_line)
    inner, colours = bar.inset(1), result_colours(canvas.theme)
    parts = [part for part in zip(shares, texts, colours, strict=True) if part[1] != NOTHING]
    least = max(canvas.width(text, SMALL) for _, text, _ in parts) + 2 * canvas.px(TIGHT)
    widths = bar_heights([share for share, _, _ in parts], inner.w, min(least, inner.w // 3))
    for place, (_, text, (colour, ink)) in zip(inner.columns(*widths), parts, strict=True):
        canvas.fill(place, colour)
        text = text if least <= inner.w // 3 else text.removesuffix(" %")
        canvas.text(text, place, ink, canvas.fitting(text, place.w, SMALL), align="centre")


def results_row(rect: Rect, look: Look) -> int:
    """Return the height of the rows of a table with such bars: 0, for that of other tables, where room is short."""
    return look.px(RESULTS_ROW) if rect.h >= look.px(ROOMY) else 0


def bar_heights(shares: Sequence[float], length: int, least: int) -> list[int]:
    """Divide a length by shares; a part for which `least` is more gets it at the expense of the largest one."""
    ends = [round(length * min(sum(shares[: at + 1]), 1.0)) for at in range(len(shares))]
    sizes = [max(end - start, least) for start, end in zip([0, *ends], ends, strict=False)]
    sizes[sizes.index(max(sizes))] -= sum(sizes) - length
    return sizes


@dataclass(frozen=True, kw_only=True)
class EvaluationBar(Widget):
    """The chances of Black, of a draw, and of White, as a bar in three parts.

    Attributes:
        chances: Black's chances; None if unknown, which leaves the bar without parts.
    """

    chances: Chances | None = None
    flipped: bool = False

    def draw(self, canvas: Canvas, ui: Ui) -> None:
        """Draw a letter at each end, and between them the parts with their percentages, or a tick on a known result."""
        theme, px = canvas.theme, canvas.px
        black, white = theme.black.face, theme.white.face
        canvas.fill(self.rect, theme.control_line)
        inner = self.rect.inset(max(px(1), 1))
        cap = min(px(18), inner.h // 4)
        upper, middle, lower = inner.rows(cap, None, cap)
        ends = (upper, "B", black, white), (lower, "W", white, black)
        for place, letter, fill, ink in ends if not self.flipped else ((lower, *ends[0][1:]), (upper, *ends[1][1:])):
            canvas.fill(place, fill)
            canvas.text(letter, place, ink, SMALL, bold=True, align="centre")
        chances, ink = self.chances, theme.text
        if chances is None:
            canvas.fill(middle, theme.control)
        else:
            ink = self._draw_parts(canvas, chances, middle, cap)
        if chances is not None and not chances.certain:
            return
        if chances is not None and middle.h >= 2 * cap:
            canvas.icon("check", middle.centre_within(middle.w, cap), ink, 16)

    def _draw_parts(self, canvas: Canvas, chances: Chances, middle: Rect, cap: int) -> Colour:
        """Draw the parts; return the colour of letters on the largest one."""
        shares, line = (chances.win, chances.draw, chances.loss), max(canvas.px(1), 1)
        parts = list(zip(shares, result_percents(chances), result_colours(canvas.theme), strict=True))
        heights = bar_heights(shares, middle.h, 0 if chances.certain else min(cap + 2 * line, middle.h // 3))
        top = middle.y
        for height, (_, text, (fill, ink)) in list(zip(heights, parts, strict=True))[:: -1 if self.flipped else 1]:
            place = Rect(middle.x, top, middle.w, height)
            canvas.fill(place, fill)
            if middle.y < top < middle.bottom:
                canvas.fill(Rect(self.rect.x, top - line, self.rect.w, 2 * line), canvas.theme.control_line)
            if not chances.certain:
                text = text.removesuffix(" %")
                canvas.text(text, place, ink, canvas.fitting(text, place.w, SMALL), align="centre")
            top = place.bottom
        return max(parts, key=lambda part: part[0])[2][1]


def chances_bar(table: GameTable, rect: Rect, *, flipped: bool) -> EvaluationBar:
    """Return the bar with the chances in the visible position, or in the last evaluated one before it."""
    here, name = table.find_analysis(table.model.cursor), table.analyst.brief
    bar = EvaluationBar(key="bar", rect=rect, flipped=flipped)
    earlier = (table.find_analysis(cursor) for cursor in range(table.model.cursor, -1, -1))
    known = next((analysis for analysis in earlier if analysis is not None and analysis.black_score is not None), None)
    score, chances = (None, None) if known is None else (known.black_score, known.black_chances)
    likely = results_words(chances) if chances is not None and not chances.certain else ""
    says = f"{', '.join(filter(None, (likely, standing_words(score))))}, says {name}"
    if here is not None and here.verdict is not None:
        hint = f"{certain_words(here.side, here.verdict)}. {says}  (B)"
        return replace(bar, chances=here.black_chances, hint=hint)
    if chances is not None and known is not here:  # a result of an earlier position is not certain here
        chances = replace(chances, certain=False)
    missing = f". {here.finding.missing}" if here is not None and here.finding.missing else ""
    return replace(bar, chances=chances, hint=f"{says}{missing}  (B)")


class Finders:
    """The share of people who find a good move: of those as strong as the person, or else of tournament players."""

    def __init__(self, app: App, *, person: bool) -> None:
        self._app, self._person = app, person
        self._known: dict[SideWork, float] = {}

    @property
    def _people(self) -> tuple[str, str] | None:
        return self._app.services.opponents.people(person=self._person)

    def share(self, position: Position, good: tuple[Move, ...]) -> float | None:
        """Return the share of people that find one of the good moves of a position; ask for it and return None first.

        None also if there is none of these people, or no move that is not good.
        """
        people = self._people if good else None
        if people is None:
            return None
        request = SideWork(finders_of, (parse_name(people[0]), position, good))
        if request not in self._known and (answer := self._app.services.thinker.work(request)) is not None:
            self._known[request] = answer.value
        return self._known.get(request)

    def words(self, share: float | None, what: str) -> str:
        """Return a sentence such as ``About 6 in 10 tournament players find one.``; empty if unknown."""
        people = None if share is None else self._people
        if share is None or people is None:
            return ""
        tenths = round(10 * share)
        many = {0: "Few", 10: "Nearly all"}.get(tenths, f"About {tenths} in 10")
        return f"{many} {people[1]} {'finds' if tenths == 1 else 'find'} {what}."

    @property
    def basis(self) -> str:
        """Basis of the share if there are no recorded games of people as strong; otherwise empty."""
        people = self._people
        return "" if people is None or people[0] == TOURNAMENT else "The share follows from games of stronger players."


class WorthOfPieces:
    """The worth of the pieces to the first program of the game, or else to the analyst."""

    def __init__(self, app: App, table: GameTable) -> None:
        self._app = app
        self._table = table
        self._known: dict[SideWork, SideResult] = {}

    @property
    def _seat(self) -> Seat:
        return next((seat for seat in self._table.model.seats if seat.name), self._table.analyst)

    @property
    def _request(self) -> SideWork:
        model = self._table.model
        return SideWork(likes_of, (model.number, self._seat.name, model.shown))

    def step(self) -> bool:
        """Ask for the likes of the visible position, unless they are known; return whether they have come."""
        request = self._request
        answer = None if request in self._known else self._app.services.thinker.work(request)
        if answer is not None:
            self._known[request] = answer
        return answer is not None

    def liked(self) -> SideResult | None:
        """Return the `Likes` of the visible position; None if they are not known yet."""
        return self._known.get(self._request)

    @property
    def words(self) -> tuple[str, str]:
        """The meaning of the numbers, or why there are none, without and with who says so."""
        liked = self.liked()
        if liked is None:
            return "One moment…", "One moment…"
        likes = liked.value
        if likes is None or not likes.values:
            why = liked.trouble if likes is None else f"{likes.basis}."
            return why, why
        meaning = f"Worth {'in men: 1 if unmarked' if likes.men else 'at most 100 %'}"
        return f"{meaning}.", f"{meaning}, says {self._seat.brief}."

    def on_board(self) -> dict[int, Worth]:
        """Return the numbers by square, with shares of the largest; in men only others than 1, compared with it."""
        liked = self.liked()
        if liked is None or liked.value is None or not liked.value.values:
            return {}
        likes, pieces = liked.value, pieces_of(self._table.model.shown)
        values = {
            square: value if square not in pieces or pieces[square].side == BLACK else -value
            for square, value in likes.values.items()
        }
        usual = 1.0 if likes.men else 0.0
        most = max(*(abs(value - usual) for value in values.values()), 1e-9)

        def text(value: float) -> str:
            worth = with_minus(signed_text(value, 1) if likes.men else f"{signed_text(100 * value)} %").lstrip("+")
            return "" if worth == "1.0" else worth

        return {square: (text(value), (value - usual) / most) for square, value in values.items()}
