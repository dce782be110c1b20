"""Chat over HTTP with any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.ports.optional_imports import open_openai
from memoryos_core.providers.llms.dialect import Dialect
from memoryos_core.providers.llms.negotiation import Negotiation
from memoryos_core.providers.llms.replies import read_completion
from memoryos_core.values.chat import ChatReply, ChatRequest


class OpenAIChat:
    """A chat model behind `base_url` (OpenAI's own without it).

    A question with a schema asks for JSON of that schema. An endpoint that refuses a parameter is asked again without
    it, and what it takes is remembered for the next question. `max_retries` is 0 because retries are counted in one
    place, `extract.asking`. With a `base_url` and no key a placeholder is sent, so that a key meant for OpenAI never
    reaches another host. `temperature` replaces the request's own when it is given.

    Raises:
        ConfigError: there is no key, neither given nor in OPENAI_API_KEY.
        MissingExtraError: the openai package is absent.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 0,
        temperature: float | None = None,
    ) -> None:
        self._model = model
        self._temperature = temperature
        self._client = open_openai(base_url=base_url, api_key=api_key, timeout=timeout, max_retries=max_retries)
        self._negotiation = Negotiation()

    @property
    def name(self) -> str:
        """The model, for logs and reports."""
        return f"openai:{self._model}"

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once. Raises ModelError: transient for time-outs, 429 and 5xx, not for a wrong key or request."""
        who = f"chat model {self.name!r}"
        with ForeignErrors(who):
            answer = self._negotiation.answer(request, self._send)
        return read_completion(answer, request, who)

    def _send(self, dialect: Dialect, request: ChatRequest) -> object:
        arguments = dialect.payload(request)
        if self._temperature is not None and dialect.temperature:
            arguments["temperature"] = self._temperature
        return self._client.chat.completions.create(model=self._model, **arguments)
