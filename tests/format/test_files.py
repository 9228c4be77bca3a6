"""Bytes that are not a valid model file are refused; writing a file is atomic."""

import errno
import gzip
import json
import os
import threading

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier, CheckpointError, TreeClassifier
from polytomy._errors import PolytomyError
from polytomy.estimators.base import files as estimator_files
from polytomy.estimators.base.files import load, load_bytes, save, to_file_bytes
from polytomy.format import ModelFormatError
from polytomy.format import files as format_files
from polytomy.format.files import EncodedJson, Limits, parsed, to_bytes
from tests.format.saved_models import BOOSTED, TREE, X, Y, changed, refused


def test_model_format_error_is_a_polytomy_error():
    assert issubclass(ModelFormatError, PolytomyError)


# ---- bytes that are not a model file


@pytest.mark.parametrize("base", [TREE, BOOSTED])
def test_truncated_file_is_refused(base):
    for stop in (3, 60, len(base) // 2, len(base) - 3):
        refused(base[:stop], "truncated|not a polytomy model file|checksum")


def test_flipped_bit_is_refused():
    for at in range(0, len(TREE) - 3, 97):
        flipped = TREE[:at] + bytes([TREE[at] ^ 4]) + TREE[at + 1 :]
        with pytest.raises(ModelFormatError):
            load_bytes(flipped)


def test_wrong_checksum_error_locates_the_damage():
    old, new = b'"rows": [150', b'"rows": [151'
    assert old in TREE
    message = refused(TREE.replace(old, new, 1), "^checksum: wrong")
    assert "the file was damaged or edited after it was written; tree: not a tree" in message
    assert "the counts of node 0 are not the sum of its children's" in message
    spelled = TREE.replace(b'"library": "polytomy', b'"library": "polytomi')
    assert refused(spelled, "^checksum").endswith("after it was written")


def test_missing_checksum_is_refused():
    document = json.loads(TREE)
    del document["checksum"]
    refused(json.dumps(document).encode(), "^checksum: missing at the end of the file$")
    first = {"format": 1, "checksum": "sha256:" + "0" * 64, **document}
    refused(json.dumps(first).encode(), "^checksum: missing at the end of the file$")


@pytest.mark.parametrize("text", ["", " ", "{}", "[]", "null", '{"kind": "tree"}', "\x00" * 99])
def test_file_of_another_kind_is_refused(text):
    refused(text.encode(), "not a polytomy model file")


def test_encoding_other_than_utf8_is_refused():
    refused(TREE.replace(b"polytomy 0", b"polytomy\xff0"), r"byte \d+ is not valid UTF-8")
    refused(TREE.decode().encode("utf-16"), "not a polytomy model file")
    refused(b"\xef\xbb\xbf" + TREE, "not a polytomy model file")


def test_data_after_the_document_is_refused():
    refused(TREE + b"{}", "line .*: invalid JSON .Extra data")
    refused(TREE + TREE, "Extra data")


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 65])
def test_nesting_deeper_than_the_limit_is_refused(deep):
    refused(b'{"format": 1, "x": ' + deep, "brackets are nested more than 64 deep")


def test_nesting_ignores_brackets_in_text():
    towns = np.array([["[" * 99 + '\\"{', "b"][i % 2] for i in range(150)], dtype=object)
    clf = TreeClassifier(3).fit(towns.reshape(-1, 1), Y)
    assert load_bytes(to_file_bytes(clf)).to_text() == clf.to_text()


def test_duplicate_key_is_refused():
    refused(TREE.replace(b'"kind": "tree"', b'"kind": "tree", "kind": "tree"'), "'kind': duplicate")
    inner = TREE.replace(b'"own": []', b'"own": [], "own": []')
    assert inner != TREE
    refused(inner, "'own': duplicate key in an object")


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity"])
def test_json_constant_is_refused(word):
    refused(TREE.replace(b'"gamma": null', b'"gamma": ' + word, 1), "is not valid JSON")


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"9" * 400, b"9" * 100_000])
def test_number_too_large_is_refused(number):
    start = TREE.index(b'"rows": [') + len(b'"rows": [')
    data = TREE[:start] + number + TREE[start + 3 :]
    refused(data, r"tree\.rows\[0\]: must be an integer")
    at = TREE.index(b'"min_gain": 0.0') + len(b'"min_gain": ')
    refused(TREE[:at] + number + TREE[at + 3 :], "number too large")


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (7, r"format 7 is newer than this version of polytomy can read \(3\): upgrade polytomy"),
        (10**40, r"format \(a number of more than nine digits\) is newer"),
        (0, "format 0 does not exist"),
    ],
)
def test_unknown_format_number_is_refused(number, message):
    refused(TREE.replace(b'"format": 3', b'"format": %d' % number), message)
    refused(b'{"format": %d, "all": "new"}' % number, message)


def test_file_larger_than_the_limits_is_refused():
    with pytest.raises(ModelFormatError, match="the file is larger than 1 MiB, the limit"):
        parsed(b'{"format": 1' + b" " * (1 << 20), Limits(text=1, memory=4))
    bomb = gzip.compress(b'{"format": 1, "x": [' + b"[]," * (1 << 21))
    refused(bomb, "needs more than 512 MiB of memory")


def test_packed_numbers_of_a_small_file_count_as_memory():
    bomb = gzip.compress(b'{"format": 3, "kind": {"int8": "' + b"A" * (100 << 20) + b'"}}')
    refused(bomb, "needs more than 518 MiB of memory")


def test_document_beyond_the_limit_is_not_written_and_the_error_says_what_to_do():
    with pytest.raises(ModelFormatError, match="limit is 1 MiB: fit fewer trees, or smaller ones"):
        to_bytes({"format": 3, "x": "a" * (1 << 20)}, Limits(text=1, memory=64))
    with pytest.raises(ModelFormatError, match="4 MiB of memory, the limit: fit fewer trees"):
        to_bytes({"format": 3, "x": [[]] * 20_000}, Limits(text=1, memory=4))


def test_compressed_file_that_could_not_be_read_again_is_not_written(tmp_path):
    data = to_bytes({"format": 3, "x": "a" * (130 << 20)})
    with pytest.raises(ModelFormatError, match=r"save it under a name without \.gz"):
        format_files.write_bytes(tmp_path / "m.json.gz", data)
    assert not list(tmp_path.iterdir())


def test_model_is_read_from_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = TREE.replace(b"{", b"{" + b" " * (3 << 20), 1)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    found = format_files.read_bytes(pipe)
    writer.join()
    assert found == data


def test_gzip_file_is_read_and_a_damaged_one_refused():
    packed = gzip.compress(TREE)
    assert load_bytes(packed).to_text() == load_bytes(TREE).to_text()
    refused(packed[:-9], "the gzip file is truncated")
    refused(packed[:50], "the gzip file is truncated")
    refused(packed + b"x", "1 bytes follow the end of the gzip file")
    refused(packed[:40] + b"\xff\xff" + packed[42:], "the gzip file is damaged")
    bomb = gzip.compress(b'{"format": 1' + b" " * (256 << 20), 1)
    refused(bomb, r"decompressed file is larger than 1\d\d MiB")


# ---- reading and writing files


@pytest.fixture
def kept(tmp_path):
    """A file that must stay as it is."""
    path = tmp_path / "m.json"
    save(TreeClassifier(3).fit(X, Y), path)
    before = path.read_bytes()
    yield path
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), None])
def test_save_keeps_the_old_file_if_writing_fails(kept, monkeypatch, where, error):
    def fail(*_args):
        raise error or KeyboardInterrupt

    if where == "write":
        monkeypatch.setattr(estimator_files, "to_bytes", lambda _document: "no bytes")
        with pytest.raises(ModelFormatError, match="cannot write"):
            save(TreeClassifier(4).fit(X, Y), kept)
        return
    monkeypatch.setattr(os, where, fail)
    expected = ModelFormatError if error else KeyboardInterrupt
    message = "cannot write .*: No space left on device" if error else None
    with pytest.raises(expected, match=message):
        save(TreeClassifier(4).fit(X, Y), kept)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_save_does_not_replace_a_device():
    with pytest.raises(ModelFormatError, match="a folder or a device, not a file"):
        save(TreeClassifier(4).fit(X, Y), "/dev/full")


def test_save_and_load_refuse_unusable_paths(tmp_path):
    clf = TreeClassifier(3).fit(X, Y)
    for path in (tmp_path, tmp_path / "no" / "m.json", tmp_path / "a\x00b", 3.5):
        with pytest.raises(ModelFormatError, match="cannot write"):
            save(clf, path)
        with pytest.raises(ModelFormatError, match="cannot read the file"):
            load(path)
    assert not list(tmp_path.iterdir())


def test_load_error_names_the_file(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(ModelFormatError, match=r"notes\.txt: not a polytomy model file"):
        load(path)


def test_save_keeps_links_and_permissions(tmp_path):
    clf = TreeClassifier(3).fit(X, Y)
    path, link = tmp_path / "m.json", tmp_path / "link.json"
    save(clf, path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(clf, link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def test_save_is_atomic_for_concurrent_readers(tmp_path):
    path = tmp_path / "m.json"
    small, large = (TreeClassifier(k).fit(X, Y) for k in (2, 9))
    save(small, path)
    done = threading.Event()

    def write():
        for clf in [small, large] * 8:
            save(clf, path)
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        assert load(path).n_leaves_ in (small.n_leaves_, large.n_leaves_)
    thread.join()


@pytest.mark.parametrize("text", ["Ürümqi", "\ud800"])  # an unpaired surrogate takes another way
def test_encoded_parts_give_the_same_document(text):
    parts = [{"town": text, "scores": [[0.5, 1]]}, {"town": "Rom", "scores": []}]
    encoded = [EncodedJson.of(part) for part in parts]
    document, problem = parsed(to_bytes({"format": 1, "name": text, "members": encoded}))
    assert problem is None
    assert document == {"format": 1, "name": text, "members": parts}


# ---- files carry no authority


def test_loaded_model_names_no_files(tmp_path):
    place = tmp_path / "folder" / "run.json"
    clf = BoostedTreeClassifier(2, checkpoint=str(tmp_path / "own.json")).fit(X, Y)
    assert load_bytes(to_file_bytes(clf)).checkpoint is None
    path = ("parameters", "checkpoint")
    loaded = load_bytes(changed(to_file_bytes(clf), (path, str(place))))
    assert loaded.checkpoint is None
    loaded.fit(X, Y)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["own.json"]


@pytest.mark.parametrize(
    ("unpacked", "why"),
    [
        (b'{"format": 3, "members": [' + b"[]," * 100_000 + b"[]]}", "4 MiB of memory"),
        (b'{"format": 3, "members": "' + b" " * (5 << 20) + b'"}', "larger than 1 MiB"),
    ],
)
def test_small_checkpoint_does_not_unpack_to_much_memory(tmp_path, monkeypatch, unpacked, why):
    monkeypatch.setattr(format_files, "ANY_FILE", Limits(text=1, memory=4))
    path = tmp_path / "run.json"
    path.write_bytes(gzip.compress(unpacked))
    with pytest.raises(CheckpointError, match=why):
        BoostedTreeClassifier(2, checkpoint=path).fit(X, Y)


def test_large_file_may_need_memory_in_proportion():
    for limits in (format_files.CHECKPOINT_LIMITS, format_files.MODEL_LIMITS):
        assert limits.of_file(1 << 10) == format_files.ANY_FILE
        assert limits.of_file(1 << 20).memory == 512 + limits.ratio
        assert limits.of_file(1 << 30) == Limits(limits.text, limits.memory)
