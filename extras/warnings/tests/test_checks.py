"""The checks of runs, generations, files and games: what they find, and which of them can be made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from evolve.inspection import command
from evolve.report.overview import generation_overview, run_overview
from evolve.run import append_only, generation_csv
from evolve.run.folder import Run
from evolve.run.manifest import Manifest, sha256
from extras.warnings.checks import check
from extras.warnings.findings import FindingKind, Repeats, count_repeats
from tests.evolve.inspection.bare_files import bare
from tests.synthetic import GAMES, PARENTS, SIZE, make_run

LAST = 8


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder, "one", 12, rated=True)
    make_run(folder, "two", 4, seed=2)
    return folder


def test_findings_of_a_run(tmp_path: Path) -> None:
    """All survivors equal, one game, nothing new for generations, and diversity gone."""
    run = make_run(tmp_path, "one", LAST)
    games = "".join(f'[Event "x"]\n[Round "{LAST}.{n}"]\n\n1. 11-15 23-19 *\n\n' for n in range(1, 11))
    (run.path / "champions.pdn").write_text(games, encoding="utf-8")
    known = Manifest()
    for generation in range(LAST + 1):
        rows = generation_csv.read(run.generation_path(generation))
        rows.weights[:] = rows.weights[0]
        assert rows.origins is not None
        rows.origins[:] = [("survivor" if row < PARENTS else "mutated") for row in range(SIZE)]
        data = generation_csv.to_csv(rows)
        run.generation_path(generation).write_bytes(data)
        known = known.with_entry(sha256(data))
    known.write(run.path)
    kinds = [result.kind for result in check(run_overview(run)).findings]
    assert kinds == [FindingKind.CONVERGED, FindingKind.REPEATED_GAME]
    log = run.path / "log.csv"
    lines = [line.split(",") for line in log.read_text("utf-8").splitlines()]
    lines[-1][lines[0].index("diversity")] = "0.1"
    log.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")
    result = check(run_overview(run)).findings
    assert [each.kind for each in result] == kinds  # convergence is told once
    assert "in generation 0 they were" in result[0].text


def test_only_examined_parts_are_reported_as_absent(runs: Path, tmp_path: Path) -> None:
    def looked(target: str, *options: str) -> list[str]:
        options_ = main.build_parser().parse_args(["inspect", target, *options])
        checked = command.inspect(options_, lambda text: None).checked
        assert checked is not None
        return list(checked.looked)

    files, played = ["convergence"], "--games=2"
    assert looked(str(runs / "two"), "--games=0")[:1] == files
    assert {"random level", "a fall"}.isdisjoint(looked(str(runs / "two"), "--games=0"))
    assert "a fall" in looked(str(runs / "one"), "--games=0")  # its champions are rated
    assert check(generation_overview(Run(runs / "two"), 3)).findings == []
    path = bare(tmp_path / "x.csv", ["Anna", "Ben"])
    assert looked(str(path), "--games=0") == files
    assert looked(f"{path}:Ben", "--games=0") == []
    assert looked(f"{path}:Ben", played) == ["random level"]


def game(number: str, moves: str, result: str = "1-0") -> str:
    return f'[Event "x"]\n[Round "{number}"]\n[Black "a"]\n[Result "{result}"]\n\n{moves} {result}\n\n'


def test_repeated_games_are_counted_by_their_moves(tmp_path: Path) -> None:
    run = make_run(tmp_path, "one", LAST)
    for generation in range(LAST + 1):
        assert count_repeats(run.path, generation) == Repeats(GAMES, GAMES, 1)
    assert count_repeats(run.path, LAST + 1) is None
    path = run.path / append_only.CHAMPIONS
    games = [
        *(game(f"1.{number}", "1. 11-15 23-19") for number in range(1, 10)),
        game("2.1", "1. 9-14\n22-18"),
        game("2.2", "1. 9-14 22-18"),  # lines are broken where there is room
        game("2.3", "1. 9-14 22-17"),
        game("12.1", "1. 9-14 22-18", "0-1"),
    ]
    path.write_text("".join(games), encoding="utf-8")
    assert count_repeats(run.path, 1) == Repeats(9, 1, 9)
    assert count_repeats(run.path, 2) == Repeats(3, 2, 2)
    assert count_repeats(run.path, 12) == Repeats(1, 1, 1)
    assert count_repeats(run.path, 3) is None
    path.write_text("".join(games) + game("13.1", "1. 9-14 22-18")[:-30], encoding="utf-8")
    assert count_repeats(run.path, 12) == Repeats(1, 1, 1)
    path.unlink()
    assert count_repeats(run.path, 1) is None


def test_survivors_are_described_only_where_ranks_select(tmp_path: Path) -> None:
    """An own selection takes parents of any rank: the first rows are the best, and nothing more."""
    run = make_run(tmp_path, "one", LAST)
    rows = [run.read_generation(number) for number in range(LAST + 1)]
    same, parents = np.repeat(rows[-1].weights[:1], SIZE, axis=0), [(rows[-2].names[0],)] * SIZE
    copies = replace(rows[-1], weights=same, parents=parents)
    _put(run, LAST, copies)
    for number in range(1, LAST):
        _put(run, number, replace(rows[number], origins=["mutated"] * PARENTS + ["survivor"] * (SIZE - PARENTS)))
    kinds = {each.kind for each in check(run_overview(run)).findings}
    assert FindingKind.CONVERGED in kinds
    assert run_overview(run).common_ancestor is not None
    path = run.path / "config.toml"
    text = path.read_text().replace('selection = "best"', 'selection = "lucky"')
    assert "lucky" in text
    path.write_text(f'{text}\n[plugins]\nfiles = ["ops.py"]\nsha256 = ["{64 * "0"}"]\n')
    result = run_overview(run)
    assert result.champion.name == rows[-1].names[0]
    assert result.diversity is None and result.common_ancestor is None
    assert FindingKind.CONVERGED not in {each.kind for each in check(result).findings}


def _put(run: Run, generation: int, rows: generation_csv.Generation) -> None:
    """Put another generation into a run, with a manifest that fits."""
    data = generation_csv.to_csv(rows)
    run.generation_path(generation).write_bytes(data)
    entries = list(run.manifest().entries)
    entries[generation] = replace(entries[generation], first=sha256(data), now=sha256(data))
    Manifest(tuple(entries)).write(run.path)
