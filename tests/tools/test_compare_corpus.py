"""The corpus of fits: what it covers, and that a changed model is found."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def corpus():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        import compare_corpus  # noqa: PLC0415

        yield compare_corpus
        sys.modules.pop("compare_corpus")


def test_corpus_stores_exactly_the_fits_of_the_tool(corpus):
    stored = json.loads((ROOT / "tests/corpus/fits.json").read_text(encoding="utf-8"))
    assert list(stored) == [fit.name for fit in corpus.fits()]
    assert len(stored) >= 200


def test_corpus_contains_every_choice(corpus):
    from polytomy.boost.params import ALGORITHMS  # noqa: PLC0415
    from polytomy.grow import FAMILIES, PROCEDURES  # noqa: PLC0415
    from polytomy.index import INDICES  # noqa: PLC0415
    from polytomy.prune import PRUNERS  # noqa: PLC0415

    names = " ".join(fit.name for fit in corpus.fits())
    words = [*FAMILIES, *PROCEDURES, *INDICES, *ALGORITHMS[1:], *PRUNERS]
    assert [word for word in words if f"={word}" not in names and f"+{word}" not in names] == []


def test_first_difference_names_the_place(corpus):
    one = {"a": [1, {"b": 2.0}], "c": None}
    assert corpus.first_difference(one, {"c": None, "a": [1, {"b": 2.0}]}) is None
    assert corpus.first_difference(one, {"a": [1, {"b": 2.5}], "c": None}) == ".a[1].b: 2.0 and 2.5"
    assert corpus.first_difference(one, {"a": [1], "c": None}) == ".a: 2 and 1 items"
    assert corpus.first_difference(one, {"a": one["a"]}) == ".c: only in the stored model"


def test_compare_reports_a_changed_model(corpus, tmp_path, capsys):
    name = "tree/iris/defaults"
    stored = {name: corpus.sha256(corpus.canonical({"x": 1})).hexdigest()}
    assert corpus.compare({name: {"x": 1}}, stored, None) == 0
    corpus.kept_file(tmp_path, name).write_bytes(corpus.canonical({"x": 1}))
    assert corpus.compare({name: {"x": 2}}, stored, tmp_path) == 1
    assert capsys.readouterr().out.splitlines() == [
        "1 of 1 fits are identical.",
        f"differs: {name}",
        "    .x: 1 and 2",
        "0 of 1 fits are identical.",
    ]


@pytest.mark.parametrize("data", ["iris", "xor"])
def test_fit_of_the_corpus_equals_the_stored_one(corpus, data):
    stored = json.loads((ROOT / "tests/corpus/fits.json").read_text(encoding="utf-8"))
    chosen = [fit for fit in corpus.fits() if fit.data == data and "error" not in fit.name][:5]
    for fit in chosen:
        assert corpus.sha256(corpus.canonical(fit.document())).hexdigest() == stored[fit.name]
