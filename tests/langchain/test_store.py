"""What a LangGraph store has to do, held by LangGraph's own store in RAM and by ours, plainly and from a loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import uuid
import zlib
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from memoryos_core import MemoryOS
from memoryos_langchain.store import MemoryOSStore

PREFS = ("user-1", "prefs")


def bag_of_words(texts: Sequence[str]) -> list[list[float]]:
    """An embedding that knows words only, as our memory does in these tests."""
    vectors = [[0.0] * 512 for _ in texts]
    for vector, text in zip(vectors, texts, strict=True):
        for word in text.lower().replace('"', " ").replace(",", " ").split():
            vector[zlib.crc32(word.encode()) % 512] += 1.0
    return vectors


class Face:
    """The verbs of a store, awaited: the plain ones as they are, or their coroutine twins."""

    def __init__(self, store: BaseStore, *, twins: bool) -> None:
        self.store = store
        self._prefix = "a" if twins else ""

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self.store, self._prefix + name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            answer = verb(*args, **kwargs)
            return await answer if inspect.isawaitable(answer) else answer

        return call


@pytest.fixture(params=["langgraph", "memoryos"])
def store(request: pytest.FixtureRequest, memory: MemoryOS) -> Iterator[BaseStore]:
    if request.param == "langgraph":
        yield InMemoryStore(index=IndexConfig(dims=512, embed=bag_of_words))
    else:
        yield MemoryOSStore(memory)


@pytest.fixture(params=["plain", "twins"])
def face(request: pytest.FixtureRequest, store: BaseStore) -> Face:
    return Face(store, twins=request.param == "twins")


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run it in a new loop that ends with it."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(work)
    finally:
        loop.close()


def keys(items: list[Any]) -> set[str]:
    return {item.key for item in items}


class TestItems:
    @pytest.mark.parametrize(
        "value",
        [
            {},
            {"theme": "dark"},
            {"deep": {"list": [1, 2.5, None, True, {"x": "y"}], "empty": {}}},
            {"text": 'Grüße 你好 \U0001f600 "quoted" \n new line \x00 nul'},
            {"$gt": 1, "a.b": 2, "": 3},
        ],
    )
    async def test_what_is_put_comes_back(self, face: Face, value: dict[str, Any]) -> None:
        await face.put(PREFS, "k", value)
        item = await face.get(PREFS, "k")
        assert (item.namespace, item.key, item.value) == (PREFS, "k", value)
        assert item.created_at.tzinfo is not None
        assert item.updated_at >= item.created_at

    @pytest.mark.parametrize("key", ["k", "a/b", "a.b", "%", "K", " k", "键", "'; drop table x; --", "x" * 500])
    async def test_a_key_is_any_text(self, face: Face, key: str) -> None:
        await face.put(PREFS, "other", {"n": 0})
        await face.put(PREFS, key, {"n": 1})
        assert (await face.get(PREFS, key)).value == {"n": 1}
        assert keys(await face.search(PREFS)) == {"other", key}

    async def test_a_user_alone_is_a_namespace(self, face: Face) -> None:
        await face.put(("user-1",), "k", {"n": 1})
        assert (await face.get(("user-1",), "k")).value == {"n": 1}
        assert [i.namespace for i in await face.search(("user-1",))] == [("user-1",)]

    async def test_absence_is_none(self, face: Face) -> None:
        assert await face.get(PREFS, "k") is None
        await face.put(PREFS, "k", {"n": 1})
        assert await face.get(PREFS, "K") is None
        assert await face.get(("user-1",), "k") is None
        assert await face.get(("user-2", "prefs"), "k") is None

    async def test_the_last_put_is_the_whole_value(self, face: Face) -> None:
        await face.put(PREFS, "k", {"a": 1, "b": 2})
        await face.put(PREFS, "k", {"b": 3})
        assert (await face.get(PREFS, "k")).value == {"b": 3}
        assert len(await face.search(PREFS)) == 1

    async def test_deletion_takes_one_item(self, face: Face) -> None:
        await face.put(PREFS, "k", {"n": 1})
        await face.put(PREFS, "l", {"n": 2})
        await face.delete(PREFS, "k")
        await face.delete(PREFS, "never was")
        await face.delete(("nobody",), "never was")
        assert await face.get(PREFS, "k") is None
        assert keys(await face.search(PREFS)) == {"l"}

    async def test_one_key_in_two_namespaces_is_two_items(self, face: Face) -> None:
        for number, namespace in enumerate([PREFS, ("user-1", "other"), ("user-2", "prefs")]):
            await face.put(namespace, "k", {"n": number})
        assert (await face.get(PREFS, "k")).value == {"n": 0}
        assert (await face.get(("user-1", "other"), "k")).value == {"n": 1}
        assert (await face.get(("user-2", "prefs"), "k")).value == {"n": 2}


class TestNamespaces:
    USERS = ("user-1", "user-10", "USER-1", "user%", "user_1", "user-1%", "user", "%", "_", "*")

    @pytest.mark.parametrize("mine", USERS)
    async def test_a_user_sees_nothing_of_another(self, face: Face, mine: str) -> None:
        for user in self.USERS:
            await face.put((user, "prefs"), "k", {"of": user, "text": "secret tea"})
        for query in (None, "secret tea"):
            assert [i.value["of"] for i in await face.search((mine,), query=query, limit=99)] == [mine]
        await face.delete((mine, "prefs"), "k")
        assert await face.search((mine,)) == []
        for user in self.USERS:
            assert (await face.get((user, "prefs"), "k") is None) == (user == mine)

    async def test_a_prefix_is_of_whole_labels(self, face: Face) -> None:
        for rest in (("a",), ("ab",), ("a", "b"), ("A",), ("a%",), ("b", "a")):
            await face.put(("u", *rest), "k", {"at": list(rest)})
        found = await face.search(("u", "a"), limit=99)
        assert sorted(i.value["at"] for i in found) == [["a"], ["a", "b"]]
        assert len(await face.search(("u",), limit=99)) == 6

    @pytest.mark.parametrize("bad", [(), ("user.1",), ("user", ""), ("user", 7), ("user", "a\x00"), ("langgraph", "x")])
    async def test_an_invalid_namespace_is_refused(self, face: Face, bad: tuple[Any, ...]) -> None:
        with pytest.raises(InvalidNamespaceError):
            await face.put(bad, "k", {"n": 1})

    @pytest.mark.parametrize("bad", [("user.1",), ("user", ""), ("user", 7)])
    async def test_nor_is_it_read_or_deleted(self, face: Face, bad: tuple[Any, ...]) -> None:
        for call in (face.search(bad), face.get(bad, "k"), face.delete(bad, "k"), face.list_namespaces(prefix=bad)):
            with pytest.raises(InvalidNamespaceError):
                await call

    @pytest.fixture
    async def shelves(self, face: Face) -> Face:
        for namespace in (
            *(("u1", "a", "x"), ("u1", "a", "y"), ("u1", "b", "x"), ("u1", "b", "x", "deep")),
            *(("u2", "a", "x"), ("u10", "a", "x")),
        ):
            await face.put(namespace, "k", {"n": 1})
        return face

    @pytest.mark.parametrize(
        ("asked", "told"),
        [
            ({"prefix": ("u1", "a")}, [("u1", "a", "x"), ("u1", "a", "y")]),
            ({"prefix": ("u1",), "suffix": ("x",)}, [("u1", "a", "x"), ("u1", "b", "x")]),
            ({"prefix": ("*", "a", "x")}, [("u1", "a", "x"), ("u10", "a", "x"), ("u2", "a", "x")]),
            ({"prefix": ("u1", "*", "x")}, [("u1", "a", "x"), ("u1", "b", "x"), ("u1", "b", "x", "deep")]),
            ({"suffix": ("a", "*"), "prefix": ("u1",)}, [("u1", "a", "x"), ("u1", "a", "y")]),
            ({"prefix": ("u1",), "max_depth": 2}, [("u1", "a"), ("u1", "b")]),
            ({"max_depth": 1}, [("u1",), ("u10",), ("u2",)]),
            ({"prefix": ("u1",), "limit": 2}, [("u1", "a", "x"), ("u1", "a", "y")]),
            ({"prefix": ("u1",), "limit": 2, "offset": 3}, [("u1", "b", "x", "deep")]),
            ({"prefix": ("u",)}, []),
            ({"prefix": ("u1", "a", "x", "more")}, []),
            ({"suffix": ("nothing",)}, []),
        ],
    )
    async def test_namespaces_are_listed_in_order(self, shelves: Face, asked: Any, told: Any) -> None:
        assert await shelves.list_namespaces(**asked) == told

    async def test_conditions_add_up(self, shelves: Face) -> None:
        conditions = (
            MatchCondition("prefix", ("u1",)),
            MatchCondition("suffix", ("x",)),
            MatchCondition("prefix", ("*", "b")),
        )
        assert await shelves.batch([ListNamespacesOp(conditions)]) == [[("u1", "b", "x")]]


class TestFilters:
    ITEMS: ClassVar[dict[str, dict[str, Any]]] = {
        "a": {"n": 1, "color": "red", "tags": ["x", "y"], "deep": {"ok": True, "n": 1}},
        "b": {"n": 2.5, "color": "blue", "tags": [], "deep": {"ok": False, "n": 2}},
        "c": {"n": 10, "color": "red", "tags": ["x"], "deep": {}},
    }

    @pytest.mark.parametrize(
        ("wanted", "told"),
        [
            (None, "abc"),
            ({}, "abc"),
            ({"color": "red"}, "ac"),
            ({"color": {"$eq": "red"}}, "ac"),
            ({"color": {"$ne": "red"}}, "b"),
            ({"n": {"$gt": 1}}, "bc"),
            ({"n": {"$gte": 2.5}}, "bc"),
            ({"n": {"$lt": 10}}, "ab"),
            ({"n": {"$lte": 2}}, "a"),
            ({"n": {"$gt": 1, "$lt": 10}}, "b"),
            ({"n": {"$gte": 2}, "color": "red"}, "c"),
            ({"tags": ["x", "y"]}, "a"),
            ({"tags": []}, "b"),
            ({"deep": {"ok": True}}, "a"),
            ({"deep": {"n": {"$gte": 1}, "ok": False}}, "b"),
            ({"color": "RED"}, ""),
            ({"missing": "red"}, ""),
            ({"missing": None}, "abc"),
            ({"missing": {"$ne": 1}}, "abc"),
        ],
    )
    async def test_a_filter_narrows(self, face: Face, wanted: Any, told: str) -> None:
        for key, value in self.ITEMS.items():
            await face.put(PREFS, key, value)
        if wanted and "deep" in wanted and "n" in wanted["deep"]:
            await face.delete(PREFS, "c")  # LangGraph's own fails on comparing what is absent
        assert keys(await face.search(PREFS, filter=wanted)) == set(told)

    async def test_an_unknown_operator_is_refused(self, face: Face) -> None:
        await face.put(PREFS, "k", {"n": 1})
        with pytest.raises(ValueError, match="operator"):
            await face.search(PREFS, filter={"n": {"$regex": "x"}})

    async def test_limit_and_offset_cut_what_the_filter_left(self, face: Face) -> None:
        for number in range(25):
            await face.put(PREFS, f"k{number}", {"even": number % 2 == 0})
        pages = [await face.search(PREFS, filter={"even": True}, limit=5, offset=o) for o in (0, 5, 10, 15)]
        assert [len(p) for p in pages] == [5, 5, 3, 0]
        assert len(set().union(*map(keys, pages))) == 13
        assert len(await face.search(PREFS)) == 10


class TestSearch:
    @pytest.fixture
    async def filled(self, face: Face) -> Face:
        texts = {
            "tea": "Anna drinks green tea in the morning",
            "dog": "The dog of Anna is called Rex",
            "car": "The red car stands in the garage",
        }
        for key, text in texts.items():
            await face.put(PREFS, key, {"text": text, "kind": "seen"})
        await face.put(("user-1", "plans"), "trip", {"text": "A trip to Lisbon in May", "kind": "plan"})
        return face

    @pytest.mark.parametrize(
        ("query", "best"),
        [("green tea", "tea"), ("garage car", "car"), ("dog called Rex", "dog"), ("trip Lisbon", "trip")],
    )
    async def test_the_best_answer_comes_first(self, filled: Face, query: str, best: str) -> None:
        found = await filled.search(("user-1",), query=query)
        assert found[0].key == best
        scores = [i.score for i in found if i.score is not None]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > 0

    async def test_found_is_what_is_got(self, filled: Face) -> None:
        (found, *_) = await filled.search(PREFS, query="green tea")
        got = await filled.get(PREFS, "tea")
        assert (found.key, found.namespace, found.value) == (got.key, got.namespace, got.value)
        assert (found.created_at, found.updated_at) == (got.created_at, got.updated_at)

    async def test_a_filter_narrows_a_question(self, filled: Face) -> None:
        found = await filled.search(("user-1",), query="Anna in the trip", filter={"kind": "plan"})
        assert keys(found) == {"trip"}

    async def test_pages_of_one_question_do_not_overlap(self, filled: Face) -> None:
        first = await filled.search(PREFS, query="Anna the", limit=1)
        second = await filled.search(PREFS, query="Anna the", limit=1, offset=1)
        both = await filled.search(PREFS, query="Anna the", limit=2)
        assert [i.key for i in first + second] == [i.key for i in both]

    async def test_what_is_not_indexed_has_no_score(self, face: Face) -> None:
        await face.put(PREFS, "hidden", {"text": "purple elephant"}, index=False)
        await face.put(PREFS, "shown", {"text": "purple elephant"})
        found = await face.search(PREFS, query="purple elephant")
        assert [i.key for i in found if i.score is not None] == ["shown"]
        assert (await face.get(PREFS, "hidden")).value == {"text": "purple elephant"}

    async def test_named_fields_alone_are_searched(self, face: Face) -> None:
        value = {"title": "Lighthouse", "body": "purple elephant", "parts": [{"t": "first"}, {"t": "second"}]}
        await face.put(PREFS, "title", value, index=["title"])
        await face.put(PREFS, "body", value, index=["body", "parts[*].t"])
        assert (await face.search(PREFS, query="Lighthouse"))[0].key == "title"
        assert (await face.search(PREFS, query="elephant"))[0].key == "body"
        assert (await face.search(PREFS, query="second"))[0].key == "body"

    async def test_a_put_changes_what_is_found(self, filled: Face) -> None:
        await filled.put(PREFS, "car", {"text": "A zebra in the savannah"})
        assert (await filled.search(PREFS, query="zebra savannah"))[0].key == "car"
        await filled.delete(PREFS, "car")
        assert "car" not in keys(await filled.search(PREFS, query="zebra savannah"))


class TestBatches:
    async def test_answers_stand_in_the_order_of_the_operations(self, face: Face) -> None:
        await face.put(PREFS, "k", {"n": 1})
        put, got, found, listed, missing = await face.batch(
            [
                PutOp(PREFS, "l", {"n": 2}),
                GetOp(PREFS, "k"),
                SearchOp(PREFS),
                ListNamespacesOp((MatchCondition("prefix", ("user-1",)),)),
                GetOp(PREFS, "m"),
            ]
        )
        assert (put, missing) == (None, None)
        assert got.value == {"n": 1}
        assert keys(found) == {"k"}
        assert listed == [PREFS]

    async def test_reads_see_what_was_before_the_writes(self, face: Face) -> None:
        await face.put(PREFS, "k", {"n": 1})
        answers = await face.batch([PutOp(PREFS, "k", {"n": 2}), GetOp(PREFS, "k"), PutOp(PREFS, "k", None)])
        assert answers[1].value == {"n": 1}
        assert await face.get(PREFS, "k") is None

    async def test_the_last_put_of_a_key_wins(self, face: Face) -> None:
        await face.batch([PutOp(PREFS, "k", {"n": n}) for n in range(5)] + [PutOp(("user-2",), "k", {"n": 9})])
        assert (await face.get(PREFS, "k")).value == {"n": 4}
        assert (await face.get(("user-2",), "k")).value == {"n": 9}
        await face.batch([PutOp(PREFS, "k", None), PutOp(PREFS, "k", {"n": 7})])
        assert (await face.get(PREFS, "k")).value == {"n": 7}

    async def test_an_empty_batch_answers_nothing(self, face: Face) -> None:
        assert await face.batch([]) == []

    async def test_a_generator_will_do(self, face: Face) -> None:
        await face.batch(PutOp(PREFS, f"k{n}", {"n": n}) for n in range(3))
        assert keys(await face.search(PREFS)) == {"k0", "k1", "k2"}

    async def test_what_is_no_operation_is_refused(self, face: Face) -> None:
        with pytest.raises(ValueError, match="operation"):
            await face.batch(["put"])


@pytest.fixture(params=["langgraph", "memoryos"])
def whole(request: pytest.FixtureRequest, memory: MemoryOS) -> BaseStore:
    """A store of which everything may be searched."""
    return InMemoryStore() if request.param == "langgraph" else MemoryOSStore(memory, search_all_users=True)


class TestWholeStore:
    """What LangGraph's stores do with operations that name no user, or any root."""

    async def test_a_search_without_a_prefix_finds_what_every_user_has(self, whole: BaseStore) -> None:
        for number, user in enumerate(("ann", "bob", "eve")):
            whole.put((user, "prefs"), f"k{number}", {"n": number, "even": number % 2 == 0})
        assert keys(list(whole.search(()))) == {"k0", "k1", "k2"}
        assert keys(await whole.asearch((), filter={"even": True})) == {"k0", "k2"}
        assert len(whole.search((), limit=2)) == 2
        assert len(whole.search((), limit=2, offset=2)) == 1
        assert {i.namespace for i in whole.batch([SearchOp(())])[0]} == {  # type: ignore[union-attr]
            ("ann", "prefs"), ("bob", "prefs"), ("eve", "prefs")
        }  # fmt: skip

    async def test_a_batch_takes_any_root(self, whole: BaseStore) -> None:
        await whole.abatch([PutOp(("langgraph", "x"), "k", {"n": 1})])
        (item, found) = whole.batch([GetOp(("langgraph", "x"), "k"), SearchOp(("langgraph",))])
        assert item is not None
        assert item.value == {"n": 1}  # type: ignore[union-attr]
        assert keys(list(found)) == {"k"}  # type: ignore[arg-type]
        with pytest.raises(InvalidNamespaceError):
            whole.put(("langgraph", "x"), "k", {"n": 1})


def test_a_question_to_the_whole_store_is_answered_best_first(memory: MemoryOS) -> None:
    store = MemoryOSStore(memory, search_all_users=True)
    store.put(("ann", "facts"), "drink", {"text": "Ann drinks green tea in the morning"})
    store.put(("bob", "notes"), "drink", {"text": "Bob drinks green tea"})
    memory.user("a.n@example.com").remember("Drinks green tea")
    memory.user("eve", assistant_id="other").remember("Eve drinks green tea")
    found = store.search((), query="Who drinks green tea?")
    assert {i.namespace[0] for i in found} == {"ann", "bob"}
    scores = [i.score or 0.0 for i in found]
    assert scores == sorted(scores, reverse=True)


def test_a_namespace_may_be_a_list(memory: MemoryOS) -> None:
    store = MemoryOSStore(memory)
    store.put(["ann", "prefs"], "k", {"n": 1})  # type: ignore[arg-type]
    assert store.get(("ann", "prefs"), "k") == store.get(["ann", "prefs"], "k")  # type: ignore[arg-type]
    for prefix in (["ann"], ["ann", "prefs"]):
        (found,) = store.search(prefix)  # type: ignore[arg-type]
        assert found.namespace == ("ann", "prefs")
    assert store.list_namespaces(prefix=["ann"]) == [("ann", "prefs")]  # type: ignore[arg-type]
    store.delete(["ann", "prefs"], "k")  # type: ignore[arg-type]
    assert store.search(("ann",)) == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"meta.kind": "tea"}, {"deep"}),
        ({"meta.size.cm": {"$gte": 3}}, {"deep"}),
        ({"meta.kind": {"$ne": "tea"}}, {"flat", "literal"}),
        ({"meta.kind.x": "tea"}, set()),
        ({"a.b": 2}, {"literal"}),
    ],
)
def test_a_filter_reaches_into_a_value_by_periods(memory: MemoryOS, wanted: dict[str, Any], found: set[str]) -> None:
    """As LangGraph's SQL stores have it; a field that has the periods in its name comes first."""
    store = MemoryOSStore(memory)
    store.put(PREFS, "deep", {"meta": {"kind": "tea", "size": {"cm": 4}}})
    store.put(PREFS, "flat", {"meta": "tea"})
    store.put(PREFS, "literal", {"a.b": 2, "a": {"b": 3}})
    assert keys(list(store.search(PREFS, filter=wanted))) == found
    assert keys(list(store.search(PREFS, query="tea", filter=wanted))) <= found


class TestManyAtOnce:
    def test_threads(self, store: BaseStore) -> None:
        def work(number: int) -> None:
            store.put((f"user-{number % 4}", "prefs"), f"k{number}", {"n": number})
            item = store.get((f"user-{number % 4}", "prefs"), f"k{number}")
            assert item is not None
            assert item.value == {"n": number}

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(40)))
        for user in range(4):
            found = store.search((f"user-{user}",), limit=99)
            assert sorted(i.value["n"] for i in found) == list(range(user, 40, 4))

    def test_one_store_serves_loop_after_loop_and_loops_beside_each_other(self, store: BaseStore) -> None:
        async def work(number: int) -> None:
            await asyncio.gather(*(store.aput(PREFS, f"k{number}-{n}", {"n": n}) for n in range(5)))
            assert (await store.aget(PREFS, f"k{number}-0")) is not None

        in_a_loop(work(0))
        in_a_loop(work(1))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda n: in_a_loop(work(n)), range(2, 6)))
        assert len(store.search(PREFS, limit=99)) == 30


NAMES = st.sampled_from([("u",), ("u", "a"), ("u", "a", "b"), ("u", "ab"), ("v", "a"), ("u", "A")])
KEYS = st.sampled_from(["k", "K", "l"])
VALUES = st.dictionaries(
    st.sampled_from(["n", "s"]), st.one_of(st.integers(0, 3), st.sampled_from(["x", "y"])), max_size=2
)
FILTERS: st.SearchStrategy[Any] = st.one_of(
    st.none(), VALUES, st.sampled_from([{"n": {"$ne": 1}}, {"s": {"$eq": "x"}}])
)
OPS = st.one_of(
    st.tuples(NAMES, KEYS, st.one_of(st.none(), VALUES)).map(lambda given: PutOp(*given)),
    st.tuples(NAMES, KEYS).map(lambda given: GetOp(*given)),
    st.tuples(NAMES, FILTERS).map(lambda given: SearchOp(given[0], given[1], limit=99)),
)


def told(answer: Any) -> Any:
    """An answer without what may differ: the order of a listing, and when it was."""
    if isinstance(answer, list):
        return sorted((i.namespace, i.key, json.dumps(i.value, sort_keys=True)) for i in answer)
    return None if answer is None else (answer.namespace, answer.key, answer.value)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(OPS, max_size=6), max_size=8))
def test_any_batches_are_answered_alike(memory: MemoryOS, batches: list[list[Any]]) -> None:
    ours, theirs = MemoryOSStore(memory, assistant_id=uuid.uuid4().hex), InMemoryStore()
    for batch in batches:
        assert [told(a) for a in ours.batch(batch)] == [told(a) for a in theirs.batch(batch)]
