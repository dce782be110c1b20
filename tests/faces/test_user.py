"""One user's memory through its public verbs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import (
    ClosedError,
    ConfigError,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    Message,
    MidTermConfig,
    ModelAnswerError,
    NotFoundError,
    ShortTermConfig,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.testing.fakes import FixedClock, ScriptedChat
from memoryos_core.values.events import Event, Forgotten, PageAdded, Recalled

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
SMALL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=2), worker=WorkerConfig(mode="manual", attempts=1)
)
Make = Callable[..., MemoryOS]


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def make(events: list[Event]) -> Iterator[Make]:
    opened: list[MemoryOS] = []

    def memory(url: str = "sqlite://", *, config: MemoryConfig = SMALL, llm: object = None) -> MemoryOS:
        opened.append(
            MemoryOS(url, embedder=None, llm=llm, config=config, clock=FixedClock(NOW), on_event=events.append)  # type: ignore[arg-type]
        )
        return opened[-1]

    yield memory
    for one in opened:
        one.close()


@pytest.fixture
def ada(make: Make) -> UserMemory:
    return make().user("ada", session_id="monday")


def bees(user: UserMemory, turns: int = 6) -> UserMemory:
    for i in range(turns):
        user.add(f"I keep bees in hive {i}.", f"Hive {i} hums.", timestamp=NOW - timedelta(days=30 - i))
    return user


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [m.text for m in messages]


# in


def test_a_handle_costs_nothing_and_says_whose_it_is(make: Make) -> None:
    memory = make()
    user = memory.user("ada", assistant_id="tutor", session_id="monday")
    assert (user.scope.user_id, user.scope.assistant_id, user.session_id) == ("ada", "tutor", "monday")
    assert memory.users() == []


def test_add_keeps_both_sides_with_names_and_time(ada: UserMemory, events: list[Event]) -> None:
    when = NOW - timedelta(days=3)
    page = ada.add("I keep bees.", "Lovely.", timestamp=when, user_name="Ada", assistant_name="Bot")
    assert [(m.role, m.text, m.name, m.timestamp) for m in ada.transcript()] == [
        ("user", "I keep bees.", "Ada", when),
        ("assistant", "Lovely.", "Bot", when),
    ]
    assert (page.session_id, page.timestamp, page.open) == ("monday", when, False)
    assert events == [PageAdded(ada.scope, page.id, "monday")]


def test_no_time_is_now_and_a_naive_time_is_utc(ada: UserMemory) -> None:
    assert ada.add("one").timestamp == NOW
    assert ada.add("two", timestamp=datetime(2020, 1, 1)).timestamp == datetime(2020, 1, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize("answer", [None, ""])
def test_an_answer_may_be_missing(ada: UserMemory, answer: str | None) -> None:
    assert not ada.add("anyone?", answer).open  # handed over as a turn: searched by meaning without waiting
    ada.add_messages([Message("assistant", "Me.")])
    assert ada.stats().pages == 1


def test_the_assistant_may_speak_first(ada: UserMemory) -> None:
    assert not ada.add("", "Good morning").open
    assert texts(ada.messages()) == ["Good morning"]


def test_no_messages_are_no_pages(ada: UserMemory, events: list[Event]) -> None:
    assert ada.add_messages([]) == ()
    assert events == []


def test_the_window_is_bounded_and_the_transcript_is_not(ada: UserMemory) -> None:
    bees(ada)
    assert texts(ada.messages()) == ["I keep bees in hive 4.", "Hive 4 hums.", "I keep bees in hive 5.", "Hive 5 hums."]
    ada.consolidate()
    assert len(ada.messages()) == 4
    assert len(ada.transcript()) == 12


def test_two_handles_of_one_session_at_once_lose_and_tear_nothing(make: Make, tmp_path: Path) -> None:
    memories = [make(f"sqlite:///{tmp_path}/m.db") for _ in range(2)]

    def write(n: int) -> None:
        user = memories[n % 2].user("ada", session_id="s")
        for i in range(10):
            user.add_messages([Message("user", f"{n} asks {i}"), Message("assistant", f"{n} hears {i}")])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    said = texts(memories[0].user("ada", session_id="s").transcript())
    assert sorted(said) == sorted(f"{n} {verb} {i}" for n in range(4) for i in range(10) for verb in ("asks", "hears"))
    for question, answer in zip(said[::2], said[1::2], strict=True):
        assert question.replace("asks", "hears") == answer


# out


def test_recall_tells_the_hook_and_keeps_to_its_budget(ada: UserMemory, events: list[Event]) -> None:
    bees(ada).consolidate()
    recall = ada.recall("bees", budget_tokens=80)
    assert 0 < recall.tokens <= 80
    told = [e for e in events if isinstance(e, Recalled)]
    assert [(e.hits, e.tokens) for e in told] == [(len(recall.hits), recall.tokens)]


def test_the_configured_budget_is_the_default(make: Make) -> None:
    config = replace(SMALL, recall=replace(SMALL.recall, budget_tokens=90))
    ada = bees(make(config=config).user("ada"))
    assert ada.recall("bees").budget_tokens == 90


def test_a_visit_is_counted_once_a_recall_and_not_by_the_recall(ada: UserMemory) -> None:
    bees(ada).consolidate()
    assert [s.n_visit for s in ada.segments()] == [0]
    for _ in range(3):
        assert len([h for h in ada.recall("bees").hits if h.segment_id]) > 1
    assert [s.n_visit for s in ada._open().parts.store.segments(ada.scope)] == [0]
    assert [s.n_visit for s in ada.segments()] == [3]
    ada.consolidate()
    assert [s.n_visit for s in ada.segments()] == [3]
    ada.consolidate()
    assert [s.n_visit for s in ada.segments()] == [3]


def test_a_fact_is_visited_too(ada: UserMemory) -> None:
    fact = ada.remember("Ada is allergic to nuts")
    ada.recall("allergic to nuts")
    ada.consolidate()
    assert [(f.id, f.visits) for f in ada.facts()] == [(fact.id, 1)]


def test_a_search_is_no_visit(ada: UserMemory) -> None:
    bees(ada).consolidate()
    ada.search("bees")
    ada.consolidate()
    assert [s.n_visit for s in ada.segments()] == [0]


def test_visits_of_what_was_forgotten_meanwhile_harm_nothing(ada: UserMemory) -> None:
    bees(ada).consolidate()
    ada.recall("bees")
    ada.forget(everything=True)
    ada.consolidate()
    assert ada.segments() == []


def test_search_gives_provenance(ada: UserMemory) -> None:
    page = bees(ada).add("The queen is marked blue.", "Noted.")
    hit = ada.search("queen blue", 1)[0]
    assert (hit.id, hit.page_ids, hit.session_id, hit.about, hit.tier) == (
        page.id,
        (page.id,),
        "monday",
        "user",
        "short_term",
    )
    assert hit.messages == page.messages[:1]


def test_segments_come_hottest_first(make: Make) -> None:
    config = replace(SMALL, mid_term=MidTermConfig(lexical_join_threshold=1.2))
    ada = bees(make(config=config).user("ada"), 3)
    for _ in range(8):
        ada.add("The opera in Graz was sold out.", "A pity.")
    ada.consolidate()
    heats = [ada.heat(s) for s in ada.segments()]
    assert len(heats) > 1
    assert heats == sorted(heats, reverse=True)


def test_what_is_kept_and_known_is_counted(make: Make, ada: UserMemory) -> None:
    bees(ada).consolidate()
    ada.remember("Ada is allergic to nuts")
    ada.remember("The assistant promised to be brief", about="assistant")
    stats = ada.stats()
    assert (stats.users, stats.sessions, stats.pages, stats.pages_short_term, stats.pages_mid_term) == (1, 1, 6, 1, 5)
    assert stats.segments == len(ada.segments())
    assert (stats.facts_user, stats.facts_assistant) == (len(ada.facts("user")), len(ada.facts("assistant")))
    assert stats.facts_assistant >= 1


@pytest.mark.parametrize(
    "said",
    [
        "I live in Graz, I'm allergic to nuts and I have a cat called Moth.",
        "I live in Graz.",
        "My parents moved to Linz.",
        "Which bread do you like?",
    ],
)
def test_as_many_fields_are_counted_as_the_profile_shows(make: Make, said: str) -> None:
    ada = make().user("ada")
    ada.add(said, "I see.")
    ada.end_session()
    ada.consolidate()
    assert ada.stats().profile_fields == len(ada.profile().fields)
    ada.add("I moved to Wels.", "I see.")
    ada.end_session()
    ada.consolidate()
    assert ada.stats().profile_fields == len(ada.profile().fields)


# chat


def test_chat_recalls_asks_and_remembers(make: Make) -> None:
    model = ScriptedChat(["In hives."])
    ada = bees(make(llm=model).user("ada"), 2)
    assert ada.chat("Where do I keep bees?") == "In hives."
    (request,) = model.requests
    assert "I keep bees in hive 0." in request.prompts[-1].text
    assert texts(ada.transcript())[-2:] == ["Where do I keep bees?", "In hives."]


def test_a_failed_answer_remembers_nothing(make: Make) -> None:
    ada = make(llm=ScriptedChat([" "])).user("ada")
    with pytest.raises(ModelAnswerError):
        ada.chat("Where do I keep bees?")
    assert ada.transcript() == ()


def test_chat_without_a_model_says_so(ada: UserMemory) -> None:
    with pytest.raises(ConfigError, match="pass llm="):
        ada.chat("Where do I keep bees?")


# explicit memory


def test_what_is_told_on_purpose_is_kept_stripped_and_survives_its_pages(ada: UserMemory) -> None:
    fact = ada.remember("  Ada is allergic to nuts ")
    assert (fact.text, fact.about, fact.page_ids, fact.trust) == ("Ada is allergic to nuts", "user", (), "user")
    bees(ada).forget(session=True)
    assert ada.facts() == [fact]
    assert "- Ada is allergic to nuts" in ada.recall("nuts").text


@pytest.mark.parametrize("blank", ["", " \n"])
def test_nothing_cannot_be_remembered(ada: UserMemory, blank: str) -> None:
    with pytest.raises(InvalidInputError, match="nothing to remember"):
        ada.remember(blank)
    assert ada.facts(current=False) == []


def test_a_correction_takes_the_place_of_what_was_known(ada: UserMemory) -> None:
    old = ada.remember("Ada lives in Paris", about="assistant")
    new = ada.correct(old.id, "Ada lives in Lisbon")
    assert (new.about, ada.facts()) == ("assistant", [new])
    history = {f.id: (f.status, f.superseded_by, f.valid_until) for f in ada.facts(current=False)}
    assert history == {old.id: ("superseded", new.id, NOW), new.id: ("current", None, None)}
    assert "Paris" not in ada.recall("Where does Ada live?").text


def test_only_a_current_fact_of_ones_own_can_be_corrected(make: Make) -> None:
    memory = make()
    ada, bob = memory.user("ada"), memory.user("bob")
    old = ada.remember("Ada lives in Paris")
    ada.correct(old.id, "Ada lives in Lisbon")
    for user, fact_id in ((ada, "unknown"), (ada, old.id), (bob, ada.facts()[0].id)):
        with pytest.raises(NotFoundError, match="no current fact has the id"):
            user.correct(fact_id, "Ada lives in Rome")


# forgetting


def test_forgetting_names_what_went_and_it_is_gone(ada: UserMemory, events: list[Event]) -> None:
    secret = bees(ada).add("My safe opens with 4711.", "I will forget it.")
    assert ada.search("safe opens")
    receipt = ada.forget(pages=[secret])
    assert (receipt.pages, receipt.pages_short_term) == (1, 1)
    assert ada.search("safe 4711") == []
    assert not any("4711" in text for text in texts(ada.transcript()))
    assert [e for e in events if isinstance(e, Forgotten)] == [Forgotten(ada.scope, 1, 0)]


def test_facts_are_forgotten_by_value_or_id(ada: UserMemory) -> None:
    one, two = ada.remember("Ada sings"), ada.remember("Ada sails")
    assert ada.forget(facts=[one, two.id]).facts == 2
    assert ada.facts(current=False) == []


def test_a_session_is_forgotten_alone(make: Make) -> None:
    memory = make()
    monday, tuesday = (memory.user("ada", session_id=day) for day in ("monday", "tuesday"))
    bees(monday, 2)
    tuesday.add("The opera was fine.", "Good.")
    assert monday.forget(session=True).pages == 2
    assert monday.transcript() == ()
    assert len(tuesday.transcript()) == 2


def test_everything_is_everything_of_this_user_with_this_assistant(make: Make) -> None:
    memory = make()
    ada, other, bob = memory.user("ada"), memory.user("ada", assistant_id="tutor"), memory.user("bob")
    for user in (ada, other, bob):
        bees(user).consolidate()
        user.remember("Likes honey")
    receipt = ada.forget(everything=True)
    assert (receipt.pages, receipt.segments > 0, receipt.facts > 0) == (6, True, True)
    assert (ada.stats().pages, list(ada.export())[1:], bool(ada.recall("bees"))) == (0, [], False)
    assert other.stats().pages == bob.stats().pages == 6


def test_forgetting_nothing_in_particular_is_refused(ada: UserMemory) -> None:
    with pytest.raises(InvalidInputError, match="say what to forget"):
        ada.forget()


@pytest.mark.parametrize("given", ["false", "yes", "true", 1, ["x"], b"x"])
@pytest.mark.parametrize("name", ["everything", "session"])
def test_only_true_forgets_much(ada: UserMemory, name: str, given: object) -> None:
    """`everything="false"`, out of a form or a URL, counts as true to Python."""
    ada.add("hello", "hi")
    pages, epoch = [page.id for page in ada.pages()], ada.epoch()
    for more in ({}, {"pages": pages}):
        with pytest.raises(InvalidInputError, match=f"{name} must be True or False"):
            ada.forget(**{name: given, **more})  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        ada.forget(pages=pages, **{name: ""})  # type: ignore[arg-type]
    assert [page.id for page in ada.pages()] == pages
    assert ada.epoch() == epoch


def test_what_was_read_before_an_erasure_can_be_told(make: Make) -> None:
    memory = make()
    ada, bob = memory.user("ada"), memory.user("bob")
    fact = ada.remember("Ada sings")
    ada.add("hello", "hi")
    before, others = ada.epoch(), bob.epoch()
    ada.recall("hello")
    ada.end_session()
    assert ada.epoch() == before
    seen = [before]
    for forget in (lambda: ada.forget(facts=[fact]), lambda: ada.forget(pages=ada.pages())):
        forget()
        seen.append(ada.epoch())
    ada.add("again", "hi")
    ada.forget(everything=True)
    seen.append(ada.epoch())
    assert len(set(seen)) == len(seen)
    assert bob.epoch() == others


def test_the_configuration_can_be_read(make: Make) -> None:
    assert make().config == SMALL
    other = replace(SMALL, short_term=ShortTermConfig(capacity_pages=3))
    memory = make(config=other)
    assert memory.config == other
    memory.close()


# closed


def test_every_verb_of_a_closed_memory_says_that_it_is_closed(make: Make) -> None:
    memory = make()
    ada = memory.user("ada")
    memory.close()
    calls: dict[str, Callable[[], object]] = {
        "add": lambda: ada.add("hello"),
        "add_messages": lambda: ada.add_messages([Message("user", "hello")]),
        "messages": ada.messages,
        "transcript": ada.transcript,
        "recall": lambda: ada.recall("bees"),
        "search": lambda: ada.search("bees"),
        "chat": lambda: ada.chat("bees?"),
        "profile": ada.profile,
        "history": lambda: ada.history("home"),
        "disputes": ada.disputes,
        "upcoming": ada.upcoming,
        "facts": ada.facts,
        "segments": ada.segments,
        "topics": ada.topics,
        "heat": lambda: ada.heat(None),  # type: ignore[arg-type]
        "stats": ada.stats,
        "remember": lambda: ada.remember("nuts"),
        "correct": lambda: ada.correct("f", "nuts"),
        "retire": lambda: ada.retire("f"),
        "useful": lambda: ada.useful("f"),
        "forget": lambda: ada.forget(everything=True),
        "export": lambda: list(ada.export()),
        "consolidate": ada.consolidate,
        "end_session": ada.end_session,
        "epoch": ada.epoch,
        "inspect": ada.inspect,
        "pages": ada.pages,
    }
    public = {name for name, _ in inspect.getmembers(UserMemory, inspect.isfunction) if not name.startswith("_")}
    assert set(calls) == public
    for name, call in calls.items():
        with pytest.raises(ClosedError, match="was closed"):
            call()
        assert name in public


def test_segments_and_their_heat_do_not_wait_for_a_worker(tmp_path: Path) -> None:
    short = ShortTermConfig(capacity_pages=1, batch_pages=1)
    config = MemoryConfig(worker=WorkerConfig(mode="manual"), short_term=short)
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config) as memory:
        ann = memory.user("ann")
        for text in ("I grow tomatoes.", "I sail on Sundays.", "I play the cello."):
            ann.add(text, "Good.")
        ann.consolidate()
        for _ in range(3):
            memory.user("ann", session_id="later").recall("When do I sail?")
        waiting = [(s.id, s.n_visit, s.last_access) for s in ann.segments()]
        assert max(visits for _, visits, _ in waiting) == 3
        ann.consolidate()
        assert [(s.id, s.n_visit, s.last_access) for s in ann.segments()] == waiting


def test_a_dry_run_of_forget_erases_nothing_and_tells_nobody(make: Make, events: list[Event]) -> None:
    with make() as memory:
        alice = memory.user("alice")
        alice.add("I keep bees.", "They hum.")
        fact = alice.remember("Alice likes tea")
        events.clear()
        before = alice.stats()
        entries = alice.governance.audit()
        planned = alice.forget(pages=alice.pages(), facts=[fact], dry_run=True)
        assert (planned.pages, planned.facts) == (1, 1)
        assert [e for e in events if isinstance(e, Forgotten)] == []
        assert alice.stats() == before
        assert alice.governance.audit() == entries
        assert alice.search("bees")
        assert alice.forget(pages=alice.pages(), facts=[fact]) == planned


BEYOND: list[tuple[Callable[[UserMemory], object], int]] = [
    (lambda user: user.upcoming(days=10**9), 36_500),
    (lambda user: user.upcoming(days=0), 36_500),
    (lambda user: user.search("tea", k=2**60), 2**53),
    (lambda user: user.recall("tea", budget_tokens=2**60), 2**53),
    (lambda user: user.messages(budget_tokens=2**60), 2**53),
]


@pytest.mark.parametrize(("ask", "most"), BEYOND)
def test_a_number_beyond_its_limit_names_the_limit(ask: Callable[[UserMemory], object], most: int) -> None:
    with MemoryOS("sqlite://", embedder=None) as memory, pytest.raises(InvalidInputError, match=f"to {most}$"):
        ask(memory.user("ada"))


# ------------------------------------------------------------------------------------ whose words a told fact is in

OF_THE_USER = [
    "I am allergic to cats.",
    "I'm vegan.",
    "i have a cat called Moth",
    "My sister keeps cats.",
    "We live in Oslo with two cats.",
    "Since 2019 I have had a cat.",
    "Ich bin gegen Katzen allergisch.",
    "Je suis allergique aux chats.",
    "Tengo alergia a los gatos.",
    "我对猫过敏。",
]
NOT_OF_THE_USER = [
    "Ada is allergic to cats.",
    "The user is allergic to cats.",
    'Ada said: "I am allergic to cats."',
    '"I am the cat" is a song that Ada likes.',
    "Type I reactions to cats run in Ada's family.",
    "Elizabeth I had cats, and is Ada's favourite queen.",
    "My Fair Cat is Ada's favourite film.",
    "I gatti di Marco sono neri.",
    "Ada hat eine Allergie gegen Katzen.",
]


@pytest.mark.parametrize("text", OF_THE_USER)
def test_a_fact_in_the_first_person_is_shown_as_the_users_words(ada: UserMemory, text: str) -> None:
    fact = ada.remember(text)
    assert (fact.text, ada.remember(text).id) == (text, fact.id), "it is kept as given"
    told = ada.recall(text, budget_tokens=500)
    (shown,) = [line for line in told.text.splitlines() if line.startswith(f"- {text}")]
    assert shown.startswith(f"- {text} (the user's words) (")
    assert told.hits[0].text == text


@pytest.mark.parametrize("text", NOT_OF_THE_USER)
def test_a_fact_in_other_words_is_shown_as_it_is(ada: UserMemory, text: str) -> None:
    ada.remember(text)
    told = ada.recall(text, budget_tokens=500)
    assert text in told.text
    assert "words)" not in told.text


def test_a_fact_about_the_assistant_is_shown_as_its_own(ada: UserMemory) -> None:
    ada.remember("I promised Ada to be brief about cats.", about="assistant")
    told = ada.recall("What did you promise about cats?")
    assert "promised Ada" in told.text
    assert "words)" not in told.text
