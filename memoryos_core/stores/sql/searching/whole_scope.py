"""Ranking of a whole scope in PostgreSQL: BM25 over all its windows, and inner products of all its vectors.

Its numbers are those of `memoryos_core.recall.index.lexical` and of `open_index`, and a test holds the two equal.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

By: TypeAlias = Literal["words", "exact", "near"]
"""Ways to find: words only, words and all vectors, or words and an approximate index of vectors."""

MOST_TERMS = 128
K1, B, LONGEST_NEAR = 1.2, 0.9, 40
PRODUCT = "-(v.vector <#> CAST(:vector AS vector))"
# Order of equal scores: facts as they were learnt, then halves of pages as they were said.
IN_SEQUENCE = "greatest(unit, -1), unit DESC"
# Sums are rounded to float32 and added in order, so that the result does not depend on the server's plan.
MOMENTS = "coalesce(avg(dot), 0) AS mean, coalesce(stddev_pop(dot), 0) AS spread"

# What is joined by LATERAL is looked up, a few hundred rows; all else is hashed. `candidates.py` forbids nested loops,
# which a planner without statistics, or with those of smaller scopes, would take for everything.
# `place` tells what stands next to a unit: one more or less in its session, of which no other comes near. It is packed
# with what the unit lends, below 128, so that a pass over the scope carries one number for each neighbour.
_WORDS = f"""
packed AS (
    SELECT unit, place, length, (place << 7) | least(length, {LONGEST_NEAR}) AS lent
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
        )::float8 AS size, least(1, {LONGEST_NEAR}::float8 / greatest(length, 1)) AS share
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
    SELECT h.unit, sum(
        w.idf * {K1 + 1} * h.said / (h.said + {K1} * ({1 - B} + {B} / whole.mean * h.size))
    )::real AS score
    FROM held h JOIN weighed w USING (term) CROSS JOIN whole GROUP BY h.unit
), covered AS (
    SELECT p.unit, least(1, sum(a.idf) / (SELECT sum(idf) FROM asked))::real AS share
    FROM posted p JOIN asked a USING (term) GROUP BY p.unit
), by_words AS MATERIALIZED (
    SELECT unit FROM lexical WHERE score > 0 ORDER BY score DESC, {IN_SEQUENCE} LIMIT :k
)"""  # noqa: S608 - numbers of our own

_NO_DOTS = """
, dots AS (SELECT 0::bigint AS unit, 0::float8 AS dot WHERE false), by_vector AS (SELECT unit FROM dots),
moments AS MATERIALIZED (SELECT 0::float8 AS mean, 0::float8 AS spread)"""
_DOTS = f"""
, products AS MATERIALIZED (
    SELECT v.owner_id, v.part, {PRODUCT} AS dot FROM memoryos_vectors v
    WHERE v.scope = :of AND vector_dims(v.vector) = {{dimension}}
), dots AS MATERIALIZED (
    SELECT u.unit, p.dot FROM products p
    JOIN memoryos_units u ON u.scope = :of AND u.owner_id = p.owner_id AND u.part = p.part
), by_vector AS MATERIALIZED (
    SELECT unit FROM dots ORDER BY dot DESC, {IN_SEQUENCE} LIMIT :k
), moments AS MATERIALIZED (
    SELECT {MOMENTS} FROM (SELECT dot FROM dots ORDER BY dot) AS every
)"""  # noqa: S608
_FOUND = """
, found AS MATERIALIZED (
    SELECT unit, coalesce(l.score, 0) AS lexical, d.dot, coalesce(c.share, 0) AS coverage
    FROM (SELECT unit FROM by_words UNION SELECT unit FROM by_vector) AS either
    LEFT JOIN lexical l USING (unit) LEFT JOIN covered c USING (unit) LEFT JOIN dots d USING (unit)
)"""


def ranked_whole(by: By, dimension: int) -> str:
    """The rows `found` and `moments`, for "words" and "exact"."""
    return _WORDS + (_NO_DOTS if by == "words" else _DOTS.format(dimension=dimension)) + _FOUND
