"""How costs grow with a memory: the exponents of recall, add, consolidation, reopening and RAM.

    python -m benchmarks.growth [--sizes 100 1000 10000] [--large] [--plot docs/images/growth.svg]

A cost that grows as the number of pages to the power of x has the exponent x: 0 is flat, 1 linear. It is fitted to all
sizes by least squares; the last column is that of the last two sizes. Times are of this process's CPU, without waiting
for the disk, with an embedder that costs nothing; RAM is what a process that recalls takes above one with 20 pages.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from tqdm.auto import tqdm

from benchmarks.material import RandomEmbedder, messages, turns
from benchmarks.plots import new_figure
from benchmarks.speed import MANUAL, fill, peak_memory
from memoryos_core import MemoryOS, UserMemory

SIZES = (100, 1_000, 10_000)
_LARGE = 100_000
_CALLS = 40
_BATCH = 1_000
_SMALL = 20
_LEAST = 1e-3

Costs = dict[str, list[float]]
"""By what is measured, its cost at each size: milliseconds, of RAM megabytes."""

UNITS = {
    "recall": "ms",
    "add": "ms",
    "consolidation of all pages": "ms",
    "first recall after reopening": "ms",
    "RAM": "MB",
}


def main() -> None:
    """Measure every size and print a Markdown table; draw it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="pages, from few to many")
    parser.add_argument("--large", action="store_true", help=f"{_LARGE:,} pages, too: half an hour")
    parser.add_argument("--plot", type=Path, help="the SVG file to draw")
    given = parser.parse_args()
    sizes = (*given.sizes, _LARGE) if given.large else tuple(given.sizes)
    costs = measure(sizes)
    print(table(sizes, costs))
    if given.plot is not None:
        draw(sizes, costs, given.plot)


def measure(sizes: Sequence[int]) -> Costs:
    """Return every cost at each size."""
    rows = [_measure_size(size) for size in tqdm(sizes, desc="sizes")]
    return {what: [row[what] for row in rows] for what in UNITS}


def table(sizes: Sequence[int], costs: Mapping[str, Sequence[float]]) -> str:
    """Return the costs and their exponents as a Markdown table."""
    lines = [
        "| cost | " + " | ".join(f"{size:,} pages" for size in sizes) + " | exponent | of the last two |",
        "|" + "---|" * (len(sizes) + 3),
    ]
    for what, values in costs.items():
        shown = " | ".join(f"{value:,.{1 if value < 100 else 0}f}" for value in values)
        exponents = f"{exponent(sizes, values):.2f} | {exponent(sizes[-2:], values[-2:]):.2f}"
        lines.append(f"| {what}, {UNITS[what]} | {shown} | {exponents} |")
    return "\n".join(lines)


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Return the power of the size by which a cost grows; nan for fewer than two sizes."""
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(costs, _LEAST)), 1)[0])


def draw(sizes: Sequence[int], costs: Mapping[str, Sequence[float]], path: Path) -> None:
    """Draw the costs over the pages, both on scales of powers, as SVG: the same costs give the same file.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
        OSError: it cannot be written.
    """
    figure, axes = new_figure()
    from matplotlib import rc_context

    for (what, values), marker in zip(costs.items(), "osD^v", strict=True):
        label = f"{what}: exponent {exponent(sizes, values):.2f}"
        axes.plot(sizes, values, marker=marker, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("pages")
    axes.set_ylabel("milliseconds of CPU; RAM in MB")
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    with rc_context({"svg.hashsalt": "growth"}):
        figure.savefig(path, format="svg", metadata={"Date": None}, bbox_inches="tight")


def _measure_size(pages: int) -> dict[str, float]:
    questions = [" ".join(said.split()[:12]) for said, _ in turns(_CALLS, seed=13)]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/m.db"
        with _opened(path) as memory:
            user = memory.user("large", session_id="s")
            said = messages(pages)
            for start in range(0, len(said), _BATCH):
                user.add_messages(said[start : start + _BATCH])
            consolidation = _cpu(user.consolidate)
            fill(memory.user("small", session_id="s"), _SMALL)
        with _opened(path) as memory:
            memory.user("small", session_id="asking").recall("anything at all")
            asking = memory.user("large", session_id="asking")
            reopening = _cpu(partial(asking.recall, questions[0]))
            recalls = [_cpu(partial(asking.recall, question)) for question in questions]
            adds = _adds(memory.user("large", session_id="adding"))
        ram = peak_memory(path, "large") - peak_memory(path, "small")
    return dict(zip(UNITS, (median(recalls), median(adds), consolidation, reopening, ram), strict=True))


def _opened(path: str) -> MemoryOS:
    return MemoryOS(f"sqlite:///{path}", embedder=RandomEmbedder(), config=MANUAL)


def _adds(user: UserMemory) -> list[float]:
    return [_cpu(partial(user.add, said, answered)) for said, answered in turns(_CALLS, seed=11)]


def _cpu(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1e3


if __name__ == "__main__":
    main()
