"""The recall text in the one system message that a model takes: the first, whatever the prompt puts next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.prompt_values import ChatPromptValue
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase

from memoryos_langchain.messages import add_text

_RECALLED = "memoryos-recalled"


def recall_message(text: str) -> SystemMessage:
    """Return what is recalled as a message that `leading` finds among others."""
    return SystemMessage(text, id=_RECALLED)


def leading(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Put what is recalled at the end of the leading system message, or first where there is none.

    Providers take one system message, or some in a row at the beginning; examples in a prompt may stand before the
    place of the recent turns.
    """
    found = next((m for m in messages if m.id == _RECALLED and isinstance(m, SystemMessage)), None)
    if found is None:
        return list(messages)
    rest = [m for m in messages if m is not found]
    if rest and isinstance(rest[0], SystemMessage):
        return [add_text(rest[0], found.text), *rest[1:]]
    return [found, *rest]


def with_leading_recall(chain: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """Return the chain; where its first step that is a prompt shows messages, with `leading` right after that step."""
    if isinstance(chain, RunnableBindingBase):
        return chain.model_copy(update={"bound": with_leading_recall(chain.bound)})
    steps = chain.steps if isinstance(chain, RunnableSequence) else [chain]
    place = next((i for i, step in enumerate(steps) if isinstance(step, ChatPromptTemplate)), None)
    if place is None:
        return chain
    steps = [*steps[: place + 1], _Leading(), *steps[place + 1 :]]
    return RunnableSequence(*steps, name=chain.name if isinstance(chain, RunnableSequence) else None)


class _Leading(Runnable[Any, Any]):
    """`leading` as a step of a chain; it is no run of its own in a trace."""

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: ANN401
        """The prompt's value, with what is recalled in its first message."""
        return ChatPromptValue(messages=leading(input.to_messages()))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: ANN401
        """See `invoke`."""
        return self.invoke(input)
