"""An ensemble of stumps as text: a table of scores for each column, to be added up by hand."""

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import one_line
from polytomy.ensemble import Additive, Ensemble, Member
from polytomy.tree import OwnQuestion

from .members import members_in_words
from .score_rows import ScoreRow, score_rows
from .score_style import Style, start_row
from .words import answers

_Table = tuple[str, list[ScoreRow]]  # its title, and what is in it


def scores_to_text(ensemble: Ensemble, max_width: int = 100, max_rows: int = 16) -> str:
    """Print what each column adds to the votes, the column that can move them most first.

    Only stumps, trees of one question, add up like this. Of an ensemble with deeper trees, a
    summary is printed, and what to do instead.

    Parameters
    ----------
    ensemble : Ensemble
        What to print.
    max_width : int
        Lines are cut to so many characters.
    max_rows : int
        Where a column has more rows than this, neighbours that differ least are joined, and show
        from what to what they add.
    """
    if max_width < 40 or max_rows < 2:
        raise ParameterError("scores need a width of at least 40 and at least 2 rows a column")
    merged = ensemble.additive
    if merged is None:
        lines = members_in_words(ensemble, max_width)
    else:
        lines = _additive_in_words(ensemble, merged, max_width, max_rows)
    return "\n".join(
        line if len(line) <= max_width else f"{line[: max_width - 1]}…" for line in lines
    )


def _additive_in_words(
    ensemble: Ensemble, merged: Additive, max_width: int, max_rows: int
) -> list[str]:
    names = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
    tables = _tables(ensemble, merged, max_rows)
    first = start_row(merged.start)
    every = [first, *(row for _, rows in tables for row in rows)]
    style = Style.of(every, max_width)
    asked = f"{len(merged.functions)} of {len(ensemble.schema)} columns"
    if ensemble.n_outputs == 1:
        wins = f"Votes above 0 are for {names[1]}, below for {names[0]}."
        names = names[1:]
    else:
        wins = "The class with the most votes wins."
        if not all(row.exact for row in every):
            wins += " ~ is the middle of several scores."
    lines = [
        f"{ensemble.algorithm}: {_count(len(ensemble), 'stump')} on {asked}",
        "A row's votes are the start and its score in every table, added up.",
        wins,
        "",
        *style.table([first], names),
    ]
    for title, rows in tables:
        lines += ["", title, *style.table(rows, names)]
    return lines


def _tables(ensemble: Ensemble, merged: Additive, max_rows: int) -> list[_Table]:
    tables = []
    for function in merged.by_spread():
        column = ensemble.schema[function.feature]
        stumps = _count(function.members, "stump")
        title = f"{one_line(column.name)}: moves votes by up to {function.spread:.3g}, {stumps}"
        tables.append((title, score_rows(function, column, max_rows)))
    return tables + [_own_table(ensemble, member) for member in merged.own]


def _own_table(ensemble: Ensemble, member: Member) -> _Table:
    question = member.tree.question(0)
    assert isinstance(question, OwnQuestion)
    asked, _ = question.branching.describe(ensemble.schema.names)
    added = member.scores[member.tree.children(0)]
    words = answers(question, ensemble.schema)
    rows = [ScoreRow(said, s, s) for said, s in zip(words, added, strict=True)]
    return f"{asked}: moves votes by up to {np.ptp(added, axis=0).max():.3g}, 1 stump", rows


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
