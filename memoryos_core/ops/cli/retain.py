"""`memoryos retain`: retention policies over a whole store, or over one user; and how a policy is written there."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from datetime import timedelta
from typing import Any

from memoryos_core.api.memory import MemoryOS
from memoryos_core.config import RetentionPolicy
from memoryos_core.errors import ConfigError
from memoryos_core.ops.cli.opening import Subparsers, command, open_memory
from memoryos_core.values.reports import RetentionEntry, RetentionReport

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_SEVERAL = {"tiers", "trust"}
_HELP = (
    "such as name=old,older_than=365d,tiers=archive,action=purge; conditions are older_than (h, d, w), tiers and trust "
    "(several with +), keep_newest; kind is pages or facts, action archive or purge; may be given again"
)


def add(subparsers: Subparsers) -> None:
    """`memoryos retain URL --policy POLICY [--policy POLICY …] [--user USER] [--dry-run] [--json]`."""
    example = "memoryos retain sqlite:///memory.db --policy older_than=365d,action=purge --dry-run"
    parser = command(subparsers, "retain", "archive or purge what retention policies do not keep", run, example)
    add_policies(parser, required=True)
    parser.add_argument("--user", help="only this user's memory, with every assistant")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be archived or purged")
    parser.add_argument("--json", action="store_true", help="one JSON line per entry, with the ids")


def add_policies(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """The option `--policy`, for whichever command applies policies."""
    parser.add_argument("--policy", action="append", default=[], required=required, help=_HELP)


def policies_of(arguments: argparse.Namespace) -> tuple[RetentionPolicy, ...]:
    """The policies that were given. Raises ConfigError."""
    return tuple(map(policy, arguments.policy))


def policy(written: str) -> RetentionPolicy:
    """A policy as `--policy` takes it. Raises ConfigError."""
    given: dict[str, Any] = {}
    for part in written.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name in given or name not in RetentionPolicy.__dataclass_fields__:
            raise ConfigError(f"{part!r} is not allowed in a policy: write it {_HELP}")
        given[name] = _value(name, value)
    given.setdefault("name", written)
    return RetentionPolicy(**given)


def _value(name: str, value: str) -> object:
    if name == "older_than":
        found = re.fullmatch(r"(\d{1,6})([hdw])", value)
        if found is None:
            raise ConfigError(f"older_than={value!r} is not allowed: it must be a number with h, d or w, such as 90d")
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
    if name == "keep_newest":
        return int(value) if value.isdecimal() else value
    return tuple(value.split("+")) if name in _SEVERAL else value


def run(arguments: argparse.Namespace) -> int:
    """Apply the policies and print the items taken, or to be taken."""
    policies = policies_of(arguments)
    with open_memory(arguments) as memory:
        report = _apply_policies(memory, arguments, policies)
    if arguments.json:
        sys.stdout.writelines(json.dumps(_entry_to_json(entry)) + "\n" for entry in report.entries)
        return 0
    counts = Counter[tuple[str, ...]]()
    for entry in report.entries:
        counts[entry.policy, entry.action, entry.place, entry.kind] += len(entry.ids)
    would = "would " if arguments.dry_run else ""
    sys.stdout.writelines(
        f"{name}: {would}{action} {count} {kind} ({place})\n" for (name, action, place, kind), count in counts.items()
    )
    if not counts:
        sys.stdout.write("nothing to archive or to purge\n")
    return 0


def _apply_policies(
    memory: MemoryOS, arguments: argparse.Namespace, policies: tuple[RetentionPolicy, ...]
) -> RetentionReport:
    if arguments.user is None:
        return memory.retain(policies, dry_run=arguments.dry_run, progress=sys.stderr.isatty())
    report = RetentionReport(dry_run=arguments.dry_run)
    for scope in memory.scopes():
        if scope.user_id == arguments.user:
            user = memory.user(scope.user_id, assistant_id=scope.assistant_id)
            report += user.governance.retain(policies, dry_run=arguments.dry_run)
    return report


def _entry_to_json(entry: RetentionEntry) -> dict[str, object]:
    return {
        "user_id": entry.scope.user_id,
        "assistant_id": entry.scope.assistant_id,
        "policy": entry.policy,
        "kind": entry.kind,
        "action": entry.action,
        "place": entry.place,
        "count": len(entry.ids),
        "ids": list(entry.ids),
    }
