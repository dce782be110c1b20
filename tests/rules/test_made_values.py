"""Values of which a recall makes hundreds: made quicker, and otherwise as dataclasses makes them."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any

import pytest

from memoryos_core import Hit, Message, Page
from memoryos_core.rules.paging.pages import Passage
from memoryos_core.rules.ranking.hits import Unit
from memoryos_core.values.construction import fill_slots


@dataclass(frozen=True, slots=True)
class Plain:
    """A value."""

    name: str
    number: int = 3
    seen: dict[str, int] = field(default_factory=dict[str, int], compare=False)


@fill_slots
@dataclass(frozen=True, slots=True)
class Quick:
    """A value."""

    name: str
    number: int = 3
    seen: dict[str, int] = field(default_factory=dict[str, int], compare=False)


GIVEN: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a", 4), {"seen": {"x": 1}}),
    ((), {"number": 5, "name": "b"}),
    ((), {}),
    (("a", 1, {}, 2), {}),
    (("a",), {"name": "b"}),
    (("a",), {"unknown": 1}),
]


@pytest.mark.parametrize(("given", "named"), GIVEN)
def test_it_is_made_as_a_dataclass_is(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    def made(kind: Any) -> object:
        try:
            value = kind(*given, **named)
        except TypeError as error:
            return str(error).replace(kind.__name__, "")
        return [getattr(value, one.name) for one in fields(value)]

    assert made(Quick) == made(Plain)


def test_each_has_a_default_of_its_own() -> None:
    first = Quick("a")
    first.seen["x"] = 1
    assert Quick("a").seen == {}


def test_it_stays_frozen_and_can_be_copied() -> None:
    value = Quick("a", seen={"x": 1})
    for one in ("name", "number", "unknown"):
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(value, one, "b")
    assert replace(value, number=9) == Quick("a", 9)
    assert [copy.deepcopy(value), pickle.loads(pickle.dumps(value))] == [value, value]
    assert hash(Quick("a")) == hash(Quick("a"))


@pytest.mark.parametrize("kind", [Message, Page, Hit, Unit, Passage])
def test_signatures_tell_what_the_fields_are(kind: type) -> None:
    told = inspect.signature(kind)
    assert list(told.parameters) == [one.name for one in fields(kind)]
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in told.parameters.values())


def test_fields_that_are_no_arguments_are_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Odd:
        name: str
        _: int = field(default=1, kw_only=True)

    with pytest.raises(TypeError, match="no plain argument"):
        fill_slots(Odd)
