"""What every test gets. Sockets are closed by options in pyproject.toml: Unix and this machine only."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Two busy cores make wall-clock deadlines a source of noise; pytest-timeout catches what really hangs.
settings.register_profile("memoryos", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memoryos")
