"""What a person has chosen, with types: the window's view of the kept settings. No pygame."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

ANIMATIONS = {"off": 0.0, "fast": 0.12, "normal": 0.22, "slow": 0.45}
"""Seconds that a hop takes."""

COLOURS = ("black", "white", "random")
_ALLOWED: dict[str, Any] = {
    "theme": ("light", "dark", "contrast"),
    "animation": tuple(ANIMATIONS),
    "colour": COLOURS,
    "depth": range(13),
    "width": range(320, 20_000),
    "height": range(240, 20_000),
}
LEAST_SCALE, MOST_SCALE = 0.75, 2.0


class Store(Protocol):
    """What keeps values by name, as `gui.storage.settings.Settings` does."""

    def get(self, name: str, default: Any, allowed: Any = None) -> Any:
        """A value, or the default."""
        ...

    def set(self, name: str, value: Any) -> None:
        """Choose a value."""
        ...


@dataclass(frozen=True)
class Preferences:
    """All choices.

    Attributes:
        theme, scale, fullscreen, width, height: of the window.
        sounds: whether there are any.
        numbers, dots, must_marks, animation: on the board: numbers of squares, legal targets, pieces that have to
            capture, how fast moves are shown.
        evaluation_bar, root_scores, graph, explorer: what is shown beside a game.
        see_thinking: whether what programs think is shown while they do: the expected line, how far they have looked.
        likes: whether it is shown what a player likes: the worth of each piece, what its network sees.
        explorer_source: whose games the explorer shows (`gui.storage.explored`); empty for the usual ones.
        analyst, analyst_title: who says how games stand: a choice of `gui.screens.play.analysts`, or a player as
            `game.players` knows it and as people call it.
        opponent, opponent_title: the last one, as `game.players` knows it and as people call it.
        depth, seconds: of its thinking; depth 0 for that with which it evolved, 0 seconds for no limit.
        sampling: a policy draws its moves by their probabilities; otherwise it plays its first choice.
        colour: that a person played last.
    """

    theme: str = "light"
    scale: float = 1.0
    fullscreen: bool = False
    width: int = 1280
    height: int = 800
    sounds: bool = True
    numbers: bool = True
    dots: bool = True
    must_marks: bool = True
    animation: str = "normal"
    evaluation_bar: bool = False
    root_scores: bool = False
    graph: bool = False
    explorer: bool = False
    see_thinking: bool = False
    likes: bool = False
    explorer_source: str = ""
    analyst: str = "champion"
    analyst_title: str = ""
    opponent: str = ""
    opponent_title: str = ""
    depth: int = 0
    seconds: float = 5.0
    sampling: bool = False
    colour: str = "black"

    @property
    def hop_seconds(self) -> float:
        """How long one hop is shown."""
        return ANIMATIONS[self.animation]

    @classmethod
    def of(cls, store: Store) -> Preferences:
        """The kept ones; defaults for what is not there or cannot be."""
        values = {f.name: store.get(f.name, f.default, _ALLOWED.get(f.name)) for f in fields(cls)}
        values["scale"] = min(max(values["scale"], LEAST_SCALE), MOST_SCALE)
        values["seconds"] = min(max(values["seconds"], 0.0), 600.0)
        return cls(**values)

    def update(self, store: Store, values: dict[str, Any]) -> Preferences:
        """These with other values, which the store is told."""
        for name, value in values.items():
            store.set(name, value)
        return replace(self, **values)


def hidden(chosen: Preferences) -> Preferences:
    """The same without anything that says which moves are good."""
    return replace(
        chosen, evaluation_bar=False, root_scores=False, graph=False, explorer=False, see_thinking=False, likes=False
    )
