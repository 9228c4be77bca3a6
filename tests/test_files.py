"""Atomic file writes: content, links, permissions, and what is left after a failure."""

import os
import stat

import pytest

from polytomy._files import write_atomically


def test_write_replaces_the_content(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["file"]


def test_write_keeps_the_permissions_of_an_existing_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_write_gives_a_new_file_the_default_permissions(tmp_path):
    write_atomically(tmp_path / "ours", b"")
    (tmp_path / "theirs").write_bytes(b"")
    ours, theirs = (stat.S_IMODE((tmp_path / n).stat().st_mode) for n in ("ours", "theirs"))
    assert ours == theirs


def test_write_follows_symbolic_links(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_write_rejects_folders_and_missing_folders(tmp_path):
    with pytest.raises(OSError, match="is a folder or a device, not a file"):
        write_atomically(tmp_path, b"")
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "missing" / "file", b"")


@pytest.mark.parametrize("where", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_failed_write_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, where, error):
    def fail(*_args):
        raise error

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, where, fail)
    with pytest.raises(type(error)):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_drafts_of_killed_processes_are_removed_after_an_hour(tmp_path):
    old, new = tmp_path / ".polytomy-old.tmp", tmp_path / ".polytomy-new.tmp"
    for draft in (old, new):
        draft.write_bytes(b"half")
    os.utime(old, (0, 0))
    write_atomically(tmp_path / "file", b"")
    assert sorted(os.listdir(tmp_path)) == [new.name, "file"]
