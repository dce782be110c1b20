"""The table of operations that a program may ask for, each a call of public verbs."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import fields as fields_of
from typing import Any, Literal

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import ConflictError, InvalidInputError
from memoryos_core.ops.inspector.identity import OUTSIDE, Identity
from memoryos_core.ops.inspector.reading import fact_of
from memoryos_core.ops.inspector.rest.fields import Field
from memoryos_core.ops.plain_values import Plain, plain, plain_recall
from memoryos_core.values.audit import Activity, LoggedRecall
from memoryos_core.values.dialogue import Hit, Page, Recall, Scope, Topic
from memoryos_core.values.facts import Dispute, Fact, KnownValue, Profile
from memoryos_core.values.reports import ForgetReceipt, SessionSpan, Stats

_MOST_RECALLS = 10_000
_TIERS = ("short_term", "mid_term", "archive", "long_term")
_SIDES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Call:
    """One request: whose memory it is about, and the values of its fields."""

    identity: Identity
    given: dict[str, Any]

    @property
    def user(self) -> UserMemory:
        """The handle of the user that the request names. Raises NotFoundError, InvalidInputError without one."""
        wanted = self.given["user"], self.given["assistant"]
        if wanted[0] is None and self.identity.user is None:
            raise InvalidInputError("user is missing: name one in the query, such as ?user=ann; /api/users lists them")
        outside = self.given.get("recent") is False  # a recall without the turns of a session is asked of none
        return self.identity.open_user(*wanted, self.given["session"] or (OUTSIDE if outside else "default"))

    def part(self, items: Sequence[object]) -> dict[str, Plain]:
        """Return the part of a list that the request asks for, and the number of all."""
        begin, count = self.given["offset"], self.given["limit"]
        return {"items": [plain(item) for item in items[begin : begin + count]], "total": len(items)}


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing to ask for.

    Attributes:
        name: its name in the document, and its path below /api.
        said: what it does, for the document.
        run: the call of the verbs.
        answer: the type of what comes back; a list of one type is a page of that list.
        fields: what it takes, in the query of a GET and in the body of a POST.
        method: GET reads, POST changes and needs `--edit`.
        status: the status of an answer.
        role: the least role of an actor.
        paged: whether a part of a list comes back.
    """

    name: str
    said: str
    run: Callable[[Call], Plain | Iterator[dict[str, object]]]
    answer: type | None
    fields: tuple[Field, ...] = ()
    method: Literal["GET", "POST"] = "GET"
    status: int = 200
    role: str = "curator"
    paged: bool = False


WHOSE = (
    Field("user", "the user whose memory it is; may be left out where the server shows one user only"),
    Field("assistant", "with which assistant; the one that the server was started for where it is left out"),
    Field("session", "the conversation; where it is left out, 'default', and none for a recall"),
)
PAGED = (
    Field("limit", "the most entries that come back", "whole", default=100, most=500),
    Field("offset", "the entries before those that come back", "whole", default=0),
)


def _users(call: Call) -> Plain:
    if call.identity.user is not None:
        return call.part([call.user.scope])
    scopes = sorted(call.identity.memory.scopes(), key=lambda scope: (scope.user_id, scope.assistant_id))
    return call.part(scopes)


def _recall(call: Call) -> Plain:
    given = call.given
    return plain_recall(
        call.user.recall(
            given["query"],
            budget_tokens=given["budget_tokens"],
            include_recent=given["recent"],
            min_score=given["min_score"],
        )
    )


def _search(call: Call) -> Plain:
    given = call.given
    hits = call.user.search(
        given["query"],
        given["k"],
        since=given["since"],
        until=given["until"],
        session_id=given["session"],
        tiers=given["tier"],
        min_score=given["min_score"],
    )
    return {"items": plain(hits), "total": len(hits)}


def _facts(call: Call) -> Plain:
    given = call.given
    if given["former"] and given["at"]:
        raise InvalidInputError("give former or at, not both: at brings the facts that held at that time")
    found = call.user.facts(
        given["about"], ids=given["id"], current=not (given["former"] or given["id"]), at=given["at"]
    )
    return call.part(found)


def _history(call: Call) -> Plain:
    return call.part(call.user.history(call.given["name"]))


def _pages(call: Call) -> Plain:
    return call.part(call.user.pages(call.given["id"]))


def _sessions(call: Call) -> Plain:
    user, given = call.user, call.given
    spans = user.timeline.sessions(limit=max(given["limit"], 1), offset=given["offset"])
    return {"items": plain(spans[: given["limit"]]), "total": user.stats().sessions}


def _recalls(call: Call) -> Plain:
    return call.part(call.user.governance.recalls(of=call.given["id"], limit=_MOST_RECALLS))


def _topics(call: Call) -> Plain:
    return call.part(call.user.topics())


def _export(call: Call) -> Iterator[dict[str, object]]:
    return call.user.export()


def _add(call: Call) -> Plain:
    given = call.given
    names = {name: given[name] for name in ("timestamp", "user_name", "assistant_name")}
    return plain(call.user.add(given["said"] or "", given["answered"], **names))


def _correct(call: Call) -> Plain:
    return plain(call.user.correct(call.given["id"], call.given["text"]))


def _retire(call: Call) -> Plain:
    found = call.user.retire(fact_of(call.user, call.given["id"]), wrong=call.given["wrong"])
    return {"items": plain(found), "total": len(found)}


def _useful(call: Call) -> Plain:
    found = call.user.useful(call.given["id"])
    return {"items": plain(found), "total": len(found)}


def _release(call: Call) -> Plain:
    found = call.user.governance.release([call.given["id"]])
    return {"items": plain(found), "total": len(found)}


def _forget(call: Call) -> Plain:
    """Return the receipt that erasing would give, with a code; erase when the code comes back."""
    given, user = call.given, call.user
    wanted = {name: given[name] for name in ("pages", "facts", "whole_session", "everything")}

    def erase(*, dry_run: bool) -> ForgetReceipt:
        return user.forget(
            pages=wanted["pages"],
            facts=wanted["facts"],
            session=wanted["whole_session"],
            everything=wanted["everything"],
            dry_run=dry_run,
        )

    planned = erase(dry_run=True)
    counts = [getattr(planned, f.name) for f in fields_of(planned) if f.compare]
    place = [user.scope.user_id, user.scope.assistant_id, user.session_id]
    code = _code(call.identity, [place, wanted, counts])
    if given["confirm"] is None:
        return {"done": False, "receipt": plain(planned), "confirm": code}
    if not hmac.compare_digest(given["confirm"].encode("utf-8", "replace"), code.encode()):
        raise ConflictError("nothing was erased: this code is for something else, or what would go has changed. "
                            "Send the request without confirm, look at the receipt, and send its code")  # fmt: skip
    return {"done": True, "receipt": plain(erase(dry_run=False)), "confirm": None}


def _code(identity: Identity, values: object) -> str:
    """Return the code that confirms the erasing of just this."""
    secret = identity.derive("forget").encode()
    return hmac.new(secret, json.dumps(values, sort_keys=True).encode(), hashlib.sha256).hexdigest()[:16]


_QUERY = Field("query", "the question, or the words to look for", required=True)
_FACT = Field("id", "the id of a fact", required=True)
_IDS = "ids of {}; may be given again"
_MIN_SCORE = "leave out what is less relevant"

OPERATIONS: tuple[Operation, ...] = (
    Operation("users", "List the users whose memory is shown here.", _users, Scope, PAGED, role="none", paged=True),
    Operation(
        "recall",
        "Gather what answers a question: the text for a prompt, within a budget of tokens, and its hits.",
        _recall,
        Recall,
        (
            _QUERY,
            Field("budget_tokens", "the most tokens of the text; as configured where it is left out", "whole"),
            Field("recent", "with the recent turns of the session", "flag", default=False),
            Field("min_score", _MIN_SCORE, "share"),
        ),
        role="reader",
    ),
    Operation(
        "search",
        "Find the best hits with their scores and sources. With a session, only what was said there.",
        _search,
        Hit,
        (
            _QUERY,
            Field("k", "how many hits", "whole", default=5, most=100),
            Field("since", "said at this time or later", "time"),
            Field("until", "said before this time", "time"),
            Field("tier", "only these tiers; may be given again", "texts", default=(), choices=_TIERS),
            Field("min_score", _MIN_SCORE, "share", default=0.0),
        ),
        role="reader",
        paged=True,
    ),
    Operation(
        "facts",
        "List the facts that are known, oldest first: those that hold now, held at a time, or have these ids.",
        _facts,
        Fact,
        (
            Field("at", "the facts that held at this time", "time"),
            Field("former", "also facts that were replaced, retired or are held back", "flag", default=False),
            Field("about", "only facts about one side", choices=_SIDES),
            Field("id", _IDS.format("facts"), "texts"),
            *PAGED,
        ),
        paged=True,
    ),
    Operation(
        "disputes",
        "List pairs of facts that contradict each other, newest first, until one is retired, corrected or replaced.",
        lambda c: c.part(c.user.disputes()),
        Dispute,
        PAGED,
        paged=True,
    ),
    Operation(
        "history",
        "List the values that something had, in order.",
        _history,
        KnownValue,
        (Field("name", "what had them, such as home or occupation", required=True), *PAGED),
        paged=True,
    ),
    Operation(
        "pages",
        "Bring turns word for word, by the ids that hits and facts name as their sources.",
        _pages,
        Page,
        (Field("id", _IDS.format("pages"), "texts", required=True), *PAGED),
        paged=True,
    ),
    Operation(
        "sessions",
        "List the sessions with the number and the dates of their turns, the last one first.",
        _sessions,
        SessionSpan,
        PAGED,
        paged=True,
    ),
    Operation(
        "recalls",
        "List the logged recalls, the newest first: when, by whom, tokens, and the ids of what came; no question.",
        _recalls,
        LoggedRecall,
        (Field("id", "only recalls that brought the turn or fact with this id"), *PAGED),
        paged=True,
    ),
    Operation(
        "activity",
        "Count what was added, moved, learnt and erased in the last days, and say when a worker wrote here last.",
        lambda c: plain(c.user.governance.activity(days=max(c.given["days"], 1))),
        Activity,
        (Field("days", "how many days", "whole", default=7, most=3650),),
    ),
    Operation("topics", "List what was talked about, hottest first.", _topics, Topic, PAGED, paged=True),
    Operation("profile", "Bring the fields and traits of the user.", lambda c: plain(c.user.profile()), Profile),
    Operation("stats", "Count what is remembered, tier by tier.", lambda c: plain(c.user.stats()), Stats),
    Operation(
        "export",
        "Bring the whole memory of the user as lines of JSON, for `memoryos restore`.",
        _export,
        None,
        role="admin",
    ),
    Operation(
        "add",
        "Remember one turn of a conversation; it is durable when the answer comes.",
        _add,
        Page,
        (
            Field("said", "what the user said"),
            Field("answered", "what the assistant answered"),
            Field("timestamp", "when it was said; now where it is left out", "time"),
            Field("user_name", "the user's name in the conversation"),
            Field("assistant_name", "the assistant's name in the conversation"),
        ),
        "POST",
        201,
        role="writer",
    ),
    Operation(
        "remember",
        "Remember a statement as a fact. One that reads like an instruction comes back as quarantined.",
        lambda c: plain(c.user.remember(c.given["text"], about=c.given["about"])),
        Fact,
        (
            Field("text", "the statement", required=True),
            Field("about", "which side it is about", choices=_SIDES, default="user"),
        ),
        "POST",
        201,
    ),
    Operation(
        "correct",
        "Put a statement in place of a fact, which stays as a former one.",
        _correct,
        Fact,
        (_FACT, Field("text", "what is right", required=True)),
        "POST",
    ),
    Operation(
        "retire",
        "End a fact that no longer holds; it stays as a former one, and so do its turns.",
        _retire,
        Fact,
        (_FACT, Field("wrong", "it never held", "flag", default=False)),
        "POST",
        paged=True,
    ),
    Operation(
        "useful",
        "Note that a turn or a fact helped, so that it is kept longer; the facts behind it come back.",
        _useful,
        Fact,
        (Field("id", "the id of a turn or a fact, as a hit has it", required=True),),
        "POST",
        paged=True,
    ),
    Operation("release", "Make a fact that was held back current.", _release, Fact, (_FACT,), "POST", paged=True),
    Operation(
        "forget",
        "Erase for good. Without confirm nothing goes: the receipt says what would, and brings the code to confirm it.",
        _forget,
        ForgetReceipt,
        (
            Field("pages", "ids of turns", "texts", default=()),
            Field("facts", "ids of facts", "texts", default=()),
            Field("whole_session", "all that was said in the session", "flag", default=False),
            Field("everything", "all of this user with this assistant; needs the role admin", "flag", default=False),
            Field("confirm", "the code of the receipt that was looked at"),
        ),
        "POST",
    ),
)
