"""Ends of topics in a dialogue: how well the cuts between segments agree with those that people marked.

Pk (Beeferman et al., 1999) and WindowDiff (Pevzner and Hearst, 2002) count disagreements at the two ends of a window
that slides over the turns: lower is better. Beside the memory stand two references: no cut at all, and the gold cuts
moved to the nearest end of a page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from benchmarks.asking import fill
from benchmarks.knowledge_gold import Dialogue, read_dialogues
from benchmarks.knowledge_memory import OpenMemory
from benchmarks.knowledge_tables import Row
from benchmarks.talks import Talk

TOPICS = "topics (Pk, WindowDiff: lower is better)"
_PAGE = 2  # turns


def measure_topics(open_memory: OpenMemory, folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Put in each dialogue, and compare the cuts between its segments with the gold boundaries."""
    for dialogue in tqdm(read_dialogues(folder, limit), desc="topics", unit="dialogue"):
        with closing(open_memory(dialogue.talk)) as memory:
            fill(memory, dialogue.talk)
            segments = memory.segments()
        cuts, share = find_cuts(segments, dialogue.talk)
        yield _row(dialogue, "", cuts, share)
        yield _row(dialogue, ": no cut", ())
        yield _row(dialogue, ": gold cuts between pages", page_cuts(dialogue))


def page_cuts(dialogue: Dialogue) -> list[int]:
    """Return the gold boundaries, each moved to the nearest end of a page inside the dialogue."""
    moved = {_PAGE * round(boundary / _PAGE) for boundary in dialogue.boundaries}
    return sorted(moved - {0, len(dialogue.talk.turns)})


def find_cuts(segments: Sequence[Sequence[str]], talk: Talk) -> tuple[list[int], float]:
    """Return the turns at which another segment begins, and the share of the turns that lie in a segment.

    A turn in no segment is passed over: the next turn that has one is compared with the last that had one.
    """
    segment_of = {turn_id: number for number, turn_ids in enumerate(segments) for turn_id in turn_ids}
    placed = [(index, segment_of[turn.id]) for index, turn in enumerate(talk.turns) if turn.id in segment_of]
    cuts = [index for (_, before), (index, here) in pairwise(placed) if here != before]
    return cuts, len(placed) / len(talk.turns)


def _row(dialogue: Dialogue, reference: str, cuts: Collection[int], share: float | None = None) -> Row:
    gold, turns = dialogue.boundaries, len(dialogue.talk.turns)
    values: dict[str, float | None] = {
        "Pk": pk(gold, cuts, turns),
        "WindowDiff": window_diff(gold, cuts, turns),
        "F1": boundary_f1(gold, cuts),
        "cuts a dialogue": len(cuts),
    }
    if not reference:
        values["turns in segments"] = share
    return Row(TOPICS, f"{dialogue.group}{reference}", dialogue.talk.name, values)


def pk(gold: Collection[int], cuts: Collection[int], turns: int) -> float:
    """Return how often the ends of a window lie in one topic by `gold` and in two by `cuts`, or the reverse."""
    expected, found = _cuts_in_windows(gold, gold, turns), _cuts_in_windows(cuts, gold, turns)
    return _share(np.not_equal(expected > 0, found > 0))


def window_diff(gold: Collection[int], cuts: Collection[int], turns: int) -> float:
    """Return how often a window has another number of cuts than of gold boundaries."""
    expected, found = _cuts_in_windows(gold, gold, turns), _cuts_in_windows(cuts, gold, turns)
    return _share(np.not_equal(expected, found))


def _share(disagreements: NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(disagreements)) / len(disagreements)


def _cuts_in_windows(cuts: Collection[int], gold: Collection[int], turns: int) -> NDArray[np.int64]:
    """Return for each place of a window how many of the cuts lie in it; it is half a mean gold segment wide."""
    width = max(1, round(turns / (len(gold) + 1) / 2))
    before = np.searchsorted(sorted(cuts), np.arange(turns), side="right")  # cuts up to each turn
    return before[width:] - before[:-width]


def boundary_f1(gold: Collection[int], cuts: Collection[int]) -> float:
    """Return the F1 of the cuts that lie exactly at a gold boundary; 1 when there are neither."""
    if not gold and not cuts:
        return 1.0
    return 2 * len(set(gold) & set(cuts)) / (len(gold) + len(cuts))
