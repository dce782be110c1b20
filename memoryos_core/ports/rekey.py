"""A store whose key can be changed."""

from __future__ import annotations

from typing import Protocol

from memoryos_core.values.encryption_keys import KeyChoice


class Keyed(Protocol):
    """The capability that `MemoryOS.rekey` needs from a store."""

    def rekey(self, new_key: KeyChoice) -> None:
        """Encrypt everything with another key; when interrupted, one of the two keys opens everything.

        Raises StoreKeyError when it is not encrypted; nothing was changed then.
        """
        ...
