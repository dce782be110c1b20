"""The open memories of this process: a reference that travelled as JSON finds its open memory again.

LlamaIndex hands a memory over as JSON before every further run with one context, and to other processes.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import TypeAlias

from memoryos_core import MemoryOS, StoreError
from memoryos_core.hosts.concurrency import Lock
from memoryos_core.hosts.memories import IN_PROCESS, reopen, when_closed
from memoryos_llamaindex.events import dispatch

_Living: TypeAlias = weakref.WeakValueDictionary[str, MemoryOS]

# Memories that only a reference in JSON may hold: those in RAM, and those that a reference opened. Bounded, for a
# server that makes one for each request would keep them all.
_MOST_KEPT = 64
_living = _Living()
_kept: OrderedDict[str, MemoryOS] = OrderedDict()
_lock = Lock()


def register(memory: MemoryOS) -> None:
    """Let references to this address lead here; of two memories on one database the last one registered is found."""
    with _lock:
        _living[memory.address] = memory


def keep(memory: MemoryOS) -> None:
    """Hold on to a memory that a reference in JSON may be the only way to; the last 64 of them stay."""
    with _lock:
        new = _kept.get(memory.address) is not memory
        _kept[memory.address] = memory
        _kept.move_to_end(memory.address)
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    if new:
        when_closed(memory, _drop_closed)


def _drop_closed() -> None:
    with _lock:
        for address in [address for address, memory in _kept.items() if memory.closed]:
            del _kept[address]


def connect(address: str) -> MemoryOS:
    """Return the memory that is open here under this address; else one opened as `MemoryOS(address)` opens it.

    One that was embedded by an embedder which is not here recalls by words.

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
    memory = reopen(address, on_event=dispatch)
    keep(memory)
    return memory
