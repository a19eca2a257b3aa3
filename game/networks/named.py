"""Finding shipped networks by name, and reading and writing TOML files, with errors that locate the fault."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from game.networks.kinds import KINDS
from game.networks.spec import Heads, Layer, NetworkError, Spec
from game.toml_file import TomlError, parse_toml, quote_key, quote_value, read_toml

CNN_247 = Spec(
    "cnn-247", "board", (Layer("convolution", 3, 5), Layer("convolution", 3, 3), Layer("dense", 6), Layer("dense", 1))
)
"""David Cowan, CheckersAI (2022)."""

BLONDIE_1741 = Spec(
    "blondie-1741",
    "squares",
    (
        Layer("dense", 40, activation="tanh"),
        Layer("dense", 10, activation="tanh"),
        Layer("dense", 1, activation="tanh"),
    ),
    evolving_king=True,
    piece_difference=True,
)
"""Chellapilla and Fogel (1999)."""

ANACONDA_5046 = Spec(
    "anaconda-5046",
    "squares",
    (
        Layer("subsquares", 91, activation="tanh"),
        Layer("dense", 40, activation="tanh"),
        Layer("dense", 10, activation="tanh"),
        Layer("dense", 1, activation="tanh"),
    ),
    evolving_king=True,
    piece_difference=True,
)
"""Chellapilla and Fogel (2001), the network of Blondie24."""

CHECKERSAI_247 = replace(CNN_247, name="checkersai-247", own=-1)
"""`CNN_247` with own pieces negative, as in CheckersAI's own program, for genomes that evolved there."""

SHIPPED = {spec.name: spec for spec in (CNN_247, BLONDIE_1741, ANACONDA_5046)}
"""Networks that are recognised by their number of weights."""

NAMED = SHIPPED | {CHECKERSAI_247.name: CHECKERSAI_247}
"""Networks that can be given by name."""

_EXTRAS = {
    "king": float, "evolving_king": bool, "piece_difference": bool, "own": int, "tables": bool, "patterns": bool,
    "phases": int, "margins": bool, "quantised": bool,
}  # fmt: skip
_TYPES = {int: "a whole number", float: "a number", bool: "true or false", str: "text", list: "a list", dict: "a table"}
MAX_NUMBER = 10**9


def by_width(weights: int) -> Spec:
    """Return the shipped network with this many weights.

    Raises:
        NetworkError: there is none.
    """
    for spec in SHIPPED.values():
        if spec.weights == weights:
            return spec
    known = ", ".join(f"{spec.weights} ({spec.name})" for spec in SHIPPED.values())
    raise NetworkError(f"{weights} weights: no shipped network has this number, only {known}")


def from_file(path: Path) -> Spec:
    """Read a network from a TOML file.

    Raises:
        NetworkError: it cannot be read or does not describe a network; the message names file and place.
    """
    try:
        values = read_toml(path)
    except TomlError as error:
        raise NetworkError(str(error)) from error
    try:
        return from_values(values)
    except NetworkError as error:
        raise NetworkError(f"{path}: {error}") from error


def find_network(text: str) -> Spec:
    """Find a network by the name of a shipped one or the path of a TOML file.

    Raises:
        NetworkError: it is neither, or the file does not describe a network.
    """
    if text in NAMED:
        return NAMED[text]
    if not text.lower().endswith(".toml"):
        raise NetworkError(f"network {text!r}: expected {', '.join(NAMED)} or a TOML file that ends in .toml")
    return from_file(Path(text))


def from_values(values: Any) -> Spec:
    """Return a network from the name of a shipped one, or from a parsed TOML table.

    Raises:
        NetworkError: the values do not describe a network; the message names the place and the allowed values.
    """
    if not isinstance(values, dict):
        if not isinstance(values, str) or values not in NAMED:
            raise NetworkError(f"expected {', '.join(NAMED)} or a table, got {quote_value(values)}")
        return NAMED[values]
    keys: dict[str, type[Any]] = {"name": str, "input": str, "layers": list, "heads": dict, "extras": dict}
    table = _check(values, "", keys, optional=("layers", "heads", "extras"))
    if table["name"] in NAMED:
        raise NetworkError(f"name: {table['name']} is a shipped network, choose another name")
    layers = tuple(_layer(value, f"layers.{number}") for number, value in enumerate(table.get("layers", [])))
    extras = _check(table.get("extras", {}), "extras.", _EXTRAS, optional=tuple(_EXTRAS))
    heads = None
    if "heads" in table:
        heads = Heads(**_check(table["heads"], "heads.", {"value": str, "policy": str}, optional=("value", "policy")))
    return Spec(table["name"], table["input"], layers, heads=heads, **extras)


def _layer(values: Any, place: str) -> Layer:
    name = values.get("kind") if isinstance(values, dict) else values
    if not isinstance(values, dict) or not isinstance(name, str) or name not in KINDS:
        raise NetworkError(f"{place}.kind: expected {', '.join(KINDS)}, got {quote_value(name)}")
    kind = KINDS[name]
    keys = {"kind": str, "activation": str, **dict.fromkeys(kind.keys, int), "residual": bool}
    table = _check(values, f"{place}.", keys, optional=("activation", "residual"))
    sizes = {"outputs": kind.outputs} | {field: table[key] for key, field in kind.keys.items()}
    return Layer(name, activation=table.get("activation", "sigmoid"), residual=table.get("residual", False), **sizes)


def _check(values: Any, prefix: str, keys: dict[str, type[Any]], optional: tuple[str, ...]) -> dict[str, Any]:
    """Check that a table has only known keys, with values of the right types; return its values."""
    if not isinstance(values, dict):
        raise NetworkError(f"{prefix.rstrip('.') or 'network'}: expected a table, got {quote_value(values)}")
    for key, value in values.items():
        if key not in keys:
            raise NetworkError(
                f"{prefix}{quote_key(key)}: unknown key, allowed: {', '.join(prefix + name for name in keys)}"
            )
        whole = keys[key] is float and type(value) is int
        if (type(value) is not keys[key] and not whole) or (type(value) is int and abs(value) > MAX_NUMBER):
            name = _TYPES[keys[key]]
            raise NetworkError(f"{prefix}{key}: expected {name}, got {quote_value(value)}")
    for key in keys:
        if key not in values and key not in optional:
            raise NetworkError(f"{prefix}{key}: is missing")
    return {key: float(value) if keys[key] is float else value for key, value in values.items()}


def to_values(spec: Spec) -> Any:
    """Return the values from which `from_values` returns the network."""
    return spec.name if spec.name in NAMED else parse_toml(to_toml(spec))


def to_toml(spec: Spec, prefix: str = "") -> str:
    """Return the network as TOML; `prefix` is the table that contains it, such as ``network.``."""
    lines = [f"name = {json.dumps(spec.name)}", f"input = {json.dumps(spec.input)}"]
    if not spec.layers:
        lines.append("layers = []")
    for layer in spec.layers:
        lines += ["", f"[[{prefix}layers]]", f"kind = {json.dumps(layer.kind)}"]
        lines += [f"{key} = {getattr(layer, field)}" for key, field in KINDS[layer.kind].keys.items()]
        lines.append(f"activation = {json.dumps(layer.activation)}")
        if layer.residual:
            lines.append("residual = true")
    if spec.heads:
        lines += ["", f"[{prefix}heads]", f'value = "{spec.heads.value}"', f'policy = "{spec.heads.policy}"']
    lines += ["", f"[{prefix}extras]", f"king = {float(spec.king)!r}"]
    for name in ("evolving_king", "piece_difference"):
        lines.append(f"{name} = {str(getattr(spec, name)).lower()}")
    if spec.own != 1:  # the default is omitted, so that the text equals the text in older runs
        lines.append(f"own = {spec.own}")
    if spec.by_mover:
        lines += [f"{name} = {str(getattr(spec, name)).lower()}" for name in ("tables", "patterns")]
        lines.append(f"phases = {spec.phases}")
    if spec.margins:
        lines.append("margins = true")
    if spec.quantised:
        lines.append("quantised = true")
    return "\n".join(lines) + "\n"
