"""Chat over HTTP with any endpoint that speaks OpenAI's protocol.

Dialects of OpenAI's protocol: a refusal of an endpoint tells which parameters it takes.

Negotiation of the dialect of a model: a refused request is put differently; the working form is remembered.

Reads a chat completion of any server and checks every field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar, cast

from memoryos_core.errors import ModelAnswerError
from memoryos_core.ports.models import Contained, ForeignErrors
from memoryos_core.ports.optional_imports import open_openai
from memoryos_core.values.chat import ChatReply, ChatRequest


class OpenAIChat:
    """A chat model behind `base_url` (OpenAI's own without it).

    A question with a schema asks for JSON of that schema. An endpoint that refuses a parameter is asked again without
    it, and what it takes is remembered for the next question. `max_retries` is 0 because retries are counted in one
    place, `extract.asking`. With a `base_url` and no key a placeholder is sent, so that a key meant for OpenAI never
    reaches another host. `temperature` replaces the request's own when it is given.

    Raises:
        ConfigError: there is no key, neither given nor in OPENAI_API_KEY.
        MissingExtraError: the openai package is absent.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 0,
        temperature: float | None = None,
    ) -> None:
        self._model = model
        self._temperature = temperature
        self._client = open_openai(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=max_retries)
        self._negotiation = Negotiation()

    @property
    def name(self) -> str:
        """The model, for logs and reports."""
        return f"openai:{self._model}"

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once. Raises ModelError: transient for time-outs, 429 and 5xx, not for a wrong key or request."""
        who = f"chat model {self.name!r}"
        with ForeignErrors(who):
            answer = self._negotiation.answer(request, self._send)
        return read_completion(answer, request, who)

    def _send(self, dialect: Dialect, request: ChatRequest) -> object:
        arguments = dialect.payload(request)
        if self._temperature is not None and dialect.temperature:
            arguments["temperature"] = self._temperature
        return self._client.chat.completions.create(model=self._model, **arguments)


JsonForm: TypeAlias = Literal["json_schema", "json_object", "plain"]

_FORMATS = ("response_format", "json_schema", "json schema", "json_object", "json mode", "structured output", "grammar")
_LOOSER: dict[JsonForm, JsonForm] = {"json_schema": "json_object", "json_object": "plain"}
_MOST_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Dialect:
    """Form of a request: how JSON is requested, the name of the token limit, and if temperature is sent."""

    json_form: JsonForm = "json_schema"
    ceiling: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def payload(self, request: ChatRequest) -> dict[str, Any]:
        """The arguments of a chat completion, without the model."""
        out: dict[str, Any] = {"messages": self._messages(request)}
        if self.temperature:
            out["temperature"] = request.temperature
        if request.max_tokens is not None:
            out[self.ceiling] = request.max_tokens
        if request.schema is not None and self.json_form == "json_schema":
            shape = {"name": request.schema_name, "schema": request.schema, "strict": False}
            out["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif request.schema is not None and self.json_form == "json_object":
            out["response_format"] = {"type": "json_object"}
        return out

    def after(self, request: ChatRequest, complaint: str) -> Dialect | None:
        """The next dialect to try after a refusal in these words, or None when another would not help."""
        said = complaint.lower()
        if "context" in said and "length" in said:  # the prompt is too long, in any dialect
            return None
        if request.max_tokens is not None and self.ceiling == "max_tokens" and "max_tokens" in said:
            return replace(self, ceiling="max_completion_tokens")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        return self.looser(request) if any(word in said for word in _FORMATS) else None

    def looser(self, request: ChatRequest) -> Dialect | None:
        """The next looser form of JSON, or None when there is none."""
        if request.schema is None or self.json_form == "plain":
            return None
        return replace(self, json_form=_LOOSER[self.json_form])

    def _messages(self, request: ChatRequest) -> list[dict[str, str]]:
        # Lone surrogates cannot be sent.
        out = [
            {"role": prompt.role, "content": prompt.text.encode("utf-8", "replace").decode("utf-8")}
            for prompt in request.prompts
        ]
        if request.schema is not None and self.json_form != "json_schema":
            # The endpoint does not enforce the schema, so the prompt shows it to the model.
            shape = json.dumps(request.schema, ensure_ascii=False)
            text = f"Reply with one JSON object that fits this JSON Schema, and nothing else: {shape}"
            out.append({"role": "user", "content": text})
        return out


def complaint_of(body: object) -> str:
    """Return the reason for a refusal: the parameter it names, or the place and the words of the complaint.

    Only the short fields are read: some servers send back the whole request, in which every word may occur.
    """
    if not isinstance(body, Mapping):
        return str(body or "")[:_MOST_CHARACTERS]
    fields = cast("Mapping[str, Any]", body)
    inner = fields.get("error")
    if isinstance(inner, Mapping):
        return complaint_of(cast("Mapping[str, Any]", inner))
    if fields.get("param"):
        return f"{fields['param']} {fields.get('code')}"
    detail = fields.get("detail")
    if isinstance(detail, list):
        items = (cast("Mapping[str, Any]", item) for item in cast("list[object]", detail) if isinstance(item, Mapping))
        places = (item.get("loc") for item in items)
        return " ".join(str(place) for place in places)[:_MOST_CHARACTERS]
    return f"{fields.get('code')} {fields.get('message') or inner or detail}"[:_MOST_CHARACTERS]


T = TypeVar("T")

_REFUSED = frozenset({400, 422})
_BROKE = 500
_BREAKS_BELIEVED = 2


class Negotiation:
    """The dialect of one model, as known so far.

    Args:
        dialect: what to begin with.
        cannot: errors by which a client says that a model has no structured output at all.
    """

    def __init__(self, dialect: Dialect | None = None, *, cannot: tuple[type[Exception], ...] = ()) -> None:
        self._dialect = dialect or Dialect()
        self._cannot = cannot
        self._proven = False
        self._breaks = 0

    def answer(self, request: ChatRequest, send: Callable[[Dialect, ChatRequest], T]) -> T:
        """Return the reply of `send` in the first dialect that is not refused; else raise its last error."""
        dialect = self._dialect
        while True:
            attempt = Contained()
            with attempt:
                answer = send(dialect, request)
                # Remember it only after success: a refusal for another reason must not select a poorer dialect.
                self._dialect = dialect
                self._proven = self._proven or request.schema is not None
                return answer
            assert attempt.error is not None  # noqa: S101 - or the block had returned
            following = self._following(dialect, request, attempt.error)
            if following is None:
                raise attempt.error
            dialect = following

    def _following(self, dialect: Dialect, request: ChatRequest, error: Exception) -> Dialect | None:
        """Return the dialect to try after an error, or None when no other would help."""
        if isinstance(error, self._cannot):
            wanted = request.schema is not None and dialect.json_form == "json_schema"
            return Dialect("plain", dialect.ceiling, dialect.temperature) if wanted else None
        status = getattr(error, "status_code", None)
        if status in _REFUSED:
            return dialect.after(request, complaint_of(getattr(error, "body", None)))
        if status != _BROKE or self._proven or request.schema is None:
            return None
        # Some servers fail on a schema instead of refusing it. One such error may be an outage, and so is any
        # 500 after a schema has worked; two errors at the very start count as a refusal.
        self._breaks += 1
        return dialect.looser(request) if self._breaks >= _BREAKS_BELIEVED else None


def read_completion(answer: object, request: ChatRequest, who: str) -> ChatReply:
    """Return the text and the token counts of a completion.

    An answer that was cut at the token limit is an error when JSON was asked for, since half a document is not JSON;
    prose is returned up to the cut.

    Raises:
        ModelAnswerError: no answer, an empty one, a refusal, or JSON that was cut.
    """
    choices = _field(answer, "choices")
    if not isinstance(choices, Sequence) or isinstance(choices, str) or not choices:
        raise ModelAnswerError(f"{who} sent a reply that is not a chat completion")
    choice = cast("Sequence[object]", choices)[0]
    message = _field(choice, "message")
    if _field(message, "refusal"):
        raise ModelAnswerError(f"{who} refused to answer", transient=False)
    text = _field(message, "content")
    cut = _field(choice, "finish_reason") == "length"
    if cut and (request.schema is not None or not text):
        limit = "its own token limit" if request.max_tokens is None else f"the limit of {request.max_tokens} tokens"
        raise ModelAnswerError(f"{who} reached {limit} before it answered", transient=False)
    if not isinstance(text, str) or not text.strip():
        raise ModelAnswerError(f"{who} sent an empty answer")
    usage = _field(answer, "usage")
    return ChatReply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _field(value: object, name: str) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)


def _count(usage: object, name: str) -> int | None:
    value = _field(usage, name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
