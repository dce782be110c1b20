"""`memoryos partition` and `memoryos distribute`: tables of a PostgreSQL database, split by user."""

from __future__ import annotations

import argparse

from memoryos_core.ops.cli.opening import Subparsers, add_json, command, key_of, subcommand, url_of
from memoryos_core.ops.cli.output import write_json, write_lines
from memoryos_core.stores.sql.opening import create_partitioned, distribute


def add(subparsers: Subparsers) -> None:
    """`memoryos partition URL [--partitions 16]`."""
    said = "create the tables of an empty PostgreSQL database in partitions by user"
    example = "memoryos partition postgresql://app@host/memory --partitions 16"
    parser = subcommand(subparsers, "partition", said, run, example)
    parser.add_argument("url", nargs="?", metavar="URL", help="the database, as a SQLAlchemy URL; else MEMORYOS_URL")
    add_json(parser)
    parser.add_argument("--partitions", type=int, default=16, metavar="N", help="number of partitions per table (16)")
    over = "distribute the tables of a PostgreSQL database by user over the nodes of a Citus cluster"
    add_json(command(subparsers, "distribute", over, spread, "memoryos distribute postgresql://app@host/memory"))


def run(arguments: argparse.Namespace) -> int:
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
