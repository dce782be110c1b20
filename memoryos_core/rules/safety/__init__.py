"""Rules of safety: poison, secrets, trust and access."""
