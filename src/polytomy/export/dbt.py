"""A model as a dbt model: its SQL, the properties of its columns, and tests."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy.ensemble import Ensemble

from .code import to_sql
from .code.conditions import ensemble_title, plain_value, title_of
from .code.sql import DIALECTS, checked_outputs
from .phrasing import AnyModel

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def to_dbt(
    model: AnyModel | Ensemble,
    source: str,
    name: str = "predictions",
    dialect: str = "postgres",
    outputs: Sequence[str] = ("prediction",),
    smoothing: float = 0.0,
) -> dict[str, str]:
    """Return a model as the files of a dbt project.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model to export.
    source : str
        The dbt model with the rows to predict.
    name : str, default="predictions"
        The name of the new dbt model. It has all columns of the source, and the outputs.
    dialect : str, default="postgres"
        The SQL dialect, as for ``to_sql``.
    outputs : sequence of {"prediction", "proba", "votes", "leaf", "rule"}, default=("prediction",)
        The columns to add.
    smoothing : float, default=0.0
        Weight added to each class for probabilities. Not to honest shares.

    Returns
    -------
    dict from str to str
        The text of each file by its path in the project: ``models/<name>.sql``,
        ``models/<name>.yml`` with tests of the values and of missing ones and, if there are
        probabilities, ``tests/<name>_probabilities.sql``.

    Examples
    --------
    >>> from polytomy import TreeClassifier
    >>> clf = TreeClassifier(procedure="per-leaf").fit([[1], [2], [3]], ["a", "a", "b"])
    >>> files = to_dbt(clf._model, "measurements")
    >>> print(files["models/predictions.yml"])
    version: 2
    models:
      - name: predictions
        description: "A decision tree of 2 leaves, written by polytomy."
        columns:
          - name: "prediction"
            data_tests:
              - not_null
              - accepted_values:
                  values: ["a", "b"]
                  quote: true
    <BLANKLINE>
    """
    for what, text in (("source", source), ("name", name)):
        if not isinstance(text, str) or _NAME.fullmatch(text) is None:
            raise ParameterError(f"{what} must be the name of a dbt model, got {text!r}")
    listed = checked_outputs(outputs)
    options = {} if isinstance(model, Ensemble) else {"smoothing": smoothing}
    select = to_sql(model, dialect, outputs=listed, **options)
    title = ensemble_title(model) if isinstance(model, Ensemble) else title_of(model)
    sql = (
        f"-- {title}.\n{{{{ config(materialized='view') }}}}\n\nselect\nrows_to_predict.*,\n"
        f"{_plain(select)}\nfrom {{{{ ref('{source}') }}}} as rows_to_predict\n"
    )
    files = {
        f"models/{name}.sql": sql,
        f"models/{name}.yml": _properties(model, name, listed, title),
    }
    if "proba" in listed:
        files[f"tests/{name}_probabilities.sql"] = _probability_test(model, name, dialect)
    return files


def _plain(sql: str) -> str:
    """Return SQL that Jinja leaves as it is."""
    return re.sub(r"\{[{%#]", lambda found: f"{{{{ '{found[0]}' }}}}", sql)


def _classes(model: AnyModel | Ensemble) -> list[Any]:
    return [plain_value(c) for c in np.asarray(getattr(model, "classes", [])).tolist()]


def _properties(model: AnyModel | Ensemble, name: str, outputs: Sequence[str], title: str) -> str:
    classes = _classes(model)
    lines = [
        "version: 2",
        "models:",
        f"  - name: {name}",
        f"    description: {_quoted(title + '.')}",
        "    columns:",
    ]
    columns = {"proba": [f"p_{c}" for c in classes]}
    if isinstance(model, Ensemble) and model.n_outputs > 1:
        columns["votes"] = [f"votes_{c}" for c in classes]
    for output in outputs:
        for column in columns.get(output, [output]):
            lines += [
                f"      - name: {_quoted(column)}",
                "        data_tests:",
                "          - not_null",
            ]
            if output == "prediction" and classes:
                is_text = all(isinstance(c, str) for c in classes)
                values = [_quoted(c) if is_text else str(c).lower() for c in classes]
                lines += [
                    "          - accepted_values:",
                    f"              values: [{', '.join(values)}]",
                    f"              quote: {str(is_text).lower()}",
                ]
    return "\n".join(lines) + "\n"


def _probability_test(model: AnyModel | Ensemble, name: str, dialect: str) -> str:
    """Return a test that finds rows whose probabilities are none."""
    identifier = DIALECTS[dialect].identifier
    columns = [_plain(identifier(f"p_{c}")) for c in _classes(model)]
    outside = " or ".join(f"{c} < 0 or {c} > 1" for c in columns)
    total = " + ".join(columns)
    return (
        "-- Rows whose probabilities are not between 0 and 1, or do not add up to 1.\n"
        f"select *\nfrom {{{{ ref('{name}') }}}}\n"
        f"where {outside} or abs({total} - 1) > 0.000001\n"
    )


def _quoted(text: str) -> str:
    """Return text in the double quotes of YAML, and as Jinja leaves it."""
    marks = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "{": "\\x7B"}
    return (
        '"'
        + "".join(marks.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in text)
        + '"'
    )
