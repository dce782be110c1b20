"""The constructors and verbs of the published MemoryOS, over this library: only the import changes.

    from memoryos_core.ops.compat import Memoryos

`Memoryos` has the signature of the `memoryos` package, `MemoryOS` the one with `add_interaction` and `chat`. Failures
are exceptions here, never text. `memo.memory` and `memo.user` give access to the full API.
"""

from __future__ import annotations

from memoryos_core.ops.compat.constructors import MemoryOS, Memoryos

__all__ = ["MemoryOS", "Memoryos"]
