"""Published arguments as ours: database path, embedder, model, and the one-time import."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryos_core.api.memory import EmbedderChoice, MemoryOS, ModelChoice
from memoryos_core.config import MemoryConfig
from memoryos_core.errors import ConfigError, InvalidInputError
from memoryos_core.ops.compat.files import find_published, import_published
from memoryos_core.ports import ChatModel, Embedder
from memoryos_core.values.dialogue import Scope

logger = logging.getLogger(__name__)

DATABASE = "memoryos.db"
_IMPORTED = "memoryos-imported"
_MINILM = frozenset({"all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "auto"})
_PLACEHOLDER = re.compile(r"(?:^|[\W_])your[\W_]|\.{3}|…|<.*>|x{6}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices that both constructors make from their arguments."""

    user_id: str
    assistant_id: str
    folder: str
    config: MemoryConfig
    embedder: EmbedderChoice
    llm: ModelChoice


def folder_of(path: object) -> Path:
    """The directory, created; "" is the current one. Raises InvalidInputError when it cannot be used."""
    if not isinstance(path, (str, Path)):
        raise InvalidInputError(f"data_storage_path must be a path, not {type(path).__name__}")
    folder = Path(path).expanduser().absolute()
    if "?" in str(folder) or "\x00" in str(folder):
        raise InvalidInputError(f"{str(folder)!r} cannot be used: a directory's name must not hold '?' or NUL")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"{str(folder)!r} cannot be created: {error.strerror}") from error
    return folder


def model_of(name: str, api_key: str | None, base_url: str | None) -> ChatModel | None:
    """Return the model for a key, without calling it; None when the key is empty or a placeholder."""
    key = (api_key or "").strip()
    if not base_url and (not key or _PLACEHOLDER.search(key)):
        return None
    from memoryos_core.providers.llms.openai import OpenAIChat  # noqa: PLC0415 - the extra may be absent where no key is given

    return OpenAIChat(name, base_url=base_url or None, api_key=key or None)


def embedder_of(name: str, api_key: str | None, base_url: str | None) -> EmbedderChoice:
    """Return our embedder for a published model name. Raises ConfigError for an unsupported name."""
    if name in _MINILM:
        return "auto"
    kind, _, rest = name.partition(":")
    if kind == "openai" and rest:
        return _over_http(rest, api_key, base_url)
    if name == "terms" or (kind == "local" and rest):
        return name
    raise ConfigError(
        f"embedding_model_name={name!r} is not supported: use 'all-MiniLM-L6-v2', 'openai:MODEL' for an endpoint that "
        "serves embeddings, 'local:/path' to ONNX weights, or give your own function as embedder="
    )


def _over_http(model: str, api_key: str | None, base_url: str | None) -> Embedder:
    from memoryos_core.providers.embedders.openai import OpenAIEmbedder  # noqa: PLC0415 - the extra may be absent

    return OpenAIEmbedder(model, base_url=base_url or None, api_key=api_key or None)


def import_once(folder: Path, memory: MemoryOS, scope: Scope) -> None:
    """Import the published files of this user once; data that is forgotten later stays forgotten.

    The assistant's file may hold words of other users, so it is imported only when there are none.

    Raises:
        InvalidInputError: a file is damaged; nothing was imported.
    """
    # The mark's name is a digest: no user id becomes part of a path.
    mark = folder / _IMPORTED / f"{scope.key}.json"
    found = find_published(folder)
    if scope.user_id not in found.users or mark.exists():
        return
    report = import_published(
        folder,
        memory,
        user_id=scope.user_id,
        assistant_id=scope.assistant_id,
        assistant_file=len(found.users) == 1,
    )
    mark.parent.mkdir(exist_ok=True)
    mark.write_text(json.dumps(asdict(report), ensure_ascii=False, indent=1), "utf-8")
    logger.info(
        "imported published files: %d pages, %d segments, %d facts, %d profile fields; %d entries skipped",
        *(report.pages, report.segments, report.facts, report.profile_fields, report.skipped),
    )
    for note in report.remarks:
        logger.info("import: %s", note)
