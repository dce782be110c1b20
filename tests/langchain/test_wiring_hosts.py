"""What `with_memory` keeps of conversations that hosts hand in whole: numbered anew, trimmed, shortened, edited."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from memoryos_core import MemoryOS
from memoryos_langchain.wiring import with_memory
from tests.langchain.scripted_models import ScriptedModel

LONG = "I am Ada and I live in Rome with my two cats"
WHO: Any = {"configurable": {"user_id": "ada", "session_id": "s"}}
DRAWN = [str(uuid.UUID(int=number, version=4)) for number in range(20)]


def wired(memory: MemoryOS) -> Any:
    numbers = count(1)
    return with_memory(ScriptedModel(answer=lambda _: f"Answer {next(numbers)}"), memory)


def kept(memory: MemoryOS) -> list[str]:
    return [m.text for m in memory.user("ada", session_id="s").transcript()]


def numbered(*texts: str) -> list[BaseMessage]:
    """Messages under their places in a request; what starts with "Answer" or "Hello" is of the assistant."""
    said = [AIMessage if text.startswith(("Answer", "Hello")) else HumanMessage for text in texts]
    return [kind(text, id=str(at)) for at, (kind, text) in enumerate(zip(said, texts, strict=True))]


def conversation(chain: Any, ids: Sequence[str]) -> list[BaseMessage]:
    """Ask a question under each id, with all that was said before in front."""
    said: list[BaseMessage] = []
    for number, message_id in enumerate(ids):
        said.append(HumanMessage(f"Question {number}", id=message_id))
        said.append(chain.invoke(said, WHO))
    return said


@pytest.mark.parametrize("front", [[], ["Hello, how can I help?"]])
def test_a_host_that_numbers_and_trims_each_request_loses_nothing(memory: MemoryOS, front: list[str]) -> None:
    chain = wired(memory)
    chain.invoke(numbered(*front, "I am Ada"), WHO)
    chain.invoke(numbered(*front, "I am Ada", "Answer 1", "I have a cat"), WHO)
    chain.invoke(numbered(*front, "I have a cat", "Answer 2", "I have a dog"), WHO)
    chain.invoke(numbered(*front, "I have a dog", "Answer 3", "I have a fox"), WHO)
    turns = ["I am Ada", "Answer 1", "I have a cat", "Answer 2", "I have a dog", "Answer 3", "I have a fox", "Answer 4"]
    assert kept(memory) == [*front, *turns]


def test_a_host_that_leaves_out_answers_loses_nothing(memory: MemoryOS) -> None:
    chain = wired(memory)
    chain.invoke(numbered("I am Ada"), WHO)
    chain.invoke(numbered("I am Ada", "Answer 1", "I have a cat"), WHO)
    chain.invoke(numbered("I am Ada", "I have a cat", "I have a dog"), WHO)
    assert kept(memory) == ["I am Ada", "Answer 1", "I have a cat", "Answer 2", "I have a dog", "Answer 3"]


@pytest.mark.parametrize("left", ["[shortened]", "I am Ada…", "I am Ada and I live in Rome...", "I am Ada and I live"])
@pytest.mark.parametrize("ids", [["0", "2", "4", "6"], DRAWN[:4]])
def test_a_message_that_the_client_shortens_replaces_nothing(memory: MemoryOS, left: str, ids: list[str]) -> None:
    chain = wired(memory)
    said: list[Any] = [HumanMessage(LONG, id=ids[0])]
    for message_id in ids[1:]:
        said.append(chain.invoke(said, WHO))
        said = [HumanMessage(left, id=ids[0]), *said[1:], HumanMessage(f"Next {message_id}?", id=message_id)]
    chain.invoke(said, WHO)
    held = kept(memory)
    assert held == [LONG, *(m.text for m in said[1:]), "Answer 4"]


@pytest.mark.parametrize("ids", [["q0", "q1", "q2", "q3"], DRAWN[:4]])
def test_a_thread_that_is_cut_at_an_edited_question_goes_on_behind_the_former_one(
    memory: MemoryOS, ids: list[str]
) -> None:
    chain = wired(memory)
    said = conversation(chain, ids)
    fork: list[Any] = [*said[:2], HumanMessage("Another question", id=ids[1])]
    fork.append(chain.invoke(fork, WHO))
    assert kept(memory) == [*(m.text for m in said), "Another question", "Answer 5"]
    chain.invoke([*fork, HumanMessage("And then?", id=DRAWN[9])], WHO)
    assert kept(memory)[len(said) :] == ["Another question", "Answer 5", "And then?", "Answer 6"]


def test_only_an_id_that_was_drawn_by_chance_tells_an_edit(memory: MemoryOS) -> None:
    chain = wired(memory)
    made = [str(uuid.uuid5(uuid.NAMESPACE_URL, str(place))) for place in range(3)]
    said = conversation(chain, made)
    chain.invoke([HumanMessage("Question zero", id=made[0]), *said[1:], HumanMessage("More", id=DRAWN[9])], WHO)
    assert kept(memory) == [*(m.text for m in said), "More", "Answer 4"]


def test_one_id_for_all_messages_of_a_user_tells_no_edit(memory: MemoryOS) -> None:
    chain = wired(memory)
    greeting = AIMessage("Hello", id=DRAWN[1])
    for text in ("I am Ada", "I have a cat", "I have a dog"):
        chain.invoke([greeting, HumanMessage(text, id=DRAWN[0])], WHO)
    turns = ["I am Ada", "Answer 1", "I have a cat", "Answer 2", "I have a dog", "Answer 3"]
    assert kept(memory) == ["Hello", *turns]


def test_two_messages_that_differ_replace_nothing(memory: MemoryOS) -> None:
    chain = wired(memory)
    said = conversation(chain, DRAWN[:3])
    other = [HumanMessage(f"Other {at}", id=DRAWN[at]) for at in range(2)]
    chain.invoke([other[0], said[1], other[1], *said[3:], HumanMessage("More", id=DRAWN[9])], WHO)
    assert kept(memory) == [*(m.text for m in said), "More", "Answer 4"]


class Host:
    """A host that hands in its conversation in a way drawn once."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._greeting = [AIMessage("Hello, how can I help?")] * draw.randint(0, 1)
        self._said: list[BaseMessage] = []
        self._ids: list[str] = []
        self._turns = draw.choice([1, 2, 3, 99])
        self._renumbers = draw.random() < 0.5
        self._mark = draw.choice(["", "", "…", "...", "[shortened]"])
        self.answers = draw.random() < 0.8

    def request(self, question: str) -> list[BaseMessage]:
        """Return what the host hands in with the next question."""
        self._add(HumanMessage(question))
        asked = [at for at, m in enumerate(self._said) if isinstance(m, HumanMessage)]
        first = asked[max(len(asked) - 1 - self._turns, 0)]
        pairs = list(zip(self._said, self._ids, strict=True))[first:]
        pairs = [(m, i) for m, i in pairs if self.answers or isinstance(m, HumanMessage)]
        shown = [(self._shorten(m), i) for m, i in pairs[:-1]] + pairs[-1:]
        shown = [*((m, "greeting") for m in self._greeting), *shown]
        return [
            m.model_copy(update={"id": str(at) if self._renumbers else message_id})
            for at, (m, message_id) in enumerate(shown)
        ]

    def hear(self, answer: BaseMessage) -> None:
        """Keep an answer."""
        self._add(answer)

    def greeted(self) -> list[str]:
        """Return the texts in front of each request."""
        return [m.text for m in self._greeting]

    def _add(self, message: BaseMessage) -> None:
        self._said.append(message)
        own = isinstance(message, AIMessage) and message.id and self._draw.random() < 0.5
        self._ids.append(str(message.id) if own else str(uuid.UUID(int=self._draw.getrandbits(128), version=4)))

    def _shorten(self, message: BaseMessage) -> BaseMessage:
        if not self._mark or len(message.text) < 24:
            return message
        cut = "" if self._mark.startswith("[") else message.text[:16]
        return message.model_copy(update={"content": cut + self._mark})


@pytest.mark.parametrize("seed", range(100))
def test_no_question_is_lost_or_doubled_and_each_answer_stands_behind_its_question(memory: MemoryOS, seed: int) -> None:
    draw = random.Random(seed)
    host, chain, numbers = Host(draw), wired(memory), count(1)
    expected = host.greeted()
    for turn in range(draw.randint(2, 9)):
        usual = [f"Question {turn}", f"Question {turn} of somebody who has a lot to tell"]
        # Questions alone that are alike cannot be told from one that is asked again.
        often = ["Go on", "And then, what came after all that?"] if host.answers else []
        question = draw.choice([*usual, *often])
        request = host.request(question)
        expected.append(question)
        answers = [chain.invoke(request, WHO) for _ in range(draw.choice([1, 1, 1, 2]))]
        expected.extend(f"Answer {next(numbers)}" for _ in answers)
        host.hear(answers[-1])
    assert kept(memory) == expected
