"""The estimators: those of ``polytomy``, which also fit and predict Dask collections."""

from typing import Any, Self

import numpy as np
from distributed import Future

from polytomy import estimators as local
from polytomy._errors import ParameterError, TableError, TargetError
from polytomy.boost import EarlyStopping, PartedTraining, fingerprint
from polytomy.encode import NumberScale
from polytomy.estimators.base.files import stored_as_base
from polytomy.estimators.base.input import chosen_columns
from polytomy.estimators.base.parameters import FitRecord
from polytomy.estimators.base.rows import with_costs
from polytomy.estimators.ensembles.boosting import Prepared, check_classes
from polytomy.estimators.trees.remote import RemoteTable, fit_remote, remote_costs, set_names
from polytomy.estimators.trees.single_tree import SingleTree

from . import work
from .boosting import BoostingRows
from .cluster import Cluster
from .gathered import fit_in_shares
from .lazy import LazyPredictions, LazyProbabilities
from .partitions import cell_parts, in_blocks, is_collection, table_parts
from .rows import BATCH, DaskRows, class_factors, encode_rows, weigh_rows


class _Given:
    """The rows of a fit on a cluster, read in blocks.

    Parameters
    ----------
    X, y, sample_weight : object
        What ``fit`` was given.
    categorical_features : object
        The parameter of the estimator.
    """

    def __init__(self, X: Any, y: Any, sample_weight: Any, categorical_features: Any) -> None:
        if y is None:
            raise TargetError("requires y to be passed, but the target y is None")
        self.cluster = cluster = Cluster()
        given = table_parts(X)
        self.n_parts = n_parts = len(given.parts)
        parts = [given.parts]
        parts += [
            cell_parts(cells, X, n_parts, name)
            for cells, name in ((y, "y"), (sample_weight, "sample_weight"))
            if cells is not None and not isinstance(cells, str)
        ]
        futures = self._computed([part for group in parts for part in group])
        groups = [futures[i : i + n_parts] for i in range(0, len(futures), n_parts)]
        rows = groups.pop(0)
        targets = None if isinstance(y, str) else groups.pop(0)
        weights = groups.pop(0) if groups else None
        names = given.names
        if names is None:
            (names,) = cluster.results([cluster.submit("names", work.column_names, rows[0])])
        beside = [name for name in (y, sample_weight) if isinstance(name, str)]
        for name in beside:
            if name not in (names or ()):
                raise TableError(f"X has no column {name!r}")
        self.names = None if names is None else [n for n in names if n not in beside]
        self.has_weights = sample_weight is not None
        n_columns = None if self.names is None else len(self.names)
        if n_columns is None:
            n_columns = X.shape[1] if hasattr(X, "shape") else 0
        known = self.names or [f"x{j}" for j in range(n_columns)]
        how = work.Reading(
            names,
            tuple(chosen_columns(categorical_features, known)),
            y if isinstance(y, str) else None,
            sample_weight if isinstance(sample_weight, str) else None,
        )
        blocks = in_blocks(cluster.places(rows), cluster.n_threads())
        self.blocks = [
            cluster.submit(
                "read",
                work.read,
                block,
                [rows[i] for i in block],
                None if targets is None else [targets[i] for i in block],
                None if weights is None else [weights[i] for i in block],
                how,
            )
            for block in blocks
        ]

    def _computed(self, parts: list[Any]) -> list[Future]:
        """Return partitions as finished futures."""
        lazy = [part for part in parts if not isinstance(part, Future)]
        started = iter(self.cluster.client.compute(lazy))
        futures = [part if isinstance(part, Future) else next(started) for part in parts]
        self.cluster.finish(futures)
        return futures

    def ask(self, function: Any, merge: Any, *arguments: Any) -> Any:
        """Return the merged answer of all blocks."""
        pending = self.cluster.each(function.__name__, function, self.blocks, *arguments)
        found = self.cluster.merged(pending, work.Merge(merge))
        if found is None:
            raise TableError("the table is empty: none of its partitions has rows")
        return found

    def encoded(self, tree: Any, how: work.Weighing, scale: NumberScale | None) -> DaskRows:
        """Return the rows, encoded as a local fit of the tree would encode them."""
        exact = isinstance(tree, SingleTree) and tree.max_leaves is None
        max_bins = tree.max_bins
        return encode_rows(
            self.cluster,
            self.blocks,
            self.n_parts,
            how,
            scale,
            max_bins,
            separate_rows=exact,
            keep_raw=bool(getattr(tree, "oob_score", False)),
        )


def _remote_classes(tree: Any, X: Any, y: Any, sample_weight: Any) -> tuple[RemoteTable, Cluster]:
    """Return rows on a cluster whose target are classes, and the cluster."""
    given = _Given(X, y, sample_weight, tree.categorical_features)
    counts: work.ClassCounts = given.ask(work.count_classes, work.add_classes)
    factors = class_factors(counts, tree.class_weight)

    def held() -> tuple[Any, bool]:
        if not given.has_weights:
            return counts.n_rows, True
        found: work.ClassWeights = given.ask(
            work.weigh_classes, work.add_class_weights, counts.classes
        )
        return found

    matrix = getattr(tree, "cost_matrix", None)
    costs = remote_costs(matrix, counts.classes, factors, held)
    factors = with_costs(costs, factors)
    weighing = work.Weighing(counts.classes, factors)
    how = weigh_rows(given.cluster, given.blocks, weighing, has_weights=given.has_weights)
    rows = given.encoded(tree, how, None)
    weighted = how.kept is not None and not how.kept.are_equal
    n_given = int(counts.n_rows.sum())
    named = isinstance(y, str) and not isinstance(X, list)  # a column of a frame
    dtype = getattr(X[y] if named else y, "dtype", None)
    facts = factors, weighted, BATCH, n_given, dtype, costs
    return RemoteTable(rows, given.names, counts.classes, *facts), given.cluster


def _remote_numbers(tree: Any, X: Any, y: Any, sample_weight: Any) -> RemoteTable:
    """Return rows on a cluster whose target are numbers."""
    given = _Given(X, y, sample_weight, tree.categorical_features)
    none = work.Weighing(np.empty(0), None)
    how = weigh_rows(given.cluster, given.blocks, none, has_weights=given.has_weights)
    facts: work.NumberFacts = given.ask(
        work.count_numbers, work.add_numbers, tree.criterion, how.given
    )
    weight = float(facts.n_rows) if how.kept is None else how.kept.total
    ends = facts.least, facts.most
    mean = facts.total / weight
    scale = NumberScale.of(tree.criterion, ends, mean, weight, facts.n_rows)
    rows = given.encoded(tree, how, scale)
    weighted = how.kept is not None and not how.kept.are_equal
    n_given = given.ask(work.count_rows, int.__add__)
    return RemoteTable(rows, given.names, np.empty(0), None, weighted, BATCH, n_given)


@stored_as_base
class TreeClassifier(LazyProbabilities, local.TreeClassifier):
    """A decision tree for classes that fits Dask collections; see ``polytomy.TreeClassifier``.

    The tree, its certificate and its model file are those of a local fit on the same rows, byte for
    byte, for any partitioning and any number of workers. The parameters and the fitted attributes
    are those of ``polytomy.TreeClassifier``; what needs all rows in one process (a teacher, a
    search, cross-validation, held-out rows) is refused.

    Examples
    --------
    >>> TreeClassifier(max_leaves=4)
    TreeClassifier(max_leaves=4)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree on rows of a cluster, or on local rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.
        y : dask Series, dask Array, list of delayed arrays, str, or local array
            The classes; a str is the name of the column of X that holds them.
        sample_weight : like y, default=None
            The weights of the rows. None gives every row the weight 1.

        Returns
        -------
        TreeClassifier
            The fitted estimator.
        """
        if not is_collection(X):
            super().fit(X, y, sample_weight)
            return self
        fit_remote(self, lambda: _remote_classes(self, X, y, sample_weight)[0])
        return self


@stored_as_base
class TreeRegressor(LazyPredictions, local.TreeRegressor):
    """A regression tree that fits Dask collections; see ``polytomy.TreeRegressor``.

    The tree and its model file are those of a local fit on the same rows, byte for byte, for any
    partitioning and any number of workers. The parameters and the fitted attributes are those of
    ``polytomy.TreeRegressor``.

    Examples
    --------
    >>> TreeRegressor(max_leaves=4)
    TreeRegressor(max_leaves=4)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree on rows of a cluster, or on local rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.
        y : dask Series, dask Array, list of delayed arrays, str, or local array
            The numbers; a str is the name of the column of X that holds them.
        sample_weight : like y, default=None
            The weights of the rows. None gives every row the weight 1.

        Returns
        -------
        TreeRegressor
            The fitted estimator.
        """
        if not is_collection(X):
            super().fit(X, y, sample_weight)
            return self
        fit_remote(self, lambda: _remote_numbers(self, X, y, sample_weight))
        return self


@stored_as_base
class BoostedTreeClassifier(LazyProbabilities, local.BoostedTreeClassifier):
    """Boosted trees that fit Dask collections; see ``polytomy.BoostedTreeClassifier``.

    The rows are encoded where they are, and stay there with their votes and weights; trees are
    grown in the process of the client, from histograms. The ensemble and its model file are those
    of a local fit, byte for byte, for any partitioning and any number of workers. The parameters
    and the fitted attributes are those of ``polytomy.BoostedTreeClassifier``; what needs all rows
    in one process (another estimator, families of splits of your own, rows that early stopping
    chooses) is refused.

    Examples
    --------
    >>> BoostedTreeClassifier(20)
    BoostedTreeClassifier(n_rounds=20)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost trees on rows of a cluster, or on local rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.
        y : dask Series, dask Array, list of delayed arrays, str, or local array
            The classes; a str is the name of the column of X that holds them.
        sample_weight : like y, default=None
            The weights of the rows, read as case counts. Rows of weight 0 are dropped. None gives
            every row the weight 1.

        Returns
        -------
        BoostedTreeClassifier
            The fitted estimator.
        """
        if not is_collection(X):
            super().fit(X, y, sample_weight)
            return self
        params, stopping = self._boost_params(), EarlyStopping.of(self.early_stopping)
        if stopping is not None and stopping.X_val is None:
            raise ParameterError("early stopping on a cluster needs X_val and y_val")
        if self.estimator is not None:
            raise ParameterError("estimator needs all rows; fit on rows in memory for that")
        if any(not isinstance(family, str) for family in params.grow.families):
            raise ParameterError(
                "families of splits of your own need all rows; fit on rows in memory for that"
            )
        with self._draft() as draft:
            given, cluster = _remote_classes(draft, X, y, sample_weight)
            check_classes(params, given.classes)
            set_names(draft, given)
            rows = BoostingRows(cluster, given)
            held_out = draft._held_out(stopping, None, given.rows.schema)
            params = params.resolved(rows.sample)
            prints = fingerprint(rows.sample, params, held_out, rows.hashes)
            training = PartedTraining(rows.sample, params, rows, given.batch)
            threads = draft._threads()
            draft._fit_record = FitRecord(
                params, draft.class_weight, draft.max_bins, given.n_rows, None
            )
            ready = Prepared(params, rows.sample, None, held_out, prints, threads, training)
            draft._boost(ready, {"X": None, "y": None})
            del draft._booster  # it would keep the rows on the cluster
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the votes.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.

        Returns
        -------
        dask Array or ndarray of shape (n_rows,) or (n_rows, n_classes)
            The votes, which are computed lazily for a Dask collection.
        """
        return self._predicted("decision_function", X)


@stored_as_base
class ForestClassifier(LazyProbabilities, local.ForestClassifier):
    """A forest that fits Dask collections; see ``polytomy.ForestClassifier``.

    The rows are encoded where they are; then every worker collects the codes, one byte a cell, and
    grows some of the trees. The forest and its model file are those of a local fit, byte for byte.

    Examples
    --------
    >>> ForestClassifier(20)
    ForestClassifier(n_estimators=20)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees on rows of a cluster, or on local rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.
        y : dask Series, dask Array, list of delayed arrays, str, or local array
            The classes; a str is the name of the column of X that holds them.
        sample_weight : like y, default=None
            The weights of the rows, above 0. None gives every row the weight 1.

        Returns
        -------
        ForestClassifier
            The fitted estimator.
        """
        if not is_collection(X):
            super().fit(X, y, sample_weight)
            return self
        if self.warm_start:
            raise ParameterError("warm_start needs all rows; fit on rows in memory for that")
        self._forest_params()
        plain = local.ForestClassifier(**self.get_params(deep=False))
        with self._draft() as draft:
            given, cluster = _remote_classes(draft, X, y, sample_weight)
            fitted = fit_in_shares(cluster, plain, given)
            state = {k: v for k, v in vars(fitted).items() if k not in self.get_params(deep=False)}
            draft.__dict__.update(state)
            set_names(draft, given)
        return self
