"""A cluster of two processes with one thread each, for all tests of a module."""

import logging

import dask
import pytest
from distributed import Client, LocalCluster

from polytomy.estimators.fitting import refining


@pytest.fixture(scope="module", autouse=True)
def rows_stay_on_the_workers():
    """Refine no tree: the rows of a small table would be fetched for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refining, "MOST_REFINED", 0)
        yield


def local_cluster(n_workers=2):
    """Return a cluster of processes with one thread each."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        host="127.0.0.1",
    )


@pytest.fixture(scope="package")
def client():
    with local_cluster() as cluster, Client(cluster) as connected:
        yield connected


@pytest.fixture
def own_client():
    """A cluster for one test, which may damage it."""
    with (
        dask.config.set({"polytomy.patience": 20}),
        local_cluster() as cluster,
        Client(cluster) as connected,
    ):
        yield connected
