"""RealMem's people, who talk about many projects: whether a segment holds one project, and what comes back of it.

The segments are compared with the project of each session, by B-cubed (Bagga and Baldwin, 1998) and normalised mutual
information. NMI rises with mere fragments: read it beside B-cubed and the two references.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from tqdm.auto import tqdm

from benchmarks.asking import fill, squashed
from benchmarks.knowledge_gold import Projects, Query, read_projects
from benchmarks.knowledge_memory import Memory, OpenMemory, gather
from benchmarks.knowledge_tables import Row
from benchmarks.knowledge_text import stems
from benchmarks.statements import held_by, similarity

SEGMENTS = "segments against RealMem's projects"
POINTS = "held: RealMem points, F1 of at least 0.4"
QUERIES = "recall: RealMem queries"
INTEREST = "the hottest segments after ten days of questions about one project"
_SIMILAR = 0.4  # the points are paraphrased
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_SHORTEST_SENTENCE = 40  # characters; a shorter one may stand anywhere
_PROJECTS, _DAYS, _QUESTIONS, _HOTTEST = 3, 10, 3, 5

Labels = Mapping[str, Hashable]


def measure_segments(open_memory: OpenMemory, folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Put in each person's sessions; compare the segments, look for the memory points, and ask the queries."""
    for person in tqdm(read_projects(folder, limit), desc="segments", unit="person"):
        with closing(open_memory(person.talk)) as memory:
            fill(memory, person.talk)
            yield from _segment_rows(memory, person)
            facts = [(stems(fact.text), fact) for fact in memory.facts()]
            for point in person.points:
                values = held_by(point, facts, similarity, _SIMILAR)
                yield Row(POINTS, point.group, person.talk.name, values, point.text, is_totalled=True)
            yield from _query_rows(memory, person)


def _segment_rows(memory: Memory, person: Projects) -> Iterator[Row]:
    segments = memory.segments()
    segment_of = {turn_id: number for number, turn_ids in enumerate(segments) for turn_id in turn_ids}
    page_of = {turn.id: number for number, page in enumerate(person.talk.pages) for turn in page}
    pages = [len({page_of[turn_id] for turn_id in turn_ids if turn_id in page_of}) for turn_ids in segments]
    turns = list(person.project_of)
    # A turn in no segment is a segment of its own.
    ours = agreement({turn_id: segment_of.get(turn_id, turn_id) for turn_id in turns}, person.project_of)
    ours["turns in segments"] = sum(turn_id in segment_of for turn_id in turns) / len(turns)
    ours["segments"] = len(segments)
    ours["pages a segment"] = sum(pages) / max(1, len(pages))
    by_session = agreement({turn_id: person.session_of[turn_id] for turn_id in turns}, person.project_of)
    in_one = agreement(dict.fromkeys(turns, 0), person.project_of)
    named = {"the memory": ours, "reference: a segment a session": by_session, "reference: one segment": in_one}
    for group, values in named.items():
        yield Row(SEGMENTS, group, person.talk.name, values)


def agreement(found: Labels, gold: Labels) -> dict[str, float | None]:
    """Return precision, recall and F1 by B-cubed, and normalised mutual information."""
    precision, recall, f1 = b_cubed(found, gold)
    return {"B-cubed P": precision, "B-cubed R": recall, "B-cubed F1": f1, "NMI": nmi(found, gold)}


def b_cubed(found: Labels, gold: Labels) -> tuple[float, float, float]:
    """Return precision, recall and F1 of a clustering, averaged over the items."""
    both = Counter((found[item], gold[item]) for item in gold)
    founds, golds = Counter(found[item] for item in gold), Counter(gold.values())
    # Of the items of one cell, each shares its found and its gold cluster with all of the cell.
    precision = sum(size * size / founds[cluster] for (cluster, _), size in both.items()) / len(gold)
    recall = sum(size * size / golds[cluster] for (_, cluster), size in both.items()) / len(gold)
    return precision, recall, 2 * precision * recall / (precision + recall)


def nmi(found: Labels, gold: Labels) -> float:
    """Return the mutual information of two clusterings, divided by the mean of their entropies."""
    items = len(gold)
    both = Counter((found[item], gold[item]) for item in gold)
    founds, golds = Counter(found[item] for item in gold), Counter(gold.values())
    shared = sum(
        size / items * math.log(size * items / (founds[cluster] * golds[project]))
        for (cluster, project), size in both.items()
    )
    mean_entropy = (_entropy(founds, items) + _entropy(golds, items)) / 2
    return shared / mean_entropy if mean_entropy else 1.0


def _entropy(sizes: Counter[Hashable], items: int) -> float:
    return -sum(size / items * math.log(size / items) for size in sizes.values())


def _query_rows(memory: Memory, person: Projects) -> Iterator[Row]:
    sentences: dict[str, list[str]] = {}
    for turn in person.talk.turns:
        sentences.setdefault(person.session_of[turn.id], []).extend(long_sentences(turn.text))
    for query in person.queries:
        text = squashed(gather(memory, query.text))
        found = [any(sentence in text for sentence in sentences.get(session, ())) for session in query.sessions]
        values: dict[str, float | None] = {"gold sessions in text": sum(found) / len(found), "all of them": all(found)}
        yield Row(QUERIES, query.kind, person.talk.name, values, query.text, is_totalled=True)


def long_sentences(text: str) -> Sequence[str]:
    """Return the sentences of a text that are long enough to tell a session, squashed."""
    return [s for part in _SENTENCE_END.split(text) if len(s := squashed(part)) >= _SHORTEST_SENTENCE]


def measure_interest(open_memory: OpenMemory, folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Ask about one project for ten days, then about another and a third; look at the hottest segments each time.

    A segment was asked about when it holds most of a session that a question of these days needs. Of the five hottest
    those count that may be right: where questions needed three segments, the three hottest. The same is said of the
    segments before the first question, and of the share of questions whose segments are among the five hottest.
    """
    for person in tqdm(read_projects(folder, limit), desc="interest", unit="person"):
        with closing(open_memory(person.talk)) as memory:
            fill(memory, person.talk)
            segment_of = {turn: number for number, turns in enumerate(memory.segments()) for turn in turns}
            at_first = _hottest(memory, segment_of)
            for project, queries in _by_project(person)[:_PROJECTS]:
                asked: Counter[int] = Counter()
                for number in range(_DAYS * _QUESTIONS):
                    query = queries[number % len(queries)]
                    gather(memory, query.text)
                    asked.update(_needed(person, query, segment_of))
                    memory.wait(timedelta(days=1) / _QUESTIONS)
                if asked:
                    yield Row(
                        INTEREST, "the memory", person.talk.name, _met(_hottest(memory, segment_of), asked), project
                    )
                    yield Row(INTEREST, "reference: unasked", person.talk.name, _met(at_first, asked), project)


def _by_project(person: Projects) -> list[tuple[str, list[Query]]]:
    """Return the queries of each project, that with most queries first."""
    project_of = {person.session_of[turn]: project for turn, project in person.project_of.items()}
    found: dict[str, list[Query]] = {}
    for query in person.queries:
        projects = Counter(project_of[session] for session in query.sessions if session in project_of)
        if projects:
            found.setdefault(projects.most_common(1)[0][0], []).append(query)
    return sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def _needed(person: Projects, query: Query, segment_of: Mapping[str, int]) -> Iterator[int]:
    """Yield the segment that holds most of each session that a query needs."""
    for session in query.sessions:
        turns = (turn for turn, home in person.session_of.items() if home == session)
        places = Counter(segment_of[turn] for turn in turns if turn in segment_of)
        if places:
            yield places.most_common(1)[0][0]


def _hottest(memory: Memory, segment_of: Mapping[str, int]) -> list[int]:
    return [segment_of[turns[0]] for turns in memory.hottest(_HOTTEST) if turns]


def _met(hottest: Sequence[int], asked: Counter[int]) -> dict[str, float | None]:
    most = min(_HOTTEST, len(asked))
    return {
        "hottest asked about": sum(segment in asked for segment in hottest[:most]) / most,
        "questions in the hottest": sum(asked[segment] for segment in hottest) / asked.total(),
    }
