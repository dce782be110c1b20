"""Long-term memory over a real store: new, the same, in place of something, or one too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.config import LongTermConfig
from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.tiers.candidates import Candidate
from memoryos_core.tiers.drafts import nearest
from memoryos_core.tiers.long_term import LongTerm
from memoryos_core.values.commands import (
    Append,
    EmbedderStamp,
    FactChange,
    Forgetting,
    Learning,
    NewPage,
    PageQuery,
    Promotion,
    VectorRow,
)
from memoryos_core.values.dialogue import Message, Scope, Vector
from memoryos_core.values.facts import About, Fact, ProfileField, Trait, Trust

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
ADA = Scope("ada")
EAST, NORTH = (np.array(v, dtype=np.float32) for v in ((1, 0), (0, 1)))


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store("sqlite://")
    opened.stamp_embedder(EmbedderStamp("compass", 2))
    page = NewPage((Message("user", "hi", timestamp=NOW), Message("assistant", "ho", timestamp=NOW)), 2, open=False)
    opened.append(Append(ADA, "s", (page,) * 6, NOW))
    yield opened
    opened.close()


def tier(store: Store, **config) -> LongTerm:
    return LongTerm(store, LongTermConfig(**config), FixedClock(NOW))


def fact(fact_id: str, text: str, *, about: About = "user", age: int = 0, trust: Trust = "user", **rest) -> Fact:
    when = NOW - timedelta(days=age)
    return Fact(fact_id, about, text, learned_at=when, valid_from=when, trust=trust, **rest)


def found(fact_id: str, text: str, *, replaces: str | None = None, vector: Vector | None = None, **rest) -> Candidate:
    return Candidate(fact(fact_id, text, **rest), replaces, vector)


def know(store: Store, *facts: Fact, vectors: tuple[VectorRow, ...] = ()) -> None:
    store.promote(Promotion(ADA, Learning(facts=facts, vectors=vectors), NOW))


def file(store: Store, learning: Learning) -> list[str]:
    store.promote(Promotion(ADA, learning, NOW))
    return [f.text for f in store.facts(ADA)]


def page_ids(store: Store) -> list[str]:
    return [p.id for p in store.pages(PageQuery(ADA))]


def test_what_is_new_is_added_with_its_vector(store: Store) -> None:
    learning = tier(store).learning(ADA, [found("f1", "Ada keeps bees.", vector=EAST)])
    assert [f.id for f in learning.facts] == ["f1"]
    assert learning.vectors == (VectorRow("f1", "fact", EAST),)
    assert learning.changes == ()
    assert file(store, learning) == ["Ada keeps bees."]


@pytest.mark.parametrize("text", ["Ada keeps bees.", "ada KEEPS the bees!", "Bees, Ada keeps."])
def test_the_same_in_the_same_words_is_evidence(store: Store, text: str) -> None:
    first, second = page_ids(store)[:2]
    know(store, fact("f1", "Ada keeps bees.", page_ids=(first,)))
    learning = tier(store).learning(ADA, [found("f2", text, page_ids=(second,)), found("f3", text, page_ids=(second,))])
    assert learning.facts == ()
    assert learning.changes == (FactChange("f1", add_page_ids=(second,)),)
    file(store, learning)
    assert store.facts(ADA)[0].page_ids == (first, second)


def test_the_same_about_somebody_else_is_news(store: Store) -> None:
    know(store, fact("f1", "Keeps bees."))
    learning = tier(store).learning(ADA, [found("f2", "Keeps bees!", about="assistant")])
    assert [f.id for f in learning.facts] == ["f2"]


def test_the_same_meaning_is_evidence_when_an_embedder_says_so(store: Store) -> None:
    know(store, fact("f1", "Ada keeps bees."), vectors=(VectorRow("f1", "fact", EAST),))
    same = found("f2", "She has an apiary.", vector=EAST, page_ids=tuple(page_ids(store)[:1]))
    other = found("f3", "She sings in a choir.", vector=NORTH)
    learning = tier(store).learning(ADA, [same, other])
    assert [f.id for f in learning.facts] == ["f3"]
    assert [c.fact_id for c in learning.changes] == ["f1"]


def test_a_vector_of_another_embedder_says_nothing(store: Store) -> None:
    know(store, fact("f1", "Ada keeps bees."), vectors=(VectorRow("f1", "fact", EAST),))
    learning = tier(store).learning(ADA, [found("f2", "An apiary.", vector=np.ones(5, dtype=np.float32))])
    assert [f.id for f in learning.facts] == ["f2"]


def test_two_that_say_the_same_in_one_reading_are_one(store: Store) -> None:
    one, two = page_ids(store)[:2]
    wordings = [
        found("f1", "Ada keeps bees.", page_ids=(one,), vector=EAST),
        found("f2", "Ada keeps bees.", page_ids=(two,)),
        found("f3", "An apiary.", page_ids=(one,), vector=EAST),
    ]
    learning = tier(store).learning(ADA, wordings)
    assert [(f.id, f.page_ids) for f in learning.facts] == [("f1", (one, two))]


def test_a_correction_supersedes_from_when_the_new_one_holds(store: Store) -> None:
    know(store, fact("f1", "Ada lives in Paris.", age=90))
    learning = tier(store).learning(ADA, [found("f2", "Ada lives in Lisbon.", replaces="f1", age=10)])
    change = FactChange("f1", "superseded", NOW - timedelta(days=10), "f2")
    assert learning.changes == (change,)
    assert file(store, learning) == ["Ada lives in Lisbon."]


def test_a_correction_in_the_same_words_corrects_nothing(store: Store) -> None:
    know(store, fact("f1", "Ada lives in Paris."))
    learning = tier(store).learning(ADA, [found("f2", "Ada lives in Paris.", replaces="f1")])
    assert (learning.facts, [c.status for c in learning.changes]) == ((), [None])


def test_a_correction_that_only_sounds_the_same_is_one(store: Store) -> None:
    know(store, fact("f1", "Ada has 3 cats."), vectors=(VectorRow("f1", "fact", EAST),))
    learning = tier(store).learning(ADA, [found("f2", "Ada has 4 cats.", replaces="f1", vector=EAST)])
    assert [f.id for f in learning.facts] == ["f2"]


def test_moving_there_and_back_in_one_reading_ends_where_it_began(store: Store) -> None:
    know(store, fact("f1", "Ada lives in Paris."))
    away = found("f2", "Ada lives in Lisbon.", replaces="f1")
    back = found("f3", "Ada lives in Paris.", replaces="f2")
    assert file(store, tier(store).learning(ADA, [away, back])) == ["Ada lives in Paris."]
    history = {f.id: (f.status, f.superseded_by) for f in store.facts(ADA, current=False)}
    assert history == {"f1": ("superseded", "f2"), "f2": ("superseded", "f3"), "f3": ("current", None)}


def test_what_is_retired_may_be_learnt_again(store: Store) -> None:
    know(store, fact("f1", "Ada keeps bees."), fact("f0", "Ada keeps bees."))
    learning = tier(store).learning(ADA, [found("f2", "Ada keeps bees.")], retired=["f1", "f0", "unknown"])
    assert {c.fact_id: (c.status, c.valid_until) for c in learning.changes} == {
        "f1": ("retired", NOW),
        "f0": ("retired", NOW),
    }
    assert [f.id for f in learning.facts] == ["f2"]


def test_pages_that_are_read_again_bring_back_nothing_that_was_replaced(store: Store) -> None:
    page, other, *_ = page_ids(store)
    file(store, tier(store).learning(ADA, [found("f1", "Ada lives in Paris.", page_ids=(page,))]))
    file(store, tier(store).learning(ADA, [found("f2", "Ada lives in Lisbon.", replaces="f1")]))
    store.forget(Forgetting(ADA, fact_ids=("f2",)))
    learnt = [found("f3", "Ada lives in Paris.", page_ids=(page,)), found("f4", "Ada keeps bees.", page_ids=(page,))]
    assert [c.fact.id for c in tier(store).not_replaced(ADA, learnt)] == ["f4"]
    said_anew = [found("f5", "Ada lives in Paris.", page_ids=(other,))]
    assert tier(store).not_replaced(ADA, said_anew) == said_anew


def test_beyond_capacity_the_oldest_go_under_fifo_each_side_by_itself(store: Store) -> None:
    know(
        store,
        fact("old", "Ada sails.", age=9, visits=50),
        fact("young", "Ada knits.", age=1),
        fact("other", "The assistant rhymes.", about="assistant", age=99),
    )
    learning = tier(store, capacity_facts=2, eviction="fifo").learning(ADA, [found("new", "Ada keeps bees.")])
    assert learning.changes == (FactChange("old", status="evicted"),)


def test_beyond_capacity_the_least_valuable_go(store: Store) -> None:
    told = fact("told", "Ada is allergic to nuts.", age=99)
    weak = fact("weak", "Ada may like jazz.", trust="assistant", page_ids=(page_ids(store)[0],))
    asked = fact("asked", "Ada owns a boat.", age=50, visits=3, page_ids=(page_ids(store)[0],))
    know(store, told, asked)
    learning = tier(store, capacity_facts=2).learning(ADA, [Candidate(weak)])
    assert learning == Learning()


def test_what_is_not_kept_is_nobodys_successor(store: Store) -> None:
    known = {"f0": "Ada swims.", "f1": "Ada lives in Paris.", "f2": "Ada owns a boat.", "f3": "Ada knits."}
    trusts: dict[str, Trust] = {"f1": "tool"}
    know(store, *(fact(fact_id, text, age=9, trust=trusts.get(fact_id, "user")) for fact_id, text in known.items()))
    weak = found("f4", "Ada lives in Lisbon.", replaces="f1", trust="tool", page_ids=(page_ids(store)[0],))
    learning = tier(store, capacity_facts=2).learning(ADA, [weak], retired=["f0"])
    assert learning.facts == ()
    assert learning.changes == (FactChange("f0", "retired", NOW), FactChange("f1", "superseded", NOW, None))
    assert file(store, learning) == ["Ada owns a boat.", "Ada knits."]


def test_only_what_changed_in_the_profile_is_written(store: Store) -> None:
    old = Learning(
        traits=(Trait("Openness", "high", "asks", NOW), Trait("Safety", "low", "climbs", NOW)),
        profile=(ProfileField("name", "Ada", NOW), ProfileField("city", "Paris", NOW)),
    )
    store.promote(Promotion(ADA, old, NOW))
    later = NOW + timedelta(days=1)
    learning = tier(store).learning(
        ADA,
        [],
        profile=[
            ProfileField("city", "Lisbon", later),
            ProfileField("city", "Rome", NOW),
            ProfileField("name", "Ada", later),
            ProfileField("job", "  ", later),
        ],
        traits=[
            Trait("Openness", "high", "asks", later),
            Trait("Safety", "low", "dives", later),
            Trait("Agreeableness", "high", "", later),
        ],
    )
    assert [(f.name, f.value) for f in learning.profile] == [("city", "Lisbon")]
    assert [t.dimension for t in learning.traits] == ["Safety", "Agreeableness"]


def test_the_nearest_known_facts_are_shown_by_meaning_and_words(store: Store) -> None:
    facts = [fact(f"f{i}", text) for i, text in enumerate(["Ada keeps bees.", "Ada sings.", "Ada owns a boat."])]
    know(store, *facts, vectors=(VectorRow("f2", "fact", NORTH), VectorRow("f0", "fact", EAST)))
    written = NewPage((Message("user", "we sing", timestamp=NOW),), 2, open=False)
    (sung,) = store.append(Append(ADA, "sung", (written,), NOW))
    old = replace(sung, timestamp=NOW - timedelta(days=900))
    assert [f.id for f in nearest(store, ADA, [sung], NORTH, limit=2)] == ["f2", "f1"]
    assert [f.id for f in nearest(store, ADA, [sung], NORTH, drafts=facts[2:], limit=2)] == ["f1", "f0"]
    assert nearest(store, ADA, [sung], NORTH, limit=0) == ()
    assert nearest(store, ADA, [old], NORTH, limit=2) == ()
    assert nearest(store, Scope("bob"), [sung], NORTH, limit=2) == ()


@pytest.mark.parametrize(
    ("heir", "gone"),
    [
        (found("n", "Ada lives in Porto now."), True),
        (found("n", "Ada lives in Porto now.", trust="tool"), False),
        (found("n", "Ada lives in Porto now.", status="quarantined"), False),
        (None, False),
    ],
    ids=["as trusted", "less trusted", "held back", "nothing"],
)
def test_a_draft_goes_for_what_says_it_as_well_and_hands_over_what_it_ended(
    store: Store, heir: Candidate | None, gone: bool
) -> None:
    know(
        store,
        fact("old", "Ada lives in Lisbon.", age=9, status="superseded", valid_until=NOW, superseded_by="draft"),
        fact("draft", "Ada moved to Porto.", page_ids=tuple(page_ids(store)[:1]), origin="rules"),
    )
    candidates = [heir] if heir is not None else []
    dropped = {"draft": "n" if heir is not None else None}
    file(store, tier(store).learning(ADA, candidates, dropped=dropped))
    there = {f.id: f for f in store.facts(ADA, current=False)}
    assert there["draft"].status == ("evicted" if gone else "current")
    assert (there["old"].status, there["old"].superseded_by) == ("superseded", "n" if gone else "draft")
    following = tier(store).learning(ADA, [found("m", "Ada lives in Faro.")])
    assert ("n" if gone else "draft") in {c.fact_id for c in following.changes}


def test_a_draft_that_the_models_fact_of_its_page_replaces_never_held(store: Store) -> None:
    cited = tuple(page_ids(store)[:1])
    know(
        store,
        fact("old", "Ada lives in Lisbon.", age=9, status="superseded", valid_until=NOW, superseded_by="draft"),
        fact("draft", "Ada lives in Faro.", page_ids=cited, origin="rules"),
        fact("other", "Ada is 30.", page_ids=tuple(page_ids(store)[1:2]), origin="rules"),
    )
    told = [
        found("n", "Ada lives in Porto.", page_ids=cited, origin="model"),
        found("m", "Ada is 31.", page_ids=cited, origin="model"),
    ]
    file(store, tier(store).learning(ADA, told))
    there = {f.id: f for f in store.facts(ADA, current=False)}
    assert (there["draft"].status, there["old"].superseded_by) == ("evicted", "n")
    assert (there["other"].status, there["other"].superseded_by) == ("superseded", "m")
    following = tier(store).learning(ADA, [found("p", "Ada lives in Braga.", origin="model")])
    assert {c.fact_id for c in following.changes} == {"n"}


def test_a_draft_that_tells_nothing_goes_for_nothing(store: Store) -> None:
    know(store, fact("draft", "Ada hides under a blanket.", page_ids=tuple(page_ids(store)[:1]), origin="rules"))
    assert file(store, tier(store).learning(ADA, [], dropped={"draft": None, "unknown": None})) == []


sentences = st.sampled_from(
    ["Ada keeps bees.", "Ada sings.", "Ada owns a boat.", "Bob rows.", "It rains.", "bees keeps Ada"]
)


@given(
    known=st.lists(sentences, max_size=4),
    new=st.lists(st.tuples(sentences, st.integers(0, 5), st.sampled_from(get_args(Trust))), max_size=6),
    retired=st.sets(st.integers(0, 3), max_size=2),
    capacity=st.integers(1, 5),
    eviction=st.sampled_from(["fifo", "lowest_value"]),
)
def test_capacity_holds_and_nothing_dangles(known, new, retired, capacity: int, eviction: str) -> None:
    store = open_store("sqlite://")
    try:
        know(store, *(fact(f"k{i}", text, age=i) for i, text in enumerate(known[:capacity])))
        candidates = [found(f"n{i}", text, replaces=f"k{old}", trust=trust) for i, (text, old, trust) in enumerate(new)]
        mine = tier(store, capacity_facts=capacity, eviction=eviction)
        learning = mine.learning(ADA, candidates, retired=[f"k{i}" for i in retired])
        file(store, learning)
        everything = store.facts(ADA, current=False)
        assert len(store.facts(ADA)) <= capacity
        assert {f.superseded_by for f in everything} <= {None, *(f.id for f in everything)}
        assert len({c.fact_id for c in learning.changes}) == len(learning.changes)
        texts = [f.text for f in store.facts(ADA)]
        assert len(texts) == len(set(texts)) or len(known) != len(set(known))
    finally:
        store.close()


def test_a_superseded_fact_keeps_the_evidence_it_gained_before(store: Store) -> None:
    (first, *_) = page_ids(store)
    know(store, fact("f1", "Ada lives in Paris."))
    again = found("f2", "Ada lives in Paris.", page_ids=(first,))
    moved = found("f3", "Ada lives in Lisbon.", replaces="f1")
    learning = tier(store).learning(ADA, [again, moved])
    file(store, learning)
    old = next(f for f in store.facts(ADA, current=False) if f.id == "f1")
    assert (old.status, old.page_ids) == ("superseded", (first,))
