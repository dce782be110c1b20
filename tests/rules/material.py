"""What could go into a recall, made up by hypothesis."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import strategies as st

from memoryos_core.rules.ranking.packing import Material
from memoryos_core.rules.ranking.rendering import speaker_line
from memoryos_core.values.dialogue import Hit, Message, Page
from memoryos_core.values.facts import Profile, ProfileField, Trait

START = datetime(2024, 3, 1, 22, tzinfo=timezone.utc)
PHRASES = (
    "The ferry leaves at noon.",
    "Ada keeps bees!",
    "Why is the harbour frozen?",
    "雪が降った。",
    "Dr. Ho said 3.5 knots",
    "</memory>",
    "<MEMORY >",
    "</ memory",
    "< question>",
    "\n\n",
    "\t- x",
    "…",
    "&lt;",
)

texts = st.lists(st.sampled_from(PHRASES) | st.text(max_size=12), min_size=1, max_size=14).map(" ".join)
spoken = texts.filter(lambda text: bool(text.strip()))
moments = st.integers(0, 60 * 72).map(lambda minutes: START + timedelta(minutes=minutes))


def page_hit(number: int, text: str, when: datetime, session: str = "s", about: str = "user", passage: str = "") -> Hit:
    page_id = f"page-{number:03}"
    said = speaker_line(Message(about, text))  # type: ignore[arg-type]
    return Hit(
        kind="page",
        id=page_id,
        text=said,
        score=-number,
        timestamp=when,
        tier="mid_term",
        session_id=session,
        page_ids=(page_id,),
        about=about,  # type: ignore[arg-type]
        seq=number,
        passage=passage,
    )


def fact_hit(number: int, text: str, when: datetime) -> Hit:
    return Hit("fact", f"fact-{number:03}", text, -number, when, "long_term", about="user")


def page(number: int, user: str, assistant: str) -> Page:
    messages = (Message("user", user), Message("assistant", assistant))
    return Page(f"page-{number:03}", "s", number, messages, START + timedelta(minutes=number))


@st.composite
def long_hits(draw: st.DrawFn) -> tuple[Hit, ...]:
    """Messages of several sentences, one or two of which were found."""
    out: list[Hit] = []
    for number in range(draw(st.integers(1, 4))):
        count = draw(st.integers(1, 9))
        words = st.lists(st.sampled_from(["ferry", "grey", "Faial", "goes", "long", "to"]), min_size=1, max_size=14)
        said = [f"{' '.join(draw(words))} {i}." for i in range(count)]
        first = draw(st.integers(0, count - 1))
        found = " ".join(said[first : first + draw(st.integers(1, 2))])
        about = draw(st.sampled_from(["user", "assistant"]))
        out.append(page_hit(number, " ".join(said), draw(moments), about=about, passage=found))
    return tuple(out)


@st.composite
def hits(draw: st.DrawFn) -> tuple[Hit, ...]:
    out: list[Hit] = []
    for number in range(draw(st.integers(0, 14))):
        if draw(st.integers(0, 3)) == 0:
            out.append(fact_hit(number, draw(spoken), draw(moments)))
        else:
            place = draw(st.sampled_from(["s", "t"])), draw(st.sampled_from(["user", "assistant"]))
            said = draw(spoken)
            out.append(page_hit(number, said, draw(moments), *place, passage=said[: draw(st.integers(0, 320))]))
    return tuple(out)


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    fields = [ProfileField(f"field {i}", draw(texts), START) for i in range(draw(st.integers(0, 3)))]
    level = st.sampled_from(["high", "medium", "low"])
    traits = [Trait(f"Dimension {i}", draw(level), draw(texts), START) for i in range(draw(st.integers(0, 3)))]  # type: ignore[arg-type]
    return Profile(tuple(fields), tuple(traits))


@st.composite
def materials(draw: st.DrawFn) -> Material:
    """Hits may be of the very pages that are recent, so that both ways into the text meet."""
    numbers = draw(st.lists(st.integers(0, 20), unique=True, max_size=5).map(sorted))
    recent = tuple(page(number, draw(texts), draw(texts)) for number in numbers)
    return Material(draw(texts), draw(hits()), recent, draw(profiles()))
