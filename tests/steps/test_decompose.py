"""What a hard question asks for, by one call: its prompt, and what becomes of good, bad and strange answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.config import WorkerConfig
from memoryos_core.errors import ModelAnswerError, ModelBudgetError, ModelError
from memoryos_core.extract.asking import Asker
from memoryos_core.extract.decompose import MOST_PARTS, decompose, request, whole
from memoryos_core.testing.fakes import ScriptedChat

QUESTION = "Which instruments do Ada and her sister play?"
ADA, SISTER = "Which instrument does Ada play?", "Which instrument does the sister play?"


def answer(*parts: object) -> str:
    return json.dumps({"parts": parts})


def test_the_prompt_shows_the_question_and_asks_for_parts_alone() -> None:
    asked = request(QUESTION)
    system, user = asked.prompts
    assert (system.role, user.role, user.text) == ("system", "user", QUESTION)
    assert "JSON" in system.text
    assert '"parts"' in system.text
    assert asked.schema is not None
    assert asked.schema["required"] == ["parts"]
    assert asked.temperature == 0.0
    assert len(request("word " * 5000).prompts[1].text) < 700


@pytest.mark.parametrize("wrapped", ["{}", "```json\n{}\n```", "<think>two of them</think>{}"])
def test_a_good_answer_is_the_parts_by_one_call(make_asker, wrapped: str) -> None:
    asker, chat = make_asker([wrapped.replace("{}", answer(ADA, SISTER))])
    assert decompose(QUESTION, asker) == (ADA, SISTER)
    assert (chat.calls, asker.usage.calls, asker.usage.failures) == (1, 1, 0)


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (ADA,),
        (ADA, ADA),
        (QUESTION, ADA),
        (QUESTION.upper(), ADA),
        (ADA, "Where is the moon?"),
        (ADA, "?!"),
        (ADA, ""),
        (ADA, 7),
    ],
)
def test_less_than_two_parts_of_the_question_split_nothing(make_asker, parts) -> None:
    asker, _ = make_asker([answer(*parts)])
    assert decompose(QUESTION, asker) == whole(QUESTION) == ()


def test_too_many_and_too_long_parts_are_cut(make_asker) -> None:
    asker, _ = make_asker([answer(*(f"{ADA} {n} " + "really " * 99 for n in range(9)))])
    found = decompose(QUESTION, asker)
    assert len(found) == MOST_PARTS == 3
    assert max(map(len, found)) <= 201


@pytest.mark.parametrize("text", ["I cannot help with that.", "", '{"parts": {"a": 1}}', "[1, 2]", '{"other": 1}'])
def test_nonsense_is_not_asked_about_again(make_asker, text: str) -> None:
    asker, chat = make_asker([text])
    with pytest.raises(ModelAnswerError):
        decompose(QUESTION, asker)
    assert (chat.calls, asker.usage.repairs, asker.usage.failures) == (1, 0, 1)


def test_a_failing_model_is_not_asked_again(make_asker) -> None:
    asker, chat = make_asker([ModelError("busy")], attempts=5)
    with pytest.raises(ModelError, match="busy"):
        decompose(QUESTION, asker)
    assert (chat.calls, asker.usage.retries, asker.usage.failures) == (1, 0, 1)


def test_the_cap_on_calls_counts_here_too(make_asker) -> None:
    asker, chat = make_asker([answer(ADA, SISTER)], max_calls=0)
    with pytest.raises(ModelBudgetError):
        decompose(QUESTION, asker)
    assert chat.calls == 0


def test_without_a_model_it_is_the_callers_to_take_the_twin() -> None:
    with pytest.raises(ModelError, match="no chat model"):
        decompose(QUESTION, Asker(None, WorkerConfig(), count_tokens=len))


@given(st.lists(st.text(max_size=300), max_size=8), st.text(max_size=900))
def test_whatever_comes_back_parts_are_few_short_and_of_the_question(parts: list[str], question: str) -> None:
    asker = Asker(ScriptedChat([json.dumps({"parts": parts})]), WorkerConfig(), count_tokens=len)
    found = decompose(question, asker)
    assert len(found) in {0, 2, 3}
    assert all(0 < len(part) <= 201 for part in found)
    assert len(set(found)) == len(found)
