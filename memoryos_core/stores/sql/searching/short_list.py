"""Ranking of a large scope in PostgreSQL: the rarest words and nearest vectors give a short list, which is scored.

It reads a bounded number of rows for any scope. The number of units, their length, and the frequency of common words
are estimated from the latest units. Everything else is as in `whole_scope`, and a test holds the two side by side.

The one statement by which PostgreSQL finds candidates.

It reads rows of one scope only, so no user's scores depend on what another user stored.

Ranking of a whole scope in PostgreSQL: BM25 over all its windows, and inner products of all its vectors.

Its numbers are those of `memoryos_core.recall.index.lexical` and of `open_index`, and a test holds the two equal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, TypeAlias

from sqlalchemy import BigInteger, BindParameter, Float, String, Text, bindparam, text
from sqlalchemy.sql.selectable import TextualSelect

from memoryos_core.stores.sql.tables import pages, units

_READ = """
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
def statement(by: By, dimension: int = 0, *, short: bool = False) -> TextualSelect:
    """The statement; it binds of, terms, weights, covering, shares, counted, window, k, and `vector`.

    The short list also binds `posted`; "near" works only with the short list.
    """
    from sqlalchemy.dialects.postgresql import ARRAY  # noqa: PLC0415 - only PostgreSQL needs it

    ranked = ranked_short if short else ranked_whole
    found = text(f"WITH {ranked(by, int(dimension))}{_READ}")
    bound: list[BindParameter[Any]] = [
        bindparam("of", type_=String()),
        bindparam("terms", type_=ARRAY(BigInteger())),
        bindparam("weights", type_=ARRAY(Float())),
        bindparam("covering", type_=ARRAY(BigInteger())),
        bindparam("shares", type_=ARRAY(Float())),
        bindparam("counted", type_=ARRAY(BigInteger())),
        bindparam("window", type_=Float()),
        bindparam("k", type_=BigInteger()),
    ]
    if short:
        bound += [bindparam("posted", type_=BigInteger())]
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


By: TypeAlias = Literal["words", "exact", "near"]
"""Ways to find: words only, words and all vectors, or words and an approximate index of vectors."""

MOST_TERMS = 128
K1, B, LONGEST_NEAR = 1.2, 0.9, 40
PRODUCT = "-(v.vector <#> CAST(:vector AS vector))"
# Order of equal scores: facts as they were learnt, then passages of pages as they were said.
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
    SELECT a.term, a.weight, a.number, (
        SELECT count(*)::float8 FROM memoryos_postings p WHERE p.scope = :of AND p.term = a.term
    ) AS df FROM unnest(:terms, :weights) WITH ORDINALITY AS a (term, weight, number)
), asked AS MATERIALIZED (
    SELECT term, weight, ln(1 + (whole.units - df + 0.5) / (df + 0.5)) AS idf,
        row_number() OVER (ORDER BY weight DESC, df, number) <= {MOST_TERMS} AS counts
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
    SELECT h.term, max(a.weight) * ln(1 + (max(w.units) - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) AS idf
    FROM held h JOIN asked a ON a.term = h.term AND a.counts CROSS JOIN whole w GROUP BY h.term
), lexical AS MATERIALIZED (
    SELECT h.unit, sum(
        w.idf * {K1 + 1} * h.said / (h.said + {K1} * ({1 - B} + {B} / whole.mean * h.size))
    )::real AS score
    FROM held h JOIN weighed w USING (term) CROSS JOIN whole GROUP BY h.unit
), covered AS (
    SELECT p.unit,
        least(1, sum(c.share * a.idf) / (SELECT sum(idf) FROM asked WHERE term = ANY(:counted)))::real AS share
    FROM posted p JOIN asked a USING (term) JOIN unnest(:covering, :shares) AS c (term, share) USING (term)
    GROUP BY p.unit
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


SAMPLE = 1024
SPARE = 100

# `leads` is a word that is looked for: the rarest, until they have :posted postings, and of one word the latest so
# many (`latest`). The others count in what was found by these. A window's place without a unit is
# dropped in `sized`. Every LATERAL is a look-up by index.
_TERMS = f"""
newest AS MATERIALIZED (
    SELECT unit, length FROM memoryos_units WHERE scope = :of AND unit > 0 ORDER BY unit DESC LIMIT :posted
), bounds AS MATERIALIZED (
    SELECT max(unit) - (
        SELECT unit FROM memoryos_units WHERE scope = :of AND unit > 0 ORDER BY unit LIMIT 1
    ) + 1::float8 AS all_units, max(unit) AS last FROM newest
), totals AS MATERIALIZED (
    SELECT max(all_units) AS all_units, max(last) AS last, greatest(1, (
        SELECT count(*) FROM memoryos_units WHERE scope = :of AND unit < 0
    ) + coalesce(count(*) * max(all_units) / (max(last) - min(unit) + 1), 0)) AS units,
        coalesce(avg(length), 1) AS length, greatest(1e-9, coalesce(
            avg(length) + 2 * (:window + :window * :window) * avg(least(length, {LONGEST_NEAR})), 1
        ))::float8 AS mean
    FROM newest CROSS JOIN bounds
), latest AS MATERIALIZED (
    SELECT a.term, p.unit, p.count FROM unnest(:terms) AS a (term) JOIN LATERAL (
        SELECT unit, count FROM memoryos_postings
        WHERE scope = :of AND term = a.term ORDER BY unit DESC LIMIT :posted
    ) p ON true
), heard AS MATERIALIZED (
    SELECT term, least(max(units), CASE WHEN count(*) < :posted THEN count(*)
        ELSE coalesce(count(*) * max(all_units) / (max(last) - greatest(min(unit), 0) + 1), count(*)) END) AS df
    FROM latest CROSS JOIN totals GROUP BY term
), asked AS MATERIALIZED (
    SELECT term, weight, df, units, ln(1 + (units - df + 0.5) / (df + 0.5)) AS idf,
        row_number() OVER rarest <= {MOST_TERMS} AND df > 0 AS counts,
        sum(df) OVER rarest - df < :posted AND df > 0 AS leads
    FROM (
        SELECT a.term, a.weight, a.number, coalesce(df, 0)::float8 AS df
        FROM unnest(:terms, :weights) WITH ORDINALITY AS a (term, weight, number) LEFT JOIN heard USING (term)
    ) every CROSS JOIN totals WINDOW rarest AS (ORDER BY weight DESC, df, number)
), posted AS MATERIALIZED (
    SELECT a.term, p.unit, u.place, u.length, p.count::float8 AS said,
        p.count * least(1, {LONGEST_NEAR}::float8 / greatest(u.length, 1)) AS lent
    FROM asked a JOIN latest p USING (term) JOIN LATERAL (
        SELECT place, length FROM memoryos_units WHERE scope = :of AND unit = p.unit OFFSET 0
    ) u ON true WHERE a.leads AND a.counts
), said AS MATERIALIZED (
    SELECT term, place, min(unit) AS unit, max(length) AS length, sum(said) AS said FROM (
        SELECT term, place, unit, length, said FROM posted
        UNION ALL
        SELECT term, place + step, unit, NULL, lent * weight FROM posted, (VALUES
            (-2, :window * :window), (-1, :window), (1, :window), (2, :window * :window)) AS near (step, weight)
        WHERE unit > 0 AND weight > 0
    ) AS amounts GROUP BY term, place
), weighed AS MATERIALIZED (
    SELECT a.term, a.weight * ln(1 + (a.units - n + 0.5) / (n + 0.5)) AS idf FROM asked a LEFT JOIN (
        SELECT term, count(*)::float8 AS places FROM said GROUP BY term
    ) s USING (term) CROSS JOIN LATERAL (
        SELECT least(a.units, CASE WHEN a.df <= :posted AND places IS NOT NULL THEN places
            ELSE a.units * (1 - power(1 - a.df / a.units, CASE WHEN :window > 0 THEN 5 ELSE 1 END)) END) AS n
    ) estimated WHERE a.counts
), rough AS MATERIALIZED (
    SELECT place, min(unit) AS unit, sum(idf * said / (
        said + {K1} * ({1 - B} + {B} / t.mean * (t.mean - t.length + coalesce(said.length, t.length)))
    ))::real AS score
    FROM said JOIN weighed USING (term) CROSS JOIN totals t
    GROUP BY place ORDER BY score DESC, place LIMIT 2 * :k + {SPARE}
)"""  # noqa: S608 - numbers of our own
_NO_VECTOR = """
, by_vector AS (SELECT 0::bigint AS unit WHERE false)"""
_EXACT = f"""
, products AS MATERIALIZED (
    SELECT v.owner_id, v.part, {PRODUCT} AS dot FROM memoryos_vectors v
    WHERE v.scope = :of AND vector_dims(v.vector) = {{dimension}}
), nearest AS MATERIALIZED (
    SELECT owner_id, part, dot FROM products ORDER BY dot DESC FETCH FIRST (:k) ROWS WITH TIES
), by_vector AS MATERIALIZED (
    SELECT unit FROM nearest n JOIN LATERAL (
        SELECT unit FROM memoryos_units WHERE scope = :of AND owner_id = n.owner_id AND part = n.part OFFSET 0
    ) u ON true ORDER BY dot DESC, {IN_SEQUENCE} LIMIT :k
)"""  # noqa: S608
_NEAR = """
, nearest AS MATERIALIZED (
    SELECT owner_id, part FROM memoryos_vectors
    WHERE scope = :of AND vector_dims(vector) = {dimension}
    ORDER BY vector::vector({dimension}) <#> CAST(:vector AS vector({dimension})) LIMIT :k
), by_vector AS MATERIALIZED (
    SELECT u.unit FROM nearest n JOIN LATERAL (
        SELECT unit FROM memoryos_units WHERE scope = :of AND owner_id = n.owner_id AND part = n.part OFFSET 0
    ) u ON true
)"""
# The window size of a unit is not known yet when the list is built, so the list is longer than requested.
# `round` is a unit of the short list and those next to it: what counts for it, and how much.
_SCORED = f"""
, short AS MATERIALIZED (
    SELECT f.place, u.session_id, CASE WHEN u.session_id IS NULL THEN u.unit END AS alone
    FROM (SELECT place, unit FROM rough UNION ALL SELECT NULL, unit FROM by_vector) r JOIN LATERAL (
        SELECT unit, place, session_id FROM memoryos_units WHERE scope = :of AND unit = r.unit OFFSET 0
    ) u ON true CROSS JOIN LATERAL (SELECT coalesce(r.place, u.place) AS place) f
    GROUP BY 1, 2, 3
), round AS MATERIALIZED (
    SELECT s.place, n.unit, n.place = s.place AS own, n.length,
        power(:window, abs(n.place - s.place))::float8 AS weight
    FROM short s JOIN LATERAL (
        SELECT unit, place, length FROM memoryos_units
        WHERE scope = :of AND session_id = s.session_id AND place BETWEEN s.place - 2 AND s.place + 2 OFFSET 0
    ) n ON true
    UNION ALL
    SELECT s.place, n.unit, true, n.length, 1 FROM short s JOIN LATERAL (
        SELECT unit, length FROM memoryos_units WHERE scope = :of AND unit = s.alone OFFSET 0
    ) n ON true
), sized AS MATERIALIZED (
    SELECT place, max(unit) FILTER (WHERE own) AS unit,
        sum(CASE WHEN own THEN length ELSE least(length, {LONGEST_NEAR}) * weight END) AS size
    FROM round GROUP BY place HAVING bool_or(own)
), spoken AS MATERIALIZED (
    SELECT r.unit, p.term, p.count FROM (SELECT DISTINCT unit FROM round) r JOIN LATERAL (
        SELECT term, count FROM memoryos_postings WHERE scope = :of AND unit = r.unit AND term = ANY(:terms) OFFSET 0
    ) p ON true
), held AS MATERIALIZED (
    SELECT r.place, p.term, bool_or(r.own) AS own, sum(
        p.count * CASE WHEN r.own THEN 1 ELSE r.weight * least(1, {LONGEST_NEAR}::float8 / greatest(r.length, 1)) END
    ) AS said
    FROM round r JOIN spoken p USING (unit) GROUP BY r.place, p.term
), scored AS MATERIALIZED (
    SELECT s.unit,
        coalesce(sum(
            w.idf * {K1 + 1} * h.said / (h.said + {K1} * ({1 - B} + {B} / t.mean * s.size))
        ), 0)::real AS lexical,
        least(1, coalesce(
            sum(c.share * a.idf) FILTER (WHERE h.own AND c.share IS NOT NULL)
                / (SELECT sum(idf) FROM asked WHERE term = ANY(:counted)), 0
        ))::real AS coverage
    FROM sized s CROSS JOIN totals t LEFT JOIN held h USING (place) LEFT JOIN asked a USING (term)
    LEFT JOIN unnest(:covering, :shares) AS c (term, share) USING (term)
    LEFT JOIN weighed w USING (term) GROUP BY s.unit
), by_words AS MATERIALIZED (
    SELECT unit FROM scored WHERE lexical > 0 ORDER BY lexical DESC, {IN_SEQUENCE} LIMIT :k
), either AS MATERIALIZED (SELECT unit FROM by_words UNION SELECT unit FROM by_vector)"""  # noqa: S608
_NO_DOTS_OF_SHORT_LIST = """
, dots AS (SELECT 0::bigint AS unit, 0::float8 AS dot WHERE false),
moments AS MATERIALIZED (SELECT 0::float8 AS mean, 0::float8 AS spread)"""
_DOTS_OF_SHORT_LIST = f"""
, dots AS MATERIALIZED (
    SELECT e.unit, v.dot FROM either e
    JOIN LATERAL (SELECT owner_id, part FROM memoryos_units WHERE scope = :of AND unit = e.unit OFFSET 0) u ON true
    JOIN LATERAL (
        SELECT {PRODUCT} AS dot FROM memoryos_vectors v WHERE v.scope = :of AND v.owner_id = u.owner_id
            AND v.part = u.part AND vector_dims(v.vector) = {{dimension}} OFFSET 0
    ) v ON true
), moments AS MATERIALIZED (
    SELECT {MOMENTS} FROM ({{measured}} ORDER BY dot) AS measured
)"""  # noqa: S608
# The moments use all vectors where all are compared; otherwise a sample spread evenly over the units.
_MEASURED = {
    "exact": """
        SELECT p.dot FROM products p
        JOIN memoryos_units u ON u.scope = :of AND u.owner_id = p.owner_id AND u.part = p.part""",
    "near": f"""
        SELECT v.dot FROM (
            SELECT DISTINCT u.owner_id, u.part FROM bounds CROSS JOIN generate_series(1, {SAMPLE}) AS step
            JOIN LATERAL (
                SELECT owner_id, part FROM memoryos_units
                WHERE scope = :of AND unit >= last - floor(all_units * step / {SAMPLE})::bigint AND unit > 0
                ORDER BY unit LIMIT 1
            ) u ON true
        ) u JOIN LATERAL (
            SELECT {PRODUCT} AS dot FROM memoryos_vectors v WHERE v.scope = :of AND v.owner_id = u.owner_id
                AND v.part = u.part AND vector_dims(v.vector) = {{dimension}} OFFSET 0
        ) v ON true""",  # noqa: S608
}
_FOUND_IN_SHORT_LIST = """
, found AS MATERIALIZED (
    SELECT unit, s.lexical, d.dot, s.coverage FROM either JOIN scored s USING (unit) LEFT JOIN dots d USING (unit)
)"""
_VECTOR = {"exact": _EXACT, "near": _NEAR}


def ranked_short(by: By, dimension: int) -> str:
    """The rows `found` and `moments`."""
    if by == "words":
        return _TERMS + _NO_VECTOR + _SCORED + _NO_DOTS_OF_SHORT_LIST + _FOUND_IN_SHORT_LIST
    vector, measured = _VECTOR[by].format(dimension=dimension), _MEASURED[by].format(dimension=dimension)
    return (
        _TERMS
        + vector
        + _SCORED
        + _DOTS_OF_SHORT_LIST.format(dimension=dimension, measured=measured)
        + _FOUND_IN_SHORT_LIST
    )
