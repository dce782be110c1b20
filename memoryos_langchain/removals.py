"""Messages that the host removed from a thread, told by checkpoints from those that middleware trimmed (ADR 0019).

Middleware shortens a thread in any of its hooks, also before ours looks at it and after. What the application removes
comes in by an input or by `update_state`, and LangGraph notes of every checkpoint which of these made it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import dropwhile, pairwise
from typing import Any, cast

from langchain_core.messages import RemoveMessage
from langchain_core.runnables import RunnableConfig

from memoryos_core.hosts.concurrency import Contained

# LangGraph has no public way from a node to the checkpointer; without this key only the order of what is gone counts.
_CHECKPOINTER = "__pregel_checkpointer"
_ALL_MESSAGES = "__remove_all__"
_MOST_CHECKPOINTS = 100
# An input is one step, and LangGraph takes it in by another, before the first node of a run.
_STEPS_OF_AN_INPUT = 3


def step_of(config: RunnableConfig | None) -> int | None:
    """Return the LangGraph step that this config belongs to; None where it has no step."""
    step = (config or {}).get("metadata", {}).get("langgraph_step")
    return step if isinstance(step, int) else None


def removed_by_host(
    before: Sequence[str], now: Collection[str], config: RunnableConfig | None, since: int | None
) -> frozenset[str]:
    """Return the ids that the host removed.

    Where the checkpoints cannot be read, what is gone from the front of the thread was trimmed, the rest removed.

    Args:
        before: the ids of the messages that our last run ended with, oldest first.
        now: the ids that are there as the next run comes to our hook.
        config: that of our hook.
        since: the step at which our last run ended.
    """
    gone = frozenset(before) - set(now)
    if not gone:
        return gone
    with Contained():
        step, history = step_of(config), list(_history(config or {}, since))
        if step is not None and history:
            return gone & _removed_ids(history, now, step)
    return gone & _behind_front(before, now)


def _removed_ids(history: Sequence[Any], now: Collection[str], step: int) -> frozenset[str]:
    """Return the ids that inputs and updates removed; `history` is newest first, and ends with our last run."""
    removed: set[str] = set()
    for child, parent in pairwise(history):
        if child.metadata["source"] in ("update", "fork"):
            removed |= set(_ids(parent)) - set(_ids(child))
    inputs = [entry for entry in history[:-1] if entry.metadata["source"] == "input"]
    for entry in inputs:
        removed |= _taken_out_by(entry)
    newest = history[0]
    missing = step - newest.metadata["step"]
    if inputs or missing < _STEPS_OF_AN_INPUT:
        return frozenset(removed)
    # The checkpoint of this run's input is not written yet. Where no other node ran before ours, all that is gone
    # since the one before it went by the input.
    first = missing == _STEPS_OF_AN_INPUT
    rest = set(_ids(newest)) - set(now) if first else _behind_front(_ids(newest), now)
    return frozenset(removed | rest)


def _history(config: RunnableConfig, since: int | None) -> Iterator[Any]:
    """The thread's checkpoints, newest first, back to the one of our last run; raises where they cannot be read."""
    named = config.get("configurable", {})
    saver = named.get(_CHECKPOINTER)
    if since is None or saver is None:
        return
    # That of a node is its graph's and its own.
    space = str(named.get("checkpoint_ns", "")).rpartition("|")[0]
    thread = {"configurable": {"thread_id": named["thread_id"], "checkpoint_ns": space}}
    # By their parents: a thread that went back to an earlier point has other branches.
    wanted: str | None = None
    for entry in saver.list(thread, limit=_MOST_CHECKPOINTS):
        if wanted in (None, entry.config["configurable"]["checkpoint_id"]):
            yield entry
            if entry.metadata["step"] <= since or entry.parent_config is None:
                return
            wanted = entry.parent_config["configurable"]["checkpoint_id"]
    raise LookupError("the checkpoint history does not reach back to our last run")


def _taken_out_by(entry: Any) -> set[str]:  # noqa: ANN401 - a CheckpointTuple
    """The ids of the messages that an input removes."""
    given = entry.checkpoint["channel_values"].get("__start__")
    messages = cast("Mapping[str, Any]", given).get("messages", ()) if isinstance(given, Mapping) else ()
    several = cast("Sequence[object]", messages if isinstance(messages, list | tuple) else (messages,))
    ids = {str(m.id) for m in several if isinstance(m, RemoveMessage)}
    return ids | set(_ids(entry)) if _ALL_MESSAGES in ids else ids


def _ids(entry: Any) -> list[str]:  # noqa: ANN401 - a CheckpointTuple
    return [m.id for m in entry.checkpoint["channel_values"].get("messages", ()) if m.id]


def _behind_front(before: Sequence[str], now: Collection[str]) -> set[str]:
    """The ids that are gone while an older one stayed."""
    behind = dropwhile(lambda i: i not in now, before)
    return {i for i in behind if i not in now}
