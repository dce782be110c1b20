"""Requests of programs that are refused: without the token, from elsewhere, by role, and wrong ones."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, StoreUnreachableError, WorkerConfig
from memoryos_core.api import access
from memoryos_core.api.user import UserMemory
from memoryos_core.config import LimitsConfig
from memoryos_core.errors import DeadlineError
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.rest.operations import OPERATIONS
from tests.surfaces.asgi import ORIGIN, PORT, TOKEN
from tests.surfaces.programs import CHANGES, GOOD, LACKING, READS, Program, as_actor, error, value
from tests.surfaces.test_inspector import MANUAL, fill


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A program whose requests are refused, so that its memory stays as it is."""
    url = f"sqlite:///{tmp_path_factory.mktemp('refusing')}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        fill(memory)
        yield Program(Identity(memory, TOKEN, edit=True))


@pytest.mark.parametrize("name", [*READS, *CHANGES, "openapi.json", "nothing"])
async def test_without_the_token_nothing_is_answered(refusing: Program, name: str) -> None:
    method = "POST" if name in CHANGES else "GET"
    for headers in (
        [],
        [("authorization", "Bearer wrong")],
        [("authorization", f"Basic {TOKEN}")],
        [("authorization", "Bearer")],
    ):
        answer = await refusing.tab.ask(method, f"/api/{name}", f"user=ann&token={TOKEN}", headers=headers, cookie=None)
        error(answer, 401, "token")
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", None])
async def test_another_host_is_not_served(refusing: Program, host: str | None) -> None:
    for name in ("stats", "openapi.json"):
        headers = [("authorization", f"Bearer {TOKEN}")]
        error(await refusing.tab.ask("GET", f"/api/{name}", "user=ann", headers=headers, host=host), 421, "host")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1"])
async def test_a_page_of_another_site_cannot_ask(refusing: Program, origin: str) -> None:
    headers = [("authorization", f"Bearer {TOKEN}"), ("origin", origin)]
    error(await refusing.tab.ask("GET", "/api/stats", "user=ann", headers=headers), 403, "origin")
    error(await refusing.post("remember", {"text": "x"}, origin=origin), 403, "origin")


async def test_the_pages_cookie_reads_and_changes_only_with_its_csrf_token(program: Program, memory: MemoryOS) -> None:
    tab, csrf = program.tab, program.identity.derive("csrf")
    assert value(await tab.get("/api/stats", user="ann"))["pages"] == 3
    body = json.dumps({"text": "Ann likes rain."}).encode()
    common = [("content-type", "application/json"), ("content-length", str(len(body)))]
    for more in ([], [("origin", ORIGIN)], [("x-csrf-token", csrf)], [("origin", ORIGIN), ("x-csrf-token", "wrong")]):
        answer = await tab.ask("POST", "/api/remember", "user=ann", body=body, headers=[*common, *more])
        error(answer, 403, "csrf")
    ours = [*common, ("origin", ORIGIN), ("x-csrf-token", csrf)]
    value(await tab.ask("POST", "/api/remember", "user=ann", body=body, headers=ours), 201)
    assert "Ann likes rain." in [fact.text for fact in memory.user("ann").facts()]


async def test_the_token_of_a_program_opens_no_page(refusing: Program) -> None:
    headers = [("authorization", f"Bearer {TOKEN}")]
    for path in ("/overview", "/api", "/API/stats"):
        assert (await refusing.tab.ask("GET", path, "user=ann", headers=headers, cookie=None)).status == 403
    for path in ("/api/../overview", "/api//overview", "/api/"):
        error(await refusing.tab.ask("GET", path, "user=ann", headers=headers, cookie=None), 404, "no_operation")


@pytest.mark.parametrize("name", CHANGES)
async def test_without_edit_nothing_changes(memory: MemoryOS, name: str) -> None:
    before = memory.user("ann").governance.audit()
    answer = await Program(Identity(memory, TOKEN)).post(name, GOOD[name])
    assert "--edit" in error(answer, 403, "access")
    assert memory.user("ann").governance.audit() == before


@pytest.mark.parametrize("each", OPERATIONS, ids=lambda each: each.name)
async def test_an_actor_does_what_its_role_allows(memory: MemoryOS, each: Any) -> None:
    good, granted = GOOD.get(each.name, {}), each.role in {"none", "reader"}
    for actor in ("nobody",) * (each.role != "none") + ("reader",) * (not granted):
        error(await as_actor(memory, actor).call(each.name, **good), 403, "access")
    for actor in ("admin", *("curator",) * (each.role != "admin"), *("reader",) * granted):
        answer = await as_actor(memory, actor).call(each.name, **good)
        assert answer.status in ({404} if good.get("id") == LACKING and each.name != "pages" else {200, 201})


async def test_everything_can_be_forgotten_by_an_admin_alone(memory: MemoryOS) -> None:
    error(await as_actor(memory, "curator").post("forget", {"everything": True}), 403, "access")
    assert value(await as_actor(memory, "admin").post("forget", {"everything": True}))["receipt"]["pages"] == 3


async def test_acts_are_in_the_audit_log_by_the_actors_name(memory: MemoryOS) -> None:
    value(await as_actor(memory, "curator").post("remember", {"text": "Ann likes rain."}), 201)
    error(await as_actor(memory, "reader").get("facts"), 403, "access")
    last = memory.user("ann").governance.audit()[-2:]
    assert [(entry.actor, entry.action) for entry in last] == [("curator", "remember"), ("reader", "denied")]


async def test_another_user_than_the_servers_is_not_there(memory: MemoryOS) -> None:
    alone = Program(Identity(memory, TOKEN, user="ann", edit=True))
    for name in ("facts", "stats", "export"):
        error(await alone.get(name, user="bob"), 404, "not_found")
    error(await alone.post("forget", {"everything": True}, query="user=bob"), 404, "not_found")
    assert value(await alone.get("stats", assistant="assistant"))["pages"] == 3
    error(await alone.get("stats", assistant="other"), 404, "not_found")
    assert "/api/users" in error(await Program(Identity(memory, TOKEN)).get("stats", user=[]), 400, "invalid_input")


WRONG_QUERIES = [
    ("recall", {}, "query is missing"),
    ("recall", {"query": "  "}, "query must be a text"),
    ("recall", {"query": ["a", "b"]}, "once"),
    ("recall", {"query": "a", "budget_tokens": "many"}, "whole number"),
    ("recall", {"query": "a", "budget_tokens": "-1"}, "whole number"),
    ("recall", {"query": "a", "budget_tokens": "9" * 30}, "whole"),
    ("recall", {"query": "a", "budget_tokens": "99999999"}, "or less"),
    ("recall", {"query": "a", "recent": "1"}, "true or false"),
    ("recall", {"query": "a", "min_score": "2"}, "from 0 to 1"),
    ("recall", {"query": "a", "min_score": "NaN"}, "from 0 to 1"),
    ("recall", {"query": "a", "text": "green tea"}, "unknown name"),
    ("search", {"query": "a", "k": "101"}, "100 or less"),
    ("search", {"query": "a", "since": "yesterday"}, "ISO 8601"),
    ("search", {"query": "a", "tier": "attic"}, "one of short_term"),
    ("facts", {"at": "4711"}, "ISO 8601"),
    ("facts", {"about": "bees"}, "one of user, assistant"),
    ("facts", {"at": "2026-01-01", "former": "true"}, "not both"),
    ("facts", {"limit": "501"}, "500 or less"),
    ("facts", {"id": " "}, "texts"),
    ("history", {}, "name is missing"),
    ("pages", {}, "id is missing"),
    ("pages", {"id": ["x"] * 101}, "1 to 100"),
    ("stats", {"user": ""}, "user must be"),
    ("topics", {"offset": "true"}, "whole number"),
    ("profile", {"colour": "green tea"}, "unknown name"),
    ("users", {"limit": "1.5"}, "whole number"),
    ("export", {"x": "1"}, "unknown"),
]


@pytest.mark.parametrize(("name", "query", "said"), WRONG_QUERIES)
async def test_a_wrong_query_is_told_what_is_right(
    refusing: Program, name: str, query: dict[str, Any], said: str
) -> None:
    assert said in error(await refusing.get(name, **query), 400, "invalid_input")


WRONG_BODIES: list[tuple[str, object, str]] = [
    *((name, b"{", "not JSON") for name in CHANGES),
    *((name, [], "one JSON object") for name in CHANGES),
    *((name, {"colour": "green tea"}, "unknown name") for name in CHANGES),
    ("add", {}, ""),
    ("add", {"said": 3}, "said must be a text"),
    ("add", {"said": "a", "timestamp": "soon"}, "ISO 8601"),
    ("remember", {}, "text is missing"),
    ("remember", {"text": " "}, "text must be"),
    ("remember", {"text": "a", "about": "b"}, "one of"),
    ("correct", {"id": "a"}, "text is missing"),
    ("correct", {"text": "a"}, "id is missing"),
    ("retire", {"id": "a", "wrong": "yes"}, "true or false"),
    ("release", {"id": []}, "id must be"),
    ("forget", {}, "what to forget"),
    ("forget", {"pages": "a"}, "1 to 100"),
    ("forget", {"facts": [""]}, "not empty"),
    ("forget", {"everything": 1}, "true or false"),
    ("remember", b"[" * 100_000, "not JSON"),
    ("remember", b"\xff", "not JSON"),
]


@pytest.mark.parametrize(("name", "body", "said"), WRONG_BODIES)
async def test_a_wrong_body_is_told_what_is_right(refusing: Program, name: str, body: object, said: str) -> None:
    assert said in error(await refusing.post(name, body), 400, "invalid_input")


@pytest.mark.parametrize("name", ["correct", "retire", "release"])
async def test_an_unknown_id_is_not_found(refusing: Program, name: str) -> None:
    error(await refusing.post(name, GOOD[name]), 404, "not_found")


async def test_a_body_must_be_json_of_a_told_length(program: Program) -> None:
    error(await program.post("remember", {"text": "a"}, content_type="text/plain"), 415, "media_type")
    error(await program.post("remember", {"text": "a"}, content_type=None), 415, "media_type")
    for length in (None, "", "-1", "2000000"):
        error(await program.post("remember", {"text": "a"}, content_length=length), 413, "length")
    value(await program.post("remember", {"text": "a"}, content_type="application/json; charset=utf-8"), 201)


async def test_other_paths_and_methods_are_told_where_to_look(refusing: Program) -> None:
    assert "openapi.json" in error(await refusing.get("nothing"), 404, "no_operation")
    assert "openapi.json" in error(await refusing.get("remember"), 405, "no_operation")
    error(await refusing.post("facts", {}), 405, "no_operation")
    headers = [("authorization", f"Bearer {TOKEN}")]
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        error(await refusing.tab.ask(method, "/api/facts", headers=headers, cookie=None), 405, "method")


async def test_a_store_that_goes_away_is_told_without_its_text(
    program: Program, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreUnreachableError("the database does not answer; try again")

    monkeypatch.setattr(UserMemory, "profile", fail)
    with caplog.at_level(logging.WARNING):
        assert "try again" in error(await program.get("profile"), 503, "unavailable")
    assert "StoreUnreachableError" in caplog.text


async def test_too_many_requests_are_told_when_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "monotonic", lambda: 0.0)  # a machine that stands still for half a minute is no refill
    config = MemoryConfig(worker=WorkerConfig(mode="manual"), limits=LimitsConfig(verbs_per_minute=2))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        memory.user("ann").add("I like rain.", "Oh.")
        program = Program(Identity(memory, TOKEN, edit=True))
        value(await program.get("stats"))
        for answer in (await program.get("stats"), await program.post("remember", {"text": "Ann likes rain."})):
            assert "try again in" in error(answer, 429, "limit")
            assert answer.headers["retry-after"] == "30"
        page = await program.tab.get("/overview", user="ann")
        assert (page.status, page.headers["retry-after"].isdecimal()) == (429, True)


async def test_what_takes_too_long_is_told_as_such(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> None:
        raise DeadlineError("this took longer than limits.verb_seconds=1; nothing was changed")

    monkeypatch.setattr(UserMemory, "profile", late)
    assert "nothing was changed" in error(await program.get("profile"), 504, "deadline")


async def test_answers_are_ascii_and_carry_the_pages_headers(program: Program, memory: MemoryOS) -> None:
    memory.user("ann").remember("Ann says: <script>é\u202e\x1b[2J</script>")
    answer = await program.get("facts")
    assert answer.text.isascii()
    assert "\x1b" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
