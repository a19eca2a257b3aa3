"""A player as one Python file with a bot for OpenSpiel, which needs only numpy and pyspiel.

The file is made of the modules in `evolve/export/spiel`, without their imports, and of the same data as a page that
plays (`evolve.export.html.player_data`).
"""

from __future__ import annotations

import ast
import json
import keyword
import pprint
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.export.html import MOST_BYTES, player_data
from game.errors import InputError

if TYPE_CHECKING:
    from game.players.player import Player

_HEAD = """\
# {title}
#
# A checkers player for OpenSpiel, exported by Crownhead, in one file that needs only numpy and pyspiel. It plays
# the same moves with the same scores as the program, without tablebases:
#
#     import pyspiel
#     from {module} import Agent
#
#     state = pyspiel.load_game("checkers").new_initial_state()
#     bots = [Agent(), Agent(depth=2)]
#     while not state.is_terminal():
#         state.apply_action(bots[state.current_player()].step(state))
#     print(state, state.returns())

from __future__ import annotations

import base64
import itertools
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from pyspiel import Bot
except ImportError:  # `AgentPlayer` needs only numpy
    Bot = object
"""

MODULES = ("network.py", "search.py", "bot.py")
"""The modules of an agent, in their order."""


def agent_of(player: Player, module: str) -> str:
    """Return the Python source of the agent of a player.

    Args:
        player: a player whose network values positions.
        module: name of the file without its ending, for the example at its top.

    Raises:
        InputError: as for `evolve.export.html.player_data`, or the network is too large.
    """
    data = json.dumps(player_data(player), allow_nan=False, separators=(",", ":"))
    module = module if module.isidentifier() and not keyword.iskeyword(module) else "agent"
    parts = [_HEAD.format(title=ascii(player.name), module=module)]
    parts += [_without_imports(Path(__file__).with_name("spiel").joinpath(name).read_text("utf-8")) for name in MODULES]
    before, mark, after = "\n\n".join(parts).partition("DATA: dict[str, Any] = {}\n")
    assert mark
    source = f"{before}DATA: dict[str, Any] = json.loads(\n    {_literal(data)}\n)\n{after}"
    if len(source) > MOST_BYTES:
        raise InputError(
            f"{player.name}: its network is too large for a bot, whose file may have {MOST_BYTES / 1e6:.0f} MB; "
            f"it would have {len(source) / 1e6:.1f} MB"
        )
    return source


def _without_imports(source: str) -> str:
    """Return a module from the statement after its last import on."""
    body = ast.parse(source).body
    last = max(number for number, node in enumerate(body) if isinstance(node, ast.ImportFrom | ast.Import | ast.Try))
    return "\n".join(source.splitlines()[body[last].end_lineno or 0 :]).strip("\n") + "\n"


def _literal(text: str) -> str:
    """Return a Python expression of ASCII characters for a long text, in lines of at most 120 characters."""
    return pprint.pformat(text.encode(), width=114).strip("()").replace("\n ", "\n    ")
