"""A worker whose model notes what it is asked: `python -m tests.workers.counted URL LOG` ends when all is done."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import replace

from memoryos_core import ChatRequest, MemoryOS
from memoryos_core.testing.fakes import ScriptedChat
from tests.pipeline.test_updater import model_answer
from tests.workers.crew import CONFIG

# Nobody dies here, so nobody needs to be taken over: a busy machine must not look like a crash.
PATIENT = replace(CONFIG, worker=replace(CONFIG.worker, lease_seconds=600.0))


def main(url: str, log: str) -> None:
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def answer(request: ChatRequest) -> str:
        words = "".join(m.text for m in request.prompts)
        os.write(out, f"{request.schema_name} {hashlib.sha256(words.encode()).hexdigest()}\n".encode())
        return model_answer(request)

    with MemoryOS(url, embedder=None, llm=ScriptedChat(answer), config=PATIENT) as memory:
        memory.run_worker(threads=2, once=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
