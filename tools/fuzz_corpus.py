"""Past failures of the fuzzers: files and tables that were once wrongly accepted, or crashed.

``tests/corpus/failures.json`` lists them, one a line. The tests and ``make fuzz`` try them first. A
record is enough to make the file or table again:

- ``field``: the model of ``fuzz_fields`` in which the value at ``path`` becomes ``value``, or is
  removed;
- ``file``: a damaged file of the model of ``fuzz_format``;
- ``table``: a table with its parameters, see ``fuzz_tables``.
"""

import json
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path
from typing import Any

from fuzz_fields import FieldCase, FieldMutant, edited_file, field_cases, field_outcome
from fuzz_format import Case, Mutant, cases, outcome
from fuzz_tables import table_outcome

CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "failures.json"
Record = dict[str, Any]


def field_record(case: FieldCase, mutant: FieldMutant) -> Record:
    """Return a record of a file with one changed field."""
    return {"kind": "field", "model": case.name, "path": mutant.path, "value": mutant.value}


def file_record(case: Case, mutant: Mutant) -> Record:
    """Return a record of a damaged file."""
    return {
        "kind": "file",
        "model": case.name,
        "how": mutant.how,
        "resealed": mutant.resealed,
        "data": b64encode(mutant.data).decode("ascii"),
    }


def recorded(path: Path = CORPUS) -> list[Record]:
    """Return the records of a corpus."""
    found: list[Record] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(records: list[Record], path: Path = CORPUS) -> None:
    """Write a corpus, one record a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(record) for record in records)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def described(record: Record) -> str:
    """Return a few words on what a record makes."""
    if record["kind"] == "field":
        place = ".".join(map(str, record["path"]))
        return f"{record['model']}, {place} = {json.dumps(record['value'])[:60]}"
    if record["kind"] == "table":
        return f"table of {len(record['columns']['c0'])} rows, {record['check']}"
    return f"{record['model']}, {record['how']}"


def result_of(record: Record) -> str:
    """Try a record again; return what became of it, as the fuzzer that made it does."""
    if record["kind"] == "field":
        case = _field_cases()[record["model"]]
        return field_outcome(case, edited_file(case, tuple(record["path"]), record["value"]))
    if record["kind"] == "table":
        return table_outcome(record)
    data = b64decode(record["data"])
    return outcome(_cases()[record["model"]], Mutant(record["how"], data, record["resealed"]))


@cache
def _field_cases() -> dict[str, FieldCase]:
    return {case.name: case for case in field_cases()}


@cache
def _cases() -> dict[str, Case]:
    return {case.name: case for case in cases()}
