"""The inspector's answers as JSON, for programs: the token, actor and limits of the page, with an OpenAPI document.

A table of operations is both what is served and what the document says.
"""
