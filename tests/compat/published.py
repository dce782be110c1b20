"""A small data directory in the published shape, written by hand: invented people, 384 zeros for embeddings."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

VECTOR = [0.0] * 8
LINE = "We should repot the lemon tree before June."


def page(number: int, user: str, agent: str, timestamp: str, **more: Any) -> dict[str, Any]:
    return {
        "page_id": f"page_{number:08x}",
        "user_input": user,
        "agent_response": agent,
        "timestamp": timestamp,
        "preloaded": False,
        "analyzed": False,
        "pre_page": None,
        "next_page": None,
        "meta_info": "",
        "page_embedding": VECTOR,
        "page_keywords": [],
        **more,
    }


def segment(number: int, summary: str, keywords: list[str], pages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "id": f"session_{number:08x}",
        "summary": summary,
        "summary_keywords": keywords,
        "summary_embedding": VECTOR,
        "details": pages,
        "L_interaction": len(pages),
        "R_recency": 1.0,
        "N_visit": 0,
        "H_segment": len(pages) + 1.0,
        "timestamp": "2024-03-01 09:00:00",
        "last_visit_time": "2024-03-02 10:00:00",
        "access_count_lfu": 0,
        **more,
    }


def knowledge(text: str, timestamp: str) -> dict[str, Any]:
    return {"knowledge": text, "timestamp": timestamp, "knowledge_embedding": VECTOR}


REPOT = page(
    1,
    LINE,
    "A bigger pot with fresh soil will do.",
    "2024-03-01 09:00:00",
    analyzed=True,
    next_page="page_00000002",
    meta_info="Repotting a lemon tree.",
)
WATER = page(
    2,
    "How often does it want water?",
    "Once a week, less in winter.",
    "2024-03-01 09:02:00",
    pre_page="page_00000001",
    next_page="page_0000dead",
    meta_info="Repotting and watering a lemon tree.",
)
TRAIN = page(3, "Which night train goes to Vienna?", "The one at 19:36 from Zurich.", "2024-03-05 20:15:00")

MID_TERM: dict[str, dict[str, Any]] = {
    "sessions": {
        "session_0000000a": segment(10, "Care of a lemon tree.", ["lemon tree", "pot"], [REPOT, WATER], N_visit=3),
        "session_0000000b": segment(11, "Watering in winter.", ["water"], [WATER], N_visit=5),
        "session_0000000c": segment(12, "A trip to Vienna.", ["train", "Vienna"], [TRAIN, REPOT]),
    },
    "access_frequency": {"session_0000000a": 3, "session_0000000b": 5, "session_0000000c": 0},
}
SHORT_TERM = [
    {"user_input": "My sister Ada visits Friday.", "agent_response": "How lovely!", "timestamp": "2024-03-06 08:00:00"},
    {"user_input": "She likes quinces.", "agent_response": "Then bake a tart.", "timestamp": "2024-03-06 08:01:00"},
]
PROFILE = "Openness ( High )\nLikes plants and night trains."
LONG_TERM = {
    "user_profiles": {"mira": {"data": PROFILE, "last_updated": "2024-03-04 12:00:00"}},
    "knowledge_base": [
        knowledge("- Mira keeps a lemon tree.", "2024-03-04 12:00:00"),
        knowledge("- Mira keeps a lemon tree.", "2024-03-05 12:00:00"),
        knowledge("None", "2024-03-05 12:00:00"),
        knowledge("Her sister is called Ada - the elder one.", "2024-03-05 12:00:01"),
    ],
    "assistant_knowledge": [],
}
ASSISTANT = {
    "user_profiles": {},
    "knowledge_base": [],
    "assistant_knowledge": [knowledge("- The assistant knows timetables.", "2024-03-05 20:16:00")],
}


def write(root: Path, name: str, content: object) -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=2), "utf-8")
    return file


def write_published(root: Path, user_id: str = "mira", assistant_id: str = "default_assistant_profile") -> Path:
    """All four files of one user and one assistant."""
    long_term = {**LONG_TERM, "user_profiles": {user_id: LONG_TERM["user_profiles"]["mira"]}}  # type: ignore[index]
    write(root, f"users/{user_id}/short_term.json", SHORT_TERM)
    write(root, f"users/{user_id}/mid_term.json", MID_TERM)
    write(root, f"users/{user_id}/long_term_user.json", long_term)
    write(root, f"assistants/{assistant_id}/long_term_assistant.json", ASSISTANT)
    return root


def digests(root: Path) -> dict[str, str]:
    """What every published file holds, to see that none was touched."""
    files = [*root.glob("users/**/*.json"), *root.glob("assistants/**/*.json")]
    return {str(f.relative_to(root)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}
