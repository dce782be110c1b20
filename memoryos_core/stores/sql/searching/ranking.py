"""The one statement by which PostgreSQL finds candidates.

It reads rows of one scope only, so no user's scores depend on what another user stored.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, BindParameter, Float, String, Text, bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import TextualSelect

from memoryos_core.stores.sql.searching.short_list import ranked_short
from memoryos_core.stores.sql.searching.whole_scope import By, ranked_whole
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
    """The statement; it binds of, terms, window and k, and with vectors `vector`, of `dimension` numbers.

    The short list also binds `posted`; "near" works only with the short list.
    """
    ranked = ranked_short if short else ranked_whole
    found = text(f"WITH {ranked(by, int(dimension))}{_READ}")
    bound: list[BindParameter[Any]] = [
        bindparam("of", type_=String()),
        bindparam("terms", type_=ARRAY(BigInteger())),
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
