"""The verb ``network``: describe a network, and the meaning of each weight of its genomes."""

from __future__ import annotations

import argparse

from evolve.commands.options import add_json, add_runs, network_names, print_result

EXAMPLES = (
    ("docs/examples/larger-cnn.toml", "layers, number of weights, and the meaning of each weight"),
    ("crownhead", "the network of a run or preset"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", metavar="NAME", help=f"{network_names()}, a TOML file, a run or a preset")
    add_runs(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from evolve.names import players
    from extras.weights import description

    spec = players.find_network(options.runs, options.network)
    print_result(options, lambda: description.as_json(spec), lambda: description.text(spec))
    return 0
