"""The memory end to end, offline: write, kill, reopen, finish, look inside, ask. Run `python -m demo`."""
