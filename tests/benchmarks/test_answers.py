"""The whole command, with an endpoint of our own and with a real model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from benchmarks import answers, asking
from tests.benchmarks import published_files
from tests.benchmarks.files import locomo
from tests.llms.endpoint import Endpoint, chat_reply, error_reply, serving
from tests.llms.endpoint import Reply as Sent

ROOT = Path(__file__).resolve().parents[2]
RIGHT = {"Where did Ada move?": "Lisbon", "What do Ada and Ben own?": "2", "When did Ada adopt a cat?": "May"}
ASKED = [f"conv-{talk}/{number}" for talk in (1, 2) for number in (0, 1, 4)]
HELLO = "Say hello."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([locomo(), locomo("conv-2", "Oslo")]), encoding="utf-8")
    return path


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    def answer(body: dict[str, Any]) -> Sent:
        return chat_reply(next((a for q, a in RIGHT.items() if f"Question: {q}" in _last(body)), "Hello."))

    with serving(answer) as server:
        yield server


def _last(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


@pytest.fixture
def run(data: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def command(*more: str, model: tuple[str, ...] = ("--model-name", "m")) -> str:
        server = ("--base-url", endpoint.url) if "--model-name" in model else ()
        what = ["--data", str(data), "--dataset", "locomo", "--budget", "60", "--system", "words", "bm25"]
        answers.main([*what, *server, *model, *more])
        return capsys.readouterr().out

    return command


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_system_is_asked_the_same(run: Callable[..., str], endpoint: Endpoint, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    text = run("--out", str(out))
    assert text.startswith("locomo: 6 of 6 questions that have an answer, the same for every system\nopenai:m, 60 tok")
    kept = rows(out)
    assert [(row["system"], row["question_id"]) for row in kept] == [(s, q) for s in ("words", "bm25") for q in ASKED]
    assert [row["scores"]["F1"] for row in kept] == [1, 1, 1, 0, 1, 1] * 2, "nobody moved to Lisbon in the second talk"
    assert all(row["prompt_tokens"] == 11 and row["answer_tokens"] == 7 for row in kept)
    assert all(row["calls"] == 1 and row["context_tokens"] <= 60 for row in kept)
    assert _last(endpoint.asked[0]) == HELLO
    assert all(q in _last(body) for q, body in zip([*RIGHT] * 4, endpoint.asked[1:], strict=True))
    assert all(body["temperature"] == 0 and body["max_tokens"] == 64 for body in endpoint.asked)
    assert "moved to Lisbon" in _last(endpoint.asked[1])
    assert [line.split(" | ")[:2] for line in text.splitlines() if line.endswith(" | 6 |")] == [
        ["| words", "83.3 [66.7, 100.0]"],
        ["| bm25", "83.3 [66.7, 100.0]"],
    ]


def test_a_sample_is_the_same_for_all(run: Callable[..., str], endpoint: Endpoint) -> None:
    assert run("--questions", "2").startswith("locomo: 2 of 6 questions")
    asked = [_last(body).partition("Question: ")[2] for body in endpoint.asked[1:]]
    assert len(asked) == 4
    assert asked[:2] == asked[2:]


def test_every_published_form_is_asked(endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = ("--base-url", endpoint.url, "--model-name", "m", "--system", "words", "--budget", "60")
    for dataset, path, said, figures in (
        ("personamem", published_files.personamem(tmp_path / "v1"), "3 of 3 questions that have an answer", "accuracy"),
        ("personamem", published_files.personamem_v2(tmp_path / "v2"), "3 of 3 questions that have", "accuracy"),
        ("memorybench", published_files.memorybench(tmp_path / "mb"), "4 of 4 questions that have", "F1 | BLEU-1"),
        (
            "gvd",
            published_files.gvd(tmp_path / "gvd"),
            "2 of 2 questions that a judge marks",
            "retrieval | correctness",
        ),
    ):
        endpoint.answer = lambda body: chat_reply(
            "retrieval: 1\ncorrectness: 1\ncoherence: 0.5" if "Marks:" in _last(body) else "(b)"
        )
        answers.main(["--data", str(path), "--dataset", dataset, *server])
        text = capsys.readouterr().out
        assert text.startswith(f"{dataset}: {said}")
        assert f"| system | {figures} |" in text
    assert "| words | 100.0 | 100.0 | 50.0 |" in text


def test_an_answer_is_kept_before_the_next_is_asked(
    run: Callable[..., str], endpoint: Endpoint, tmp_path: Path
) -> None:
    out, kept = tmp_path / "rows.jsonl", []

    def answer(body: dict[str, Any]) -> Sent:
        kept.append(out.read_bytes().count(b"\n") if out.exists() else None)
        return chat_reply("Lisbon")

    endpoint.answer = answer
    run("--out", str(out))
    assert kept == [None, *range(12)]


def test_a_killed_run_goes_on_where_it_was(run: Callable[..., str], endpoint: Endpoint, tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    first = run("--out", str(out))
    whole = out.read_bytes().splitlines(keepends=True)
    failed = json.dumps({**json.loads(whole[2]), "given": "", "failure": "busy"}).encode() + b"\n"
    out.write_bytes(b"".join(whole[:2]) + failed + b"".join(whole[3:8]) + whole[8][:40])
    endpoint.asked.clear()
    again = run("--out", str(out), "--resume")
    assert without_time(again) == without_time(first)
    assert len(endpoint.asked) == 1 + 1 + 4, "hello, what had failed, and what was left"
    assert len(rows(out)) == 13
    endpoint.asked.clear()
    assert run("--out", str(out), "--resume") == run("--out", str(out), "--resume")
    assert [_last(body) for body in endpoint.asked] == [HELLO] * 2
    run("--out", str(out), "--resume", model=("--model-name", "other"))
    run("--out", str(out), "--resume", "--budget", "30")
    assert len(endpoint.asked) == 2 + 13 + 13, "another model or budget answers for itself"


def without_time(text: str) -> list[list[str]]:
    return [cells[:7] for cells in (line.split(" | ") for line in text.splitlines())]


def test_a_question_that_changed_is_asked_again(
    run: Callable[..., str], endpoint: Endpoint, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rows.jsonl"
    run("--out", str(out))
    samples = json.loads(data.read_text(encoding="utf-8"))
    samples[0]["qa"][0]["answer"] = "Porto"
    samples[1]["qa"][4]["answer"] = ""
    data.write_text(json.dumps(samples), encoding="utf-8")
    endpoint.asked.clear()
    assert run("--out", str(out), "--resume").startswith("locomo: 5 of 5 questions that have an answer")
    assert len(endpoint.asked) == 1 + 2


def test_what_cannot_be_done_is_said(
    run: Callable[..., str],
    endpoint: Endpoint,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "_MODELS", tmp_path / "models")
    out = tmp_path / "rows.jsonl"
    out.write_text('{"no": "row"}\nhalf', encoding="utf-8")
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps([{**locomo(), "qa": []}]), encoding="utf-8")
    for arguments, message in (
        (["--resume"], "--resume needs --out"),
        (["--out", str(out)], "is there already: --resume goes on with it"),
        (["--out", str(out), "--resume"], "line 1 of"),
        (["--budget", "0"], "'0' is not a number above 0"),
        (["--data", str(tmp_path / "nowhere")], "nowhere"),
        (["--data", str(bare)], "has an answer to compare with"),
        (["--base-url", "http://127.0.0.1:9/v1", "--model-name", ""], "--base-url needs --model-name"),
    ):
        with pytest.raises(SystemExit):
            run(*arguments)
        assert message in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == '{"no": "row"}\nhalf', "what is refused is not touched"
    for model, message in (((), "scripts/fetch_models.py"), (("--model", str(out)), "is not a GGUF file")):
        with pytest.raises(SystemExit):
            run(model=model)
        assert message in capsys.readouterr().err
    monkeypatch.setitem(asking.SYSTEMS, "absent", _absent)
    endpoint.asked.clear()
    with pytest.raises(SystemExit):
        run("--system", "words", "absent")
    assert "install this" in capsys.readouterr().err
    assert endpoint.asked == []
    endpoint.answer = lambda _: error_reply(401, "no")
    monkeypatch.setenv("MY_KEY", "abc")
    endpoint.headers.clear()
    with pytest.raises(SystemExit):
        run("--key-from", "MY_KEY")
    assert "answered HTTP 401: check the API key" in capsys.readouterr().err
    assert [headers["authorization"] for headers in endpoint.headers] == ["Bearer abc"]


def _absent(_: object) -> NoReturn:
    raise ImportError("install this")


def test_a_real_model(run: Callable[..., str], tmp_path: Path) -> None:
    """SmolLM2-135M, fetched once into .models/, as for tests/llms."""
    fetch = [sys.executable, str(ROOT / "scripts" / "fetch_models.py"), "smollm2"]
    done = subprocess.run(fetch, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "rows.jsonl"
    more = ("--threads", "1", "--answer-tokens", "8", "--questions", "1", "--out", str(out))
    text = run(*more, model=("--model", done.stdout.strip()))
    assert "gguf:smollm2-135m-instruct-q4_1.gguf, 60 tokens of context, 8 of answer" in text
    kept = rows(out)
    assert [row["system"] for row in kept] == ["words", "bm25"]
    for row in kept:
        assert row["failure"] == ""
        assert row["given"]
        assert row["prompt_tokens"] > 200
        assert 0 < row["answer_tokens"] <= 8
