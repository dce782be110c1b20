"""Which memories are open in this process: a reference that travelled as JSON finds its way back to the living one.

LlamaIndex hands a memory over as JSON before every further run with one context, and to other processes.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from typing import TypeAlias

from memoryos_core import MemoryOS, StoreError
from memoryos_core.memory import IN_PROCESS
from memoryos_llamaindex.events import dispatch

_Living: TypeAlias = weakref.WeakValueDictionary[str, MemoryOS]

# What nobody but a reference in JSON may hold: memories in RAM, and those that a reference opened. Bounded, for a
# server that makes one for each request would keep them all.
_MOST_KEPT = 64
_living = _Living()
_kept: OrderedDict[str, MemoryOS] = OrderedDict()
_lock = threading.Lock()


def register(memory: MemoryOS) -> None:
    """Let references to this address lead here; of two memories on one database the last one registered is found."""
    with _lock:
        _living[memory.address] = memory


def keep(memory: MemoryOS) -> None:
    """Hold on to a memory that a reference in JSON may be the only way to; the last 64 of them stay."""
    with _lock:
        _kept[memory.address] = memory
        _kept.move_to_end(memory.address)
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)


def connect(address: str) -> MemoryOS:
    """The memory that is open here under this address; else one opened as `MemoryOS(address)` opens it.

    Raises:
        StoreError: it lived in RAM, and its process ended or it was dropped or closed; or it cannot be opened.
    """
    with _lock:
        found = _living.get(address)
    if found is not None and not found.closed:
        return found
    if address.startswith(IN_PROCESS):
        raise StoreError(
            "this memory lived in RAM and is gone: its process ended, or it was closed; "
            "give MemoryOS a file, such as 'sqlite:///memory.db', to come back to it"
        )
    # Two threads that come here at once open two on one database, which is allowed.
    memory = MemoryOS(address, on_event=dispatch)
    keep(memory)
    return memory
