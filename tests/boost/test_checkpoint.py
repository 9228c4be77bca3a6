"""Checkpoints: a run killed at any moment goes on to exactly the same ensemble."""

import subprocess
import sys
from time import monotonic, sleep

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier, CheckpointError
from polytomy.boost import Checkpoint, Keeper, Progress
from polytomy.boost.checkpoint import load, save
from tests.boost.samples import booster_on, mixed

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
def test_a_run_killed_at_random_moments_ends_as_one_that_was_not(tmp_path):
    path = tmp_path / "run.npz"
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
def test_every_algorithm_goes_on_as_if_nothing_had_happened(algorithm, n_classes, tmp_path):
    if n_classes == 3 and algorithm.startswith("adaboost"):
        algorithm = "adaboost-mh"
    columns, labels, weights = mixed(1, n_classes=n_classes)
    grow = {"max_leaves": 4}
    whole = booster_on(columns, labels, weights, grow, algorithm=algorithm).run(12)
    part = booster_on(columns, labels, weights, grow, algorithm=algorithm).run(5)
    save(tmp_path / "a.npz", part.progress, {"rows": "x"})
    progress = load(tmp_path / "a.npz", {"rows": "x"})
    assert progress.members == tuple(part.members)
    resumed = booster_on(
        columns, labels, weights, grow, algorithm=algorithm, progress=progress
    ).run(12)
    assert resumed.members == whole.members
    assert resumed.rounds == whole.rounds


def test_votes_too_large_to_be_exact_go_on_alike(tmp_path):
    columns, labels, weights = mixed(1)
    params = {"grow": {"max_leaves": 12}, "learning_rate": 9.0, "smoothing": 0.0}
    whole = booster_on(columns, labels, weights, **params).run(60)
    part = booster_on(columns, labels, weights, **params).run(50)
    assert not part.ensemble(np.arange(2)).exact
    save(tmp_path / "a", part.progress, {})
    resumed = booster_on(columns, labels, weights, progress=load(tmp_path / "a", {}), **params).run(
        60
    )
    assert resumed.members == whole.members
    assert resumed.rounds == whole.rounds


def test_the_file_is_whole_and_alone(tmp_path):
    path = tmp_path / "deep" / "run"
    columns, labels, _ = mixed(1)
    save(path, booster_on(columns, labels).run(2).progress, {})
    save(path, booster_on(columns, labels).run(3).progress, {})
    assert [p.name for p in path.parent.iterdir()] == ["run"]
    assert len(load(path, {}).rounds) == 3
    save(path, Progress(), {})
    assert load(path, {}).members == ()


def test_fewer_rounds_than_the_file_has_are_its_first(tmp_path):
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
def test_the_checkpoint_of_another_run_is_refused(tmp_path, change, why):
    columns, labels, _ = mixed(1)
    x = np.column_stack([columns["a"], columns["b"]])
    path = str(tmp_path / "run")
    BoostedTreeClassifier(3, checkpoint=path).fit(x, labels)
    with pytest.raises(CheckpointError, match=f"another run: .*{why}"):
        BoostedTreeClassifier(3, checkpoint=path, **change).fit(x, labels)


def test_what_is_no_checkpoint_is_refused(tmp_path):
    columns, labels, _ = mixed(1)
    path = tmp_path / "run"
    good = booster_on(columns, labels).run(3).progress
    save(path, good, {})
    data = path.read_bytes()
    for broken in (b"", b"hello", data[: len(data) // 2]):
        path.write_bytes(broken)
        with pytest.raises(CheckpointError, match="delete it to begin anew"):
            load(path, {})
    np.savez(path.with_suffix(".npz"), head=np.array('{"format": 99}'))
    with pytest.raises(CheckpointError, match="format 99"):
        load(path.with_suffix(".npz"), {})
    np.savez(path.with_suffix(".npz"), head=np.array([print], dtype=object))
    with pytest.raises(CheckpointError, match="no checkpoint that can be read"):
        load(path.with_suffix(".npz"), {})


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot write the checkpoint"):
        save(tmp_path / "file" / "run", Progress(), {})


@pytest.mark.parametrize("bad", [3, "", {"rounds": 5}, {"path": "a", "every": 3}])
def test_what_names_no_file_is_refused(bad):
    with pytest.raises(ValueError, match="checkpoint"):
        Checkpoint.of(bad)


@pytest.mark.parametrize("bad", [{"rounds": 0}, {"rounds": 1.5}, {"seconds": -1}])
def test_absurd_intervals_are_refused(bad):
    with pytest.raises(ValueError, match="must be at least"):
        Checkpoint.of({"path": "a"} | bad)


def table():
    columns, labels, _ = mixed(1)
    return np.column_stack([columns["a"], columns["b"]]), labels


def test_fewer_rounds_do_not_replace_more(tmp_path):
    path = tmp_path / "run"
    BoostedTreeClassifier(20, checkpoint=str(path)).fit(*table())
    before = path.read_bytes()
    BoostedTreeClassifier(7, checkpoint=str(path)).fit(*table())
    assert path.read_bytes() == before


def test_a_warm_start_neither_replaces_nor_ignores_a_checkpoint(tmp_path):
    path = str(tmp_path / "run")
    BoostedTreeClassifier(9, checkpoint=path).fit(*table())
    warm = BoostedTreeClassifier(3, warm_start=True).fit(*table())
    warm.set_params(n_rounds=12, checkpoint=path).fit(*table())
    assert warm.ensemble_ == BoostedTreeClassifier(12).fit(*table()).ensemble_
    other = BoostedTreeClassifier(3, warm_start=True, learning_rate=0.5).fit(*table())
    with pytest.raises(CheckpointError, match="another run"):
        other.set_params(n_rounds=5, checkpoint=path).fit(*table())


def test_a_path_that_cannot_be_written_is_said_before_the_work(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    bad = BoostedTreeClassifier(50, checkpoint=tmp_path / "file" / "run", verbose=2)
    with pytest.raises(CheckpointError, match="cannot write the checkpoint"):
        bad.fit(*table())
    with pytest.raises(CheckpointError, match="is a folder: name a file"):
        bad.set_params(checkpoint=tmp_path).fit(*table())
    assert "round" not in capsys.readouterr().out


def test_a_disk_that_fills_up_does_not_cost_the_run(tmp_path, monkeypatch):
    def full(_handle):
        raise OSError(28, "No space left on device")

    keeper = Keeper(Checkpoint(path=tmp_path / "run", rounds=1), {})
    columns, labels, _ = mixed(1)
    run = booster_on(columns, labels)
    keeper.begin(run.progress)
    monkeypatch.setattr("polytomy.boost.checkpoint.os.fsync", full)
    with pytest.warns(UserWarning, match="No space left on device; going on without"):
        keeper.round_done(run.run(1).progress)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    keeper.round_done(run.run(2).progress)
    assert len(load(tmp_path / "run", {}).rounds) == 2


def test_a_class_that_weighs_nothing_makes_another_run(tmp_path):
    x, labels = table()
    path = str(tmp_path / "run")
    BoostedTreeClassifier(3, checkpoint=path).fit(x[1:], labels[1:])
    third = np.where(np.arange(len(x)) == 0, 2, labels)
    with pytest.raises(CheckpointError, match="another run"):
        BoostedTreeClassifier(3, checkpoint=path).fit(x, third, sample_weight=third < 2)


def test_damaged_files_are_refused_or_harmless(tmp_path):
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


def test_a_whole_file_that_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "run"
    BoostedTreeClassifier(4, checkpoint=path).fit(*table())
    with np.load(path) as file:
        arrays = dict(file)
    for change, why in (
        ({"nodes": arrays["nodes"][:3]}, "3 trees are not those of 4 rounds"),
        ({"feature": arrays["feature"] + 7 * (arrays["feature"] >= 0)}, "not belong to this fit"),
        ({"start": np.zeros(3)}, "does not belong to this fit"),
    ):
        with path.open("wb") as file:
            np.savez(file, **(arrays | change))
        with pytest.raises(CheckpointError, match=why):
            BoostedTreeClassifier(4, checkpoint=path).fit(*table())
