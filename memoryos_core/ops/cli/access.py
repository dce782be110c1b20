"""`memoryos grant`, `revoke`, `grants` and `team`: who may do what here. `memoryos audit`: the log of what was done."""

from __future__ import annotations

import argparse
import json
import os
import sys

from memoryos_core.api.audit_heads import AuditKey, ShippedHeads, Sink
from memoryos_core.api.memory import MemoryOS
from memoryos_core.api.user import UserMemory
from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, add_json, command, open_memory, user_command, user_of
from memoryos_core.ops.cli.output import read_moment, recall_lines, show_items, tell, write_json
from memoryos_core.rules.safety.access import ROLES
from memoryos_core.values.audit import AuditEntry, AuditReport, AuditSummary, Grant
from memoryos_core.values.encryption_keys import key_from_text

_ENTRIES_A_READ = 500


def register_access(subparsers: Subparsers) -> None:
    """Add `grant`, `revoke`, `grants` and `team`, and `audit` with verify, ship, show and recalls."""
    _add_grants(subparsers)
    said = "check or show the audit log"
    actions = subparsers.add_parser("audit", help=said, description=said).add_subparsers(
        required=True, metavar="ACTION"
    )
    intact = "check that no entry was changed or deleted; exit status 1 when one was"
    check = command(actions, "verify", intact, verify, "memoryos audit verify sqlite:///memory.db")
    check.add_argument("--head", help="a digest saved earlier, which must still be in the chain; needs --user")
    check.add_argument("--heads", metavar="FILE", help="heads that were shipped, which must still be there")
    check.add_argument("--public", help="the public key of their signatures; with --heads")
    sent = "send the signed heads of all logs to a sink; MEMORYOS_AUDIT_KEY is 'hex:' and the 64 digits of the key"
    shipped = command(actions, "ship", sent, ship, "memoryos audit ship sqlite:///memory.db /mnt/worm/heads.jsonl")
    shipped.add_argument("sink", metavar="SINK", help="a file, syslog, syslog://host:port, or - for standard output")
    add_json(shipped)
    each = "show what was done, oldest first, one JSON object per line"
    shown = command(
        actions, "show", each, show, "memoryos audit show sqlite:///memory.db --user ann --since 2026-05-01"
    )
    shown.add_argument(
        "--since", type=read_moment, help="only entries since this time, ISO 8601, UTC without an offset"
    )
    each = "show the logged recalls, the newest first: when, by whom, and the ids of what came; no question is stored"
    recalled = command(actions, "recalls", each, recalls, "memoryos audit recalls sqlite:///memory.db --user ann")
    recalled.add_argument("--id", help="only recalls that brought this page or fact")
    recalled.add_argument("--limit", type=int, default=100, metavar="N", help="at most so many (100)")
    for parser in (check, shown, recalled):
        parser.add_argument("--user", required=parser is not check, help="only this user's log")
        parser.add_argument("--assistant", default="assistant", help="with this assistant; only with --user")
        add_json(parser)


def _add_grants(subparsers: Subparsers) -> None:
    said = "let an actor or a team use one user's memory, at once and in all processes"
    example = "memoryos grant sqlite:///memory.db --user ann --to coach --role reader --until 2026-06-01"
    granted = user_command(subparsers, "grant", said, grant, example)
    granted.add_argument("--to", required=True, metavar="NAME", help="the actor, or team:NAME")
    granted.add_argument("--role", required=True, choices=ROLES, help="in place of the role that it has")
    said = "take the role of an actor or a team away, at once and in all processes; exit status 1 when it had none"
    revoked = user_command(
        subparsers, "revoke", said, revoke, "memoryos revoke sqlite:///memory.db --user ann --from coach"
    )
    revoked.add_argument("--from", dest="name", required=True, metavar="NAME", help="the actor, or team:NAME")
    said = "show which actors and teams have a role in one user's memory"
    user_command(subparsers, "grants", said, grants, "memoryos grants sqlite:///memory.db --user ann")
    said = "show the members of a team, after adding or removing one; a memory is granted to it as team:NAME"
    teamed = command(subparsers, "team", said, team, "memoryos team sqlite:///memory.db physio --add bot-7")
    teamed.add_argument("name", metavar="NAME", help="the name of the team")
    change = teamed.add_mutually_exclusive_group()
    change.add_argument("--add", metavar="ACTOR", help="make an actor a member")
    change.add_argument("--remove", metavar="ACTOR", help="end a membership; exit status 1 when there was none")
    add_json(teamed)
    for parser in (granted, teamed):
        parser.add_argument("--until", type=read_moment, help="its end, ISO 8601, UTC without an offset")


def grant(arguments: argparse.Namespace) -> int:
    """Give a role, and show every grant there."""
    with open_memory(arguments) as memory:
        governance = user_of(memory, arguments).governance
        governance.grant(arguments.to, arguments.role, until=arguments.until)
        return _show_grants(governance.grants(), arguments)


def revoke(arguments: argparse.Namespace) -> int:
    """Take a role away; return 1 when there was none."""
    with open_memory(arguments) as memory:
        had = user_of(memory, arguments).governance.revoke(arguments.name)
    if arguments.json:
        write_json([{"revoked": had}])
    else:
        tell(f"{arguments.name} {'has no role any more' if had else 'had no role'}")
    return 0 if had else 1


def grants(arguments: argparse.Namespace) -> int:
    """Show every grant; return 1 when there is none."""
    with open_memory(arguments) as memory:
        return _show_grants(user_of(memory, arguments).governance.grants(), arguments)


def team(arguments: argparse.Namespace) -> int:
    """Change a team and show its members; return 1 when there is none, or there was none to remove."""
    if arguments.until is not None and arguments.add is None:
        raise InvalidInputError("--until is the end of a membership: name the actor with --add")
    with open_memory(arguments) as memory:
        found, had = memory.team(arguments.name), True
        if arguments.add is not None:
            found.add(arguments.add, until=arguments.until)
        if arguments.remove is not None:
            had = found.remove(arguments.remove)
        members = found.members()
    none = show_items(members, _grant_lines, "the team has no members", as_json=arguments.json)
    return (0 if had else 1) if arguments.remove is not None else none


def _show_grants(found: list[Grant], arguments: argparse.Namespace) -> int:
    none = "nobody but the application has a role here"
    return show_items(found, _grant_lines, none, as_json=arguments.json)


def _grant_lines(one: Grant) -> list[str]:
    until = f" until {one.until.isoformat()}" if one.until else ""
    return [f"{one.actor}  {one.role}  since {one.granted_at.isoformat()}{until}"]


def verify(arguments: argparse.Namespace) -> int:
    """Check one chain, or all; return 0 when they are intact, and 1 also for a user without entries."""
    if arguments.head is not None and arguments.user is None:
        raise InvalidInputError("--head is a digest of one user's log: name the user with --user")
    if (arguments.heads is None) != (arguments.public is None):
        raise InvalidInputError(
            "--heads and --public belong together: the file of heads and the key they are signed by"
        )
    shipped = None if arguments.heads is None else ShippedHeads.read(arguments.heads, arguments.public)
    with open_memory(arguments) as memory:
        if arguments.user is not None:
            governance = _user(memory, arguments).governance
            found: AuditReport | AuditSummary = governance.verify(head=arguments.head, shipped=shipped)
        else:
            found = memory.verify_audit(shipped=shipped, progress=sys.stderr.isatty())
    return _print_report(found, as_json=arguments.json)


def ship(arguments: argparse.Namespace) -> int:
    """Ship the heads, and tell the public key that checks them."""
    written = os.environ.get("MEMORYOS_AUDIT_KEY", "")
    given = key_from_text(written) if written.startswith("hex:") else b""
    key = AuditKey(given if isinstance(given, bytes) else b"")
    sink: Sink = _write if arguments.sink == "-" else str(arguments.sink)
    with open_memory(arguments) as memory:
        sent = memory.ship_audit(sink, key=key)
    if arguments.json:
        write_json([{"heads": sent, "public": key.public}])
    else:
        tell(f"shipped {sent} heads; check them with the public key {key.public}")
    return 0


def recalls(arguments: argparse.Namespace) -> int:
    """Show the log of recalls; return 1 when it is empty."""
    with open_memory(arguments) as memory:
        found = _user(memory, arguments).governance.recalls(of=arguments.id, limit=arguments.limit)
    none = "no recall is logged; recalls are logged with MemoryConfig(recall_log=True), or --log-recalls"
    return show_items(found, recall_lines, none, as_json=arguments.json)


def show(arguments: argparse.Namespace) -> int:
    """Write the entries of one chain."""
    with open_memory(arguments) as memory:
        governance, after = _user(memory, arguments).governance, 0
        while entries := governance.audit(since=arguments.since, after=after, limit=_ENTRIES_A_READ):
            for entry in entries:
                sys.stdout.write(_line(entry) + "\n")
            after = entries[-1].seq
    return 0


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")


def _user(memory: MemoryOS, arguments: argparse.Namespace) -> UserMemory:
    return memory.user(arguments.user, assistant_id=arguments.assistant)


def _print_report(found: AuditReport | AuditSummary, *, as_json: bool) -> int:
    if isinstance(found, AuditSummary):
        total, broken = f"{found.entries} entries in {found.chains} chains", found.broken
    else:
        total, broken = f"{found.entries} entries, head {found.head}", () if found.ok else (found,)
    # "ok" would be wrong for a misspelt name or a chain that was deleted completely.
    none = isinstance(found, AuditReport) and found.ok and not found.entries
    if as_json:
        write_json([{"ok": not broken and not none, "report": found}])
        return 1 if broken or none else 0
    for report in broken:
        sys.stdout.write(f"broken: scope {report.scope}: {report.why}\n")
    sys.stdout.write("none: no entry of this user\n" if none else f"{'broken' if broken else 'ok'}: {total}\n")
    return 1 if broken or none else 0


def _line(entry: AuditEntry) -> str:
    said = {"seq": entry.seq, "at": entry.at.isoformat(), "actor": entry.actor, "action": entry.action}
    return json.dumps({**said, "detail": dict(entry.detail), "digest": entry.digest})
