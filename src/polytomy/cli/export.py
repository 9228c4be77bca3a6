"""``polytomy export``: convert a model to code, a diagram, rules or another format."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from . import options
from .errors import CommandError

FORMATS = (
    *("sql", "python", "c", "javascript", "onnx", "pmml", "dbt", "xlsx", "scorecard"),
    *("dot", "mermaid", "rules", "json", "text"),
)
DIALECTS = ("ansi", "duckdb", "postgres", "sqlite", "bigquery", "snowflake", "spark", "tsql")
OUTPUTS = ("prediction", "proba", "votes", "leaf", "rule")
_CODE = ("python", "c", "javascript")
_BINARY = ("onnx", "xlsx")
_CARDS = (".xlsx", ".csv", ".sql", ".pmml")


def export(
    model: options.ModelFile,
    to: Annotated[
        str,
        options.option(
            f"Format: {', '.join(FORMATS)}.",
            default=None,
            metavar="FORMAT",
            autocompletion=lambda: list(FORMATS),
        ),
    ],
    output: Annotated[
        Path,
        options.option(
            "File to write; - for stdout. For dbt, the folder of the project. For a scorecard, the "
            f"ending decides: {', '.join(_CARDS)}.",
            "--output",
            "-o",
            default="-",
            metavar="FILE",
            allow_dash=True,
        ),
    ] = Path("-"),
    *,
    dialect: Annotated[
        str | None,
        options.option(
            f"SQL dialect: {', '.join(DIALECTS)}.",
            default="ansi",
            metavar="NAME",
            autocompletion=lambda: list(DIALECTS),
        ),
    ] = None,
    include: Annotated[
        str | None,
        options.option(
            f"What code returns, separated by commas: {', '.join(OUTPUTS)}. Votes are those of "
            "models of many trees; leaf and rule those of single trees. For sql, dbt, python, c "
            "and javascript.",
            default="prediction",
            metavar="LIST",
        ),
    ] = None,
    source: Annotated[
        str | None, options.option("The dbt model with the rows to predict.", default="rows")
    ] = None,
    base_score: Annotated[
        float | None, options.option("Score at which the odds are --base-odds.", default="600")
    ] = None,
    base_odds: Annotated[
        float | None, options.option("Odds at the base score of a scorecard.", default="50")
    ] = None,
    points_to_double_odds: Annotated[
        float | None,
        options.option(
            "Points of a scorecard that double the odds.", "--double-odds", default="20"
        ),
    ] = None,
    favours: Annotated[
        str | None,
        options.option(
            "The class whose odds grow with the score.", default="the second", metavar="CLASS"
        ),
    ] = None,
) -> None:
    """Convert a model to code, a diagram or another format.

    A boosted model or a forest can be exported to fewer formats than a tree; a scorecard needs
    boosted trees of two classes that split on one column each. Code of a density tree returns the
    log-density of a row's box; onnx also that of rows with cells that training did not show.
    """
    from .files import check_output, load_model, write_output

    scale: dict[str, Any] = {"--base-score": base_score, "--base-odds": base_odds}
    scale |= {"--double-odds": points_to_double_odds, "--favours": favours}
    included = _checked(to, output, dialect, include)
    _check_fit(to, {"--source": source} | scale)
    if to == "dbt":
        _write_dbt(load_model(model), output, source or "rows", dialect, included)
        return
    check_output(output, model)
    clf = load_model(model)
    if to == "scorecard":
        content = _scorecard(clf, output.suffix.lower(), dialect, scale)
    else:
        content = convert(clf, to, dialect, included)
    write_output(output, content)
    if str(output) != "-":
        typer.echo(f"Wrote {to} to {output}")


def _checked(to: str, output: Path, dialect: str | None, include: str | None) -> list[str]:
    """Return what code is to return; raise an error for options that do not fit the format."""
    if to not in FORMATS:
        message = f"must be one of {', '.join(FORMATS)}; got {to!r}"
        raise typer.BadParameter(message, param_hint="--to")
    if dialect is not None and to not in ("sql", "dbt", "scorecard"):
        raise typer.BadParameter(
            "only applies to --to sql, dbt and scorecard", param_hint="--dialect"
        )
    if include is not None and to not in ("sql", "dbt", *_CODE):
        raise typer.BadParameter(f"does not apply to --to {to}", param_hint="--include")
    if to in _BINARY and str(output) == "-" and sys.stdout.isatty():
        kind = "ONNX" if to == "onnx" else "A workbook"
        raise CommandError(f"{kind} is a binary format: add -o FILE, or pipe the output")
    if to == "scorecard" and str(output) != "-" and output.suffix.lower() not in _CARDS:
        raise CommandError(
            f"cannot write {output}: a scorecard is written to a file ending in {', '.join(_CARDS)}"
        )
    if to == "dbt" and str(output) == "-":
        raise CommandError("dbt needs several files: add -o FOLDER, the folder of the project")
    included = [] if include is None else [part.strip() for part in include.split(",")]
    for part in included:
        if part not in OUTPUTS:
            message = f"must be some of {', '.join(OUTPUTS)}; got {part!r}"
            raise typer.BadParameter(message, param_hint="--include")
    return included


def _check_fit(to: str, given: dict[str, Any]) -> None:
    """Raise an error for options of dbt models and scorecards that are given for other formats."""
    for name, value in given.items():
        only = "dbt" if name == "--source" else "scorecard"
        if value is not None and to != only:
            raise typer.BadParameter(f"only applies to --to {only}", param_hint=name)


def convert(
    clf: Any, to: str, dialect: str | None = None, included: list[str] | None = None
) -> bytes:
    """Return a model in another format; text ends with a newline."""
    method = _method(clf, to)
    if to == "xlsx":
        with TemporaryDirectory() as folder:
            path = Path(folder, "model.xlsx")
            method(path)
            return path.read_bytes()
    given: dict[str, Any] = {} if dialect is None else {"dialect": dialect}
    if included and to == "sql":
        given["outputs"] = included
    elif included:
        given.update(_flags(clf, included))
    result = method(**given)
    if to == "onnx":
        return bytes(result.SerializeToString())
    return _encoded(str(result))


def _encoded(text: str) -> bytes:
    return (text.rstrip("\n") + "\n").encode("utf-8")


def _method(clf: Any, to: str) -> Any:
    """Return the method that exports a model to a format."""
    from .files import ensemble_word

    method = getattr(clf, "scorecard" if to == "scorecard" else f"to_{to}", None)
    if method is not None:
        return method
    word = ensemble_word(clf)
    if to == "scorecard":
        kind = f"this model is {word}" if word else "this model is a single tree"
        raise CommandError(f"a scorecard needs a boosted model, but {kind}; fit with --boost")
    raise CommandError(f"a model of many trees cannot be exported to {to}")


def _flags(clf: Any, included: list[str]) -> dict[str, bool]:
    """Return the arguments of a method that writes code for what it is to return."""
    from .files import ensemble_word

    for part in ("leaf", "rule"):
        if part in included and ensemble_word(clf):
            raise CommandError(
                f"--include {part} is for single trees: a row has a leaf in every tree of this "
                "model"
            )
    # Code always returns the prediction, and the votes of a model of many trees.
    return {part: True for part in included if part not in ("prediction", "votes")}


_SCALE = {
    "--base-score": "base_score",
    "--base-odds": "base_odds",
    "--double-odds": "points_to_double_odds",
}


def _scorecard(clf: Any, suffix: str, dialect: str | None, scale: dict[str, Any]) -> bytes:
    method = _method(clf, "scorecard")
    chosen, favours = None, scale["--favours"]
    if favours is not None:
        names = {str(c): c for c in clf.classes_.tolist()}
        if favours not in names:
            message = f"must be one of {', '.join(names)}; got {favours!r}"
            raise typer.BadParameter(message, param_hint="--favours")
        chosen = names[favours]
    given = {key: scale[name] for name, key in _SCALE.items() if scale[name] is not None}
    card = method(favours=chosen, **given)
    if suffix == ".xlsx":
        with TemporaryDirectory() as folder:
            path = Path(folder, "card.xlsx")
            card.to_xlsx(path)
            return path.read_bytes()
    texts = {
        ".csv": card.to_csv,
        ".sql": lambda: card.to_sql(dialect or "ansi"),
        ".pmml": card.to_pmml,
    }
    return _encoded(texts[suffix]() if suffix in texts else str(card))


def _write_dbt(
    clf: Any, folder: Path, source: str, dialect: str | None, included: list[str]
) -> None:
    """Write the files of a dbt project below a folder."""
    from .files import check_output, write_output

    method = _method(clf, "dbt")
    files = method(source, dialect=dialect or "postgres", outputs=included or ["prediction"])
    for name in files:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot write {path}: {error.strerror}") from None
        check_output(path)
    for name, text in files.items():
        write_output(folder / name, text.encode("utf-8"))
    typer.echo(f"Wrote {', '.join(files)} to {folder}")
