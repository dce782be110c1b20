"""Protocol of leases: many processes can share a store, each working on its own scopes."""

from __future__ import annotations

from typing import Protocol

from memoryos_core.values.dialogue import Scope


class Leasing(Protocol):
    """Leases of scopes, with an end by the store's clock, since the clocks of hosts may differ by hours.

    A scope is due when an append, a restore, a forgetting or another embedder left work in it. Commands that name their
    holder (such as `commands.PageOut`) are refused once another process holds the lease.
    """

    def claim(self, holder: str, seconds: float, *, limit: int = 1, wait: bool = False) -> tuple[Scope, ...]:
        """Lease scopes that are due and that nobody holds, the longest due first; two never get the same.

        A scope that another process is writing to is skipped; with `wait`, it is waited for when no other is due.
        Raises StoreBusyError when that takes too long.
        """
        ...

    def lease(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Take or extend the lease of one scope, due or not; False while another holds it, or without the scope."""
        ...

    def renew(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Extend the holder's lease, expired or not; False when another process has taken it."""
        ...

    def release(self, scope: Scope, holder: str, *, again_after: float | None = None) -> None:
        """End the lease. The scope is due no more, or after some seconds; at once if work was written meanwhile.

        Does nothing when another process holds the lease.
        """
        ...

    def holder(self, scope: Scope) -> str | None:
        """Return the current holder of the scope; None without one."""
        ...
