"""Notes: values that an application keeps under its own names (ADR 0007)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Note:
    """A value under a name. `text` is searched for it; `vector` is present only on request.

    A note with a `fact_id` belongs to that fact and is erased with it.
    """

    namespace: tuple[str, ...]
    key: str
    value: str
    text: str
    created_at: datetime
    updated_at: datetime
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    fact_id: str | None = None


@dataclass(frozen=True, slots=True)
class NoteWrite:
    """New content of a note; a `value` of None deletes the note. The store never reads into the value.

    A note with a `fact_id` belongs to that fact: it is erased with it, and not stored when the fact is gone.
    """

    namespace: tuple[str, ...]
    key: str
    value: str | None
    text: str = ""
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    fact_id: str | None = None
