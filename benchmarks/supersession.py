"""Values that change: whether the current one comes first, and whether the old one is over.

"chatted" means said in a conversation. "told" means given by `remember`, so that nothing but supersession is measured.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from tqdm.auto import tqdm

from benchmarks.asking import fill, squashed
from benchmarks.knowledge_gold import Conflict, ConflictQuestion, Update, read_conflicts, read_updates
from benchmarks.knowledge_memory import KnownFact, Memory, OpenMemory, gather
from benchmarks.knowledge_tables import Row
from benchmarks.knowledge_text import is_marked, position
from benchmarks.talks import Talk, Turn

CHATTED, TOLD = "chatted", "told"
UPDATES, TRAPS, CONFLICTS = "updates", "traps", "conflicts"
_SMALL_BUDGET = 150
_FACTS_A_SESSION = 20
_FIRST_FACT = datetime.fromisoformat("2025-01-01")  # without a zone, as the turns of a file are

Values = dict[str, float | None]


def measure_updates(open_memory: OpenMemory, folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Ask for a value after it has changed, or seemed to change."""
    for update in tqdm(read_updates(folder, limit), desc="updates", unit="conversation"):
        with closing(open_memory(update.talk)) as memory:
            fill(memory, update.talk)
            yield _update_row(memory, update, CHATTED)
        with closing(open_memory(update.talk)) as memory:
            memory.remember(update.first)
            memory.remember(update.second)
            yield _update_row(memory, update, TOLD)


def _update_row(memory: Memory, update: Update, how: str) -> Row:
    text = gather(memory, update.question)
    facts = memory.facts()
    if update.is_trap:
        values, table = _trap_values(text, facts, update), TRAPS
    else:
        small = squashed(gather(memory, update.question, _SMALL_BUDGET))
        values, table = _update_values(text, small, facts, update), UPDATES
    return Row(f"{table}, {how}", update.kind, update.talk.name, values, text, is_totalled=not update.is_trap)


def _trap_values(text: str, facts: Collection[KnownFact], update: Update) -> Values:
    """Return the figures of a trap: neither the text nor the facts may say that the first value is over."""
    olds = _facts_with(facts, update.old)
    retired = bool(olds) and not any(fact.current for fact in olds)
    return {
        "first value in text": position(squashed(text), update.old) is not None,
        "first value a fact": bool(olds),
        "wrongly over": retired or is_marked(text, update.old),
    }


def _update_values(text: str, small: str, facts: Collection[KnownFact], update: Update) -> Values:
    old, new = (position(squashed(text), values) for values in (update.old, update.new))
    is_over = old is None or is_marked(text, update.old)
    olds, news = _facts_with(facts, update.old), _facts_with(facts, update.new)
    return {
        "new in text": new is not None,
        f"new in {_SMALL_BUDGET} tokens": position(small, update.new) is not None,
        "current value first": new is not None and (is_over or _comes_before(new, old)),
        "old absent or marked": new is not None and is_over,
        "new a current fact": any(fact.current for fact in news),
        "old a fact": bool(olds),
        "old still current": any(fact.current for fact in olds) if olds else None,
    }


def _facts_with(facts: Collection[KnownFact], values: Collection[str]) -> list[KnownFact]:
    return [fact for fact in facts if position(squashed(fact.text), values) is not None]


def _comes_before(one: int, other: int | None) -> bool:
    return other is None or one < other


def measure_conflicts(open_memory: OpenMemory, folder: Path, limit: int | None = None) -> Iterator[Row]:
    """Give facts that overwrite one another, and ask for the newest."""
    for conflict in tqdm(read_conflicts(folder, limit), desc="conflicts", unit="list"):
        talk = conflict_talk(conflict)
        for how in (TOLD, CHATTED):
            with closing(open_memory(talk)) as memory:
                if how == CHATTED:
                    fill(memory, talk)
                else:
                    for fact in conflict.facts:
                        memory.remember(fact)
                current = {squashed(fact.text) for fact in memory.facts() if fact.current}
                yield from _conflict_rows(memory, conflict, how, current if how == TOLD else ())


def conflict_talk(conflict: Conflict) -> Talk:
    """Return the facts as a conversation in which only the user speaks: one session a day, one fact a minute."""
    sessions: list[list[Turn]] = []
    for number, fact in enumerate(conflict.facts):
        day, minute = divmod(number, _FACTS_A_SESSION)
        if minute == 0:
            sessions.append([])
        when = _FIRST_FACT + timedelta(days=day, minutes=minute)
        sessions[-1].append(Turn(f"D{day + 1}:{minute}", "user", fact, day, when))
    return Talk(conflict.name, ("user", "assistant"), tuple(map(tuple, sessions)), ())


def _conflict_rows(memory: Memory, conflict: Conflict, how: str, current: Collection[str]) -> Iterator[Row]:
    for number, question in enumerate(conflict.questions):
        values = _conflict_values(gather(memory, question.text), question)
        if question.overwritten and current:
            values["old fact still current"] = any(squashed(fact) in current for fact in question.overwritten_facts)
        group = f"{conflict.name} {question.hops} hop, {how}"
        yield Row(CONFLICTS, group, f"{conflict.name}/{number}/{question.hops}", values, question.text)


def _conflict_values(raw: str, question: ConflictQuestion) -> Values:
    """Return the figures of one question; most have a value only where an older fact was overwritten."""
    text = squashed(raw)
    answer = position(text, question.answers)
    values: Values = {"answer in text": answer is not None}
    if not question.overwritten:
        return values
    newest = None if question.newest is None else position(text, [question.newest])
    older = position(text, question.overwritten_facts)
    is_over = older is None or is_marked(raw, question.overwritten_facts)
    return values | {
        "answer before overwritten": answer is not None and _comes_before(answer, position(text, question.overwritten)),
        "newest fact in text": newest is not None,
        "newest fact first": newest is not None and (is_over or _comes_before(newest, older)),
        "old fact absent or marked": newest is not None and is_over,
    }
