"""The command that opens the table of individuals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.screens import entries
from gui.widgets.base import Command

if TYPE_CHECKING:
    from gui.screens.individuals.chooser import Chooser


class TableEntry(entries.Entry):
    """The button of the opponents' screen that opens the table, at the chosen run or file."""

    screen: Chooser

    def commands(self) -> Sequence[Command]:
        return [Command(id="table", name="Table", keys=("a",), run=self._open, icon="list",
                        about="The individuals of a run or file in a table")]  # fmt: skip

    def _open(self) -> None:
        from extras.individuals.screen import IndividualsScreen

        offer = self.screen.offer
        first = None if offer is None or offer.level >= 0 or offer.source is None else offer.source.path
        self.app.open(IndividualsScreen(self.app, first, self.screen.take_player))
