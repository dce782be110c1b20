"""The one place where a model is asked for structure: retries, the repair question, counters, the cap.

Parsing of a model's answer: thinking, fences and small talk are removed, nothing is guessed.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from memoryos_core.config import WorkerConfig
from memoryos_core.errors import ModelAnswerError, ModelBudgetError, ModelError
from memoryos_core.ports import ChatModel, TokenCounter
from memoryos_core.ports.forks import Lock, check_deadline
from memoryos_core.rules.ranking.rendering import escape
from memoryos_core.rules.text.words import regex
from memoryos_core.values.chat import ChatReply, ChatRequest, Prompt
from memoryos_core.values.dialogue import HALVES, Half, Page, Scope
from memoryos_core.values.events import Hook, ModelAsked
from memoryos_core.values.facts import About
from memoryos_core.values.reports import Usage

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError


# Endless reasoning must end somewhere; well above the longest answer a batch needs, thinking aloud included.
ANSWER_TOKENS = 4096


def quote_line(text: str, chars: int) -> str:
    """One line of at most `chars` characters in which our tags and line-led page numbers cannot be forged."""
    return escape(clip(" ".join(text[: chars * 4].split()), chars))


def section(tag: str, lines: Sequence[str]) -> str:
    """Lines between an opening and a closing tag; "" when there is nothing to show."""
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>")) if lines else ""


def page_lines(page: Page, user_chars: int, assistant_chars: int) -> list[str]:
    """Return the shortened text of each half of a page, one line a half."""
    limits = {"user": user_chars, "assistant": assistant_chars}
    lines: list[str] = []
    for half in HALVES:
        text = quote_line(words_of_half(page, half), limits[half])
        if text:
            lines.append(f"{half}: {text}")
    return lines


def numbered_lines(pages: Sequence[Page], user_chars: int, assistant_chars: int) -> list[str]:
    """The pages as lines, numbered from 1; a date stands where it differs from the page before."""
    lines: list[str] = []
    shown = ""
    for number, page in enumerate(pages, start=1):
        date = f"{page.timestamp:%Y-%m-%d}"
        lines.append(f"[{number}] {date}" if date != shown else f"[{number}]")
        lines.extend(page_lines(page, user_chars, assistant_chars))
        shown = date
    return lines


# The first lines of a pasted megabyte show its topic; analysing the rest would only cost time.
READ_CHARS = 4000


def words_of_half(page: Page, half: Half) -> str:
    """One half's own words, joined by newlines, at most READ_CHARS of them."""
    texts = [m.text[:READ_CHARS] for m in page.messages if m.role == half]
    return "\n".join([text for text in texts if text.strip()])[:READ_CHARS]


def dialogue(page: Page) -> str:
    """Both halves in order, for statistics over words."""
    return "\n".join(filter(None, (words_of_half(page, half) for half in HALVES)))


def clip(text: str, chars: int) -> str:
    """At most `chars` characters and an ellipsis, cut between words where there is a space to cut at."""
    if len(text) <= chars:
        return text
    head = text[:chars]
    space = head.rfind(" ")
    return (head[:space] if space > chars // 2 else head).rstrip() + "…"


logger = logging.getLogger(__name__)

_REPAIR = "That answer cannot be used: {problem}. Answer again with the corrected JSON object and nothing else."
_SHOWN_CHARS = 2000
_MOST_DOUBLINGS = 60


def _never() -> bool:
    return False


class Asker:
    """Asks the chat model and counts what was asked. Thread-safe; no lock is held while a model answers.

    Args:
        model: The chat model; None makes every question a ModelError, so that the caller takes the twin.
        config: Attempts, waiting times and the cap on calls and tokens.
        count_tokens: Counts what a model does not report.
        sleep: Waits between attempts; pass an event's `wait` so that closing interrupts it.
        stopping: Checked between attempts; True ends the question with a ModelError.
    """

    def __init__(
        self,
        model: ChatModel | None,
        config: WorkerConfig,
        *,
        count_tokens: TokenCounter,
        sleep: Callable[[float], object] = time.sleep,
        stopping: Callable[[], bool] = _never,
    ) -> None:
        self._model = model
        self._config = config
        self._count_tokens = count_tokens
        self._sleep = sleep
        self._stopping = stopping
        self._lock = Lock()
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        """Return the calls and tokens until now, over all threads."""
        with self._lock:
            return self._usage

    def ask(self, step: str, request: ChatRequest, answer: type[Answer]) -> Answer:
        """Ask, and once more when the answer has the wrong shape.

        Raises ModelAnswerError after the last unusable answer, ModelBudgetError before asking beyond the
        cap, and ModelError when the model fails for good or for longer than the configured attempts.
        """
        try:
            return self._ask_and_parse(step, request, answer)
        except ModelBudgetError:
            raise
        except ModelError:
            self._add(failures=1)
            raise

    def _ask_and_parse(self, step: str, request: ChatRequest, answer: type[Answer]) -> Answer:
        text = self._reply(step, request).text
        try:
            return parse(text, answer)
        except ModelAnswerError as error:
            problem = str(error)
        logger.info("step %s: %s; the model is asked once more", step, problem)
        self._check_open(step)
        self._add(repairs=1)
        said = clip(without_thinking(text), _SHOWN_CHARS) or "(nothing)"
        again = (*request.prompts, Prompt("assistant", said), Prompt("user", _REPAIR.format(problem=problem)))
        return parse(self._reply(step, replace(request, prompts=again)).text, answer)

    def _once(self, request: ChatRequest) -> ChatReply:
        if self._model is None:
            raise ModelError(
                "no chat model was given: the rule-based twin does this step; pass llm= to use a model", transient=False
            )
        return self._ask_and_count(self._model, request)

    def _reply(self, step: str, request: ChatRequest) -> ChatReply:
        for attempt in range(1, self._config.attempts + 1):
            try:
                return self._once(request)
            except ModelError as error:
                if not error.transient or attempt == self._config.attempts:
                    raise
                logger.warning("step %s: attempt %d failed (%s)", step, attempt, type(error).__name__)
            self._check_open(step)
            doubled = self._config.backoff_seconds * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS)
            self._sleep(min(doubled, self._config.backoff_ceiling_seconds))
            self._check_open(step)
            self._add(retries=1)
        raise AssertionError("the last attempt returns or raises")

    def _check_open(self, step: str) -> None:
        if self._stopping():
            raise ModelError(f"step {step}: the memory is closing; not asked again")

    def _ask_and_count(self, model: ChatModel, request: ChatRequest) -> ChatReply:
        expected = sum(self._count_tokens(prompt.text) for prompt in request.prompts)
        self._reserve(expected)
        reply = model.ask(request)
        completion = reply.completion_tokens
        if completion is None:
            completion = self._count_tokens(reply.text)
        prompt = expected if reply.prompt_tokens is None else reply.prompt_tokens
        self._add(prompt_tokens=prompt - expected, completion_tokens=completion)
        return reply

    def _reserve(self, tokens: int) -> None:
        """Count a call before it is made, so that threads asking at once cannot pass the cap together."""
        calls, most = self._config.max_calls, self._config.max_tokens
        with self._lock:
            used = self._usage
            if calls is not None and used.calls >= calls:
                raise ModelBudgetError(f"worker.max_calls={calls} is reached; raise it or reopen the memory")
            if most is not None and used.prompt_tokens + used.completion_tokens + tokens > most:
                raise ModelBudgetError(f"worker.max_tokens={most} is reached; raise it or reopen the memory")
            self._usage = replace(used, calls=used.calls + 1, prompt_tokens=used.prompt_tokens + tokens)

    def _add(self, **counts: int) -> None:
        with self._lock:
            now = self._usage
            self._usage = Usage(*(getattr(now, f.name) + counts.get(f.name, 0) for f in fields(now)))


# Far more than any model answers at once, which is some ten thousand tokens.
_MOST_CHARACTERS = 1_000_000

# Models are asked deep inside steps that know no scope; who asks says for whom.
_whose: ContextVar[Scope] = ContextVar("memoryos_asking_for")


@contextmanager
def asking_for(scope: Scope) -> Generator[None, None, None]:
    """Whatever is asked inside is asked for this scope."""
    token = _whose.set(scope)
    try:
        yield
    finally:
        _whose.reset(token)


def _refuse_long(reply: ChatReply) -> None:
    """Raise ModelAnswerError for a far too long answer: counting and reading 20 MB takes minutes."""
    text: object = getattr(reply, "text", None)
    if isinstance(text, str) and len(text) > _MOST_CHARACTERS:
        raise ModelAnswerError(
            f"the model answered with {len(text)} characters, more than the {_MOST_CHARACTERS} that are read; "
            "set a token limit for the model's answers",
            transient=False,
        )


class Watched:
    """Asks another model and emits a ModelAsked for every call, also for one that fails."""

    def __init__(self, model: ChatModel, count_tokens: TokenCounter, emit: Hook) -> None:
        self._model = model
        self._count = count_tokens
        self._emit = emit

    def ask(self, request: ChatRequest) -> ChatReply:
        """The model's reply. Raises whatever the model raises, and ModelAnswerError for one that is far too long."""
        check_deadline()
        reply: ChatReply | None = None
        began = time.perf_counter()
        try:
            answer = self._model.ask(request)
            _refuse_long(answer)
            reply = answer
            return reply
        finally:
            took = (time.perf_counter() - began) * 1e3
            kind = None if reply is not None else sys.exc_info()[0]
            self._tell(request, reply, took, "" if kind is None else kind.__name__)

    def _tell(self, request: ChatRequest, reply: ChatReply | None, took: float, error: str) -> None:
        scope = _whose.get(None)
        if scope is None:
            return
        asked = answered = 0
        if isinstance(reply, ChatReply):  # another's class may hand back anything; who asked finds fault with it
            asked = reply.prompt_tokens or sum(self._count(prompt.text) for prompt in request.prompts)
            answered = reply.completion_tokens or self._count(reply.text)
        self._emit(
            ModelAsked(
                scope=scope,
                step=request.schema_name,
                prompt_tokens=asked,
                completion_tokens=answered,
                milliseconds=took,
                error=error,
            )
        )


Answer = TypeVar("Answer", bound="BaseModel")

_READ_CHARS = 200_000
_ATTEMPTS = 64
_ERRORS_TOLD = 5
_THINKING = regex(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_STRING_OR_TRAILING_COMMA = regex(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_OPENING = regex(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)


def without_thinking(text: str) -> str:
    """The text without its think blocks; one that is never closed takes the rest of the text with it."""
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _THINKING.finditer(text):
        if tag.group(1):
            # Some servers cut off the opening tag: then all text before the closing tag is thinking.
            kept = kept if thinking else []
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    if not thinking:
        kept.append(text[start:])
    return "".join(kept).strip()


def _decode(text: str, at: int) -> tuple[object, int]:
    """The JSON value that starts at `at` and where it ends; (None, where to look on) when there is none."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        # What was read up to the error is the inside of a broken value, not an answer of its own.
        return None, max(error.pos, at + 1)
    except (RecursionError, ValueError):
        return None, at + 1
    return cast("object", value), end


def first_value(text: str) -> object | None:
    """The first JSON object in the text, else the first array, else None; trailing commas are forgiven."""
    text = _STRING_OR_TRAILING_COMMA.sub(lambda m: "" if m.group() == "," else m.group(), text)
    array: object | None = None
    at = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(text, at)
        if opening is None:
            break
        value, at = _decode(text, opening.start())
        if isinstance(value, dict):
            return cast("object", value)
        array = value if array is None else array
    return array


def _describe_error(error: ValidationError) -> str:
    """Describe the error by field, without any value: values may be remembered text."""
    parts = [
        f"{'.'.join(str(step) for step in problem['loc']) or 'answer'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return "; ".join(parts[:_ERRORS_TOLD])


def parse(text: str, answer: type[Answer]) -> Answer:
    """The answer that the text holds. Raises ModelAnswerError, whose message quotes nothing of the text."""
    plain = text[:_READ_CHARS]
    value = _whole(plain)
    if value is None:
        value = first_value(without_thinking(plain))
    if value is None:
        raise ModelAnswerError("the answer holds no complete JSON object")
    if not isinstance(value, dict):
        raise ModelAnswerError(f"the answer is a JSON {_kind(value)} where an object was asked for")
    try:
        return answer.model_validate(cast("dict[str, Any]", value))
    except ValueError as error:  # what ValidationError is, without loading pydantic for its name
        problem = _describe_error(cast("ValidationError", error))
    # Raised outside the except block: a chained pydantic error would print the refused values.
    raise ModelAnswerError(f"the answer has the wrong shape: {problem}")


def _kind(value: object) -> str:
    return "array" if isinstance(value, list) else "scalar"


def _whole(text: str) -> object | None:
    """The value when the text is JSON and nothing else, so that a tag inside a string is left alone."""
    try:
        return cast("object", json.loads(text, strict=False))
    except (ValueError, RecursionError):
        return None


def cited_page_ids(pages: Sequence[Page], numbers: Sequence[int]) -> tuple[str, ...]:
    """Return the ids of the pages behind the numbers."""
    return tuple(pages[n - 1].id for n in dict.fromkeys(numbers) if 1 <= n <= len(pages))


def side_of(word: str, assistant: str | None) -> About:
    """Return the side that a model's word names; the assistant's name is one."""
    spoken = word.casefold()
    return "assistant" if spoken in {"assistant", "agent", "ai", (assistant or "assistant").casefold()} else "user"
