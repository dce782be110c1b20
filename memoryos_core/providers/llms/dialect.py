"""Dialects of OpenAI's protocol: a refusal of an endpoint tells which parameters it takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from memoryos_core.values.chat import ChatRequest

JsonForm: TypeAlias = Literal["json_schema", "json_object", "plain"]

_FORMATS = ("response_format", "json_schema", "json_object", "json mode", "structured output")
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
