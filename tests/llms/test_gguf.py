"""Real weights: SmolLM2-135M, fetched once into .models/ by scripts/fetch_models.py."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryos_core.errors import ConfigError, MissingExtraError, ModelAnswerError, ModelError
from memoryos_core.providers.llms import open_chat_model
from memoryos_core.providers.llms.gguf import GgufChat, find_local_gguf
from memoryos_core.values.chat import ChatRequest, Prompt

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def weights() -> Path:
    command = [sys.executable, str(ROOT / "scripts" / "fetch_models.py"), "smollm2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def chat(weights: Path):
    model = GgufChat(weights, n_ctx=1024, threads=1)
    yield model
    model.close()


def _ask(text: str, **options: object) -> ChatRequest:
    return ChatRequest((Prompt("user", text),), **options)  # type: ignore[arg-type]


def test_json_of_a_schema_from_two_threads(chat):
    request = _ask('Anna lives in Porto. Where does Anna live? Reply as {"city": ...}', schema=SCHEMA, max_tokens=40)
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(chat.ask, [request] * 2))
    for reply in replies:
        assert set(json.loads(reply.text)) == {"city"}
        assert reply.prompt_tokens > 10
        assert 0 < reply.completion_tokens <= 40


def test_prose_ends_at_the_ceiling_and_json_that_is_cut_is_an_error(chat):
    reply = chat.ask(_ask("Half a pair \ud83d and \x00. Tell a long story.", max_tokens=4))
    assert reply.completion_tokens == 4
    with pytest.raises(ModelAnswerError, match="limit of 2 tokens"):
        chat.ask(_ask("Where?", schema=SCHEMA, max_tokens=2))


def test_a_schema_that_is_no_grammar_is_shown_instead(chat):
    odd = {"type": "object", "properties": {"a": {"type": "nonsense"}}}
    assert isinstance(json.loads(chat.ask(_ask('Reply with {"a": 1}', schema=odd, max_tokens=400)).text), dict)


def test_a_prompt_that_is_too_long_is_an_error_with_numbers_only(chat):
    with pytest.raises(ModelError, match="n_ctx is 1024") as caught:
        chat.ask(_ask("secret " * 2000))
    assert not caught.value.transient
    assert "secret" not in str(caught.value)


def test_the_port_tells_nothing(chat):
    chat.ask(_ask("Hi", max_tokens=1))
    for path in ("/slots", "/props", "/v1/models"):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(chat._server.listening_address + path, timeout=5)


def test_nothing_is_written_to_the_terminal(chat, capfd):
    chat.ask(_ask("Hi", max_tokens=1))
    assert capfd.readouterr() == ("", "")


def test_a_closed_model_is_loaded_again(weights):
    model = open_chat_model(f"gguf:{weights}")
    assert isinstance(model, GgufChat)
    assert model._server is None, "nothing is loaded before the first question"
    model.ask(_ask("Hi", max_tokens=1))
    model.close()
    assert model.ask(_ask("Hi", max_tokens=1)).completion_tokens == 1
    model.close()


def test_files_are_checked_before_they_are_loaded(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match="no model file"):
        GgufChat(tmp_path / "none.gguf")
    (tmp_path / "page.gguf").write_text("<html>")
    with pytest.raises(ConfigError, match="not a GGUF file"):
        GgufChat(tmp_path / "page.gguf")
    (tmp_path / "page.gguf").write_bytes(b"GGUF and then nothing")
    with pytest.raises(ModelError):
        GgufChat(tmp_path / "page.gguf").ask(_ask("Hi"))
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[gguf\]"):
        GgufChat(tmp_path / "page.gguf")


def test_the_largest_file_of_the_first_folder_is_found(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, name, size in ((first, "small", 5), (first, "large", 9), (second, "larger", 99)):
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.gguf").write_bytes(b"x" * size)
    (first / "split-00002-of-00002.gguf").write_bytes(b"x" * 50)
    assert find_local_gguf([tmp_path / "none", first, second]) == first / "large.gguf"
    assert find_local_gguf([tmp_path]) is None
