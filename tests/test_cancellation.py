"""Long calls end soon after Ctrl-C or a Cancellation, and leave everything as it was."""

import asyncio
import contextlib
import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import polytomy
from polytomy._cancellation import check
from polytomy._threads import ThreadPool

SOON = 3.0  # seconds; about 0.1 on an idle machine, while the calls below take much longer

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(60_000, 20))
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RANDOM.normal(size=len(X)) > 0).astype(int)
CLASSES = RANDOM.integers(0, 3000, size=len(X))
TREE = polytomy.TreeClassifier(procedure="per-leaf", max_leaves=3000, honest=False).fit(X, Y)


def grow_until_pure(**options: Any) -> Callable[[], Any]:
    options = {"procedure": "per-leaf", "max_leaves": None, "honest": False, **options}
    return lambda: polytomy.TreeClassifier(**options).fit(np.tile(X, (10, 1)), np.tile(Y, 10))


CALLS = {
    "tree": grow_until_pure(),
    "tree by two threads": grow_until_pure(n_jobs=2),
    "one node of many classes": lambda: polytomy.TreeClassifier(max_leaves=3).fit(X, CLASSES),
    "one node of many bins": lambda: polytomy.TreeClassifier(
        max_leaves=9, max_bins=20_000, procedure="per-leaf"
    ).fit(X[:, :2], Y + 2 * (X[:, 3] > 0)),
    "search": lambda: polytomy.TreeClassifier(search=2, n_jobs=2).fit(X, Y),
    "teacher": lambda: polytomy.TreeClassifier(teacher=polytomy.Teacher()).fit(X, Y),
    "forest": lambda: polytomy.ForestClassifier(n_estimators=500, n_jobs=2).fit(X, Y),
    "boosting": lambda: polytomy.BoostedTreeClassifier(n_rounds=5000).fit(X, Y),
    "density": lambda: polytomy.DensityTree(max_leaves=5000).fit(X),
    "verify": lambda: polytomy.verify(TREE, X, Y),
    "predictions": lambda: [TREE.predict(X) for _ in range(1000)],
    "SHAP values": lambda: TREE.shap_values(X),
}


def seconds_until(
    error: type[BaseException], call: Callable[[], Any], end: Callable[[], None]
) -> float:
    """Return how long a call goes on after another thread has asked for its end."""
    asked = []

    def ask() -> None:
        asked.append(time.perf_counter())
        end()

    timer = threading.Timer(0.15, ask)
    timer.start()
    try:
        with pytest.raises(error):
            call()
        return time.perf_counter() - asked[0]
    finally:
        timer.cancel()
        timer.join()


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(os.name == "nt", reason="no signals to itself")
@pytest.mark.parametrize(
    "name", sorted(CALLS.keys() - {"search"})
)  # which keeps the best tree so far
def test_interrupt_ends_a_call(name):
    # A browser that another test has opened runs an event loop, which handles the signal itself.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert seconds_until(KeyboardInterrupt, CALLS[name], interrupt) < SOON
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "name", ["tree by two threads", "one node of many classes", "search", "forest"]
)
def test_cancellation_ends_a_call(name):
    def call() -> None:
        with stop:
            CALLS[name]()

    stop = polytomy.Cancellation()
    assert seconds_until(polytomy.Cancelled, call, stop.cancel) < SOON
    assert stop.is_cancelled


@pytest.mark.parametrize(
    "call",
    [
        lambda tree, _, few: polytomy.verify(tree, *few),
        lambda _, boosted, few: polytomy.verify(boosted, *few),
        lambda tree, *_: tree.plot(),
    ],
    ids=["verify", "verify boosting", "plot"],
)
def test_cancellation_ends_loops_in_python(call):
    few, stop = (X[:200], Y[:200]), polytomy.Cancellation()
    tree = polytomy.TreeClassifier(max_leaves=4).fit(*few)
    boosted = polytomy.BoostedTreeClassifier(2).fit(*few)
    stop.cancel()
    with stop, pytest.raises(polytomy.Cancelled):
        call(tree, boosted, few)


def test_kernels_take_the_lock_only_where_something_can_end_them(monkeypatch):
    looks = []
    monkeypatch.setattr("polytomy._cancellation.check", lambda: looks.append(threading.get_ident()))

    def looked(*blocks: polytomy.Cancellation) -> bool:
        with contextlib.ExitStack() as entered:
            for block in blocks:
                entered.enter_context(block)
            looks.clear()
            for _ in range(5):
                TREE.apply(X)
        return threading.get_ident() in looks

    def elsewhere(*blocks: polytomy.Cancellation) -> bool:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(looked, *blocks).result()

    time.sleep(0.06)  # since the last look of this thread
    assert looked()
    assert not elsewhere()
    stop = polytomy.Cancellation()
    assert not elsewhere(stop)
    stop.cancel()
    assert elsewhere(polytomy.Cancellation(), stop)


AT_EXIT = """
import threading
import numpy as np
import polytomy

X = np.random.default_rng(0).normal(size=(20_000, 5))
tree = polytomy.TreeClassifier(max_leaves=4).fit(X, X[:, 0] > X[:, 1])
begun = threading.Semaphore(0)

def work():
    while True:
        tree.apply(X)
        begun.release()

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
for _ in range(8):
    begun.acquire()
"""


def test_daemon_thread_in_a_kernel_does_not_disturb_the_end_of_the_process():
    ended = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_cancelled_fit_leaves_the_estimator_as_it_was():
    few = slice(0, 500)
    tree = polytomy.TreeClassifier(procedure="per-leaf", max_leaves=8).fit(X[few], Y[few])
    before, leaves = tree.tree_, tree.apply(X)

    def refit() -> None:
        with stop:
            tree.set_params(max_leaves=None).fit(np.tile(X, (10, 1)), np.tile(Y, 10))

    stop = polytomy.Cancellation()
    seconds_until(polytomy.Cancelled, refit, stop.cancel)
    assert tree.tree_ is before
    np.testing.assert_array_equal(tree.apply(X), leaves)
    again = tree.set_params(max_leaves=8).fit(X[few], Y[few])
    np.testing.assert_array_equal(again.apply(X), leaves)


def test_cancellation_holds_for_the_calls_inside_its_block_only():
    few, stop = polytomy.TreeClassifier(max_leaves=3), polytomy.Cancellation()
    with stop, polytomy.Cancellation() as other:
        few.fit(X[:50], Y[:50])
        stop.cancel()
        assert not other.is_cancelled
        with pytest.raises(polytomy.Cancelled):
            few.fit(X[:50], Y[:50])
    few.fit(X[:50], Y[:50])
    with other:
        few.fit(X[:50], Y[:50])


def test_blocks_may_end_in_another_order():
    first, second = polytomy.Cancellation(), polytomy.Cancellation()
    first.__enter__()
    second.__enter__()
    first.cancel()
    first.__exit__(None, None, None)
    check()
    second.cancel()
    with pytest.raises(polytomy.Cancelled):
        check()
    second.__exit__(None, None, None)
    second.__exit__(None, None, None)  # no block of its own is left, and others stay
    check()


def test_cancellation_may_be_entered_twice():
    stop = polytomy.Cancellation()
    with stop:
        with stop:
            pass
        stop.cancel()
        with pytest.raises(polytomy.Cancelled):
            check()
    check()


def test_copies_of_a_cancellation_are_itself_and_it_is_not_pickled():
    stop = polytomy.Cancellation()
    assert copy.copy(stop) is stop
    assert copy.deepcopy([stop])[0] is stop
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(stop)


def test_cancellation_from_a_callback_or_another_thread_of_asyncio():
    async def fit() -> None:
        with polytomy.Cancellation() as stop:
            asyncio.get_running_loop().call_later(0.1, stop.cancel)
            await asyncio.to_thread(CALLS["tree"])

    with ThreadPoolExecutor(1) as other, pytest.raises(polytomy.Cancelled):
        other.submit(lambda: asyncio.run(fit())).result()


def test_fit_that_was_cancelled_at_its_end_leaves_the_estimator_as_it_was():
    tree, stop = polytomy.TreeClassifier(max_leaves=3), polytomy.Cancellation()
    tree.fit(X[:50], Y[:50])
    before = tree.tree_

    def fit() -> None:
        with stop, tree._draft() as draft:
            draft.fit(X[50:99], Y[50:99])
            stop.cancel()

    with pytest.raises(polytomy.Cancelled):
        fit()
    assert tree.tree_ is before


def test_pool_cancels_tasks_if_its_block_fails():
    ended = []

    def work(number: int) -> None:
        try:
            while True:
                check()
                time.sleep(0.001)
        except polytomy.Cancelled:
            ended.append(number)
            raise

    def fail() -> None:
        with ThreadPool(2) as pool:
            futures = [pool.submit(work, number) for number in range(2)]
            while not all(future.running() for future in futures):
                time.sleep(0.001)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert sorted(ended) == [0, 1]


def test_pool_tasks_are_cancelled_with_their_caller():
    with polytomy.Cancellation() as stop:
        stop.cancel()
        with pytest.raises(polytomy.Cancelled), ThreadPool(2) as pool:
            list(pool.map(lambda _: check(), range(3)))


def test_cancelled_is_not_caught_as_an_error():
    assert not issubclass(polytomy.Cancelled, Exception)
