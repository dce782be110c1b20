"""A model answers questions from what a memory gathers: for every memory the same model, words and budget."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.asking import SYSTEMS, System
from benchmarks.scores import bleu1, locomo_f1, set_f1
from benchmarks.talks import Question, Talk
from memoryos_core.errors import ModelError
from memoryos_core.extract.asking import without_thinking
from memoryos_core.ports import ChatModel
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt

METRICS = ("F1", "BLEU-1", "set-F1")
INSTRUCTIONS = """\
You answer questions about a conversation that took place over months. You are given what a memory found of it: what \
was said, each part under its date. Answer with the shortest phrase that is complete: a name, a place, a date, a \
number, or several things with commas between them. Write no sentence, no reason and no introduction, and use the \
speakers' own words. Words such as "yesterday" or "last week" count from the date of the part they stand in: turn \
them into the date that is meant, like 13 March 2021. When it is not said outright, answer what is most likely."""
# Small models follow an example sooner than a rule.
_EXAMPLES = (
    (
        "[14 March 2021]\nTom: I sold my old bike yesterday.\nIda: At last!",
        "When did Tom sell his bike?",
        "13 March 2021",
    ),
    ("[2 May 2020]\nIda: Our choir goes to Rome next month, by train.", "When is Ida's choir in Rome?", "June 2020"),
    ("[9 July 2021]\nTom: Skis and a tent, that is all I bought.", "What did Tom buy?", "skis, a tent"),
)


def _asked(context: str, question: str) -> str:
    return f"{context}Question: {question}\nAnswer in a few words:"


# What is the same for all questions comes first: a server reads it once.
_OPENING = (
    Prompt("system", INSTRUCTIONS),
    *(
        prompt
        for context, question, answer in _EXAMPLES
        for prompt in (Prompt("user", _asked(f"{context}\n\n", question)), Prompt("assistant", answer))
    ),
)
_ATTEMPTS = 3
_WAIT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What one model answered to one question from what one system gathered.

    `given` is "" where the model failed, and `failure` says why then. `setting` names all that must be equal for two
    replies to be compared. Tokens are those of the context by our count, then those of the model's whole prompt and
    answer by its own, or by ours when it does not count. `calls` counts every time the model was asked.
    """

    system: str
    conversation: str
    question_id: str
    question: str
    category: str
    expected: str
    setting: str
    given: str
    failure: str
    calls: int
    context_tokens: int
    prompt_tokens: int
    answer_tokens: int
    gathering_ms: float
    answering_ms: float

    def score(self, metric: str) -> float:
        """One of METRICS, from 0 to 1."""
        if metric == "F1":
            return locomo_f1(self.given, self.expected, self.category)
        return (bleu1 if metric == "BLEU-1" else set_f1)(self.given, self.expected)

    def row(self) -> dict[str, Any]:
        """As it is kept: with its scores, which `from_row` works out anew."""
        return {**asdict(self), "scores": {metric: round(self.score(metric), 4) for metric in METRICS}}

    @staticmethod
    def from_row(row: dict[str, Any]) -> Reply:
        """What was kept. Raises TypeError when it is no row of ours."""
        return Reply(**{name: value for name, value in row.items() if name != "scores"})


class Answering:
    """A model, `budget` tokens of context and `ceiling` tokens of answer; `wait` is slept before a new attempt."""

    def __init__(
        self,
        model: ChatModel,
        budget: int,
        ceiling: int,
        name: str,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._model = model
        self._budget = budget
        self._ceiling = ceiling
        self._wait = wait
        self._count = open_token_counter()
        digest = hashlib.sha256(repr(_OPENING).encode()).hexdigest()[:8]
        self.setting = f"{name}, {budget} tokens of context, {ceiling} of answer, prompt {digest}"

    def greet(self) -> None:
        """Ask once before time is taken: weights are loaded and what all questions share is read. Raises ModelError."""
        self._model.ask(ChatRequest((*_OPENING, Prompt("user", "Say hello.")), max_tokens=self._ceiling))

    def replies(self, system: str, talk: Talk, questions: Sequence[Question]) -> Iterator[Reply]:
        """Fill a new memory with the talk and answer the questions from it, one by one.

        Raises:
            RuntimeError: the system took more tokens than the budget allows.
        """
        with closing(SYSTEMS[system](talk)) as memory:
            for turn in talk.turns:
                memory.add_turn(turn.speaker, turn.text, turn.when, turn.id, turn.session)
            memory.finish()
            yield from (self._reply(memory, system, talk, question) for question in questions)

    def _reply(self, memory: System, system: str, talk: Talk, question: Question) -> Reply:
        start = time.perf_counter()
        hits = memory.context(question.text, self._budget)
        gathered = time.perf_counter()
        tokens = sum(self._count(hit.text) for hit in hits)
        if tokens > self._budget:
            raise RuntimeError(f"{system} took {tokens} tokens of {self._budget} for {question.id}")
        request = self._request("\n".join(hit.text for hit in hits), question)
        asked = time.perf_counter()
        said, failure, calls = self._ask(request)
        answered = time.perf_counter()
        prompt = sum(self._count(message.text) for message in request.prompts)
        return Reply(
            system,
            talk.name,
            question.id,
            question.text,
            question.category,
            question.answer,
            self.setting,
            without_thinking(said.text).strip(),
            failure,
            calls,
            tokens,
            prompt if said.prompt_tokens is None else said.prompt_tokens,
            self._count(said.text) if said.completion_tokens is None else said.completion_tokens,
            1000 * (gathered - start),
            1000 * (answered - asked),
        )

    def _request(self, context: str, question: Question) -> ChatRequest:
        when = question.asked
        today = f"Today is {when.day} {when:%B %Y}.\n" if when else ""
        asked = Prompt("user", _asked(f"{context}\n\n{today}", question.text))
        return ChatRequest((*_OPENING, asked), max_tokens=self._ceiling)

    def _ask(self, request: ChatRequest) -> tuple[ChatReply, str, int]:
        """The reply, why there is none, and how often the model was asked."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._model.ask(request), "", attempt
            except ModelError as error:
                if not error.transient or attempt == _ATTEMPTS:
                    return ChatReply("", 0, 0), str(error), attempt
            self._wait(_WAIT_SECONDS * attempt)
        raise AssertionError("the last attempt returns")
