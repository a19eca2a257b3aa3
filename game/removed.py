"""Names that earlier versions had, each with what to use instead.

The name is written as it was used: ``pdn who`` is an action of a verb, ``analyse --gauge`` an option of one, and
``option search=endgame`` an option of players. A setting without a value is a key of which only 0 is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SETTING = "setting "
"""The beginning of the names of removed values and keys of configurations."""
REMOVED = {
    **{f"cluster --{option}": f"use cluster start --{option}" for option in ("host", "port", "tls")},
    **dict.fromkeys(("cluster --insecure", "cluster start --insecure"), "use cluster start --tls"),
    **dict.fromkeys(
        ("cluster --dashboard", "cluster start --dashboard"), "read the logs whose paths `cluster start` prints"
    ),
    "cluster scheduler": "use `cluster start --workers 0`",
    "option endings": "use tablebase=N, which looks up results of positions with up to N pieces",
    "option search=endgame": "use search=alphabeta, or leave it out",
    "option threshold": "leave it out, as it was part of search=endgame",
    "analyse --calibrate": "in a checkout of commit 73a706a7, it fits a curve to games",
    "analyse --curve": "leave it out: the names of the players, or BlackType and WhiteType, choose the curve",
    "analyse --gauge": "match PLAYER OPPONENT compares players by games",
    "arena": "ladder with --limit nodes=1000 compares players under equal limits, with the cost of each",
    **dict.fromkeys(
        ("evolve --stop-behind", "train --stop-behind"),
        "first play a sweep of fewer --generations, or let Optuna stop trials (docs/examples/optuna_search.py)",
    ),
    **dict.fromkeys(
        [f"{verb} --{option}" for verb in ("evolve", "train") for option in ("search", "trials", "budget")],
        "docs/examples/optuna_search.py searches for settings with Optuna",
    ),
    **dict.fromkeys(
        ("evolve --save-preset", "train --save-preset"),
        "--config RUN/config.toml takes the values of a run; a copy of this file is a preset, too (docs/presets.md)",
    ),
    "bench --endings": "docs/log/tablebases.md has its figures, and the commit that repeats them",
    "bench --runs": "leave it out: it was for bench --endings",
    "bench --quick": "in a checkout, python -m tests.measurements --quick takes tiny samples",
    "tablebase verify": "tablebase build compares what it builds with the rules; tablebase info finds damage",
    "preset crownhead-2": "use train --preset crownhead, which is stronger; commit d5649d2c repeats it",
    "setting population.centres": "leave it out, for equal cells; commit d079d057 can continue it",
    "setting games.openings=middle": "use games.openings=three-move; commit d5649d2c can continue it",
    "setting optimiser.kind=cma-es": "use optimiser.kind=snes; commit d5649d2c can continue it",
    "setting optimiser.kind=sep-cma-es": "use optimiser.kind=snes; commit d5649d2c can continue it",
    "setting optimiser.kind=genes": "use the preset cowan-deep, or train --preset crownhead; "
    "commit d5649d2c can continue it",
    "setting variation.mutation=section": "use variation.mutation=normal; commit 0583c820 can continue it",
    **dict.fromkeys(
        ("evolve --tensorboard", "train --tensorboard"),
        "export RUN --tensorboard DIR writes event files, also while the session goes on",
    ),
    "import evolve.kinds.fitness": "a function for [fitness] kind gets the games of its generation; "
    "a stage decides who plays (docs/operators.md)",
    "import evolve.kinds.deap_operators": "operators of DEAP need no plugin, but names such as "
    "variation.mutation=deap:mutGaussian (docs/operators.md)",
    "inspect --champions": "ladder RUN@0 RUN@10 RUN rates champions by games",
    **dict.fromkeys(
        ("inspect --map", "analyse --map"),
        "--traits reports the traits that cells consist of; inspect cast:NAME reports the cell of a member",
    ),
    **dict.fromkeys(
        [f"inspect --{option}" for option in ("note", "tags", "archive", "no-archive", "delete", "yes")],
        "Actions beside a run among the opponents of the window tags, notes, hides and deletes it",
    ),
    "inspect --compare": "inspect RUN OTHER reports what differs between runs",
    "ladder --every": "name the champions: ladder RUN@0 RUN@10 RUN",
    "ladder --zero": "with --anchors none, ratings count from the first player",
    "pdn html --climb": "the window saves your games; pdn html shows each",
    "pdn gif": "pdn html writes a game as a page, and pdn picture a position",
    "pdn check --tablebase": "analyse --pdn FILE marks mistakes, with tables where they reach",
    "pdn check --openings": "play --open FILE lists the games of a file, and finds them by opening",
    "pdn who": "analyse --pdn FILE --traits reports the traits of the players in a file of games",
    "perft --no-bulk": "leave it out: the count is the same",
    "--print-completion": "--help and VERB --help list all verbs and options",
    "play --pdn": "play --open FILE shows the games of a file",
    "play --speak": "a screen reader reads each line of --text",
    "progress": "inspect RUN --earlier 0,5,10 plays the newest champion against earlier generations",
    "export --every": "leave it out: TensorBoard draws a part of many points",
    "export --parquet": "crownhead.open_run(RUN) has log() and table(N) in Python, which pandas writes with pyarrow",
    "export --open-spiel": "docs/examples/open_spiel_bot.py is a bot for OpenSpiel over `engine PLAYER`",
    "export --c": "export --onnx FILE.onnx writes networks for other programs",
}


def removed(*words: str) -> str | None:
    """Return a line about a removed name that says what to use instead, or None if the name was never there."""
    name = " ".join(words)
    return f"{name} was removed: {REMOVED[name]}" if name in REMOVED else None


def removed_settings(values: Mapping[str, Any]) -> list[str]:
    """Return a line for each removed value, such as a kind, in plain values of a configuration."""
    results = []
    for setting in (name.removeprefix(SETTING) for name in REMOVED if name.startswith(SETTING)):
        path, named, value = setting.partition("=")
        section, _, key = path.partition(".")
        table = values.get(section)
        if isinstance(table, dict) and (table.get(key) == value if named else table.get(key)):
            results.append(removed(f"{SETTING}{setting}") or "")
    return results
