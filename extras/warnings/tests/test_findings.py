"""Warnings and the checks that find them: data that show each, and data that do not."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.inspection import command
from evolve.report.genomes import measure
from evolve.report.overview import generation_overview, run_overview
from evolve.run import append_only, generation_csv
from evolve.run.folder import Run
from evolve.run.manifest import Manifest, sha256
from evolve.strength.elo import Estimate, score_interval
from extras.warnings import findings
from extras.warnings.findings import FindingKind, Repeats, check, count_repeats
from tests.runs import bare
from tests.synthetic import GAMES, PARENTS, SIZE, make_run

WIDTH = 247


def drawn(count: int, seed: int = 1) -> Any:
    return np.random.Generator(np.random.Philox(seed)).uniform(-1, 1, (count, WIDTH)).astype(np.float32)


def copies(of: int, count: int, step: float) -> Any:
    """`count` children of each of `of` genomes, each weight moved by up to `step`."""
    return np.repeat(drawn(of), count, axis=0) + step * drawn(of * count, 2)


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        (np.repeat(drawn(1), 100, axis=0), "100 % of the individuals are near copies of one of them"),
        (copies(3, 100, 0.01), "100 % of the individuals are near copies of 3 of them"),
        (np.concatenate([copies(2, 47, 0.01), drawn(6, 3)]), "94 % of the individuals are near copies of 2 of them"),
        (copies(4, 4, 0.01), "100 % of the individuals are near copies of 4 of them"),
        (copies(1, 4, 0.01), "near copies of one of them"),
    ],
)
def test_near_copies_are_a_warning(weights: Any, text: str) -> None:
    result = findings.check_near_copies(measure(weights))
    assert result is not None and result.kind == FindingKind.CONVERGED
    assert text in result.text


@pytest.mark.parametrize(
    "weights",
    [
        drawn(100),
        copies(6, 50, 0.01),  # six kinds
        copies(3, 100, 0.3),  # three families, but no copies
        np.concatenate([copies(2, 43, 0.01), drawn(14, 3)]),  # five groups are 89 % of all
        copies(5, 3, 0.01),  # five kinds among fifteen
        drawn(3),
        drawn(1),
    ],
)
def test_few_near_copies_are_no_warning(weights: Any) -> None:
    assert findings.check_near_copies(measure(weights)) is None


def test_lost_diversity_is_a_warning() -> None:
    result = findings.check_diversity([12.8, 6.0, 1.2])
    assert result is not None and "1.2 apart; in generation 0 they were 12.8 apart, so 9.4 %" in result.text
    assert findings.check_diversity(np.array([1.0, 0.0])) is not None


@pytest.mark.parametrize("course", [[12.8, 6.0, 1.3], [12.8], [], [0.0, 0.0], [12.8, 0.5, 3.0]])
def test_diversity_not_lost(course: list[float]) -> None:
    assert findings.check_diversity(course) is None


def test_a_rising_validation_loss_is_a_warning() -> None:
    nan = math.nan
    result = findings.check_overfitting("p", [1.95, 3.2, 6.4, 9.09], [nan, 1.4, 0.6, 0.16])
    assert result is not None and result.kind == FindingKind.OVERFITTED
    assert "lowest in generation 0, before it learnt anything, 1.95, and is 9.09 in generation 3" in result.text
    assert "fell from 1.4 to 0.16" in result.text and "p@0 predicts" in result.text
    later = findings.check_overfitting("p", [1.9, 1.2, 1.4], [nan, 1.5, 0.9])
    assert later is not None and "lowest in generation 1, 1.2" in later.text and "from 1.5 to 0.9" in later.text
    assert findings.check_overfitting("p", [1.9, 2.4], [nan, 1.4]) is not None


@pytest.mark.parametrize(
    ("validation", "training"),
    [
        ([1.91, 1.32, 1.29, 1.3], [math.nan, 1.52, 1.3, 1.28]),  # up and down
        ([1.9, 2.4, 3.0], [math.nan, 1.5, 2.9]),  # both rise: it does not learn at all
        ([1.9], [math.nan]),
        ([], []),
    ],
)
def test_a_falling_validation_loss_is_no_warning(validation: list[float], training: list[float]) -> None:
    assert findings.check_overfitting("p", validation, training) is None


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((20, 20, 20, 20, 20), "Nothing shows that it is better"),
        ((18, 20, 20, 22, 20), "Nothing shows that it is better"),
        ((40, 20, 20, 10, 10), "It is worse than a random player."),
        ((0, 0, 0, 0, 1), "Nothing shows that it is better"),  # one pair proves nothing
    ],
)
def test_a_champion_at_the_level_of_random_moves_is_a_warning(counts: tuple[int, ...], text: str) -> None:
    result = findings.check_random_level("Gen15_0111", score_interval(counts), 2 * sum(counts), "at one ply")
    assert result is not None and result.kind == FindingKind.RANDOM_LEVEL
    assert text in result.text and f"in {2 * sum(counts)} games" in result.text


@pytest.mark.parametrize(
    ("how", "as_evolved", "text"),
    [
        ("at one ply", True, "Success within its own population does not contradict"),
        ("looking 4 plies ahead", True, "Success within its own population does not contradict"),
        ("at one ply", False, "Look-ahead may change that"),
    ],
)
def test_random_level_and_its_worth(how: str, as_evolved: bool, text: str) -> None:
    interval = score_interval((20, 20, 20, 20, 20))
    result = findings.check_random_level("Gen15_0111", interval, 200, how, as_evolved=as_evolved)
    assert f"in 200 games {how}. Nothing shows" in result.text
    assert text in result.text
    assert ("ook-ahead" in result.text) == (not as_evolved)


def test_above_random_level() -> None:
    assert findings.check_random_level("a", score_interval((5, 5, 20, 30, 40)), 200, "at one ply") is None
    assert findings.check_random_level("a", Estimate(0.55, 0.501, 0.6), 1000, "at one ply") is None


@pytest.mark.parametrize(
    ("repeats", "text"),
    [
        (Repeats(16, 1, 16), "The 16 games of the champion's ranking are one game."),
        (Repeats(16, 9, 8), "9 different games, one of them 8 times"),
        (Repeats(30, 15, 2), "15 different games, one of them 2 times"),
    ],
)
def test_a_repeated_game_is_a_warning(repeats: Repeats, text: str) -> None:
    result = findings.check_repeats(repeats)
    assert result is not None and result.kind == FindingKind.REPEATED_GAME
    assert text in result.text


@pytest.mark.parametrize("repeats", [Repeats(15, 15, 1), Repeats(16, 9, 7), Repeats(30, 16, 2), Repeats(7, 1, 7)])
def test_no_repeated_game(repeats: Repeats) -> None:
    assert findings.check_repeats(repeats) is None


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
