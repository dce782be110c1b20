"""Roles: one table for every verb, asked in one place, at once, and nowhere to slip by."""

from __future__ import annotations

import contextvars
import inspect
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import (
    AccessError,
    AsyncGovernance,
    AsyncMemoryOS,
    AsyncNotes,
    AsyncTimeline,
    AsyncUserMemory,
    Governance,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    Message,
    Notes,
    NoteWrite,
    ShortTermConfig,
    StoreUnwritableError,
    Timeline,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.rules.safety.access import LEAST, ROLES, allows, least_role
from memoryos_core.values.events import Event, Recalled

CONFIG = MemoryConfig(worker=WorkerConfig(mode="manual"), short_term=ShortTermConfig(capacity_pages=2, batch_pages=1))
HANDLES = (UserMemory, Notes, Governance, Timeline)
TWINS = {
    UserMemory: AsyncUserMemory,
    Notes: AsyncNotes,
    Governance: AsyncGovernance,
    Timeline: AsyncTimeline,
}


def public(kind: type) -> dict[str, Any]:
    return {
        name: member
        for part in reversed(kind.__mro__[:-1])
        for name, member in vars(part).items()
        if not name.startswith("_") and inspect.isfunction(member)
    }


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with something in every tier: copied, for to fill it again takes its time."""
    path = tmp_path_factory.mktemp("filled") / "m.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=CONFIG) as memory:
        alice = memory.user("alice")
        for n in range(4):
            alice.add(f"I planted tomato number {n} in Lisbon", "Nice!")
        alice.consolidate()
        alice.remember("Alice has a dog called Biscuit", note=NoteWrite(("dogs",), "biscuit", "{}"))
    return path


@pytest.fixture
def url(filled: Path, tmp_path: Path) -> str:
    shutil.copy(filled, tmp_path / "m.db")
    return f"sqlite:///{tmp_path}/m.db"


@pytest.fixture
def memory(url: str) -> Iterator[MemoryOS]:
    with MemoryOS(url, embedder=None, answer_llm=lambda prompt: "an answer", config=CONFIG) as memory:
        yield memory


@pytest.fixture
def alice(memory: MemoryOS) -> UserMemory:
    return memory.user("alice")


def rows(url: str) -> dict[str, list[tuple[object, ...]]]:
    """Every table but the log."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr)
            for name in names
            if name != "memoryos_audit"
        }


def fact(handle: UserMemory) -> str:
    """The id of the fact that was told; read past the gate."""
    return handle._open().parts.store.facts(handle.scope)[0].id


def segment(handle: UserMemory) -> Any:
    return handle._open().parts.store.segments(handle.scope)[0]


CALLS: dict[str, Callable[[UserMemory], object]] = {
    "recall": lambda u: u.recall("Which tomato?"),
    "search": lambda u: u.search("Which tomato?"),
    "add": lambda u: u.add("Hello", "Hi"),
    "add_messages": lambda u: u.add_messages([Message("user", "Hello", id="m1")], once=True),
    "messages": lambda u: u.messages(),
    "transcript": lambda u: u.transcript(),
    "end_session": lambda u: u.end_session(note=NoteWrite(("a",), "b", "1")),
    "chat": lambda u: u.chat("Which tomato?"),
    "notes.write": lambda u: u.notes.write([NoteWrite(("a",), "b", "1")]),
    "notes.get": lambda u: u.notes.get(("a",), "b"),
    "notes.search": lambda u: u.notes.search((), "b"),
    "notes.namespaces": lambda u: u.notes.namespaces(),
    "notes.list": lambda u: u.notes.list(),
    "notes.of_facts": lambda u: u.notes.of_facts(["a"]),
    "pages": lambda u: u.pages(),
    "profile": lambda u: u.profile(),
    "facts": lambda u: u.facts(),
    "history": lambda u: u.history("home"),
    "disputes": lambda u: u.disputes(),
    "upcoming": lambda u: u.upcoming(),
    "segments": lambda u: u.segments(),
    "topics": lambda u: u.topics(),
    "heat": lambda u: u.heat(segment(u)),
    "epoch": lambda u: u.epoch(),
    "stats": lambda u: u.stats(),
    "inspect": lambda u: u.inspect(),
    "remember": lambda u: u.remember("Alice has a dog called Biscuit", note=NoteWrite(("dogs",), "b", "1")),
    "correct": lambda u: u.correct(fact(u), "Alice has a cat", note=NoteWrite(("dogs",), "b", "1")),
    "retire": lambda u: u.retire(fact(u)),
    "useful": lambda u: u.useful(fact(u)),
    "forget": lambda u: u.forget(facts=[fact(u)]),
    "forget.everything": lambda u: u.forget(everything=True),
    "consolidate": lambda u: u.consolidate(),
    "export": lambda u: list(u.export()),
    "governance.grant": lambda u: u.governance.grant("bot-9", "reader"),
    "governance.revoke": lambda u: u.governance.revoke("bot-9"),
    "governance.grants": lambda u: u.governance.grants(),
    "governance.audit": lambda u: u.governance.audit(),
    "governance.verify": lambda u: u.governance.verify(),
    "governance.retain": lambda u: u.governance.retain(),
    "governance.quarantined": lambda u: u.governance.quarantined(),
    "governance.recalls": lambda u: u.governance.recalls(),
    "governance.activity": lambda u: u.governance.activity(),
    "timeline.months": lambda u: u.timeline.months(),
    "timeline.sessions": lambda u: u.timeline.sessions(),
    "timeline.pages": lambda u: u.timeline.pages(session="default"),
    "timeline.facts": lambda u: u.timeline.facts(),
    "timeline.fact_counts": lambda u: u.timeline.fact_counts(),
    "governance.release": lambda u: u.governance.release([]),
    "governance.reject": lambda u: u.governance.reject([]),
}


@pytest.mark.parametrize("kind", HANDLES)
def test_every_public_verb_goes_through_the_gate_and_is_in_the_table(kind: type) -> None:
    for name, member in public(kind).items():
        assert getattr(member, "permitted_as", "has no @permitted") in LEAST, name


def test_the_table_names_only_verbs_that_there_are_and_all_of_them_are_tried_here() -> None:
    verbs = {member.permitted_as for kind in HANDLES for member in public(kind).values()}
    assert set(LEAST) == verbs | {"forget.everything"}
    assert set(CALLS) == set(LEAST)


@pytest.mark.parametrize("kind", HANDLES)
def test_coroutine_handles_have_the_same_verbs_and_arguments(kind: type) -> None:
    ours, theirs = public(kind), public(TWINS[kind])
    assert ours.keys() == theirs.keys()
    for name, member in ours.items():
        mine, other = inspect.signature(member).parameters, inspect.signature(theirs[name]).parameters
        assert list(mine.values())[1:] == list(other.values())[1:], name


def test_a_verb_keeps_its_signature_and_its_words() -> None:
    assert list(inspect.signature(UserMemory.add).parameters)[:3] == ["self", "user", "assistant"]
    assert (UserMemory.add.__doc__ or "").startswith("Remember one turn")
    assert UserMemory.add.__name__ == "add"


@pytest.mark.parametrize("verb", sorted(LEAST))
def test_the_least_role_is_enough_also_for_the_verbs_within(memory: MemoryOS, alice: UserMemory, verb: str) -> None:
    alice.governance.grant("bot", LEAST[verb])
    CALLS[verb](memory.user("alice", actor="bot"))
    assert [e for e in alice.governance.audit() if e.action == "denied"] == []


@pytest.mark.parametrize("verb", sorted(LEAST))
def test_whatever_hands_out_what_was_said_leaves_an_entry(memory: MemoryOS, alice: UserMemory, verb: str) -> None:
    alice.governance.grant("bot", "admin")
    noted = alice.governance.verify().entries
    shown = repr(CALLS[verb](memory.user("alice", actor="bot"))).lower()
    entries = [entry for entry in alice.governance.audit(after=noted) if entry.actor == "bot"]
    assert entries or not any(word in shown for word in ("tomato", "biscuit")), shown[:200]


@pytest.mark.parametrize("verb", sorted(LEAST))
def test_less_is_refused_changes_nothing_and_is_noted_once(
    memory: MemoryOS, alice: UserMemory, url: str, verb: str
) -> None:
    lesser = (None, *ROLES)[ROLES.index(LEAST[verb])]
    if lesser is not None:
        alice.governance.grant("bot", lesser)
    before, noted = rows(url), alice.governance.verify().entries
    with pytest.raises(AccessError):
        CALLS[verb](memory.user("alice", actor="bot"))
    alice._open().visits.count()  # had a recall noted any
    assert rows(url) == before
    (entry,) = alice.governance.audit(after=noted)
    assert (entry.actor, entry.action, entry.detail) == ("bot", "denied", {"verb": verb.split(".every")[0]})


def test_readers_can_recall_and_nothing_else() -> None:
    assert {verb for verb, least in LEAST.items() if allows("reader", least)} == {"recall", "search"}


def test_each_role_may_what_those_below_it_may() -> None:
    for role, other in pairwise(ROLES):
        assert allows(other, role)
        assert not allows(role, other)
    assert not allows(None, "reader")


def test_a_verb_that_nobody_entered_needs_the_greatest_role() -> None:
    assert least_role("something new", {}) == "admin"
    assert least_role("forget", {"everything": 1}) == "admin"
    assert least_role("forget", {"everything": False}) == "curator"


def test_the_application_itself_needs_no_role(alice: UserMemory) -> None:
    for verb in set(CALLS) - {"forget.everything", "forget", "correct", "retire", "useful"}:
        CALLS[verb](alice)


def test_a_role_holds_for_one_user_with_one_assistant(memory: MemoryOS, alice: UserMemory) -> None:
    alice.governance.grant("bot", "admin")
    for other in (memory.user("bob", actor="bot"), memory.user("alice", assistant_id="other", actor="bot")):
        with pytest.raises(AccessError):
            other.recall("Which tomato?")


def test_what_is_said_names_the_actor_and_nobody_else(memory: MemoryOS, alice: UserMemory) -> None:
    alice.governance.grant("bot", "reader")
    bot = memory.user("alice", actor="bot")
    with pytest.raises(AccessError, match=r"'bot' is a reader here, and 'add' needs the role 'writer'") as refused:
        bot.add("tomato", "tomato")
    assert "alice" not in str(refused.value)
    assert "tomato" not in str(refused.value)
    with pytest.raises(AccessError, match="'stranger' has no role here"):
        memory.user("alice", actor="stranger").recall("Which tomato?")


def test_who_is_revoked_is_out_at_once_in_every_process(memory: MemoryOS, alice: UserMemory, url: str) -> None:
    alice.governance.grant("bot", "reader")
    with MemoryOS(url, embedder=None, config=CONFIG) as elsewhere:
        bot = elsewhere.user("alice", actor="bot")
        assert bot.search("tomato")
        assert alice.governance.revoke("bot")
        with pytest.raises(AccessError):
            bot.search("tomato")
        assert not alice.governance.revoke("bot")


def test_a_role_takes_the_place_of_the_one_before(memory: MemoryOS, alice: UserMemory) -> None:
    alice.governance.grant("bot", "admin")
    alice.governance.grant("bot", "reader")
    alice.governance.grant("aide", "writer")
    assert [(g.actor, g.role) for g in alice.governance.grants()] == [("aide", "writer"), ("bot", "reader")]
    with pytest.raises(AccessError):
        memory.user("alice", actor="bot").governance.grant("bot", "admin")


def test_a_role_may_be_granted_before_anything_is_said(memory: MemoryOS) -> None:
    memory.user("carol").governance.grant("bot", "writer")
    memory.user("carol", actor="bot").add("Hello", "Hi")
    assert memory.user("carol").stats().pages == 1


def test_what_is_forgotten_takes_its_grants_along(memory: MemoryOS, alice: UserMemory) -> None:
    alice.governance.grant("bot", "admin")
    alice.forget(everything=True)
    assert alice.governance.grants() == []
    with pytest.raises(AccessError):
        memory.user("alice", actor="bot").recall("tomato")
    assert [e.action for e in alice.governance.audit()][-2:] == ["forget", "denied"]
    assert [e.detail.get("grants") for e in alice.governance.audit() if e.action == "forget"] == [1]


@pytest.mark.parametrize(("actor", "role"), [("bot", "owner"), ("", "reader"), ("worker", "reader"), (7, "reader")])
def test_what_is_no_role_or_no_name_is_refused(alice: UserMemory, actor: Any, role: str) -> None:
    with pytest.raises(InvalidInputError):
        alice.governance.grant(actor, role)
    assert alice.governance.grants() == []


@pytest.mark.parametrize("actor", ["", " ", "worker", 7, "a\x00b", "team:physio"])
def test_no_handle_is_made_for_what_is_no_name(memory: MemoryOS, actor: Any) -> None:
    with pytest.raises(InvalidInputError):
        memory.user("alice", actor=actor)


def test_a_generator_is_refused_when_it_is_asked_for(memory: MemoryOS, alice: UserMemory) -> None:
    alice.governance.grant("bot", "curator")
    with pytest.raises(AccessError):
        memory.user("alice", actor="bot").export()


def test_a_hook_cannot_do_more_than_the_actor_it_interrupts(url: str) -> None:
    tried: list[str] = []

    def hook(event: Event) -> None:
        if isinstance(event, Recalled):
            try:
                bot.forget(facts=[fact(bot)])
            except AccessError:
                tried.append("refused")
            for other in (memory.user("alice", actor="mallory"), memory.user("bob", actor="bot"), spare):
                try:
                    other.recall("dog")
                except AccessError:
                    tried.append(f"{other.gate.actor} of {other.scope.user_id} refused")
            memory.user("alice").remember("told by the application")

    with (
        MemoryOS(url, embedder=None, config=CONFIG, on_event=hook) as memory,
        MemoryOS("sqlite://", embedder=None, config=CONFIG) as elsewhere,
    ):
        alice, bot = memory.user("alice"), memory.user("alice", actor="bot")
        spare = elsewhere.user("alice", actor="bot")
        alice.governance.grant("bot", "reader")
        bot.recall("dog")
        assert tried == ["refused", "mallory of alice refused", "bot of bob refused", "bot of alice refused"]
        assert [f.text for f in alice.facts() if not f.page_ids][1:] == ["told by the application"]
        acts = [(e.actor, e.action) for e in alice.governance.audit()]
    assert acts[-4:] == [("bot", "denied"), ("mallory", "denied"), (None, "remember"), ("bot", "read")]


def test_a_context_that_outlives_the_verb_opens_nothing(url: str) -> None:
    kept: list[contextvars.Context] = []

    def hook(event: Event) -> None:
        if isinstance(event, Recalled):
            kept.append(contextvars.copy_context())

    with MemoryOS(url, embedder=None, config=CONFIG, on_event=hook) as memory:
        alice, bot = memory.user("alice"), memory.user("alice", actor="bot")
        alice.governance.grant("bot", "admin")
        bot.recall("dog")
        alice.governance.revoke("bot")
        with pytest.raises(AccessError):
            kept[0].run(bot.recall, "dog")
        kept[0].run(alice.add, "by the application", "yes")
        assert [(e.actor, e.action) for e in alice.governance.audit()][-1] == (None, "append")


def test_a_denial_that_cannot_be_noted_is_still_one(
    memory: MemoryOS, alice: UserMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise StoreUnwritableError("the disk is full")

    monkeypatch.setattr(alice._open().parts.store, "deny", full)
    with pytest.raises(AccessError):
        memory.user("alice", actor="bot").recall("tomato")
    assert "a denied recall could not be written to the audit log: StoreUnwritableError" in caplog.text


def test_to_look_at_a_handle_is_no_act(memory: MemoryOS, alice: UserMemory) -> None:
    noted = alice.governance.verify().entries
    assert "pages" not in memory.user("alice", actor="bot")._repr_html_()
    assert "pages" in alice._repr_html_()
    assert alice.governance.verify().entries == noted


async def test_coroutines_go_through_the_same_gate(url: str) -> None:
    async with AsyncMemoryOS(url, embedder=None, config=CONFIG) as memory:
        alice, bot = memory.user("alice"), memory.user("alice", actor="bot")
        await alice.add("I planted tomatoes", "Nice!")
        await alice.governance.grant("bot", "reader")
        assert (await bot.recall("tomatoes")).text
        for refused in (bot.add("x"), bot.notes.list(), bot.governance.grants()):
            with pytest.raises(AccessError):
                await refused
        with pytest.raises(AccessError):
            await anext(bot.export())
        denied = [e for e in await alice.governance.audit() if e.action == "denied"]
        assert [(e.actor, e.detail["verb"]) for e in denied] == [
            *(("bot", verb) for verb in ("add", "notes.list", "governance.grants", "export"))
        ]
        assert await alice.governance.revoke("bot")
        assert (await alice.governance.verify()).ok
        assert (await memory.verify_audit(progress=False)).ok
