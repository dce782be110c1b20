"""One question to the model per file, with prompt and answer type, and the twin that needs no model."""
