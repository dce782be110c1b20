"""The profile as a document: Markdown with a footnote for each source."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryos_core.ops.plain_values import printable
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact, Profile

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~&:-])")


def person_markdown(scope: Scope, profile: Profile, facts: Sequence[Fact]) -> str:
    """Return what is known about a user as Markdown. Remembered text cannot be markup in it."""
    notes: list[str] = []

    def note(page_ids: Sequence[str]) -> str:
        if not page_ids:
            return ""
        notes.append(f"[^{len(notes) + 1}]: pages {', '.join(map(_plain, page_ids))}")
        return f"[^{len(notes)}]"

    lines = [f"# {_plain(scope.user_id)}", ""]
    lines += [f"- **{_plain(f.name)}**: {_plain(f.value)}{note(f.page_ids)}" for f in profile.fields]
    if profile.traits:
        lines += ["", "## Traits", ""]
    for trait in profile.traits:
        why = f" ({_plain(trait.reason)})" if trait.reason else ""
        lines.append(f"- {_plain(trait.dimension)}: {trait.level}{why}{note(trait.page_ids)}")
    for about, title in (("user", "Facts"), ("assistant", "Of the assistant")):
        told = [fact for fact in facts if fact.about == about]
        lines += ["", f"## {title}", ""] if told else []
        lines += [f"- {_plain(f.text)} (since {f.valid_from:%Y-%m-%d}){note(f.page_ids)}" for f in told]
    return "\n".join([*lines, *([""] if notes else []), *notes, ""])


def _plain(text: str) -> str:
    """Return a text as one line without markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(printable(text).split()))
