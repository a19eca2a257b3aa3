"""Writing player names so that `game.players` reads them as they are meant."""

from __future__ import annotations

from collections.abc import Sequence

_SPECIAL = set(",:'\"")


def quoted(text: str) -> str:
    """A part of a player name, in quotes if it has characters that mean something."""
    if text and not any(letter in _SPECIAL or letter.isspace() for letter in text):
        return text
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    return "".join(f"'{part}'" if part == '"' else f'"{part}"' for part in _runs(text))


def _runs(text: str) -> list[str]:
    """The text cut before and after each double quote."""
    parts: list[str] = []
    for letter in text:
        if parts and letter != '"' and parts[-1] != '"':
            parts[-1] += letter
        else:
            parts.append(letter)
    return parts


def individual(target: str, member: str | None = None) -> str:
    """The name of an individual of a run, a generation (``RUN@15``) or a file; without `member` of its best."""
    return quoted(target) if member is None else f"{quoted(target)}:{quoted(member)}"


def several(names: Sequence[str], shown: int = 4) -> str:
    """Names in words; of very many only the first are said."""
    more = [f"{len(names) - shown + 1:,} more"] if len(names) > shown else []
    said = [*(names[: shown - 1] if more else names), *more]
    return " and ".join([*([", ".join(said[:-1])] if said[1:] else []), *said[-1:]])
