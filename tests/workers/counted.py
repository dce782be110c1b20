"""A worker whose model notes what it is asked: `python -m tests.workers.counted URL LOG NUMBER` ends when all is done.

So many processes work, forked when everything is imported and was done once.
"""

from __future__ import annotations

import hashlib
import os
import sys
import traceback
from dataclasses import replace

from memoryos_core import ChatRequest, MemoryOS
from memoryos_core.testing.fakes import ScriptedChat
from tests.faults.opening import warm_up
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
    url, log, number = sys.argv[1:]
    warm_up()
    children: list[int] = []
    for _ in range(int(number)):
        child = os.fork()
        if not child:
            status = 1
            try:
                main(url, log)
                status = 0
            except BaseException:  # noqa: BLE001 - told, and the status says it
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        children.append(child)
    sys.exit(max(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])) for child in children))
