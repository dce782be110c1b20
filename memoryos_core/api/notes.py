"""The notes of an application: values under its own names, apart from the conversation (ADR 0007)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.api.access import Gate, require_role
from memoryos_core.api.engine import Engine
from memoryos_core.api.governance import tell
from memoryos_core.config.validation import brief
from memoryos_core.errors import ConflictError, EmbedderMismatchError, InvalidInputError, ModelError, NotFoundError
from memoryos_core.ports.capabilities import NoteStore, capability
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.recall.index.lexical import BM25Index
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.ranking.questions import clean
from memoryos_core.rules.ranking.relevance import asks_nothing, match, relevance, without_idle_words
from memoryos_core.rules.ranking.signals import rank
from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Hit, Scope, Vector
from memoryos_core.values.facts import About, Fact
from memoryos_core.values.notes import Note, NoteWrite
from memoryos_core.values.queries import Candidates

logger = logging.getLogger(__name__)

_NOTES_A_BATCH = 128
# Letters and marks of which nothing is seen; control characters are not among them, since a file may hold those.
_UNSEEN = regex("[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u2800\u3164\ufeff\uffa0]")
_Scores: TypeAlias = NDArray[np.float64]
_Listed: TypeAlias = list[Note]  # inside the class, `list` is a verb


class Notes:
    """Values under names, for one user with one assistant. Recall leaves them alone.

    So does the forgetting of pages, but for a note with a `fact_id`: it goes when that fact is erased.
    A namespace is a tuple of labels; the value is JSON text of the application's, never looked into. Every verb may
    raise InvalidInputError, StoreError, and ClosedError after the memory was closed.

    Examples:
        >>> from memoryos_core import MemoryOS, NoteWrite
        >>> with MemoryOS("sqlite://", embedder=None) as memory:
        ...     notes = memory.user("ada").notes
        ...     notes.write([NoteWrite(("prefs", "ui"), "theme", '"dark"', text="likes dark colours")])
        ...     [note.key for note, score in notes.search(("prefs",), "Which colours?")]
        ['theme']
    """

    def __init__(self, engine: Callable[[], Engine], scope: Scope, actor: str | None = None) -> None:
        self._open = engine
        self.scope = scope
        self.gate = Gate(engine, scope, actor)

    @property
    def supported(self) -> bool:
        """Return whether the store keeps notes; in one that does not, every verb raises UnsupportedError."""
        return isinstance(self._open().parts.store, NoteStore)

    @require_role
    def write(self, changes: Sequence[NoteWrite]) -> None:
        """Put and delete notes in one transaction, durable when this returns; the last change of a name wins.

        Texts are embedded when the embedder knows meaning. If it fails the notes are kept, found by their words.
        """
        found = tuple(map(_change, _several(changes)))
        if found:
            engine = self._open()
            parts, prepared = engine.parts, _with_vectors(engine, found)
            _store(engine).write_notes(self.scope, prepared, parts.clock(), embedder=parts.embedder.name)

    @require_role
    def get(self, namespace: Sequence[str], key: str) -> Note | None:
        """The note of a name, or None."""
        labels, name = _labels(namespace), accepting.identifier("key", key)
        return next(iter(_store(self._open()).notes(self.scope, labels, key=name)), None)

    @require_role
    def search(self, prefix: Sequence[str], query: str, *, min_score: float = 0.0) -> list[tuple[Note, float]]:
        """Return the notes under a prefix that answer a query, each with its relevance, best first.

        They are ranked like facts, by words and, where the embedder knows it, by meaning, and their relevance, 0 to 1,
        is on the scale of a `Hit.score`; `min_score` leaves out what is less relevant. A note without a text, or with
        neither a shared word nor a vector, is not found.
        """
        labels, question = _labels(prefix), clean(accepting.text("query", query))
        least = accepting.share("min_score", min_score)
        engine = self._open()
        if not question:
            return []
        config, semantic = engine.parts.config.recall, engine.parts.embedder.semantic
        found = _store(engine).notes(self.scope, labels, vectors=semantic and config.dense > 0)
        if not (texts := [note for note in found if note.text.strip()]):
            return []
        candidates = _candidates(texts, question, _meaning(engine, texts, question))
        now = engine.parts.clock()
        ranking = rank(candidates, question, find_dates(question, now), now.timestamp(), config)
        scores = relevance(ranking.judged, match(candidates, question), range(len(texts)))
        scores *= not asks_nothing(question)
        best_first = [int(i) for i in ranking.order]
        matched = [i for i in best_first if candidates.lexical[i] > 0 or np.isfinite(candidates.dense[i])]
        return [(replace(texts[i], vector=None), float(scores[i])) for i in matched if scores[i] >= least]

    @require_role
    def namespaces(self) -> list[tuple[str, ...]]:
        """Every namespace that holds a note, sorted."""
        return list(_store(self._open()).note_namespaces(self.scope))

    @require_role
    def list(self, prefix: Sequence[str] = ()) -> _Listed:
        """Every note under a prefix of whole labels, the last updated first; those of one write in its order."""
        return [*_store(self._open()).notes(self.scope, _labels(prefix))]

    @require_role
    def of_facts(self, fact_ids: Sequence[str]) -> _Listed:
        """Every note that belongs to one of these facts, in the order they were written."""
        return [*_store(self._open()).notes_of(self.scope, accepting.ids("fact_ids", fact_ids))]


def store_told_fact(engine: Engine, scope: Scope, said: tuple[str, About], replaces: str | None, note: object) -> Fact:
    """Store a fact that was told on purpose, with its note. Raises ConflictError."""
    text, about = said
    if not _UNSEEN.sub("", accepting.text("text", text)).strip():
        raise InvalidInputError(
            "there is nothing to remember: text= is empty, white space or invisible; pass a statement"
        )
    side = accepting.side("about", about)
    return tell(engine, scope, (text.strip(), side), replaces, _with_vectors(engine, note_changes(engine, note)))


def correct_fact(engine: Engine, scope: Scope, wrong: Hit | Fact | str, text: str, note: object) -> Fact:
    """Store a fact in place of a known one; see `UserMemory.correct`."""
    fact_id = accepting.fact_id("fact_id", wrong)
    known = engine.parts.store.facts(scope, ids=[fact_id])
    with suppress(ConflictError):  # it was current a moment ago
        if known:
            return store_told_fact(engine, scope, (text, known[0].about), fact_id, note)
    raise NotFoundError(f"no current fact has the id {brief(fact_id)}; facts() lists those that can be corrected")


def note_changes(engine: Engine, note: object) -> tuple[NoteWrite, ...]:
    """Return one optional note as a tuple of changes. Raises InvalidInputError, and UnsupportedError for a note."""
    if note is None:
        return ()
    _store(engine)
    return (_change(note),)


def note_for_fact(note: object, fact_id: str) -> NoteWrite:
    """Return the note with the id of its fact. Raises InvalidInputError."""
    return replace(_change(note), fact_id=fact_id)


def embed_missing(engine: Engine, scope: Scope) -> int:
    """Embed the notes with a text and without a vector; says how many. Raises ModelError, EmbedderMismatchError."""
    store = engine.parts.store
    if not (engine.parts.embedder.semantic and isinstance(store, NoteStore)):
        return 0
    found = store.notes(scope, vectors=True)
    missing = [note for note in found if note.text.strip() and note.vector is None]
    for start in range(0, len(missing), _NOTES_A_BATCH):
        some = missing[start : start + _NOTES_A_BATCH]
        vectors = _embed_texts(engine, [note.text for note in some])
        embedded = [replace(note, vector=vector) for note, vector in zip(some, vectors, strict=True)]
        store.save_note_vectors(scope, embedded, embedder=engine.parts.embedder.name)
    return len(missing)


def _several(changes: object) -> Sequence[object]:
    if isinstance(changes, (str, bytes, NoteWrite)) or not isinstance(changes, Sequence):
        raise InvalidInputError(f"changes must be a list or tuple of NoteWrite, not {type(changes).__name__}")
    return cast("Sequence[object]", changes)


def _change(given: object) -> NoteWrite:
    if not isinstance(given, NoteWrite):
        raise InvalidInputError(f"changes must be NoteWrite values, not {type(given).__name__}")
    if given.value is not None:
        accepting.text("a note's value", given.value)
    text, key = accepting.text("a note's text", given.text), accepting.identifier("a note's key", given.key)
    fact_id = None if given.fact_id is None else accepting.identifier("a note's fact_id", given.fact_id)
    return NoteWrite(_labels(given.namespace), key, given.value, text, fact_id=fact_id)


def _with_vectors(engine: Engine, changes: Sequence[NoteWrite]) -> tuple[NoteWrite, ...]:
    """The last change of each name, with the vector of its text."""
    last: dict[tuple[tuple[str, ...], str], NoteWrite] = {}
    for change in changes:
        last.pop((change.namespace, change.key), None)  # its place is that of the last change
        last[change.namespace, change.key] = change
    said = [name for name, c in last.items() if c.value is not None and c.text.strip()]
    for name, vector in zip(said, _embed_or_skip(engine, [last[name].text for name in said]), strict=False):
        last[name] = replace(last[name], vector=vector)
    return tuple(last.values())


def _labels(namespace: object) -> tuple[str, ...]:
    # In Python a str is a sequence of str too; as a namespace it is a mistake.
    if not isinstance(namespace, (tuple, list)):
        raise InvalidInputError(f"a namespace must be a tuple of labels, not {type(namespace).__name__}")
    return tuple(accepting.identifier("a label", label) for label in cast("Sequence[object]", namespace))


def _embed_texts(engine: Engine, texts: Sequence[str]) -> Sequence[Vector]:
    engine.agree_on_embedder()
    with ForeignErrors("the embedder"):
        return [vector for _, vector in zip(texts, engine.parts.embedder.embed_documents(texts), strict=True)]


def _embed_or_skip(engine: Engine, texts: Sequence[str]) -> Sequence[Vector]:
    """Return a vector for each text; () while no embedder that knows meaning is available."""
    if not texts or not engine.parts.embedder.semantic:
        return ()
    try:
        return _embed_texts(engine, texts)
    except (ModelError, EmbedderMismatchError) as error:
        logger.warning(
            "%d notes are stored without a vector for now, and found by their words: %s",
            len(texts),
            type(error).__name__,
        )
        return ()


def _candidates(notes: Sequence[Note], question: str, cosines: _Scores) -> Candidates:
    """Return the notes as the ranking has facts, in their order."""
    index = BM25Index()
    for i, note in enumerate(notes):
        index.add(i, note.text)
    count = len(notes)
    known = cosines[np.isfinite(cosines)]
    found = Candidates(
        owners=tuple(str(i) for i in range(count)),
        parts=("fact",) * count,
        sessions=("",) * count,
        segments=(None,) * count,
        speakers=(None,) * count,
        seqs=np.arange(count, dtype=np.int64),
        times=np.array([note.updated_at.timestamp() for note in notes], dtype=np.float64),
        lexical=index.scores(question),
        dense=cosines.astype(np.float32),
        coverage=index.coverage(question),
        dense_mean=float(known.mean()) if len(known) else 0.0,
        dense_spread=float(known.std()) if len(known) else 0.0,
    )
    return without_idle_words(found)


def _meaning(engine: Engine, notes: Sequence[Note], question: str) -> _Scores:
    """Cosine with the question; nan where there is no vector to compare, shape (n,)."""
    cosines = np.full(len(notes), np.nan)
    if not any(note.vector is not None for note in notes):
        return cosines
    try:
        engine.agree_on_embedder(to_write=False)
        with ForeignErrors("the embedder"):
            asked = engine.parts.embedder.embed_query(question)
    except (ModelError, EmbedderMismatchError) as error:
        logger.warning("notes are searched by words only: %s", type(error).__name__)
        return cosines
    for i, note in enumerate(notes):
        # Another process may have put vectors of another embedder there since the notes were read.
        if note.vector is not None and note.vector.shape == asked.shape:
            lengths = float(np.linalg.norm(note.vector)) * float(np.linalg.norm(asked))
            cosines[i] = float(note.vector @ asked) / max(lengths, 1e-9)
    return cosines


def _store(engine: Engine) -> NoteStore:
    return capability(engine.parts.store, NoteStore)
