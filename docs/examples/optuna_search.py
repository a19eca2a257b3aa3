"""Search for good settings with Optuna: each trial is a run, which ends early if it is worse than most before it.

Play the best settings again with other seeds: the highest of many ratings is so by luck, too.
"""

import sys

import optuna

import crownhead


def search(name: str, trials: int, preset: str = "first", generations: int = 48, settings: tuple[str, ...] = ()):
    """Play trials, and return the study; the same name continues it."""

    def rating(trial: optuna.Trial) -> float:
        values = {
            "optimiser.step": trial.suggest_float("optimiser.step", 0.01, 1.0, log=True),
            "population.mutants": trial.suggest_categorical("population.mutants", [64, 128, 256]),
        }
        rated = []

        def after_generation(report, run) -> bool:
            if report.rating is not None:
                rated.append(report.rating)
                trial.report(rated[-1], report.generation)
            return trial.should_prune()

        given = [f"{key}={value}" for key, value in values.items()]
        given += [f"generations={generations}", "seed=1", *settings]
        crownhead.run(preset, [after_generation], settings=given, name=f"{name}-{trial.number}")
        if trial.should_prune():
            raise optuna.TrialPruned
        return rated[-1]

    study = optuna.create_study(
        storage=f"sqlite:///{name}.db", study_name=name, load_if_exists=True, direction="maximize"
    )
    study.optimize(rating, trials)
    return study


if __name__ == "__main__":
    best = search("search", int(sys.argv[1]) if sys.argv[1:] else 40).best_trial
    print(f"search-{best.number}: {best.params}")
