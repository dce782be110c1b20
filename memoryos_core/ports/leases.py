"""What a store does so that many processes can work on it, each on scopes of its own, as a protocol."""

from __future__ import annotations

from typing import Protocol

from memoryos_core.values.dialogue import Scope


class Leasing(Protocol):
    """Leases of scopes, with an end by the store's clock, since the clocks of hosts may differ by hours.

    A scope is due when an append, a restore, a forgetting or another embedder left work in it. Moves that name their
    holder (`moves.PageOut` and the like) are refused once the lease is another's.
    """

    def claim(self, holder: str, seconds: float, *, limit: int = 1, wait: bool = False) -> tuple[Scope, ...]:
        """Lease scopes that are due and that nobody holds, the longest due first; two never get the same.

        One that somebody is writing to right now is passed over, or, to `wait`, waited for where there is no other.
        Raises StoreBusyError when that takes too long.
        """
        ...

    def lease(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Take one scope, due or not, or go on with one's own; False while another holds it, or without the scope."""
        ...

    def renew(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Go on with a lease that is one's own still, expired or not; False when it is not."""
        ...

    def release(self, scope: Scope, holder: str, *, again_after: float | None = None) -> None:
        """Let go. The scope is due no more, or after some seconds; at once if work was written since the lease began.

        Nothing happens when the lease is not this holder's.
        """
        ...

    def holder(self, scope: Scope) -> str | None:
        """Return the current holder of the scope; None without one."""
        ...
