"""Draw docs/pictures/optimisers.svg from optimisers.csv, which stands beside this file.

A line is the mean of three seeds, its band reaches from the lowest to the highest. requirements/dev.txt has Matplotlib.
"""

import csv
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import matplotlib as mpl
from matplotlib.figure import Figure

HERE = Path(__file__).parent
LOOKS = {  # colours that colour-blind eyes tell apart (Okabe and Ito), and where the name stands
    "snes": ("#0072b2", 89.5, 98),
    "mean": ("#d55e00", 89.5, 67),
    "snes, predicted start": ("#56b4e9", 96.5, 44),
    "cma-es": ("#009e73", 61, -140),
    "sep-cma-es": ("#cc79a7", 23, -150),
}
LOWEST = -300

mpl.rcParams.update({"svg.hashsalt": "", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
results: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
with (HERE / "optimisers.csv").open() as lines:
    for row in csv.DictReader(lines):  # who lost every game has no finite rating, and is far below the picture
        results[row["optimiser"]][float(row["cpu_seconds"])].append(max(float(row["elo"]), 10 * LOWEST))

figure = Figure((7.5, 4.4), layout="constrained")
axes = figure.add_subplot(xlim=(0, 118), ylim=(LOWEST, 140), xticks=range(0, 101, 10))
axes.set_xlabel("CPU seconds of one core of 2.7 GHz", loc="left")
axes.set_ylabel("Elo against crownhead-1, both at 4 plies")
axes.axhline(0, color="#999999", lw=0.8, ls=":")
for name, (colour, x, y) in LOOKS.items():
    seconds = sorted(second for second, seeds in results[name].items() if len(seeds) == 3)
    low, mean, high = ([form(results[name][second]) for second in seconds] for form in (min, fmean, max))
    axes.fill_between(seconds, low, high, color=colour, alpha=0.12, lw=0)
    axes.plot(seconds, mean, color=colour, lw=1.6, marker="o", markersize=3.5)
    axes.text(x, y, name, color=colour, va="center")
figure.savefig(HERE.parent / "pictures" / "optimisers.svg", metadata={"Date": None})
