"""Parts of the page of a family: the tree, what is known of the chosen member, the founders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from game.number_text import count_text, percent_text
from gui.family.words import founders_text, share_text, tree_text
from gui.geometry import Rect, Size
from gui.individuals.rows import NOT_KEPT
from gui.look.canvas import Canvas, Look
from gui.look.measures import BODY, CONTROL, GAP, LARGE_CONTROL, ROOM, SMALL, TITLE
from gui.screens.family.family_view import FamilyView
from gui.screens.individuals.panes import facts_of
from gui.screens.screen import below_header
from gui.widgets.base import Label, Panel, Widget
from gui.widgets.button import Segments, button
from gui.widgets.commands import by_id
from gui.widgets.family_tree import FamilyTree
from gui.widgets.progress_bar import ProgressBar
from gui.widgets.table import Cell, Column, Table
from gui.widgets.weight_map import WeightMap

TABS = ("Individual", "Founders")
PANE, LEAST_PANE, GAMES, BESIDE = 350, 286, 118, 480
"""Pixels of the design: width of the right side, what it takes at least, height of the list of games, and from which
width on that stands beside the weights."""

LEAST = 20
"""Pixels of the design of whatever can be pointed at."""

WIDE = 1.05
"""A window at least this many times as wide as high has the chosen member beside the tree, else below."""

WHAT_TO_DO = "Champions of runs and everybody in their generations have families: choose one as an opponent."


def panels(screen: FamilyView, size: Size, look: Look) -> list[Widget]:
    """All below the header."""
    px, area = look.px, below_header(size, look)
    if screen.trouble:
        return _nothing(screen, area, look)
    if screen.tree is None:
        place = area.centre_within(px(420), px(28))
        return [ProgressBar(key="progress", rect=place, share=screen.progress, text="Reading generations")]
    if size[0] >= size[1] * WIDE:
        left, right = area.columns(None, max(min(px(PANE), area.w * 2 // 5), px(LEAST_PANE)), gap=px(ROOM))
    else:
        left, right = area.rows(None, min(px(430), area.h * 55 // 100), gap=px(ROOM))
    return [*_tree(screen, left, look), *_pane(screen, right, look)]


def _nothing(screen: FamilyView, area: Rect, look: Look) -> list[Widget]:
    px = look.px
    wide = min(px(460), area.w)
    lines = len(look.fonts.wrap(f"{screen.trouble}\n\n{WHAT_TO_DO}", wide, px(BODY)))
    text, _, row = area.centre_within(wide, lines * look.fonts.height(px(BODY)) + px(60)).rows(None, px(8), px(CONTROL))
    choose = by_id(screen.commands())["choose"]
    return [
        Label(key="trouble", rect=text, text=f"{screen.trouble}\n\n{WHAT_TO_DO}", wrap=True),
        button(choose, "do.choose", Rect(row.x, row.y, min(px(240), row.w), row.h), kind="main"),
    ]


def _tree(screen: FamilyView, rect: Rect, look: Look) -> list[Widget]:
    px, family, tree, found = look.px, screen.family, screen.tree, by_id(screen.commands())
    assert family is not None and tree is not None
    inner = rect.inset(px(ROOM), px(GAP))
    text = tree_text(family.descent, family.branched)
    lines = len(look.fonts.wrap(text, inner.w, px(SMALL)))
    names = ("return", "its-family", "whole")
    told, body, foot = inner.rows(lines * look.fonts.height(px(SMALL)), None, px(CONTROL), gap=px(GAP))
    buttons = [
        button(found[name], f"do.{name}", place)
        for name, place in zip(names, foot.columns(None, None, None, gap=px(GAP)), strict=True)
    ]
    return [
        Panel(key="tree.panel", rect=rect),
        Label(key="method", rect=told, text=text, size=SMALL, colour=look.theme.muted, wrap=True),
        FamilyTree(
            key="tree", rect=body, tree=tree, chosen=screen.place, choose=screen.choose,
            activate=lambda place: screen.go(),
            hint="Arrow keys go along the family; Enter or a double click shows the family of the chosen one. "
            "A crown: the champion of its generation",
        ),
        *buttons,
    ]  # fmt: skip


def _pane(screen: FamilyView, rect: Rect, look: Look) -> list[Widget]:
    px = look.px
    tabs, body = rect.inset(px(ROOM), px(GAP)).rows(px(CONTROL), None, gap=px(GAP))
    page = (_member, _founders)[screen.tab]
    return [
        Panel(key="panel", rect=rect),
        Segments(key="tabs", rect=tabs, names=TABS, chosen=screen.tab, pick=screen.show_tab, tabs=True,
                 hint="The chosen one, or the founders  (D)"),
        *page(screen, body, look),
    ]  # fmt: skip


def member_text(screen: FamilyView) -> str:
    """What is known of the chosen member, in sentences."""
    family, member, row, details = screen.family, screen.member, screen.details_row, screen.details
    if family is None or member is None:
        return ""
    generation = f"{family.source.name}, generation {screen.place[0]:,}"
    if row is None:
        return f"{generation}.\nIts row is not in the file of its generation: nothing more is known."
    rank = "" if row.rank is None or row.origin == "learnt" else f", rank {row.rank:,}"
    share = share_text(family.descent, screen.place[0], member, family.kin.name)
    trouble = "" if details is None else details.trouble
    return "\n".join(filter(None, [f"{generation}{rank}", *facts_of(row), share, trouble]))


def _member(screen: FamilyView, rect: Rect, look: Look) -> list[Widget]:
    px, details, found, member = look.px, screen.details, by_id(screen.commands()), screen.member
    shown = () if details is None or details.individual is None else details.individual.pictures
    text = member_text(screen)
    empty = "Reading…" if details is None else NOT_KEPT
    step, gap, beside = look.fonts.height(px(BODY)), px(8), rect.w >= px(BESIDE)
    if beside:
        rect, right = rect.columns(None, None, gap=px(ROOM))
        games, table, play, more = right.rows(px(22), None, px(LARGE_CONTROL), px(CONTROL), gap=gap)
    kept = bool(shown) or details is None
    least = px(60) if kept else max(len(look.fonts.wrap(empty, rect.w, px(BODY))) * step, px(LEAST))
    lines, upper = len(look.fonts.wrap(text, rect.w, px(BODY))) * step, px(26) + 2 * gap + least
    if not beside:
        most = rect.h - px(GAMES + LARGE_CONTROL + CONTROL) - 3 * gap - upper
        above = None if kept else upper + min(lines, max(most, step))
        rect, games, table, play, more = rect.rows(
            above, px(22), px(GAMES - 26) if kept else None, px(LARGE_CONTROL), px(CONTROL), gap=gap
        )
    head, told, weights = rect.rows(px(26), min(lines, max(rect.h - upper, step)), None, gap=gap)
    count = len(screen.games)
    title = "Games" if details is None else f"{count_text(count, 'game')} kept" if count else "No games kept"
    return [
        Label(key="one", rect=head, text="" if member is None else member.name, size=TITLE, bold=True, may_cut=True),
        Label(key="told", rect=told, text=text, wrap=True, may_cut=True),
        WeightMap(
            key="weights", rect=weights, pictures=shown,
            hint="Blue is good for it, orange bad. Point at a weight to see its value",
            empty=empty,
        ),
        Label(key="games.title", rect=games, text=title, bold=True),
        _games(screen, table),
        button(found["play"], "do.play", play, kind="main"),
        *[button(found[name], f"do.{name}", place)
          for name, place in zip(("show-game", "next-game"), more.columns(None, None, gap=px(GAP)), strict=True)],
    ]  # fmt: skip


def _games(screen: FamilyView, rect: Rect) -> Table:
    games, member = screen.games, screen.member
    details = screen.details

    def cells(row: int) -> Sequence[str | Cell]:
        game = games[row]
        black = member is not None and game.black == member.name
        side = "Black" if black else "White"
        won = {"1-0": black, "0-1": not black}.get(game.result)
        result = "drawn" if game.result == "1/2-1/2" else "–" if won is None else "won" if won else "lost"
        return f"{side} against {game.white if black else game.black}", result

    empty = "Reading…" if details is None else "The run keeps the games of champions, and it was not in any."
    return Table(
        key="games", rect=rect, headed=False, columns=(Column("Game"), Column("Result", 76, "right")),
        count=len(games), cells=cells, selected=min(screen.row, len(games) - 1), select=screen.select_game,
        activate=screen.show_game, arranged=screen.place, empty=empty,
        hint="Enter or a double click shows the game on the large board",
    )  # fmt: skip


def _founders(screen: FamilyView, rect: Rect, look: Look) -> list[Widget]:
    px, family = look.px, screen.family
    assert family is not None
    founders = family.descent.founders.shares
    text = founders_text(family.descent)
    high = len(look.fonts.wrap(text, rect.w, px(BODY))) * look.fonts.height(px(BODY))
    head, told, body = rect.rows(px(26), high, None, gap=px(GAP))
    most = max((each.share for each in founders), default=1.0) or 1.0

    def cells(row: int) -> Sequence[str | Cell]:
        one = founders[row]
        name = one.name if one.generation == 0 else f"{one.name} (generation {one.generation:,})"
        return name, Cell("", draw=partial(_bar, one.share / most)), percent_text(one.share)

    places = [(each.generation, each.name) for each in founders]
    return [
        Label(key="one", rect=head, text=f"Founders of {family.kin.name}", size=TITLE, bold=True, may_cut=True),
        Label(key="told", rect=told, text=text, wrap=True),
        Table(
            key="founders", rect=body, columns=(Column("Founder", 128), Column(""), Column("Share", 70, "right")),
            count=len(founders), cells=cells, arranged=family.kin,
            selected=places.index(screen.place) if screen.place in places else -1,
            select=lambda row: screen.choose(places[row]), activate=lambda row: screen.show_tab(0),
            hint="A choice shows the founder in the tree",
        ),
    ]  # fmt: skip


def _bar(share: float, canvas: Canvas, rect: Rect) -> None:
    """A bar as long as a share of the largest."""
    place = rect.inset(canvas.px(GAP), max((rect.h - canvas.px(GAP)) // 2, 0))
    canvas.box(Rect(place.x, place.y, max(round(place.w * share), canvas.px(2)), place.h), canvas.theme.accent, None, 2)
