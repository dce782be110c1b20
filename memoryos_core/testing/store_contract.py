"""Contract of every store. Inherit `CoreStoreContract`, or `StoreContract` for all capabilities, and give it fixtures.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def reopen(self, tmp_path):            # opens the same database again, whenever it is called
            return lambda: MyStore(tmp_path / "memory")

        @pytest.fixture
        def store(self, reopen):
            with closing(reopen()) as store:
                yield store

The cases come from one file a subject; add a case there when a bug slips through.
"""

from __future__ import annotations

from memoryos_core.testing.store_capabilities import IndexCases, LeaseCases
from memoryos_core.testing.store_exchange import ExchangeCases, RetentionCases
from memoryos_core.testing.store_feed import FeedCases, PartitionCases
from memoryos_core.testing.store_forgetting import ForgettingCases
from memoryos_core.testing.store_long_term import LongTermCases
from memoryos_core.testing.store_mid_term import MidTermCases
from memoryos_core.testing.store_notes import NoteCases
from memoryos_core.testing.store_pages import ConversationCases, PageCases
from memoryos_core.testing.store_sharing import DurabilityCases, SharingCases

__all__ = [
    "CoreStoreContract",
    "DurabilityCases",
    "ExchangeCases",
    "IndexCases",
    "LeaseCases",
    "NoteCases",
    "RetentionCases",
    "StoreContract",
    "VolatileStoreContract",
]


class CoreStoreContract(
    PageCases, ConversationCases, MidTermCases, LongTermCases, FeedCases, ForgettingCases, PartitionCases, SharingCases
):
    """The promises of `memoryos_core.ports.Store`, the core; needs the `store` fixture alone.

    A store that offers capabilities inherits their cases, too: `NoteCases`, `ExchangeCases`, `LeaseCases`,
    `RetentionCases`, `IndexCases`; one that outlives its handle, `DurabilityCases`.
    """


class VolatileStoreContract(CoreStoreContract, NoteCases, ExchangeCases, LeaseCases, RetentionCases, IndexCases):
    """The core and all capabilities, for a store that ends with its handle."""


class StoreContract(VolatileStoreContract, DurabilityCases):
    """The promises of a store with all capabilities that outlives its handle."""
