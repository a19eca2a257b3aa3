"""The figures on pages that invite, from files that commands write; ``python -m tests.figures`` puts them in place.

A figure stands before a comment that names its source and itself, such as ``1630<!-- first.rating -->``; it is a word,
or words in round brackets. After a comment on a line of its own, the figure is the block that follows. ``--play NAME``
plays a match of `MATCHES` again, and ``--play all`` all of them.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from evolve.config.anchors import shown_text
from evolve.run.folder import Run
from evolve.run.runs import PEOPLE_RUN
from evolve.session.command import report
from evolve.session.frame import Summary
from evolve.strength.elo import elo
from evolve.strength.levels import LEVELS
from game.number_text import signed_text

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "figures"
PLAYED, OUTSIDE = FOLDER / "matches.json", FOLDER / "free-programs.csv"
FILM = ROOT / "docs" / "pictures" / "evolving.json"
PAGES = ("README.md", "docs/index.md", "docs/strength.md")
FIGURE = re.compile(r"(\([^()\n]*\)|[^\s|(*>]+)(<!-- ([\w-]+)\.([\w-]+) -->)")
BLOCK = re.compile(r"(<!-- ([\w-]+)\.([\w-]+) -->\n\n?```\w*\n)(.*?)(?=^```$)", re.M | re.S)

LADDER = ["random", *(f"{level.text}{'' if level.run == PEOPLE_RUN else ',tablebase=4'}" for level in LEVELS)]

MATCHES = {
    "learnt": ("first,tablebase=no", "first@0,depth=6,tablebase=no", 200),
    "alone": ("first,nodes=20000,selective=yes,tablebase=no", "material,depth=8,quiescence=yes", 200),
    "champions": ("crownhead,nodes=4000,tablebase=4", "crownhead-2,nodes=4000,tablebase=4", 200),
    **{level.name: (*pair, 200) for level, *pair in zip(LEVELS, LADDER[1:], LADDER, strict=False)},
}
"""Matches by name: two players and a number of games. A level plays the one below it."""


def play(name: str) -> dict[str, Any]:
    """Play a match by the program, and return the part of its report that is the same each time."""
    player, opponent, games = MATCHES[name]
    command = [sys.executable, "main.py", "match", player, opponent, f"--games={games}", "--seed=1", "--json"]
    report = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    kept = ("players", "games", "seed", "openings", "wins", "draws", "losses", "elo", "elo_low", "elo_high")
    return {key: report[key] for key in kept}


def _match(values: dict[str, Any]) -> dict[str, str]:
    counts = [int(values[name]) for name in ("wins", "draws", "losses")]
    assert sum(counts) == values["games"], values
    difference, low, high = elo((counts[0] + counts[1] / 2) / sum(counts)), values["elo_low"], values["elo_high"]
    nodes = re.search(r"nodes=(\d+)", values.get("players", {}).get("a", ""))
    return {
        "games": f"{values['games']}",
        "nodes": f"{int(nodes[1]):,}" if nodes else "",
        "result": "-".join(map(str, counts)),
        "elo": signed_text(difference) if math.isfinite(difference) else "",
        "interval": f"({low:.0f} to {high:.0f})" if None not in (low, high) else "",
    }


def _outside(name: str) -> dict[str, str]:
    with OUTSIDE.open(encoding="utf-8", newline="") as file:
        (row,) = (row for row in csv.DictReader(file) if row["name"] == name)
    values: dict[str, Any] = {key: int(value) for key, value in row.items() if re.fullmatch(r"-?\d+", value)}
    return _match(values) | {"nodes": f"{values['nodes']:,}", "date": row["date"], "champion": row["champion"]}


def _run(name: str) -> dict[str, str]:
    """Return figures of a shipped run, and the end of the report on its session."""
    run = Run(ROOT / "populations" / name)
    manifest, log = run.manifest(), run.log()
    newest, rated = manifest.newest, log["rating"].dropna()
    totals = (int(log[column].sum()) for column in ("games", "evaluations"))
    last = log.loc[newest]
    summary = Summary(run, newest, 0, *totals, 0.0, str(last["champion"]), manifest.digest(), True, None)
    text = re.sub(r"(run|generations|games|time|champion|next)  .*\n", "", f"{report(summary)}\n").strip("\n")
    return {
        "report": text.replace(f"play {name}", f"play {name}-1") + "\n",
        "digest": manifest.digest()[:8],
        "games": f"{summary.games:,}",
        "rating": shown_text(rated.iloc[-1]) if len(rated) else "",
        "plies": f"{run.conditions(newest).limits.depth}",
        "weights": f"{run.config().network.weights:,}",
    }


def _project(_: str) -> dict[str, str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    return {"url": project["urls"]["Source"]}


def _film(_: str) -> dict[str, str]:
    return {key: str(value) for key, value in json.loads(FILM.read_text(encoding="utf-8")).items()}


def _levels(_: str) -> dict[str, str]:
    return {"counter": shown_text(0)} | {level.name: shown_text(level.rating) for level in LEVELS}


SOURCES: dict[str, Callable[[str], dict[str, str]]] = {"project": _project, "film": _film, "levels": _levels}
SOURCES |= dict.fromkeys(("first", "crownhead", "crownhead-1"), _run)
SOURCES |= dict.fromkeys(MATCHES, lambda name: _match(json.loads(PLAYED.read_text(encoding="utf-8"))[name]))


@cache
def figures(source: str) -> dict[str, str]:
    """Return the figures of a source as they are written on pages."""
    return SOURCES.get(source, _outside)(source)


def page(text: str) -> str:
    """Return a page with its figures up to date."""
    text = BLOCK.sub(lambda match: match[1] + figures(match[2])[match[3]], text)
    return FIGURE.sub(lambda match: figures(match[3])[match[4]] + match[2], text)


def unmarked(text: str) -> list[str]:
    """Return the figures of a page without a source, except those in code, addresses and names of programs."""
    text = re.sub(r"<!-- (?:[\w-]+\.[\w-]+) -->\n\n?```.*?^```$|```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|95 %|(?:GuiNN|Cake) [\d.]+", " ", FIGURE.sub(" ", text))
    return re.findall(r"(?<![\w.,])[-+]?\d[\d.,]*(?<![.,])(?!\w)", text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.figures")
    parser.add_argument("--play", nargs="+", default=[], metavar="NAME", choices=[*MATCHES, "all"])
    options = parser.parse_args()
    played = json.loads(PLAYED.read_text(encoding="utf-8")) if PLAYED.exists() else {}
    for name in MATCHES if "all" in options.play else options.play:
        played[name] = play(name)
    if options.play:
        lines = ",\n".join(f'"{each}": {json.dumps(played[each])}' for each in MATCHES if each in played)
        PLAYED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    for path in (ROOT / name for name in PAGES):
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
