"""Laws of pairing: nothing lost or doubled, in order, calls with their results, however the stream is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import accumulate, count, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryos_core.config import ShortTermConfig
from memoryos_core.rules.paging.batches import Outgoing, due
from memoryos_core.rules.paging.pages import LONG_PAGE, LONGEST_PAGE, Turn, link, pair, window
from memoryos_core.values.commands import Pending
from memoryos_core.values.dialogue import Message, Page, Role, Tier

WHEN = datetime(2023, 5, 8, tzinfo=timezone.utc)


def say(script: str) -> list[Message]:
    """A stream from shorthand: u, a, s, t with calls `>x` and an answer `<x`, e.g. "u a>1>2 t<1 t<2 a u"."""
    roles: dict[str, Role] = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}
    out: list[Message] = []
    for n, word in enumerate(script.split()):
        head, *calls = word.split(">")
        letter, _, answers = head.partition("<")
        out.append(Message(roles[letter], f"{n}:{word}", calls=tuple(calls), answers=answers or None))
    return out


def page(messages: Sequence[Message], *, tier: Tier = "short_term", seq: int = 0, tokens: int = 0) -> Page:
    return Page(f"p{seq}", "session", seq, tuple(messages), WHEN, tier=tier, tokens=tokens)


def feed(pieces: Sequence[Sequence[Message]]) -> list[tuple[tuple[Message, ...], bool]]:
    """What a store would hold after pairing the pieces one by one: each page's messages, and is it open."""
    stored: list[tuple[tuple[Message, ...], bool]] = []
    for piece in pieces:
        last = page(stored[-1][0], seq=len(stored)) if stored else None
        for n, turn in enumerate(pair(piece, last)):
            assert not (turn.extends_last and n), "only the first turn may extend the last page"
            before = stored.pop()[0] if turn.extends_last else ()
            stored.append((before + turn.messages, turn.open))
    return stored


def sizes(script: str) -> list[int]:
    return [len(turn.messages) for turn in pair(say(script))]


IDS = ("1", "2", "3")
messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "assistant", "tool", "system"]),
    text=st.sampled_from(["", "x", "y"]),
    calls=st.just(()) | st.lists(st.sampled_from(IDS), max_size=3).map(tuple),
    answers=st.none() | st.sampled_from(IDS),
)
polite = st.sampled_from(say("u a a>1 a>2 a>1>2 t<1 t<2 s"))
streams = st.lists(messages | polite, max_size=60)


def awaited(so_far: Sequence[Message]) -> set[str]:
    """Which calls of a page are pending, told without a state: by looking at all that came after a call."""
    out: set[str] = set()
    for n, message in enumerate(so_far):
        later = so_far[n + 1 :]
        spoken = any(m.role == "assistant" and not m.calls for m in later)
        out |= {c for c in message.calls if not spoken and all(m.answers != c for m in later)}
    return out


def is_open(so_far: Sequence[Message]) -> bool:
    asked = max((n for n, m in enumerate(so_far) if m.role == "user" or m.calls), default=-1)
    told = max((n for n, m in enumerate(so_far) if m.role == "assistant" and not m.calls), default=-1)
    return asked > told or bool(awaited(so_far))


def by_the_book(stream: Sequence[Message]) -> list[list[Message]]:
    """The rules of pairing read literally, for streams too short to meet the bounds."""
    pages: list[list[Message]] = []
    for message in stream:
        current = pages[-1] if pages else []
        replied = any(m.role in ("assistant", "tool") for m in current)
        asks = message.role == "user" and replied and not awaited(current)
        instructs = message.role == "system" and replied and not is_open(current)
        if not pages or asks or instructs:
            pages.append([message])
        else:
            current.append(message)
    return pages


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        ("u a u a", [2, 2]),
        ("u u a", [3]),
        ("u a a u", [3, 1]),
        ("a u a", [1, 2]),
        ("t<1 u", [1, 1]),
        ("u a>1 t<1 a u", [4, 1]),
        ("u a>1 t<1 u a", [3, 2]),
        ("u a>1>2 t<2 u t<1 a u", [6, 1]),
        ("u a>1 u a u a", [4, 2]),
        ("u a>1 a t<1 u", [4, 1]),
        ("s u a s u a", [3, 3]),
        ("u s a", [3]),
        ("u a>1 s t<1 a", [5]),
        ("u a>1 t<1 s a", [5]),
        ("s s s", [3]),
        ("u a>1 t<1>2 u t<2 u", [5, 1]),
    ],
)
def test_examples(script: str, expected: list[int]) -> None:
    assert sizes(script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("u", True),
        ("u a", False),
        ("u a>1", True),
        ("u a>1 t<1", True),
        ("u a>1 t<1 a", False),
        ("u a a>1", True),
        ("u a>1 u a", False),
        ("a", False),
        ("a>1", True),
        ("s", False),
        ("s u", True),
    ],
)
def test_a_page_is_open_while_an_answer_is_due(script: str, expected: bool) -> None:
    assert [turn.open for turn in pair(say(script))] == [expected]


def test_an_answer_joins_the_question_that_was_stored_before_it() -> None:
    question, answer = say("u a")
    assert pair([answer], page([question])) == (Turn((answer,), extends_last=True, open=False),)


def test_a_page_that_left_short_term_memory_is_not_extended() -> None:
    question, answer = say("u a")
    for tier in ("mid_term", "archive"):
        assert pair([answer], page([question], tier=tier)) == (Turn((answer,), extends_last=False, open=False),)


def test_silent_messages_are_kept() -> None:
    silent = [replace(m, text="") for m in say("u a>1 t<1 a")]
    assert [turn.messages for turn in pair(silent)] == [tuple(silent)]


@given(streams, st.lists(st.integers(0, 60), max_size=8))
@example(say("u a>1 t<1 a u a"), [1, 2, 3, 4, 5])
def test_pages_do_not_depend_on_where_the_stream_is_cut(stream: list[Message], cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]
    assert feed(pieces) == feed([stream])


@given(streams)
def test_one_by_one_is_the_same_as_all_at_once(stream: list[Message]) -> None:
    assert feed([[m] for m in stream]) == feed([stream])


@given(streams, st.none() | streams)
def test_every_message_is_in_one_page_in_order(stream: list[Message], before: list[Message] | None) -> None:
    last = None if before is None else page(before)
    turns = pair(stream, last)
    assert [m for turn in turns for m in turn.messages] == stream
    assert all(turn.messages for turn in turns)


@given(streams)
def test_pairing_follows_the_rules_as_written(stream: list[Message]) -> None:
    found = feed([stream])
    assert [list(kept) for kept, _ in found] == by_the_book(stream)
    assert [state for _, state in found] == [is_open(kept) for kept, _ in found]


@given(streams)
def test_a_call_and_its_result_never_part(stream: list[Message]) -> None:
    marked = [replace(m, id=str(n)) for n, m in enumerate(stream)]
    home = {m.id: n for n, (kept, _) in enumerate(feed([marked])) for m in kept}
    for n, result in enumerate(marked):
        callers = [k for k in range(n) if result.answers in marked[k].calls]
        if not callers:
            continue
        between = marked[callers[-1] + 1 : n]
        taken = any(m.answers == result.answers for m in between)
        lapsed = any(m.role == "assistant" and not m.calls for m in between)
        if not taken and not lapsed:
            assert home[result.id] == home[marked[callers[-1]].id]


@given(st.lists(polite, max_size=20), st.integers(1, 5))
def test_an_abandoned_call_cannot_hold_a_page_open_for_ever(stream: list[Message], rounds: int) -> None:
    abandoned = [*stream, *say("a>never")]
    pages = feed([abandoned + say("u a") * rounds])
    assert len(pages) >= len(feed([abandoned])) + rounds - 1
    assert not pages[-1][1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(polite | messages, st.integers(1, 260)), max_size=6), st.integers(0, 1500))
def test_no_page_outgrows_the_bound_but_by_results_it_waits_for(runs: list[tuple[Message, int]], cut: int) -> None:
    stream = [m for message, times in runs for m in [message] * times]
    pages = feed([stream])
    assert feed([stream[:cut], stream[cut:]]) == pages
    assert [m for kept, _ in pages for m in kept] == stream
    for kept, _ in pages:
        for n in range(LONGEST_PAGE, len(kept)):
            assert kept[n].answers in awaited(kept[:n])


def test_unanswered_questions_and_calls_fill_page_after_page() -> None:
    for script in ("u", "a", "s", "t", "t<1", "a>1", "u>1", "a<1>1", "u a>1", "a>1 u"):
        stream = say(script) * 1000
        assert max(len(kept) for kept, _ in feed([stream])) <= LONGEST_PAGE, script


@pytest.mark.parametrize("calls", [1, 2, 3, 7])
@pytest.mark.parametrize("before", range(1, 5))
def test_a_long_agent_run_is_cut_between_results_and_the_next_call(calls: int, before: int) -> None:
    rounds = [
        [f"{kind}{n}.{k}" for kind in ("a>", "t<") for k in range(calls)]  # each parallel call is its own message
        for n in range(200 // calls)
    ]
    pages = feed([say("u " * before + " ".join(word for words in rounds for word in words) + " a")])
    assert len(pages) > 1
    for kept, _ in pages:
        assert LONG_PAGE // 2 < len(kept) <= LONGEST_PAGE
        assert awaited(kept) == set()
    assert all(kept[0].calls for kept, _ in pages[1:])


def test_parallel_calls_keep_all_their_results_beyond_the_bound() -> None:
    calls = "".join(f">{n}" for n in range(300))
    results = " ".join(f"t<{n}" for n in range(300))
    assert sizes(f"u a{calls} {results} a u a") == [302, 1, 2]


def test_a_long_stream_is_paired_in_linear_work() -> None:
    stream = say("u a>1 t<1 a") * 25_000
    assert len(pair(stream)) == 25_000


def pages_of(tokens: Sequence[int]) -> list[Page]:
    return [page(say("u a"), seq=n, tokens=size) for n, size in enumerate(tokens)]


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 12), st.integers(1, 200))
def test_window_is_the_longest_run_of_newest_pages_that_fits(sizes: list[int], capacity: int, tokens: int) -> None:
    stored = pages_of(sizes)
    kept = window(stored[::-1], capacity, tokens)
    assert list(kept) == stored[len(stored) - len(kept) :]
    assert bool(kept) == bool(stored)
    fits = len(kept) <= capacity and sum(p.tokens for p in kept) <= tokens
    assert fits or len(kept) == 1
    if len(kept) < len(stored):
        one_more = stored[len(stored) - len(kept) - 1 :]
        assert len(one_more) > capacity or sum(p.tokens for p in one_more) > tokens


def waiting(sessions: str, size: int = 1) -> list[Pending]:
    """A page for each letter, in the session of that name."""
    return [Pending(str(seq), session, seq, size, WHEN) for seq, session in enumerate(sessions)]


def leaving(pending: list[Pending], config: ShortTermConfig) -> list[str]:
    """The batches, each as its seqs."""
    return [" ".join(batch.page_ids) for batch in due(pending, config)]


CONFIG = ShortTermConfig(capacity_pages=2, capacity_tokens=100, batch_pages=3, active_sessions=2)


def test_a_session_gives_full_batches_of_its_oldest_pages_beyond_capacity() -> None:
    assert leaving(waiting("aaaa"), CONFIG) == []
    assert leaving(waiting("aaaaa"), CONFIG) == ["0 1 2"]
    assert leaving(waiting("aaaaaaa"), CONFIG) == ["0 1 2"]
    assert leaving(waiting("aaaaaaaa"), CONFIG) == ["0 1 2", "3 4 5"]
    assert leaving([], CONFIG) == []


def test_a_session_leaves_whole_once_enough_others_were_written_after_it() -> None:
    assert leaving(waiting("aaaab"), CONFIG) == []
    assert leaving(waiting("aaaabc"), CONFIG) == ["0 1 2", "3"]
    assert leaving(waiting("aaaabacb"), CONFIG) == ["0 1 2", "4", "3 5"]


def test_of_several_sessions_the_batch_that_was_due_first_leaves_first() -> None:
    assert leaving(waiting("abbbbbaaaa"), CONFIG) == ["1 2 3", "0 6 7"]


def test_tokens_count_but_for_the_last_page_which_may_grow() -> None:
    sizes = [Pending(str(seq), "a", seq, size, WHEN) for seq, size in enumerate((1, 1, 1, 101, 999))]
    assert leaving(sizes[:4], CONFIG) == []
    assert leaving(sizes, CONFIG) == ["0 1 2"]
    assert leaving(waiting("aaaa", size=101), CONFIG) == ["0 1 2"]
    assert leaving(waiting("a", size=9999), CONFIG) == []


def pending(talk: list[tuple[str, int]], hours: list[int]) -> list[Pending]:
    """The pages of a talk, each some hours after the one before."""
    times = [WHEN + timedelta(hours=n) for n in accumulate(hours)]
    return [
        Pending(str(seq), session, seq, size, when)
        for seq, ((session, size), when) in enumerate(zip(talk, times, strict=False))
    ]


def test_a_session_leaves_whole_once_it_was_silent_for_long() -> None:
    assert leaving(pending([("a", 1)] * 3, [0, 1, 5]), CONFIG) == []
    assert leaving(pending([("a", 1)] * 3, [0, 1, 6]), CONFIG) == ["0 1"]
    assert leaving(pending([("a", 1), ("b", 1)], [0, 6]), CONFIG) == ["0"]
    assert leaving(pending([("a", 1), ("b", 1)], [0, 6]), replace(CONFIG, idle_hours=None)) == []


def test_a_session_that_ended_leaves_whole_at_once_or_before_its_next_page() -> None:
    first, second = (replace(p, ended=True) for p in waiting("aa"))
    assert leaving([first, second], CONFIG) == ["0 1"]
    third = Pending("2", "a", 2, 1, WHEN)
    assert leaving([first, second, third], CONFIG) == ["0 1"]
    assert leaving([first, second], replace(CONFIG, idle_hours=None)) == []


gaps = st.lists(st.sampled_from([0, 0, 0, 0, 7]), min_size=40, max_size=40)
talks = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 60)), max_size=40)
short_terms = st.builds(
    ShortTermConfig,
    capacity_pages=st.integers(1, 5),
    capacity_tokens=st.integers(1, 120),
    batch_pages=st.integers(1, 5),
    active_sessions=st.integers(1, 3),
)


@given(talks, gaps, short_terms, st.data())
def test_the_batches_are_the_same_whenever_somebody_looks_and_however_many_have_left(
    talk: list[tuple[str, int]], hours: list[int], config: ShortTermConfig, data: st.DataObject
) -> None:
    pages = pending(talk, hours)
    at_once = due(pages, config)
    left: list[Outgoing] = []
    held: list[Pending] = []
    for page in pages:
        held.append(page)
        for batch in due(held, config)[: data.draw(st.integers(0, 3), label="batches done")]:
            left.append(batch)
            held = [p for p in held if p.page_id not in batch.page_ids]
    assert (*left, *due(held, config)) == at_once


@given(talks, gaps, st.lists(st.sampled_from([0, 0, 0, 3, 7]), min_size=41, max_size=41), short_terms, st.data())
def test_a_clock_that_somebody_looks_at_in_between_changes_no_batch(
    talk: list[tuple[str, int]], hours: list[int], waits: list[int], config: ShortTermConfig, data: st.DataObject
) -> None:
    written = [WHEN + timedelta(days=900, hours=n) for n in accumulate(waits)]
    pages = [replace(page, written_at=when) for page, when in zip(pending(talk, hours), written, strict=False)]
    at_once = due(pages, config, written[len(pages)])
    left: list[Outgoing] = []
    held: list[Pending] = []
    for page, since, until in zip(pages, written, written[1:], strict=False):
        held.append(page)
        now = since + (until - since) * data.draw(st.sampled_from([0, 0.5, 1]), label="looked")
        for batch in due(held, config, now)[: data.draw(st.integers(0, 3), label="batches done")]:
            left.append(batch)
            held = [p for p in held if p.page_id not in batch.page_ids]
    assert (*left, *due(held, config, written[len(pages)])) == at_once


def test_a_session_leaves_by_the_clock_once_nothing_was_written_for_long() -> None:
    first, second = (replace(p, written_at=WHEN + timedelta(days=30)) for p in waiting("ab"))
    second = replace(second, written_at=WHEN + timedelta(days=30, hours=2))

    def left(hours: float, config: ShortTermConfig = CONFIG) -> list[str]:
        found = due([first, second], config, WHEN + timedelta(days=30, hours=hours))
        return [" ".join(batch.page_ids) for batch in found]

    assert left(0) == left(5.9) == []
    assert left(6) == ["0"]
    assert left(8) == ["0", "1"]
    assert left(8, replace(CONFIG, idle_hours=None)) == []
    untold = [replace(first, written_at=None), second]  # by a store that does not tell when
    assert [batch.page_ids for batch in due(untold, CONFIG, WHEN + timedelta(days=60))] == [("1",)]


@given(talks, short_terms)
def test_what_stays_is_the_newest_of_the_active_sessions(talk: list[tuple[str, int]], config: ShortTermConfig) -> None:
    pages = pending(talk, [0] * len(talk))
    gone = [i for batch in due(pages, config) for i in batch.page_ids]
    assert len(set(gone)) == len(gone)
    staying = [p for p in pages if p.page_id not in gone]
    assert {p.session_id for p in staying} == set(
        list(dict.fromkeys(p.session_id for p in reversed(pages)))[: config.active_sessions]
    )
    for session in {p.session_id for p in staying}:
        of_session = [p for p in pages if p.session_id == session]
        kept = [p for p in staying if p.session_id == session]
        assert kept == of_session[-len(kept) :]
        fitting = next(
            n
            for n in range(min(len(of_session), config.capacity_pages), 0, -1)
            if sum(p.tokens for p in of_session[-n:-1]) <= config.capacity_tokens
        )
        assert len(kept) < fitting + config.batch_pages


@given(st.lists(st.booleans(), max_size=20), st.none() | st.just("before"), st.integers(0, 20))
def test_link_breaks_exactly_where_a_page_does_not_continue(
    continues: list[bool], previous: str | None, cut: int
) -> None:
    chains = link(continues, previous, map(str, count()).__next__)
    assert len(chains) == len(continues)
    for n, (chain, continuing) in enumerate(zip(chains, continues, strict=True)):
        before = chains[n - 1] if n else previous
        assert (chain == before) == (continuing and before is not None)
    fresh = map(str, count())
    head = link(continues[:cut], previous, fresh.__next__)
    tail = link(continues[cut:], head[-1] if head else previous, fresh.__next__)
    assert head + tail == chains
