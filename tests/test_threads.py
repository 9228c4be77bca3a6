"""Tasks on several threads, also if the system does not start as many."""

from threading import Event, get_ident

import pytest

from polytomy import _threads
from polytomy._threads import ThreadPool


@pytest.mark.parametrize("startable", [0, 1, 2, 9])
def test_pool_uses_the_threads_that_can_be_started(startable, monkeypatch):
    start, started = _threads.start_new_thread, []

    def limited(function, arguments):
        if len(started) == startable:
            raise RuntimeError("can't start new thread")
        started.append(start(function, arguments))

    monkeypatch.setattr(_threads, "start_new_thread", limited)
    with ThreadPool(4) as pool:
        found = list(pool.map(lambda x: (x * x, get_ident()), range(50)))
    assert [square for square, _ in found] == [x * x for x in range(50)]
    assert len(started) == min(startable, 4)
    assert (get_ident() in {ident for _, ident in found}) == (startable == 0)


def test_pool_does_without_threads_that_never_begin(monkeypatch):
    monkeypatch.setattr(_threads, "start_new_thread", lambda *_: 0)
    monkeypatch.setattr(_threads, "_PATIENCE", 0.01)
    with ThreadPool(4) as pool:
        assert list(pool.map(abs, [-1, 2])) == [1, 2]


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_pool_raises_what_a_task_raised(error):
    def task(x):
        if x == 3:
            raise error
        return x

    with pytest.raises(error), ThreadPool(2) as pool:
        list(pool.map(task, range(9)))


def test_pool_leaves_out_tasks_that_have_not_begun():
    begun, go = Event(), Event()
    pool = ThreadPool(1)
    first = pool.submit(lambda: (begun.set(), go.wait(10)))
    rest = [pool.submit(int) for _ in range(5)]
    begun.wait(10)
    pool.shutdown(wait=False, cancel_futures=True)
    go.set()
    pool.shutdown()
    assert first.result()[1]
    assert all(future.cancelled() for future in rest)
