"""Search for candidates in the database: choice of the statement, and reading of its rows."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, Row, func, select, text

from memoryos_core.errors import StoreError
from memoryos_core.ports.capabilities import Analyse
from memoryos_core.stores.sql import postings as posting
from memoryos_core.stores.sql import vector_column as near
from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import advance
from memoryos_core.stores.sql.searching.short_list import By, statement
from memoryos_core.stores.sql.tables import facts, pages, units, vectors
from memoryos_core.stores.sql.vector_column import MOST_DIMENSIONS, to_text
from memoryos_core.stores.sql.writing import facts as known_facts
from memoryos_core.stores.sql.writing.pages import PAGE_COLUMNS, page_of
from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.queries import SEQ_SHIFT, Candidates

_log = logging.getLogger(__name__)

EXACT_UP_TO = 50_000
"""Up to this number, all vectors of a scope are compared; above it, an approximate index finds the nearest."""

WHOLE_UP_TO = 10_000
"""Up to this number, all units of a scope are ranked; above it, those with the rarest words or nearest vectors."""

MOST_POSTED = 5_000
"""Number of postings of the rarest words of a question that are read in a large scope."""

LEAST_SHARE = 0.02
"""A scope with a smaller share of all vectors has its own compared one by one, whatever their number."""

# pgvector's own limit of vectors per round.
_MOST_NEAR = 1000

# Settings before the query. Compiling a plan of this size costs more than it saves, a generic plan does not know how
# rare the words are, and a planner without statistics expects one row from every step.
_SETTINGS = text(
    "SELECT set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true), "
    "set_config('enable_nestloop', 'off', true), "
    "(SELECT dimension FROM memoryos_embedder), "
    "EXISTS (SELECT FROM memoryos_units WHERE scope = :of AND unit = :mark), "
    "EXISTS (SELECT FROM memoryos_units WHERE scope = :of OFFSET :whole)"
)
_IS_MARKED = text("SELECT EXISTS (SELECT FROM memoryos_units WHERE scope = :of AND unit = :mark)")
# While many pages wait for their vectors, an index would only slow down these inserts.
_SIZE = text(
    "SELECT (SELECT dimension FROM memoryos_embedder), "
    "EXISTS (SELECT FROM memoryos_pages WHERE scope = :of AND NOT embedded OFFSET 500), "
    "EXISTS (SELECT FROM memoryos_vectors WHERE scope = :of OFFSET :exact)"
)
_TABLE = text("SELECT reltuples, to_regclass(:name) IS NOT NULL FROM pg_class WHERE oid = 'memoryos_vectors'::regclass")
# Search in rounds until enough are found: vectors of other scopes may lie between.
_ITERATE = text(
    "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', :width, true), "
    "set_config('hnsw.max_scan_tuples', :most, true)"
)
_MOST_SCANNED = 200_000
# An ordered index returns the first rows without reading the rest.
_IN_ORDER = text("SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)")


class Searching:
    """Implements `ports.capabilities.SearchStore` for a SQL store."""

    _database: Database
    _analyst: posting.Analyst | None = None
    _exact_up_to = EXACT_UP_TO
    _whole_up_to = WHOLE_UP_TO
    _most_posted = MOST_POSTED

    def _search_with(self, analyse: Analyse | None) -> None:
        """Analyse new writes from now on, where the database ranks."""
        if analyse is not None and self._database.ranks:
            self._analyst = posting.Analyst(analyse, lambda: self._database.secret)
            self._database.write_with({posting.OPTION: self._analyst})

    @property
    def searches(self) -> bool:
        """True when the database finds candidates: on PostgreSQL, opened with an `Analyse`."""
        return self._analyst is not None

    def ranked(
        self,
        scope: Scope,
        terms: Mapping[str, float],
        vector: Vector | None,
        k: int,
        *,
        window: float,
        counted: Mapping[str, float] | None = None,
    ) -> Candidates:
        """The k best units by words and the k best by vector, oldest first.

        Each of the `terms` counts by its weight, and of these each of the `counted` by another one for the coverage.
        """
        if self._analyst is None:
            raise TypeError("this store cannot search: open it on PostgreSQL with `analyse`")
        hashed = self._analyst.hashes(scope, terms)
        covering = terms if counted is None else counted
        whole = [term for term, weight in covering.items() if weight == 1]
        while True:
            with self._database.reading(scope) as connection:
                named = {"of": scope.key, "mark": posting.UNREAD, "whole": self._whole_up_to}
                *_, dimension, unread, is_large = connection.execute(_SETTINGS, named).one()
                if not unread:
                    bound = {
                        "of": scope.key,
                        "terms": hashed,
                        "weights": list(terms.values()),
                        "covering": self._analyst.hashes(scope, covering),
                        "shares": list(covering.values()),
                        "counted": self._analyst.hashes(scope, whole),
                        "window": window,
                        "k": k,
                    }
                    short = is_large and k <= _MOST_NEAR
                    if short:
                        bound["posted"] = self._most_posted
                        connection.execute(_IN_ORDER)
                    usable = _usable(vector, dimension)
                    if usable is None:
                        return _candidates(connection.execute(statement("words", short=short), bound).all())
                    by = self._by(connection, scope, len(usable), k) if short else "exact"
                    bound["vector"] = to_text(usable)
                    return _candidates(connection.execute(statement(by, len(usable), short=short), bound).all())
            self.analyse_again(scope)

    def _by(self, connection: Connection, scope: Scope, dimension: int, k: int) -> By:
        if dimension > MOST_DIMENSIONS:
            return "exact"
        counted = select(func.count()).select_from(vectors).where(vectors.c.scope == scope.key)
        held = connection.scalar(counted) or 0
        # The server's estimate of all rows is enough: among too many other vectors the index would stop too soon.
        everybody, made = connection.execute(_TABLE, {"name": near.INDEX}).one()
        if held <= self._exact_up_to or held < LEAST_SHARE * everybody or not made:
            return "exact"
        connection.execute(_ITERATE, {"width": str(k), "most": str(_MOST_SCANNED)})
        return "near"

    def _index_grown(self, scope: Scope) -> None:
        """Create an approximate index once a scope is too large to compare all vectors."""
        if self._analyst is None:
            return
        with self._database.reading(scope) as connection:
            asked = {"of": scope.key, "exact": self._exact_up_to}
            dimension, filling, is_large = connection.execute(_SIZE, asked).one()
            wanted = is_large and not filling
            if dimension is None or dimension > MOST_DIMENSIONS or not wanted or near.exists(connection):
                return
        try:
            self._database.outside(lambda engine: near.make_index(engine, dimension))
        except StoreError as error:
            _log.warning("the vector index could not be created, so all vectors are compared: %s", type(error).__name__)

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry."""
        wanted = select(units.c.speaker).where(units.c.scope == scope.key).distinct()
        with self._database.reading(scope) as connection:
            return frozenset(name for name in connection.scalars(wanted) if name and name.strip())

    def analyse_again(self, scope: Scope, *, if_marked: bool = False) -> None:
        """Make the scope's units and postings afresh; with `if_marked`, only where a write was not analysed."""
        if if_marked:
            with self._database.reading(scope) as connection:
                if not connection.scalar(_IS_MARKED, {"of": scope.key, "mark": posting.UNREAD}):
                    return
        with self._database.writing(scope) as connection:
            if advance(connection, scope, 0) is None:
                return
            posting.clear(connection, scope)
            of_pages = select(*PAGE_COLUMNS).where(pages.c.scope == scope.key).order_by(pages.c.seq)
            posting.put_pages(connection, scope, map(page_of, sound(connection, "page", PAGE_COLUMNS, of_pages)))
            wanted = select(*known_facts.COLUMNS).where(facts.c.scope == scope.key)
            rows = sound(connection, "fact", known_facts.COLUMNS, wanted)
            posting.put_facts(connection, scope, known_facts.built(connection, scope, rows))


def _usable(vector: Vector | None, dimension: int | None) -> Vector | None:
    if vector is None or not len(vector):
        return None
    if dimension is not None and len(vector) != dimension:
        _log.warning("the query vector has %d numbers, stored ones %d: searching by words only", len(vector), dimension)
        return None
    return vector


def _candidates(rows: Sequence[Row[tuple[object, ...]]]) -> Candidates:
    if not rows:
        nothing, none = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float64)
        return Candidates(
            owners=(),
            parts=(),
            sessions=(),
            segments=(),
            speakers=(),
            seqs=np.zeros(0, dtype=np.int64),
            times=none,
            lexical=nothing,
            dense=nothing,
            coverage=nothing,
        )
    unit, owner, part, session, speaker, segment, moment, lexical, dot, coverage, mean, spread = zip(*rows, strict=True)
    seqs = np.array(unit, dtype=np.int64)
    return Candidates(
        owners=owner,
        parts=part,
        sessions=tuple(name or "" for name in session),
        segments=segment,
        speakers=speaker,
        seqs=np.where(seqs > 0, seqs >> SEQ_SHIFT, -1),
        times=np.array(moment, dtype=np.float64) / 1e6,
        lexical=np.array(lexical, dtype=np.float32),
        dense=np.array(dot, dtype=np.float32),  # None is nan
        coverage=np.array(coverage, dtype=np.float32),
        dense_mean=float(mean[0]),
        dense_spread=float(spread[0]),
    )
