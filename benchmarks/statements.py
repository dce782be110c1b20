"""Statements that a memory should hold as facts, and facts that no statement supports.

A fact holds a statement when they share enough word stems. The facts that are no longer current count too; another
figure says how often one of the facts that hold a statement is current.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tqdm.auto import tqdm

from benchmarks.asking import fill
from benchmarks.knowledge_gold import StatedTalk, Statement, read_observations, read_statements
from benchmarks.knowledge_memory import KnownFact, OpenMemory
from benchmarks.knowledge_tables import Row
from benchmarks.knowledge_text import stems

HELD_IN_BEAM = "held: BEAM statements, containment of at least 0.6"
HELD_IN_LOCOMO = "held: LoCoMo observations, F1 of at least 0.5"
PRECISION = "precision of facts"
_CONTAINED = 0.6
_SIMILAR = 0.5
_SUPPORTED = 0.5

Stems = frozenset[str]
FactStems = Sequence[tuple[Stems, KnownFact]]


def containment(statement: Stems, fact: Stems) -> float:
    """Return the share of the statement's stems that the fact has."""
    return len(statement & fact) / len(statement)


def similarity(statement: Stems, fact: Stems) -> float:
    """Return the F1 of the two sets of stems."""
    return 2 * len(statement & fact) / (len(statement) + len(fact))


def held_by(
    statement: Statement, facts: FactStems, score: Callable[[Stems, Stems], float], least: float
) -> dict[str, float | None]:
    """Return whether a fact holds the statement, whether one of those cites its turn, and whether one is current."""
    wanted = stems(statement.text)
    holding = [fact for words, fact in facts if words and wanted and score(wanted, words) >= least]
    return {
        "held": bool(holding),
        "cites": any(fact.sources & statement.turns for fact in holding),
        "current": any(fact.current for fact in holding),
    }


def measure_statements(
    open_memory: OpenMemory, folder: Path, limit: int | None = None, pages: int | None = None
) -> Iterator[Row]:
    """Put in each conversation of BEAM and LoCoMo, and look for its gold statements among the facts.

    With `pages` each ends after so many pages, and what it states later is not asked for.
    """
    for stated in tqdm(_cut(read_statements(folder, limit), pages), desc="held: BEAM", unit="conversation"):
        facts = _facts(open_memory, stated)
        yield from _statement_rows(HELD_IN_BEAM, stated, [(stems(f.text), f) for f in facts], containment, _CONTAINED)
        yield from _precision_rows("BEAM", stated, facts)
    for stated in tqdm(_cut(read_observations(folder, limit), pages), desc="held: LoCoMo", unit="conversation"):
        facts = _facts(open_memory, stated)
        # Observations name their speaker, facts need not.
        named = [(stems(f.text) | stems(f.about), f) for f in facts]
        yield from _statement_rows(HELD_IN_LOCOMO, stated, named, similarity, _SIMILAR, is_totalled=True)
        yield from _precision_rows("LoCoMo", stated, facts)


def _cut(stated: Sequence[StatedTalk], pages: int | None) -> list[StatedTalk]:
    return [_beginning(one, pages) for one in stated] if pages is not None else list(stated)


def _beginning(stated: StatedTalk, pages: int) -> StatedTalk:
    """Return the first pages of a conversation with what is stated in them alone."""
    kept = {turn.id for page in stated.talk.pages[:pages] for turn in page}
    sessions = (tuple(turn for turn in session if turn.id in kept) for session in stated.talk.sessions)
    talk = replace(stated.talk, sessions=tuple(session for session in sessions if session))
    return StatedTalk(talk, tuple(s for s in stated.statements if s.turns and s.turns <= kept))


def _facts(open_memory: OpenMemory, stated: StatedTalk) -> list[KnownFact]:
    with closing(open_memory(stated.talk)) as memory:
        fill(memory, stated.talk)
        return memory.facts()


def _statement_rows(
    table: str,
    stated: StatedTalk,
    facts: FactStems,
    score: Callable[[Stems, Stems], float],
    least: float,
    *,
    is_totalled: bool = False,
) -> Iterator[Row]:
    for statement in stated.statements:
        values = held_by(statement, facts, score, least)
        yield Row(table, statement.group, stated.talk.name, values, statement.text, is_totalled)


def _precision_rows(group: str, stated: StatedTalk, facts: Sequence[KnownFact]) -> Iterator[Row]:
    """Yield for each fact whether some statement has half of its stems."""
    gold = [stems(statement.text) for statement in stated.statements]
    for fact in facts:
        words = stems(fact.text)
        supported = bool(words) and any(containment(words, statement) >= _SUPPORTED for statement in gold)
        values: dict[str, float | None] = {"precision": supported, "current": fact.current}
        yield Row(PRECISION, group, stated.talk.name, values, fact.text)
