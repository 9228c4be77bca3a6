"""Growth under constraints on columns and branches, by listing every split of every leaf."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from polytomy.reference import TIE, Run
from polytomy.reference.splits import splits


class ConstrainedRun(Run):
    """A run of the reference whose leaves choose among the splits that constraints allow."""

    def __init__(self, *sample, constraints, **rules):
        super().__init__(*sample, **rules)
        self._held = constraints
        self._asked = {0: frozenset()}  # columns, by the number of the node

    def menu(self, leaf):
        """Return the best split of each arity, of the columns that come first if one gains."""
        rules = self.rules
        too_deep = rules.max_depth is not None and leaf.depth >= rules.max_depth
        if too_deep or len(leaf.rows) < rules.min_samples_split:
            return {}
        asked, held = self._asked[leaf.number], self._held
        allowed = [j for j in range(len(self.columns)) if j not in held.never]
        if held.after:
            allowed = [j for j in allowed if not held.after[j] or asked & set(held.after[j])]
        first = [j for j in allowed if j in held.first and j not in asked]
        self._searched = first
        if first and self._gains(leaf, found := self._best(leaf, first)):
            return found
        self._searched = allowed
        return self._best(leaf, allowed)

    def best_binary(self, leaf):
        """Return the largest gain of a binary split on the columns searched, charged or not."""
        if 2 not in self.menu(leaf):
            return None
        return max(s.gain for s in self._allowed(leaf, self._searched) if s.arity == 2)

    def _gains(self, leaf, found):
        """Whether the leaf would choose a split that gains from this menu."""
        self.menu, menu = (lambda _: found), self.menu
        chosen = self.candidate(leaf)
        self.menu = menu
        return chosen is not None and chosen.split.gain > 0

    def _allowed(self, leaf, columns):
        limits = self._limits(self.rules.range_arity, self.rules.procedure == "priced")
        least = self._held.min_child_share * float(leaf.counts.sum()) * (1 - 1e-9)
        for split in splits(self.columns, leaf.rows, self.counts, limits):
            if split.column not in columns or split.children.sum(axis=1).min() < least:
                continue
            if self._held.min_difference and not self._is_apart(split):
                continue
            yield replace(split, charge=split.charge + self._charge(leaf, split.column))

    def _is_apart(self, split):
        values = split.children[:, 1] / split.children.sum(axis=1)
        if split.family == "intervals":  # a branch of missing cells has no neighbours
            values = values[: len(split.thresholds) + 1]
        else:
            values = np.sort(values)
        return all(abs(a - b) >= self._held.min_difference - 1e-9 for a, b in pairwise(values))

    def _charge(self, leaf, column):
        if not self._held.costs or column in self._asked[leaf.number]:
            return 0.0
        cost = self._held.costs[column] * (self._held.cost_unit or 1.0)
        return cost * self.value(self.tree) * float(leaf.counts.sum()) / self.weight

    def _best(self, leaf, columns):
        by_arity = {}
        for split in self._allowed(leaf, columns):
            by_arity.setdefault(split.arity, []).append(split)
        slack, best = TIE * max(self.value(leaf), 0.0), {}
        for k in sorted(by_arity):
            most = max(split.worth for split in by_arity[k])
            best[k] = next(s for s in by_arity[k] if s.worth >= most - slack)
        if self._held.cost_unit is None:
            best = {k: s for k, s in best.items() if s.worth >= 0 or not self._is_charged(leaf, s)}
        return best

    def _is_charged(self, leaf, split):
        return bool(self._held.costs) and split.charge > 0

    def _replace(self, leaf, split):
        super()._replace(leaf, split)
        for child in leaf.children:
            self._asked[child.number] = self._asked[leaf.number] | {split.column}
