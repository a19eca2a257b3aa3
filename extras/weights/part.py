"""The weights of an individual as a part of a report."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from rich.text import Text

from evolve.inspection.contents import ReportTable, Section
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview, part_places
from game.networks import description, pictures
from game.networks.description import SEEN
from game.number_text import signed_text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from evolve.report.overview import Subject
    from evolve.workers.pool import Pool
    from game.networks.spec import Spec


def part(subject: Subject, options: argparse.Namespace, show: Callable[[str], None], pool: Pool) -> WeightsPart | None:
    """Return the weights of an individual, or of the network of a generation that learnt; None for other subjects."""
    if isinstance(subject, RunOverview) or (isinstance(subject, GenerationOverview) and subject.kind.breeds):
        return None
    return WeightsPart(subject if isinstance(subject, IndividualOverview) else subject.individual())


@dataclass(frozen=True)
class Stretch:
    name: str
    weights: int
    low: float
    mean: float
    high: float
    deviation: float


@dataclass(frozen=True)
class WeightsPart:
    """The weights of an individual (``parts`` of `extras.Extra`)."""

    one: IndividualOverview
    name: ClassVar[str] = "parts"

    @property
    def stretches(self) -> list[Stretch]:
        """Statistics of the weights by parts of the network; of all weights if the network is unknown."""
        one, stretches = self.one, []
        if not one.weights.size:
            return []
        for name, start, stop in part_places(one.of.spec) or [("weights", 0, len(one.weights))]:
            some = one.weights[start:stop].astype(np.float64)
            stretches.append(
                Stretch(name, stop - start, float(some.min()), float(some.mean()), float(some.max()), float(some.std()))
            )
        return stretches

    def plain(self) -> list[dict[str, Any]]:
        return list(map(asdict, self.stretches))

    def sections(self) -> list[Section]:
        return _sections(self.one, self.stretches)


PATTERNS = 8
"""Maximum number of patterns in the table of an individual."""


def _sections(one: IndividualOverview, parts: Sequence[Stretch]) -> list[Section]:
    sections = []
    if parts:
        lines = []
        for part in parts:
            numbers = (f"{value:.3f}" for value in (part.low, part.mean, part.high, part.deviation))
            lines.append([part.name, f"{part.weights:,}", *numbers])
        headings = ("part<", "weights", "smallest", "mean", "largest", "deviation")
        table = ReportTable(headings, lines, ("deviation", "mean", "weights"))
        sections.append(Section("Weights", table=table))
    if one.of.spec is not None and one.weights.size:
        sections += _pictured(one.of.spec, one.weights.astype(np.float64))
    return sections


def _pictured(spec: Spec, weights: NDArray[np.float64]) -> list[Section]:
    sections = []
    if spec.tables:
        tables = pictures.tables(spec, weights)
        boards = np.stack([np.array(grid, np.float64) for _, grid in tables], axis=-1)
        sections.append(Section("Tables", drawn=partial(_print, boards, [name for name, _ in tables])))
    if spec.patterns:
        sections.append(_patterns(spec, weights))
    if spec.layers and spec.layers[0].kind == "convolution":
        kernels = spec.layer_parts(0)[0].of(weights)
        planes, filters = kernels.shape[2:]
        names = [f"{plane} {filter + 1}" for plane in SEEN for filter in range(filters)] if planes > 1 else []
        flat = kernels.reshape(*kernels.shape[:2], -1)
        sections.append(Section("First kernels", drawn=partial(_print, flat, names)))
    return sections


def _patterns(spec: Spec, weights: NDArray[np.float64]) -> Section:
    used, total = description.count_used(spec, weights)
    lines = []
    for pattern in description.find_strongest(spec, weights, PATTERNS):
        squares = (description.squares_text(some) or "none" for some in (pattern.own, pattern.theirs, pattern.empty))
        lines.append([signed_text(pattern.value, 3), f"{pattern.pieces:.3g}", *squares])
    headings = ("worth", "pieces", "own men on<", "their men on<", "no men on<")
    return Section(
        "Patterns",
        [("in use", f"{used:,} of {total:,}")],
        ReportTable(headings, lines, ("no men on<", "pieces")) if lines else None,
        more="the patterns of largest value, for Black to move" if lines else "",
    )


def _print(kernels: NDArray[Any], names: Sequence[str], out: Console) -> None:
    """Print kernels as numbers with the player's own side at the bottom, coloured on one symmetric scale.

    Args:
        kernels: of a first layer, or tables: float64 of shape (rows, columns, filters), row 0 on the player's own side;
            NaN where there is no weight.
        names: names above them; empty for none.
    """
    largest = float(np.nanmax(np.abs(kernels))) or 1.0
    size, _, filters = kernels.shape
    across = max(1, (out.width - 2) // (6 * size + 3))
    for start in range(0, filters, across):
        if names:
            heads = (f"{name[: 6 * size]:<{6 * size}}" for name in names[start : start + across])
            out.print(f"  {'   '.join(heads)}".rstrip(), soft_wrap=True)
        for row in reversed(range(size)):
            line = Text("  ")
            for kernel in range(start, min(filters, start + across)):
                for value in kernels[row, :, kernel]:
                    if np.isnan(value):
                        line.append(" " * 6)
                    else:
                        line.append(f"{value:6.2f}", style=_shade(float(value) / largest))
                line.append("   ")
            out.print(line, soft_wrap=True)
        out.print()
    coloured = "; positive weights are blue, negative ones orange" if out.color_system and not out.no_color else ""
    out.print(f"  the player's own side is at the bottom{coloured}", style="dim")


def _shade(share: float) -> str:
    """Return a style from orange (-1) to blue (1), which people with any colour vision can distinguish."""
    strong = (0, 114, 178) if share > 0 else (213, 94, 0)
    mixed = [round(255 + (channel - 255) * abs(share)) for channel in strong]
    return f"black on rgb({mixed[0]},{mixed[1]},{mixed[2]})"
