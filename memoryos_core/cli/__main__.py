"""`python -m memoryos_core.cli` is the command `memoryos`."""

from __future__ import annotations

import sys

from memoryos_core.cli import main

sys.exit(main())
