"""Model files as verbs take them: by name, or ``-`` for stdin and stdout."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from .bad_input import BadInputError, check_known, reason
from .read import STDIO, name_of, read_bytes, read_table
from .write import write_bytes

if TYPE_CHECKING:
    from .kinds import Kind
    from .sheet import Sheet


def load_model(path: Path) -> Any:
    """Return the classifier in a model file."""
    from polytomy import load

    if str(path) != STDIO:
        if not path.exists():
            raise BadInputError(f"there is no model file {path}")
        if path.is_dir():
            raise BadInputError(f"{path} is a folder, not a model file")
        return load(path)
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.json")
        file.write_bytes(read_bytes(path))
        return load(file)


def save_model(clf: Any, path: Path) -> None:
    """Write a classifier to a model file."""
    try:
        if str(path) != STDIO and (path.is_file() or not path.exists()):
            clf.save(path)  # which is atomic itself
            return
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.json")
            clf.save(file)
            data = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {reason(error)}") from None
    write_bytes(path, data)


def read_for(clf: Any, path: Path, extra: Sequence[str | None] = ()) -> "Sheet":
    """Read a table for a model: its columns are read as what they were when it was fitted.

    ``extra`` names columns that are wanted besides: a target first, then weights.
    """
    kinds = _kinds(clf)
    target = extra[0] if extra else None
    if target is not None:
        kinds |= _kind_of_values(target, clf.classes_.tolist())
        if kinds.get(target) == "integer":
            kinds[target] = "number"  # 1.0 is the class 1, too
    sheet = read_table(path, kinds)
    wanted = [*names_of(clf), *(name for name in extra if name is not None)]
    check_known(wanted, sheet.names, name_of(path))
    return sheet


def names_of(clf: Any) -> list[str]:
    """Return the columns a model was fitted on."""
    return list(clf._model.schema.names)


def _kinds(clf: Any) -> "dict[str, Kind]":
    """Return what the cells of a CSV file must be for a model's columns."""
    from polytomy.encode import NominalColumn
    from polytomy.table import Ranks, Times

    kinds: dict[str, Kind] = {}
    for spec in clf._model.schema:
        if isinstance(spec, NominalColumn):
            kinds |= _kind_of_values(spec.name, spec.categories)
        elif isinstance(spec.scale, Times):
            if spec.scale.dtype.startswith("datetime64"):
                kinds[spec.name] = "time" if spec.scale.zone is None else "zoned time"
        elif isinstance(spec.scale, Ranks):
            kinds |= _kind_of_values(spec.name, spec.scale.labels)
        else:
            kinds[spec.name] = "number"
    return kinds


def _kind_of_values(name: str, values: Sequence[Any]) -> "dict[str, Kind]":
    """Return the kind of CSV cells that can equal these values; nothing where none can."""
    ways: dict[type, Kind] = {str: "text", bool: "boolean", int: "integer", float: "number"}
    types = {type(v) for v in values}
    only = next(iter(types)) if len(types) == 1 else None
    return {name: ways[only]} if only in ways else {}
