"""A run that resumes from a checkpoint gives exactly the ensemble of an uninterrupted one."""

import json
import subprocess
import sys
from time import monotonic, sleep

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier, CheckpointError, ModelFormatError
from polytomy import load as load_model
from polytomy.boost import Checkpoint, CheckpointWriter, Progress
from polytomy.boost.checkpoint import load, save
from polytomy.format import to_bytes, to_member
from tests.boost.small_runs import booster_on, mixed

ROUNDS = 250
SCRIPT = """
import sys
import numpy as np
from polytomy import BoostedTreeClassifier
rng = np.random.default_rng(0)
x = rng.standard_normal((1000, 5)).round(1)
y = (x @ [1, -1, 0.5, 0, 0] + x[:, 0] * x[:, 1] + rng.standard_normal(1000) > 0).astype(int)
print("ready", flush=True)
kept = {{"path": sys.argv[1], "rounds": 5}}
BoostedTreeClassifier({rounds}, max_leaves=3, checkpoint=kept).fit(x, y)
"""


def fitted(path=None):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1000, 5)).round(1)
    y = (x @ [1, -1, 0.5, 0, 0] + x[:, 0] * x[:, 1] + rng.standard_normal(1000) > 0).astype(int)
    kept = None if path is None else {"path": path, "rounds": 5}
    return BoostedTreeClassifier(ROUNDS, max_leaves=3, checkpoint=kept).fit(x, y)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_run_killed_at_random_moments_resumes_to_the_same_ensemble(tmp_path):
    path = tmp_path / "run.json"
    random = np.random.default_rng(3)
    kills = 0
    for _ in range(3):
        run = subprocess.Popen(
            [sys.executable, "-c", SCRIPT.format(rounds=ROUNDS), str(path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert run.stdout.readline() == "ready\n"
        begin = monotonic()
        before = path.stat().st_mtime_ns if path.exists() else None
        while monotonic() - begin < 20 and run.poll() is None:  # until it has written anew
            if path.exists() and path.stat().st_mtime_ns != before:
                break
            sleep(0.001)
        sleep(random.uniform(0, 0.1))
        run.kill()
        kills += run.wait() != 0
        run.stdout.close()
        assert path.exists()
    assert kills
    whole, resumed = fitted(), fitted(path)
    assert resumed.ensemble_ == whole.ensemble_
    assert resumed.rounds_ == whole.rounds_


@pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real", "samme", "logitboost"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_algorithm_resumes_to_the_same_ensemble(algorithm, n_classes, tmp_path):
    if n_classes == 3 and algorithm.startswith("adaboost"):
        algorithm = "adaboost-mh"
    columns, labels, weights = mixed(1, n_classes=n_classes)
    grow = {"max_leaves": 4}
    whole = booster_on(columns, labels, weights, grow, algorithm=algorithm).run(12)
    part = booster_on(columns, labels, weights, grow, algorithm=algorithm).run(5)
    save(tmp_path / "a.json", part.progress, {"rows": "x"})
    progress = load(tmp_path / "a.json", {"rows": "x"}, part.sample.coded.schema)
    assert progress.members == tuple(part.members)
    resumed = booster_on(
        columns, labels, weights, grow, algorithm=algorithm, progress=progress
    ).run(12)
    assert resumed.members == whole.members
    assert resumed.rounds == whole.rounds


def test_run_with_inexact_votes_resumes_to_the_same_ensemble(tmp_path):
    columns, labels, weights = mixed(1)
    params = {"grow": {"max_leaves": 12}, "learning_rate": 9.0, "smoothing": 0.0}
    params["algorithm"] = "adaboost-real"
    whole = booster_on(columns, labels, weights, **params).run(60)
    part = booster_on(columns, labels, weights, **params).run(50)
    assert not part.ensemble(np.arange(2)).exact
    save(tmp_path / "a", part.progress, {})
    progress = load(tmp_path / "a", {}, part.sample.coded.schema)
    resumed = booster_on(columns, labels, weights, progress=progress, **params).run(60)
    assert resumed.members == whole.members
    assert resumed.rounds == whole.rounds


def test_save_creates_the_folder_and_leaves_no_other_file(tmp_path):
    path = tmp_path / "deep" / "run"
    columns, labels, _ = mixed(1)
    run = booster_on(columns, labels)
    schema = run.sample.coded.schema
    save(path, run.run(2).progress, {})
    save(path, run.run(3).progress, {})
    assert [p.name for p in path.parent.iterdir()] == ["run"]
    assert len(load(path, {}, schema).rounds) == 3
    save(path, Progress(), {})
    assert load(path, {}, schema).members == ()


def test_run_with_fewer_rounds_than_the_checkpoint_takes_the_first(tmp_path):
    columns, labels, _ = mixed(1)
    x = np.column_stack([columns["a"], columns["b"]])
    path = str(tmp_path / "run")
    BoostedTreeClassifier(20, checkpoint=path).fit(x, labels)
    part = BoostedTreeClassifier(7, checkpoint=path).fit(x, labels)
    assert part.ensemble_ == BoostedTreeClassifier(7).fit(x, labels).ensemble_


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"learning_rate": 0.5}, "the parameters differ"),
        ({"max_leaves": 3}, "the parameters differ"),
        ({"max_bins": 4}, "the columns differ"),
        ({"class_weight": {0: 2, 1: 1}}, "the rows, labels, weights"),
    ],
)
def test_checkpoint_of_another_run_is_refused(tmp_path, change, why):
    columns, labels, _ = mixed(1)
    x = np.column_stack([columns["a"], columns["b"]])
    path = str(tmp_path / "run")
    BoostedTreeClassifier(3, checkpoint=path).fit(x, labels)
    with pytest.raises(CheckpointError, match=f"another run: .*{why}"):
        BoostedTreeClassifier(3, checkpoint=path, **change).fit(x, labels)


def test_file_that_is_not_a_checkpoint_is_refused(tmp_path):
    columns, labels, _ = mixed(1)
    path = tmp_path / "run"
    run = booster_on(columns, labels).run(3)
    save(path, run.progress, {})
    data = path.read_bytes()
    older = tmp_path / "older.npz"
    np.savez(older, head=np.array('{"format": 1}'))
    for broken, why in (
        (b"", "not a polytomy model file"),
        (b"hello", "not a polytomy model file"),
        (older.read_bytes(), "not a polytomy model file"),
        (data[: len(data) // 2], "the file is truncated"),
        (data.replace(b'"format": 3', b'"format": 99'), "format 99 is newer"),
        (data.replace(b'"kind": "checkpoint"', b'"kind": "check"'), "checksum: wrong"),
        (data.replace(b'"z": [0', b'"z": [1'), "checksum: wrong"),
    ):
        path.write_bytes(broken)
        expected = rf"run is not a readable checkpoint \({why}.*\); delete it to start over$"
        with pytest.raises(CheckpointError, match=expected):
            load(path, {}, run.sample.coded.schema)


def test_checkpoint_and_model_file_are_distinguished(tmp_path):
    path, model = tmp_path / "run", tmp_path / "model.json"
    BoostedTreeClassifier(3, checkpoint=path).fit(*table()).save(model)
    with pytest.raises(ModelFormatError, match="the file is a checkpoint of a boosting run, not"):
        load_model(path)
    with pytest.raises(CheckpointError, match="the file is a model file, not a checkpoint"):
        BoostedTreeClassifier(3, checkpoint=model).fit(*table())


def test_save_error_names_the_path(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot write the checkpoint"):
        save(tmp_path / "file" / "run", Progress(), {})


@pytest.mark.parametrize("bad", [3, "", {"rounds": 5}, {"path": "a", "every": 3}])
def test_checkpoint_settings_without_a_path_are_refused(bad):
    with pytest.raises(ValueError, match="checkpoint"):
        Checkpoint.of(bad)


@pytest.mark.parametrize(
    "bad", [{"rounds": 0}, {"rounds": 1.5}, {"seconds": -1}, {"seconds": True}]
)
def test_checkpoint_intervals_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match="must be at least"):
        Checkpoint.of({"path": "a"} | bad)


def table():
    columns, labels, _ = mixed(1)
    return np.column_stack([columns["a"], columns["b"]]), labels


def test_checkpoint_is_not_replaced_by_one_with_fewer_rounds(tmp_path):
    path = tmp_path / "run"
    BoostedTreeClassifier(20, checkpoint=str(path)).fit(*table())
    before = path.read_bytes()
    BoostedTreeClassifier(7, checkpoint=str(path)).fit(*table())
    assert path.read_bytes() == before


def test_warm_start_resumes_from_a_longer_checkpoint(tmp_path):
    path = str(tmp_path / "run")
    BoostedTreeClassifier(9, checkpoint=path).fit(*table())
    warm = BoostedTreeClassifier(3, warm_start=True).fit(*table())
    warm.set_params(n_rounds=12, checkpoint=path).fit(*table())
    assert warm.ensemble_ == BoostedTreeClassifier(12).fit(*table()).ensemble_
    other = BoostedTreeClassifier(3, warm_start=True, learning_rate=0.5).fit(*table())
    with pytest.raises(CheckpointError, match="another run"):
        other.set_params(n_rounds=5, checkpoint=path).fit(*table())


def test_unwritable_path_is_an_error_before_the_first_round(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    bad = BoostedTreeClassifier(50, checkpoint=tmp_path / "file" / "run", verbose=2)
    with pytest.raises(CheckpointError, match="cannot write the checkpoint"):
        bad.fit(*table())
    with pytest.raises(CheckpointError, match="is a folder: name a file"):
        bad.set_params(checkpoint=tmp_path).fit(*table())
    assert "round" not in capsys.readouterr().out


def test_full_disk_is_a_warning_during_the_run(tmp_path, monkeypatch):
    def full(_handle):
        raise OSError(28, "No space left on device")

    columns, labels, _ = mixed(1)
    run = booster_on(columns, labels)
    schema = run.sample.coded.schema
    writer = CheckpointWriter(Checkpoint(path=tmp_path / "run", rounds=1), {}, schema)
    writer.begin(run.progress)
    monkeypatch.setattr("os.fsync", full)
    with pytest.warns(UserWarning, match="No space left on device; the run continues"):
        writer.round_done(run.run(1).progress)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    writer.round_done(run.run(2).progress)
    assert load(tmp_path / "run", {}, schema).members == tuple(run.members)


def test_checkpoint_of_a_run_without_an_unweighted_class_is_refused(tmp_path):
    x, labels = table()
    path = str(tmp_path / "run")
    BoostedTreeClassifier(3, checkpoint=path).fit(x[1:], labels[1:])
    third = np.where(np.arange(len(x)) == 0, 2, labels)
    with pytest.raises(CheckpointError, match="another run"):
        BoostedTreeClassifier(3, checkpoint=path).fit(x, third, sample_weight=third < 2)


def test_damaged_checkpoint_is_refused_or_harmless(tmp_path):
    path = tmp_path / "run"
    whole = BoostedTreeClassifier(4, checkpoint=path).fit(*table())
    data = path.read_bytes()
    random = np.random.default_rng(0)
    refused = 0
    for at in random.integers(0, len(data), 150).tolist():
        path.write_bytes(data[:at] + bytes([data[at] ^ random.integers(1, 256)]) + data[at + 1 :])
        try:
            again = BoostedTreeClassifier(4, checkpoint=path).fit(*table())
        except CheckpointError:
            refused += 1
        else:
            assert again.ensemble_ == whole.ensemble_
    assert refused > 100


@pytest.mark.parametrize(
    ("path_in_document", "value", "why"),
    [
        (("members",), [], "rounds.trees: the rounds do not match the 0 members"),
        (("members", 0, "tree", "feature", 0), 7, "members.0..tree.feature.0.: must be an integer"),
        (("members", 0, "scores", 1, 0), 0.1, "members.0..scores: "),
        (("rounds", "leaves", 1), 3, "rounds.leaves.1.: is 3, but the round's trees have 2"),
        (("rounds", "z", 1), None, "rounds.z.1.: must be a number"),
        (("start",), [0, 0, 0], "members.0..scores.0.: must have 3 items, not 1"),
        (("ended",), 3, "ended: must be text"),
        (("more",), 3, "unknown member 'more'"),
    ],
)
def test_checkpoint_with_invalid_content_is_refused_with_its_place(
    tmp_path, path_in_document, value, why
):
    path = tmp_path / "run"
    BoostedTreeClassifier(4, checkpoint=path).fit(*table())
    document = json.loads(path.read_bytes())
    del document["checksum"]
    *way, last = path_in_document
    holder = document
    for step in way:
        holder = holder[step]
    holder[last] = value
    path.write_bytes(to_bytes(document))
    with pytest.raises(CheckpointError, match=rf"is not a readable checkpoint \({why}"):
        BoostedTreeClassifier(4, checkpoint=path).fit(*table())


def test_checkpoint_with_votes_of_another_shape_is_refused(tmp_path):
    path = tmp_path / "run"
    BoostedTreeClassifier(4, checkpoint=path).fit(*table())
    document = json.loads(path.read_bytes())
    del document["checksum"]
    document["start"] = [0, 0, 0]
    for member in document["members"]:
        member["scores"] = [scores * 3 for scores in member["scores"]]
    path.write_bytes(to_bytes(document))
    with pytest.raises(CheckpointError, match="does not belong to this fit"):
        BoostedTreeClassifier(4, checkpoint=path).fit(*table())


def test_writer_encodes_each_member_once(tmp_path, monkeypatch):
    columns, labels, _ = mixed(1)
    run = booster_on(columns, labels)
    schema = run.sample.coded.schema
    path = tmp_path / "run"
    writer = CheckpointWriter(Checkpoint(path=path, rounds=1), {}, schema)
    encoded = []

    def counted(member):
        encoded.append(member)
        return to_member(member)

    monkeypatch.setattr("polytomy.boost.checkpoint.to_member", counted)
    run.run(6, lambda running: writer.round_done(running.progress))
    assert encoded == run.members
    assert load(path, {}, schema).members == tuple(run.members)
    save(tmp_path / "whole", run.progress, {})
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()
