"""The upkeep of a store: `worker`, `retain`, `check`, `salvage`, `rekey`, `partition`, `distribute`."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import signal
import sys
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memoryos_core.api.memory import MemoryOS
from memoryos_core.config import MemoryConfig, RetentionPolicy
from memoryos_core.errors import ConfigError, InvalidInputError
from memoryos_core.ops.cli.opening import (
    Subparsers,
    add_json,
    command,
    existing,
    key_of,
    open_memory,
    subcommand,
    url_of,
)
from memoryos_core.ops.cli.output import finding_line, finding_record, tell, write_json, write_lines
from memoryos_core.ports.forks import Event
from memoryos_core.stores import address_of, open_store
from memoryos_core.stores.sql.opening import create_partitioned, distribute
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import Keys, key_from_text
from memoryos_core.values.reports import RetentionEntry, RetentionReport

_WORKER_SAID = "consolidate what is due in a store; run any number of them, on any hosts"


def register_worker(subparsers: Subparsers) -> None:
    """Register the subcommand."""
    parser = command(subparsers, "worker", _WORKER_SAID, run_worker, "memoryos worker sqlite:///memory.db --once")
    add_json(parser)
    parser.add_argument("--threads", type=int, help="users in parallel (default: as configured, else 2)")
    parser.add_argument("--llm", help="the model that consolidates, such as openai:gpt-4o-mini (default: none)")
    parser.add_argument("--embedder", default="auto", help="the embedder of the store; 'none' for words only")
    parser.add_argument(
        "--config", metavar="MODULE:NAME", help="the application's MemoryConfig to import, as MODULE:NAME"
    )
    parser.add_argument("--once", action="store_true", help="stop when nothing is due")
    parser.add_argument("--create", action="store_true", help="create the memory when it is missing")
    parser.add_argument("--poll", type=float, default=1.0, metavar="SECONDS", help="seconds between checks when idle")


def run_worker(arguments: argparse.Namespace) -> int:
    """Work until SIGTERM or SIGINT, which let the current move finish, or with `--once` until nothing is due."""
    config, key = _load_config(arguments.config), key_of(arguments)
    with (
        MemoryOS(
            _url_of(arguments, key),
            key=key,
            embedder=None if arguments.embedder == "none" else arguments.embedder,
            llm=arguments.llm,
            # The worker claims scopes itself; background threads of the memory would have nothing to do.
            config=replace(config, worker=replace(config.worker, mode="manual")),
        ) as memory,
        _told_to_stop() as stop,
    ):
        report = memory.run_worker(
            threads=arguments.threads, once=arguments.once, poll_seconds=arguments.poll, stop=stop
        )
    if arguments.json:
        write_json([report])
    else:
        write_lines([f"{report.pages_moved} pages moved, {report.facts_learned} facts learnt"])
    return 0


def _url_of(arguments: argparse.Namespace, key: Keys | None) -> str:
    """Return the URL of a memory that exists or may be created (always in RAM). Raises InvalidInputError."""
    url = url_of(arguments)
    return url if arguments.create or address_of(url) is None else existing(arguments, key)


@contextmanager
def _told_to_stop() -> Generator[threading.Event, None, None]:
    """Return an event that SIGTERM or SIGINT sets."""
    stop = Event()

    def tell(_number: int, _frame: object) -> None:
        stop.set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _load_config(name: str | None) -> MemoryConfig:
    if name is None:
        return MemoryConfig()
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError, TypeError, SyntaxError) as error:
        raise InvalidInputError(
            f"--config {name!r} cannot be imported ({type(error).__name__}); give MODULE:NAME"
        ) from None
    if not isinstance(found, MemoryConfig):
        raise InvalidInputError(f"--config {name!r} must name a MemoryConfig, not a {type(found).__name__}")
    return found


_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_SEVERAL = {"tiers", "trust"}
_POLICY_HELP = (
    "such as name=old,older_than=365d,tiers=archive,action=purge; conditions are older_than (h, d, w), tiers and trust "
    "(several with +), keep_newest; kind is pages or facts, action archive or purge; may be given again"
)


def register_retain(subparsers: Subparsers) -> None:
    """`memoryos retain URL --policy POLICY [--policy POLICY …] [--user USER] [--dry-run] [--json]`."""
    example = "memoryos retain sqlite:///memory.db --policy older_than=365d,action=purge --dry-run"
    parser = command(subparsers, "retain", "archive or purge what retention policies do not keep", run_retain, example)
    add_policies(parser, required=True)
    parser.add_argument("--user", help="only this user's memory, with every assistant")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be archived or purged")
    parser.add_argument("--json", action="store_true", help="one JSON line per entry, with the ids")


def add_policies(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """The option `--policy`, for whichever command applies policies."""
    parser.add_argument("--policy", action="append", default=[], required=required, help=_POLICY_HELP)


def policies_of(arguments: argparse.Namespace) -> tuple[RetentionPolicy, ...]:
    """The policies that were given. Raises ConfigError."""
    return tuple(map(policy, arguments.policy))


def policy(written: str) -> RetentionPolicy:
    """A policy as `--policy` takes it. Raises ConfigError."""
    given: dict[str, Any] = {}
    for part in written.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name in given or name not in RetentionPolicy.__dataclass_fields__:
            raise ConfigError(f"{part!r} is not allowed in a policy: write it {_POLICY_HELP}")
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


def run_retain(arguments: argparse.Namespace) -> int:
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


_CHECK = "memoryos check sqlite:///memory.db --deep"


def register_check(subparsers: Subparsers) -> None:
    """`memoryos check URL [--deep] [--json]`."""
    said = "look for broken rows and damage; exit status 1 when there are any"
    parser = command(subparsers, "check", said, run_check, _CHECK)
    parser.add_argument("--deep", action="store_true", help="read and decode every row, and every page of the file")
    parser.add_argument("--json", action="store_true", help="one JSON line for each finding")


def run_check(arguments: argparse.Namespace) -> int:
    """Check the store, and tell what breaks a law: its ids, never its text."""
    with open_memory(arguments) as memory:
        report = memory.check(deep=arguments.deep, progress=sys.stderr.isatty())
    if arguments.json:
        write_json(map(finding_record, report.findings))
    elif report.ok:
        users = "1 user break" if report.scopes == 1 else f"{report.scopes} users break"
        write_lines([f"ok: the memories of {users} no law"])
    else:
        write_lines(map(finding_line, report.findings))
    return 0 if report.ok else 1


_SALVAGE = "memoryos salvage sqlite:///damaged.db saved.db"


def register_salvage(subparsers: Subparsers) -> None:
    """`memoryos salvage URL NEW [--user USER …] [--json]`."""
    said = "take all rows that can be read out of a damaged file; exit status 1 when some could not"
    parser = command(subparsers, "salvage", said, run_salvage, _SALVAGE)
    parser.add_argument("new", metavar="NEW", help="the file of the new memory; nothing may be there yet")
    parser.add_argument("--user", action="append", default=[], help="a user whose own row may be lost; may be repeated")
    parser.add_argument("--assistant", default="assistant", help="their assistant (default: assistant)")
    parser.add_argument("--json", action="store_true", help="one JSON line for what was saved, and for each loss")


def run_salvage(arguments: argparse.Namespace) -> int:
    """Write the new file, and tell what is in it and what is not: ids, never text."""
    users = [Scope(user, arguments.assistant) for user in arguments.user]
    report = MemoryOS.salvage(
        url_of(arguments), arguments.new, key=key_of(arguments), users=users, progress=sys.stderr.isatty()
    )
    if arguments.json:
        write_json([{"saved": dict(report.rows)}, *map(finding_record, report.lost)])
    else:
        saved = ", ".join(f"{count} {kind}" for kind, count in report.rows.items()) or "nothing"
        write_lines([f"saved in {arguments.new}: {saved}", *map(finding_line, report.lost)])
    return 0 if report.ok else 1


_REKEY = "MEMORYOS_KEY=old MEMORYOS_NEW_KEY=new memoryos rekey sqlite:///memory.db"


def register_rekey(subparsers: Subparsers) -> None:
    """`MEMORYOS_KEY=old MEMORYOS_NEW_KEY=new memoryos rekey URL`."""
    parser = command(subparsers, "rekey", "give an encrypted memory another key", run_rekey, _REKEY)
    add_json(parser)
    parser.add_argument("--new-key", help="the new key; prefer MEMORYOS_NEW_KEY, which process lists do not show")


def run_rekey(arguments: argparse.Namespace) -> int:
    """Change the key; processes that hold both keys may use the memory meanwhile."""
    old, written = key_of(arguments), arguments.new_key or os.environ.get("MEMORYOS_NEW_KEY")
    if old is None or not written:
        raise InvalidInputError("a key is missing: set MEMORYOS_KEY to the present and MEMORYOS_NEW_KEY to the new key")
    new = key_from_text(written)
    # With both keys: after an interruption the new key or the old one opens it.
    either = Keys(*old.values(), new)
    with closing(open_store(existing(arguments, either), key=either)) as store:
        store.rekey(new)
    if arguments.json:
        write_json([{"rekeyed": True}])
    else:
        tell("everything is encrypted with the new key now")
    return 0


def register_partition(subparsers: Subparsers) -> None:
    """`memoryos partition URL [--partitions 16]`."""
    said = "create the tables of an empty PostgreSQL database in partitions by user"
    example = "memoryos partition postgresql://app@host/memory --partitions 16"
    parser = subcommand(subparsers, "partition", said, run_partition, example)
    parser.add_argument("url", nargs="?", metavar="URL", help="the database, as a SQLAlchemy URL; else MEMORYOS_URL")
    add_json(parser)
    parser.add_argument("--partitions", type=int, default=16, metavar="N", help="number of partitions per table (16)")
    over = "distribute the tables of a PostgreSQL database by user over the nodes of a Citus cluster"
    add_json(command(subparsers, "distribute", over, spread, "memoryos distribute postgresql://app@host/memory"))


def run_partition(arguments: argparse.Namespace) -> int:
    """Create the tables; afterwards the database is opened as any other."""
    create_partitioned(url_of(arguments), arguments.partitions)
    if arguments.json:
        write_json([{"partitions": arguments.partitions}])
    else:
        write_lines([f"every table of users' memories is in {arguments.partitions} partitions"])
    return 0


def spread(arguments: argparse.Namespace) -> int:
    """Distribute the tables, with what they hold; afterwards the database is opened as any other."""
    count = distribute(url_of(arguments), key_of(arguments))
    if arguments.json:
        write_json([{"tables": count}])
    else:
        done = f"{count} tables were distributed over the nodes" if count else "all tables are distributed already"
        write_lines([done])
    return 0
