from __future__ import annotations

import importlib.util
import logging
import subprocess
import sys
import tempfile
from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tiktoken
import tiktoken.load
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_core.errors import ConfigError, MissingExtraError
from memoryos_core.providers import tokens as ours
from memoryos_core.providers.tokens import (
    VOCABULARIES,
    TiktokenCounter,
    estimate_tokens,
    open_token_counter,
    vocabulary_file,
)

ANYTHING = st.text(alphabet=st.characters(), max_size=300)
SAMPLES = (
    "It's 20 past nine, we'll be LATE!!  \n\n  Won't you\tcome?",
    "def area(radius: float) -> float:\n    return 3.14159 * radius**2\n",
    '{"id": 1203948, "tags": ["a", "B", null], "µ": 1e-7}',
    "これは猫です。名前はまだ無い。 中文也要数一数。",
    "Straße ÉCOLE naïve ǅungla don'T I'LL 👩‍👩‍👧 ½ ٣",
    "   trailing blanks   \r\n\r\n \r\n",
)


@pytest.fixture(scope="module")
def cache() -> Path:
    spec = importlib.util.find_spec("llama_index")
    assert spec is not None
    return Path(next(iter(spec.submodule_search_locations or ()))) / "core" / "_static" / "tiktoken_cache"


@pytest.fixture
def reference(cache, monkeypatch):
    """tiktoken's own encodings, which the tests may load from the same files."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
    return tiktoken.get_encoding


@pytest.fixture
def only_in(monkeypatch, tmp_path):
    """As if a folder of this test were the only cache, and nothing had been loaded yet."""
    monkeypatch.setattr(ours, "_caches", lambda: iter([tmp_path]))
    monkeypatch.setattr(ours, "_loaded", {})
    return tmp_path


@given(ANYTHING, ANYTHING)
def test_the_estimate_grows_with_the_text_and_never_more_than_its_parts(left, right):
    assert estimate_tokens("") == 0
    assert max(estimate_tokens(left), estimate_tokens(right)) <= estimate_tokens(left + right)
    assert estimate_tokens(left + right) <= estimate_tokens(left) + estimate_tokens(right)


def test_the_estimate_counts_bytes_not_characters():
    assert estimate_tokens("abcd") == 1
    assert estimate_tokens("abcde") == 2
    assert estimate_tokens("猫猫猫猫") == 3
    assert estimate_tokens("\ud800") == 1


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
def test_counts_are_tiktokens_own(reference, name):
    counter, theirs = TiktokenCounter(name), reference(name)
    for sample in SAMPLES:
        assert counter(sample) == len(theirs.encode(sample, disallowed_special=())), sample


@pytest.mark.parametrize("name", sorted(VOCABULARIES))
@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300))
def test_counts_of_any_text_are_tiktokens_own(name, text):
    assert TiktokenCounter(name)(text) == len(tiktoken.get_encoding(name).encode(text, disallowed_special=()))


@pytest.fixture(autouse=True, scope="module")
def references_loaded(cache):
    """Before hypothesis runs, whose function-scoped fixtures would be shared between examples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
        for name in VOCABULARIES:
            tiktoken.get_encoding(name)


@given(ANYTHING)
@settings(max_examples=100, deadline=None)
def test_counting_never_fails(text):
    assert TiktokenCounter()(text) >= (1 if text else 0)


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, " " * 1_000_000, "猫" * 300_000, "so it goes. " * 90_000, "\n" * 1_000_000]
)
def test_a_megabyte_is_counted_within_three_hundredths(reference, text):
    # A tenth of it, taken ten times, is what the whole must come to.
    tenth = len(reference("cl100k_base").encode_ordinary(text[: len(text) // 10]))
    assert TiktokenCounter()(text) == pytest.approx(10 * tenth, rel=0.03)


def test_special_tokens_count_as_the_words_they_are_spelt_with():
    assert TiktokenCounter()("<|endoftext|>") > 1


def test_auto_is_exact_here_and_opens_no_socket_and_no_framework():
    code = (
        "import socket, sys\n"
        "def no(*args, **kwargs): raise SystemExit('network')\n"
        "socket.getaddrinfo = socket.socket.connect = no\n"
        "from memoryos_core.providers.tokens import open_token_counter\n"
        "counter = open_token_counter()\n"
        "assert 'tiktoken' not in sys.modules, 'loaded at opening'\n"
        "assert counter('internationalisation') == 2, counter('internationalisation')\n"
        "assert not {'llama_index', 'llama_index.core', 'requests'} & set(sys.modules), 'framework'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert estimate_tokens("internationalisation") != 2


def test_auto_is_the_estimate_without_a_vocabulary(only_in):
    assert open_token_counter() is estimate_tokens
    with pytest.raises(ConfigError, match="TIKTOKEN_CACHE_DIR"):
        open_token_counter("tiktoken")


def test_auto_is_the_estimate_without_tiktoken(monkeypatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert open_token_counter("auto") is estimate_tokens
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[tiktoken\]"):
        open_token_counter("tiktoken:o200k_base")


def test_a_damaged_vocabulary_is_never_used(only_in, cache, caplog):
    file = vocabulary_file("cl100k_base")
    (only_in / file).write_bytes((cache / file).read_bytes()[:-5])
    counter = open_token_counter("tiktoken")
    with caplog.at_level(logging.WARNING):
        assert [counter("internationalisation") for _ in range(3)] == [estimate_tokens("internationalisation")] * 3
    assert len(caplog.records) == 1
    assert (only_in / file).exists(), "tiktoken would have deleted it"


def test_a_tiktoken_that_does_not_work_is_the_estimate(monkeypatch, caplog):
    def broken(*args: object, **kwargs: object) -> None:
        raise ValueError("this build reads no such pattern")

    monkeypatch.setattr(ours, "_loaded", {})
    monkeypatch.setattr(tiktoken, "Encoding", broken)
    with caplog.at_level(logging.WARNING):
        assert TiktokenCounter()("internationalisation") == estimate_tokens("internationalisation")
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


@pytest.mark.parametrize("name", VOCABULARIES)
def test_tiktoken_describes_a_vocabulary_and_loads_nothing_itself(name, monkeypatch):
    monkeypatch.setattr(tiktoken.load, "read_file_cached", pytest.fail)
    described = ours._describe(name)
    assert described["name"] == name
    assert len(described["mergeable_ranks"]) > 100_000


def test_a_tiktoken_that_loads_in_another_way_is_not_asked(monkeypatch, caplog):
    from tiktoken_ext import openai_public

    monkeypatch.setattr(ours, "_loaded", {})
    monkeypatch.setitem(openai_public.ENCODING_CONSTRUCTORS, "cl100k_base", lambda: pytest.fail("a download"))
    with caplog.at_level(logging.WARNING):
        assert TiktokenCounter()("internationalisation") == estimate_tokens("internationalisation")
    assert len(caplog.records) == 1


def test_a_damaged_vocabulary_does_not_hide_a_good_one(only_in, cache, tmp_path, monkeypatch):
    file = vocabulary_file("cl100k_base")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / file).write_bytes(b"")
    monkeypatch.setattr(ours, "_caches", lambda: iter([damaged, cache]))
    assert open_token_counter("tiktoken")("internationalisation") == 2


def test_the_folders_that_tiktoken_reads_are_read(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    cl100k = "cl100k_base"
    assert not ours.on_disk(cl100k)
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(cache))
    assert ours.on_disk(cl100k)
    monkeypatch.delenv("DATA_GYM_CACHE_DIR")
    (tmp_path / "data-gym-cache").symlink_to(cache)
    assert ours.on_disk(cl100k)


def test_eight_threads_load_once(monkeypatch):
    loads: list[str] = []
    read = ours.ranks

    def counted(address: str, expected_hash: str) -> dict[bytes, int]:
        loads.append(address.rpartition("/")[2])
        return read(address, expected_hash)

    monkeypatch.setattr(ours, "_loaded", {})
    monkeypatch.setattr(ours, "ranks", counted)
    counters = [TiktokenCounter() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda counter: counter("internationalisation"), counters)) == {2}
    assert loads == ["cl100k_base.tiktoken"]


def test_a_counter_of_ones_own_passes_through():
    assert open_token_counter(len) is len
    assert open_token_counter(None) is estimate_tokens
    assert open_token_counter("estimate") is estimate_tokens


@pytest.mark.parametrize("spec", ["", "tiktoken:gpt2", "words", 7])
def test_anything_else_is_refused(spec):
    with pytest.raises(ConfigError):
        open_token_counter(spec)


_PIECES = st.sampled_from(
    [
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "  ",
        "\t",
        "a",
        "Z",
        "9",
        "/",
        "-",
        ".",
        "'s",
        "'",
        "é",
        "你",
        "\u0301",
        "\u00a0",
        "[",
        "<",
        "\v",
    ]
)


@pytest.mark.parametrize("name", VOCABULARIES)
@given(pieces=st.lists(_PIECES, max_size=20))
@settings(max_examples=400)
def test_lines_are_counted_apart_as_in_the_whole(name, pieces):
    counter, text = TiktokenCounter(name), "".join(pieces)
    assert counter(text) == counter(text)
    encode = counter._encode
    assert encode is not None
    assert counter(text) == len(encode(text))


@pytest.mark.parametrize("numbers", [range(40), range(1, 41), [*range(20), *range(30, 50)], [3, 1, 2], []])
def test_ranks_are_what_the_lines_say(numbers):
    lines = [(f"token {place}".encode(), rank) for place, rank in enumerate(numbers)]
    content = b"".join(b64encode(token) + b" %d\n" % rank for token, rank in lines)
    assert ours._parse_ranks(content) == dict(lines)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_the_ranks_of_the_known_vocabularies_are_the_numbers_of_their_lines(vocabulary, cache):
    path = cache / vocabulary_file(vocabulary)
    if not path.is_file():
        pytest.skip("this vocabulary is not on this disk")
    fields = path.read_bytes().split()
    assert ours._parse_ranks(path.read_bytes()) == dict(
        zip(map(b64decode, fields[0::2]), map(int, fields[1::2]), strict=True)
    )
