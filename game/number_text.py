"""Numbers as text for people: on the terminal, in documents and in the window."""

from __future__ import annotations

import math
from collections.abc import Sequence


def count_text(number: int, noun: str) -> str:
    """Return a number with its noun, such as ``1 game`` or ``1,024 individuals``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def plies_text(plies: int) -> str:
    return "1 ply" if plies == 1 else f"{plies:,} plies"


def moves_text(plies: int) -> str:
    """Return the number of moves that the winner makes in the plies of a won game, with its noun."""
    return count_text((plies + 1) // 2, "move")


def percent_text(share: float) -> str:
    """Return a share of 1 as a percentage, such as ``29.1 %``."""
    return f"{100 * share:.1f} %"


def whole_percents(shares: Sequence[float], least: int = 0) -> tuple[int, ...]:
    """Return shares of a whole as whole percentages that sum to 100; zeros if there is no share.

    Args:
        least: the lowest percentage, at the expense of the largest ones.
    """
    total = math.fsum(shares)
    if total <= 0:
        return (0,) * len(shares)
    exact = [100 * share / total for share in shares]
    whole = [max(math.floor(part + 1e-9), least) for part in exact]
    while (missing := 100 - sum(whole)) != 0:
        sign = 1 if missing > 0 else -1
        at = max(range(len(whole)), key=lambda at: (whole[at] + sign >= least, sign * (exact[at] - whole[at])))
        whole[at] += sign
    return tuple(whole)


def value_text(value: float) -> str:
    """Return a whole number with separators, or another number with five significant digits; with a real minus sign."""
    return with_minus(f"{value:,}" if isinstance(value, int) else f"{value:.5g}")


def signed_text(value: float, digits: int = 0) -> str:
    """Return a rounded value with its sign, such as ``+12`` or ``-0.25``; a zero has none: ``0``, ``0.00``."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def with_minus(text: str) -> str:
    return text.replace("-", "−")


def rate_text(value: float | None) -> str:
    """Return a number of events per second, with a decimal only below 10; a dash for None."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 10 or not value else f"{value:.1f}"


def results_text(results: Sequence[int]) -> str:
    games, wins, draws, losses, points = results
    parts = f"{wins:,} won, {draws:,} drawn, {losses:,} lost"
    return f"{count_text(games, 'game')}: {parts}; {value_text(points)} point{'' if abs(points) == 1 else 's'}"


def clock_text(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours if there are any, such as ``0:07`` or ``2:03:09``."""
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def span_text(seconds: float) -> str:
    """Return a time in its two largest units: ``12 s``, ``3 min 20 s``, ``2 h 5 min``, ``3 d 4 h``."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    for size, unit, part_size, part_unit in ((3600, "min", 60, "s"), (86400, "h", 3600, "min")):
        if whole < size:
            part = whole % part_size if part_unit == "s" else whole % part_size // 60
            return f"{whole // part_size} {unit}" + (f" {part} {part_unit}" if part else "")
    hours = whole % 86400 // 3600
    return f"{whole // 86400} d" + (f" {hours} h" if hours else "")


def megabytes_text(size: int) -> str:
    """Return a number of bytes in megabytes, such as ``46 MB``."""
    return f"{size / 1e6:,.1f} MB" if size < 1e7 else f"{size / 1e6:,.0f} MB"


def size_text(size: float) -> str:
    """Return a number of bytes in a suitable unit, such as ``812 B`` or ``3.5 MB``."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def finite_or_none(number: float) -> float | None:
    """Return the number, or None for infinity and NaN, which JSON lacks."""
    return number if math.isfinite(number) else None
