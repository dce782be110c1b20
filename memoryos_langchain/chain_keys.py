"""The inputs and outputs of chains: the keys of the question and the answer, and both as messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.output_parsers import BaseCumulativeTransformOutputParser
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import BasePromptTemplate, ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableAssign, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.utils import AddableDict
from pydantic_core import to_json

from memoryos_core.errors import InvalidInputError
from memoryos_core.hosts.concurrency import Contained

# LangChain's own chains and tutorials use these names; the first of each is its default.
INPUTS = ("input", "question", "human_input", "user_input", "query", "messages")
OUTPUTS = ("output", "answer", "response", "output_text", "result", "text", "messages")
_HISTORIES = ("history", "chat_history")


def chosen_key(values: Mapping[str, object], wanted: str | None, usual: Sequence[str], option: str) -> str:
    """Return the key of the message: the given one, else LangChain's default, the only key, or the only usual one.

    Raises InvalidInputError, which names the keys and the option that settles it.
    """
    found = _likely(list(values), usual) if wanted is None else [key for key in values if key == wanted]
    if len(found) == 1:
        return found[0]
    keys = ", ".join(sorted(map(repr, values))) or "no keys at all"
    raise InvalidInputError(f"{option}={wanted!r} does not name the key of the message; pass {option}= one of: {keys}")


def _likely(keys: Sequence[str], usual: Sequence[str]) -> list[str]:
    if usual[0] in keys:
        return [usual[0]]
    return list(keys) if len(keys) == 1 else [key for key in usual if key in keys]


def as_messages(value: object, speaker: type[HumanMessage] | type[AIMessage]) -> list[BaseMessage]:
    """A text, a message, a prompt value, or a list of what LangChain takes for messages; texts are the speaker's.

    Raises InvalidInputError.
    """
    if isinstance(value, PromptValue):
        return value.to_messages()
    given = cast("Sequence[object]", value if isinstance(value, list | tuple) else [value])
    said = [_message(element, speaker) for element in given]
    wrong = next((place for place, message in enumerate(said) if message is None), None)
    if wrong is None:
        return [message for message in said if message is not None]
    # LangChain's own error would quote what it was given.
    place = f" as element {wrong} of the list" if isinstance(value, list | tuple) else ""
    kind = type(given[wrong]).__name__
    raise InvalidInputError(f"expected a text, a message or a list of messages, got {kind}{place}")


def _message(value: object, speaker: type[HumanMessage] | type[AIMessage]) -> BaseMessage | None:
    """Return one message; None when LangChain cannot read the value as a message."""
    with Contained():
        return convert_to_messages([speaker(value) if isinstance(value, str) else cast("BaseMessage", value)])[0]
    return None


def _is_said(value: object) -> bool:
    """Return whether a value is a text, a message or a list of messages."""
    several = cast("Sequence[object]", value) if isinstance(value, list) else ()
    return isinstance(value, str | BaseMessage) or (bool(several) and all(isinstance(m, BaseMessage) for m in several))


def _answer(value: object) -> list[BaseMessage]:
    """Return a chain's answer as messages; an answer of another type becomes JSON."""
    with Contained() as reading:
        return as_messages(value, AIMessage)
    with Contained():
        return [AIMessage(to_json(value).decode())]
    raise cast("InvalidInputError", reading.error)


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a question for a chain: recent turns, the recall text, and both in front of the question."""

    before: list[BaseMessage]
    text: str
    front: list[BaseMessage]


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of a chain's inputs and outputs; None where a name is unknown before a value is seen."""

    input: str | None
    history: str | None
    output: str | None
    recall: str | None

    def said(self, value: object) -> list[BaseMessage]:
        """The messages of a question."""
        if isinstance(value, Mapping):
            given = cast("Mapping[str, object]", value)
            value = given[self._question(given)]
        return as_messages(value, HumanMessage)

    def answered(self, value: object) -> list[BaseMessage]:
        """The messages of an answer; an object of the application's is one message that holds it as JSON.

        Raises InvalidInputError when the wanted key is not there, or when JSON has no form for the answer.
        """
        if not isinstance(value, Mapping):
            return _answer(value)
        found = cast("Mapping[str, object]", value)
        if self.output is not None:
            return _answer(found[chosen_key(found, self.output, OUTPUTS, "output_messages_key")])
        likely = _likely(list(found), OUTPUTS)
        # The only key of a dict is the answer's where it holds one; a field of an object may be the only one, too.
        if len(likely) != 1 or not (likely[0] in OUTPUTS or _is_said(found[likely[0]])):
            return _answer(found)
        return _answer(found[likely[0]])

    def answered_until_now(self, value: object) -> list[BaseMessage]:
        """The messages of the beginning of an answer; a dict may not hold the answer yet, but only other things."""
        if isinstance(value, Mapping):
            found = cast("Mapping[str, object]", value)
            value = {key: found[key] for key in found if key in (self.output, *OUTPUTS)} or None
        return [] if value is None else self.answered(value)

    def given(self, value: object, context: Context) -> object:
        """Return the chain's input: the caller's value, with the context in its places."""
        if not isinstance(value, Mapping):
            if self.input is None:
                return context.front
            value = {self.input: value}
        given = dict(cast("Mapping[str, object]", value))
        history, question = self.history or _HISTORIES[0], self._question(given)
        given[history] = context.front if history == question else context.before
        if self.recall is not None:
            given[self.recall] = context.text
        return given

    def _question(self, value: Mapping[str, object]) -> str:
        filled = {self.history, self.recall} - {self.input}
        asked = {key: said for key, said in value.items() if key not in filled}
        return chosen_key(asked, self.input, INPUTS, "input_messages_key")


def runnable(chain: object) -> Runnable[Any, Any]:
    """Return the chain. Raises InvalidInputError when it is not a Runnable: a memory, for example."""
    kind = type(chain)
    if not issubclass(kind, Runnable):
        raise InvalidInputError(f"chain: expected a Runnable, got {kind.__name__}; call with_memory(chain, memory)")
    return cast("Runnable[Any, Any]", chain)


def repeats(chain: Runnable[Any, Any]) -> bool:
    """Return whether each streamed piece is the whole answer so far, as parsers of JSON stream it."""
    while isinstance(chain, RunnableBindingBase):
        chain = chain.bound
    last = chain.last if isinstance(chain, RunnableSequence) else chain
    return isinstance(last, BaseCumulativeTransformOutputParser) and not last.diff


def longer(answer: object, piece: object) -> object:
    """The answer until now with one piece more; pieces that are dicts are added key by key, as LangChain does."""
    if answer is None:
        return piece
    try:
        return cast("Any", answer) + piece
    except TypeError:
        pass
    if isinstance(answer, dict) and isinstance(piece, dict):
        return AddableDict(cast("dict[str, Any]", answer)) + AddableDict(cast("dict[str, Any]", piece))
    return piece  # as in LangChain: a piece that cannot be added replaces the answer until now


def drop_waiting_calls(before: list[BaseMessage], said: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the history without an unanswered tool call at its end, unless its result is among the new messages.

    No provider takes a call that something else follows.
    """
    if any(isinstance(m, ToolMessage) for m in said):
        return before
    end = len(before)
    while end and isinstance(before[end - 1], ToolMessage):
        end -= 1
    calling = before[end - 1] if end else None
    if not isinstance(calling, AIMessage) or not calling.tool_calls:
        return before
    answered = {m.tool_call_id for m in before[end:] if isinstance(m, ToolMessage)}
    return before if {call["id"] for call in calling.tool_calls} <= answered else before[: end - 1]


def after_instructions(said: Sequence[BaseMessage], before: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Insert the history between an application's leading system messages and the new messages."""
    rest = without_instructions(said)
    return [*said[: len(said) - len(rest)], *before, *rest]


def without_instructions(said: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """Return the new messages without an application's leading system messages."""
    return said[next((i for i, m in enumerate(said) if not isinstance(m, SystemMessage)), len(said)) :]


def complete_keys(chain: Runnable[Any, Any], keys: Keys) -> Keys:
    """Complete the keys from the chain's prompt. Raises InvalidInputError when the prompt contradicts them."""
    prompt = _first_step(chain)
    if not isinstance(prompt, BasePromptTemplate):
        return keys
    names = [*prompt.input_variables, *prompt.optional_variables]
    if keys.recall is not None and keys.recall not in names:
        raise InvalidInputError(f"recall_key={keys.recall!r} is not a variable of the prompt; it has {names}")
    history = _placeholder(list(_placeholders(cast("object", prompt))), keys)
    rest = [name for name in prompt.input_variables if name not in (history, keys.recall)]
    likely = _likely(rest, INPUTS) if rest else [history]
    return replace(keys, history=history, input=keys.input or (likely[0] if len(likely) == 1 else None))


def _first_step(chain: Runnable[Any, Any]) -> Runnable[Any, Any] | None:
    """Return the first step that uses the chain's input; steps that only add keys to it are skipped."""
    while isinstance(chain, RunnableBindingBase):
        chain = chain.bound
    steps = chain.steps if isinstance(chain, RunnableSequence) else [chain]
    return next((step for step in steps if not isinstance(step, RunnableAssign)), None)


def _placeholders(prompt: object) -> Iterator[str]:
    for message in prompt.messages if isinstance(prompt, ChatPromptTemplate) else ():
        if isinstance(message, MessagesPlaceholder):
            yield message.variable_name
        elif isinstance(message, ChatPromptTemplate):
            yield from _placeholders(message)


def _placeholder(places: Sequence[str], keys: Keys) -> str:
    """Return the placeholder of the prompt that takes the recent turns."""
    if keys.history is None:
        free = [place for place in places if place not in (keys.input, keys.recall)] or places
        found = free if len(free) == 1 else [place for place in _HISTORIES if place in free]
    else:
        found = [place for place in places if place == keys.history]
    if found:
        return found[0]
    if not places:
        raise InvalidInputError("the prompt has no messages placeholder; add one, such as ('placeholder', '{history}')")
    raise InvalidInputError(
        f"history_messages_key={keys.history!r} is not a messages placeholder of the prompt; pass one of: "
        f"{', '.join(map(repr, places))}"
    )
