"""Wrong arguments of public verbs: an error of ours that names the argument, and is short whatever was given."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import AsyncMemoryOS, MemoryConfig, MemoryOS, MemoryOSError, NotFoundError, Topic, WorkerConfig
from memoryos_core.api.governance import Governance, Team
from memoryos_core.api.knowledge import Timeline
from memoryos_core.api.notes import Notes
from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError

HUGE: Any = "x" * 1_000_000
ODD: Any = object()
NONE: Any = None

WRONG: dict[str, Callable[[MemoryOS], Any]] = {
    "shown": lambda m: m.user("ann").recall("tea?", shown=ODD),
    "standing": lambda m: m.user("ann").recall("tea?", standing="id"),
    "k": lambda m: m.user("ann").search("tea?", k=10**30),
    "segment": lambda m: m.user("ann").heat(NONE),
    "timeout": lambda m: m.flush(NONE),
    "timeout=inf": lambda m: m.flush(float("inf")),
    "timeout=nan": lambda m: m.flush(float("nan")),
    "records": lambda m: m.restore(NONE),
    "policies": lambda m: m.retain(ODD),
    "policies[0]": lambda m: m.user("ann").governance.retain([ODD]),
    "limit": lambda m: m.user("ann").governance.audit(limit=10**30),
    "config": lambda _: MemoryOS("sqlite://", config=ODD),
    "clock": lambda _: MemoryOS("sqlite://", clock=ODD),
    "budget_tokens": lambda m: m.user("ann").recall("tea?", budget_tokens=HUGE),
    "min_score": lambda m: m.user("ann").search("tea?", min_score=HUGE),
    "embedder": lambda _: MemoryOS("sqlite://", embedder=HUGE),
    "llm": lambda _: MemoryOS("sqlite://", llm=HUGE),
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config) as memory:
        memory.user("ann").add("I drink tea.", "Green or black?")
        yield memory


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named_and_loses_nothing(memory: MemoryOS, name: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        WRONG[name](memory)
    assert name.partition("=")[0] in str(raised.value)
    assert len(str(raised.value)) < 500
    assert len(memory.user("ann").pages()) == 1


NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
FACES: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "memory": (MemoryOS, lambda m: m),
    "user": (UserMemory, lambda m: m.user("ann")),
    "notes": (Notes, lambda m: m.user("ann").notes),
    "governance": (Governance, lambda m: m.user("ann").governance),
    "timeline": (Timeline, lambda m: m.user("ann").timeline),
    "team": (Team, lambda m: m.team("physio")),
}
# What a verb needs beside the argument that is tried; what is not named here is a text.
NEEDED: dict[str, Any] = {
    **dict.fromkeys(("messages", "changes", "facts", "fact_ids", "records", "forgotten", "policies"), ()),
    **dict.fromkeys(("namespace", "prefix"), ("app",)),
    "role": "reader",
    "new_key": None,
}
ALWAYS: dict[str, dict[str, Any]] = {"run_worker": {"once": True}}  # else it works until it is stopped


def natural_values(user: UserMemory) -> dict[str, Any]:
    """What a caller has in hand and may pass anywhere: values of ours, moments, a path, a number, nothing."""
    hits = {hit.kind: hit for hit in user.search("tea ramen", k=9)}
    own = (user.facts()[0], user.pages()[0], user.transcript()[0], user.history("home")[0], user.recall("tea?"))
    named = {type(value).__name__: value for value in (*own, user.scope, user, NOON, NOON.date(), 7)}
    topic = Topic("t", "Tea", "Tea.", ("tea",), 1, 0.5, NOON, NOON)
    return {
        **named,
        "Topic": topic,
        "Hit (fact)": hits["fact"],
        "Hit (page)": hits["page"],
        "Path": Path("missing"),
        "None": None,
        "list of Facts": user.facts(),
        "list of Nones": [None],
        "dict": {"text": "tea"},
    }


def arguments(face: str, verb: str, values: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each argument of a verb with each value, beside what it needs otherwise."""
    parameters = [p for p in inspect.signature(getattr(FACES[face][0], verb)).parameters.values() if p.name != "self"]
    needed = {p.name: NEEDED.get(p.name, "text") for p in parameters if p.default is p.empty} | ALWAYS.get(verb, {})
    for parameter in parameters:
        for kind, value in values.items():
            yield f"{face}.{verb}({parameter.name}={kind})", {**needed, parameter.name: value}


def verbs() -> list[tuple[str, str]]:
    """Return every public verb with an argument; what is closed or embedded anew has other tests."""
    return [
        (face, name)
        for face, (kind, _) in FACES.items()
        for name, verb in inspect.getmembers(kind, inspect.isroutine)
        if not name.startswith("_") and name not in ("close", "reindex") and len(inspect.signature(verb).parameters) > 1
    ]


def raw_errors(call: Callable[[dict[str, Any]], object], tried: Iterator[tuple[str, dict[str, Any]]]) -> list[str]:
    """Make the calls, and return those that let out an error that is none of ours, or one that says too much."""
    raw = []
    for name, given in tried:
        try:
            call(given)
        except MemoryOSError as error:
            if len(str(error)) > 500 or "ramen" in str(error):
                raw.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001 - what is looked for
            raw.append(f"{name}: {type(error).__name__}: {error}")
    return raw


@pytest.mark.parametrize(("face", "verb"), [pytest.param(*one, id=".".join(one)) for one in verbs()])
def test_every_verb_takes_a_natural_argument_or_says_what_to_do(
    memory: MemoryOS, face: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    user = memory.user("ann")
    user.remember("Ann likes ramen.")
    user.remember("The user lives in Porto.")
    values = natural_values(user)

    def call(given: dict[str, Any]) -> object:
        answer = getattr(FACES[face][1](memory), verb)(**given)
        return list(answer) if verb == "export" else answer

    async def awaited(given: dict[str, Any]) -> object:
        answer = getattr(FACES[face][1](AsyncMemoryOS.of(memory)), verb)(**given)
        if isinstance(answer, AsyncIterator):
            return [one async for one in answer]
        return await answer if inspect.isawaitable(answer) else answer

    assert raw_errors(call, arguments(face, verb, values)) == []
    loop = asyncio.new_event_loop()
    raw = raw_errors(lambda given: loop.run_until_complete(awaited(given)), arguments(face, verb, values))
    loop.close()
    assert raw == []


def test_a_fact_is_corrected_by_its_value_a_hit_or_its_id(memory: MemoryOS) -> None:
    user = memory.user("ann")
    first = user.remember("Ann likes ramen.")
    second = user.correct(first, "Ann likes udon.")
    hit = next(hit for hit in user.search("udon") if hit.kind == "fact")
    third = user.correct(hit, "Ann likes soba.")
    user.correct(third.id, "Ann likes rice.")
    assert [fact.text for fact in user.facts()] == ["Ann likes rice."]
    assert [fact.superseded_by for fact in user.facts(ids=[first.id], current=False)] == [second.id]


async def test_a_coroutine_corrects_a_fact_by_its_value(memory: MemoryOS) -> None:
    user = AsyncMemoryOS.of(memory).user("ann")
    fact = await user.correct(await user.remember("Ann likes ramen."), "Ann likes udon.")
    assert fact.text == "Ann likes udon."


def test_what_no_correction_can_mean_says_what_to_pass(memory: MemoryOS) -> None:
    user = memory.user("ann")
    page = next(hit for hit in user.search("tea") if hit.kind == "page")
    with pytest.raises(InvalidInputError, match=r"^fact_id must be a fact, not a hit on a page: .*facts\(\) lists"):
        user.correct(page, "Ann likes udon.")
    with pytest.raises(InvalidInputError, match=r"^pages must be an id, not a Hit: pass hit\.id"):
        user.forget(pages=[page])  # type: ignore[list-item]  # meant
    with pytest.raises(NotFoundError, match="no current fact has the id"):
        user.correct(user.pages()[0], "Ann likes udon.")  # type: ignore[arg-type]  # meant
