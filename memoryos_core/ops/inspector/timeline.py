"""The drawing of a memory over time: pages a month, and topics as bands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryos_core.ops.inspector.page_index import Place
from memoryos_core.values.dialogue import Segment, Tier

WIDTH, _TOP, _HEIGHT, _ROW, _BANDS = 960, 8, 120, 26, 12
_TIERS: tuple[Tier, ...] = ("mid_term", "short_term", "archive")


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle: so many pages of one tier in one month."""

    x: float
    y: float
    width: float
    height: float
    tier: str
    said: str


@dataclass(frozen=True, slots=True)
class Band:
    """A topic from its first page to its last; its height is its heat."""

    x: float
    y: float
    width: float
    height: float
    label_y: float
    segment: Segment
    said: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that the template draws, in units of a picture that is `WIDTH` wide."""

    bars: Sequence[Bar]
    bands: Sequence[Band]
    months: Sequence[tuple[float, str]]
    height: float
    width: int = WIDTH


def draw_timeline(pages: Sequence[Place], segments: Sequence[tuple[Segment, float]]) -> Drawing | None:
    """Return the drawing of these pages and segments (each with its heat); None without a page."""
    if not pages:
        return None
    first, last = min(map(_month, pages)), max(map(_month, pages))
    step = WIDTH / (last - first + 1)
    counts = Counter((_month(page), page.tier) for page in pages)
    most = max(Counter(map(_month, pages)).values())
    bars: list[Bar] = []
    for month in range(first, last + 1):
        y = float(_TOP + _HEIGHT)
        for tier in _TIERS:
            if number := counts[month, tier]:
                height = number / most * _HEIGHT
                y -= height
                said = f"{_name(month)}: turns {number}, {tier.replace('_', ' ')}"
                bars.append(Bar((month - first) * step, y, max(step - 2, 1), height, tier, said))
    shown = max(1, (last - first + 1) // 12)
    months = [((m - first) * step, _name(m)) for m in range(first, last + 1) if (m - first) % shown == 0]
    bands = _bands(pages, segments, first, step)
    return Drawing(bars, bands, months, _TOP + _HEIGHT + 24 + len(bands) * _ROW)


def _bands(pages: Sequence[Place], segments: Sequence[tuple[Segment, float]], first: int, step: float) -> list[Band]:
    times: dict[str, list[int]] = {}
    for page in pages:
        if page.segment_id is not None:
            times.setdefault(page.segment_id, []).append(_month(page))
    hottest = sorted((s for s in segments if s[0].id in times), key=lambda s: -s[1])[:_BANDS]
    most = max((heat for _, heat in hottest), default=0.0) or 1.0
    bands: list[Band] = []
    for row, (segment, heat) in enumerate(hottest):
        begun, ended = min(times[segment.id]), max(times[segment.id])
        height = 3 + 9 * heat / most
        middle = _TOP + _HEIGHT + 24 + row * _ROW + _ROW / 2
        said = f"{_name(begun)} to {_name(ended)}, turns {segment.page_count}, heat {heat:.2f}"
        x, width = (begun - first) * step, (ended - begun + 1) * step - 2
        bands.append(Band(x, middle - height / 2 + 6, max(width, 4), height, middle - 3, segment, said))
    return bands


def _month(page: Place) -> int:
    return page.timestamp.year * 12 + page.timestamp.month - 1


def _name(month: int) -> str:
    return f"{datetime(month // 12, month % 12 + 1, 1):%b %Y}"  # noqa: DTZ001 - only its name is used
