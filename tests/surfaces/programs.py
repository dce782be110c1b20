"""Programs that ask the inspector for JSON, and what they find in an answer."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from memoryos_core import MemoryOS
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.rest.operations import OPERATIONS
from tests.surfaces.asgi import TOKEN, Answer, Tab

READS = [each.name for each in OPERATIONS if each.method == "GET"]
CHANGES = [each.name for each in OPERATIONS if each.method == "POST"]
LACKING = "no-such-id"
# What each operation needs beside the user.
GOOD: dict[str, dict[str, Any]] = {
    "recall": {"query": "Where does Ann live?"},
    "search": {"query": "Lisbon"},
    "history": {"name": "home"},
    "pages": {"id": LACKING},
    "add": {"said": "I like rain."},
    "remember": {"text": "Ann likes rain."},
    "correct": {"id": LACKING, "text": "Ann likes black tea."},
    "retire": {"id": LACKING},
    "useful": {"id": LACKING},
    "release": {"id": LACKING},
    "forget": {"pages": [LACKING]},
}


class Program:
    """A program that sends the token with each request."""

    def __init__(self, identity: Identity) -> None:
        self.tab = Tab(identity)
        self.identity = identity

    async def get(self, name: str, /, **query: object) -> Answer:
        headers = [("authorization", f"Bearer {TOKEN}")]
        sent = urlencode({"user": "ann", **query}, doseq=True, errors="replace")
        return await self.tab.ask("GET", f"/api/{name}", sent, headers=headers, cookie=None)

    async def post(self, name: str, body: object, /, *, query: str = "user=ann", **headers: str | None) -> Answer:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        given: dict[str, str | None] = {
            "authorization": f"Bearer {TOKEN}",
            "content-type": "application/json",
            "content-length": str(len(sent)),
            **{key.replace("_", "-"): value for key, value in headers.items()},
        }
        kept = [(key, value) for key, value in given.items() if value is not None]
        return await self.tab.ask("POST", f"/api/{name}", query, body=sent, headers=kept, cookie=None)

    async def call(self, name: str, /, **fields: object) -> Answer:
        """Ask for an operation by its method."""
        return await (self.get(name, **fields) if name in READS else self.post(name, fields))


def value(answer: Answer, status: int = 200) -> Any:
    assert answer.status == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    return json.loads(answer.text)


def error(answer: Answer, status: int, kind: str) -> str:
    """Return what a refusal says to do."""
    found = value(answer, status)
    assert found["error"]["type"] == kind
    assert [*found] == ["error"]
    assert len(found["error"]["message"]) > 10
    for remembered in ("Lisbon", "green tea", "4711", "bees", "Ignore all"):
        assert remembered not in answer.text
    return str(found["error"]["message"])


def as_actor(memory: MemoryOS, actor: str) -> Program:
    return Program(Identity(memory, TOKEN, user="ann", actor=actor, edit=True))
