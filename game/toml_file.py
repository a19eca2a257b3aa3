"""Reading TOML from untrusted sources, within limits, and with one-line error messages.

Python's parser takes time quadratic in the length of a dotted key, and recurses for every bracket.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, cast

from game.errors import InputError, one_line
from game.regular_files import open_regular

MAX_BYTES = 1 << 16
MAX_DOTS = 50
"""Maximum number of dots in a line; keys of a configuration have at most three."""
MAX_BRACKETS = 50
"""Maximum number of opening brackets in a line."""
MOST_SHOWN = 100
"""Maximum length of a wrong value in a message; longer ones are cut."""


class TomlError(InputError):
    """A file that cannot be read, or text that is not TOML or exceeds the limits."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file as plain values.

    Raises:
        TomlError: it cannot be read, is too large or is not TOML; the message names the file.
    """
    try:
        with open_regular(path, links=True) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise TomlError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        _check_size(len(data))
        return parse_toml(data.decode("utf-8-sig"))  # some editors write a byte order mark
    except (TomlError, UnicodeDecodeError) as error:
        raise TomlError(f"{path}: not a TOML file: {error}") from error


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        raise TomlError(f"more than {MAX_BYTES:,} bytes")


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises:
        TomlError: it is not TOML, or exceeds the limits.
    """
    _check_size(len(text))
    for number, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith("#"):
            for what, count, limit in (
                ("dots", line.count("."), MAX_DOTS),
                ("open brackets", line.count("[") + line.count("{"), MAX_BRACKETS),
            ):
                if count > limit:
                    raise TomlError(f"line {number}: {count:,} {what}, at most {limit}")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise TomlError("brackets nested too deeply") from error
    except MemoryError as error:
        raise TomlError("too large for the memory of this machine") from error
    except ValueError as error:
        # Usually a TOMLDecodeError; for numbers of thousands of digits, a plain ValueError from Python.
        raise TomlError(str(error)) from error


def quote_value(value: Any) -> str:
    """Return a wrong value or key as it appears in a one-line message."""
    try:
        text = repr(value)
    except RecursionError:
        text = "values that are nested too deeply"
    except ValueError:  # Python does not print numbers of thousands of digits
        text = "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def quote_key(key: str) -> str:
    text = one_line(key)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def toml_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_bare_key(key)} = {toml_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return json.dumps(cast(str, value), ensure_ascii=False).replace("\x7f", "\\u007f")  # legal in JSON, not in TOML


def _bare_key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)
