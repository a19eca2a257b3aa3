"""Long matches: several processes, a test that ends them, and the file of their games."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.strength.elo import H0, H1, UNDECIDED, Sprt
from evolve.strength.match import CountedGame, Score, SprtResult, play_match
from evolve.strength.match_report import as_json, pdn_file, report, score_parts
from evolve.workers.pool import Interrupted, Interruption, Pool
from game.endings import REASON_TEXT
from game.errors import InputError
from game.players.basic import MaterialPlayer, RandomPlayer
from tests.evolve.strength.simulated import network, timeless
from tests.game.pdn.pdn_texts import games_of
from tests.processes import children, gone, running

pytestmark = pytest.mark.usefixtures("usual_signals")

ROOT = Path(__file__).parents[3]
RANDOM, MATERIAL = RandomPlayer(), MaterialPlayer()


@pytest.mark.parametrize(
    ("players", "options"),
    [
        ((RANDOM, MATERIAL), {"seed": 4}),
        ((network(1), network(2)), {"kind": "start", "seed": 5}),  # many pairs repeat others and are replaced
        ((MATERIAL, RANDOM), {"sprt": Sprt(0, 30), "seed": 6}),
    ],
)
def test_results_do_not_depend_on_processes(players: Any, options: dict[str, Any], limit: Callable[..., None]) -> None:
    limit("evolve.strength.match", "MOST_PAIRS", 13)  # many tasks, done out of order
    seen: dict[int, list[CountedGame]] = {}
    results = {}
    for count in (1, 3):
        seen[count] = []
        with Pool(count, warmup=0.0) as pool:
            results[count] = play_match(*players, 400, pool=pool, on_game=seen[count].append, **options)
    assert timeless(results[1]) == timeless(results[3])
    assert results[1].digests == results[3].digests
    assert seen[1] == seen[3]
    assert len(seen[1]) == results[1].games


def test_a_match_ends_with_the_pair_that_decides() -> None:
    test = Sprt(0, 50)
    result = play_match(MATERIAL, RANDOM, 10_000, seed=1, sprt=test)
    assert result.sprt is not None
    assert result.sprt.verdict == H1
    assert result.games < 1000
    assert result.sprt.llr == test.llr(result.pentanomial) >= test.upper
    before = play_match(MATERIAL, RANDOM, result.games - 2, seed=1, sprt=test)
    assert before.sprt is not None
    assert before.sprt.verdict == UNDECIDED
    assert before.pair_points == result.pair_points[:-1]


def test_json_of_a_test() -> None:
    result = play_match(MATERIAL, RANDOM, 10_000, seed=1, sprt=Sprt(0, 50))
    values = as_json(result)
    assert result.sprt is not None
    assert values["sprt"] == {
        "llr": result.sprt.llr,
        "lower": pytest.approx(-2.944439),
        "upper": pytest.approx(2.944439),
        "verdict": "H1",
        "biased": True,
    }
    undecided = play_match(MATERIAL, RANDOM, 2, seed=1, sprt=Sprt(0, 50))
    assert (as_json(undecided)["sprt"]["verdict"], as_json(undecided)["sprt"]["biased"]) == ("undecided", False)
    assert "sprt" not in as_json(play_match(MATERIAL, RANDOM, 2))


@pytest.mark.parametrize(
    ("llr", "parts", "biased"),
    [
        (3.0, ["Test   accepted: the difference (A over B) is +50 Elo rather than 0 Elo\n", "ratio) +3.00"], True),
        (-3.0, ["Test   accepted: the difference (A over B) is 0 Elo rather than +50 Elo\n", "ratio) -3.00"], True),
        (1.5, ["Test   not decided between 0 Elo and +50 Elo within 20 games\n", "+2.94 for +50 Elo"], False),
    ],
)
def test_the_report_of_a_test(llr: float, parts: list[str], biased: bool) -> None:
    result = replace(play_match(MATERIAL, RANDOM, 20), sprt=SprtResult(Sprt(0, 50), llr))
    text = report(result, MATERIAL, RANDOM)
    assert all(part in text for part in parts)
    assert ("Biased: the match ended as soon as its results looked clear" in text) == biased
    assert ("95 % confidence" in text) == ("the stronger player" in text) == (not biased)
    assert ("play a match of fixed length" in text) == biased
    assert max(map(len, text.splitlines())) <= 120


def test_all_games_are_in_the_file(tmp_path: Path) -> None:
    messages: list[CountedGame] = []
    path = tmp_path / "games.pdn"
    with pdn_file(path, "An event") as add:

        def both(game: CountedGame) -> None:
            messages.append(game)
            add(game)

        play_match(MATERIAL, RANDOM, 40, seed=9, on_game=both)
        assert not path.exists()  # never half a file under this name
    games = games_of(path)
    assert len(games) == 40
    for game, counted in zip(games, messages, strict=True):
        assert game.moves == counted.record.moves
        assert game.result == counted.record.pdn_result
        assert dict(game.tags) == {
            "Event": "An event",
            "Site": "?",
            "Date": "????.??.??",
            "Round": f"{(counted.number + 1) // 2}.{1 if counted.number % 2 else 2}",
            "Black": counted.black,
            "White": counted.white,
            "BlackType": "program",
            "WhiteType": "program",
            "Opening": counted.opening.name,
        }
        (note,) = game.notes
        assert (note.ply, note.kind, note.text) == (len(game.moves), "comment", REASON_TEXT[counted.record.reason])


def test_failure_is_recorded_in_the_file(tmp_path: Path) -> None:
    broken = network(1)
    broken.weights[0] = np.nan
    with pdn_file(tmp_path / "games.pdn", "x") as add:
        play_match(broken, MATERIAL, 4, on_game=add)
    text = " ".join((tmp_path / "games.pdn").read_text().split())
    assert text.count("{a player failed: network-1: its network gives a value that is not a finite number}") == 4


@pytest.mark.parametrize(
    ("old", "replaced"), [("", True), ("\ufeff\n [Event]", True), ("# A text\n[1]", False), ("a", False)]
)
def test_only_files_of_games_are_replaced(old: str, replaced: bool, tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_text(old, encoding="utf-8")
    if replaced:
        with pdn_file(path, "x"):
            pass
        assert path.read_text() == ""
    else:
        with pytest.raises(InputError, match="exists and is not a file of games"), pdn_file(path, "x"):
            pass
        assert path.read_text() == old


@pytest.mark.skipif(os.name == "nt", reason="pipes lie in no folder there")
def test_other_than_regular_files_are_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match=r"--pdn: .*pipe: is not a regular file"), pdn_file(pipe, "x"):
        pass
    assert pipe.is_fifo()
    (tmp_path / "games.pdn").write_text('[Event "old"]')
    link.symlink_to("games.pdn")
    with pdn_file(link, "x") as add:
        play_match(MATERIAL, RANDOM, 2, on_game=add)
    assert link.is_symlink()
    assert (tmp_path / "games.pdn").read_text().startswith('[Event "x"]')
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["games.pdn", "link", "pipe"]


def test_the_command_gives_the_same_result_with_any_workers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: Callable[..., None]
) -> None:
    limit("evolve.workers.pool", "WARMUP_SECONDS", 0.0)
    results = {}
    for workers in ("1", "2"):
        path = tmp_path / f"{workers}.pdn"
        options = ("--games=60", "--seed=7", f"--workers={workers}", f"--pdn={path}", "--sprt=-10,400", "--json")
        assert main.main(["match", "material", "random", *options]) == 0
        values = json.loads(capsys.readouterr().out)
        results[workers] = {**values, "seconds": 0}, path.read_bytes()
    assert results["1"] == results["2"]
    values, games = results["1"]
    assert values["sprt"]["verdict"] in (H0, H1, UNDECIDED)
    assert games.count(b"[Event ") == values["games"]
    assert games.startswith(b'[Event "Match of material and random, three-move, seed 7"]\n')


def test_a_test_below_zero(capsys: pytest.CaptureFixture[str]) -> None:
    """Two words, of which argparse takes the second for an option."""
    for text, test in {"-9,-5": Sprt(-9, -5), "-.5,.5": Sprt(-0.5, 0.5)}.items():
        assert main.main(["match", "random", "random", "--games", "2", "--sprt", text, "--json"]) == 0
        output = json.loads(capsys.readouterr().out)
        assert output["sprt"]["llr"] == test.llr(output["pentanomial"])
    for arguments in (["--sprt"], ["--sprt", "--json"], ["--sprt", "-x"], ["--sprt", "-.x"]):
        with pytest.raises(SystemExit) as stopped:
            main.main(["match", "random", "random", *arguments])
        assert stopped.value.code == 2
        assert "argument --sprt: expected one argument" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.check)]
)
def test_an_interrupted_match_keeps_its_finished_games(number: signal.Signals, code: int, tmp_path: Path) -> None:
    names, path = ("material,depth=6", "material,depth=6,quiescence=yes"), tmp_path / "games.pdn"
    json_too = ["--json"] if number == signal.SIGTERM else []
    arguments = ("match", *names, "--games=100000", "--workers=2", f"--pdn={path}", "--seed=1", *json_too)
    starter = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import main, sys; "
    command = [sys.executable, "-c", starter + "sys.exit(main.main(sys.argv[1:]))", *arguments]
    with running(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        workers: list[int] = []
        end = time.monotonic() + 120
        while len(workers) < 2 and time.monotonic() < end:
            time.sleep(0.05)
            workers = children(process.pid)
        assert len(workers) == 2
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (code, b"")
    assert list(tmp_path.iterdir()) == [path]
    (result,) = re.findall(rb"Stopped after ([0-9,]+) of 100,000 games" if not json_too else rb'"games": (\d+)', out)
    assert 0 < int(result.replace(b",", b"")) == path.read_bytes().count(b"[Event ") < 100_000
    assert b"Elo" in out or json.loads(out)["stopped"]
    assert gone(workers)


def test_a_match_that_is_stopped_is_the_beginning_of_a_whole_one(capsys: pytest.CaptureFixture[str]) -> None:
    """A wish that comes while games are counted waits until they are."""
    whole, wish, seen = play_match(MATERIAL, RANDOM, 60, seed=4), Interruption(), list[CountedGame]()

    def ask(_: object) -> None:
        wish.signal = signal.SIGINT

    result = play_match(MATERIAL, RANDOM, 60, seed=4, pool=Pool(interruption=wish), progress=ask, on_game=seen.append)
    assert (result.stopped, whole.stopped) == (True, False)
    assert 0 < result.games < 60
    assert result.pair_points == whole.pair_points[: result.games // 2]
    assert [game.number for game in seen] == list(range(1, result.games + 1))
    assert f"Stopped after {result.games} of 60 games; the report" in report(result, MATERIAL, RANDOM, wanted=60)
    assert (as_json(result)["stopped"], as_json(whole)["stopped"]) == (True, False)
    with pytest.raises(Interrupted):  # before the first game there is no result
        play_match(MATERIAL, RANDOM, 60, seed=4, pool=Pool(interruption=wish))
    with pytest.raises(SystemExit) as ended, Interruption() as wish:
        wish.signal = signal.SIGTERM
        wish.check()
    assert ended.value.code == 143
    assert capsys.readouterr().err == "main.py: stopped before there was a result\n"


def test_score_is_shown_during_a_match() -> None:
    messages: list[Score] = []
    play_match(MATERIAL, RANDOM, 20, seed=4, progress=messages.append)
    last = replace(messages[-1], sprt=SprtResult(Sprt(0, 5), 1.5))
    assert score_parts(last, 40)[0] == "20 of 40 games"
    assert re.fullmatch(r"A \d+\.\d %", score_parts(last, 40)[1])
    assert re.fullmatch(r"\(\d+\.\d to \d+\.\d\)", score_parts(last, 40)[2])
    assert score_parts(last, 40)[3:] == (
        "log-likelihood ratio +1.50",
        f"{last.wins} won {last.draws} drawn {last.losses} lost",
        "20 left",
    )
    assert score_parts(Score(0, 0, 0, (0,) * 5, None), 40) == ("0 of 40 games",)


def test_the_table_of_a_match_fits_a_narrow_terminal() -> None:
    text = report(play_match(RANDOM, MATERIAL, 20, seed=1), RANDOM, MATERIAL)
    table = text.split("\n\n")[2].splitlines()
    assert table[0].split() == ["won", "drawn", "lost", "A's", "score"]
    assert [row[:10].strip() for row in table[1:]] == ["A as Black", "A as White", "together"]
    assert len({len(row) for row in table}) == 1
    assert len(table[0]) == 39
