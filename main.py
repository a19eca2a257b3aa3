"""The command line of Crownhead: one verb, one function, and a verb's modules are imported only when it runs.

Progress goes to standard error, results to standard output. Exit codes: 0 done, 2 the user's mistake, 70 a fault of
ours, 74 disk, 75 busy, 130 / 143 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

DONE, MISTAKE, FAULT, DISK, BUSY, INTERRUPTED = 0, 2, 70, 74, 75, 130


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage text."""

    def error(self, message: str) -> NoReturn:
        self.exit(MISTAKE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """All verbs and their options; imports nothing of the program."""
    parser = _Parser(prog="main.py", description="Evolve checkers players, watch them improve, play them.")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    perft = verbs.add_parser("perft", help="count move sequences, to prove the move generator")
    perft.add_argument("depth", type=int, metavar="DEPTH", help="plies")
    perft.add_argument("--fen", metavar="FEN", help="start from this position")
    perft.add_argument("--divide", action="store_true", help="count each root move on its own")
    perft.add_argument("--distinct", action="store_true", help="count moves to the same position once")
    perft.set_defaults(run=run_perft)

    for verb in (perft,):
        verb.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_perft(options: argparse.Namespace) -> int:
    """`perft`: nodes and speed; `seconds` excludes the loading of compiled code."""
    import time

    from game import moves
    from game.board import Position

    position = Position.from_fen(options.fen) if options.fen else Position.start()
    if not 0 <= options.depth <= MAX_PERFT:
        raise _mistake(f"DEPTH: expected 0 to {MAX_PERFT} plies, got {options.depth}")
    if options.divide and options.depth == 0:
        raise _mistake("--divide: expected a DEPTH of 1 or more")
    moves.perft(position, 2, distinct=options.distinct)
    started = time.perf_counter()
    result: dict[str, Any] = {"depth": options.depth}
    if options.divide:
        divided = moves.divide(position, options.depth, distinct=options.distinct)
        result["nodes"] = sum(divided.values())
    else:
        result["nodes"] = moves.perft(position, options.depth, distinct=options.distinct)
    result["seconds"] = time.perf_counter() - started
    result["nodes_per_second"] = round(result["nodes"] / max(result["seconds"], 1e-9))
    if options.divide:
        result["moves"] = divided
    if options.json:
        print(json.dumps(result))
        return DONE
    for move, nodes in result.get("moves", {}).items():
        print(f"{move:>12} {nodes:>16,}")
    print(f"perft {options.depth}: {result['nodes']:,} nodes in {result['seconds']:.3f} s", end="")
    print(f" ({result['nodes_per_second'] / 1e6:.1f} million/s)")
    return DONE


MAX_PERFT = 30


def _mistake(text: str) -> Exception:
    from game.errors import InputError

    return InputError(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code; each error is one line on standard error."""
    options = build_parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return DONE
    except Exception as error:
        return _report(error)


def _report(error: Exception) -> int:
    from game.errors import InputError

    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, InputError):
        print(f"main.py: {text}", file=sys.stderr)
        return MISTAKE
    if isinstance(error, OSError):
        print(f"main.py: {text}", file=sys.stderr)
        return DISK
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    print(f"main.py: a fault of the program: {type(error).__name__}: {text} ({place.name}:{place.lineno})", file=sys.stderr)
    return FAULT


if __name__ == "__main__":
    sys.exit(main())
