"""Field types of answers: lenient in what they take, strict in what they ask for."""

from __future__ import annotations

import pytest

from memoryos_core.extract.answer_models import (
    Flag,
    MaybeNumber,
    Number,
    Numbers,
    PageOutAnswer,
    PersonaAnswer,
    StructuredAnswer,
    Text,
    Texts,
)


class Sample(StructuredAnswer):
    text: Text = ""
    texts: Texts = ()
    number: Number = 0
    numbers: Numbers = ()
    maybe: MaybeNumber = None
    flag: Flag = False


@pytest.mark.parametrize(
    ("field", "sent", "read"),
    [
        ("text", None, ""),
        ("text", "  two\n lines ", "two lines"),
        ("text", "half \ud800 a pair\0", "half ? a pair"),
        ("texts", "tea, cups; 茶、杯", ("tea", "cups", "茶", "杯")),
        ("texts", ["tea ", "", 3, None], ("tea",)),
        ("texts", None, ()),
        ("number", "[3]", 3),
        ("number", "page 12", 12),
        ("numbers", "[1], [2] and 3", (1, 2, 3)),
        ("numbers", ["1", 2, None, "x", {"a": 1}, True], (1, 2)),
        ("numbers", 4, (4,)),
        ("numbers", None, ()),
        ("maybe", "K2", 2),
        ("maybe", "none", None),
        ("maybe", [], None),
        ("flag", None, False),
        ("flag", "true", True),
    ],
)
def test_fields_take_what_models_send(field: str, sent: object, read: object) -> None:
    assert getattr(Sample.model_validate({field: sent}), field) == read


@pytest.mark.parametrize("answer", [PageOutAnswer, PersonaAnswer, Sample])
def test_the_schema_is_strict_everywhere(answer: type[StructuredAnswer]) -> None:
    schema = answer.strict_schema()
    objects = [schema, *schema.get("$defs", {}).values()]
    assert all(o["required"] == list(o["properties"]) for o in objects)
    assert all(o["additionalProperties"] is False for o in objects)
    assert "title" not in str(schema)
    assert "default" not in str(schema)


def bounds(node: object) -> list[tuple[object, bool]]:
    """Every list and every free text of a schema, with whether its length is bounded."""
    if isinstance(node, list):
        return [found for item in node for found in bounds(item)]
    if not isinstance(node, dict):
        return []
    kind = node.get("type")
    free = kind == "array" or (kind in ("string", ["string", "null"]) and "enum" not in node)
    return [*([(node, "maxItems" in node or "maxLength" in node)] if free else ()), *bounds([*node.values()])]


@pytest.mark.parametrize("answer", [PageOutAnswer, PersonaAnswer])
def test_no_list_and_no_text_of_an_answer_is_without_end(answer: type[StructuredAnswer]) -> None:
    """A model of 1.5 billion parameters counted page numbers until the limit of its answer, ten minutes a question."""
    found = bounds(answer.strict_schema())
    assert len(found) > 6
    assert all(bounded for _, bounded in found)


def test_an_answer_longer_than_the_schema_asks_for_is_read_all_the_same() -> None:
    answer = PageOutAnswer.model_validate({"chains": [{"first": 1, "summary": "word " * 200}], "topics": []})
    assert len(answer.chains[0].summary) > 900


def test_the_trait_dimensions_are_the_words_of_an_enum() -> None:
    dimension = PersonaAnswer.strict_schema()["$defs"]["TraitAnswer"]["properties"]["dimension"]
    assert len(dimension["enum"]) == 51
