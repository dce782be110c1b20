"""The inspector's JSON for programs: every operation, and the document that describes them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.ops.cli import main
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.rest.operations import OPERATIONS
from tests.surfaces.asgi import TOKEN, Answer, Tab
from tests.surfaces.programs import CHANGES, GOOD, LACKING, READS, Program, error, value
from tests.surfaces.test_inspector import MANUAL, NOON, STEERING, fact_id, fill


async def document(program: Program) -> dict[str, Any]:
    return dict(
        value(await program.tab.ask("GET", "/api/openapi.json", headers=[("authorization", f"Bearer {TOKEN}")]))
    )


async def check_against_document(program: Program, name: str, answer: Answer) -> None:
    """Hold an answer against the schema that the document gives for it."""
    told = await document(program)
    operation = told["paths"][f"/api/{name}"]["get" if name in READS else "post"]
    schema = operation["responses"][str(answer.status)]["content"]["application/json"]["schema"]
    OAS31Validator({**schema, "components": told["components"]}).validate(json.loads(answer.text))


# ------------------------------------------------------------------------------------------- each operation


async def test_the_users_are_listed_in_parts(program: Program, memory: MemoryOS) -> None:
    found = value(await program.get("users"))
    assert [scope["user_id"] for scope in found["items"]] == ["ann", "bob"]
    assert value(await program.get("users", limit=1, offset=1)) == {
        "items": [{"user_id": "bob", "assistant_id": "assistant"}],
        "total": 2,
    }
    alone = Program(Identity(memory, TOKEN, user="ann"))
    assert [scope["user_id"] for scope in value(await alone.get("users"))["items"]] == ["ann"]


async def test_a_question_is_answered_within_its_budget(program: Program, memory: MemoryOS) -> None:
    found = value(await program.get("recall", query="Where does Ann live?"))
    assert "Porto" in found["text"]
    assert found["hits"][0]["signals"]["lexical"] > 0
    assert found["recent"] == []
    short = value(await program.get("recall", query="Where does Ann live?", budget_tokens=40))
    assert short["tokens"] <= 40
    memory.user("ann", session_id="now").add("It rains.", "Stay in.")
    with_recent = value(await program.get("recall", query="rain", recent="true", session="now"))
    assert "It rains." in with_recent["text"]
    assert value(await program.get("recall", query="zebra", min_score=1))["hits"] == []


async def test_a_search_is_narrowed(program: Program) -> None:
    found = value(await program.get("search", query="Lisbon bees Porto", k=10))
    assert found["total"] == len(found["items"]) > 2
    one = value(await program.get("search", query="Lisbon bees Porto", session="day 1", tier="mid_term", k=1))
    assert [hit["session_id"] for hit in one["items"]] == ["day 1"]
    late = value(await program.get("search", query="Lisbon bees Porto", since="2026-05-01T00:00:00Z", tier="mid_term"))
    assert {hit["session_id"] for hit in late["items"]} == {"day 2"}
    early = value(await program.get("search", query="Lisbon bees Porto", until="2026-03-02", tier=["mid_term"]))
    assert {hit["session_id"] for hit in early["items"]} == {"day 0"}


async def test_the_facts_of_a_day_are_those_that_held(program: Program, memory: MemoryOS) -> None:
    now = value(await program.get("facts"))
    assert "Ann likes green tea." in [fact["text"] for fact in now["items"]]
    assert STEERING not in json.dumps(now)
    then = value(await program.get("facts", at="2026-03-02"))
    assert "Lisbon" in json.dumps(then["items"])
    assert "Porto" not in json.dumps(then["items"])
    every = value(await program.get("facts", former="true"))
    assert every["total"] > now["total"]
    assert {"superseded", "quarantined"} <= {fact["status"] for fact in every["items"]}
    known = fact_id(memory, "Lisbon")
    assert [fact["id"] for fact in value(await program.get("facts", id=known))["items"]] == [known]
    part = value(await program.get("facts", former="true", limit=1, offset=1))
    assert part == {"items": every["items"][1:2], "total": every["total"]}
    assert value(await program.get("facts", about="assistant")) == {"items": [], "total": 0}


async def test_what_something_was_is_listed_in_order(program: Program) -> None:
    found = value(await program.get("history", name="home"))
    assert [item["value"] for item in found["items"]] == ["Lisbon", "Porto"]
    assert found["items"][0]["until"] is not None


async def test_what_contradicts_each_other_is_listed_until_it_is_retired(program: Program, memory: MemoryOS) -> None:
    assert value(await program.get("disputes")) == {"items": [], "total": 0}
    said = ["Ann has never visited the Old Mill.", "Ann visited the Old Mill."]
    never, _ = [memory.user("ann").remember(text) for text in said]
    (pair,) = value(await program.get("disputes"))["items"]
    assert [pair["earlier"]["text"], pair["later"]["text"]] == said
    await program.post("retire", {"id": never.id, "wrong": True})
    assert value(await program.get("disputes"))["total"] == 0


async def test_what_was_useful_is_counted(program: Program, memory: MemoryOS) -> None:
    known = fact_id(memory, "green tea")
    found = value(await program.post("useful", {"id": known}))
    assert [fact["id"] for fact in found["items"]] == [known]
    memory.user("ann").consolidate()
    (fact,) = value(await program.get("facts", id=known))["items"]
    assert fact["visits"] == 1
    assert (await program.post("useful", {"id": LACKING})).status == 404


async def test_the_turns_behind_a_fact_are_brought(program: Program, memory: MemoryOS) -> None:
    (known,) = value(await program.get("facts", id=fact_id(memory, "Lisbon")))["items"]
    found = value(await program.get("pages", id=[*known["page_ids"], LACKING]))
    assert found["total"] == 1
    assert found["items"][0]["messages"][0]["text"] == "I live in Lisbon."


async def test_topics_profile_and_stats_are_those_of_the_verbs(program: Program, memory: MemoryOS) -> None:
    ann = memory.user("ann")
    topics = value(await program.get("topics"))
    assert [topic["title"] for topic in topics["items"]] == [topic.title for topic in ann.topics()]
    assert {f["name"]: f["value"] for f in value(await program.get("profile"))["fields"]} == {
        f.name: f.value for f in ann.profile().fields
    }
    assert value(await program.get("stats"))["pages"] == 3


async def test_sessions_recalls_and_a_week_are_those_of_the_verbs(program: Program, memory: MemoryOS) -> None:
    ann = memory.user("ann")
    spans = ann.timeline.sessions()
    found = value(await program.get("sessions", limit=2, offset=1))
    assert [(span["id"], span["pages"]) for span in found["items"]] == [(span.id, 1) for span in spans[1:3]]
    assert found["total"] == len(spans) == 3
    assert value(await program.get("sessions", limit=0)) == {"items": [], "total": 3}
    assert value(await program.get("recalls")) == {"items": [], "total": 0}
    asked = await program.get("recall", query="Does a zebra live in Porto?")
    logged = value(await program.get("recalls"))
    came = list(dict.fromkeys(hit["id"] for hit in value(asked)["hits"]))  # a turn may come with both its messages
    assert [item["ids"] for item in logged["items"]] == [came]
    assert "zebra" not in json.dumps(logged)
    assert value(await program.get("recalls", id=LACKING))["total"] == 0
    assert value(await program.get("activity", days=30))["pages_added"] == ann.governance.activity(days=30).pages_added


async def test_an_export_can_be_restored(program: Program, memory: MemoryOS) -> None:
    answer = await program.get("export")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    records = [json.loads(line) for line in answer.text.splitlines()]
    assert records[0] == {"kind": "scope", "user_id": "ann", "assistant_id": "assistant"}
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as other:
        assert other.restore(records).pages == 3


async def test_a_turn_is_added(program: Program, memory: MemoryOS) -> None:
    sent = {"said": "I bought a boat.", "answered": "Nice!", "timestamp": "2026-07-01T10:00:00Z", "user_name": "Ann"}
    page = value(await program.post("add", sent, query="user=ann&session=harbour"), 201)
    (stored,) = memory.user("ann").pages([page["id"]])
    assert stored.session_id == "harbour"
    assert [(m.text, m.name) for m in stored.messages] == [("I bought a boat.", "Ann"), ("Nice!", None)]
    assert page["timestamp"] == "2026-07-01T10:00:00+00:00"
    only = value(await program.post("add", {"answered": "Hello?"}), 201)
    assert [m["role"] for m in only["messages"]] == ["assistant"]


async def test_a_fact_is_told_corrected_and_retired(program: Program, memory: MemoryOS) -> None:
    told = value(await program.post("remember", {"text": "Ann likes rain."}), 201)
    right = value(await program.post("correct", {"id": told["id"], "text": "Ann likes snow."}))
    (former,) = memory.user("ann").facts(ids=[told["id"]], current=False)
    assert (former.status, former.superseded_by) == ("superseded", right["id"])
    gone = value(await program.post("retire", {"id": right["id"], "wrong": True}))
    assert [fact["id"] for fact in gone["items"]] == [right["id"]]
    assert memory.user("ann").facts(ids=[right["id"]]) == []
    about = value(await program.post("remember", {"text": "Speaks briefly.", "about": "assistant"}), 201)
    assert about["about"] == "assistant"


async def test_what_steers_the_reader_waits_until_it_is_released(program: Program, memory: MemoryOS) -> None:
    held = value(await program.post("remember", {"text": STEERING + " Now."}), 201)
    assert held["status"] == "quarantined"
    done = value(await program.post("release", {"id": held["id"]}))
    assert done["items"][0]["status"] == "current"


async def test_nothing_is_erased_before_its_receipt_was_shown(program: Program, memory: MemoryOS) -> None:
    ann = memory.user("ann")
    wanted = {"facts": [fact_id(memory, "green tea")]}
    planned = value(await program.post("forget", wanted))
    assert (planned["done"], planned["receipt"]["facts"], planned["receipt"]["pages"]) == (False, 1, 0)
    assert ann.facts(ids=wanted["facts"])
    done = value(await program.post("forget", {**wanted, "confirm": planned["confirm"]}))
    assert (done["done"], done["confirm"], done["receipt"]["facts"]) == (True, None, 1)
    assert done["receipt"]["audit"]
    assert ann.facts(ids=wanted["facts"], current=False) == []


async def test_a_code_confirms_only_what_was_shown(program: Program, memory: MemoryOS) -> None:
    code = value(await program.post("forget", {"everything": True}))["confirm"]
    for other in ({"whole_session": True}, {"pages": [LACKING]}, {"everything": True, "facts": [LACKING]}):
        assert "nothing was erased" in error(await program.post("forget", {**other, "confirm": code}), 409, "conflict")
    for wrong in ("", "0" * 16, "é"):
        answer = await program.post("forget", {"everything": True, "confirm": wrong or "x"})
        error(answer, 409, "conflict")
    error(await program.post("forget", {"everything": True, "confirm": code}, query="user=bob"), 409, "conflict")
    memory.user("ann").add("One more.")
    error(await program.post("forget", {"everything": True, "confirm": code}), 409, "conflict")
    assert memory.user("ann").stats().pages == 4
    code = value(await program.post("forget", {"everything": True}))["confirm"]
    assert value(await program.post("forget", {"everything": True, "confirm": code}))["receipt"]["pages"] == 4
    assert memory.user("bob").facts()


# -------------------------------------------------------------------------------------------- the document


async def test_the_document_is_openapi(program: Program) -> None:
    told = await document(program)
    assert told["openapi"] == "3.1.0"
    assert told["info"]["version"] == version("memoryos-tiered")
    OpenAPIV31SpecValidator(told).validate()
    assert {*told["paths"]} == {f"/api/{each.name}" for each in OPERATIONS}
    for path in told["paths"].values():
        for operation in path.values():
            assert {"401", "403", "404", "400", "503"} <= {*operation["responses"]}


def test_the_guide_names_every_operation() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "inspector.md").read_text("utf-8").partition("## For programs")[2]
    assert [each.name for each in OPERATIONS if f"`{each.name}`" not in guide] == []
    assert {each.role for each in OPERATIONS} == {"none", "reader", "writer", "curator", "admin"}


async def test_many_programs_ask_at_once(program: Program) -> None:
    answers = await asyncio.gather(*(program.call(name, **GOOD.get(name, {})) for name in READS * 3))
    assert {answer.status for answer in answers} == {200}


@pytest.mark.parametrize("name", [name for name in (*READS, *CHANGES) if name != "export"])
async def test_every_answer_is_as_the_document_says(program: Program, memory: MemoryOS, name: str) -> None:
    fields = {**GOOD.get(name, {})}
    if "id" in fields:
        words = STEERING if name == "release" else "green tea"
        fields["id"] = memory.user("ann").pages()[0].id if name == "pages" else fact_id(memory, words)
    await program.call("recall", **GOOD["recall"])  # for the log
    for text in ("Ann has never visited the Old Mill.", "Ann visited the Old Mill."):
        memory.user("ann").remember(text)
    answer = await program.call(name, **fields)
    assert answer.status in {200, 201}, answer.text
    assert json.loads(answer.text) not in ({}, {"items": [], "total": 0})
    await check_against_document(program, name, answer)
    refused = await program.call(name, colour="green")
    assert refused.status == 400
    await check_against_document(program, name, refused)


async def test_it_works_on_a_memory_with_a_worker_beside_it(tmp_path: Path) -> None:
    config = MemoryConfig(worker=WorkerConfig(mode="background"))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config) as memory:
        memory.user("ann").add("I live in Lisbon.", timestamp=NOON)
        assert value(await Program(Identity(memory, TOKEN)).get("stats"))["pages"] == 1


# ------------------------------------------------------------------------------------------ the real server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Start `memoryos inspect` with a token of ours; return its address."""
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        fill(memory)
    command = [sys.executable, "-m", "memoryos_core.ops.cli", "inspect", url, "--embedder", "none", "--user", "ann"]
    given = {**os.environ, "MEMORYOS_INSPECT_TOKEN": TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=given) as running:
        assert running.stdout is not None
        address = urlsplit(running.stdout.readline().strip())
        assert address.query == f"token={TOKEN}"
        yield f"http://{address.netloc}"
        running.terminate()


def test_a_program_asks_the_real_server(server: str) -> None:
    def ask(path: str, token: str = TOKEN, data: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with urlopen(Request(f"{server}/api/{path}", data, headers)) as answer:
            return answer.read().decode()

    assert "Porto" in json.loads(ask("recall?query=Where+does+Ann+live%3F"))["text"]
    assert len(ask("export").splitlines()) > 3
    with pytest.raises(HTTPError, match="401"):
        ask("stats", "another-token-0123456789")
    with pytest.raises(HTTPError, match="403"):
        ask("remember", data=b'{"text": "Ann likes rain."}')


def test_the_address_is_written_as_json(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    MemoryOS(url, embedder=None).close()
    command = [sys.executable, "-m", "memoryos_core.ops.cli", "inspect", url, "--embedder", "none", "--json"]
    given = {**os.environ, "MEMORYOS_INSPECT_TOKEN": TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=given) as running:
        assert running.stdout is not None
        told = json.loads(running.stdout.readline())
        assert told["token"] == TOKEN
        with urlopen(Request(f"{told['address']}api/users", None, {"Authorization": f"Bearer {TOKEN}"})) as answer:
            assert answer.status == 200
        running.terminate()


@pytest.mark.parametrize("token", ["short", "with blanks in it 0123", "é" * 20])
def test_a_token_that_could_be_guessed_is_refused(
    token: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None).close()
    monkeypatch.setenv("MEMORYOS_INSPECT_TOKEN", token)
    assert main(["inspect", f"sqlite:///{tmp_path}/m.db", "--embedder", "none"]) == 2
    shown = capsys.readouterr()
    assert "at least 16" in shown.err
    assert token not in shown.out + shown.err


@pytest.mark.postgres
async def test_a_memory_on_postgresql_is_read_and_changed(postgres_url: str) -> None:
    with MemoryOS(postgres_url, embedder=None, config=MANUAL) as memory:
        fill(memory)
        program = Program(Identity(memory, TOKEN, edit=True))
        for name in READS:
            assert (await program.call(name, **GOOD.get(name, {}))).status == 200
        wanted = {"facts": [fact_id(memory, "green tea")]}
        code = value(await program.post("forget", wanted))["confirm"]
        assert value(await program.post("forget", {**wanted, "confirm": code}))["receipt"]["facts"] == 1


async def test_what_a_session_ended_is_recalled_by_the_page_and_by_programs() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("ann")
        user.add("I live in Porto and I'm allergic to sesame.", "Noted.")
        user.end_session()
        user.consolidate()
        tab = Tab(Identity(memory, TOKEN, user="ann"))
        headers = [("authorization", f"Bearer {TOKEN}")]
        for path, query in (("/recall", "q=Where+do+I+live%3F"), ("/api/recall", "query=Where+do+I+live%3F")):
            answer = await tab.ask("GET", path, query, headers=headers)
            assert "Home: Porto" in answer.text, path
