"""The process that is killed: it writes the conversation and reports each turn that was accepted."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from demo.conversation import SHIPPED, Conversation
from demo.opening import open_memory, read_conversation
from memoryos_core import MemoryOS

_WAIT_FOR_KILL_SECONDS = 60.0


def write(memory: MemoryOS, conversation: Conversation, *, known: Collection[str] = ()) -> Iterator[int]:
    """Add every turn whose messages are not `known` yet; yields its number once it is accepted."""
    for number, turn in enumerate(conversation.turns, start=1):
        if all(message.id in known for message in turn.messages):
            continue
        user = memory.user(conversation.user_id, assistant_id=conversation.assistant_id, session_id=turn.session_id)
        user.add_messages(turn.messages)
        yield number


def main() -> int:
    """Write until killed."""
    parser = argparse.ArgumentParser(prog="python -m demo.writer", description=__doc__)
    parser.add_argument("store", type=Path, help="the SQLite file to write")
    parser.add_argument("--data", type=Path, default=SHIPPED)
    parser.add_argument("--conversation")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two turns")
    options = parser.parse_args()
    conversation = read_conversation(options.data, options.conversation)
    with open_memory(options.store, conversation) as memory:
        for number in write(memory, conversation):
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
            if number == 1:
                # Loads the embedder now, so that the kill meets a worker in the middle of its work.
                memory.flush()
            time.sleep(options.pause)
        # On a busy machine the kill may come late; ending before it would not be the accident we show.
        time.sleep(_WAIT_FOR_KILL_SECONDS)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
