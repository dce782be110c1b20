"""Ways to name another user than oneself: by mistake, by accident of an alphabet, and on purpose."""

from __future__ import annotations

import unicodedata

from memoryos_core.values.dialogue import Scope

VICTIM = Scope("Zoë_42%", "tutor")
VICTIMS_SESSION = "monday's"


def names() -> dict[str, tuple[str, str, str]]:
    """Ways to name another user: (user id, assistant id, session id), none of which is the victim's scope."""
    user, assistant, key = VICTIM.user_id, VICTIM.assistant_id, VICTIM.key
    users = {
        "another user": "ada",
        "a prefix": user[:3],
        "longer": user + "x",
        "upper case": user.upper(),
        "lower case": user.lower(),
        "swapped case": user.swapcase(),
        "decomposed (NFD)": unicodedata.normalize("NFD", user),
        "compatible (NFKC)": user.translate({ord("4"): "４"}),
        "a look-alike": user.replace("o", "о"),
        "without the accent": user.replace("ë", "e"),
        "a space behind": user + " ",
        "a space before": " " + user,
        "a tab behind": user + "\t",
        "a line end behind": user + "\n",
        "a zero-width space": user + "\u200b",
        "a soft hyphen": "Z\u00ad" + user[1:],
        "a byte order mark": "\ufeff" + user,
        "right to left": "\u202e" + user,
        "NUL behind": user + "\x00",
        "a lone surrogate": user + "\ud800",
        "the store's escape mark": user + "\x1a",
        "an escaped NUL": user + "\x1a0000",
        "a wildcard for one": "Zoë_42_",
        "a wildcard for all": "%",
        "a wildcard prefix": "Zo%",
        "a glob": "Z*",
        "a pattern": ".*",
        "always true": "' OR '1'='1",
        "a comment": user + "' --",
        "two statements": user + "'; SELECT * FROM memoryos_pages; --",
        "a bound name": ":scope",
        "a format": "{scope}%(scope)s%s",
        "her scope's key": key,
        "the key in quotes": f'"{key}"',
        "the pair as JSON": f'["{user}", "{assistant}"]',
        "the pair with a slash": f"{user}/{assistant}",
        "the pair with a colon": f"{user}:{assistant}",
        "a path": f"../{user}",
        "a path to itself": f"./{user}",
        "a percent escape": "Zo%C3%AB_42%25",
        "an HTML escape": "Zo&euml;_42%",
        "a backslash escape": "Zo\\u00eb_42%",
        "bytes read wrong": user.encode().decode("latin-1"),
        "her session": VICTIMS_SESSION,
        "null": "null",
        "none": "None",
        "true": "1",
    }
    found = {what: (name, assistant, VICTIMS_SESSION) for what, name in users.items()}
    return {
        **found,
        "another assistant": (user, "coach", VICTIMS_SESSION),
        "an assistant in other case": (user, assistant.upper(), VICTIMS_SESSION),
        "an assistant with a space": (user, assistant + " ", VICTIMS_SESSION),
        "an assistant as a wildcard": (user, "%", VICTIMS_SESSION),
        "the two swapped": (assistant, user, VICTIMS_SESSION),
        "the border moved right": (user + assistant[0], assistant[1:], VICTIMS_SESSION),
        "the border moved left": (user[:-1], user[-1] + assistant, VICTIMS_SESSION),
        "the border in quotes": (f'{user}", "{assistant}', assistant, VICTIMS_SESSION),
        "her key as a session": ("ada", assistant, key),
        "a session as a wildcard": ("ada", assistant, "%"),
    }
