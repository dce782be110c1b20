"""The content of a chunk of the kept index (ADR 0032): units and words as columns, in bytes that are read whole."""

from __future__ import annotations

import json
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from memoryos_core.values.dialogue import FACT
from memoryos_core.values.queries import Postings

FORMAT = 4
"""Raise it with every change of this file, of what a unit is, or of the terms of a text."""

_ALIGNED = 8
_HEAD = struct.Struct("<Q")
_KINDS = frozenset({"|u1", "<u2", "<u4", "<i8", "<f8"})
CODES = ("owner", "part", "session", "segment", "speaker", "home", "home_part")
"""The columns of `UnitColumns.codes`."""
_HOMES = ("home", "home_part")
_LEAST_DISCLOSURE = 150  # below 0: only numbers from 0 on are stored


@dataclass(frozen=True, slots=True, eq=False)
class UnitColumns:
    """Units column by column; the `codes` of what has a name, such as the owner, are places in `names`.

    `sizes`, `disclosures` and `places` are those of `Unit`.
    """

    names: list[str | None]
    codes: Mapping[str, NDArray[np.int32]]
    keys: NDArray[np.int64]
    times: NDArray[np.float64]
    sizes: NDArray[np.int32]
    disclosures: NDArray[np.int16]
    places: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """The units of some pages and facts, and their words. They replace all that earlier chunks hold of these owners.

    `pages` and `facts` are the owners, as places in `units.names`: also those that have no unit, or none any more.
    """

    units: UnitColumns
    words: Postings
    pages: NDArray[np.integer[Any]]
    facts: NDArray[np.integer[Any]]

    def page_ids(self) -> list[str]:
        """Return the ids of the pages."""
        return [self.units.names[place] or "" for place in self.pages.tolist()]

    def fact_ids(self) -> list[str]:
        """Return the ids of the facts."""
        return [self.units.names[place] or "" for place in self.facts.tolist()]


def encode(content: Content) -> bytes:
    """Return the content as bytes: a list of arrays, and the arrays one after another."""
    units, words = content.units, content.words
    arrays: dict[str, NDArray[Any]] = {
        "names": _texts(units.names),
        **{name: _narrow(units.codes[name]) for name in CODES},
        "keys": units.keys.astype("<i8"),
        "times": units.times.astype("<f8"),
        "sizes": _narrow(units.sizes + 1),
        "disclosures": _narrow(units.disclosures + _LEAST_DISCLOSURE),
        "places": _narrow(units.places),
        "pages": _narrow(content.pages),
        "facts": _narrow(content.facts),
        "terms": _texts(words.terms),
        **{name: _narrow(getattr(words, name)) for name in ("starts", "documents", "counts", "lengths")},
    }
    head = json.dumps([[name, _kind(array), len(array)] for name, array in arrays.items()]).encode()
    parts = [_HEAD.pack(len(head)), _pad(head)]
    parts += [_pad(array.tobytes()) for array in arrays.values()]
    return b"".join(parts)


def decode(written: bytes) -> Content:
    """Undo `encode`. Raises ValueError for bytes that no `encode` has written."""
    try:
        arrays = dict(_arrays(written))
        units = UnitColumns(
            _read_texts(arrays["names"], (str, type(None))),
            {name: arrays[name].astype(np.int32) for name in CODES},
            arrays["keys"],
            arrays["times"],
            arrays["sizes"].astype(np.int32) - 1,
            arrays["disclosures"].astype(np.int16) - _LEAST_DISCLOSURE,
            arrays["places"].astype(np.int32),
        )
        words = Postings(
            _read_texts(arrays["terms"], (str,)), *(arrays[n] for n in ("starts", "documents", "counts", "lengths"))
        )
        content = Content(units, words, arrays["pages"], arrays["facts"])
    except (KeyError, TypeError, struct.error, UnicodeError, RecursionError) as error:
        raise ValueError(f"not a chunk of the index: {type(error).__name__}") from None
    _check(content)
    return content


def _check(content: Content) -> None:
    units, words = content.units, content.words
    names, size = len(units.names), len(units)
    codes = (*(units.codes[name] for name in CODES), content.pages, content.facts)
    columns = (*codes[: len(CODES)], units.times, units.sizes, units.disclosures, units.places)
    starts = words.starts.astype(np.int64)
    if not (
        all(int(column.max(initial=0)) < max(names, 1) for column in codes)
        and all(len(column) == size for column in columns)
        and len(words.lengths) == size
        and len(starts) == len(words.terms) + 1
        and starts[0] == 0
        and starts[-1] == len(words.documents) == len(words.counts)
        and (np.diff(starts) >= 0).all()
        and int(words.documents.max(initial=0)) < max(size, 1)
        and (None not in units.names or not (units.codes["owner"] == units.names.index(None)).any())
    ):
        raise ValueError("not a chunk of the index: its columns do not fit one another")


def without(content: Content, pages: Collection[str], facts: Collection[str]) -> Content:
    """Return the content without these pages and facts, and without any name or word that only they had."""
    units, words, all_names = content.units, content.words, content.units.names
    lost = [np.fromiter(map(set(ids).__contains__, units.names), np.bool_, len(units.names)) for ids in (pages, facts)]
    places = np.array([name == FACT for name in units.names], dtype=np.bool_)
    owner = units.codes["owner"]
    kept = ~np.where(places[units.codes["part"]], lost[1][owner], lost[0][owner])
    owners = [of[~gone[of]] for of, gone in zip((content.pages, content.facts), lost, strict=True)]
    codes = {name: column[kept] for name, column in units.codes.items()}
    quoted = units.sizes[kept]
    homeless = lost[0][codes["home"]]
    if homeless.any():  # the page that a fact is quoted from is gone, and the fact stays for another one
        nothing = all_names.index(None) if None in all_names else len(all_names)
        all_names = all_names if nothing < len(all_names) else [*all_names, None]
        codes |= {name: np.where(homeless, np.int32(nothing), codes[name]) for name in _HOMES}
        quoted[homeless] = -1
    used = np.zeros(len(all_names), dtype=np.bool_)
    for column in (*codes.values(), *owners):
        used[column] = True
    number = np.cumsum(used) - 1
    names = [name for name, is_used in zip(all_names, used.tolist(), strict=True) if is_used]
    codes = {name: number[column].astype(np.int32) for name, column in codes.items()}
    counted = kept[words.documents]
    sizes = np.bincount(
        np.repeat(np.arange(len(words.terms)), np.diff(words.starts))[counted], minlength=len(words.terms)
    )
    postings = Postings(
        [term for term, size in zip(words.terms, sizes.tolist(), strict=True) if size],
        np.append(0, np.cumsum(sizes[sizes > 0])),
        (np.cumsum(kept) - 1)[words.documents[counted]],
        words.counts[counted],
        words.lengths[kept],
    )
    left = UnitColumns(
        names, codes, units.keys[kept], units.times[kept], quoted, units.disclosures[kept], units.places[kept]
    )
    return Content(left, postings, *(number[of] for of in owners))


def describe_units(content: Content) -> dict[tuple[str, str], object]:
    """Return by owner and part all that is held of a unit, but for its vector."""
    units, words = content.units, content.words
    said: list[list[tuple[str, int]]] = [list[tuple[str, int]]() for _ in range(len(units))]
    ends: list[int] = words.starts.tolist()
    for term, start, end in zip(words.terms, ends, ends[1:], strict=False):
        found: list[int] = words.documents[start:end].tolist()
        counts: list[int] = words.counts[start:end].tolist()
        for document, count in zip(found, counts, strict=True):
            said[document].append((term, count))
    codes: list[list[int]] = [units.codes[column].tolist() for column in CODES]
    keys: list[int] = units.keys.tolist()
    times: list[float] = units.times.tolist()
    quoted = list(zip(units.sizes.tolist(), units.disclosures.tolist(), units.places.tolist(), strict=True))
    there: dict[tuple[str, str], object] = {}
    for place, (key, time, held) in enumerate(zip(keys, times, said, strict=True)):
        owner, part, *rest = (units.names[code[place]] for code in codes[: -len(_HOMES)])
        size = None if part == FACT else quoted[place]  # of facts it is known by chance: when the page came with them
        there[str(owner), str(part)] = (*rest, key, time, size, frozenset(held))
    return there


def mentions(written: bytes, owners: Iterable[str]) -> bool:
    """Return True when bytes of `encode` name one of these owners; True by chance is possible, False is sure."""
    return any(json.dumps(owner, ensure_ascii=False).encode(errors="surrogatepass") in written for owner in owners)


def combine(contents: Sequence[Content]) -> tuple[UnitColumns, NDArray[np.int64]]:
    """Return the units that no later content replaces, and the place of each text among them, -1 for a replaced one."""
    if len(contents) == 1:
        return contents[0].units, np.arange(len(contents[0].units))
    places: dict[str | None, int] = {}
    of_names = [np.array([places.setdefault(n, len(places)) for n in c.units.names], np.int64) for c in contents]
    newest = np.full((2, len(places)), -1, dtype=np.int64)
    for number, (content, there) in enumerate(zip(contents, of_names, strict=True)):
        newest[0, there[content.pages]] = number
        newest[1, there[content.facts]] = number
    fact = places.get(FACT, -1)
    live = [
        newest[(there[c.units.codes["part"]] == fact).astype(np.int64), there[c.units.codes["owner"]]] == number
        for number, (c, there) in enumerate(zip(contents, of_names, strict=True))
    ]
    held = list(zip((c.units for c in contents), of_names, live, strict=True))
    units = UnitColumns(
        list(places),
        {
            name: np.concatenate([there[u.codes[name]][kept] for u, there, kept in held]).astype(np.int32)
            for name in CODES
        },
        *(
            np.concatenate([getattr(u, column)[kept] for u, _, kept in held])
            for column in ("keys", "times", "sizes", "disclosures", "places")
        ),
    )
    alive = np.concatenate(live)
    slots = np.where(alive, np.cumsum(alive) - 1, -1)
    return units, slots


def _arrays(written: bytes) -> Iterator[tuple[str, NDArray[Any]]]:
    (size,) = _HEAD.unpack_from(written)
    at = _HEAD.size + size + -size % _ALIGNED
    for name, kind, length in json.loads(written[_HEAD.size : _HEAD.size + size]):
        if kind not in _KINDS:
            raise ValueError("not a chunk of the index: unknown kind of numbers")
        array = np.frombuffer(written, dtype=kind, count=length, offset=at)
        at += array.nbytes + -array.nbytes % _ALIGNED
        yield name, array
    if at != len(written):
        raise ValueError("not a chunk of the index: bytes are missing or too many")


def _pad(part: bytes) -> bytes:
    return part + bytes(-len(part) % _ALIGNED)


def _kind(array: NDArray[Any]) -> str:
    return str(array.dtype.str)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def _narrow(numbers: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Return numbers from 0 on in as few bytes as they need."""
    most = int(numbers.max(initial=0))
    return numbers.astype("u1" if most < 1 << 8 else "<u2" if most < 1 << 16 else "<u4")


def _texts(texts: Sequence[str | None]) -> NDArray[np.uint8]:
    written = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    return np.frombuffer(written.encode(errors="surrogatepass"), dtype=np.uint8)


def _read_texts(written: NDArray[Any], kinds: tuple[type, ...]) -> Any:  # noqa: ANN401 - a list of these kinds
    texts: object = json.loads(written.tobytes().decode(errors="surrogatepass"))
    if not isinstance(texts, list):
        raise ValueError("not a chunk of the index: expected a list of texts")  # noqa: TRY004 - callers look for one error
    found = cast("list[object]", texts)
    if not set(map(type, found)) <= set(kinds):
        raise ValueError("not a chunk of the index: expected texts")
    return found
