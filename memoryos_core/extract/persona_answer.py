"""The answer to `persona`. The trait dimensions are told to the model here only, as the words of an enum."""

from __future__ import annotations

from typing import Annotated, TypeAlias, get_args

from pydantic import WithJsonSchema

from memoryos_core.extract.answers import MaybeNumber, Numbers, StructuredAnswer, Text
from memoryos_core.values.facts import Level
from memoryos_core.values.trait_names import DIMENSIONS


def _words(*allowed: str) -> WithJsonSchema:
    """Words the model is asked to choose from; other words are sorted out afterwards, item by item."""
    return WithJsonSchema({"type": "string", "enum": list(allowed)})


Operation: TypeAlias = Annotated[Text, _words("add", "update", "retire")]
Side: TypeAlias = Annotated[Text, _words("user", "assistant")]
Grade: TypeAlias = Annotated[Text, _words(*get_args(Level))]
Dimension: TypeAlias = Annotated[Text, _words(*(name for names in DIMENSIONS.values() for name in names))]


class FactAnswer(StructuredAnswer):
    """One change to what is known."""

    op: Operation = "add"
    about: Side = "user"
    text: Text = ""
    pages: Numbers = ()
    date: Annotated[Text, WithJsonSchema({"type": ["string", "null"]})] = ""
    known: MaybeNumber = None


class FieldAnswer(StructuredAnswer):
    """One static field of the profile."""

    name: Text = ""
    value: Text = ""
    pages: Numbers = ()


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
