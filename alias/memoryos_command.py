"""The entry point of the command `memoryos`: Ctrl-C ends it quietly also while the packages are still being loaded.

It stands outside `memoryos_core`, because to import any part of that package loads all that a caller uses.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

__all__ = ["main"]

_INTERRUPTED = 130  # exit status that a shell uses for Ctrl-C


def main() -> int:
    """Run the command; return its exit status, see `memoryos_core.ops.cli.main`."""
    before = signal.getsignal(signal.SIGINT)
    # A program that was started to ignore Ctrl-C (`nohup`, `&` in a script) goes on ignoring it.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from memoryos_core.ops.cli import main as run  # noqa: PLC0415 - Ctrl-C is taken care of first

    signal.signal(signal.SIGINT, before)
    return run()


def _leave(*_: object) -> NoReturn:
    """End the process at once: nothing is open yet. A KeyboardInterrupt may be swallowed in an import."""
    os._exit(_INTERRUPTED)
