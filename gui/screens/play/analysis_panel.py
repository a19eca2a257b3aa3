"""The analysis beside a board: the analyst, scores of the moves, the best line, the graph, and a program's thinking."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from game.board import Position
from game.endgame.verdict import Verdict
from game.errors import InputError, capital
from game.moves import Move
from game.number_text import count_text, moves_text, with_minus
from game.players.registry import searches
from game.review.annotations import chances_text, percent, result_percents
from game.review.chances import Chances, GameKind, score_chances
from game.review.judged import Review
from game.rules import BLACK, WHITE
from game.scores import EVEN, Line, SearchInfo
from game.search.interface import BY_TABLEBASE, WON, plies_to_win, reported_score
from gui.geometry import Rect, between
from gui.key_table import with_keys
from gui.look.canvas import Look
from gui.look.theme import BODY, GAP, SMALL, TIGHT
from gui.model.analyses import ANALYST, CERTAIN, black_chances, certain_words, thrown_away, verdict_words
from gui.model.ending import SIDE_NAME
from gui.model.game import GameModel
from gui.model.seats import Seat
from gui.model.table import GameTable
from gui.screens.play.evaluation_bar import draw_results
from gui.screens.play.game_parts import search_text
from gui.services import Services
from gui.widgets.base import Command, Label, Widget
from gui.widgets.button import button
from gui.widgets.plot import Curve, Plot
from gui.widgets.table import Cell, Column, Table

if TYPE_CHECKING:
    from gui.app import App

CHAMPION, PIECES, OPPONENT = "champion", "pieces", "opponent"
"""Names of analysts in the settings. A player of the game is ``opponent NAME``, or ``black NAME`` if two programs play;
the name keeps the choice from applying to other opponents. Any other text is the name of a player."""


def list_analysts(services: Services, model: GameModel) -> dict[str, Seat]:
    """Return the players that can analyse a game, by their names in the settings, the default first."""
    analysts: dict[str, Seat] = {}
    first = services.opponents.first
    if first is not None:  # by its own name, also if it would be a level at the depth chosen for opponents
        analysts[CHAMPION] = replace(services.opponents.seat_of(first), depth=ANALYST.depth, title=first.title)
    programs = [side for side in (BLACK, WHITE) if not model.seats[side].human]
    for side in programs:
        seat = model.seats[side]
        if seat.name is not None and searches(seat.name):
            role = OPPONENT if len(programs) == 1 else SIDE_NAME[side].lower()
            analysts[f"{role} {seat.player}"] = seat
    analysts[PIECES] = ANALYST
    settings = services.settings
    if settings.analyst_title:
        with contextlib.suppress(InputError):  # settings may have been written by hand
            analysts[settings.analyst] = Seat(settings.analyst, title=settings.analyst_title)
    return {name: replace(seat, depth=ANALYST.depth, seconds=ANALYST.seconds) for name, seat in analysts.items()}


def find_analyst(services: Services, model: GameModel) -> Seat:
    """Return the chosen analyst of a game; the default one if the choice belongs to another game."""
    analysts = list_analysts(services, model)
    return analysts[_chosen_of(analysts, services)]


def _chosen_of(analysts: Collection[str], services: Services) -> str:
    return next(name for name in (services.settings.analyst, CHAMPION, PIECES) if name in analysts)


def analyst_commands(app: App, model: GameModel, done: Callable[[], object]) -> list[Command]:
    """Return a command for each analyst, which calls `done`, and one that opens the list of all individuals."""
    analysts = list_analysts(app.services, model)
    chosen = _chosen_of(analysts, app.services)

    def choose(name: str) -> None:
        title = app.services.settings.analyst_title if name == app.services.settings.analyst else ""
        app.change_settings(analyst=name, analyst_title=title)
        done()

    roles = {OPPONENT: "Opponent: ", "black": "Black: ", "white": "White: "}
    commands = [
        Command(id=f"analyst-{number}", name=roles.get(name.partition(" ")[0], "") + seat.brief, keys=(str(number),),
                run=partial(choose, name), about=f"{seat.brief} evaluates positions", chosen=name == chosen)
        for number, (name, seat) in enumerate(analysts.items(), 1)
    ]  # fmt: skip
    other = Command(id="analyst-other", name="Another individual…", keys=("0",), icon="list",
                    run=lambda: app.open(app.screens.chooser(position=model.shown)),
                    about=with_keys("Choose one in the list, then press {|analyst|Analyst}"))  # fmt: skip
    return [*commands, other]


HEAD, LINE = 28, 18
MOVE, LIKELY, VISITS, MEN, LEAST_BAR = 62, 70, 78, 60, 90
LEAST_HEADED = 100
"""Height from which a list with visits has headings, in pixels of the design."""
PROVED = 154
"""Width of "loss in 113 moves" with its icon, in pixels of the design."""
NO_SCORE = "No score: it only gives a probability for each move"


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


def analysis_panel(table: GameTable, choose: Command, look: Look, rect: Rect) -> list[Widget]:
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
    elif analysis is not None and analysis.scoreless:
        says = NO_SCORE
    says = ". ".join(filter(None, (says, _confidence(position, finding))))
    parts = ". ".join(filter(None, (says, whole)))
    ended = model.over and model.at_end and not table.analysing
    empty = "The game is over." if ended else "Thinking…" if thinker or table.analysing else ""
    moves = [str(move) for move in finding.pv] if finding else []
    analyst, more = button(choose, "analyst", head, kind="quiet", align="left"), list[Widget]()
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
        replace(analyst, text=", ".join(filter(None, (table.analyst.brief, table.analyst.depth_text)))),
        searched,
        Label(key="line", rect=line, text=fitting(*(" ".join(moves[:count]) for count in range(len(moves), -1, -1))),
              hint=" ".join(moves), may_cut=True),
        _scores(finding, position, model.games, empty, body, look),
        *more,
    ]  # fmt: skip


def _confidence(position: Position, finding: SearchInfo | None) -> str:
    """Return how sure a network that has learnt results is of the likeliest one; empty for other analysts."""
    if finding is None or finding.results is None:
        return ""
    winners = SIDE_NAME[position.side], "", SIDE_NAME[1 - position.side]
    winner, chance = max(zip(winners, finding.results, strict=True), key=lambda pair: pair[1])
    return f"{percent(chance)} sure of {f'a win for {winner}' if winner else 'a draw'}"


def chances_at(finding: SearchInfo | None) -> dict[int, str]:
    """Return the probability of a policy's likeliest move to each square, as text by square; empty without a policy."""
    chances: dict[int, float] = {}
    for line in finding.lines if finding else ():
        if line.chance is not None:  # of two moves to a square, the list has two probabilities, not their sum
            chances[line.move.path[-1]] = max(chances.get(line.move.path[-1], 0.0), line.chance)
    return {square: f"{100 * chance:.0f} %" for square, chance in chances.items()}


def _scores(
    finding: SearchInfo | None, position: Position, games: GameKind, empty: str, rect: Rect, look: Look
) -> Table:
    """Return the list of moves: for each the probability of a policy, the chances, and the score in men."""
    lines, px = finding.lines if finding else (), look.px
    known = finding is not None and finding.verdict is not None
    likely = bool(lines) and lines[0].chance is not None
    visited = any(line.visits for line in lines)
    judged = known or (finding is not None and finding.score is not None)
    proved = any(line.verdict is not None or abs(line.score) > WON for line in lines)
    wide = PROVED if proved else MEN
    longest = max((look.fonts.size(str(line.move), px(BODY), bold=True)[0] for line in lines), default=0)
    moves = max(MOVE, round(longest / look.scale) + 2 * GAP)
    barred = judged and rect.w >= px(moves + LIKELY * likely + VISITS * visited + LEAST_BAR + wide)
    hint = f"The result of each move, {CERTAIN}" if known else "The chances of each move, and its score in men"
    if likely:
        hint = "The policy's probability of each move" + f"; {hint[0].lower()}{hint[1:]}" * judged
    if visited:
        hint += ", the mean of its visits: the times that the search began with it"

    def cells(number: int) -> Sequence[str | Cell]:
        line, best = lines[number], number == 0
        row = [Cell(str(line.move), bold=best)]
        if line.chance is not None:
            row.append(Cell(f"{100 * line.chance:.1f} %", bold=best))
        if visited:
            row.append(Cell(f"{line.visits:,}", bold=best))
        if barred:
            row.append(_results_cell(line, position, games))
        return [*row, _worth(line, best)] if judged else row

    columns = [Column("Move", moves) if barred else Column("Move")]
    columns += [Column("Likely", LIKELY, "right")] * likely + [Column("Visits", VISITS, "right")] * visited
    columns += [Column("Black, draw, White")] * barred + [Column("Men", wide, "right")] * judged
    return Table(
        key="scores",
        rect=rect,
        columns=tuple(columns),
        count=len(lines),
        cells=cells,
        keys=False,
        headed=visited and rect.h >= px(LEAST_HEADED),
        empty=empty,
        hint=hint,
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


def graph(table: GameTable, go_to: Callable[[int], object], rect: Rect, review: Review | None = None) -> Plot:
    """Return a plot of the analyst's evaluation after each move, with gaps where there is none yet.

    Dots mark moves that gave away a result according to tablebases, and mistakes according to a review.
    """
    wrong = {mark.ply for mark in review.mistakes} if review is not None else set[int]()
    plies = table.model.plies
    shares: list[float | None] = []
    dots: list[Curve] = []
    for cursor in range(len(plies) + 1):
        analysis = table.find_analysis(cursor)
        shares.append(analysis.black_share if analysis is not None else None)
        if cursor in wrong or (cursor and thrown_away(table.find_analysis(cursor - 1), analysis)):
            dots.append(Curve([None] * cursor + shares[-1:], colour=1, sparse=True))

    def says(cursor: int) -> str:
        analysis = table.find_analysis(cursor)
        after = f"{plies[cursor - 1].move}" if 0 < cursor <= len(plies) else "Start"
        if analysis is not None and analysis.scoreless:
            return f"{after}: {table.analyst.brief} gives no score"
        if analysis is None or analysis.verdict is None:
            chances = analysis.black_chances if analysis is not None else None
            unproved = chances is not None and not chances.certain
            standing = standing_words(analysis.black_score if analysis is not None else None)
            return f"{after}: {results_words(chances, ' ') if unproved else standing}"
        lost = thrown_away(table.find_analysis(cursor - 1), analysis) if cursor else ""
        words = verdict_words(analysis.side, analysis.verdict)
        return f"{plies[cursor - 1].move} threw away {lost}: {words}" if lost else f"{after}: {words}, certain"

    hint = "Black’s chances; a draw counts half. Above the line Black is ahead. Click or press ← → to go to a move"
    here = table.find_analysis(table.model.cursor)
    empty = "" if plies else "The curve begins with the first move"
    if here is not None and here.scoreless:
        empty = f"{table.analyst.brief} gives no score"
    return game_graph((Curve(shares), *dots), table.model.cursor, go_to, rect, says=says, hint=hint, empty=empty)


def game_graph(
    curves: tuple[Curve, ...],
    cursor: int,
    go_to: Callable[[int], object],
    rect: Rect,
    *,
    says: Callable[[int], str],
    hint: str,
    empty: str = "",
) -> Plot:
    """Return a plot of curves over the moves of a game, from -1 (White wins) to 1; a click goes to a move.

    Args:
        empty: the reason why there is no curve.
    """
    return Plot(
        key="graph",
        rect=rect,
        curves=curves,
        low=-1.0,
        high=1.0,
        mark=cursor,
        pick=go_to,
        axes=False,
        zero=True,
        least=12,
        title="Chances",
        says=says,
        hint=hint,
        empty=empty,
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """Thoughts about the position on the board, or about the move that led to it."""

    line: tuple[Move, ...] = ()
    text: str = ""
    brief: str = ""

    @property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """The squares of the first move, and of the reply unless its arrow would cover the other."""
        first, reply = (tuple(move.path for move in self.line[at : at + 1]) for at in (0, 1))
        apart = not (first and reply and _crossed(first[0]) & _crossed(reply[0]))
        return first + reply if apart else first


def _crossed(path: tuple[int, ...]) -> set[int]:
    return {*path, *map(between, path, path[1:])} - {0}


NOTHING = Seen()


def see(table: GameTable) -> Seen:
    """Return the thoughts of the thinking program, else the analysis, else the thoughts about the last move.

    Nothing is displayed during a person's unfinished move, nor at the end of a game, which speaks for itself.
    """
    model = table.model
    if model.over and model.at_end:
        return NOTHING
    thinking, analysis = table.thinking, table.analysis
    if thinking is not None and model.at_end:
        finding = thinking.finding
        if finding is None:
            return NOTHING
        extent = extent_text(finding.depth, finding.nodes, thinking.seconds)
        chance = _chance(model.games, model.last, finding.score, finding.verdict) or _likely(finding)
        return _seen("", extent, finding.pv or (finding.move,), "best {}" if extent else "{}", chance)
    if model.turn.path:
        return NOTHING
    if analysis is not None:
        finding, position = analysis.finding, model.shown
        chance = _chance(model.games, position, finding.score, finding.verdict, SIDE_NAME[position.side])
        extent = extent_text(finding.depth, finding.nodes)
        return _seen(table.analyst.brief, extent, finding.pv or (finding.move,), "best {}", chance)
    return _after(model)


def _after(model: GameModel) -> Seen:
    """Return a program's thoughts about the move that led to the position on the board."""
    ply = model.shown_ply
    if ply is None or ply.thought is None:
        return NOTHING
    thought, player = ply.thought, model.seats[ply.side].brief or SIDE_NAME[ply.side]
    if not thought.depth:
        text = f"{player} moved without a search."
        return Seen((), text, text)
    line = thought.pv[1:] if thought.pv[:1] == (ply.move,) else ()
    extent = extent_text(thought.depth, thought.nodes, thought.seconds)
    return _seen(player, extent, line, "expects {}", _chance(model.games, ply.before, thought.score, None))


def _seen(player: str, extent: str, line: tuple[Move, ...], says: str, chance: str) -> Seen:
    first = says.format(line[0]) if line else ""
    full, brief = (", ".join(filter(None, parts)) for parts in ((extent, first, chance), (first, chance)))
    texts = [f"{player}: {text}" if player else capital(text) for text in (full, brief) if text]
    return Seen(line, f"{texts[0]}.", f"{texts[-1]}.") if texts else Seen(line)


def extent_text(depth: int | None, nodes: int | None, seconds: float | None = None) -> str:
    """Return the extent of a search: ``depth 9, 48,210 positions, 2 s``; empty if there was none."""
    parts = [f"depth {depth}" if depth else "", count_text(nodes, "position") if nodes else ""]
    return ", ".join(filter(None, [*parts, f"{seconds:.0f} s" if seconds is not None and seconds >= 1 else ""]))


def _chance(games: GameKind, position: Position, score: float | None, verdict: Verdict | None, side: str = "") -> str:
    """Return the chances of the side to move, as in reviews of games; empty without a score."""
    if score is None:
        return ""
    chances = score_chances(position, score, verdict, games)
    if chances.certain:
        return f"a certain {chances.result.value}{f' for {side}' if side else ''}"
    return f"{side} {chances_text(chances)}".lstrip()


def _likely(finding: SearchInfo) -> str:
    """Return a policy's probability of its move; empty without a policy."""
    chance = next((line.chance for line in finding.lines if line.move == finding.move), None)
    return "" if chance is None else f"{percent(chance)} likely"
