"""The laws of tests/stores/test_laws.py, on a file that SQLCipher encrypts."""

from __future__ import annotations

from hypothesis import settings

from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from tests.encryption.stored import KEY
from tests.stores.test_laws import StoreMachine


class EncryptedMachine(StoreMachine):
    """The same machine."""

    def opened(self) -> Store:
        """With a key."""
        return open_store(self.url, key=KEY)


EncryptedMachine.TestCase.settings = settings(max_examples=5, stateful_step_count=20, deadline=None)
TestLaws = EncryptedMachine.TestCase
