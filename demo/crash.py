"""Lets another process write the conversation, kills it half-way, and tells what it had promised by then."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from demo.conversation import Conversation
from demo.terminal import width

_ROOT = Path(__file__).resolve().parents[1]
# A breath between turns, so that the background worker is at work too when the kill comes.
_PAUSE_SECONDS = 0.04


@dataclass(frozen=True, slots=True)
class Killed:
    """What the writer had done: turns it reported as accepted, and how it ended (-9 is SIGKILL)."""

    pid: int
    accepted: int
    returncode: int

    @property
    def by_force(self) -> bool:
        """It did not end by itself."""
        return self.returncode == -signal.SIGKILL


def write_and_kill(store: Path, data: Path, conversation: Conversation, sample_id: str | None) -> Killed:
    """Start the writer, follow its reports through a pipe, SIGKILL it at half of the turns."""
    command = [sys.executable, "-m", "demo.writer", str(store), "--data", str(data.resolve())]
    command += ["--pause", str(_PAUSE_SECONDS), *(["--conversation", sample_id] if sample_id else [])]
    total = len(conversation.turns)
    accepted = 0
    # Reports that were already in the pipe when the kill came are read to the end: they are promises, too.
    with (
        subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as writer,
        tqdm(total=total, desc="  writing", unit="turn", ncols=width()) as bar,
    ):
        for line in writer.stdout or ():
            accepted = int(line)
            bar.update()
            if accepted == total // 2:
                writer.kill()
    return Killed(writer.pid, accepted, writer.returncode)
