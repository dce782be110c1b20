"""Draw the pictures of docs/concepts.md: SVG files on a dark card, readable on a light and on a dark page.

python scripts/pictures.py
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "images"
WIDTH = 480
CARD, BOX, LINE, TEXT, SOFT = "#263238", "#37474f", "#90a4ae", "#ffffff", "#cfd8dc"
COLOURS = {"short": "#1e88a8", "mid": "#b26a00", "long": "#2e7d32", "archive": "#546e7a"}
MU_DAYS = 1e7 / 86_400
THRESHOLD = 5.0


def text(x: float, y: float, words: str, *, size: int = 15, colour: str = TEXT, anchor: str = "middle") -> str:
    """Return a line of text."""
    weight = ' font-weight="600"' if size > 15 else ""  # noqa: PLR2004 - a headline
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>{words}</text>'


def box(x: float, y: float, width: float, lines: Sequence[str], fill: str = BOX) -> str:
    """Return a box with a headline and lines below it."""
    height = 20 + 20 * len(lines)
    parts = [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{fill}"/>']
    for number, line in enumerate(lines):
        size, colour = (17, TEXT) if number == 0 else (14, SOFT if fill == BOX else TEXT)
        parts.append(text(x + width / 2, y + 25 + 20 * number, line, size=size, colour=colour))
    return "".join(parts)


def arrow(x: float, y: float, to_x: float, to_y: float, label: str = "") -> str:
    """Return an arrow with a label on its right."""
    head = f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{LINE}" stroke-width="2" fill="none" marker-end="url(#head)"/>'
    return head + (text(x + 12, (y + to_y) / 2 + 5, label, size=14, colour=SOFT, anchor="start") if label else "")


def card(height: int, title: str, parts: Sequence[str]) -> str:
    """Return a picture."""
    marker = (
        '<defs><marker id="head" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L10 5L0 10z" fill="{LINE}"/></marker></defs>'
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif"><title>{title}</title>{marker}'
        f'<rect width="{WIDTH}" height="{height}" rx="12" fill="{CARD}"/>'
    )
    return "\n".join([head, *parts, "</svg>\n"])


def tiers() -> str:
    """Return the three tiers and what moves between them."""
    return card(
        500,
        "Pages enter short-term memory, leave it in batches for segments of mid-term memory, and are read into "
        "long-term memory as they leave. The coldest segments go to the archive.",
        [
            box(60, 20, 260, ["add()", "one turn: question and answer"]),
            arrow(190, 80, 190, 112),
            box(
                60,
                116,
                260,
                ["Short-term memory", "the recent pages of each session,", "word for word"],
                COLOURS["short"],
            ),
            arrow(190, 196, 190, 240, "oldest first, in batches"),
            box(
                60,
                244,
                260,
                ["Mid-term memory", "segments: pages of one topic,", "with summary, keywords, heat"],
                COLOURS["mid"],
            ),
            arrow(320, 284, 352, 284),
            box(356, 244, 108, ["Archive", "the coldest", "segments"], COLOURS["archive"]),
            arrow(190, 324, 190, 378, "each page is read as it arrives"),
            box(
                60,
                382,
                260,
                ["Long-term memory", "profile, traits, dated facts;", "each names its pages"],
                COLOURS["long"],
            ),
            text(240, 484, "By default a page leaves the memory only when you forget it.", size=14, colour=SOFT),
        ],
    )


def recall() -> str:
    """Return the steps of a recall."""
    steps = [
        ["Question", "dates and names in it are found; it is embedded once"],
        ["Candidates from all tiers", "by words (BM25), and by meaning with an embedder"],
        [
            "One score for each",
            "words, meaning, the turns around it, date, speaker,",
            "session, segment, heat, recency",
        ],
        ["Relevance from 0 to 1", "what is below min_score stays out"],
        ["Packed into the token budget", "recent turns, profile, then the best hits"],
        ["Text for the prompt", "oldest first, under dates, quoted as data"],
    ]
    parts, y = [], 20
    for number, lines in enumerate(steps):
        fill = COLOURS["short"] if number == 0 else COLOURS["long"] if number == len(steps) - 1 else BOX
        parts.append(box(40, y, 400, lines, fill))
        y += 20 + 20 * len(lines)
        if number < len(steps) - 1:
            parts.append(arrow(240, y, 240, y + 24))
        y += 28
    return card(y - 8, "The steps of a recall, from the question to the text for the prompt.", parts)


def heat(events: Sequence[tuple[int, int, int]], day: float) -> float:
    """Return the heat of a segment: events are (day, visits, unread pages) as they are from that day on."""
    last, visits, pages = max(event for event in events if event[0] <= day)
    return visits + pages + math.exp(-(day - last) / MU_DAYS)


def curve(events: Sequence[tuple[int, int, int]], colour: str) -> str:
    """Return the heat of a segment over 240 days as a line."""
    days = [events[0][0] + step / 4 for step in range((240 - events[0][0]) * 4 + 1)]
    points = " ".join(f"{50 + 1.7 * day:.1f},{260 - 38 * heat(events, day):.1f}" for day in days)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'


def heat_over_time() -> str:
    """Return the heat of two segments over eight months."""
    # What is read gives its pages' share of the heat back: the line drops.
    asked = [(0, 0, 3), (30, 1, 3), (31, 1, 0), (120, 1, 2), (160, 2, 2), (161, 2, 0)]
    idle = [(10, 0, 1)]
    level = 260 - 38 * THRESHOLD
    parts = [
        f'<path d="M50 40V260H460" stroke="{LINE}" fill="none"/>',
        f'<path d="M50 {level}H460" stroke="#ff8a65" stroke-dasharray="6 5"/>',
        text(456, level - 8, "τ = 5", size=14, colour="#ff8a65", anchor="end"),
        curve(idle, LINE),
        curve(asked, "#ffb74d"),
        text(112, level - 12, "read", size=14, colour=TEXT),
        text(330, level - 12, "read", size=14, colour=TEXT),
        text(456, 138, "visited again", size=14, colour="#ffb74d", anchor="end"),
        text(456, 206, "one page, never visited", size=14, colour=SOFT, anchor="end"),
        *(text(42, 265 - 38 * value, str(value), size=13, colour=SOFT, anchor="end") for value in range(6)),
        *(text(50 + 1.7 * day, 280, str(day), size=13, colour=SOFT) for day in range(0, 241, 60)),
        text(255, 300, "days", size=14, colour=SOFT),
        text(50, 28, "heat", size=14, colour=SOFT),
    ]
    return card(312, "Heat of two segments over eight months, with the threshold of promotion.", parts)


if __name__ == "__main__":
    for name, picture in {"tiers": tiers(), "recall": recall(), "heat": heat_over_time()}.items():
        (FOLDER / f"{name}.svg").write_text(picture, "utf-8")
