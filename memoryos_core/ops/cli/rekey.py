"""`memoryos rekey`: gives an encrypted memory another key; begun again, it finishes what was not."""

from __future__ import annotations

import argparse
import os
from contextlib import closing

from memoryos_core.errors import InvalidInputError
from memoryos_core.ops.cli.opening import Subparsers, command, existing, key_of
from memoryos_core.stores import open_store
from memoryos_core.values.encryption_keys import Keys, key_from_text


def add(subparsers: Subparsers) -> None:
    """`MEMORYOS_KEY=old MEMORYOS_NEW_KEY=new memoryos rekey URL`."""
    parser = command(subparsers, "rekey", "give an encrypted memory another key", run)
    parser.add_argument("--new-key", help="the key from now on; better MEMORYOS_NEW_KEY, which no list shows")


def run(arguments: argparse.Namespace) -> int:
    """Change the key; the memory may be in use by whoever holds both."""
    old, written = key_of(arguments), arguments.new_key or os.environ.get("MEMORYOS_NEW_KEY")
    if old is None or not written:
        raise InvalidInputError("a key is missing: set MEMORYOS_KEY to the present and MEMORYOS_NEW_KEY to the new key")
    new = key_from_text(written)
    # With both: one that was stopped in the middle is opened by the new key, or by the old one.
    either = Keys(*old.values(), new)
    with closing(open_store(existing(arguments, either), key=either)) as store:
        store.rekey(new)
    return 0
