"""What is believed of a model that refuses or breaks, and what is not."""

from __future__ import annotations

import pytest

from memoryos_core import ChatRequest, Prompt
from memoryos_core.providers.llms.openai import Dialect, Negotiation

ASKED = ChatRequest((Prompt("user", "Tea?"),), schema={"type": "object"})


class StatusError(Exception):
    def __init__(self, status_code: int, complaint: str = "") -> None:
        super().__init__()
        self.status_code = status_code
        self.body = {"error": {"message": complaint}}


class Model:
    """Answers with the form of JSON it was asked for, after the errors it was given."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def __call__(self, dialect: Dialect, request: ChatRequest) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return dialect.json_form


def test_after_a_schema_has_worked_a_broken_server_is_an_outage() -> None:
    negotiation = Negotiation()
    assert negotiation.answer(ASKED, Model()) == "json_schema"
    for _ in range(3):
        with pytest.raises(StatusError):
            negotiation.answer(ASKED, Model(StatusError(500)))
    assert negotiation.answer(ASKED, Model()) == "json_schema"


def test_twice_at_the_very_start_it_is_the_schema() -> None:
    negotiation = Negotiation()
    with pytest.raises(StatusError):
        negotiation.answer(ASKED, Model(StatusError(500)))
    assert negotiation.answer(ASKED, Model(StatusError(500))) == "json_object"
    assert negotiation.answer(ASKED, Model()) == "json_object"


def test_what_is_refused_for_another_reason_teaches_nothing() -> None:
    negotiation = Negotiation()
    with pytest.raises(StatusError):
        negotiation.answer(ASKED, Model(StatusError(400, "response_format"), StatusError(401)))
    assert negotiation.answer(ASKED, Model()) == "json_schema"


def test_a_client_that_cannot_is_shown_the_schema() -> None:
    negotiation = Negotiation(cannot=(NotImplementedError,))
    assert negotiation.answer(ASKED, Model(NotImplementedError())) == "plain"
    with pytest.raises(NotImplementedError):
        negotiation.answer(ASKED, Model(NotImplementedError()))
