"""Shows what a memory has made of a conversation: its tiers, hottest segments, profile and facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from demo.terminal import say, section, table, wrap
from memoryos_core import Fact, Profile, Segment, Stats, Topic, UserMemory

_TOPICS_SHOWN, _SUMMARIES_SHOWN = 12, 3
_FACTS_SHOWN = 12
_CHANGES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Growth:
    """How far heat has carried: segments read into long-term memory, and what was learnt from them."""

    promoted: int
    stats: Stats
    profile_fields: int


def measure(user: UserMemory) -> Growth:
    """Where the memory stands."""
    return Growth(len(_promoted(user.segments())), user.stats(), len(user.profile().fields))


def show_growth(before: Growth, after: Growth) -> None:
    """What being asked has changed."""
    section("After the questions")
    say("  Each recall was a visit to the segments it drew from, and visits are heat.")
    was, now = before.stats, after.stats
    rows = [
        ("segments read into long-term memory", before.promoted, after.promoted),
        ("facts", was.facts_user + was.facts_assistant, now.facts_user + now.facts_assistant),
        ("fields of the profile", before.profile_fields, after.profile_fields),
    ]
    say(table([(name, str(old), "→", str(new)) for name, old, new in rows], right=(1, 3)))


def _promoted(segments: Sequence[Segment]) -> list[Segment]:
    return [segment for segment in segments if segment.unanalysed < segment.page_count]


def show(user: UserMemory) -> None:
    """Everything but the questions."""
    _show_tiers(user)
    segments = user.segments()
    _show_topics(user.topics())
    _show_promotions(segments)
    _show_profile(user.profile())
    _show_facts(user.facts())
    _show_changes(user.facts(current=False))


def _show_tiers(user: UserMemory) -> None:
    stats = user.stats()
    section("What is where")
    rows = [
        ("short term", f"{stats.pages_short_term} pages", "the recent turns, as they were said"),
        ("mid term", f"{stats.pages_mid_term} pages", f"in {stats.segments} segments of one topic each"),
        ("archive", f"{stats.pages_archived} pages", f"in {stats.segments_archived} segments that went cold"),
        (
            "long term",
            f"{stats.facts_user} facts",
            f"about the user; {stats.facts_assistant} about the assistant",
        ),
        ("", f"{stats.traits} traits", f"and {len(user.profile().fields)} fields of the profile"),
    ]
    say(table(rows))


def _show_topics(topics: Sequence[Topic]) -> None:
    section("What was talked about")
    say(f"  {len(topics)} topics; the hottest first")
    rows = [
        (f"{topic.heat:.1f}", f"{topic.pages} pages", topic.title, f"{_day(topic.since)} to {_day(topic.until)}")
        for topic in topics[:_TOPICS_SHOWN]
    ]
    say(table(rows, right=(0, 1)))
    for topic in topics[:_SUMMARIES_SHOWN]:
        say(wrap(topic.summary, first=f"  {topic.title}: ", indent=4, lines=3))


def _day(moment: datetime | None) -> str:
    return "?" if moment is None else f"{moment:%d %b %Y}"


def _show_promotions(segments: Sequence[Segment]) -> None:
    read = _promoted(segments)
    pages = sum(segment.page_count - segment.unanalysed for segment in read)
    say()
    share = f"{len(read)} of {len(segments)} segments"
    say(f"  {share} became hot and were read into long-term memory ({pages} pages).")


def _show_profile(profile: Profile) -> None:
    section("The profile")
    fields = [(field.name, field.value, f"since {field.since:%d %b %Y}") for field in profile.fields]
    traits = [(trait.dimension, trait.level, f"since {trait.since:%d %b %Y}") for trait in profile.traits]
    if fields or traits:
        say(table([*fields, *traits]))
    else:
        say(
            wrap(
                "Empty: without a chat model the memory states facts word for word, and infers no traits.",
                indent=2,
            )
        )


def _show_changes(facts: Sequence[Fact]) -> None:
    """What no longer holds, and what was said later in its place."""
    section("What changed")
    now = {fact.id: fact for fact in facts}
    over = [fact for fact in facts if fact.superseded_by in now]
    for fact in over[-_CHANGES_SHOWN:]:
        heir = now[str(fact.superseded_by)]
        say(wrap(fact.text, first=f"  {fact.valid_from:%d %b %Y}  before", indent=23, lines=2))
        say(wrap(heir.text, first=f"  {heir.valid_from:%d %b %Y}  now", indent=23, lines=2))
    if not over:
        say("  Nothing.")


def _show_facts(facts: Sequence[Fact]) -> None:
    section("Facts")
    for fact in facts[-_FACTS_SHOWN:]:
        when = fact.event_time or fact.valid_from
        say(wrap(fact.text, first=f"  {when:%d %b %Y}  {fact.about}", indent=26, lines=2))
    if len(facts) > _FACTS_SHOWN:
        say(f"  … the latest {_FACTS_SHOWN} of {len(facts)}")
