"""The one statement by which PostgreSQL finds candidates: BM25 over windows, and inner products of vectors.

It reads rows of one scope only, so no user's scores depend on what another user stored. Its numbers are those of
`memoryos_core.indexes.lexical` and of `open_index`, and a test holds the two equal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, TypeAlias

from sqlalchemy import BigInteger, BindParameter, Float, String, Text, bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import TextualSelect

from memoryos_core.stores.sql.schema import pages
from memoryos_core.stores.sql.schema_search import units

By: TypeAlias = Literal["words", "exact", "near"]
"""What finds: words alone, words and every vector, or words and an approximate index of vectors."""

MOST_TERMS = 128
SAMPLE = 1024
_K1, _B, _LONGEST_NEAR = 1.2, 0.9, 40

# What is joined by LATERAL is looked up, a few hundred rows; all else is hashed. `searching.py` forbids nested loops,
# which a planner without statistics, or with those of smaller scopes, would take for everything.
# `place` tells what stands next to a unit: one more or less in its session, of which no other comes near. It is packed
# with what the unit lends, below 128, so that a pass over the scope carries one number for each neighbour.
_WORDS = f"""
packed AS (
    SELECT unit, place, length, (place << 7) | least(length, {_LONGEST_NEAR}) AS lent
    FROM memoryos_units WHERE scope = :of AND unit <> 0 OFFSET 0
), beside AS (
    SELECT unit, place, length, lag(lent) OVER nearby AS back, lag(lent, 2) OVER nearby AS back_two,
        lead(lent) OVER nearby AS on_one, lead(lent, 2) OVER nearby AS on_two
    FROM packed WINDOW nearby AS (ORDER BY place)
), sized AS MATERIALIZED (
    SELECT unit, place, length + :window * (
            CASE WHEN back >> 7 = place - 1 THEN back & 127 ELSE 0 END
            + CASE WHEN on_one >> 7 = place + 1 THEN on_one & 127 ELSE 0 END
        )::float8 + :window * :window * (
            CASE WHEN back_two >> 7 = place - 2 THEN back_two & 127 ELSE 0 END
            + CASE WHEN on_two >> 7 = place + 2 THEN on_two & 127 ELSE 0 END
        )::float8 AS size, least(1, {_LONGEST_NEAR}::float8 / greatest(length, 1)) AS share
    FROM beside
), whole AS MATERIALIZED (
    SELECT count(*)::float8 AS units, greatest(avg(size), 1e-9) AS mean FROM sized
), heard AS MATERIALIZED (
    SELECT a.term, a.number, (
        SELECT count(*)::float8 FROM memoryos_postings p WHERE p.scope = :of AND p.term = a.term
    ) AS df FROM unnest(:terms) WITH ORDINALITY AS a (term, number)
), asked AS MATERIALIZED (
    SELECT term, ln(1 + (whole.units - df + 0.5) / (df + 0.5)) AS idf,
        row_number() OVER (ORDER BY df, number) <= {MOST_TERMS} AS counts
    FROM heard CROSS JOIN whole
), posted AS MATERIALIZED (
    SELECT p.term, s.unit, s.place, p.count::float8 AS said, p.count * s.share AS lent
    FROM memoryos_postings p JOIN sized s ON s.unit = p.unit WHERE p.scope = :of AND p.term = ANY(:terms)
), said AS (
    SELECT term, place, sum(said) AS said FROM (
        SELECT term, place, said FROM posted
        UNION ALL
        SELECT term, place + step, lent * weight FROM posted, (VALUES
            (-2, :window * :window), (-1, :window), (1, :window), (2, :window * :window)) AS near (step, weight)
    ) AS amounts GROUP BY term, place
), held AS MATERIALIZED (
    SELECT w.term, w.said, s.unit, s.size FROM said w JOIN sized s USING (place) WHERE w.said > 0
), weighed AS (
    SELECT h.term, ln(1 + (max(w.units) - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) AS idf
    FROM held h JOIN asked a ON a.term = h.term AND a.counts CROSS JOIN whole w GROUP BY h.term
), lexical AS MATERIALIZED (
    SELECT h.unit, sum(w.idf * {_K1 + 1} * h.said / (h.said + {_K1} * ({1 - _B} + {_B} / whole.mean * h.size))) AS score
    FROM held h JOIN weighed w USING (term) CROSS JOIN whole GROUP BY h.unit
), covered AS (
    SELECT p.unit, least(1, sum(a.idf) / (SELECT sum(idf) FROM asked)) AS share
    FROM posted p JOIN asked a USING (term) GROUP BY p.unit
), by_words AS MATERIALIZED (
    SELECT unit FROM lexical WHERE score > 0 ORDER BY score DESC, unit LIMIT :k
)"""  # noqa: S608 - numbers of our own

_PRODUCT = "-(v.vector <#> CAST(:vector AS vector))"
_NO_DOTS = """
, dots AS (SELECT 0::bigint AS unit, 0::float8 AS dot WHERE false), by_vector AS (SELECT unit FROM dots),
moments AS MATERIALIZED (SELECT 0::float8 AS mean, 0::float8 AS spread)"""
_DOTS = f"""
, products AS MATERIALIZED (
    SELECT v.owner_id, v.part, {_PRODUCT} AS dot FROM memoryos_vectors v
    WHERE v.scope = :of AND vector_dims(v.vector) = {{dimension}}
), dots AS MATERIALIZED (
    SELECT u.unit, p.dot FROM products p
    JOIN memoryos_units u ON u.scope = :of AND u.owner_id = p.owner_id AND u.part = p.part
), by_vector AS MATERIALIZED (
    SELECT unit FROM dots ORDER BY dot DESC, unit LIMIT :k
), moments AS MATERIALIZED (
    SELECT coalesce(avg(dot), 0) AS mean, coalesce(stddev_pop(dot), 0) AS spread FROM dots
)"""  # noqa: S608
# The ids of owners are random, so the first of them are as good as drawn by lot.
_NEAR = """
, nearest AS MATERIALIZED (
    SELECT owner_id, part FROM memoryos_vectors
    WHERE scope = :of AND vector_dims(vector) = {dimension}
    ORDER BY vector::vector({dimension}) <#> CAST(:vector AS vector({dimension})) LIMIT :k
), by_vector AS MATERIALIZED (
    SELECT u.unit FROM nearest n JOIN LATERAL (
        SELECT unit FROM memoryos_units WHERE scope = :of AND owner_id = n.owner_id AND part = n.part OFFSET 0
    ) u ON true
), dots AS MATERIALIZED (
    SELECT found.unit, v.dot FROM (SELECT unit FROM by_words UNION SELECT unit FROM by_vector) AS found
    JOIN LATERAL (SELECT * FROM memoryos_units WHERE scope = :of AND unit = found.unit OFFSET 0) u ON true
    JOIN LATERAL (
        SELECT {product} AS dot FROM memoryos_vectors v WHERE v.scope = :of AND v.owner_id = u.owner_id
            AND v.part = u.part AND vector_dims(v.vector) = {dimension} OFFSET 0
    ) v ON true
), moments AS MATERIALIZED (
    SELECT coalesce(avg(dot), 0) AS mean, coalesce(stddev_pop(dot), 0) AS spread FROM (
        SELECT {product} AS dot FROM memoryos_vectors v
        WHERE v.scope = :of AND vector_dims(v.vector) = {dimension} ORDER BY v.owner_id, v.part LIMIT {sample}
    ) AS sample
)"""
_FOUND = """
, found AS MATERIALIZED (
    SELECT unit, coalesce(l.score, 0) AS lexical, d.dot, coalesce(c.share, 0) AS coverage
    FROM (SELECT unit FROM by_words UNION SELECT unit FROM by_vector) AS either
    LEFT JOIN lexical l USING (unit) LEFT JOIN covered c USING (unit) LEFT JOIN dots d USING (unit)
)
SELECT u.unit, u.owner_id, u.part, u.session_id, u.speaker, p.segment_id,
    coalesce(p.timestamp, f.event_time, f.valid_from) AS moment, found.lexical, found.dot, found.coverage,
    m.mean, m.spread
FROM found
JOIN LATERAL (SELECT * FROM memoryos_units WHERE scope = :of AND unit = found.unit OFFSET 0) u ON true
LEFT JOIN LATERAL (
    SELECT segment_id, timestamp FROM memoryos_pages WHERE u.unit > 0 AND scope = :of AND id = u.owner_id OFFSET 0
) p ON true
LEFT JOIN LATERAL (
    SELECT event_time, valid_from FROM memoryos_facts WHERE u.unit < 0 AND scope = :of AND id = u.owner_id OFFSET 0
) f ON true
CROSS JOIN moments m
ORDER BY moment, greatest(u.unit, -1), u.unit DESC
"""


@lru_cache(maxsize=16)
def statement(by: By, dimension: int = 0) -> TextualSelect:
    """The statement; it binds of, terms, window and k, and with vectors `vector`, of `dimension` numbers."""
    vectors = {"words": _NO_DOTS, "exact": _DOTS, "near": _NEAR}[by]
    numbers = {"dimension": int(dimension), "product": _PRODUCT, "sample": SAMPLE}
    found = text(f"WITH {_WORDS}{vectors.format(**numbers)}{_FOUND}")
    bound: list[BindParameter[Any]] = [
        bindparam("of", type_=String()),
        bindparam("terms", type_=ARRAY(BigInteger())),
        bindparam("window", type_=Float()),
        bindparam("k", type_=BigInteger()),
    ]
    if by != "words":
        bound += [bindparam("vector", type_=Text())]
    types: dict[str, Any] = {
        "unit": BigInteger(),
        "owner_id": units.c.owner_id.type,
        "part": units.c.part.type,
        "session_id": units.c.session_id.type,
        "speaker": units.c.speaker.type,
        "segment_id": pages.c.segment_id.type,
        "moment": BigInteger(),
        "lexical": Float(),
        "dot": Float(),
        "coverage": Float(),
        "mean": Float(),
        "spread": Float(),
    }
    return found.bindparams(*bound).columns(**types)
