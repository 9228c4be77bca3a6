from tests.ensemble.random_ensembles import *  # noqa: F403  # moved; importers: tests/export, tests/plot, tests/report
