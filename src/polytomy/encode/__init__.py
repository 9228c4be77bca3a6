"""Encoding: columns as integer codes, weights as integers.

A *code* is a bin of an ordered column or a category of a nominal one; the code after the last is
that of missing cells. Growing works on codes only and does not know raw values.
"""

from .align import aligned, value_table
from .decoded import decoded
from .encoder import (
    Coded,
    EncodedTable,
    checked_max_bins,
    code_dtype,
    encode,
    encode_with,
    missing_cells,
    sort_categories,
)
from .exact_sums import GroupSums
from .numbers import RESIDUE_UNIT, NumberScale, NumericTarget, ends_of
from .part_quantiles import LocalParts, Part, Parts, Question, narrowed
from .parts import encode_part, schema_of_parts
from .schema import ColumnSpec, NominalColumn, OrderedColumn, Schema, thresholds_between
from .target import (
    Layer,
    Residues,
    Target,
    WeightFacts,
    check_total_weight,
    checked_some_weights,
    fixed_point,
    unit_exponent,
    weighing_rows,
)

__all__ = [
    "RESIDUE_UNIT",
    "Coded",
    "ColumnSpec",
    "EncodedTable",
    "GroupSums",
    "Layer",
    "LocalParts",
    "NominalColumn",
    "NumberScale",
    "NumericTarget",
    "OrderedColumn",
    "Part",
    "Parts",
    "Question",
    "Residues",
    "Schema",
    "Target",
    "WeightFacts",
    "aligned",
    "check_total_weight",
    "checked_max_bins",
    "checked_some_weights",
    "code_dtype",
    "decoded",
    "encode",
    "encode_part",
    "encode_with",
    "ends_of",
    "fixed_point",
    "missing_cells",
    "narrowed",
    "schema_of_parts",
    "sort_categories",
    "thresholds_between",
    "unit_exponent",
    "value_table",
    "weighing_rows",
]
