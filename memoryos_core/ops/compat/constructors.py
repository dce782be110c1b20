"""The two published signatures, mapped to our arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memoryos_core.api.memory import EmbedderChoice, ModelChoice
from memoryos_core.config import HeatConfig, LongTermConfig, MemoryConfig, MidTermConfig, RecallConfig, ShortTermConfig
from memoryos_core.ops.compat.choices import Choices, embedder_of, model_of
from memoryos_core.ops.compat.files import DEFAULT_ASSISTANT
from memoryos_core.ops.compat.verbs import Verbs

# Recall size of the published code: the paper counts 3,874 tokens, and 20 facts of each kind.
_BUDGET_TOKENS = 4000
_FACTS = 20
_LARGEST_BATCH = 16


class Memoryos(Verbs):
    """One user's memory in a directory, with the published constructor, by keyword or in the published order.

    Everything is kept in `memoryos.db` in `data_storage_path`, for any number of users. Published JSON files of this
    user that are there already are imported once, and never changed. Nothing is sent over a network here.

    Args:
        user_id: whose memory.
        openai_api_key: for the model; empty or a placeholder, and memories are kept without a model: `get_response`
            then raises ConfigError.
        data_storage_path: the directory, created when it is absent.
        openai_base_url: an endpoint other than OpenAI's own.
        assistant_id: whose answers are remembered; each user has facts about the assistant of their own.
        short_term_capacity: in turns.
        mid_term_capacity: in segments.
        long_term_knowledge_capacity: in facts, about the user and about the assistant each.
        retrieval_queue_capacity: how many pages a question brings back at most.
        mid_term_heat_threshold: the heat at which a segment is promoted.
        mid_term_similarity_threshold: the F-score at which pages join a segment.
        llm_model: the chat model's name.
        embedding_model_name: "all-MiniLM-L6-v2" (the local model when the extra `local` is installed, else words
            only), "openai:MODEL" (same key and endpoint), "local:/path/to/onnx/weights" or "terms" (words only).
        embedding_model_kwargs: accepted; the local model here needs none.
        llm: any other model in place of the key: a name such as "gguf:/path", a callable, or a ChatModel.
        embedder: any other embedder in place of `embedding_model_name`: a callable or an Embedder.

    Raises:
        ConfigError: a value is out of its range, or an embedding model is not known here.
        InvalidInputError: an id or the directory cannot be used, or a published file is damaged.
        MissingExtraError: the key is real and the extra `openai` is not installed.
        StoreError: the database cannot be opened.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the published signature
        self,
        user_id: str,
        openai_api_key: str,
        data_storage_path: str,
        openai_base_url: str | None = None,
        assistant_id: str = DEFAULT_ASSISTANT,
        short_term_capacity: int = 10,
        mid_term_capacity: int = 2000,
        long_term_knowledge_capacity: int = 100,
        retrieval_queue_capacity: int = 7,
        mid_term_heat_threshold: float = 5.0,
        mid_term_similarity_threshold: float = 0.6,
        llm_model: str = "gpt-4o-mini",
        embedding_model_name: str = "all-MiniLM-L6-v2",
        embedding_model_kwargs: Mapping[str, object] | None = None,
        *,
        llm: ModelChoice = None,
        embedder: EmbedderChoice = None,
    ) -> None:
        config = _config(short_term_capacity, mid_term_heat_threshold)
        config = replace(
            config,
            mid_term=MidTermConfig(mid_term_capacity, mid_term_similarity_threshold, segments="chains"),
            long_term=replace(config.long_term, capacity_facts=long_term_knowledge_capacity),
            recall=replace(config.recall, top_pages=retrieval_queue_capacity),
        )
        by_name = embedder_of(embedding_model_name, openai_api_key, openai_base_url) if embedder is None else embedder
        model = model_of(llm_model, openai_api_key, openai_base_url) if llm is None else llm
        super().__init__(
            Choices(
                user_id=user_id,
                assistant_id=assistant_id,
                folder=data_storage_path,
                config=config,
                embedder=by_name,
                llm=model,
            )
        )
        self.embedding_model_kwargs = dict(embedding_model_kwargs or {})


class MemoryOS(Verbs):
    """One user's memory in a directory, with the constructor and verbs of the second published surface.

    Args:
        user_id: as for `Memoryos`, like every argument that is not named here.
        assistant_id: likewise.
        openai_api_key: likewise.
        storage_path: the directory; `data_storage_path` of `Memoryos`.
        llm_model: likewise.
        short_term_capacity: likewise.
        mid_term_heat_threshold: the heat at which a segment is promoted, when `long_term_heat_threshold` is not given.
        long_term_heat_threshold: the same heat. There is one threshold here, between mid-term and long-term memory.
        max_context_tokens: how many tokens of memory a question brings back at most.
        openai_base_url: an endpoint other than OpenAI's own.
        llm: as for `Memoryos`.
        embedder: likewise; "auto" is the local model when the extra `local` is installed, else words only.

    Raises:
        ConfigError, InvalidInputError, MissingExtraError, StoreError: as for `Memoryos`.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the published signature
        self,
        user_id: str,
        assistant_id: str = DEFAULT_ASSISTANT,
        openai_api_key: str = "",
        storage_path: str = "./memoryos_data",
        llm_model: str = "gpt-4o-mini",
        short_term_capacity: int = 10,
        mid_term_heat_threshold: float = 5.0,
        long_term_heat_threshold: float | None = None,
        max_context_tokens: int = _BUDGET_TOKENS,
        *,
        openai_base_url: str | None = None,
        llm: ModelChoice = None,
        embedder: EmbedderChoice = "auto",
    ) -> None:
        threshold = mid_term_heat_threshold if long_term_heat_threshold is None else long_term_heat_threshold
        config = _config(short_term_capacity, threshold)
        config = replace(config, recall=replace(config.recall, budget_tokens=max_context_tokens))
        model = model_of(llm_model, openai_api_key, openai_base_url) if llm is None else llm
        super().__init__(
            Choices(
                user_id=user_id,
                assistant_id=assistant_id,
                folder=storage_path,
                config=config,
                embedder=embedder,
                llm=model,
            )
        )

    def add_interaction(
        self,
        user_input: str,
        agent_response: str = "",
        timestamp: str | None = None,
        meta_data: Mapping[str, object] | None = None,
        *,
        assistant_response: str = "",
    ) -> None:
        """Remember one turn; the answer may be called `agent_response` or `assistant_response`. See `add_memory`."""
        self.add_memory(user_input, agent_response or assistant_response, timestamp, meta_data)

    def chat(self, message: str) -> str:
        """Return the model's answer to a message, with memory; store both. See `get_response`."""
        return self.get_response(message)


def _config(short_term_capacity: int, heat_threshold: float) -> MemoryConfig:
    short_term = ShortTermConfig(short_term_capacity, idle_hours=None)  # it paged out by number alone
    return MemoryConfig(
        # The published code paged out turn by turn; a batch of at most one capacity asks the model less often.
        short_term=replace(short_term, batch_pages=min(short_term_capacity, _LARGEST_BATCH)),
        heat=HeatConfig(threshold=heat_threshold),
        long_term=LongTermConfig(reads="hot"),
        recall=RecallConfig(budget_tokens=_BUDGET_TOKENS, top_facts=2 * _FACTS),
    )
