"""Retries, the repair question, the counters and the cap."""

from __future__ import annotations

import logging
import threading

import pytest
from pydantic import BaseModel

from memoryos_core.config import WorkerConfig
from memoryos_core.errors import ModelAnswerError, ModelBudgetError, ModelError
from memoryos_core.extract.asking import Asker
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt
from memoryos_core.values.reports import Usage


class Tea(BaseModel):
    kind: str


REQUEST = ChatRequest((Prompt("system", "Choose a tea."), Prompt("user", "Which?")), schema_name="tea")
GOOD = '{"kind": "sencha"}'
BUSY = ModelError("timed out")


def test_a_good_answer_takes_one_call(make_asker) -> None:
    asker, chat = make_asker([GOOD])
    assert asker.ask("tea", REQUEST, Tea) == Tea(kind="sencha")
    assert chat.requests == (REQUEST,)
    assert (asker.usage.calls, asker.usage.failures) == (1, 0)


def test_a_transient_error_is_retried_with_doubled_waiting_up_to_the_ceiling(make_asker) -> None:
    waits: list[float] = []
    asker, chat = make_asker(
        [BUSY] * 4 + [GOOD], sleep=waits.append, attempts=5, backoff_seconds=1.0, backoff_ceiling_seconds=3.0
    )
    assert asker.ask("tea", REQUEST, Tea).kind == "sencha"
    assert waits == [1.0, 2.0, 3.0, 3.0]
    assert (chat.calls, asker.usage.retries, asker.usage.failures) == (5, 4, 0)


def test_after_the_last_attempt_the_error_goes_to_the_caller(make_asker) -> None:
    waits: list[float] = []
    asker, chat = make_asker([BUSY] * 3, attempts=3, sleep=waits.append)
    with pytest.raises(ModelError, match="timed out"):
        asker.ask("tea", REQUEST, Tea)
    assert (chat.calls, len(waits), asker.usage.failures) == (3, 2, 1)


def test_very_many_attempts_do_not_overflow_the_waiting_time(make_asker) -> None:
    waits: list[float] = []
    asker, _ = make_asker([BUSY] * 1500, attempts=1500, sleep=waits.append)
    with pytest.raises(ModelError):
        asker.ask("tea", REQUEST, Tea)
    assert max(waits) == 30.0


def test_a_lasting_error_is_not_retried(make_asker) -> None:
    asker, chat = make_asker([ModelError("no such model", transient=False)])
    with pytest.raises(ModelError, match="no such model"):
        asker.ask("tea", REQUEST, Tea)
    assert (chat.calls, asker.usage.failures) == (1, 1)


@pytest.mark.parametrize("broken", ["", "Sencha, I think.", "[]", '{"cups": 1}', "<think>" + "on and on " * 500])
def test_a_broken_answer_gets_one_repair_question(make_asker, broken: str) -> None:
    asker, chat = make_asker([broken, GOOD])
    assert asker.ask("tea", REQUEST, Tea).kind == "sencha"
    again = chat.requests[1]
    assert again.prompts[:2] == REQUEST.prompts
    assert [p.role for p in again.prompts[2:]] == ["assistant", "user"]
    assert "on and on" not in again.prompts[2].text  # thoughts are not sent back
    assert again.schema_name == "tea"
    assert (asker.usage.repairs, asker.usage.failures) == (1, 0)


def test_the_repair_question_says_what_was_wrong(make_asker) -> None:
    asker, chat = make_asker(['{"kind": ["the secret"]}', GOOD])
    asker.ask("tea", REQUEST, Tea)
    question = chat.requests[1].prompts[-1].text
    assert "kind" in question
    assert "secret" not in question


def test_a_second_broken_answer_is_an_error(make_asker) -> None:
    asker, chat = make_asker(["nonsense", "more nonsense"])
    with pytest.raises(ModelAnswerError):
        asker.ask("tea", REQUEST, Tea)
    assert chat.calls == 2
    assert (asker.usage.calls, asker.usage.repairs, asker.usage.failures) == (2, 1, 1)


def test_the_repair_question_is_retried_too(make_asker) -> None:
    asker, chat = make_asker(["nonsense", BUSY, GOOD])
    assert asker.ask("tea", REQUEST, Tea).kind == "sencha"
    assert chat.calls == 3


def test_a_long_broken_answer_is_sent_back_shortened(make_asker) -> None:
    asker, chat = make_asker(["word " * 50_000, GOOD])
    asker.ask("tea", REQUEST, Tea)
    assert len(chat.requests[1].prompts[2].text) <= 2001


def test_tokens_come_from_the_reply_or_are_counted(make_asker) -> None:
    asker, _ = make_asker([ChatReply(GOOD, 40, 7), ChatReply(GOOD)])
    asker.ask("tea", REQUEST, Tea)
    assert asker.usage == Usage(calls=1, prompt_tokens=40, completion_tokens=7)
    asker.ask("tea", REQUEST, Tea)
    expected = sum(len(p.text) for p in REQUEST.prompts)  # the fixture counts characters
    assert asker.usage == Usage(calls=2, prompt_tokens=40 + expected, completion_tokens=7 + len(GOOD))


def test_the_cap_on_calls_is_checked_before_asking(make_asker) -> None:
    asker, chat = make_asker([GOOD, "nonsense"], max_calls=2)
    asker.ask("tea", REQUEST, Tea)
    with pytest.raises(ModelBudgetError, match="max_calls=2"):  # the repair question would be the third
        asker.ask("tea", REQUEST, Tea)
    assert chat.calls == 2


def test_the_cap_on_tokens_is_checked_before_asking(make_asker) -> None:
    asker, chat = make_asker([ChatReply(GOOD, 40, 7)], max_tokens=60)
    asker.ask("tea", REQUEST, Tea)
    with pytest.raises(ModelBudgetError, match="max_tokens=60"):
        asker.ask("tea", REQUEST, Tea)
    assert chat.calls == 1
    assert asker.usage.failures == 0


def test_threads_together_do_not_pass_the_cap() -> None:
    together = threading.Barrier(8, timeout=20)
    refused: list[str] = []

    def answer(_: ChatRequest) -> str:
        return GOOD

    chat = ScriptedChat(answer)
    asker = Asker(chat, WorkerConfig(max_calls=20), count_tokens=len)

    def work() -> None:
        together.wait()
        for _ in range(5):
            try:
                asker.ask("tea", REQUEST, Tea)
            except ModelBudgetError:
                refused.append("no")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert (chat.calls, asker.usage.calls, len(refused)) == (20, 20, 20)


def test_no_lock_is_held_while_the_model_answers() -> None:
    both = threading.Barrier(2, timeout=20)

    def answer(_: ChatRequest) -> str:
        both.wait()  # passes only when two questions are under way at once
        return GOOD

    asker = Asker(ScriptedChat(answer), WorkerConfig(attempts=1), count_tokens=len)
    other = threading.Thread(target=lambda: asker.ask("tea", REQUEST, Tea))
    other.start()
    assert asker.ask("tea", REQUEST, Tea).kind == "sencha"
    other.join(20)
    assert asker.usage.calls == 2


def test_closing_ends_the_retries(make_asker) -> None:
    closing = threading.Event()
    asker, chat = make_asker([BUSY] * 9, attempts=9, sleep=lambda _: closing.set(), stopping=closing.is_set)
    with pytest.raises(ModelError, match="closing"):
        asker.ask("tea", REQUEST, Tea)
    assert chat.calls == 1


def test_closing_skips_the_repair_question(make_asker) -> None:
    asker, chat = make_asker(["nonsense", GOOD], stopping=lambda: True)
    with pytest.raises(ModelError, match="closing"):
        asker.ask("tea", REQUEST, Tea)
    assert chat.calls == 1


def test_without_a_model_every_question_fails_at_once() -> None:
    asker = Asker(None, WorkerConfig(), count_tokens=len)
    with pytest.raises(ModelError) as caught:
        asker.ask("tea", REQUEST, Tea)
    assert not caught.value.transient
    assert asker.usage.calls == 0


def test_the_log_carries_no_dialogue(make_asker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    asker, _ = make_asker([BUSY, '{"kind": ["the secret"]}', "the secret again"])
    with pytest.raises(ModelAnswerError):
        asker.ask("tea", REQUEST, Tea)
    assert "step tea" in caplog.text
    assert "secret" not in caplog.text
    assert "Which?" not in caplog.text
