"""Exported pages as players: their network and search are read as data, and none of their scripts runs."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from game.errors import InputError, one_line
from game.regular_files import read_regular

if TYPE_CHECKING:
    from game.networks.spec import Spec
    from game.players.names import PlayerName
    from game.players.player import Player
    from game.search.interface import Limits, SearchOptions

ENDING = ".html"
FORM = "page.html"

FORMAT = 1
"""The format of the data in a page; pages with a larger number come from a newer program."""

MAX_BYTES = 16_000_000
"""Maximum size of a page: exported ones have at most 3 MB, and a saved evolution grows by 100 bytes a generation."""

MOST_ENTRIES = 1 << 22
"""Entries of the largest transposition table for which a browser has memory: 18 bytes each, for each search."""

_BEGIN = b'<script type="application/json" id="%b">'


def resolve(name: PlayerName) -> Player | None:
    """Return the player of an exported page; None if the name is not that of such a file.

    Raises:
        InputError: the file is no such page, or an option does not fit its player.
    """
    path = Path(name.target)
    if path.suffix.lower() != ENDING or not path.is_file():  # a run may have such a name
        return None
    if name.member is not None or "network" in name.options:
        from game.players.names import PlayerNameError

        wrong = "network=..." if name.member is None else f":{name.member[:40]}"
        raise PlayerNameError(f"player {name.text!r}: a page has one player and its network; leave out {wrong}")
    from game.players.network import player_of

    spec, weights, king, defaults = read(path)
    return player_of(name, spec, weights, king, None, defaults)


def read(path: Path) -> tuple[Spec, Any, float | None, tuple[Limits, SearchOptions]]:
    """Read network, weights, king, and limits and options of the search from a page.

    Raises:
        InputError: the file is no page with a player; the message says why.
    """
    try:
        data = read_regular(path, MAX_BYTES, links=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return _player_in(data)
    except _NoPlayerError as error:
        raise InputError(f"{path}: {error}") from None
    except (InputError, LookupError, TypeError, ValueError, OverflowError, RecursionError, zlib.error) as error:
        raise InputError(f"{path}: damaged ({one_line(str(error))[:200]}); ask for another copy") from error


class _NoPlayerError(Exception):
    """A file that is no page with a player; the message says what it is."""


def _player_in(data: bytes) -> tuple[Spec, Any, float | None, tuple[Limits, SearchOptions]]:
    import numpy as np

    from game.networks.named import from_values
    from game.search.interface import PLAIN, Limits, SearchOptions

    page = _part(data, b"player")
    if page is None:
        with_games = _BEGIN % b"game" in data
        raise _NoPlayerError(f"expected a page with a player, got {'a page of games' if with_games else 'another one'}")
    if "format" not in page:
        raise _NoPlayerError("exported before pages could be opened as players; export it again")
    if not 0 < page["format"] <= FORMAT:
        raise _NoPlayerError(f"expected format {FORMAT}, got {page['format']!r:.20}: update the program to open it")
    spec = from_values(page["spec"])
    if "weights" in page:
        size, king = 4 * spec.weights, page["king"]
        unpacked = zlib.decompressobj().decompress(base64.b64decode(page["weights"], validate=True), size + 4)
        weights = np.frombuffer(unpacked, "<f4").astype(np.float32)
    else:
        champion = (_part(data, b"run") or {}).get("champion")
        if champion is None:
            raise _NoPlayerError("its player has not evolved yet; open it in a browser, and save it there")
        weights, king = np.array(champion["genome"], np.float32), champion["king"]
    if weights.shape != (spec.weights,) or not np.isfinite(weights).all():
        raise ValueError(f"expected {spec.weights:,} finite weights")
    if king is not None and not abs(king) < 1e30:
        raise ValueError(f"expected a number as the value of a king, got {king!r:.20}")
    later = {"table": 0, "corrections": False, "threads": 1, "book": False}  # options that older pages do not have
    options, limits = later | page["options"], page["limits"]
    wrong = [key for key in SearchOptions.__slots__ if type(options[key]) is not type(getattr(PLAIN, key))]
    wrong += [key for key in ("depth", "nodes") if type(limits[key]) not in (int, type(None))]
    if wrong:
        raise ValueError(f"{wrong[0]} of another type")
    style = SearchOptions(**{key: options[key] for key in SearchOptions.__slots__})
    if style.entries > MOST_ENTRIES:
        raise ValueError(f"expected a table of at most {MOST_ENTRIES:,} entries, got {style.entries:,}")
    return spec, weights, None if king is None else float(king), (Limits(limits["depth"], limits["nodes"]), style)


def _part(data: bytes, name: bytes) -> Any:
    _, begin, rest = data.partition(_BEGIN % name)
    text, end, _ = rest.partition(b"</script>")
    if begin and not end:
        raise ValueError("its end is missing")
    return json.loads(text) if begin else None
