"""`python -m memoryos_core.ops.cli` is the command `memoryos`."""

from __future__ import annotations

import sys

from memoryos_core.ops.cli import main

sys.exit(main())
