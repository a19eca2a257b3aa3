"""The modules of the quick tests, `pytest -n 2 -m quick`: some of every room, chosen by their processor time."""

from __future__ import annotations

from pathlib import Path

MARK = "quick"
"""The mark of these tests. Without a mark of its own, a test in these modules has it unless it is slow or a check."""

TESTS = Path(__file__).parent

ROOMS = {
    "": "ballots pages",
    "evolve": "endless_files",
    "evolve/breeding": "inheritance",
    "evolve/commands": "verbs",
    "evolve/config": "config saved",
    "evolve/inspection": "run_list",
    "evolve/kinds": "contract pairing variation",
    "evolve/names": "players",
    "evolve/report": "genomes",
    "evolve/run": "generation_csv log manifest status",
    "evolve/session": "control loop",
    "evolve/strength": "elo sprt",
    "evolve/tournament": "tournament",
    "evolve/workers": "pool",
    "extras/cast/tests": "archive",
    "extras/export/tests": "game_page",
    "extras/ladder/tests": "bradley_terry",
    "extras/learning/tests": "metrics q_games",
    "game": "board match moves openings terminal toml_file",
    "game/batch": "search",
    "game/compiled": "clearing_away",
    "game/endgame": "twin",
    "game/networks": "networks spec",
    "game/pdn": "meaning pdn write",
    "game/players": "players",
    "game/review": "openings review",
    "game/search": "tree",
    "gui": "commands game layouts play plot rating storage table turn widgets",
}
MODULES = frozenset(f"{room}/test_{name}.py".lstrip("/") for room, names in ROOMS.items() for name in names.split())
"""Modules below `tests`, some of every room, which is a folder there."""


def is_quick(path: Path) -> bool:
    root = TESTS if path.is_relative_to(TESTS) else TESTS.parent
    return path.is_relative_to(root) and path.relative_to(root).as_posix() in MODULES
