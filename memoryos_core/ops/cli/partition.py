"""`memoryos partition`: creates tables split by user in an empty PostgreSQL database."""

from __future__ import annotations

import argparse
import sys

from memoryos_core.ops.cli.opening import Subparsers, subcommand, url_of
from memoryos_core.stores.sql.opening import create_partitioned


def add(subparsers: Subparsers) -> None:
    """`memoryos partition URL [--partitions 16]`."""
    said = "create the tables of an empty PostgreSQL database in partitions by user"
    example = "memoryos partition postgresql://app@host/memory --partitions 16"
    parser = subcommand(subparsers, "partition", said, run, example)
    parser.add_argument("url", nargs="?", metavar="URL", help="the database, as a SQLAlchemy URL; else MEMORYOS_URL")
    parser.add_argument("--partitions", type=int, default=16, metavar="N", help="number of partitions per table (16)")


def run(arguments: argparse.Namespace) -> int:
    """Create the tables; afterwards the database is opened as any other."""
    create_partitioned(url_of(arguments), arguments.partitions)
    sys.stdout.write(f"every table of users' memories is in {arguments.partitions} partitions\n")
    return 0
