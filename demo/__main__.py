"""`python -m demo`: the whole memory at work on one conversation, without network, key or server."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tqdm import tqdm

from demo import asking, inside, survival
from demo.answering import open_answerer
from demo.asking import ask
from demo.conversation import SHIPPED, Conversation, Question
from demo.crash import Killed, write_and_kill
from demo.opening import open_memory, read_conversation
from demo.terminal import say, section, width, wrap
from demo.writer import write
from memoryos_core import MemoryOS, UserMemory

_QUESTIONS_SHOWN = 20
_FLUSH_SECONDS = 600.0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--data", type=Path, default=SHIPPED, help="a LoCoMo file instead of our conversation")
    parser.add_argument("--conversation", metavar="ID", help="which conversation of the LoCoMo file, such as conv-26")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the database there")
    parser.add_argument("--model", type=Path, metavar="GGUF", help="a local chat model for the answers")
    parser.add_argument("--no-model", action="store_true", help="do not look for a model in .models")
    parser.add_argument("--questions", type=int, default=_QUESTIONS_SHOWN, help="how many questions to show")
    return parser.parse_args()


def main() -> int:
    """Run the demo; 1 when a page was lost, 2 when it could not be run."""
    options = _options()
    if not options.data.is_file():
        say(f"There is no file {options.data}.")
        return 2
    conversation = read_conversation(options.data, options.conversation)
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memoryos-demo-")))
        folder.mkdir(parents=True, exist_ok=True)
        store = folder / "memory.db"
        if store.exists():
            say(f"{store} exists already; the demo starts with an empty memory. Name another folder.")
            return 2
        return _run(options, conversation, store.resolve())


def _run(options: argparse.Namespace, conversation: Conversation, store: Path) -> int:
    section("A conversation")
    say(wrap(f"{conversation.title}; {_extent(conversation)}.", indent=2))
    section("Written by another process, killed half-way")
    killed = write_and_kill(store, options.data, conversation, options.conversation)
    say(
        f"  Process {killed.pid} had reported {killed.accepted} turns when it ended with {killed.returncode}"
        f"{' (SIGKILL)' if killed.by_force else ''}."
    )
    if not killed.by_force:
        say("  It was meant to be killed, and was not: see its error above.")
        return 2
    with open_memory(store, conversation) as memory:
        safe = _reopen(memory, conversation, killed)
        safe &= _finish(memory, conversation)
        # A session of its own: no recent turns are in sight, so whatever answers comes from memory.
        user = memory.user(conversation.user_id, assistant_id=conversation.assistant_id, session_id="questions")
        inside.show(user)
        before = inside.measure(user)
        _ask(user, conversation.questions, options)
        memory.flush(timeout=_FLUSH_SECONDS)
        inside.show_growth(before, inside.measure(user))
    if options.keep:
        say(f"\n  The database is {store}.")
    return 0 if safe else 1


def _extent(conversation: Conversation) -> str:
    first = min(m.timestamp for t in conversation.turns for m in t.messages if m.timestamp)
    messages = len(conversation.message_ids)
    return (
        f"{messages} messages in {len(conversation.session_ids)} sessions, "
        f"{first:%d %B %Y} to {conversation.last:%d %B %Y}"
    )


def _reopen(memory: MemoryOS, conversation: Conversation, killed: Killed) -> bool:
    section("Reopened after the kill")
    promised = [m.id for turn in conversation.turns[: killed.accepted] for m in turn.messages if m.id]
    found = survival.survey(memory, conversation)
    safe = survival.show(found, promised)
    verdict = "each in exactly one tier, nothing lost" if safe else "but NOT EVERYTHING IS THERE"
    say(f"  {len(found.pages)} pages survived the kill, {verdict}.")
    return safe


def _finish(memory: MemoryOS, conversation: Conversation) -> bool:
    section("The rest is written, and everything is consolidated")
    known = survival.survey(memory, conversation).messages
    for _ in tqdm(
        write(memory, conversation, known=known),
        total=len(conversation.turns),
        initial=sum(all(m.id in known for m in turn.messages) for turn in conversation.turns),
        desc="  writing",
        unit="turn",
        ncols=width(),
    ):
        pass
    started = time.perf_counter()
    done = memory.flush(timeout=_FLUSH_SECONDS)
    say(f"  Consolidated in {time.perf_counter() - started:.1f} s.")
    return survival.show(survival.survey(memory, conversation), conversation.message_ids) and done


def _ask(user: UserMemory, questions: Sequence[Question], options: argparse.Namespace) -> None:
    section("Questions")
    answerer = open_answerer(options.model, look=not options.no_model)
    asked = ask(user, questions)
    # Evenly over the whole list, so that a few of many are not all about the first session.
    step = max(1, len(asked) // max(1, options.questions))
    for number, one in list(enumerate(asked, start=1))[::step][: options.questions]:
        asking.show(one, number)
        if answerer:
            answerer.show(one.question.text, one.recall, indent=asking.INDENT)
    asking.summarise(asked)


if __name__ == "__main__":
    raise SystemExit(main())
