"""An MCP server (extra `mcp`): one user's memory for every tool that speaks the Model Context Protocol.

The user and the actor come from whoever starts the server, or from a token; never from the model.
"""
