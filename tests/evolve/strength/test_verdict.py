"""What a run beats: its state in the log, the order of tests, and its words."""

from __future__ import annotations

import math
from pathlib import Path

from evolve.run.log import LOG_COLUMNS, Log
from evolve.strength.levels import RANDOM
from evolve.strength.verdict import OPPONENTS, WORTH_TESTING, LevelState, RunVerdict
from tests.cases import for_each

NAN = math.nan


def log_of(folder: Path, *rows: dict[str, object]) -> Log:
    """Return a log with these values; other columns are 1 or, if they belong to ratings, empty."""
    lines = [",".join(LOG_COLUMNS)]
    for generation, row in enumerate(rows):
        values = {name: "1" for name in LOG_COLUMNS} | dict.fromkeys(LOG_COLUMNS[-7:-1], "")
        values |= {"generation": str(generation), "champion": f"Gen{generation:02d}_0000"}
        values |= {name: str(value) for name, value in row.items()}
        lines.append(",".join(values.values()))
    (folder / "log.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    log = Log(folder)
    while log.step().more:
        pass
    assert not log.trouble and len(log) == len(rows)
    return log


def test_the_weakest_opponent_that_is_not_beaten_is_tested_next() -> None:
    state = LevelState()
    assert state.next(RANDOM) is None and state.next(RANDOM + 1) == 0
    assert state.next(5000.0) == 0  # a strong champion does not skip weak opponents
    for index in range(len(OPPONENTS)):
        assert state.next(5000.0) == index
        state = state.after(True, 7, 5000.0)
    assert state.next(5000.0) is None and state.unproven == 0
    assert LevelState().next(math.nan) is None and LevelState().next(-math.inf) is None


def test_a_failed_test_is_repeated_only_with_a_higher_rating() -> None:
    state = LevelState(beaten=3, by=2).after(False, 5, -200.0)
    assert (state.unproven, state.by, state.beaten) == (1, 2, 3)
    assert [state.next(low) for low in (-250.0, -200.0, -199.9)] == [None, None, 3]
    higher = state.after(True, 9, -100.0)
    assert (higher.unproven, higher.by, higher.beaten) == (1, 9, 4)
    assert higher.next(WORTH_TESTING[4] + 1) == 4  # another opponent, so the rating at the vain test means nothing


def test_the_state_is_read_from_the_log(tmp_path: Path) -> None:
    """As tests left it, one by one, in generations with and without ratings."""
    state, rows = LevelState(), list[dict[str, object]]()
    for generation, (low, verdicts) in enumerate(
        [(-1500.0, []), (-600.0, [True, True]), (-500.0, [True]), (NAN, []), (-200.0, [False]), (-250.0, []),
         (-150.0, [True]), (40.0, [False]), (60.0, [False])]
    ):  # fmt: skip
        for verdict in verdicts:
            assert state.next(low) is not None
            state = state.after(verdict, generation, low)
        numbers = {name: "" if value is None else value for name, value in state.numbers().items()}
        rated = {"rating": low + 80, "rating_low": low, "rating_high": low + 160} | numbers
        rows.append({} if math.isnan(low) else rated)
        assert LevelState.of_log(log_of(tmp_path, *rows)) == state
    assert state == LevelState(beaten=4, by=6, unproven=3, tried=60.0)


def test_a_proof_and_a_failed_test_in_one_generation_are_both_read(tmp_path: Path) -> None:
    state = LevelState().after(True, 0, 40.0).after(False, 0, 40.0)
    row = {"rating": 100, "rating_low": 40, "rating_high": 160} | state.numbers()
    assert LevelState.of_log(log_of(tmp_path, row)) == state


def numbers(rating: float, low: float, beaten: float | None, by: float | None) -> dict[str, float | None]:
    return {"rating": rating, "rating_low": low, "beaten": beaten, "beaten_by": by}


@for_each(
    ("given", "text", "short"),
    [
        (numbers(130, 56, 4, 9), "generation 9 beats Club", "beats Club"),
        (numbers(130, 56, 4, 3), "generation 3 beats Club", ""),
        (numbers(-290, -350, 4, 3), "generation 3 beats Club, but generation 9 is rated below it",
         "below Club, which generation 3 beats"),
        (numbers(130, 56, 0, None), "", ""),
        (numbers(-math.inf, -math.inf, 1, 3), "generation 3 beats random moves, but generation 9 is rated below it",
         "below random moves, which generation 3 beats"),
        (numbers(900, 860, 7, 9), "generation 9 beats Champion", "beats Champion"),
        (numbers(130, 56, None, None), "generation 9 is rated above Strong", "rated above Strong"),
        (numbers(-1100, -1167, None, None), "generation 9 is rated above random moves", "rated above random moves"),
        (numbers(math.inf, 210, None, None), "generation 9 is rated above Strong", "rated above Strong"),
        (numbers(130, 56, 99, 9), "generation 9 beats Champion", "beats Champion"),  # a log made by hand
        ({}, "", ""),
    ],
)  # fmt: skip
def test_verdicts_have_these_words(given: dict[str, float | None], text: str, short: str) -> None:
    verdict = RunVerdict.of(9, given)
    assert (verdict.text, verdict.short) == (text, short)


def test_only_generation_0_owes_its_strength_to_a_built_in_piece_count() -> None:
    first = RunVerdict.of(0, numbers(-82, -150, 4, 0), counting=True)
    assert first.short == "beats Club by its built-in piece count"
    assert first.text == "generation 0 beats Club by its built-in piece count"
    later = RunVerdict.of(20, numbers(-82, -150, 4, 0), counting=True)
    assert (later.text, later.short) == (first.text, "")
    assert RunVerdict.of(20, numbers(-82, -150, 4, 20), counting=True).short == "beats Club"
    assert RunVerdict.of(0, numbers(-82, -150, 4, 0)).short == "beats Club"


def test_the_newest_rating_decides(tmp_path: Path) -> None:
    rows = ({"rating": -700, "rating_low": -760, "rating_high": -640, "beaten": 2, "beaten_by": 0}, {})
    fallen = {"rating": -900, "rating_low": -960, "rating_high": -840, "beaten": 2, "beaten_by": 0}
    verdict = RunVerdict.last(log_of(tmp_path, *rows).column, counting=False)
    assert verdict is not None and verdict.text == "generation 0 beats Beginner"
    verdict = RunVerdict.last(log_of(tmp_path, *rows, fallen).column, counting=False)
    assert verdict is not None
    assert verdict.text == "generation 0 beats Beginner, but generation 2 is rated below it"
    assert RunVerdict.last(log_of(tmp_path, {}).column, counting=False) is None


def test_a_level_that_an_untested_run_passed_and_lost_again_is_named(tmp_path: Path) -> None:
    rows = [{"rating": low + 80, "rating_low": low, "rating_high": low + 160} for low in (-200, 40, -200, -1500)]
    for count, text in (
        (2, "generation 1 is rated above Strong"),
        (3, "generation 1 is rated above Strong, generation 2 above Club"),
        (4, "generation 1 is rated above Strong"),
    ):
        verdict = RunVerdict.last(log_of(tmp_path, *rows[:count]).column, counting=False)
        assert verdict is not None and verdict.text == text
