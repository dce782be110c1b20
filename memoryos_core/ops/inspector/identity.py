"""The memory that a page shows, and who looks at it."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from memoryos_core.api.memory import MemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError, NotFoundError

OUTSIDE = "memoryos inspect"
"""A session of our own: what another session ended is recalled here, and would not be in that session itself."""


@dataclass(frozen=True, slots=True)
class Identity:
    """One opened memory, the actor who looks at it, and the secret of this server.

    With a `user` only this user's memory is shown; an actor needs one, since roles are granted in a user's memory.
    """

    memory: MemoryOS
    token: str
    user: str | None = None
    assistant: str = "assistant"
    actor: str | None = None
    edit: bool = False

    def __post_init__(self) -> None:
        if self.actor is not None and self.user is None:
            raise InvalidInputError("an actor has roles in the memory of one user: name it with --user")

    def open_user(self, user: str | None, assistant: str | None, session: str = OUTSIDE) -> UserMemory:
        """Return the handle of a user. Raises NotFoundError for another one than this page may show."""
        chosen, with_assistant = user or self.user, assistant or self.assistant
        if chosen is None:
            raise NotFoundError("no user was chosen: begin at the list of users")
        if self.user is not None and (chosen, with_assistant) != (self.user, self.assistant):
            raise NotFoundError("this page shows the memory of one user only")
        return self.memory.user(chosen, assistant_id=with_assistant, session_id=session, actor=self.actor)

    def derive(self, purpose: str) -> str:
        """Return a secret of this server for one purpose, such as the cookie."""
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()
