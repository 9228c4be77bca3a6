"""Another name for ``polytomy.reference.splits.set_partitions``."""

from polytomy.reference.splits import set_partitions

__all__ = ["set_partitions"]
