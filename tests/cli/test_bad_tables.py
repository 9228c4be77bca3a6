"""Tables that cannot be used: one line each, with the place and what to do."""

import gzip
import sys

import pytest

HEADER = "x,y\n"
GOOD = HEADER + "1,a\n2,b\n"


@pytest.fixture
def fit(refused, tmp_path):
    """Fit to a table that is refused; check that nothing was written."""

    def call(path, *more, target="y"):
        before = sorted(tmp_path.iterdir())
        said = refused("fit", path, "--target", target, "-o", tmp_path / "m.json", *more)
        assert sorted(tmp_path.iterdir()) == before
        return said

    return call


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "t.csv is empty; a table begins with a line of column names"),
        (" \n\n", "t.csv is empty; a table begins with a line of column names"),
        (HEADER, "t.csv has a header and no rows"),
        ("x,y,x\n1,2,3\n", "the header names 'x' 2 times, as columns 1 and 3; rename all but one"),
        ("x,y\n1,a\n2\n", "t.csv, line 3: 1 cells where the header has 2"),
        ('x,y\n"1\n2",a\n2,b,c\n', "t.csv, line 4: 3 cells where the header has 2"),
        (b"x,y\n1,a\n2,caf\xe9\n", "t.csv, line 3: byte 0xe9 at offset 13 is not UTF-8; "),
        (b"x,y\n1,a\n2,caf\xe9\n", "iconv -f latin1 -t utf-8"),
        ("x,y\n1,a\n".encode("utf-16"), "iconv -f utf-16 -t utf-8"),
        ('x,y\n1,"a\n2,b\n', "unexpected end of data"),
        ('{"format": 1}', "t.csv looks like JSON, such as a model file, not like a table"),
        (gzip.compress(GOOD.encode())[:-12], "is a broken gzip file"),
        (b"PAR1 and then nothing", "cannot be read as parquet"),
        (b"ARROW1 and then nothing", "cannot be read as arrow"),
        ("x,y\n1,\n2,NA\n", "target 'y' is missing in all 2 rows"),
        ("x,y\n1,a\n2,\n3,?\n", "target 'y' is missing in 2 of 3 rows, first in row 2; fill"),
        ("x,y\n1,a\n2,\n3,?\n", "leave those rows out with --drop-unlabelled"),
        ("x,y\n1,a\n2,a\n", "target 'y' is 'a' in all 2 rows: there is nothing to tell apart"),
        ("x,y\n1,1.5\n2,2\n", "target 'y' holds numbers with decimals, such as 1.5"),
        ("z,y\n1,a\n2,b\n", None),
    ],
)
def test_content(fit, table, content, said):
    if said is None:
        said = "has no column 'x'"
        assert said in fit(table(content), target="x")
    else:
        assert said in fit(table(content))


def test_a_wrong_column_gets_a_suggestion(fit, cars):
    said = fit(cars, target="orgin")
    assert said == f"{cars} has no column 'orgin'; did you mean 'origin'?"
    assert "did you mean 'mpg'?" in fit(cars, "--drop", "MPG", target="origin")
    assert "has no column 'qqq'; it has name, mpg, " in fit(cars, "--weights", "qqq", target="mpg")


def test_no_file_a_folder_and_a_file_within_a_file(fit, cars, tmp_path):
    assert fit("nothing.csv") == "there is no file nothing.csv"
    assert fit(tmp_path) == f"{tmp_path} is a folder, not a file"
    assert "not a directory" in fit(cars / "t.csv")


def test_a_name_that_promises_another_format(fit, table):
    assert "is not the parquet file that its name says it is" in fit(table(GOOD, "t.parquet"))


def test_parquet_without_a_library(fit, table, monkeypatch):
    for name in ("polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    said = fit(table(b"PAR1", "t.parquet"))
    assert "needs pyarrow or polars: pip install pyarrow; CSV needs neither" in said


def test_numeric_names_the_line_of_a_cell_that_is_no_number(fit, table):
    said = fit(table("x,y\n1,a\n\n2b,b\n"), "--numeric", "x")
    assert said.endswith("line 4: column 'x' holds '2b', which is not a number")


def test_numeric_and_categorical_at_once(fit, table):
    said = fit(table(GOOD), "--numeric", "x", "--categorical", "x")
    assert said == "'x' is given both as --categorical and as --numeric"


def test_no_column_left(fit, table):
    assert "has no column left to ask about" in fit(table(GOOD), "--drop", "x")


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (["1", "-2"], "must be numbers of at least 0; row 2 has -2"),
        (["1", ""], "must be numbers of at least 0; row 2 has missing"),
        (["1", "x"], "must be numbers; some cells are not"),
        (["0", "0"], "weights 'w' are 0 in all 2 rows"),
    ],
)
def test_weights(fit, table, weights, said):
    path = table(f"x,y,w\n1,a,{weights[0]}\n2,b,{weights[1]}\n")
    assert said in fit(path, "--weights", "w")


def test_a_million_categories(fit, table):
    path = table("id,y\n" + "".join(f"k{i},{i % 2}\n" for i in range(1_000_000)))
    said = fit(path, "--categorical", "id")
    assert said.startswith("column 'id' has 1,000,000 categories in 1,000,000 rows")
    assert said.endswith("leave it out with --drop id")


def test_a_target_that_names_the_rows(fit, table):
    path = table("id,y\n" + "".join(f"k{i},{i % 2}\n" for i in range(30)))
    said = fit(path, target="id")
    assert said == "target 'id' has 30 different values in 30 rows, too many to be classes"


@pytest.mark.parametrize("fraction", ["-0.1", "1", "0.01"])
def test_a_share_of_no_rows_or_all(fit, table, fraction):
    assert "--test-fraction" in fit(table(GOOD), "--test-fraction", fraction)
