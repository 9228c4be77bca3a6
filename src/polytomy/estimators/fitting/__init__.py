"""How a single tree is fitted: planned, grown, constrained, taught and pruned to a size."""
