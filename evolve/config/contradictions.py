"""Contradictions between values of a configuration that are individually valid."""

from __future__ import annotations

from evolve.config import anchors
from evolve.config.model import Config
from evolve.kinds.objectives import FixedRating, Rank, TournamentPoints
from evolve.kinds.stages import Mirror, RankingStage, Stage
from game.errors import InputError
from game.openings import PLIES
from game.toml_file import quote_value

MAX_GIGABYTES = 4


def contradictions(config: Config) -> list[str]:
    """Return the contradictions between values that are individually valid."""
    problems = []
    if config.kind.breeds and config.founders.low > config.founders.high:
        low, high = config.founders.low, config.founders.high
        problems.append(f"founders.low: expected at most founders.high = {high}, got {low}")
    if config.mutates:
        problems.extend(filter(None, [config.variation.mutation.problem(config.founders.step)]))
    if config.games.repetition == 1:
        problems.append("games.repetition: expected 0 (off) or at least 2, got 1")
    if config.games.adjudicate == 1:
        problems.append("games.adjudicate: expected 0 (off) or at least 2, got 1")
    if config.games.quiet_plies == 0 and config.games.max_plies == 0:
        problems.append("games.quiet_plies: games could last for ever: set this or games.max_plies above 0")
    plies = PLIES[config.games.openings]
    limits = {"max_plies": config.games.max_plies}
    if not config.games.men_reset:  # no ballot has a capture, so all its plies are quiet
        limits["quiet_plies"] = config.games.quiet_plies
    for name, limit in limits.items():
        if 0 < limit <= plies:
            kind = config.games.openings
            problems.append(f"games.{name}: expected more than the {plies} plies of {kind} openings, or 0, got {limit}")
    problems.extend(_of_rating(config))
    problems.extend(config.kind.problems(config))
    if not config.kind.breeds:
        return problems
    problems.extend(_of_the_mean(config))
    problems.extend(_of_fitness(config))
    if not config.network.values:
        problems.append(
            "network: heads.value: expected score or wdl, since individuals choose moves by the values of boards"
        )
    size, weights = config.population.size, config.network.weights
    gigabytes = 8 * size * weights * (2 if config.has_steps else 1) / 2**30  # two founders are drawn for each place
    if gigabytes > MAX_GIGABYTES:
        problems.append(
            f"network: {size:,} individuals of {weights:,} weights take {gigabytes:.1f} GB of memory, "
            f"at most {MAX_GIGABYTES}; choose a smaller network or population.parents"
        )
    return problems + _of_stages(config)


def _of_rating(config: Config) -> list[str]:
    problems = []
    if config.rating.games % 2:
        problems.append(
            f"rating.games: expected an even number (both colours on each ballot), got {config.rating.games}"
        )
    try:
        if not anchors.parse_session_anchors(config.rating.anchors):
            problems.append("rating.anchors: expected at least one; to rate no champions, set rating.every to 0")
    except InputError as error:
        problems.append(str(error))
    return problems


def _of_the_mean(config: Config) -> list[str]:
    if not config.population.mean:
        return []
    problems: list[str] = []
    for index, stage in enumerate(config.stages):
        if isinstance(stage, RankingStage) and stage.best and not stage.counts:
            problems.append(
                f"stages.{index}.counts: expected true, since individuals that leave are ranked by their points"
            )
    parents, mutants = config.population.parents, config.population.mutants
    if config.population.recombine:
        problems.append("population.recombine: expected false with population.mean, which recombines all parents")
    if mutants < 2 or mutants % 2:
        problems.append(f"population.mutants: expected pairs with population.mean, 2, 4, 6 ..., got {mutants}")
    if parents > config.population.size:
        problems.append(f"population.parents: expected at most 1 + population.mutants = {1 + mutants}, got {parents}")
    if config.founders.method not in ("bred", "predicted", "player"):
        method = config.founders.method
        problems.append(f"founders.method: expected bred, predicted or player with population.mean, got {method}")
    problems.extend(filter(None, [config.optimiser.kind.problem(config.network.weights)]))
    return problems


def _of_stages(config: Config) -> list[str]:
    results: list[str] = []
    left, last = config.population.size, len(config.stages) - 1
    # A mean can also use individuals that were eliminated, since they are ranked below the others.
    parents = 2 if config.population.mean else config.population.parents
    ranked = False
    for index, stage in enumerate(config.stages):
        path = f"stages.{index}"
        problems = [stage.problem(path, left, first=index == 0, mean=config.population.mean)]
        if stage.selection and (config.population.mean or stage.selection != config.population.selection.kind):
            problems = [f'{path}.kind: {stage.kind} needs population.selection = "{stage.selection}"']
        if not stage.ranks and (ranked or index == last):
            kinds = ", ".join(name for name, kind in Stage.kinds.items() if kind.ranks)
            problems = [f"{path}.kind: the last stages must be ones that rank ({kinds})"]
        elif isinstance(stage, RankingStage) and stage.best and index == last:
            problems.append(f"{path}.best: expected 0 in the last stage, which leaves population.parents = {parents}")
        elif isinstance(stage, RankingStage) and stage.best and not parents <= stage.best <= left:
            problems.append(
                f"{path}.best: expected 0 (all) or {parents} (population.parents) to {left}, got {stage.best}"
            )
        ranked = stage.ranks
        problems = [problem for problem in problems if problem]
        if not problems:
            left = stage.survivors(left)
        elif not ranked:
            return results + problems
        results += problems
    if left < parents:
        results.append(
            f"stages: {left} of {config.population.size} individuals are left at the end, "
            f"expected at least population.parents = {parents}"
        )
    if all(isinstance(stage, Mirror) for stage in config.stages):
        results.append("stages: the mean plays in none of them; add another stage that ranks, such as round-robin")
    if all(stage.champions for stage in config.stages if stage.ranks):
        results.append("stages: the first generation has no hall of fame; add a ranking stage within the population")
    return results


def _of_fitness(config: Config) -> list[str]:
    kind = config.fitness.kind
    if isinstance(kind, Rank):
        return []
    if config.population.mean or config.population.selection.run_kind:
        return [f"fitness.kind: {kind.kind} needs a selection of parents, as in the presets deap and cowan"]
    try:
        count = len(config.fitness.numbers)
    except ValueError:
        given = quote_value(config.fitness.weights)
        return [f'fitness.weights: expected numbers other than 0, such as "1, -1", got {given}']
    if count > 1 and isinstance(kind, TournamentPoints | FixedRating):
        return [f"fitness.weights: {kind.kind} is one number, expected one weight, got {count}"]
    return []
