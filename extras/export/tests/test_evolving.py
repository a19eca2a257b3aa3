"""Pages that evolve: what a file contains, what is refused and, for the check, the same run in Node and Chromium."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from evolve.breeding.inheritance import individual_name
from evolve.kinds.individual import Individual
from evolve.kinds.pairing import Points, Scores, Tally
from evolve.names.registration import register
from evolve.run import generation_csv
from evolve.run.folder import Run
from evolve.run.generation_csv import Generation
from evolve.session import saving
from evolve.tournament.tournament import Ranking
from extras.export.evolving_page import PRESET
from extras.export.tests.exported import FROM_ELSEWHERE, TOOLS, in_chromium, jobs_of
from game import moves
from game.board import Position
from game.players.registry import player
from game.search.interface import Limits
from tests.called import call_program

SEED = 2**40 + 3


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    assert main.main(["export", f"--evolving={path}", f"--seed={SEED}"]) == 0
    return path


def test_a_page_is_one_small_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < 200_000
    assert text.count("<script") == text.count("</script>") == 4
    assert f'{{"run":{{"seed":"{SEED}"}}}}' in text
    assert not re.search(FROM_ELSEWHERE, text) and "default-src 'none'" in text


def test_pages_without_a_seed_have_different_ones(page: Path) -> None:
    pages = {page.read_bytes()}
    for _ in range(2):
        assert main.main(["export", f"--evolving={page}"]) == 0  # as every export, it replaces a file
        pages.add(page.read_bytes())
    assert len(pages) == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--evolving=a.txt"], "a.txt: expected a name that ends in .html"),
        (["--evolving=none/a.html"], "none/a.html: expected the name of a file in an existing folder"),
        (["--evolving=a.html", "--seed=-1"], "--seed: expected a whole number from 0 to 2**63 - 1, got -1"),
        (["--evolving=a.html", "first"], "--evolving begins with random weights, so it takes no player, got first"),
        (["--evolving=a.html", "--html=b.html"], "expected a player or a run; only --evolving needs none"),
        (["first", "--html=b.html", "--seed=1"], "--seed: expected --evolving, too"),
        ([], "--evolving FILE.html"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call_program(capfd, "export", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1) and error in done.err
    assert not any(tmp_path.iterdir())


def in_node(page: Path, code: str) -> Any:
    command = ["node", str(TOOLS / "evaluate.js"), str(page)]
    done = subprocess.run(command, input=code, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return json.loads(done.stdout)


IDLE = {"wait": "champion !== null && !busy"}

EVOLVE = """
const normals = normalLayers([...new Float64Array(await unpack(data.widths))]);
const thread = THREAD;
const evolution = new Evolution(data, normals, STATE);
const generations = [];
const base64 = (array) => btoa(String.fromCharCode(...new Uint8Array(array.buffer)));
while (evolution.generation < COUNT) {
    const [results, state] = [[], base64(evolution.steps)];
    const isMean = ({ genome }) => genome.every((weight, index) => weight === evolution.mean[index]);
    const { genomes, kings, order, points } = await evolution.next(async (games) => {
        const outcomes = await thread.play(games);
        results.push(...outcomes.map(({ result }, index) => [result, isMean(games[index].black)]));
        return outcomes;
    });
    generations.push({ genomes: base64(genomes), state, kings: [...kings], order, points: [...points], results });
}
return generations;
"""
"""Each game has its result, and whether the mean played Black."""


ALONE = "await Arena.of(data).then((arena) => ({ play: (games) => games.map((game) => arena.play(game)) }))"


def evolved(count: int, seed: int, thread: str = ALONE) -> str:
    state = json.dumps({"seed": str(seed)})
    return EVOLVE.replace("THREAD", thread).replace("STATE", state).replace("COUNT", str(count))


def played(runs: Path, last: int, seed: int = SEED) -> Run:
    settings = ("search.deepen_every=0", "rating.every=0", "saving.every=1")
    rules = [f"--set={setting}" for setting in settings]
    run = [f"--generations={last}", f"--seed={seed}", f"--runs={runs}", "--name=run", "--workers=1"]
    assert main.main(["evolve", f"--preset={PRESET}", *rules, *run]) == 0
    return Run.open("run", runs)


def rows_of(made: Any, number: int, before: Generation | None) -> Generation:
    """Return a generation as a run saves it; `before` is the previous one."""
    genomes = np.frombuffer(base64.b64decode(made["genomes"]), np.float32).reshape(len(made["kings"]), -1)
    parents = () if before is None else tuple(before.names[:65])
    population = [
        Individual(genome, individual_name(number, index), "mutated", parents[:1], king)
        for index, (genome, king) in enumerate(zip(genomes, made["kings"], strict=True))
    ]
    population[0].origin, population[0].parents = "recombined" if parents else "founder", parents
    population[0].state = np.frombuffer(base64.b64decode(made["state"]), np.float32)
    tally, best = Tally(len(population)), made["order"][1]
    for game, (result, black_is_mean) in enumerate(made["results"]):
        first, second = (1, 2) if game < 128 else (0, best)
        swapped = game % 2 == 1 if game < 128 else not black_is_mean
        pair = np.array([[first, second]]) + (game // 2 * 2 if game < 128 else 0)
        won, lost = np.array([[result == 1], [result == -1]], np.int64)
        scores = Scores(won, lost)
        tally.add(pair[:, ::-1] if swapped else pair, scores, Points(1, 0, -1, "game"))
    assert tally.points.tolist() == made["points"]
    return saving.rows_of(population, Ranking(np.array(made["order"]), tally), with_kings=True)


def check_run(generations: Any, seed: int, runs: Path) -> None:
    run = played(runs, len(generations) - 1, seed)
    before = None
    for number, made in enumerate(generations):
        rows = rows_of(made, number, before)
        expected = run.read_generation(number)
        assert rows.names == expected.names
        assert np.array_equal(rows.weights.view(np.uint32), expected.weights.view(np.uint32))
        assert generation_csv.to_csv(rows) == run.generation_path(number).read_bytes()
        before = rows


@pytest.mark.check
def test_the_same_seed_gives_the_same_files_in_node(page: Path, tmp_path: Path) -> None:
    check_run(in_node(page, evolved(20, SEED)), SEED, tmp_path / "runs")


@pytest.mark.check
def test_the_same_seed_gives_the_same_files_in_the_browser(page: Path, tmp_path: Path) -> None:
    """Three workers share the games, and finish in any order."""
    state = in_chromium(page, IDLE, {"run": f"(async () => {{ {evolved(3, 5, 'new Crew(data, 3)')} }})()"})
    assert state["errors"] == []
    check_run(state["results"][0], 5, tmp_path / "runs")


@pytest.mark.check
def test_known_opponents_play_as_in_the_program(page: Path) -> None:
    """The piece counters of the estimate, as the program rates them."""
    jobs = jobs_of(6, 200, (1, 2, 4))
    answer = (TOOLS / "answer.js").read_text(encoding="utf-8")
    code = f"""{answer}
const search = new Search(new PieceCounter(), data.options);
return {json.dumps(jobs)}.map(({{ fen, earlier, depth }}) => {{
    return search.search(positionOf(fen), earlier.map(positionOf), {{ depth }}).move;
}});
"""
    expected = []
    for job in jobs:
        searcher = player(f"material,depth={job['depth']},quiescence=yes").searcher()
        earlier = [Position.from_fen(fen) for fen in job["earlier"]]
        result = searcher.search(Position.from_fen(job["fen"]), earlier, limits=Limits(depth=job["depth"]))
        expected.append(str(result.move))
    assert in_node(page, code) == expected


AS_PAGE = "depth=6,quiescence=yes,tablebase=no"
"""The search of a page, as options."""

MOVE = """(async () => {
    legalMoves(current())[0].path.forEach(choose);
    while (!isPersonsTurn()) {
        await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return game.texts;
})()"""


def check_champion(path: Path, generation: int, run: Run) -> None:
    """Compare the player of a saved page with the first individual of a generation."""
    of_page, of_run = player(str(path)), player(f"{run.path}@{generation}:Gen{generation:02}_0000,{AS_PAGE}")
    assert of_page.identity == replace(of_run, style=of_run.style.fitted(of_run.limits)).identity


@pytest.mark.check
def test_a_game_in_the_browser(page: Path, tmp_path: Path) -> None:
    """The answer is the move of the champion that the page saves, and the page goes on by the generations of a move."""
    state = in_chromium(
        page,
        {"size": [390, 844]},
        IDLE,
        {"run": "[pageText(), target]"},
        {"run": "document.dispatchEvent(new Event('visibilitychange'))"},
        {"run": MOVE},
        {"run": "[target, document.documentElement.scrollWidth]"},
        IDLE,
        {"run": "[pageText(), element('tale').textContent]"},
    )
    (first, begun), _, texts, (target, width), (newest, tale) = state["results"]
    assert (begun, target, width, state["errors"]) == (8, 16, 390, [])
    assert tale.startswith("Generation 15. It ") and tale.endswith(" It waits for your move.")
    for name, content in (("first", first), ("newest", newest)):
        (tmp_path / f"{name}.html").write_text(content)
    register(tmp_path)
    line = [Position.start()]
    line.append(moves.apply(line[0], moves.parse_move(line[0], texts[0])))
    made = player(str(tmp_path / "first.html"))
    assert made.searching is not None
    assert texts[1] == str(made.searching.searcher().search(line[1], line[:1], limits=Limits(depth=6)).move)
    # A copy goes on with the same weights as the run.
    state = in_chromium(tmp_path / "newest.html", IDLE, {"run": "[pageText(), rated.length]"})
    (last, rated), errors = state["results"][0], state["errors"]
    assert (rated, errors) == (24, [])
    run = played(tmp_path / "runs", 23)
    (tmp_path / "last.html").write_text(last)
    for name, generation in (("first", 7), ("newest", 15), ("last", 23)):
        check_champion(tmp_path / f"{name}.html", generation, run)


ENGINE = '<script id="engine">'
THROWS = '<script>Worker = class { constructor() { throw new Error("no threads"); } };</script>'


@pytest.mark.check
@pytest.mark.parametrize(
    "instead", [("worker-src blob:", "worker-src 'none'"), (ENGINE, f"{THROWS}{ENGINE}")], ids=("forbidden", "throws")
)
def test_a_page_without_workers_says_that_it_cannot_evolve(page: Path, instead: tuple[str, str]) -> None:
    page.write_text(page.read_text(encoding="utf-8").replace(*instead), encoding="utf-8")
    waits = {"wait": "element('status').textContent.startsWith('It cannot evolve')"}
    levels = {"run": "document.querySelectorAll('#race .level').length === data.levels.length"}  # to race to
    assert in_chromium(page, waits, {"run": "game.texts.length"}, levels)["results"] == [0, True]
