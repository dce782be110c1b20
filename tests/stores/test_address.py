"""By what name two URLs are known to mean one database, and that the name holds nothing secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryos_core import InvalidInputError
from memoryos_core.stores import address_of


@pytest.mark.parametrize(
    "url",
    ["sqlite://", "sqlite:///:memory:", "sqlite:///file::memory:?uri=true", "sqlite:///file:x?mode=memory&uri=true"],
)
def test_what_lives_in_ram_has_no_address(url: str) -> None:
    assert address_of(url) is None


def test_a_file_is_known_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    names = {address_of(f"sqlite:///{name}") for name in ("m.db", "./m.db", f"{tmp_path}/m.db", "link/m.db")}
    assert names == {f"sqlite:///{tmp_path.resolve()}/m.db"}
    assert list(tmp_path.glob("*.db")) == [], "asking makes no file"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("postgresql://ann:pwd@host:5/d", "postgresql+psycopg://ann@host:5/d"),
        ("postgres://ann:p%40d@host/d?password=pwd&sslmode=require", "postgresql+psycopg://ann@host/d?sslmode=require"),
        ("postgresql+psycopg://host/d?sslkey=pwd&sslpassword=pwd", "postgresql+psycopg://host/d"),
    ],
)
def test_a_server_is_known_without_its_secrets(url: str, address: str) -> None:
    assert address_of(url) == address
    assert address_of(address) == address


def test_a_url_that_cannot_be_read_is_refused_and_not_shown() -> None:
    for wrong in ("pwd", "mysql://ann:pwd@host/d"):
        with pytest.raises(InvalidInputError) as refused:
            address_of(wrong)
        assert "pwd" not in str(refused.value)
