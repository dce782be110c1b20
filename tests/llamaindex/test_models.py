"""A LlamaIndex LLM as the core's: what goes in, what comes out, what is remembered, how it fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core import Settings
from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata, TextBlock
from llama_index.core.callbacks import CallbackManager, LlamaDebugHandler
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.llm import LLMChatStartEvent
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.llms import LLM, CustomLLM, MockLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index_instrumentation import get_dispatcher
from pydantic import PrivateAttr

from memoryos_core import ChatRequest, ConfigError, ModelError
from memoryos_core.errors import ModelAnswerError
from memoryos_core.values.chat import Prompt
from memoryos_llamaindex.models import LlamaIndexChatModel

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
QUESTION = ChatRequest(
    (Prompt("system", "Be brief."), Prompt("user", "Where?"), Prompt("assistant", "Hm."), Prompt("user", "So?"))
)
JSON = ChatRequest((Prompt("user", "Where?"),), schema=SCHEMA, schema_name="place", max_tokens=50)
PORTO = '{"city": "Porto"}'
TOOL_CALL: Any = getattr(types, "ToolCallBlock", None)


def reply(text: str | None, **rest: Any) -> ChatResponse:
    return ChatResponse(message=ChatMessage(text, role="assistant"), **rest)


class Scripted(CustomLLM):
    """Chats by a function of the messages and takes no arguments beside them."""

    answer: Callable[[list[ChatMessage]], Any]
    _asked: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[list[ChatMessage]]:
        return self._asked

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="small-1", is_function_calling_model=True)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        self._asked.append(list(messages))
        answer = self.answer(list(messages))
        if isinstance(answer, Exception):
            raise answer
        return reply(answer) if isinstance(answer, str) else answer

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise AssertionError("only `chat` is asked")

    stream_complete = complete


class OpenAI(Scripted):
    """In the place of LlamaIndex's own class of that name, which is no part of the core package."""

    __module__ = "llama_index.llms.openai.base"
    max_tokens: int | None = None
    _options: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    @property
    def options(self) -> list[dict[str, Any]]:
        return self._options

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        self._options.append(kwargs)
        self._asked.append(list(messages))
        answer = self.answer([ChatMessage(str(kwargs)), *messages])
        if isinstance(answer, Exception):
            raise answer
        return reply(answer) if isinstance(answer, str) else answer


class RefusalError(Exception):
    def __init__(self, message: str, status_code: int = 400) -> None:
        super().__init__("SECRET")
        self.status_code = status_code
        self.body = {"error": {"message": message}}


def test_a_plain_question_carries_its_roles_and_brings_text_and_tokens() -> None:
    llm = Scripted(answer=lambda _: reply("Porto", additional_kwargs={"prompt_tokens": 12, "completion_tokens": 3}))
    answer = LlamaIndexChatModel(llm).ask(QUESTION)
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("Porto", 12, 3)
    assert [(m.role.value, m.content) for m in llm.asked[0]] == [
        ("system", "Be brief."),
        ("user", "Where?"),
        ("assistant", "Hm."),
        ("user", "So?"),
    ]


@pytest.mark.parametrize(
    ("answer", "counts"),
    [
        (reply("x"), (None, None)),
        (reply("x", raw={"usage": {"input_tokens": 5, "output_tokens": 2}}), (5, 2)),
        (reply("x", raw=SimpleNamespace(usage=SimpleNamespace(prompt_tokens=5, completion_tokens=2))), (5, 2)),
        (ChatResponse(message=ChatMessage("x", additional_kwargs={"prompt_tokens": 5})), (5, None)),
        (reply("x", additional_kwargs={"prompt_tokens": "many", "completion_tokens": True}), (None, None)),
        (reply("x", raw="what the wire said"), (None, None)),
    ],
)
def test_counts_are_found_where_providers_put_them_and_none_where_not(answer: ChatResponse, counts: Any) -> None:
    got = LlamaIndexChatModel(Scripted(answer=lambda _: answer)).ask(QUESTION)
    assert (got.prompt_tokens, got.completion_tokens) == counts


def test_the_packages_own_mock_works() -> None:
    assert LlamaIndexChatModel(MockLLM(max_tokens=2)).ask(JSON).text == "text text"
    assert "Where?" in LlamaIndexChatModel(MockLLM()).ask(JSON).text


def test_a_model_of_texts_answers_through_its_completion() -> None:
    class Texts(CustomLLM):
        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata()

        @llm_completion_callback()
        def complete(self, prompt: str, formatted: bool = False) -> CompletionResponse:
            assert "system: Be brief." in prompt
            return CompletionResponse(text="Porto", additional_kwargs={"prompt_tokens": 4})

        stream_complete = complete

    answer = LlamaIndexChatModel(Texts()).ask(QUESTION)
    assert (answer.text, answer.prompt_tokens) == ("Porto", 4)


def test_an_llm_that_takes_no_arguments_is_shown_the_schema() -> None:
    llm = Scripted(answer=lambda _: PORTO)
    assert LlamaIndexChatModel(llm).ask(JSON).text == PORTO
    (asked,) = llm.asked
    assert [m.role.value for m in asked] == ["user", "user"]
    assert '"city"' in str(asked[-1].content)


def test_one_of_openai_is_held_to_the_schema_and_not_shown_it() -> None:
    llm = OpenAI(answer=lambda _: PORTO)
    assert LlamaIndexChatModel(llm).ask(JSON).text == PORTO
    shape = {"name": "place", "schema": SCHEMA, "strict": False}
    assert llm.options == [{"max_tokens": 50, "response_format": {"type": "json_schema", "json_schema": shape}}]
    assert [m.content for m in llm.asked[0]] == ["Where?"]


def test_the_owners_ceiling_and_temperature_stay() -> None:
    llm = OpenAI(answer=lambda _: PORTO, max_tokens=900)
    LlamaIndexChatModel(llm).ask(ChatRequest((Prompt("user", "q"),), temperature=0.3, max_tokens=9))
    assert llm.options == [{}]


def test_an_heir_of_openai_is_one_unless_it_chats_in_its_own_way() -> None:
    class Heir(OpenAI):
        pass

    class Own(OpenAI):
        @llm_chat_callback()
        def chat(self, messages: Sequence[ChatMessage]) -> ChatResponse:
            return reply(str(messages[-1].content))

    heir = Heir(answer=lambda _: PORTO)
    LlamaIndexChatModel(heir).ask(JSON)
    assert "response_format" in heir.options[0]
    assert '"city"' in LlamaIndexChatModel(Own(answer=lambda _: "")).ask(JSON).text


@pytest.mark.parametrize(
    ("refusal", "tries"),
    [
        (TypeError("Completions.create() got an unexpected keyword argument 'response_format'"), 2),
        (RefusalError("response_format is not supported"), 3),
    ],
    ids=["completions", "endpoint"],
)
def test_what_refuses_a_format_is_shown_the_schema_and_remembered(refusal: Exception, tries: int) -> None:
    llm = OpenAI(answer=lambda messages: refusal if "response_format" in str(messages[0].content) else PORTO)
    chat = LlamaIndexChatModel(llm)
    assert chat.ask(JSON).text == PORTO
    assert len(llm.asked) == tries
    assert chat.ask(JSON).text == PORTO
    assert len(llm.asked) == tries + 1
    assert '"city"' in str(llm.asked[-1][-1].content)


def test_the_other_name_of_the_ceiling_is_found() -> None:
    llm = OpenAI(
        answer=lambda messages: (
            RefusalError("max_tokens is wrong") if "'max_tokens'" in str(messages[0].content) else PORTO
        )
    )
    assert LlamaIndexChatModel(llm).ask(JSON).text == PORTO
    assert llm.options[-1]["max_completion_tokens"] == 50


def test_a_model_that_fails_in_every_way_teaches_nothing() -> None:
    answers: Iterator[Any] = iter([TypeError("no"), TypeError("no"), PORTO])
    llm = OpenAI(answer=lambda _: next(answers))
    chat = LlamaIndexChatModel(llm)
    with pytest.raises(ModelError):
        chat.ask(JSON)
    chat.ask(JSON)
    assert "response_format" in llm.options[-1], "held to the schema again: the failure had another reason"


def test_thoughts_are_not_the_answer() -> None:
    blocks: list[Any] = [TextBlock(text="Porto")]
    if thinking := getattr(types, "ThinkingBlock", None):
        blocks.insert(0, thinking(content="hm"))
    answer = ChatResponse(message=ChatMessage(role="assistant", blocks=blocks))
    assert LlamaIndexChatModel(Scripted(answer=lambda _: answer)).ask(QUESTION).text == "Porto"


def called(arguments: Any, text: str | None = None) -> ChatResponse:
    """A call in place of a text; cores before 0.14 have no block for it, and only its fields are read."""
    if TOOL_CALL is not None:
        block = TOOL_CALL(tool_name="place", tool_kwargs=arguments)
    else:
        block = SimpleNamespace(block_type="tool_call", tool_name="place", tool_kwargs=arguments)
    message = ChatMessage(text, role="assistant")
    message.blocks = [*message.blocks, block]
    return ChatResponse.model_construct(message=message)


def test_the_arguments_of_a_call_are_the_answer_where_there_is_no_text() -> None:
    def ask(answer: ChatResponse, request: ChatRequest = JSON) -> str:
        return LlamaIndexChatModel(Scripted(answer=lambda _: answer)).ask(request).text

    assert json.loads(ask(called({"city": "Évora"}))) == {"city": "Évora"}
    assert "Évora" in ask(called({"city": "Évora"}))
    assert ask(called('{"city": "Évo')) == '{"city": "Évo'
    assert "Évora" in ask(called({"city": "Évora"}, " \n"))
    assert ask(called({"city": "Évora"}, PORTO)) == PORTO
    with pytest.raises(ModelAnswerError, match="empty"):
        ask(called({"city": "Évora"}), QUESTION)


class Reason(Enum):
    MAX_TOKENS = 2


@pytest.mark.parametrize(
    ("answer", "transient"),
    [
        (reply(None), True),
        (reply(""), True),
        (reply("  \n"), True),
        (reply('{"ci', raw={"choices": [{"finish_reason": "length"}]}), False),
        (reply('{"ci', raw=SimpleNamespace(choices=[SimpleNamespace(finish_reason="length")])), False),
        (reply('{"ci', raw={"stop_reason": "max_tokens"}), False),
        (reply('{"ci', raw={"stopReason": "max_tokens"}), False),
        (reply('{"ci', raw={"done_reason": "length"}), False),
        (reply('{"ci', raw={"finish_reason": Reason.MAX_TOKENS}), False),
        (reply(None, raw={"choices": [{"message": {"refusal": "SECRET"}}]}), False),
        (ChatResponse.model_construct(message=None), True),
    ],
)
def test_answers_that_are_none(answer: Any, transient: bool) -> None:
    with pytest.raises(ModelAnswerError) as caught:
        LlamaIndexChatModel(Scripted(answer=lambda _: answer)).ask(JSON)
    assert caught.value.transient is transient
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "SECRET",
        7,
        CompletionResponse(text="SECRET"),
        {"message": "SECRET"},
        SimpleNamespace(message=ChatMessage("x")),
    ],
)
def test_something_other_than_an_answer_is_a_model_error(wrong: object) -> None:
    class Checked(Scripted):
        @llm_chat_callback()
        def chat(self, messages: Sequence[ChatMessage]) -> Any:
            return wrong

    class Bare(Scripted):
        def chat(self, messages: Sequence[ChatMessage]) -> Any:  # type: ignore[override]
            return wrong

    with pytest.raises(ModelAnswerError, match="not a chat completion"):
        LlamaIndexChatModel(Bare(answer=str)).ask(QUESTION)
    with pytest.raises(ModelError) as caught:
        LlamaIndexChatModel(Checked(answer=str)).ask(QUESTION)
    assert "SECRET" not in str(caught.value)


def test_prose_that_was_cut_is_kept_as_far_as_it_goes() -> None:
    cut = reply("Once upon", raw={"done_reason": "length"})
    assert LlamaIndexChatModel(Scripted(answer=lambda _: cut)).ask(QUESTION).text == "Once upon"


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (ValueError("SECRET"), True),
        (TimeoutError("SECRET"), True),
        (ConnectionError("SECRET"), True),
        (AttributeError("SECRET"), False),
        (RefusalError("SECRET", 401), False),
        (RefusalError("SECRET", 503), True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_it_raises_is_a_model_error_without_its_words(error: Exception, transient: bool) -> None:
    with pytest.raises(ModelError) as caught:
        LlamaIndexChatModel(Scripted(answer=lambda _: error)).ask(QUESTION)
    assert caught.value.transient is transient
    assert "SECRET" not in str(caught.value)


def test_half_a_surrogate_pair_reaches_no_model() -> None:
    llm = Scripted(answer=lambda _: "x")
    LlamaIndexChatModel(llm).ask(ChatRequest((Prompt("user", "half \ud83d"),)))
    assert llm.asked[0][0].content == "half ?"


def test_it_is_named_after_the_class_and_the_model_and_only_when_asked() -> None:
    looked: list[str] = []

    class Unknown(Scripted):
        model: str = "new-1"

        @property
        def metadata(self) -> LLMMetadata:
            looked.append("metadata")
            raise ValueError("unknown model")

    chat = LlamaIndexChatModel(Unknown(answer=lambda _: "x"))
    assert looked == []
    assert chat.name == chat.name == "Unknown:new-1"
    assert looked == ["metadata"]
    assert LlamaIndexChatModel(Scripted(answer=lambda _: "x")).name == "Scripted:small-1"
    assert LlamaIndexChatModel(MockLLM()).name == "MockLLM"
    assert LlamaIndexChatModel(Unknown(answer=lambda _: "x"), name="mine").name == "mine"
    assert looked == ["metadata"]


@pytest.mark.parametrize("wrong", [None, "gpt", object(), MockLLM, lambda prompt: "x"])
def test_anything_else_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(ConfigError, match="LlamaIndex LLM"):
        LlamaIndexChatModel(wrong)  # type: ignore[arg-type]


def test_settings_are_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for field in ("_llm", "_embed_model", "_callback_manager"):
        monkeypatch.setattr(Settings, field, None)
    assert LlamaIndexChatModel(MockLLM(max_tokens=1)).ask(QUESTION).text == "text"
    assert (Settings._llm, Settings._embed_model, Settings._callback_manager) == (None, None, None)


class Spans(SimpleSpanHandler):
    """Keeps who is whose child, and what each is tagged with."""

    _seen: list[tuple[str, str | None, dict[str, Any]]] = PrivateAttr(default_factory=list)

    def span_enter(self, id_: str, *args: Any, **rest: Any) -> None:
        self._seen.append((id_, rest["parent_id"], rest["tags"]))
        super().span_enter(id_, *args, **rest)


class Events(BaseEventHandler):
    """Keeps the questions that it sees."""

    _seen: list[LLMChatStartEvent] = PrivateAttr(default_factory=list)

    def handle(self, event: Any, **kwargs: Any) -> None:
        if isinstance(event, LLMChatStartEvent):
            self._seen.append(event)


@pytest.fixture
def watched() -> Iterator[tuple[Spans, Events]]:
    root, spans, events = get_dispatcher(), Spans(), Events()
    before = root.span_handlers, root.event_handlers
    root.span_handlers, root.event_handlers = [*before[0], spans], [*before[1], events]
    yield spans, events
    root.span_handlers, root.event_handlers = before


def test_a_question_is_no_part_of_the_callers_trace(watched: tuple[Spans, Events]) -> None:
    spans, events = watched
    chat = LlamaIndexChatModel(Scripted(answer=lambda _: "Porto"))

    @get_dispatcher(__name__).span
    def run() -> None:
        Scripted(answer=lambda _: "control").chat([ChatMessage("theirs")])
        chat.ask(QUESTION)

    run()
    whole, theirs, ours = spans._seen
    assert theirs[1] == whole[0], "the control: a call of the caller's is a child of the run"
    assert (ours[1], ours[2]) == (None, {"source": "memoryos"})
    assert [event.tags for event in events._seen] == [{}, {"source": "memoryos"}]
    assert events._seen[1].span_id == ours[0]


def test_the_handlers_of_a_shared_llm_see_nothing_and_keep_the_running_trace() -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    llm = Scripted(answer=lambda _: "Porto", callback_manager=CallbackManager([handler]))
    chat = LlamaIndexChatModel(llm)
    with llm.callback_manager.as_trace("theirs"):
        llm.chat([ChatMessage("theirs")])
        worker = threading.Thread(target=chat.ask, args=(QUESTION,))
        worker.start()
        worker.join(60)
        assert not worker.is_alive()
        chat.ask(QUESTION)
    assert len(llm.asked) == 3
    assert len(handler.get_events()) == 2, "start and end of the caller's own call"
    assert [len(children) for children in llm.callback_manager.trace_map.values()] == [1]


def test_handlers_of_settings_see_nothing_either(monkeypatch: pytest.MonkeyPatch) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    theirs = CallbackManager([handler])
    monkeypatch.setattr(Settings, "_callback_manager", theirs)
    llm = Scripted(answer=lambda _: "Porto")
    LlamaIndexChatModel(llm).ask(QUESTION)
    assert handler.get_events() == []
    llm.chat([ChatMessage("theirs")])
    assert len(handler.get_events()) == 2, "the control: the LLM has them"
    assert theirs.handlers == [handler]


def test_the_owners_llm_is_not_changed() -> None:
    manager = CallbackManager([])
    llm: LLM = Scripted(answer=lambda _: "x", callback_manager=manager)
    LlamaIndexChatModel(llm).ask(QUESTION)
    assert llm.callback_manager is manager
