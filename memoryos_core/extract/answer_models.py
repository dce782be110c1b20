"""Field types of model answers: they take what models really send, a string for a list or "[3]" for 3.

The answer to `page_out`.

The answer to `persona`. The trait dimensions are told to the model here only, as the words of an enum.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, cast, get_args

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from memoryos_core.rules.text.words import regex
from memoryos_core.values.facts import DIMENSIONS, PROFILE_FIELDS, FactKind, Level

_NUMBER = regex(r"\d{1,6}")
_SEPARATORS = regex(r"[,;、，\n]")
_MOST_OBJECTS, _MOST_VALUES, _MOST_CHARACTERS = 24, 64, 400


def _text(value: object) -> object:
    if value is None:
        return ""
    return _storable(value) if isinstance(value, str) else value


def _storable(text: str) -> str:
    """One line without what a database refuses: JSON escapes can spell NUL and half a surrogate pair."""
    whole = text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    return " ".join(whole.split())


def _number(value: object) -> object:
    found = _NUMBER.search(value) if isinstance(value, str) else None
    return int(found.group()) if found else value


def _maybe_number(value: object) -> object:
    number = _number(value)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _numbers(value: object) -> object:
    if value is None:
        return ()
    if isinstance(value, str):
        return [int(n) for n in _NUMBER.findall(value)]
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    read = [_number(item) for item in items]
    return [n for n in read if isinstance(n, int) and not isinstance(n, bool)]


def _texts(value: object) -> object:
    if value is None:
        return ()
    if isinstance(value, str):
        return [_storable(part) for part in _SEPARATORS.split(value) if part.strip()]
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [_text(item) for item in items if isinstance(item, str) and item.strip()]
    return value


def _flag(value: object) -> object:
    return False if value is None else value


Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
Texts: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Number: TypeAlias = Annotated[int, BeforeValidator(_number)]
Numbers: TypeAlias = Annotated[tuple[int, ...], BeforeValidator(_numbers)]
MaybeNumber: TypeAlias = Annotated[int | None, BeforeValidator(_maybe_number)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]


class StructuredAnswer(BaseModel):
    """A shape the model is asked for; what it sends besides is ignored."""

    @classmethod
    def strict_schema(cls) -> dict[str, Any]:
        """The JSON Schema of strict structured output: all required, nothing besides, each list and text bounded.

        A small model that is held to a schema counts page numbers or copies a page until its answer's limit. What
        comes longer all the same, from a model that is not held to it, is read like any other answer.
        """
        schema: dict[str, Any] = cls.model_json_schema()
        _make_strict(schema)
        return schema


def _make_strict(node: object) -> None:
    if isinstance(node, list):
        for item in cast("list[object]", node):
            _make_strict(item)
    if not isinstance(node, dict):
        return
    here = cast("dict[str, Any]", node)
    for word in ("title", "description", "default"):
        if not isinstance(here.get(word), dict):  # a dict is a property of that name
            here.pop(word, None)
    if "properties" in here:
        here["required"] = list(here["properties"])
        here["additionalProperties"] = False
    here.update(_bounds(here))
    for child in here.values():
        _make_strict(child)


def _bounds(here: dict[str, Any]) -> dict[str, int]:
    if here.get("type") == "array":
        return {"maxItems": _MOST_OBJECTS if "$ref" in here["items"] else _MOST_VALUES}
    is_text = here.get("type") in ("string", ["string", "null"])
    return {"maxLength": _MOST_CHARACTERS} if is_text and "enum" not in here else {}


class ChainAnswer(StructuredAnswer):
    """A line of talk that starts at page number `first`."""

    first: Number
    summary: Text = ""


class TopicAnswer(StructuredAnswer):
    """Page numbers on one subject."""

    pages: Numbers
    summary: Text = ""
    keywords: Texts = ()


class PageOutAnswer(StructuredAnswer):
    """The shape the model is asked for; what is missing in it is filled without the model."""

    continues_previous: Flag = False
    chains: tuple[ChainAnswer, ...]
    topics: tuple[TopicAnswer, ...]


def _words(*allowed: str) -> WithJsonSchema:
    """Words the model is asked to choose from; other words are sorted out afterwards, item by item."""
    return WithJsonSchema({"type": "string", "enum": list(allowed)})


Operation: TypeAlias = Annotated[Text, _words("add", "update", "retire")]
Side: TypeAlias = Annotated[Text, _words("user", "assistant")]
Kind: TypeAlias = Annotated[Text, _words(*get_args(FactKind))]
Grade: TypeAlias = Annotated[Text, _words(*get_args(Level))]
Dimension: TypeAlias = Annotated[Text, _words(*(name for names in DIMENSIONS.values() for name in names))]


class FactAnswer(StructuredAnswer):
    """One change to what is known. The quote comes first: what is copied before it is concluded is made up less."""

    quote: Text = ""
    op: Operation = "add"
    about: Side = "user"
    kind: Kind = ""
    text: Text = ""
    date: Annotated[Text, WithJsonSchema({"type": ["string", "null"]})] = ""
    known: MaybeNumber = None


class FieldAnswer(StructuredAnswer):
    """One static field of the profile."""

    quote: Text = ""
    name: Annotated[Text, _words(*PROFILE_FIELDS)] = ""
    value: Text = ""


class TraitAnswer(StructuredAnswer):
    """Where the user stands on one dimension."""

    dimension: Dimension = ""
    level: Grade = ""
    reason: Text = ""
    pages: Numbers = ()


class PersonaAnswer(StructuredAnswer):
    """The shape the model is asked for."""

    facts: tuple[FactAnswer, ...]
    profile: tuple[FieldAnswer, ...] = ()
    traits: tuple[TraitAnswer, ...] = ()
