"""The views that change a memory: each shows first what it would do, and does it when it is confirmed."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import AccessError, InvalidInputError
from memoryos_core.ops.inspector.identity import Identity
from memoryos_core.ops.inspector.reading import fact_of
from memoryos_core.ops.inspector.rendering import Pages
from memoryos_core.ops.plain_values import receipt_in_words
from memoryos_core.values.reports import ForgetReceipt

_ACTIONS: Mapping[str, str] = {
    "correct": "Correct this fact",
    "retire": "Retire this fact",
    "forget": "Forget this fact",
    "forget-page": "Forget this page",
    "release": "Release this fact",
    "reject": "Reject this fact",
}


class Changing:
    """One form for all changes: an action, an id, and for a correction the new text."""

    def __init__(self, identity: Identity, pages: Pages) -> None:
        self._identity = identity
        self._pages = pages

    async def change(self, request: Request) -> Response:
        """Show the receipt of a change, or do it. Raises AccessError unless editing is on and the form is ours."""
        if not self._identity.edit:
            raise AccessError("this page only reads: start it with --edit to change what is remembered")
        body = await request.body()
        form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20))
        if not hmac.compare_digest(
            form.get("csrf", "").encode("utf-8", "replace"), self._identity.derive("csrf").encode()
        ):
            raise AccessError("this form does not come from this page: open it again")
        return await run_in_threadpool(self._change, request, form)

    def _change(self, request: Request, form: Mapping[str, str]) -> Response:
        user = self._identity.open_user(form.get("user"), form.get("assistant"))
        action, item, text = form.get("action", ""), form.get("id", ""), form.get("text", "")
        if action not in _ACTIONS:
            raise InvalidInputError("unknown action: go back and use the buttons")
        if action == "correct" and not text.strip():
            raise InvalidInputError("there is no new text: write what is right, or retire the fact")
        if form.get("confirmed") == "yes":
            done = _DO[action](user, item, text)
            return self._show(request, user, {"action": action, "said": done, "done": True, "id": item, "text": ""})
        said = _preview(user, action, item, text)
        return self._show(request, user, {"action": action, "said": said, "done": False, "id": item, "text": text})

    def _show(self, request: Request, user: UserMemory, values: Mapping[str, object]) -> Response:
        title = _ACTIONS[str(values["action"])]
        return self._pages.render(request, "change.html", user, {"title": title, **values})


def _preview(user: UserMemory, action: str, item: str, text: str) -> str:
    """Return what a change would do. Raises NotFoundError."""
    if action == "forget-page":
        return _erases(user.forget(pages=[item], dry_run=True), "The facts that rest on it alone go with it.")
    known = fact_of(user, item)
    if action in {"forget", "reject"}:
        return _erases(user.forget(facts=[item], dry_run=True), "The turns that it comes from stay.")
    if action == "correct":
        return f"“{known.text}” becomes a former fact. In its place stands: “{text}”"
    if action == "release":
        return f"“{known.text}” becomes a current fact: it is recalled from now on."
    return f"“{known.text}” no longer holds from today. It stays as a former fact, and so do the turns it comes from."


def _erases(planned: ForgetReceipt, more: str) -> str:
    return f"This erases {receipt_in_words(planned)} for good. {more}"


def _correct(user: UserMemory, item: str, text: str) -> str:
    fact = user.correct(item, text)
    if fact.status == "quarantined":
        return "Not corrected yet: the new text reads like an instruction, so it waits among the facts held back."
    return "Corrected. The former fact stays in the history."


def _retire(user: UserMemory, item: str, _text: str) -> str:
    user.retire(item)
    return "Retired. The fact stays in the history."


def _forget(user: UserMemory, item: str, _text: str) -> str:
    return f"Erased: {receipt_in_words(user.forget(facts=[item]))}."


def _forget_page(user: UserMemory, item: str, _text: str) -> str:
    return f"Erased: {receipt_in_words(user.forget(pages=[item]))}."


def _release(user: UserMemory, item: str, _text: str) -> str:
    user.governance.release([item])
    return "Released: the fact is current now."


def _reject(user: UserMemory, item: str, _text: str) -> str:
    return f"Erased: {receipt_in_words(user.governance.reject([item]))}."


_DO: Mapping[str, Callable[[UserMemory, str, str], str]] = {
    "correct": _correct,
    "retire": _retire,
    "forget": _forget,
    "forget-page": _forget_page,
    "release": _release,
    "reject": _reject,
}
