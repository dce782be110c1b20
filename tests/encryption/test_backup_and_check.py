"""A copy of an encrypted memory is encrypted under the same key, and `check --deep` looks at each page of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryos_core.errors import StoreKeyError
from tests.governance.test_backup import assert_copied, assert_read_only, opened
from tests.governance.test_check import check, fill

KEY = "correct horse"


@pytest.mark.parametrize("key", [KEY, bytes(range(32))], ids=("passphrase", "raw key"))
def test_a_backup_opens_with_the_key_of_its_source_alone(tmp_path: Path, key: str | bytes) -> None:
    assert_copied(tmp_path, key)
    with pytest.raises(StoreKeyError):
        opened(tmp_path / "copy.db", "another key")


def test_an_encrypted_file_is_checked_to_its_last_page(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fill(f"sqlite:///{path}", KEY)
    assert check(path, deep=True, key=KEY).ok
    with path.open("r+b") as file:
        file.seek(-100, 2)
        file.write(b"\x00" * 50)
    assert not check(path, deep=True, key=KEY).ok


def test_an_encrypted_file_on_a_read_only_file_system_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORYOS_KEY", KEY)
    assert_read_only(tmp_path, capsys, KEY)
