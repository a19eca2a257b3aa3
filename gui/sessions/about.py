"""What a run is: in which values it differs from its preset, and how it is repeated. No pygame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evolve.run import manifest
from evolve.run.files import CONFIG, Stamp
from game.number_text import value_text
from gui.individuals.background import Background, Trouble
from gui.sessions.run_notes import RunNotes

LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class RunFacts:
    """What is told of a run.

    Attributes:
        preset: of its values.
        before: from what it was made: the preset, or the run of which it is a branch.
        seed: as text.
        obtained: how its networks come about; empty if a plugin decides.
        newest: its newest complete generation; -1 if there is none.
        digest: of all complete generations; empty if there is none.
        differences: name, value here and value before; None if nobody knows what was before.
        command: plays its generations again, to the same digest; empty if no command does.
        tags: words by which it is found.
        note: what a person has written about it.
        trouble: what cannot be told, and why; empty if all can.
    """

    preset: str = ""
    before: str = ""
    seed: str = ""
    obtained: str = ""
    newest: int = -1
    digest: str = ""
    differences: tuple[tuple[str, str, str], ...] | None = ()
    command: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    trouble: str = ""


class About:
    """One run, read in the background whenever its configuration, manifest or notes have changed.

    Args:
        path: its folder.

    Attributes:
        facts: what is known; None while nobody has looked.
        notes: what writes its tags and note.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts: RunFacts | None = None
        self.notes = RunNotes()
        self._background = Background()
        self._look_at = -math.inf
        self._stamp: Stamp | None = None

    @property
    def busy(self) -> bool:
        """Whether something is still being read or written."""
        return self._background.busy or self.notes.busy

    def step(self, now: float) -> bool:
        """See what is new, once a second at most; returns whether anything is."""
        changed = self.notes.poll()
        if changed:
            self._look_at = -math.inf
        for _, answer in self._background.poll():
            self.facts, changed = RunFacts(trouble=answer.text) if isinstance(answer, Trouble) else answer, True
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            if self._stamp is None:
                from evolve.run import notes

                kept = notes.notes_folder(self.path) / notes.NAME
                self._stamp = Stamp(self.path / CONFIG, self.path / manifest.NAME, kept)
            if self._stamp.refresh() and (self.path / CONFIG).is_file():
                self._background.ask("facts", partial(read_facts, self.path))
        return changed

    def close(self) -> None:
        """Nothing more is read; what was asked is written."""
        self._background.close()
        self.notes.close()


def read_facts(path: Path) -> RunFacts:
    """What is told of a run.

    Raises:
        InputError: its configuration or its notes cannot be read; the text says why.
    """
    from evolve.report import comparison
    from evolve.run import notes
    from evolve.run.folder import Run

    run = Run(path)
    made_with, config, known, kept = run.check_format(), run.config(), run.manifest(), notes.read_of_run(run)
    found = comparison.differences_from_origin(run, config, made_with)
    differences = None if found is None else tuple((each.name, _text(each.second), _text(each.first)) for each in found)
    return RunFacts(
        preset=config.preset,
        before=str(made_with.get("branched_from", config.preset)),
        seed=str(config.seed),
        obtained=config.obtained,
        newest=known.newest,
        digest=known.digest(),
        differences=differences,
        command=comparison.repeat_command(run, config, made_with, known.newest) or "" if known.newest >= 0 else "",
        tags=kept.tags,
        note=kept.text,
    )


def _text(value: object) -> str:
    """A value of a configuration as TOML has it, but for numbers, which are written to be read."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value_text(value)
