"""Compiled kernels of polytomy; import them through polytomy.kernels."""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


MISSING: int = -1

UNKNOWN: int = -2

UNSEEN: int = -1

TIE: float = 1e-12

ITEM_SIZES: tuple = (4, 8, 2, 4)

class CodeTable:
    def __init__(self, columns: list, n_codes: Sequence[int]) -> None: ...

class ValueTable:
    def __init__(self, columns: list, readings: Sequence[int], n_rows: int) -> None: ...

class TreeArrays:
    def __init__(self, kind: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], child_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], code_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], code_to_branch: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_branch: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], default_branch: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class NodeQuery:
    def __init__(self, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, code_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], index: int | Callable, node_value: float, least: tuple[int, int], threads: int) -> None: ...

    def interval_menu(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], prices: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], floor: float) -> list: ...

    def group_menu(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], prices: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], floor: float) -> list: ...

    def value_options(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_arity: int) -> list: ...

class Prunings:
    def __init__(self, child_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], errors: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], carried: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, cap: int) -> None: ...

    @property
    def sizes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]: ...

    @property
    def errors(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]: ...

    @property
    def carried(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]: ...

    def leaves(self, which: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

def find_cuts(table: ValueTable, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_bins: int, sort_below: int, threads: int) -> list: ...

def encode(table: ValueTable, highs: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], sinks: list, threads: int) -> None: ...

def accumulate(table: CodeTable, which: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, code_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None, threads: int) -> None: ...

def scatter(members: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], table: CodeTable, column: int, branch_of_code: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scratch: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], branches: int, threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

def route(tree: TreeArrays, table: ValueTable, node: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

def index_values(index: int, counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...
