"""Chat over HTTP with any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

from memoryos_core.foreign import ForeignErrors, import_optional, open_openai
from memoryos_core.llms.dialect import Dialect, complaint_of
from memoryos_core.llms.replies import read_completion
from memoryos_core.queries import ChatReply, ChatRequest

_REFUSED = frozenset({400, 422})
_BROKE = 500
_BREAKS_BELIEVED = 2


class OpenAIChat:
    """A chat model behind `base_url` (OpenAI's own without it).

    A question with a schema asks for JSON of that schema. An endpoint that refuses a parameter is asked again without
    it, and what it takes is remembered for the next question. `max_retries` is 0 because retries are counted in one
    place, `steps.asking`. With a `base_url` and no key a placeholder is sent, so that a key meant for OpenAI never
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
        self._status_error: type[Exception] = import_optional("openai", "openai").APIStatusError
        self._dialect = Dialect()
        self._proven = False
        self._breaks = 0

    @property
    def name(self) -> str:
        """The model, for logs and reports."""
        return f"openai:{self._model}"

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once. Raises ModelError: transient for time-outs, 429 and 5xx, not for a wrong key or request."""
        who = f"chat model {self.name!r}"
        with ForeignErrors(who):
            answer = self._negotiate(self._dialect, request)
        return read_completion(answer, request, who)

    def _negotiate(self, dialect: Dialect, request: ChatRequest) -> object:
        try:
            answer = self._send(dialect, request)
        except self._status_error as error:
            following = self._following(dialect, request, error)
            if following is None:
                raise
            return self._negotiate(following, request)
        # Remembered only when it worked: a refusal for another reason must not teach a poorer dialect.
        self._dialect = dialect
        self._proven = self._proven or request.schema is not None
        return answer

    def _send(self, dialect: Dialect, request: ChatRequest) -> object:
        arguments = dialect.payload(request)
        if self._temperature is not None and dialect.temperature:
            arguments["temperature"] = self._temperature
        return self._client.chat.completions.create(model=self._model, **arguments)

    def _following(self, dialect: Dialect, request: ChatRequest, error: Exception) -> Dialect | None:
        status = getattr(error, "status_code", None)
        if status in _REFUSED:
            return dialect.after(request, complaint_of(getattr(error, "body", None)))
        if status != _BROKE or self._proven or request.schema is None:
            return None
        # Some servers break on a schema instead of refusing it. Once may be an outage, and so is any 500 after a
        # schema has worked; twice at the very start is believed.
        self._breaks += 1
        return dialect.looser(request) if self._breaks >= _BREAKS_BELIEVED else None
