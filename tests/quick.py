"""The modules of the quick tests, `pytest -n 2 -m quick`: some of every room, chosen by their processor time."""

from __future__ import annotations

from pathlib import Path

MARK = "quick"
"""The mark of these tests. Without a mark of its own, a test in these modules has it unless it is slow or a check."""

TESTS = Path(__file__).parent

MODULES = frozenset(
    [
        "evolve/breeding/test_individual.py",
        "evolve/breeding/test_inheritance.py",
        "extras/cast/tests/test_archive.py",
        "evolve/commands/test_verbs.py",
        "evolve/config/test_config.py",
        "evolve/config/test_saved.py",
        "evolve/inspection/test_run_list.py",
        "evolve/kinds/test_contract.py",
        "evolve/kinds/test_pairing.py",
        "evolve/kinds/test_variation.py",
        "extras/learning/tests/test_metrics.py",
        "extras/learning/tests/test_q_games.py",
        "evolve/names/test_players.py",
        "evolve/report/test_genomes.py",
        "evolve/run/test_generation_csv.py",
        "evolve/run/test_log.py",
        "evolve/run/test_manifest.py",
        "evolve/run/test_status.py",
        "evolve/session/test_control.py",
        "evolve/session/test_loop.py",
        "extras/ladder/tests/test_bradley_terry.py",
        "evolve/strength/test_elo.py",
        "evolve/strength/test_means.py",
        "evolve/strength/test_sprt.py",
        "evolve/test_endless_files.py",
        "evolve/tournament/test_tournament.py",
        "evolve/workers/test_channel.py",
        "game/batch/test_search.py",
        "game/compiled/test_clearing_away.py",
        "game/endgame/test_twin.py",
        "game/networks/test_networks.py",
        "game/networks/test_spec.py",
        "extras/export/tests/test_game_page.py",
        "game/pdn/test_pdn.py",
        "game/pdn/test_accepted_forms.py",
        "game/pdn/test_write.py",
        "game/players/test_players.py",
        "game/review/test_openings.py",
        "game/review/test_review.py",
        "game/search/test_tree.py",
        "game/test_board.py",
        "game/test_match.py",
        "game/test_moves.py",
        "game/test_number_text.py",
        "game/test_openings.py",
        "game/test_terminal.py",
        "game/test_toml_file.py",
        "gui/test_commands.py",
        "gui/test_game.py",
        "gui/test_geometry.py",
        "gui/test_layouts.py",
        "gui/test_play.py",
        "gui/test_plot.py",
        "gui/test_rating.py",
        "gui/test_storage.py",
        "gui/test_table.py",
        "gui/test_turn.py",
        "gui/test_widgets.py",
        "test_ballots.py",
        "test_pages.py",
    ]
)
"""Modules below `tests`, some of every room, which is a folder there."""


def is_quick(path: Path) -> bool:
    root = TESTS if path.is_relative_to(TESTS) else TESTS.parent
    return path.is_relative_to(root) and path.relative_to(root).as_posix() in MODULES
