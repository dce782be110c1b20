"""The classes of the published quick starts under the import that these use: `from memoryos import Memoryos`.

Only the distribution `memoryos-tiered-compat` installs this module, because other distributions bring a module
`memoryos` of their own.
"""

from __future__ import annotations

from memoryos_core.ops.compat import MemoryOS, Memoryos

__all__ = ["MemoryOS", "Memoryos"]
