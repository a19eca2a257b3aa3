"""The extras: folders here that add something to the program and can be deleted.

The program finds the folders that are there; only `HOMES` lists them, for messages. An extra imports the core, and no
other extra unless it says so (`Extra.needs`); the core imports no extra.
"""

from __future__ import annotations

import functools
import importlib
import os

TYPE_CHECKING = False  # as in `typing`, whose import takes a tenth of the time of --help
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


HOMES = {
    "analysis": "analyse",
    "bench": "bench perft",
    "cast": "kinds.cells kinds.field presets.cast --characters",
    "climb": "",
    "cluster": "cluster --cluster --cluster-wait",
    "desktop": "desktop",
    "drills": "",
    "engine": "engine",
    "explorer": "",
    "export": "export html",
    "external": "players.external",
    "family": "",
    "form": "",
    "keeping": "",
    "ladder": "ladder",
    "individuals": "",
    "learning": "train kinds.policy kinds.people kinds.q-learning kinds.q-learning-published kinds.zero kinds.searches "
    "kinds.endgame kinds.policy-gradient presets.policy presets.people presets.q-learning "
    "presets.q-learning-published presets.zero presets.alphago presets.zero-published presets.crownhead "
    "presets.endgame presets.endgame-diagonal kinds.distilled presets.search-free",
    "notebooks": "crownhead.Arena crownhead.Board crownhead.resume crownhead.run",
    "origin": "",
    "prediction": "founders.predicted presets.cowan-deep",
    "progress": "--earlier",
    "recorded": "pdn",
    "reports": "--html --plots",
    "rollouts": "players.rollouts search.rollouts",
    "setup": "",
    "sounds": "",
    "spreadsheets": "",
    "sweeps": "--seeds --sweep --column inspect.comparison sweep.toml",
    "tablebase": "tablebase",
    "text": "--text",
    "traits": "--traits --against",
    "warnings": "",
    "weights": "network",
}
"""The names that each extra of the whole program adds, for messages where its folder is not here.

Verbs, actions, options, files of several runs, and after ``kinds.``, ``presets.``, ``players.``, ``founders.``,
``search.``, ``inspect.`` and ``crownhead.`` kinds, presets, players, methods of founders, searches, reports and names
of the module."""


class Verb:
    """A verb: its name, module and help text, the purpose under which it is listed, and whether it opens the window."""

    def __init__(self, name: str, module: str, text: str, purpose: str = "Other", *, window: bool = False) -> None:
        self.name, self.module, self.text = name, module, text
        self.purpose, self.window = purpose, window


class Extra:
    """All that an extra adds to the program.

    Args:
        verbs: verbs of the command line.
        options: pairs of a verb and a module with more options for it. As in the module of a verb,
            ``arguments(parser)`` declares them, and ``EXAMPLES`` are added to those of the verb. ``run(options)`` does
            what they ask for in place of the verb and returns the exit code, or None if the verb is to run.
        examples: examples of verbs of the core that only make sense with the extra, without options of their own: a
            verb, arguments and words.
        entries: pairs of a screen, ``home``, ``chooser``, ``exhibits`` (the third shelf of opponents), ``session``,
            ``new-session``, ``game`` (every board), ``play`` or ``games``, and a class as
            ``module:class``, derived from `gui.screens.entries.Entry`, that adds commands to it, or from `PanelEntry`,
            a part of the panel beside a board, or from `SectionEntry`, a tab of ``new-session``; or ``player`` and a
            function, which returns a command for players wherever they are shown
            (`gui.screens.entries.player_commands`), or ``persona`` and a function, which returns how a player is shown
            (`gui.individuals.personas`), or ``speaker`` and a class derived from `gui.system.Speaker`.
        methods: modules of methods of learning (`evolve.kinds.methods.Method`), which register themselves.
        kinds: modules of other kinds (`evolve.kinds.kind.Kind`), likewise. Both import no slow packages.
        players: modules of players that are named by a word, which import nothing slow. ``TARGET`` is the word,
            ``OPTIONS`` are their options, ``CHOICES`` the values of those that the core does not know, and ``FORM`` is
            the form of their names for messages; ``SEARCHES`` says whether they can search. ``make(name)`` returns the
            player of a name; ``close()`` ends all that such players run in this process.
        searches: modules of searches of networks, likewise: ``SEARCH`` is the value of the option ``search``,
            ``OPTIONS`` and ``CHOICES`` are as above, and ``of_network(name, spec, weights, king, source)`` returns the
            player of a network.
        founders: modules whose ``predict(config, founder, toolbox)`` returns a founder that has learnt to predict.
        machines: modules that let games be played elsewhere. ``add(group)`` adds options to verbs, and
            ``chosen(options)`` returns the machines that they name (`evolve.workers.pool.Machines`) or None.
        formats: modules of file formats, which import no slow packages. The last part of their name is the ending of
            the files. ``TEXTS`` has texts for help by what they can write: a ``player``, ``game``, ``position``
            or ``run``; with ``champion``, the window saves champions so, too. ``PACKAGES`` are the packages of the
            extra ``export`` that it needs. ``of_player(player, runs)``, ``of_game(game, review)`` and
            ``of_position(position, size, flipped)`` return the contents of a file; ``EXAMPLES`` are of the verb
            ``pdn``.
            `extras.export.formats.tensorboard` has ``of_run``.
        several: modules that let a session play several runs. ``add(parser)`` adds their options, of which
            ``EXAMPLES`` are some, and ``WORD`` is a word for such runs; ``are_meant(options)`` returns whether these
            ask for several runs, and ``run(options, machines)`` plays them.
            ``report(options)`` returns the report of ``inspect`` on several runs, or None for a single subject.
        tables: modules that read files of individuals in other forms: ``rewritten(data, source, notes)`` yields one of
            at most ``MAX_BYTES`` as CSV of this program, in pieces, and adds to the notes.
        files: modules of files that are one player each, which import nothing slow. ``ENDING`` is the ending of their
            names, and ``FORM`` such a name for messages. ``resolve(name)`` returns the player of such a file, or None
            for other names; ``read(path)`` raises an `InputError` about a file that is none.
        checks: modules with warnings of ``inspect``: ``check(subject, strength)`` returns what is
            `evolve.report.checked.Checked` about a subject (`evolve.report.overview.Subject`) and its games.
        parts: modules with further parts of reports of ``inspect``: ``part(subject, options, show, pool)`` plays what
            the options ask for, and returns None or an object with ``name``, ``plain()`` for JSON and ``sections()``.
        python: pairs of a name of the module ``crownhead`` and its place as ``module:name``.
        needs: other extras that its modules import; without one of them, this one is not here, either.
        uses: other extras that some of its modules import, and that alone ask for these modules.
    """

    def __init__(
        self,
        *,
        verbs: Iterable[Verb] = (),
        options: Iterable[tuple[str, str]] = (),
        examples: Iterable[tuple[str, str, str]] = (),
        entries: Iterable[tuple[str, str]] = (),
        methods: Iterable[str] = (),
        kinds: Iterable[str] = (),
        players: Iterable[str] = (),
        searches: Iterable[str] = (),
        founders: Iterable[str] = (),
        machines: Iterable[str] = (),
        formats: Iterable[str] = (),
        several: Iterable[str] = (),
        tables: Iterable[str] = (),
        files: Iterable[str] = (),
        checks: Iterable[str] = (),
        parts: Iterable[str] = (),
        python: Iterable[tuple[str, str]] = (),
        needs: Iterable[str] = (),
        uses: Iterable[str] = (),
    ) -> None:
        self.verbs, self.options, self.examples = tuple(verbs), tuple(options), tuple(examples)
        self.entries = tuple(entries)
        self.methods, self.kinds = tuple(methods), tuple(kinds)
        self.searches = tuple(searches)
        self.players, self.founders = tuple(players), tuple(founders)
        self.machines, self.formats = tuple(machines), tuple(formats)
        self.several, self.tables, self.files = tuple(several), tuple(tables), tuple(files)
        self.checks, self.parts = tuple(checks), tuple(parts)
        self.python = tuple(python)
        self.needs, self.uses = tuple(needs), tuple(uses)


class BrokenExtraError(Exception):
    """An extra whose `__init__.py` fails."""


@functools.cache
def _folders() -> dict[str, Extra]:
    folder = os.path.dirname(__file__)
    names = sorted(name for name in os.listdir(folder) if os.path.isfile(os.path.join(folder, name, "__init__.py")))
    return {name: _extra(name) for name in names}


def _extra(name: str) -> Extra:
    try:
        extra: Extra = importlib.import_module(f"{__name__}.{name}").EXTRA
    except Exception as error:
        line = f"the extra {name} cannot be loaded: {type(error).__name__}: {error}; mend extras/{name}/__init__.py"
        raise BrokenExtraError(f"{line}, or delete the folder") from error
    return extra


def installed() -> dict[str, Extra]:
    """Return the extras by name, in alphabetical order, without those that need an extra that is not here."""
    return {name: extra for name, extra in _folders().items() if all(need in _folders() for need in extra.needs)}


def modules(what: str) -> list[Any]:
    """Import and return the modules that the installed extras name for one kind of addition."""
    return list(map(_module, added(what)))


def _module(name: str) -> Any:
    return importlib.import_module(__name__.rpartition("extras")[0] + name)


def formats(what: str) -> dict[str, Any]:
    """Return the modules of the formats in which a player, a game or a run is written, by the ending of the file."""
    return {f.__name__.rpartition(".")[2]: f for f in modules("formats") if what in f.TEXTS}


def file_kind(name: str) -> Any | None:
    """Return the module (`Extra.files`) for files with the ending of this name; None if there is none."""
    return next((each for each in modules("files") if name.lower().endswith(each.ENDING)), None)


def missing(name: str, family: str = "") -> str | None:
    """Return a line about a name that only an extra has which is not here, or None for any other name.

    Args:
        family: ``kinds.``, ``presets.`` or another of the beginnings in `HOMES`; empty for other names.
    """
    known = (extra for extra, names in HOMES.items() if family + name in names.split() and extra not in installed())
    home = next(known, None)
    if home is None:
        return None
    if home in (folders := _folders()):
        home = next((need for need in folders[home].needs if need not in folders), home)
    return f"{name} needs the extra {home}: its folder extras/{home} is not here"


def added(what: str) -> Iterator[Any]:
    """Yield all that the installed extras add of one kind, such as ``verbs``."""
    for extra in installed().values():
        yield from getattr(extra, what)
