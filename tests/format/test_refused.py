"""What is no sound model file is refused, with its place and a reason."""

import errno
import gzip
import json
import os
import threading

import numpy as np
import pytest
from sklearn.datasets import load_iris

from polytomy import BoostedTreeClassifier, ParameterError, TreeClassifier, prune
from polytomy._errors import PolytomyError
from polytomy.estimators import files
from polytomy.estimators.files import load, load_bytes, save, to_file_bytes
from polytomy.format import ModelFormatError, to_bytes
from polytomy.format.limits import MAX_BYTES

X, Y = load_iris(return_X_y=True)
TOWNS = np.array([["Ulm", "Rom", "Bari"][(y + i % 2) % 3] for i, y in enumerate(Y)], dtype=object)
TABLE = np.column_stack((X.astype(object), TOWNS))
TREE = to_file_bytes(TreeClassifier(5, families=("values", "intervals")).fit(TABLE[:, 3:], Y))
PRUNED = to_file_bytes(TreeClassifier(9, pruner="reduced-error", random_state=0).fit(X, Y))
BOOSTED = to_file_bytes(BoostedTreeClassifier(2).fit(X[50:], Y[50:]))


def put(document, path, value):
    """Set the value at a path such as ("tree", "child", 1)."""
    *way, last = path
    for step in way:
        document = document[step]
    document[last] = value


def refused(data, match):
    with pytest.raises(ModelFormatError, match=match) as caught:
        load_bytes(data)
    return str(caught.value)


def changed(base, *changes):
    """Return a file with some values replaced and a checksum that fits."""
    document = json.loads(base)
    del document["checksum"]
    for path, value in changes:
        put(document, path, value)
    return to_bytes(document)


def test_the_error_is_one_of_ours():
    assert issubclass(ModelFormatError, PolytomyError)


# Text that is no model file


@pytest.mark.parametrize("base", [TREE, BOOSTED])
def test_truncated(base):
    for stop in (3, 60, len(base) // 2, len(base) - 3):
        refused(base[:stop], "cut short|no model file|checksum")


def test_flipped_bits():
    for at in range(0, len(TREE) - 3, 97):
        flipped = TREE[:at] + bytes([TREE[at] ^ 4]) + TREE[at + 1 :]
        with pytest.raises(ModelFormatError):
            load_bytes(flipped)


def test_a_wrong_checksum_names_the_damage():
    old, new = b'"rows": [150', b'"rows": [151'
    assert old in TREE
    said = refused(TREE.replace(old, new, 1), "^checksum: does not fit")
    assert "the file was damaged or edited after it was written; tree: not a tree" in said
    assert "node 0 does not hold what its children hold" in said
    spelled = TREE.replace(b'"library": "polytomy', b'"library": "polytomi')
    assert refused(spelled, "^checksum").endswith("after it was written")


def test_no_checksum():
    document = json.loads(TREE)
    del document["checksum"]
    refused(json.dumps(document).encode(), "^checksum: is missing at the end$")
    first = {"format": 1, "checksum": "sha256:" + "0" * 64, **document}
    refused(json.dumps(first).encode(), "^checksum: is missing at the end$")


@pytest.mark.parametrize("text", ["", " ", "{}", "[]", "null", '{"kind": "tree"}', "\x00" * 99])
def test_other_files(text):
    refused(text.encode(), "this is no model file")


def test_other_encodings():
    refused(TREE.replace(b"polytomy 0", b"polytomy\xff0"), r"byte \d+ is no UTF-8 text")
    refused(TREE.decode().encode("utf-16"), "this is no model file")
    refused(b"\xef\xbb\xbf" + TREE, "this is no model file")


def test_data_that_follows():
    refused(TREE + b"{}", "line .*: no JSON .Extra data")
    refused(TREE + TREE, "Extra data")


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 65])
def test_deep_nesting(deep):
    refused(b'{"format": 1, "x": ' + deep, "brackets nest more than 64 deep")


def test_brackets_in_text_do_not_nest():
    towns = np.array([["[" * 99 + '\\"{', "b"][i % 2] for i in range(150)], dtype=object)
    clf = TreeClassifier(3).fit(towns.reshape(-1, 1), Y)
    assert load_bytes(to_file_bytes(clf)).to_text() == clf.to_text()


def test_duplicate_keys():
    refused(TREE.replace(b'"kind": "tree"', b'"kind": "tree", "kind": "tree"'), "'kind': the key")
    inner = TREE.replace(b'"own": []', b'"own": [], "own": []')
    assert inner != TREE
    refused(inner, "'own': the key comes twice in one object")


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity"])
def test_words_that_are_no_json(word):
    refused(TREE.replace(b'"gamma": null', b'"gamma": ' + word, 1), "is no number of JSON")


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"9" * 400, b"9" * 100_000])
def test_gigantic_numbers(number):
    start = TREE.index(b'"rows": [') + len(b'"rows": [')
    data = TREE[:start] + number + TREE[start + 3 :]
    refused(data, r"tree\.rows\[0\]: must be a whole number")
    at = TREE.index(b'"min_gain": 0.0') + len(b'"min_gain": ')
    refused(TREE[:at] + number + TREE[at + 3 :], "too large a number")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (7, "format 7 is newer than this library knows, 1: upgrade polytomy"),
        (10**40, "format of more than nine digits is newer"),
        (0, "format 0 is none that was ever written"),
    ],
)
def test_formats_from_elsewhere(number, said):
    refused(TREE.replace(b'"format": 1', b'"format": %d' % number), said)
    refused(b'{"format": %d, "all": "new"}' % number, said)


def test_too_large():
    refused(b'{"format": 1' + b" " * MAX_BYTES, "larger than 64 MiB")
    refused(b'{"format": 1, "x": [' + b"[]," * (1 << 21), "more than fits 512 MiB of memory")


def test_gzip():
    packed = gzip.compress(TREE)
    assert load_bytes(packed).to_text() == load_bytes(TREE).to_text()
    refused(packed[:-9], "the gzip file is cut short")
    refused(packed[:50], "the gzip file is cut short")
    refused(packed + b"x", "1 bytes follow the end of the gzip file")
    refused(packed[:40] + b"\xff\xff" + packed[42:], "no sound gzip file")
    bomb = gzip.compress(b'{"format": 1' + b" " * (2 * MAX_BYTES), 1)
    refused(bomb, "unpacked it is larger than 64 MiB")


# Documents that are no model

WRONG = {
    # the head
    "format is text": (("format",), "1", "this is no model file"),
    "kind": (("kind",), "forest", "kind: must be one of tree, boosted; not 'forest'"),
    "library": (("library",), 3, "library: must be text, not 3"),
    "unknown": (("more",), 3, "'more' is unknown"),
    # parameters
    "parameter": (("parameters", "speed"), 3, r"parameters\.speed: TreeClassifier has no such"),
    "smoothing": (("parameters", "smoothing"), -1, "parameters: smoothing must be a number"),
    "contract": (("parameters", "contract"), 1, "parameters: contract must be True or False"),
    "index": (("parameters", "index"), None, "parameters: index must be the name"),
    "n_jobs": (("parameters", "n_jobs"), 0, "parameters: n_jobs must not be 0"),
    "max_bins": (("parameters", "max_bins"), 1, "parameters: max_bins must be"),
    "pruner": (("parameters", "pruner"), "axe", "parameters: pruner must be one of"),
    "tuple": (("parameters", "families", "items"), 3, r"parameters\.families\.items: must be a li"),
    "type": (("parameters", "families"), {"type": "code"}, r"'code' is no type of a model file"),
    "class_weight": (
        ("parameters", "class_weight"),
        {"type": "dict", "items": [[0, {"type": "float", "value": "nan"}]]},
        "parameters.class_weight: weights must be finite and not negative, not nan",
    ),
    "object": (
        ("parameters", "pruner"),
        {"type": "object", "name": "os.system", "fields": {}},
        r"parameters\.pruner\.name: 'os.system' is unknown",
    ),
    "object's fields": (
        ("parameters", "pruner"),
        {"type": "object", "name": "chi-square", "fields": {"max_p_chance": 2}},
        "parameters.pruner: max_p_chance must be a number from 0 to 1, got 2",
    ),
    # columns and classes
    "no columns": (("columns",), [], "columns: there must be at least one"),
    "name": (("columns", 0, "name"), None, r"columns\[0\]\.name: must be text"),
    "bins": (("columns", 0, "low", 3), 0, r"columns\[0\]\.low\[3\]: the bins do not ascend"),
    "bin": (("columns", 0, "high", 3), -9, r"columns\[0\]\.high\[3\]: the bin ends before it beg"),
    "nan bin": (("columns", 0, "low", 3), "nan", r"columns\[0\]\.high\[3\]: the bin ends"),
    "bins' number": (("columns", 0, "high"), [1], r"columns\[0\]\.high: must have 22 items, not 1"),
    "scale": (("columns", 0, "scale", "type"), "log", r"scale\.type: must be one of numbers"),
    "times": (
        ("columns", 0, "scale"),
        {"type": "times", "dtype": "datetime64[x]", "zone": None},
        r"columns\[0\]\.scale\.dtype: 'datetime64\[x\]' is no dtype of times",
    ),
    "categories": (
        ("columns", 1, "categories", 0),
        "Rom",
        r"columns\[1\]\.categories: a category comes twice",
    ),
    "classes": (("classes", "values", 0), 2, r"classes\.values\[1\]: the classes must be distinct"),
    "class": (("classes", "values", 0), "a", r"classes\.values\[0\]: must be a whole number"),
    "dtype": (("classes", "dtype"), "<U999999999", r"classes\.dtype: '<U999999999' is no dtype"),
    "narrow": (("classes", "dtype"), "|u1x", r"classes\.dtype: '\|u1x' is no dtype"),
    "few classes": (("classes", "values"), [0, 1], r"tree\.counts\[0\]: must have 2 items, not 3"),
    # the tree
    "cyclic": (("tree", "child", 1), 1, "tree: not a tree: a node has not one parent"),
    "its own child": (("tree", "child", 0), 0, r"tree\.child\[0\]: must be a whole number from 1"),
    "parent": (("tree", "parent", 1), 2, "tree: not a tree: parent and child disagree"),
    "arity": (("tree", "child_start", 1), 1, "tree: not a tree: "),
    "no list": (("tree", "child"), {}, r"tree\.child: must be a list, not \{\}"),
    "float": (("tree", "child", 1), 1.0, r"tree\.child\[1\]: must be a whole number from 1 to"),
    "bool": (("tree", "child", 1), True, r"tree\.child\[1\]: must be a whole number from 1 to"),
    "feature": (("tree", "feature", 0), 2, r"tree\.feature\[0\]: must be a whole number from -1 t"),
    "other column": (
        ("tree", "feature", 0),
        1,
        "tree: the schema does not belong to this tree: n",
    ),
    "kind of node": (("tree", "kind", 0), 4, r"tree\.kind\[0\]: must be a whole number from 0 to"),
    "nan weight": (("tree", "counts", 1, 0), "nan", r"tree\.counts\[1\]\[0\]: must be a number, n"),
    "weight": (("tree", "counts", 1, 0), -1, "tree: not a tree: a count is negative"),
    "no weight": (("tree", "counts", 1), [0, 0, 0], "tree: not a tree: node 0 does not hold"),
    "rows": (("tree", "rows", 1), 0, r"tree\.rows\[1\]: must be a whole number from 1 to"),
    "threshold": (("tree", "threshold", 0), "nan", "tree: not a tree: node 0 has thresholds"),
    "infinite": (("tree", "threshold", 0), "inf", "tree: not a tree: node 0 has a range above"),
    "default": (("tree", "default_branch", 0), 99, "tree: not a tree: node 0 has no branch for un"),
    "missing": (("tree", "missing_branch", 0), 99, "tree: not a tree: node 0 "),
    "own": (("tree", "own"), [[0, {"type": "dict", "items": []}]], "own.0..1.: must be a question"),
    # the run
    "procedure": (("run", "rules", "procedure"), "x", r"run\.rules\.procedure: must be one of"),
    "order": (("run", "rules", "order"), "heaviest", r"run\.rules\.order: per-leaf takes leaves"),
    "gamma": (("run", "rules", "gamma"), 0.5, r"run\.rules\.gamma: per-leaf has none"),
    "run index": (("run", "index"), "squares", r"run\.index: must be one of sqrt, gini"),
    "split": (("run", "splits", "leaf", 0), 1, r"run\.splits\.leaf: the expansions are not"),
    "split's arity": (
        ("run", "splits", "arity", 0),
        9,
        r"run\.splits\.arity\[0\]: (must|is 9, but there are \d children)",
    ),
    "leaves": (("run", "splits", "leaves_before", 0), 2, r"leaves_before\[0\]: is 2, but there ar"),
    "gain": (("run", "splits", "gain", 0), -1, r"run\.splits\.gain\[0\]: must not be negative"),
    "price": (("run", "splits", "price", 0), 0, r"run\.splits\.price\[0\]: must be above 0"),
    "other gain": (("run", "splits", "gain", 0), 1, r"certificate\.\w+: is stated as .*, but"),
    "weighting": (("run", "weighting"), "rules", r"run\.weighting: must be one of none, rows, cl"),
    # the certificate, and the rest
    "certificate": (("certificate", "bound"), 0.001, r"certificate\.bound: is stated as 0.001, b"),
    "covered": (("certificate", "covered"), False, r"certificate\.covered: is stated as False, b"),
    "held out": (("held_out",), [3, 2], "held_out: must be rows in ascending order"),
    "held row": (("held_out",), [1500], r"fitted\.n_rows: must be a whole number of at least 151"),
    "fitted": (("fitted", "n_rows"), 3, r"fitted\.n_rows: must be a whole number of at least 150"),
    "weights": (("fitted", "class_weight"), "balanced", r"run\.weighting: does not agree with fit"),
    "contracted": (("contracted",), 1, "contracted: must be true or false, not 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_documents_that_are_no_tree(name):
    path, value, said = WRONG[name]
    refused(changed(TREE, (path, value)), said)


WRONG_BOOSTED = {
    "algorithm": (("algorithm",), "samme", "algorithm: is 'samme', but the parameters give 'ada"),
    "start": (("start",), [0, 0], "members.0..scores.0.: must have 2 items, not 1"),
    "no start": (("start",), [], "start: 2 classes, but votes of shape"),
    "score": (("members", 0, "scores", 1, 0), 0.1, "members.0..scores: scores must be quantized"),
    "inner": (("members", 0, "scores", 0, 0), 1, "members.0..scores: only leaves vote"),
    "huge": (("members", 0, "scores", 1, 0), 1e300, "members.0..scores: scores must be|members"),
    "nan": (("members", 0, "scores", 1, 0), "nan", "members.0..scores.1..0.: must be a number"),
    "member": (("members", 0, "tree", "child", 0), 2, "members.0..tree: not a tree"),
    "counts": (("members", 0, "tree", "counts", 0), [1], "members.0..tree.counts.1.: must have 1"),
    "rounds": (("rounds", "trees", 0), 2, "rounds.trees: the rounds are not those of the 2 memb"),
    "leaves": (("rounds", "leaves", 0), 3, "rounds.leaves.0.: is 3, but its trees have 2"),
    "figure": (("rounds", "z", 0), None, "rounds.z.0.: must be a number, not None"),
    "columns": (("rounds", "z"), [0.5], "rounds.z: must have 2 items, not 1"),
    "unknown": (("rounds", "zz"), [0.5], "rounds: 'zz' is unknown"),
    "bound": (("certificate", "bound"), 0.001, "certificate.bound: is stated as 0.001, but"),
    "z": (("rounds", "z", 0), 0.001, "certificate.findings: are not those of these rounds"),
    "voting": (("fitted", "n_rounds"), 3, "fitted.n_rounds: must be a whole number from 0 to 2"),
    "mark": (("fitted", "mark"), 3, "fitted.mark: must be an object, not 3"),
}


@pytest.mark.parametrize("name", WRONG_BOOSTED)
def test_documents_that_are_no_ensemble(name):
    path, value, said = WRONG_BOOSTED[name]
    refused(changed(BOOSTED, (path, value)), f"^{said}")


def test_pruned_trees_that_are_not_of_the_grown_one():
    refused(changed(PRUNED, (("pruning", "tree"), None)), r"pruning\.tree: must be an object")
    refused(changed(PRUNED, (("pruning", "overgrown"), 0)), r"pruning\.overgrown: must be a whole")
    document = json.loads(PRUNED)
    assert document["tree"]["kind"] != document["pruning"]["tree"]["kind"]
    grown = (("tree",), document["pruning"]["tree"]), (("pruning", "tree"), document["tree"])
    refused(changed(PRUNED, *grown), "run.splits.leaf: must have|pruning.tree: the pruned tree has")


# Models that cannot be saved


def gini_like(counts):
    total = counts.sum(axis=-1)
    return 2 * (total - (counts**2).sum(axis=-1) / np.where(total > 0, total, 1))


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"index": gini_like}, "index must be the name of an index: a model file holds no code"),
        ({"random_state": np.random.RandomState(0)}, "parameter random_state: is of type RandomS"),
        (
            {"categorical_features": np.array([[True]])},
            "parameter categorical_features: is of type ndarray",
        ),
    ],
)
def test_parameters_that_are_no_plain_data(params, said):
    clf = TreeClassifier(3, **{k: v for k, v in params.items() if k != "categorical_features"})
    clf.fit(X, Y)
    clf.set_params(**params)
    with pytest.raises(ModelFormatError, match=said):
        to_file_bytes(clf)


def test_an_index_of_ones_own():
    clf = TreeClassifier(3, index=gini_like).fit(X, Y).set_params(index="gini")
    with pytest.raises(ModelFormatError, match="'gini_like' is your own function"):
        to_file_bytes(clf)
    assert TreeClassifier(3).fit(X, Y).to_text()


def test_rows_among_the_parameters():
    stopping = {"X_val": X[:50], "y_val": Y[:50], "patience": 2}
    clf = BoostedTreeClassifier(3, early_stopping=stopping).fit(X[:100], Y[:100])
    with pytest.raises(
        ModelFormatError, match=r"early_stopping\['X_val'\].*set_params\(\) another"
    ):
        to_file_bytes(clf)
    clf.set_params(early_stopping={"patience": 2})
    assert load_bytes(to_file_bytes(clf)).n_rounds_ == clf.n_rounds_


def test_categories_of_unknown_types():
    cells = np.array([frozenset([i % 3]) for i in range(150)], dtype=object).reshape(-1, 1)
    clf = TreeClassifier(3).fit(cells, Y)
    said = "column 'x0': the category .*, of type frozenset, does not go into a model file: turn"
    with pytest.raises(ModelFormatError, match=said):
        to_file_bytes(clf)


def test_parameters_that_contain_themselves():
    endless = []
    endless.append(endless)
    clf = TreeClassifier(3).fit(X, Y).set_params(categorical_features=endless)
    with pytest.raises(ModelFormatError, match="nests too deep, or contains itself"):
        to_file_bytes(clf)


def test_what_is_no_fitted_classifier(tmp_path):
    class Mine(TreeClassifier):
        pass

    with pytest.raises(ModelFormatError, match="a model file cannot hold a Mine"):
        save(Mine(), tmp_path / "m.json")
    with pytest.raises(Exception, match="not fitted"):
        save(TreeClassifier(), tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


# Files


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
def test_a_failed_write_leaves_the_old_file(kept, monkeypatch, where, error):
    def fail(*_args):
        raise error or KeyboardInterrupt

    if where == "write":
        monkeypatch.setattr(files, "to_bytes", lambda _document: "no bytes")
        with pytest.raises(ModelFormatError, match="cannot write"):
            save(TreeClassifier(4).fit(X, Y), kept)
        return
    monkeypatch.setattr(os, where, fail)
    expected = ModelFormatError if error else KeyboardInterrupt
    said = "cannot write .*: No space left on device" if error else None
    with pytest.raises(expected, match=said):
        save(TreeClassifier(4).fit(X, Y), kept)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_device_is_not_replaced():
    with pytest.raises(ModelFormatError, match="a folder or a device, not a file"):
        save(TreeClassifier(4).fit(X, Y), "/dev/full")


def test_paths_that_lead_nowhere(tmp_path):
    clf = TreeClassifier(3).fit(X, Y)
    for path in (tmp_path, tmp_path / "no" / "m.json", tmp_path / "a\x00b", 3.5):
        with pytest.raises(ModelFormatError, match="cannot write"):
            save(clf, path)
        with pytest.raises(ModelFormatError, match="cannot read it"):
            load(path)
    assert not list(tmp_path.iterdir())


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(ModelFormatError, match=r"notes\.txt: this is no model file"):
        load(path)


def test_links_and_permissions_stay(tmp_path):
    clf = TreeClassifier(3).fit(X, Y)
    path, link = tmp_path / "m.json", tmp_path / "link.json"
    save(clf, path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(clf, link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640


def test_readers_never_see_half_a_file(tmp_path):
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


def test_parameters_set_to_nonsense_are_not_saved():
    clf = TreeClassifier(3).fit(X, Y).set_params(max_leaves=-1)
    with pytest.raises(ModelFormatError, match="the parameters cannot be saved: max_leaves must"):
        to_file_bytes(clf)
    with pytest.raises(ParameterError):
        clf.fit(X, Y)
    assert prune.PRUNERS
