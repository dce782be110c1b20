"""A process of its own that adds pages until it is done or killed."""

from __future__ import annotations

import subprocess
import sys

WRITER = """
import sys
from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

url, session, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
with MemoryOS(url, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
    user = memory.user("alice", session_id=session)
    for n in range(most):
        user.add(f"Hello {n}", "Hi")
        print(n, flush=True)
"""


def writer(url: str, session: str, most: int) -> subprocess.Popen[str]:
    """It writes so many pages of alice's, and tells of each on its standard output."""
    return subprocess.Popen([sys.executable, "-c", WRITER, url, session, str(most)], stdout=subprocess.PIPE, text=True)
