"""Output files: atomic writes, devices, permissions, and paths that cannot be written."""

import errno
import os
from pathlib import Path

import pytest

from polytomy.cli.errors import CommandError
from polytomy.cli.files import check_output, write_output

FULL = Path("/dev/full")

needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")


@pytest.fixture
def full_disk(monkeypatch):
    """Let every file sync fail as on a full disk."""

    def fail(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)


@needs_full
def test_full_device_is_reported(refuse, model, cars):
    message = "cannot write /dev/full: no space left on device"
    assert refuse("predict", model, cars, "-o", FULL) == message
    assert refuse("export", model, "--to", "rules", "-o", FULL) == message
    assert refuse("fit", cars, "--target", "origin", "-o", FULL) == message
    assert FULL.is_char_device()


def test_full_disk_leaves_the_old_file(refuse, model, cars, tmp_path, full_disk):
    path = tmp_path / "p.csv"
    path.write_text("old")
    for args in (["predict", model, cars], ["fit", cars, "--target", "origin", "--force"]):
        message = refuse(*args, "-o", path)
        assert message.lower().startswith("cannot write ")
        assert message.lower().endswith(": no space left on device")
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def test_full_disk_leaves_no_new_file(refuse, tmp_path, full_disk):
    assert "no space left" in refuse("demo", "--write", tmp_path / "mpg.csv")
    assert list(tmp_path.iterdir()) == []


def test_folder_without_permission_is_reported_before_any_work(
    refuse, model, cars, tmp_path, monkeypatch
):
    # The superuser, who may run the tests, can write in any folder.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    path = tmp_path / "out"
    message = f"cannot write {path}: no permission to write in {tmp_path}"
    assert refuse("predict", model, cars, "-o", path) == message
    assert refuse("fit", cars, "--target", "origin", "-o", path) == message
    assert refuse("fit", "none.csv", "--target", "origin", "-o", path) == message


def test_permissions_and_links_are_kept(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_output(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_new_file_has_the_permissions_of_the_umask(tmp_path):
    mask = os.umask(0o027)
    try:
        write_output(tmp_path / "fresh.csv", b"new")
    finally:
        os.umask(mask)
    assert (tmp_path / "fresh.csv").stat().st_mode & 0o777 == 0o640


def test_path_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="cannot write"):
        write_output(tmp_path / "file" / "out.csv", b"")


def test_input_is_not_replaced(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x")
    check_output(path, tmp_path / "other.csv", None)
    with pytest.raises(CommandError, match="it is also an input; choose another name"):
        check_output(path, path)
