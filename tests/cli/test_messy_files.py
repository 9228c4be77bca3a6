"""Messy files on the command line: what fit prints, and that models read new files alike."""

import csv
import json
import random
import sys

import pytest

import polytomy
from polytomy.cli import files
from polytomy.estimators import record_of
from polytomy.format import to_bytes

N = 120


def messy_rows(seed=0):
    """Return rows in which the price decides, with ids, zip codes, shares and dates."""
    rng = random.Random(seed)
    for i in range(N):
        price = rng.randrange(100, 9_000) + rng.randrange(100) / 100
        whole, cents = divmod(round(price * 100), 100)
        yield {
            "id": 70_001 + i,
            "price": f"{whole:,}".replace(",", ".") + f",{cents:02d} €",
            "share": f"{rng.randrange(1000) / 10} %".replace(".", ","),
            "zip": f"{rng.choice([1234, 20095, 80331]):05d}",
            "day": f"{rng.randrange(1, 29):02d}/{rng.randrange(1, 13):02d}/2026",
            "bought": "yes" if price > 3_000 else "no",
        }


def write(path, rows, encoding="cp1252", delimiter=";"):
    rows = list(rows)
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def messy(tmp_path):
    return write(tmp_path / "messy.csv", messy_rows())


@pytest.fixture
def fitted(run, messy, tmp_path):
    """A model of the messy file, of which a quarter is held out."""
    path = tmp_path / "m.json"
    code, out, err = run(
        "fit", messy, "--target", "bought", "-o", path, "--test-fraction", 0.25, "--seed", 3
    )
    assert (code, err) == (0, "")
    return path, out


def test_fit_says_how_cells_are_read_and_what_is_left_out(fitted):
    _, out = fitted
    lines = out.splitlines()
    assert lines[0] == "120 rows, 4 columns"
    assert "messy.csv is not UTF-8 (line 2): read as Windows-1252" in lines[1]
    assert lines[1].endswith("(--encoding NAME reads another encoding)")
    assert (
        "column zip: some numbers begin with a zero, so they are read as codes "
        "(--numeric zip reads numbers)" in lines
    )
    assert any(line.startswith("column price: '") and " € ' " not in line for line in lines)
    assert any(line.startswith("column day: '") for line in lines)
    assert (
        "left out column id: 120 distinct whole numbers in 120 rows (use --numeric id to keep it)"
        in lines
    )
    assert "training error     0.0% of 90 rows" in out


def test_model_reads_new_files_like_the_training_file(run, fitted, tmp_path):
    path, _ = fitted
    rows = [{"price": "1.234", "share": "3", "zip": "01234", "day": "01/02/2026"}]
    rows.append({"price": "9.000 €", "share": "7,5 %", "zip": "1234", "day": "NA"})
    new = write(tmp_path / "new.csv", rows, "utf-16", ",")
    code, out, err = run("predict", path, new, "--keep", "price,zip", "--keep", "day")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "price,zip,day,prediction",
        "1.234,01234,01/02/2026,no",
        "9.000 €,1234,,yes",
    ]


def test_other_formats_in_new_files_are_read_with_a_warning(run, refuse, fitted, tmp_path):
    path, _ = fitted
    row = {"price": "€5,000.50", "share": "3 %", "zip": "99999", "day": "2026-02-01"}
    new = write(tmp_path / "new.csv", [row], "utf-8", ",")
    code, out, err = run("predict", path, new)
    assert (code, out) == (0, "prediction\nyes\n")
    assert err.splitlines() == [
        "polytomy: warning: unlike the training data, column price: '€5,000.50' is read as 5000.5",
        f"polytomy: warning: {new} has no category that the model knows in column 'zip' "
        "(such as '99999')",
    ]
    write(new, [row | {"price": "cheap"}], "utf-8", ",")
    assert "column 'price' contains 'cheap', which is not a number" in refuse("predict", path, new)
    write(new, [{"price": "5", "day": ""}], "utf-8", ",")
    assert refuse("predict", path, new) == (
        f"{new} has no columns 'share' and 'zip'; its columns are price, day"
    )


def test_percentages_without_their_sign_are_read_with_a_warning(run, fitted, tmp_path):
    path, _ = fitted
    row = {"price": "5 €", "share": "0,12", "zip": "01234", "day": "01/02/2026"}
    code, _, err = run("predict", path, write(tmp_path / "new.csv", [row]))
    assert code == 0
    assert err == (
        "polytomy: warning: unlike the training data, column share has no percent signs: '0,12' is "
        "read as a percentage\n"
    )


@pytest.mark.parametrize("price", ["1.234,5", "1234", "1234.50"])
def test_sums_without_their_currency_are_read_with_a_warning(price, run, fitted, tmp_path):
    path, _ = fitted
    row = {"price": price, "share": "12 %", "zip": "01234", "day": "01/02/2026"}
    rows = [row | {"price": "-"}, row]
    code, out, err = run("predict", path, write(tmp_path / "new.csv", rows))
    assert (code, out.splitlines()[2]) == (0, "no")
    assert err.splitlines()[0] == (
        f"polytomy: warning: unlike the training data, column price has no currency: {price!r} is "
        "read in '€'"
    )


def test_predict_overrides_how_text_is_read(run, fitted, tmp_path):
    path, _ = fitted
    row = {"price": "4,500", "share": "3", "zip": "01234", "day": "02/01/2026"}
    new = write(tmp_path / "new.csv", [row], "utf-8", ",")
    assert run("predict", path, new)[1] == "prediction\nno\n"
    options = ["--decimal", ".", "--monthfirst", "--keep", "price,day", "--sep", ","]
    assert run("predict", path, new, *options, "--encoding", "utf-8")[1].splitlines()[1] == (
        '"4,500",02/01/2026,yes'
    )


def test_predict_keeps_cells_as_they_are(run, tmp_path):
    path, model = tmp_path / "orders.csv", tmp_path / "m.json"
    cells = {"key": list("1234"), "city": list("abab"), "amount": ["$1,200", "$5", "$7", "$8"]}
    cells |= {"day": [f"2024-01-0{i}" for i in range(1, 5)], "paid": ["true", "false"] * 2}
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    given = [row | {"label": label} for row, label in zip(rows, "xyxy", strict=True)]
    write(path, given, "utf-8", ",")
    assert run("fit", path, "--target", "label", "-o", model)[0] == 0
    new = [rows[0] | {"key": key} for key in ("9007199254740993", "007")]
    parts = tmp_path / "parts"
    parts.mkdir()
    write(parts / "a.csv", new, "utf-8", ",")
    for data in (parts / "a.csv", parts):
        out = run("predict", model, data, "--keep", "paid,key,amount,day")[1].splitlines()
        assert out[0] == "paid,key,amount,day,prediction"
        assert out[1:] == [f'true,{row["key"]},"$1,200",2024-01-01,x' for row in new]


def test_predict_adds_columns(run, refuse, fitted, messy, boosted, tumours):
    path, _ = fitted
    clf = polytomy.load(path)
    out = run("predict", path, messy, "--proba", "--leaf", "--explain", "--keep", "id")[1]
    lines = list(csv.reader(out.splitlines()))
    assert lines[0] == ["id", "prediction", "p_no", "p_yes", "leaf", "explanation"]
    rules = {str(rule.leaf): rule.condition for rule in clf.to_rules()}
    assert [line[0] for line in lines[1:4]] == ["70001", "70002", "70003"]
    assert all(rules[line[4]] == line[5] for line in lines[1:])
    assert len({line[4] for line in lines[1:]}) == clf.n_leaves_
    message = refuse("predict", boosted, tumours, "--leaf")
    assert message == "--leaf is for a single tree, but this model is boosted"
    assert "has no column 'nome'" in refuse("predict", path, messy, "--keep", "nome")


def test_model_remembers_its_training_data(fitted, messy, monkeypatch, run, tmp_path):
    record = record_of(polytomy.load(fitted[0]))
    assert (record.target, record.n_rows, record.n_fitted) == ("bought", 120, 90)
    assert (record.test_fraction, record.seed, record.weights) == (0.25, 3, None)
    assert record.time == "2026-05-28T20:26:40Z"
    assert record.version == polytomy.__version__
    assert record.reading.formats == {
        "price": "1.234,5 €",
        "share": "1.234,5%",
        "day": "dd/mm/yyyy",
    }
    again = tmp_path / "again.json"
    run("fit", messy, "--target", "bought", "-o", again, "--test-fraction", 0.25, "--seed", 3)
    assert again.read_bytes() == fitted[0].read_bytes()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    run("fit", messy, "--target", "bought", "-o", again, "--force")
    other = record_of(polytomy.load(again))
    assert other.time > record.time
    assert other.fingerprint == record.fingerprint


def test_report_splits_the_training_file_as_fit_did(run, fitted, messy, tmp_path):
    page = tmp_path / "r.html"
    code, out, err = run("report", fitted[0], messy, "-o", page)
    assert code == 0
    assert out.startswith("target: bought\n")
    assert err == (
        "This is the training file: 90 rows were fitted and 30 held out "
        "(--test-fraction 0.25 --seed 3).\n"
    )
    assert '"test_rows":30' in page.read_text(encoding="utf-8").replace(": ", ":")


def test_prune_chooses_on_held_out_rows_only(run, refuse, fitted, messy, tmp_path):
    path, _ = fitted
    small, page = tmp_path / "small.json", tmp_path / "r.html"
    prune = ["prune", path, messy, "--method", "reduced-error", "-o", small]
    assert refuse(*prune) == (
        "the tree was fitted on these rows, which cannot choose its size; --test-fraction 0.25 "
        "chooses on the 30 rows that fit held out"
    )
    assert refuse(*prune, "--test-fraction", 0.3) == (
        "this --test-fraction and --seed hold out other rows than fit did; give both the same "
        "values as for fit"
    )
    code, out, _ = run(*prune, "--test-fraction", 0.25)
    assert code == 0
    assert "on 30 rows (chosen on these rows, optimistic)" in out
    record = record_of(polytomy.load(small))
    assert record.chosen_on is not None
    assert run("report", small, messy, "-o", page)[0] == 0
    assert '"test_chose_size":true' in page.read_text(encoding="utf-8").replace(": ", ":")
    assert run("report", path, messy, "-o", page)[0] == 0
    assert '"test_chose_size"' not in page.read_text(encoding="utf-8")
    others = write(tmp_path / "others.csv", messy_rows(1))
    assert run("prune", path, others, "--method", "reduced-error", "-o", small)[0] == 0
    assert run("report", small, messy, "-o", page)[0] == 0  # other rows chose the size
    assert '"test_chose_size"' not in page.read_text(encoding="utf-8")


def test_prune_refuses_the_rows_of_a_model_without_test_rows(refuse, cars, model, tmp_path):
    message = refuse("prune", model, cars, "--method", "reduced-error", "-o", tmp_path / "s.json")
    assert message == (
        "the tree was fitted on these rows, which cannot choose its size; give other rows, or hold "
        "some out with --test-fraction, for fit and here"
    )
    assert "add DATA" in refuse(
        "prune", model, "--method", "pessimistic", "--test-fraction", 0.2, "-o", tmp_path / "s.json"
    )


def test_prune_refuses_the_rows_of_a_model_that_remembers_nothing(
    refuse, forget, cars, model, tmp_path
):
    plain = forget(model)
    assert "training" not in json.loads(plain.read_bytes())
    args = ["--method", "reduced-error", "-o", tmp_path / "s.json"]
    assert refuse("prune", plain, cars, *args) == "reading rows needs the target: add --target COL"
    args += ["--target", "origin"]
    assert "the tree was fitted on these rows" in refuse("prune", plain, cars, *args)


def test_fit_asks_before_it_overwrites(run, refuse, cars, tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    path.write_text("old")
    fit = ["fit", cars, "--target", "origin", "-o", path]
    assert refuse(*fit) == f"{path} exists; add --force to replace it"
    assert path.read_text() == "old"
    assert run(*fit, "--force")[0] == 0
    asked = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(files.typer, "confirm", lambda text, **_: asked.append(text))
    files.check_overwrite(path, False)
    assert asked == [f"{path} exists. Replace it?"]


def test_names_may_be_listed_or_repeated(run, refuse, data_file, tmp_path):
    path = tmp_path / "m.json"
    rows = "".join(f'{i % 3},{i % 2},{i % 5},"{i % 7}",{"pq"[i % 3 > 1]}\n' for i in range(40))
    data = data_file('a,b,c,"d,e",y\n' + rows)
    fit = ["fit", data, "--target", "y", "--force", "-o", path]
    assert run(*fit, "--categorical", "a, b", "--categorical", "c", "--drop", '"d,e"')[0] == 0
    assert polytomy.load(path).categorical_features == ["a", "b", "c"]
    assert polytomy.load(path).feature_names_in_.tolist() == ["a", "b", "c"]
    message = refuse(*fit, "--categorical", "a,x1", "--numeric", "zz", "--drop", "q")
    assert message == (f"{data} has no columns 'x1', 'zz' and 'q'; its columns are a, b, c, d,e, y")
    assert "a name is empty" in refuse(*fit, "--drop", "a,,b")


def test_several_files_are_one_table(run, refuse, tmp_path, messy):
    lines = messy.read_bytes().splitlines(keepends=True)
    parts = [tmp_path / "1.csv", tmp_path / "2.csv"]
    parts[0].write_bytes(b"".join(lines[:50]))
    parts[1].write_bytes(b"".join([lines[0], *lines[50:]]))
    whole, both = tmp_path / "whole.json", tmp_path / "both.json"
    for data, model in (([messy], whole), (parts, both)):
        assert run("fit", *data, "--target", "bought", "-o", model)[0] == 0
    assert run("show", whole) == run("show", both)
    one, other = (record_of(polytomy.load(model)) for model in (whole, both))
    assert one == other
    assert run("predict", both, *parts)[1] == run("predict", whole, messy)[1]
    assert run("certify", both, *parts)[0] == 0
    message = refuse("fit", "-", parts[0], "--target", "bought", "-o", tmp_path / "x")
    assert "stdin cannot be read together with files" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sep", "ab"], "--sep must be one character or tab, got 'ab'"),
        (["--decimal", "x"], "--decimal must be a point or a comma, got 'x'"),
        (["--encoding", "none"], "--encoding 'none' is not known"),
    ],
)
def test_wrong_reading_options_are_refused(refuse, cars, tmp_path, options, message):
    fit = ["fit", cars, "--target", "origin", "-o", tmp_path / "m.json"]
    assert message in refuse(*fit, *options)


def test_addresses_are_refused(refuse, tmp_path):
    message = refuse("fit", "https://a.org/t.csv", "--target", "y", "-o", tmp_path / "m.json")
    assert message == "https://a.org/t.csv is an address, not a file; download it first"


def test_word_among_numbers_in_the_target_is_missing_or_a_class(run, refuse, tmp_path):
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    rows = [f"{i},{'unknown' if i % 10 == 3 else i // 30}" for i in range(60)]
    table.write_text("a,y\n" + "\n".join(rows))
    fit = ("fit", table, "--target", "y", "--numeric", "a", "-o", model, "--force")
    assert refuse(*fit) == (
        "target 'y' is missing or reads 'unknown' in 6 of 60 rows, first in row 4; fill in these "
        "cells, leave these rows out with --drop-unlabelled, or keep it as a class with --task "
        "classification"
    )
    _, out, _ = run(*fit, "--drop-unlabelled")
    words = (
        "left out 6 rows whose target is missing or reads 'unknown' (--task classification keeps"
    )
    assert words in " ".join(out.split())
    assert polytomy.load(model).classes_.tolist() == [0, 1]
    code, out, _ = run(*fit, "--task", "classification")
    assert (code, "unknown" in out) == (0, False)
    assert polytomy.load(model).classes_.tolist() == ["0", "1", "unknown"]


def test_model_reads_units_of_new_files_like_those_of_the_training_file(run, refuse, tmp_path):
    table, model, new = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "new.csv"
    table.write_text("a,y\n" + "\n".join(f"{i} kg,{'no' if i < 30 else 'yes'}" for i in range(60)))
    _, out, _ = run("fit", table, "--target", "y", "--numeric", "a", "-o", model)
    assert "column a: '0 kg' is read as 0, without the unit 'kg'" in out
    assert record_of(polytomy.load(model)).reading.formats == {"a": "1,234.5 kg"}
    for cells in ("10 kg\n50 kg", "10\n50 kg", "10 kgs\n50 kgs"):
        new.write_text(f"a\n{cells}\n")
        assert run("predict", model, new) == (0, "prediction\nno\nyes\n", "")
    new.write_text("a\n10\n50\n")
    said = "polytomy: warning: unlike the training data, column a has no unit: '10' is read in 'kg'"
    for data in ([new], [new, new]):
        code, _, err = run("predict", model, *data)
        assert (code, err.splitlines()) == (0, [said])
    for unit in ("lb", "%"):
        new.write_text(f"a,y,b\n10 {unit},no,x\n50 {unit},yes,x\n")
        message = f"column a is in 'kg' in the model and in '{unit}' here"
        assert refuse("predict", model, new) == message
        assert refuse("predict", model, new, new) == message
        assert refuse("certify", model, new) == message
        studio = ["studio", table, "--target", "y", "--numeric", "a", "--no-browser"]
        assert refuse(*studio, "--test", new) == message


def test_model_refuses_another_currency(run, refuse, fitted, tmp_path):
    path, _ = fitted
    rows = [{"price": "5.000,50 EUR", "share": "3 %", "zip": "01234", "day": "01/02/2026"}]
    assert run("predict", path, write(tmp_path / "new.csv", rows))[1] == "prediction\nyes\n"
    rows[0]["price"] = "$5,000.50"
    new = write(tmp_path / "new.csv", rows)
    message = "column price is in '€' in the model and in '$' here"
    assert refuse("predict", path, new) == message
    assert refuse("predict", path, new, "--decimal", ".") == message


def test_columns_that_a_model_does_not_use_may_have_other_units(run, tmp_path):
    table, model, new = tmp_path / "t.csv", tmp_path / "m.json", tmp_path / "new.csv"
    rows = [f"{i} kg,{i % 7},{'no' if i < 30 else 'yes'}" for i in range(60)]
    table.write_text("a,b,y\n" + "\n".join(rows))
    assert run("fit", table, "--target", "y", "-o", model)[0] == 0
    assert polytomy.load(model).feature_names_in_.tolist() == ["b"]
    new.write_text("a,b,y\n" + "\n".join(rows).replace("kg", "lb"))
    assert run("report", model, new, "-o", tmp_path / "r.html")[0] == 0


def test_numbers_and_dates_that_stay_text_are_left_out_for_that_reason(run, refuse, tmp_path):
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    rows = [
        f"{1 + i % 12:02d}/{1 + i // 6:02d}/{i % 7:02d},{i} {'kg' if i % 2 else 'lb'},k{i},"
        f"{i % 5},{'no' if i < 30 else 'yes'}"
        for i in range(60)
    ]
    table.write_text("day,weight,name,b,y\n" + "\n".join(rows))
    fit = ("fit", table, "--target", "y", "-o", model, "--force")
    code, out, err = run(*fit)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    for line in (
        "column day: '01/01/00' may begin with the day or the month, so the dates stay text "
        "(--dayfirst reads the day first)",
        "column weight stays text, because its numbers have different units: 'lb' and 'kg'",
        "left out column day: it stays text",
        "left out column weight: it stays text",
        "left out column name: 60 distinct values in 60 rows (use --categorical name to keep it)",
    ):
        assert line in lines
    assert "left out column day" not in run(*fit, "--dayfirst")[1]
    assert refuse(*fit, "--drop", "b,day").endswith(
        "no columns left to predict from (column weight stays text, because its numbers have "
        "different units: 'lb' and 'kg'; column name identifies rows: 60 distinct values in 60 "
        "rows)"
    )


def with_formats(path, change, tmp_path):
    """Return a model file whose formats are changed, with a checksum that fits."""
    document = json.loads(path.read_bytes())
    del document["checksum"]
    change(document["training"]["reading"]["formats"])
    changed = tmp_path / "changed.json"
    changed.write_bytes(to_bytes(document))
    return changed


@pytest.mark.parametrize(
    ("column", "form", "written"),
    [
        ("day", "mm/dd/yyyy", "as dd/mm/yyyy"),
        ("price", "1,234.5 €", "as 1.234,5 €"),
        ("day", None, "as dd/mm/yyyy"),
        ("zip", "1,234.5", "without a format"),
    ],
)
def test_certify_finds_formats_that_the_training_file_does_not_have(
    run, fitted, messy, tmp_path, column, form, written
):
    path, _ = fitted
    code, out, _ = run("certify", path, messy)
    assert code == 0
    assert "formats of numbers and dates in the training file" in out

    def change(formats):
        assert formats["day"] == "dd/mm/yyyy"
        assert formats["price"] == "1.234,5 €"
        if form is None:
            del formats[column]
        else:
            formats[column] = form

    code, out, _ = run("certify", with_formats(path, change, tmp_path), messy)
    assert code == 1
    if column != "zip":  # its cells are not those of the fit, which is found before
        assert f"training.reading.formats, column {column}: is read" in out
        assert f"but the file is written {written}" in " ".join(out.split())


def test_certify_takes_the_training_rows_with_types_instead_of_formats(run, tmp_path):
    lines = [f"{i % 28 + 1:02}/01/2026;{i},5;{'ab'[i % 28 > 13]}" for i in range(80)]
    data = tmp_path / "rows.csv"
    data.write_text("day;size;y\n" + "\n".join(lines) + "\n")
    model, typed = tmp_path / "m.json", tmp_path / "rows.parquet"
    assert run("fit", data, "--target", "y", "-o", model)[0] == 0
    assert run("certify", model, data)[0] == 0
    with pytest.warns(polytomy.io.ReadingWarning):
        polytomy.read(data).to_parquet(typed)
    assert run("certify", model, typed)[0] == 0


def test_formats_are_compared_with_and_without_columns_that_were_left_out(run, tmp_path):
    # Without "other", nothing shows that 1.234 is above 1000.
    lines = [f'{1 + i % 9}.{100 + i};"{i},5";{"ab"[i % 9 > 4]}' for i in range(90)]
    data = tmp_path / "rows.csv"
    data.write_text("size;other;y\n" + "\n".join(lines) + "\n")
    for i, more in enumerate(([], ["--drop", "other"])):
        model = tmp_path / f"m{i}.json"
        assert run("fit", data, "--target", "y", "-o", model, *more)[0] == 0
        assert run("certify", model, data)[0] == 0
