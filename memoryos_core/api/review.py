"""Facts that are told on purpose or judged by a reviewer: filed without any page being read (ADR 0017)."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from dataclasses import replace

from memoryos_core.api.engine import Engine
from memoryos_core.errors import EmbedderMismatchError, ModelError, NotFoundError
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.rules.safety.poison import labels
from memoryos_core.values.commands import FactChange, Forgetting, Learning, Promotion, VectorRow
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Forgotten
from memoryos_core.values.facts import About, Fact
from memoryos_core.values.notes import NoteWrite
from memoryos_core.values.reports import ForgetReceipt

logger = logging.getLogger(__name__)


def tell(
    engine: Engine, scope: Scope, said: tuple[str, About], replaces: str | None, notes: Sequence[NoteWrite] = ()
) -> Fact:
    """File a fact that was told on purpose with its notes, in place of another one where `replaces` is its id.

    Secrets in it are redacted. What wants to steer the reader waits in quarantine, and replaces nothing until it is
    released: a model with a tool to remember by may have been talked into it. Raises ConflictError when the one to be
    replaced is no longer current.
    """
    now, (given, about) = engine.parts.clock(), said
    text = engine.redactor.text(given)
    suspicious = labels(text) if engine.parts.config.safety.quarantine else ()
    fact = Fact(uuid.uuid4().hex, about, text, learned_at=now, valid_from=now)
    if suspicious:
        fact = replace(fact, status="quarantined", labels=suspicious, superseded_by=replaces)
    changes = (FactChange(replaces, "superseded", now, fact.id),) if replaces and not suspicious else ()
    kept = tuple(replace(note, fact_id=fact.id) for note in notes)
    vectors = () if suspicious else vector_of(engine, fact)
    learning = Learning((fact,), vectors, changes, notes=kept, embedder=engine.parts.embedder.name)
    engine.parts.store.promote(Promotion(scope, learning, now, current=(replaces,) if replaces else ()))
    return fact


def facts_to_review(engine: Engine, scope: Scope, fact_ids: Sequence[str] | None = None) -> list[Fact]:
    """The facts that wait for review, oldest first: all, or these. Raises NotFoundError unless all of these wait."""
    known = engine.parts.store.facts(scope, ids=fact_ids, current=False)
    waiting = [fact for fact in known if fact.status == "quarantined"]
    if fact_ids is not None and len(waiting) < len(set(fact_ids)):
        raise NotFoundError(
            "some of these ids are not facts in quarantine; governance.quarantined() lists those that are"
        )
    return waiting


def release(engine: Engine, scope: Scope, fact_ids: Sequence[str]) -> list[Fact]:
    """Make facts in quarantine current; each takes the place of the one it was to replace, if that still holds.

    Raises NotFoundError as `quarantined`, ConflictError when one was released, erased or replaced meanwhile.
    """
    waiting = facts_to_review(engine, scope, fact_ids)
    store, now = engine.parts.store, engine.parts.clock()
    rivals = tuple(dict.fromkeys(fact.superseded_by for fact in waiting if fact.superseded_by))
    holding = {fact.id for fact in store.facts(scope, ids=rivals)}
    replaced = {f.superseded_by: f for f in waiting if f.superseded_by in holding and f.superseded_by}
    changes = [FactChange(fact.id, "current") for fact in waiting]
    changes += [FactChange(i, "superseded", f.valid_from, f.id) for i, f in replaced.items()]
    vectors = tuple(row for fact in waiting for row in vector_of(engine, fact))
    learning = Learning(vectors=vectors, changes=tuple(changes), embedder=engine.parts.embedder.name)
    ids = tuple(fact.id for fact in waiting)
    store.promote(Promotion(scope, learning, now, current=tuple(replaced), quarantined=ids))
    engine.worker.notify(scope)
    return list(store.facts(scope, ids=ids))


def reject(engine: Engine, scope: Scope, fact_ids: Sequence[str]) -> ForgetReceipt:
    """Erase facts in quarantine; the pages that they cite stay. Raises NotFoundError as `quarantined`."""
    waiting = facts_to_review(engine, scope, fact_ids)
    wanted = Forgetting(scope, fact_ids=tuple(fact.id for fact in waiting), at=engine.parts.clock())
    receipt = engine.parts.store.forget(wanted)
    engine.index.forget(scope)
    engine.emit(Forgotten(scope, receipt.pages, receipt.facts))
    return receipt


def vector_of(engine: Engine, fact: Fact) -> tuple[VectorRow, ...]:
    """Return the vector of a fact without a page; () while no embedder that knows meaning is available."""
    if not engine.parts.embedder.semantic:
        return ()
    try:
        engine.agree_on_embedder()
        with ForeignErrors("the embedder"):
            (vector,) = engine.parts.embedder.embed_documents([fact.text])
    except (ModelError, EmbedderMismatchError) as error:
        logger.warning("a fact is stored without a vector for now, and found by its words: %s", type(error).__name__)
        return ()
    return (VectorRow(fact.id, "fact", vector, embedder=engine.parts.embedder.name),)
