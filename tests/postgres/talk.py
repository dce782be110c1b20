"""Conversations made by lot, and what a database ranks them by."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from sqlalchemy import select

from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.tables import postings, units
from memoryos_core.testing.store_samples import ALICE, T0
from memoryos_core.values.commands import Append, NewPage
from memoryos_core.values.dialogue import Message, Page, Scope

WORDS = (  # noqa: SIM905
    "tram lens boat camera river dog cat hiking dinner piano violin garden summer winter school 京都 电车 Kiosk "
    "was the and with my it is so market lighthouse bread O'Brien naïve harbour rope kettle"
).split()


def say(lot: random.Random, most: int = 30) -> str:
    """Some words, common ones more often than rare ones."""
    return " ".join(lot.choices(WORDS, weights=[1 + 2 * (i % 7) for i in range(len(WORDS))], k=lot.randint(1, most)))


def talk(store: SqlStore, lot: random.Random, pages: int, *, scope: Scope = ALICE, sessions: int = 3) -> list[Page]:
    """Pages in sessions that take turns; some have one half, some an essay, some no word that counts."""
    out: list[Page] = []
    for number in range(pages):
        user = Message("user", say(lot, 120 if number % 9 == 4 else 30), lot.choice([None, "Ada"]))
        answer = Message("assistant", lot.choice([say(lot), say(lot), "the", ""]), lot.choice([None, "Bo"]))
        new = NewPage((user, answer)[: lot.randint(1, 2)], 10, open=False)
        at = T0 + timedelta(minutes=number)
        out += store.append(Append(scope, f"s{lot.randrange(sessions)}", (new,), at))
    return out


def rows(store: SqlStore, scope: Scope = ALICE) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Units, each with its rank in its session instead of its place, and postings."""
    with store._database.reading(scope) as connection:
        held = connection.execute(select(units).where(units.c.scope == scope.key).order_by(units.c.unit)).all()
        posted = connection.execute(select(postings).where(postings.c.scope == scope.key)).all()
    first: dict[str | None, int] = {}
    for row in held:
        first.setdefault(row.session_id, row.place)
    out: list[tuple[Any, ...]] = []
    for row in held:
        rank = row.place - first[row.session_id] if row.session_id else row.place
        out.append((row.unit, row.owner_id, row.part, row.length, row.session_id, row.speaker, rank))
    return out, sorted(tuple(row) for row in posted)
