"""What a session is doing, in words; numbers and times as people read them. No pygame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from game.number_text import span_text, whole_text
from gui.sessions.fields import sentence
from gui.sessions.generations import Generations

if TYPE_CHECKING:
    from evolve.run.status import Status

ASKED = {
    "pause": "asked to pause",
    "resume": "asked to go on",
    "stop-after-generation": "asked to stop after this generation",
    "stop": "asked to stop now",
}
"""A request that the session has not taken yet."""


@dataclass(frozen=True)
class Shown:
    """A state for people.

    Attributes:
        head: one or two words.
        text: a sentence or two; empty if the head says all.
        icon: name of the icon.
        tone: good, warning, or plain.
    """

    head: str
    text: str
    icon: str
    tone: str = "plain"


class SessionFacts(Protocol):
    """What the words about a session depend on.

    Attributes:
        state: what it does.
        generations: those that are complete.
        said: what it last said of itself.
        requests: what it was asked for and has not taken yet.
    """

    state: str
    generations: Generations
    said: Status | None
    requests: tuple[str, ...]


def describe_session(run: SessionFacts, quiet: int) -> Shown:
    """The state of a run.

    Args:
        run: the run.
        quiet: seconds since its session was heard, if these are too many; else 0.
    """
    newest, said = run.generations.newest, run.said
    complete = "no generation is complete yet" if newest < 0 else f"complete to generation {newest}"
    asked = " and ".join(ASKED[what] for what in run.requests)
    waiting = f" It was {asked}; no answer yet." if asked else ""
    if run.state == "starting":
        phase = said.phase if said is not None and said.phase else "the session gets ready"
        once = " (only the first time)" if phase.startswith("compiling") else ""
        return Shown("Starting", f"{phase[0].upper()}{phase[1:]}{once}; {complete}.{waiting}", "play")
    if run.state in ("running", "paused", "stopping") and said is not None:
        silent = f" Nothing was heard for {span_text(quiet)}: compiling, or very busy." if quiet else ""
        tone = "warning" if quiet else "good"
        # The heartbeat comes once a second, the log with each generation: the later of the two is true.
        playing = max(said.generation, min(newest + 1, said.generations))
        if run.state == "running":
            does = f"Generation {playing} is being {'played' if run.generations.method is None else 'learnt'}."
            if said.work and playing == said.generation:
                does = f"Generation {playing}, {said.work}."
            does += f" Games are played on {said.cluster}." if said.cluster else ""
            return Shown("Running", f"{does}{waiting}{silent}", "play", tone)
        if run.state == "paused":
            where = f"In generation {said.generation}" if newest < said.generation else f"After generation {newest}"
            text = f"{where}; nothing is lost.{waiting}{silent}"
            return Shown("Paused", text, "pause", "warning")
        text = f"Generation {playing} is finished first.{waiting}{silent}"
        return Shown("Stopping", text, "finish", "warning")
    if run.state == "done":
        return Shown("Done", f"All generations to {newest} are there.", "check", "good")
    if run.state == "interrupted" and said is not None:
        ago = f" {span_text(quiet)} ago" if 0 < quiet < 10**8 else ""
        text = (
            f"Process {said.pid} ended without a word{ago}: killed, or a power cut. "
            f"{complete[0].upper()}{complete[1:]}."
        )
        return Shown("Interrupted", text, "warning", "warning")
    left = f"It is {complete}." if newest >= 0 else "No generation is complete yet."
    if run.state == "failed" and said is not None:
        return Shown("Failed", f"{sentence(said.reason) or 'An error ended it.'} {left}", "warning", "warning")
    if run.state == "stopped":
        why = f" Ended by {said.reason}." if said is not None and said.reason else ""
        return Shown("Stopped", f"{left}{why}", "stop")
    return Shown("Looking…", "", "search")


def rating_text(value: float, low: float) -> str:
    """A rating as text: a number, a lower bound where all games were won, or empty if unknown."""
    if math.isfinite(value):
        return whole_text(value)
    if math.isnan(value):
        return ""
    return "lost all" if value < 0 else f"> {whole_text(low)}" if math.isfinite(low) else "won all"


def interval_text(low: float, high: float) -> str:
    """The ends of an interval as text; one end where the other is beyond all measure, empty if both are."""
    if math.isfinite(low) and math.isfinite(high):
        return f"{whole_text(low)} to {whole_text(high)}"
    return f"from {whole_text(low)}" if math.isfinite(low) else f"to {whole_text(high)}" if math.isfinite(high) else ""
