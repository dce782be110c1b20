"""The widget of a memory for notebooks (extra `notebooks`). Nothing here is loaded before `UserMemory.inspect`."""
