"""A model answers questions from what a memory gathers: for every memory the same model, words and budget."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from benchmarks.asking import SYSTEMS, System, fill, texts_by_message, verbatim
from benchmarks.contexts import FORMS
from benchmarks.judging import judge_request, read_marks
from benchmarks.talks import Question, Talk
from benchmarks.tasks import BY_CHOICE, BY_JUDGE, IN_WORDS, Task, score_choice, score_words
from memoryos_core.errors import ModelError
from memoryos_core.extract.asking import without_thinking
from memoryos_core.ports import ChatModel
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt

_ATTEMPTS = 3
_WAIT_SECONDS = 2.0

Texts: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]  # from texts_by_message


@dataclass(frozen=True, slots=True)
class Reply:
    """What one model answered to one question from what one system gathered.

    `given` is "" where the model failed, and `failure` says why then. `setting` names all that must be equal for two
    replies to be compared. Tokens are those of the context by our count, then those of the model's whole prompt and
    answer by its own, or by ours when it does not count. `calls` counts every time the model was asked. `options` are
    those of a multiple choice, `marks` those of a judge. `evidence` is the share of the cited turns that stand in the
    context word for word, None where none is cited.
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

    options: tuple[str, ...] = ()
    marks: dict[str, float] = field(default_factory=dict)
    evidence: float | None = None

    @property
    def task(self) -> Task:
        """The kind of question that was asked."""
        if self.options:
            return BY_CHOICE
        return IN_WORDS if self.expected else BY_JUDGE

    def score(self, metric: str) -> float:
        """One of the figures of the task, from 0 to 1."""
        if self.options:
            return score_choice(self.given, self.expected, self.options)
        if self.expected:
            return score_words(metric, self.given, self.expected, self.category)
        return self.marks.get(metric, 0.0)

    def row(self) -> dict[str, Any]:
        """As it is kept: with its scores, which `from_row` works out anew."""
        return {**asdict(self), "scores": {metric: round(self.score(metric), 4) for metric in self.task.metrics}}

    @staticmethod
    def from_row(row: dict[str, Any]) -> Reply:
        """What was kept. Raises TypeError when it is no row of ours."""
        fields: dict[str, Any] = {name: value for name, value in row.items() if name != "scores"}
        fields["options"] = tuple(fields.get("options", ()))
        return Reply(**fields)


def open_system(name: str, talk: Talk) -> System:
    """Open a system by its name, or ours with its recall in another form. Raises as the system does."""
    return FORMS[name](talk) if name in FORMS else SYSTEMS[name](talk)


class AskedOnce:
    """A model that is not asked the same twice: at temperature 0 it answers alike, and some memories find the same.

    The time of such an answer counts for the system that was asked first.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._replies: dict[str, ChatReply] = {}

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return what was answered before, or ask. Raises ModelError."""
        asked = repr(request)  # with its limits and its shape, which is a dict
        if asked not in self._replies:
            self._replies[asked] = self._model.ask(request)
        return self._replies[asked]


class Answering:
    """A model, `budget` tokens of context and `ceiling` tokens of answer; `wait` is slept before a new attempt."""

    def __init__(
        self,
        model: ChatModel,
        budget: int,
        ceiling: int,
        name: str,
        task: Task = IN_WORDS,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._model = model
        self._budget = budget
        self._ceiling = ceiling
        self._task = task
        self._wait = wait
        self._count = open_token_counter()
        digest = hashlib.sha256(repr(task.opening).encode()).hexdigest()[:8]
        self.setting = f"{name}, {budget} tokens of context, {ceiling} of answer, prompt {digest}"

    def greet(self) -> None:
        """Ask once before time is taken: weights are loaded and what all questions share is read. Raises ModelError."""
        self._model.ask(ChatRequest((*self._task.opening, Prompt("user", "Say hello.")), max_tokens=self._ceiling))

    def replies(
        self, system: str, talk: Talk, questions: Sequence[Question], known: Collection[str] = ()
    ) -> Iterator[Reply]:
        """Fill a new memory with the talk and answer the questions from it, one by one.

        Those with an id that is `known` are answered already. They are recalled all the same: what a memory was asked
        leaves heat, and a run that goes on has to recall what a whole one does.

        Raises:
            RuntimeError: the system took more tokens than the budget allows.
        """
        with closing(open_system(system, talk)) as memory:
            fill(memory, talk)
            texts = texts_by_message(talk)
            for question in questions:
                if question.id in known:
                    memory.context(question.text, self._budget)
                else:
                    yield self._reply(memory, system, talk, question, texts)

    def _reply(self, memory: System, system: str, talk: Talk, question: Question, texts: Texts) -> Reply:
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
        found = {turn_id for hit in hits for turn_id in verbatim(hit, texts)}
        prompt = sum(self._count(message.text) for message in request.prompts)
        given = without_thinking(said.text).strip()
        marks: dict[str, float] = {}
        if self._task is BY_JUDGE and not failure:
            marks, failure, more = self._judge(talk, question, given)
            calls += more
        return Reply(
            system,
            talk.name,
            question.id,
            question.text,
            question.category,
            question.answer,
            self.setting,
            given,
            failure,
            calls,
            tokens,
            prompt if said.prompt_tokens is None else said.prompt_tokens,
            self._count(said.text) if said.completion_tokens is None else said.completion_tokens,
            1000 * (gathered - start),
            1000 * (answered - asked),
            question.options,
            marks,
            sum(turn_id in found for turn_id in question.gold) / len(question.gold) if question.gold else None,
        )

    def _judge(self, talk: Talk, question: Question, given: str) -> tuple[dict[str, float], str, int]:
        """The marks of a reply, why there are none, and how often the model was asked."""
        verdict, failure, calls = self._ask(judge_request(talk, question.text, given))
        marks = read_marks(verdict.text)
        return marks, failure or ("" if marks else "the judge gave no marks"), calls

    def _request(self, context: str, question: Question) -> ChatRequest:
        when = question.asked
        today = f"Today is {when.day} {when:%B %Y}.\n" if when else ""
        asked = Prompt("user", self._task.ask(f"{context}\n\n{today}", question))
        return ChatRequest((*self._task.opening, asked), max_tokens=self._ceiling)

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
