"""Files as people export them, read by ``polytomy.read``: marks, codes, encodings, compression."""

import bz2
import gzip
import io
import lzma
import sys
import warnings
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polytomy
from polytomy._errors import ParameterError
from polytomy.io import (
    DataFileError,
    ReadingOptions,
    ReadingWarning,
    csv_reader,
    read_table,
    scan_table,
)

MESSY = (
    "id;price;share;zip;day;note\n"
    "1001;1.200,50 €;12 %;01234;31/01/2026;x\n"
    "1002;7,00 €;3,5 %;99999;01/02/2026;y\n"
    ";NA;;;;\n"
)


def read(path, **options):
    """Return a frame, and the notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = polytomy.read(path, **options)
    notes = [str(w.message) for w in caught if issubclass(w.category, ReadingWarning)]
    assert len(notes) <= 1
    return frame, notes[0] if notes else ""


def refuse(path, **options):
    with pytest.raises(DataFileError) as error:
        polytomy.read(path, **options)
    return str(error.value)


def test_messy_file_is_read_with_one_warning(data_file):
    frame, notes = read(data_file(MESSY))
    assert frame["price"].tolist()[:2] == [1200.5, 7.0]
    assert frame["share"].tolist()[:2] == [12, 3.5]
    assert frame["zip"].tolist()[:2] == ["01234", "99999"]
    assert frame["day"].tolist()[:2] == [pd.Timestamp(2026, 1, 31), pd.Timestamp(2026, 2, 1)]
    assert frame.iloc[2].isna().all()
    assert notes.split("; ") == [
        "column zip: some numbers begin with a zero, so they are read as codes "
        "(numeric='zip' reads numbers)",
        "column price: '1.200,50 €' is read as 1200.5",
        "column share: '12 %' is read as 12",
        "column day: '31/01/2026' is read as 2026-01-31",
    ]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_words_for_missing_cells_do_not_make_numbers_text(data_file, tmp_path, suffix):
    path = data_file("n,c,code\n5,-,01\n-,+,-\n7,-,10\n")
    if suffix == ".parquet":
        path = tmp_path / "words.parquet"
        cells = {"n": ["$5", "-", "$7"], "c": ["-", "+", "-"], "code": ["01", "-", "10"]}
        pd.DataFrame(cells).to_parquet(path)
    frame, notes = read(path)
    assert np.array_equal(frame["n"], [5, np.nan, 7], equal_nan=True)
    assert frame["c"].tolist() == ["-", "+", "-"]
    assert frame["code"].tolist() == ["01", "-", "10"]
    assert notes.startswith("column n: ")
    assert notes.endswith("missing")


def test_text_that_keeps_a_column_from_being_numbers_is_named(data_file):
    path = data_file("n\n" + "\n".join([*map(str, range(40)), "4o"]))
    assert read(path)[1] == "column n stays text, because '4o' is not a number"


def test_plain_file_is_read_without_notes(data_file):
    frame, notes = read(data_file("x,y,d,b\n1,1.5,2026-01-31,true\n2,NA,,false\n"))
    assert notes == ""
    assert [str(t) for t in frame.dtypes] == ["int64", "float64", "datetime64[us]", "bool"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library_are_returned(data_file, tmp_path, backend):
    pd.DataFrame({"a": ["$1", "$2"]}).to_parquet(tmp_path / "t.parquet")
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}[backend]
    for path in (data_file("a\n$1\n$2\n"), tmp_path / "t.parquet", [data_file("a\n$1\n$2\n")]):
        frame, notes = read(path, backend=backend)
        assert type(frame) is kind
        assert [float(v) for v in frame["a"].to_numpy()] == [1, 2]
        assert notes == "column a: '$1' is read as 1"


def test_unknown_backend_is_refused(data_file):
    with pytest.raises(ParameterError, match="backend must be pandas, polars or pyarrow, got 'x'"):
        polytomy.read(data_file("a\n1\n"), backend="x")


def test_text_in_parquet_is_read_as_in_csv(tmp_path):
    cells = {
        "iso": ["2026-01-31", None, "2026-02-01"],
        "zoned": ["2026-01-31T12:00Z", None, "2026-02-01T00:00+02:00"],
        "local": ["31.01.2026", "NA", "1.2.2026"],
        "price": ["$1,200", " ", "$3"],
        "word": ["a", "b", None],
        "digits": ["1", "2", None],
    }
    pd.DataFrame(cells).to_parquet(tmp_path / "t.parquet")
    frame, notes = read(tmp_path / "t.parquet")
    assert [t.kind for t in frame.dtypes][:4] == ["M", "M", "M", "f"]
    assert str(frame["zoned"].dtype) == "datetime64[us, UTC]"
    assert frame["local"][2] == pd.Timestamp(2026, 2, 1)
    assert frame["price"].tolist()[::2] == [1200, 3]
    assert frame["word"].tolist()[:2] == ["a", "b"]
    assert frame["digits"].tolist()[:2] == ["1", "2"]  # text with a type stays text
    assert "price" in notes
    assert "iso" not in notes


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_delimiters_and_encodings_are_found(data_file, delimiter, encoding):
    rows = [["név", "n"], ["café", "1"], ["naïve", "2"], ["x, y; z", "3"]]
    rows[0][0] = "name"
    text = "\n".join(delimiter.join(f'"{c}"' for c in row) for row in rows) + "\n"
    frame, notes = read(data_file(text.encode(encoding)))
    assert frame["name"].tolist() == ["café", "naïve", "x, y; z"]
    assert frame["n"].tolist() == [1, 2, 3]
    if encoding == "cp1252":
        assert notes.endswith(
            "t.csv is not UTF-8 (line 2): read as Windows-1252 "
            "(encoding='NAME' reads another encoding)"
        )
    else:
        assert notes == ""


def test_delimiter_splits_all_lines_evenly(data_file):
    assert read(data_file("a,b;c,d;e\n1;2;3\n"))[0].columns.tolist() == ["a,b", "c,d", "e"]
    assert read(data_file("x|y,z\n1|2\n"))[0].columns.tolist() == ["x", "y,z"]


def test_options_overrule_what_the_file_shows(data_file):
    path = data_file("a:b\n1,234:é\n".encode("latin1"))
    frame, _ = read(path, sep=":", decimal=",", encoding="latin1")
    assert frame["a"].tolist() == [1.234]
    assert frame["b"].tolist() == ["é"]
    assert read(data_file("d\n01/02/2026\n"), dayfirst=False)[0]["d"][0].month == 1
    assert read(data_file("a\tb\n1\t2\n"), sep="tab")[0].shape == (1, 2)
    assert read(data_file("z\n007\n"), numeric=["z"])[0]["z"].tolist() == [7]
    assert read(data_file("z\n$5\n"), categorical="z")[0]["z"].tolist() == ["$5"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": ";;"}, "sep must be one character or tab, got ';;'"),
        ({"sep": '"'}, "sep must not be a quote or a line break"),
        ({"decimal": "x"}, "decimal must be a point or a comma, got 'x'"),
        ({"encoding": "klingon"}, "encoding 'klingon' is not known"),
        ({"encoding": "ascii"}, "t.csv is not encoded in ascii, after line 0: "),
        ({"encoding": "utf-16"}, "t.csv is not encoded in utf-16, after line 0: "),
        ({"encoding": "utf-32"}, "t.csv is not encoded in utf-32, after line 0: "),
        ({"numeric": ["a"]}, "column 'a' contains 'é', which is not a number"),
    ],
)
def test_wrong_options_are_refused(data_file, options, message):
    assert message in refuse(data_file("a,b\né,1\n"), **options)


def test_delimiter_that_the_header_contains_is_suggested(data_file):
    path = data_file("a;b;y\n1;2;x\n")
    with pytest.raises(DataFileError, match="only one column, whose name contains ';'"):
        read_table(path, columns=["y"], options=ReadingOptions(sep=","))
    with pytest.raises(DataFileError, match="has no column 'z'"):
        read_table(path, columns=["z"], options=ReadingOptions(sep=","))


def test_bytes_of_no_encoding_are_refused(data_file):
    message = refuse(data_file(b"a,b\n1,\x81\n"))
    assert message.endswith(
        "t.csv, line 2: byte 0x81 at offset 6 is neither UTF-8 nor Windows-1252; "
        "name the encoding of the file"
    )
    assert "byte 0x00 at offset 6" in refuse(data_file(b"a,b\n1,\x00\n2,3\n"))


@given(st.binary(max_size=60))
@settings(max_examples=150)
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "t.csv"
    path.write_bytes(b"a,b\n" + data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(DataFileError):
            polytomy.read(path)


def zipped(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


COMPRESSED = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zip": lambda data: zipped(t=data),
    "zstd": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("form", COMPRESSED)
def test_compressed_files_are_read(data_file, monkeypatch, form):
    data = COMPRESSED[form](MESSY.encode())
    plain = read(data_file(MESSY, "plain.csv"))[0]
    path = data_file(data, "t.csv")
    assert read(path)[0].equals(plain)
    both, notes = read([path, path])
    assert both[:3].equals(plain)
    assert "price" in notes
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-")[0].equals(plain)
    assert f"is a damaged {form} file" in refuse(data_file(data[: len(data) // 2]))


def test_zstd_needs_a_module(data_file, monkeypatch):
    path = data_file(COMPRESSED["zstd"](b"a\n1\n"))
    for name in ("compression.zstd", "zstandard", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert refuse(path).endswith("requires zstandard or pyarrow (pip install zstandard)")


def test_archives_of_several_files_and_spreadsheets_are_refused(data_file):
    assert refuse(data_file(zipped(a="x", b="y"))).endswith(
        "holds 2 files, but only one can be read"
    )
    book = zipped(**{"[Content_Types].xml": "", "xl/workbook.xml": ""})
    assert refuse(data_file(book, "t.xlsx")).endswith(
        "t.xlsx is a spreadsheet or a document; save the table as CSV"
    )


@pytest.mark.parametrize("address", ["https://a.org/t.csv", "s3://b/t.parquet", "file:///t.csv"])
def test_addresses_are_refused(address):
    wanted = address.replace(":///", "://")
    for path in (address, [address]):
        assert refuse(path) == f"{wanted} is an address, not a file; download it first"


def test_absent_columns_are_named_at_once(data_file):
    path = data_file("price,town\n1,2\n")
    assert refuse(path, columns=["prise", "towm", "zzz"]) == (
        f"{path} has no columns 'prise' (did you mean 'price'?), 'towm' (did you mean 'town'?) "
        "and 'zzz'; its columns are price, town"
    )
    assert refuse(path, numeric=["gate"]) == (
        f"{path} has no column 'gate'; its columns are price, town"
    )


def test_codes_are_found_wherever_the_zero_is(data_file, monkeypatch):
    monkeypatch.setattr(csv_reader, "_BLOCK", 2)
    text = "zip,n,x\n" + "12345,10,0\n" * 5 + "01234,0,0.5\n" + " 007 ,-05,00.5\n"
    table = read_table(data_file(text))
    assert table.column("zip").tolist()[-2:] == ["01234", "007"]
    assert table.column("n").tolist()[-1] == -5  # a negative number is no code
    assert table.column("x").tolist()[-2:] == [0.5, 0.5]


def test_pieces_are_read_like_the_whole(data_file):
    for text in (
        MESSY,
        "a;b\n1.234;12,5\n2.000;3\n",
        "a,b\n1234,12.5\n",
        "d,e\n01/02/2026,31/01/2026\n",
        '"a","b"\n"$1,200","x"\n,y\n',
    ):
        path = data_file(text)
        whole, pieces = read_table(path), scan_table(path)
        for name in whole.names:
            own, other = whole.columns, pieces.loaded([name]).columns[0]
            mine = own[whole.names.index(name)]
            assert type(mine) is type(other)
            assert mine.values.tolist() == pytest.approx(other.values.tolist(), nan_ok=True) or (
                mine.values.tolist() == other.values.tolist()
            )


def test_column_may_have_marks_in_one_of_several_files(data_file):
    one = data_file("price,n\n950,1\n7,2\n", "1.csv")
    two = data_file('price,n\n"$1,200.50",3\n', "2.csv")
    frame, _ = read([one, two])
    assert frame["price"].tolist() == [950, 7, 1200.5]


def test_delimiter_may_be_named_and_columns_may_be_empty(data_file):
    assert ReadingOptions().delimiter is None
    assert ReadingOptions(sep="tab").delimiter == "\t"
    assert np.isnan(read(data_file("a\nNA\n"))[0]["a"][0])


def test_scan_warns_like_read_and_keeps_chosen_text(data_file):
    path = data_file(MESSY)
    with pytest.warns(
        ReadingWarning, match="column price: '1.200,50 €' is read as 1200.5"
    ) as caught:
        scanned = polytomy.scan(path, categorical=["share"], drop=["day"])
    assert len(caught) == 1
    assert "share" not in str(caught[0].message)
    assert "day" not in str(caught[0].message)
    assert scanned.read("share").values.tolist() == ["12 %", "3,5 %", None]


def test_two_currencies_in_a_small_file_are_noted(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("price,y\n$5,1\n€6,2\n", encoding="utf-8")
    said = "column price stays text, because its numbers have different units: '€' and '\\$'"
    with pytest.warns(ReadingWarning, match=said):
        polytomy.read(path)
