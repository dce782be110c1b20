"""The demo as a person runs it, and the data it ships."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from demo import answering, conversation, locomo, survival, terminal
from memoryos_core import MemoryOS
from memoryos_core.values.chat import ChatReply, ChatRequest

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "demo", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=240)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    # A folder without models: the answers of a model that happens to lie in .models would take minutes.
    return run("--keep", str(tmp_path_factory.mktemp("kept")), "--no-model")


def test_the_demo_ends_well(shown: subprocess.CompletedProcess[str]) -> None:
    assert shown.returncode == 0, shown.stdout[-2000:] + shown.stderr[-2000:]


def test_the_demo_says_how_many_pages_survived_the_kill(shown: subprocess.CompletedProcess[str]) -> None:
    killed = re.search(r"had reported (\d+) turns when it ended with -9", shown.stdout)
    survived = re.search(r"(\d+) pages survived the kill, each in exactly one tier, nothing lost", shown.stdout)
    assert killed
    assert survived
    turns = len(conversation.load().turns)
    # The writer may have stored one turn more than it had told of.
    assert turns // 2 <= int(killed[1]) <= int(survived[1]) < turns


def test_the_demo_recalls_the_evidence(shown: subprocess.CompletedProcess[str]) -> None:
    found = re.search(r"Evidence recalled for (\d+) of (\d+) questions", shown.stdout)
    assert found
    assert int(found[2]) >= 12
    assert int(found[1]) >= 10


def test_the_demo_does_not_write_into_a_memory_that_is_there(tmp_path: Path) -> None:
    there = tmp_path / "memory.db"
    there.write_bytes(b"mine")
    assert run("--keep", str(tmp_path)).returncode == 2
    assert there.read_bytes() == b"mine"


def test_a_model_answers_from_what_was_recalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a file in .models, as the tests leave one behind, the demo ended at its first question."""

    class Parrot:
        name = "parrot"

        def ask(self, request: ChatRequest) -> ChatReply:
            return ChatReply(f"I read: {request.prompts[-1].text.splitlines()[-2]}", 1, 1)

    monkeypatch.setattr(answering, "open_chat_model", lambda _: Parrot())
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF")
    with MemoryOS("sqlite://", embedder=None) as memory:
        ann = memory.user("ann")
        ann.add("My cat is called Moth.", "Noted.")
        answerer = answering.open_answerer(model, look=False)
        assert answerer is not None
        answerer.show("Who is my cat?", ann.recall("Who is my cat?"), indent=2)
    assert "I read: Who is my cat?" in capsys.readouterr().out


def test_a_missing_file_is_said_and_not_raised() -> None:
    ended = run("--data", "no-such-file.json")
    assert ended.returncode == 2
    assert "no-such-file.json" in ended.stdout
    assert "Traceback" not in ended.stderr


def test_the_shipped_conversation_is_long_enough_and_in_order() -> None:
    talk = conversation.load()
    assert len(talk.turns) >= 72
    assert 10 <= len(talk.session_ids) <= 14
    assert len(set(talk.message_ids)) == len(talk.message_ids) == 2 * len(talk.turns)
    times = [m.timestamp for turn in talk.turns for m in turn.messages if m.timestamp]
    assert len(times) == len(talk.message_ids)
    assert times == sorted(times)
    assert (times[-1] - times[0]).days >= 200


def test_the_questions_cite_messages_that_exist() -> None:
    talk = conversation.load()
    cited = {i for q in talk.questions for group in q.evidence for i in group}
    assert cited
    assert cited <= set(talk.message_ids)


def test_the_questions_are_of_every_kind() -> None:
    questions = conversation.load().questions
    assert len(questions) >= 12
    assert {"temporal", "update", "two pieces", "recommendation", "no answer"} <= {q.kind for q in questions}
    assert all(bool(q.evidence) == (q.kind != "no answer") for q in questions)
    assert all(len(q.evidence) > 1 for q in questions if q.kind == "two pieces")


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    sample = {
        "sample_id": "conv-2",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Late."}],
            "session_10_date_time": "12:09 am on 13 September, 2023",
            "session_2": [
                {
                    "speaker": "Bo",
                    "dia_id": "D2:1",
                    "text": "Look!",
                    "blip_caption": "a red kite",
                    "query": "leak",
                },
                {"speaker": "Ada", "dia_id": "D2:2", "text": "Lovely."},
            ],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_3_date_time": "9:00 am on 9 May, 2023",
        },
        "qa": [
            {"question": "What?", "answer": 7, "evidence": ["D2:1; D10:1", "D:11:26", "D9:9"], "category": 1},
            {"question": "Trick?", "evidence": ["D2:2"], "category": 5, "adversarial_answer": "x"},
        ],
    }
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{**sample, "sample_id": "conv-1", "qa": []}, sample]), encoding="utf-8")
    return path


def test_locomo_sessions_are_read_in_order_with_names_and_captions(locomo_file: Path) -> None:
    talk = locomo.load(locomo_file, "conv-2")
    messages = [m for turn in talk.turns for m in turn.messages]
    assert [m.id for m in messages] == ["D2:1", "D2:2", "D10:1"]
    assert [(m.role, m.name) for m in messages] == [("assistant", "Bo"), ("user", "Ada"), ("assistant", "Bo")]
    assert messages[0].text == "Look! [shares a red kite]"
    assert [m.timestamp.isoformat() for m in messages if m.timestamp] == [
        "2023-05-08T13:56:00+00:00",
        "2023-05-08T13:56:30+00:00",
        "2023-09-13T00:09:00+00:00",
    ]


def test_locomo_questions_keep_what_can_be_cited(locomo_file: Path) -> None:
    talk = locomo.load(locomo_file, "conv-2")
    assert [(q.text, q.kind, q.answer) for q in talk.questions] == [("What?", "two pieces", "7")]
    assert talk.questions[0].evidence == (("D2:1",), ("D10:1",))


def test_the_first_conversation_is_the_default_and_an_unknown_one_is_named(locomo_file: Path) -> None:
    assert locomo.load(locomo_file).title.startswith("LoCoMo conv-1")
    with pytest.raises(ValueError, match="conv-1, conv-2"):
        locomo.load(locomo_file, "conv-9")


def test_a_locomo_file_runs_to_the_end(locomo_file: Path) -> None:
    ended = run("--data", str(locomo_file), "--conversation", "conv-2", "--no-model")
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    assert "What?" in ended.stdout
    assert "leak" not in ended.stdout


@pytest.mark.parametrize(
    ("messages", "pages", "tiers", "safe"),
    [
        ({"a": 1, "b": 1}, {"p": 1}, {"short_term": 1}, True),
        ({"a": 1, "b": 1, "not yet told of": 1}, {"p": 1, "q": 1}, {"mid_term": 2}, True),
        ({"a": 1}, {"p": 1}, {"short_term": 1}, False),
        ({"a": 1, "b": 2}, {"p": 1, "q": 1}, {"short_term": 2}, False),
        ({"a": 1, "b": 1}, {"p": 2}, {"short_term": 1, "mid_term": 1}, False),
        ({"a": 1, "b": 1}, {"p": 1}, {"nowhere": 1}, False),
    ],
)
def test_a_lost_doubled_or_stray_page_is_noticed(
    messages: dict[str, int], pages: dict[str, int], tiers: dict[str, int], safe: bool
) -> None:
    assert survival.show(survival.Survey(messages, pages, tiers), ["a", "b"]) is safe


def test_columns_are_aligned_and_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = terminal.table([("a", "1", "x" * 90), ("bbb", "22", "y")], right=(1,)).split("\n")
    assert lines[0].startswith("  a     1  xxx")
    assert lines[1] == "  bbb  22  y"
    assert len(lines[0]) == 60


def test_text_is_folded_under_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = terminal.wrap("word " * 40, first="  ab", indent=8, lines=2).split("\n")
    assert len(lines) == 2
    assert lines[0].startswith("  ab    word")
    assert lines[1].startswith("        word")
    assert lines[1].endswith("…")
