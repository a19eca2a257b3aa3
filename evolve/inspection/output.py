"""Figures and pages on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

from evolve.inspection import page
from evolve.inspection.figures import genomes, learning, lineage, many_runs, runs, style
from evolve.inspection.results import Report
from evolve.report.learning import Course
from evolve.report.many_runs import ManyRuns
from evolve.report.overview import GenerationOverview, IndividualOverview, RunOverview
from evolve.run.files import write_atomically
from game.errors import InputError

KINDS = ("pdf", "png")
"""Each figure is written as both: for print, and to look at."""


def write(report: Report, plots: Path | None, html: Path | None, show: Callable[[str], None]) -> Report:
    """Write what was asked for; the report then says which files there are.

    Args:
        report: what the figures are about.
        plots: a folder for figures, made if it is not there.
        html: a file for a page.
        show: told what is being drawn.

    Raises:
        InputError: a folder or file cannot be where it should be.
        OSError: something could not be written.
    """
    written: list[Path] = []
    pictures: list[tuple[str, str, bytes]] = []
    if plots is not None:
        _made(plots)
    if html is not None and (html.is_dir() or not html.parent.is_dir()):
        raise InputError(f"--html: {html}: expected the name of a file in a folder that is there")
    with style.apply_style():
        for name, caption, make in figures(report):
            show(f"drawing {name}")
            made = make()
            if plots is not None:
                for kind in KINDS:
                    path = plots / f"{name}.{kind}"
                    write_atomically(path, style.render(made, kind), durable=False)
                    written.append(path)
            if html is not None:
                pictures.append((name, caption, style.render(made, "svg")))
    if html is not None:
        write_atomically(html, page.page(report.contents(), pictures).encode(), durable=False)
        written.append(html)
    return replace(report, written=tuple(written))


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"--plots: {folder}: expected a folder, there is a file of this name") from error


def figures(report: Report) -> Iterator[tuple[str, str, Callable[[], Figure]]]:
    """Name, caption and maker of each figure that a report has."""
    subject = report.subject
    if isinstance(subject, ManyRuns):
        for column in subject.columns:
            yield column, MANY, partial(many_runs.curves, subject, column)
        return
    if isinstance(subject, RunOverview):
        yield from _of_run(report, subject)
        return
    individual = subject if isinstance(subject, IndividualOverview) else subject.individual()
    of = individual.of
    if report.strength is not None:
        strength = report.strength
        yield (
            "strength",
            "Games against fixed opponents, over three-move ballots with both colours.",
            lambda: runs.strength(strength),
        )
    if not of.thinned:
        if isinstance(subject, GenerationOverview) and len(of.rows.names) > 2:
            yield "population", POPULATION, lambda: genomes.population(of)
        yield "weights", WEIGHTS, lambda: genomes.weights(of, individual.row)
    if of.spec is not None and individual.weights.size:
        spec = of.spec
        yield "kernels", KERNELS, lambda: genomes.kernels(individual.name, individual.weights, spec)
    if of.pedigree is not None and of.generation and of.course is None:
        pedigree, generation = of.pedigree, of.generation
        yield "lineage", LINEAGE, lambda: lineage.lineage(pedigree, generation, individual.name)


def _of_run(report: Report, run: RunOverview) -> Iterator[tuple[str, str, Callable[[], Figure]]]:
    tournament, course = report.tournament, run.course
    if course is not None:
        yield from _of_learning(report, run, course)
        return
    yield "progress", PROGRESS, lambda: runs.progress(run, tournament)
    if tournament is not None and tournament.matches:
        yield "champions", CHAMPIONS, lambda: runs.champions(tournament)
    yield "diversity", DIVERSITY, lambda: runs.diversity(run)
    yield "weights", SPREAD, lambda: runs.weights(run)
    spec = run.config.network
    yield "kernels", KERNELS, lambda: genomes.kernels(run.champion.name, run.weights[0], spec)
    names = [fact.name for fact in run.survivors]
    if run.newest:
        yield "lineage", LINEAGE, lambda: lineage.lineage(run.pedigree, run.newest, run.champion.name, names)


def _of_learning(report: Report, run: RunOverview, course: Course) -> Iterator[tuple[str, str, Callable[[], Figure]]]:
    tournament, spec = report.tournament, run.config.network
    yield "progress", LEARNING, lambda: learning.progress(run, course, tournament)
    if tournament is not None and tournament.matches:
        yield "champions", GENERATIONS, lambda: runs.champions(tournament)
    yield "weights", SPREAD_OF_ONE, lambda: runs.weights(run)
    yield "kernels", KERNELS, lambda: genomes.kernels(run.champion.name, run.weights[0], spec)


MANY = (
    "A line for each run that stands alone; of runs that differ only in their seed the mean, as far as all of them go, "
    "and a band: its 95 % interval (Student's t), of two runs from the lowest to the highest end of their own "
    "intervals. A thin line is a run that goes on after the others of its group."
)
LEARNING = "What the method tells of each generation, and how strong its network is."
GENERATIONS = (
    "Generations of one run against each other, over three-move ballots with both colours. Blue: the row's network is "
    "the better one. Where strength grows, blue lies below the diagonal."
)
SPREAD_OF_ONE = "Weights over generations, part by part: median, the middle half, nine tenths."
PROGRESS = (
    "Champions over generations: a, points a game against opponents that never change; b, rating; c, points in the "
    "tournament of their own generation, which say nothing about progress; d, share of drawn games."
)
CHAMPIONS = (
    "Champions of one run against each other, over three-move ballots with both colours. Blue: the row's champion is "
    "the better one. Where strength grows, blue lies below the diagonal."
)
DIVERSITY = (
    "a, root mean square distance between two individuals; b, genomes that differ at all; c, how the survivors, who "
    "are the parents of the next generation, came about."
)
SPREAD = "Weights of the survivors over generations, part by part of the genome: median, the middle half, nine tenths."
WEIGHTS = "How the weights are spread, part by part of the genome."
KERNELS = (
    "All weights on one scale. Boards and kernels have the player's own side at the bottom; blue weights speak for own "
    "pieces there (their: for the opponent's), orange ones against them (after later layers the sign may turn). Of a "
    "first diagonal layer there are a square and its neighbours for own men, own kings, their men and their kings. Of "
    "patterns those of the largest worth, which stands above each: own men blue, the opponent's orange."
)
LINEAGE = (
    "a, ancestors; the larger a mark, the larger the share of the genome that comes from there; b, those in "
    "generation 0 whose weights are in it, of all ancestors there."
)
POPULATION = (
    "a, genomes projected on their two main directions; b, distances to any other individual and to the nearest."
)
