"""Numbers and dates as people write them, and what decides if they could be read in two ways."""

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy.io import formats
from polytomy.io.formats import (
    FORMATS,
    NumberFormat,
    converted,
    find_format,
    format_of,
    formatted_number,
    looks_like_dates,
    mixed_units,
    odd_text,
)
from polytomy.io.reading import ReadingOptions, TextColumns, decide

MARKS = [(f.decimal, f.thousands) for f in FORMATS.values() if isinstance(f, NumberFormat)]
CURRENCIES = ["$", "€", "£", "CHF", "kr", "US$", "zł"]


def written(value, decimals, marks, style):
    """Return a number as a person writes it; digits are grouped one by one, from the right."""
    decimal, thousands = marks
    whole, _, fraction = f"{abs(value):.{decimals}f}".partition(".")
    groups = []
    while len(whole) > 3:
        whole, group = whole[:-3], whole[-3:]
        groups.insert(0, group)
    body = thousands.join([whole, *groups]) + (decimal + fraction if fraction else "")
    negative = value < 0 and float(f"{abs(value):.{decimals}f}") != 0
    before, after, brackets = style
    text = f"{before}{body}{after}"
    if brackets and negative:
        return f"({text})"
    return f"-{text}" if negative else text


STYLES = st.sampled_from(
    [("", "", False), ("", "", True)]
    + [(c, "", b) for c in CURRENCIES for b in (False, True)]
    + [(f"{c} ", "", False) for c in CURRENCIES]
    + [("", f" {c}", False) for c in CURRENCIES]
    + [("", f"\u00a0{c}", False) for c in CURRENCIES]
    + [("", "%", False), ("", " %", False)]
)


@given(
    values=st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=8),
    decimals=st.sampled_from([1, 2, 4]),
    marks=st.sampled_from(MARKS),
    style=STYLES,
)
def test_numbers_in_every_style_are_read_back(values, decimals, marks, style):
    numbers = [v / 10**decimals for v in values]
    texts = [written(v, decimals, marks, style) for v in numbers]
    found = find_format(texts)
    assert found is not None
    assert found.other is None  # decimals of this number show the mark
    read = converted([*texts, None], found.form)
    assert read[:-1].tolist() == [float(f"{v:.{decimals}f}") + 0.0 for v in numbers]
    assert np.isnan(read[-1])


@given(
    values=st.lists(st.integers(1000, 10**9), min_size=1, max_size=6, unique=True),
    mark=st.sampled_from([".", ","]),
)
def test_whole_numbers_with_thousands_are_read_or_said_to_be_ambiguous(values, mark):
    other = "," if mark == "." else "."
    texts = [f"{v:,}".replace(",", other) for v in values]
    found = find_format(texts)
    forms = [found.form] if found.other is None else [found.form, found.other]
    assert values in [converted(texts, form).tolist() for form in forms]
    if all(v < 10**6 for v in values):
        assert found.other is not None
    else:
        assert found.other is None


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["$1,200", "($3.50)", "-$2"], [1200, -3.5, -2]),
        (["12%", "3.5 %"], [12, 3.5]),
        (["1.234,5", "7"], [1234.5, 7]),
        (["1\u00a0234,5", "1\u202f234\u202f567", "12"], [1234.5, 1234567, 12]),
        (["1'234.50", "1\u2019000\u2019000"], [1234.5, 1000000]),
        (["12,34,567", "1,00,000.5"], [1234567, 100000.5]),
        (["1.234,50-", "0,5"], [-1234.5, 0.5]),
        (["\u22125,5", "+1,5"], [-5.5, 1.5]),
        (["1,5e3", ",25"], [1500, 0.25]),
        (["$ 950", "$12.", "$.5"], [950, 12, 0.5]),
        (["12 kg", "13.5kg", "-", "1,200 kg"], [12, 13.5, None, 1200]),
        (["1,5 cm", "2,75 cm"], [1.5, 2.75]),
        (["-3 °C", "20 °C"], [-3, 20]),
        (["1 year", "2 years"], [1, 2]),
        (["120 km/h", "5 km/h"], [120, 5]),
        (["5 A", "7 A"], [5, 7]),
        (["11 st", "12 st"], [11, 12]),
        (["5m", "7m"], [5, 7]),
        (["100 sq ft", "35.5 sq. ft"], None),
        (["3 m²", "5 m²"], [3, 5]),
        (["5 m2", '7"'], None),
    ],
)
def test_numbers_are_read(texts, values):
    found = find_format(texts)
    if values is None:
        assert found is None
        return
    read = converted(texts, found.form).tolist()
    assert [None if np.isnan(x) else x for x in read] == values


@pytest.mark.parametrize(
    "texts",
    [
        ["$5", "€5"],  # two currencies
        ["12%", "3"],  # shares and percentages
        ["1,2,3"],
        ["1.234.5"],
        ["12,3456,789"],
        ["1 23"],
        ["1.234,567.8"],
        ["$"],
        ["-"],
        ["(5"],
        ["-(5)"],
        ["$5€"],
        ["1,234", "x"],
        ["K12"],
        ["12 kg", "13 lb"],
        ["12 kg", "13"],
        ["007 kg"],
        ["11 AM", "12 AM"],
        ["3pm", "4pm"],
        ["4th", "5th"],
        ["1st", "2nd", "3rd"],
        ["39A", "40A"],
        ["12 Elm St", "14 Oak Ave"],
        ["192.168.0.1"],
        ["\u0661\u0662,\u0665"],
        ["32/13/2026"],
        ["31/13/26"],
        ["31/01/26", "31/01/2026"],
        ["31/02/2026"],
        ["01/31/2026", "31/01/2026"],
        ["13:30"],
        ["5/2026"],
    ],
)
def test_other_text_stays_text(texts):
    assert find_format(texts) is None


@pytest.mark.parametrize(
    ("texts", "times"),
    [
        (["31/01/2026", "1/2/2026"], [(2026, 1, 31), (2026, 2, 1)]),
        (["1/31/2026 3:45 PM", "1/2/2026 12:00 am"], [(2026, 1, 31, 15, 45), (2026, 1, 2)]),
        (["01.02.2026 12:30"], [(2026, 2, 1, 12, 30)]),
        (["2026/01/31", "2026/1/2 01:02:03.5"], [(2026, 1, 31), (2026, 1, 2, 1, 2, 3, 500000)]),
        (["31-Jan-2026", "3 September 2026"], [(2026, 1, 31), (2026, 9, 3)]),
        (["Jan 31, 2026", "sept. 3 2026"], [(2026, 1, 31), (2026, 9, 3)]),
        (["31-01-2026"], [(2026, 1, 31)]),
        (["31/01/26", "1/2/69"], [(2026, 1, 31), (1969, 2, 1)]),
        (["1/31/30 3:45 PM"], [(2030, 1, 31, 15, 45)]),
        (["31-Jan-26"], [(2026, 1, 31)]),
        (["31.01.26", "01.12.26", "1.12.26"], [(2026, 1, 31), (2026, 12, 1), (2026, 12, 1)]),
        (["1.2.26 12:30"], [(2026, 2, 1, 12, 30)]),
        (["31-01-86"], [(1986, 1, 31)]),
        (["86-01-31"], [(1986, 1, 31)]),
    ],
)
def test_dates_are_read(texts, times):
    found = find_format(texts)
    assert found.other is None
    assert converted(texts, found.form).tolist() == [datetime(*t) for t in times]
    assert np.isnat(converted([None], found.form)[0])


@given(
    days=st.lists(
        st.dates(datetime(1900, 1, 1).date(), datetime(2100, 1, 1).date()), min_size=1, max_size=5
    ),
    name=st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d %b %Y", "%B %d, %Y"]),
)
def test_dates_in_every_order_are_read_back(days, name):
    texts = [day.strftime(name) for day in days]
    found = find_format(texts)
    forms = [f for f in (found.form, found.other) if f is not None]
    read = [[t.date() for t in converted(texts, form).tolist()] for form in forms]
    assert days in read
    is_open = name[:3] in ("%d/", "%m/") and all(day.day <= 12 for day in days)
    assert (found.other is not None) == is_open


def decided(options=None, delimiter="", **columns):
    all_found = {name: find_format(texts) for name, texts in columns.items()}
    found = {name: column for name, column in all_found.items() if column is not None}
    forms, notes = decide(found, options or ReadingOptions(), delimiter)
    values = {n: converted(columns[n], form).tolist() for n, form in forms.items()}
    return values, [str(note) for note in notes]


def test_two_digit_years_that_may_come_first_stay_text():
    values, notes = decided(a=["31-01-26"], b=["01-31-26"], c=["86-01-02"])
    assert values.keys() == {"b", "c"}
    assert notes[0] == (
        "column a: '31-01-26' may begin with the day or the year, so the dates stay text "
        "(dayfirst=True reads the day first)"
    )
    assert notes[1].endswith("is read as 2026-01-31, with two-digit years from 1969 to 2068")
    values, notes = decided(a=["01-02-03"])
    assert (values, "the day, the month or the year" in notes[0]) == ({}, True)
    for first, day in ((True, datetime(2003, 2, 1)), (False, datetime(2003, 1, 2))):
        values, _ = decided(ReadingOptions(dayfirst=first), a=["01-02-03"])
        assert values == {"a": [day]}


@pytest.mark.parametrize(
    ("years", "read", "name"),
    [
        ((5, 26, 85), (2005, 2026, 1985), "dd/mm/yy"),
        ((27, 36, 69), (2027, 2036, 1969), "dd/mm/yy"),
        ((45, 68, 71, 2), (1945, 1968, 1971, 2002), "dd/mm/yy to 2026"),  # births
        ((37, 27), (2037, 2027), "dd/mm/yy"),  # terms of loans
        ((37, 26), (1937, 2026), "dd/mm/yy to 2026"),
    ],
)
def test_two_digit_years_are_not_far_in_the_future_if_others_are_past(
    monkeypatch, years, read, name
):
    monkeypatch.setattr(formats, "_this_year", lambda: 2026)
    texts = [f"31/01/{year:02d}" for year in years]
    form = find_format(texts).form
    assert form.name == name
    assert format_of(name) == form
    monkeypatch.setattr(formats, "_this_year", lambda: 2040)  # later, with a stored format
    assert [form.parse(text).year for text in texts] == list(read)
    monkeypatch.setattr(formats, "_this_year", lambda: 2026)
    window = "1969 to 2068" if name == "dd/mm/yy" else "1927 to 2026"
    assert decided(a=texts)[1][0].endswith(f"with two-digit years from {window}")


def test_century_is_that_of_the_year_wherever_it_is(monkeypatch):
    monkeypatch.setattr(formats, "_this_year", lambda: 2026)
    assert find_format(["45-01-31", "99-01-20"]).form.name == "yy-mm-dd to 2026"
    assert find_format(["10-11-12", "99-01-20"]).form.name == "yy-mm-dd"
    both = find_format(["01/02/45"])
    assert [form.name for form in (both.form, both.other)] == [
        "dd/mm/yy to 2026",
        "mm/dd/yy to 2026",
    ]
    wrong = ("dd/mm/yy to 26", "dd/mm/yyyy to 2026", "dd/mm/yy to ", "1,234.5 to 2026")
    assert [format_of(name) for name in wrong] == [None] * 4


def test_versions_are_dates_only_if_the_user_says_so():
    versions = ["3.12.19", "3.9.10", "10.11.12"]
    values, notes = decided(a=versions, b=["31/01/2026"])
    assert values.keys() == {"b"}
    assert notes[0] == (
        "column a: '3.12.19' may be a version or a date, so it stays text "
        "(dayfirst=True reads dates)"
    )
    assert not looks_like_dates(versions)
    values, _ = decided(ReadingOptions(dayfirst=True), a=versions[:1])
    assert values == {"a": [datetime(2019, 12, 3)]}
    assert format_of("dd.mm.yy").parse("3.12.19") == datetime(2019, 12, 3)
    columns = TextColumns(ReadingOptions(), {"a": "time"})
    columns.add("a", versions[:1])
    assert list(columns.decide()[0]) == ["a"]


def test_units_are_named_in_notes_and_in_the_format():
    values, notes = decided(a=["12 kg", "13 kg"])
    assert values == {"a": [12, 13]}
    assert notes == ["column a: '12 kg' is read as 12, without the unit 'kg'"]
    form = find_format(["1.234,5 km/h"]).form
    assert form.name == "1.234,5 km/h"
    assert format_of(form.name) == form
    assert [form.parse(text) for text in ("7", "7 km/h", "7 m/s")] == [7, 7, None]
    assert [format_of(f"1.234,5{end}") for end in (" 7", "% kg", " am")] == [None] * 3
    columns = TextColumns(ReadingOptions(), {})
    columns.add("a", ["12 kg", "13 kg", "14 lb", "15", "16 kg"])
    assert str(columns.decide()[1][0]) == (
        "column a stays text, because its numbers have different units: 'lb', 'kg' and none"
    )


UNITS = st.from_regex(r"[a-zA-Zµμ]{1,6}(?:[/·][a-z]{1,3})?[²³]?( [a-z]{1,4})?", fullmatch=True)


@given(
    unit=UNITS | st.sampled_from(["m/s", "Celsius", "gas", "glass", "µg", "lbs.", "years", "°"]),
    values=st.lists(st.integers(1, 999), min_size=1, max_size=5),
)
def test_formats_with_any_unit_can_be_stored(unit, values):
    texts = [f"{value} {unit}" for value in values]
    found = find_format(texts)
    if found is None:  # such as "am"
        assert unit.lower() in ("am", "pm")
        return
    stored = format_of(found.form.name)
    assert stored == found.form
    assert [stored.parse(text) for text in texts] == values
    assert found.form.measure in (unit, "")  # "" for a currency such as "kr"


def test_spellings_of_a_unit_are_one_unit():
    for one, other in (("year", "years"), ("lb", "lbs."), ("µg", "μg"), ("m²", "m2")):
        found = find_format([f"7 {other}", f"5 {one}"])
        assert (found.form.measure, found.form.parse(f"3 {other}")) == (min(one, other), 3)
    assert "'5 years' is read as 5, without the unit 'years'" in decided(a=["5 years"])[1][0]
    for one, other in (("m", "ms"), ("ga", "gas"), ("m/", "m/s"), ("Celsiu", "Celsius")):
        assert find_format([f"5 {one}", f"7 {other}"]) is None


def test_all_units_of_a_column_are_named():
    assert mixed_units(["1%", "2%", "3 kg", "4 kg"]) == ["%", "kg"]
    assert mixed_units(["$1", "$2", "€3", "€4"]) == ["$", "€"]
    assert mixed_units(["1%", "2%", "0.3", "0.4"]) == ["%", ""]
    assert mixed_units(["$1", "$2", "1,2,3", "4"]) == []  # sums may be without the sign
    assert mixed_units(["1 year", "2 years", "3 kg", "4 kg"]) == ["year", "kg"]
    assert mixed_units(["$5", "€6"]) == ["$", "€"]  # signs need no more evidence, words do
    assert mixed_units(["5 Elm", "6 Oak"]) == []
    assert mixed_units(["$1", "€2", "£3", "¥4"]) == ["$", "€", "£", "¥"]


@pytest.mark.parametrize(
    "word", ["-", "\u2014", "Unknown", "MISSING", "n.a.", "#DIV/0!", "no data"]
)
def test_words_for_missing_cells_are_missing_among_numbers_and_dates(word):
    values, notes = decided(a=["$5", word], b=["7", word], c=["31/01/2026", word], d=["x", word])
    assert list(values) == ["a", "b", "c"]
    assert [v[0] for v in values.values()] == [5, 7, datetime(2026, 1, 31)]
    assert np.isnan(values["a"][1])
    assert np.isnan(values["b"][1])
    assert values["c"][1] is None
    assert notes == [
        f"column a: '$5' is read as 5, and {word!r} as missing",
        f"column b: {word!r} is read as missing",
        f"column c: '31/01/2026' is read as 2026-01-31, and {word!r} as missing",
    ]


def test_codes_and_words_alone_stay_text():
    assert find_format(["01234", "99999", "-"]) is None
    assert find_format(["-", "unknown"]) is None
    assert find_format(["+", "-"]) is None
    assert find_format(["$05", "-"]) is not None


@pytest.mark.parametrize(
    ("texts", "example"),
    [
        (["7", "$1,200", "?"], "$1,200"),
        (["7", "12.5", "", "-"], "12.5"),
        (["12345", "-"], None),
        (["01234", "12345"], None),
        (["31/01/2026"], None),
        (["7.5", "x"], None),
        ([], None),
    ],
)
def test_numbers_that_are_no_codes_are_found(texts, example):
    assert formatted_number(texts) == example


def test_text_among_many_numbers_is_named():
    numbers = [*map(str, range(40)), "$1,200", "-"]
    assert odd_text([*numbers, "two", "12 kg"]) == "two"
    assert odd_text([*numbers, "a", "b", "c"]) is None
    assert odd_text(numbers) is None
    assert odd_text([]) is None


def test_other_columns_decide_what_a_comma_means():
    open_ = ["1,234", "9,999"]
    values, notes = decided(a=open_)
    assert values == {"a": [1234, 9999]}
    assert notes == ["column a: '1,234' is read as 1234 (decimal=',' reads 1.234)"]
    assert decided(a=open_, b=["12,5"])[0]["a"] == [1.234, 9.999]
    assert decided(a=open_, b=["$12.50"])[0]["a"] == [1234, 9999]
    assert decided(a=open_, b=["12,5"], c=["$12.50"])[0]["a"] == [1234, 9999]  # no agreement
    assert decided(a=open_, delimiter=";")[0]["a"] == [1.234, 9.999]
    assert decided(ReadingOptions(decimal=","), a=open_)[0]["a"] == [1.234, 9.999]


def test_money_has_thousands_and_percentages_have_decimals():
    assert decided(a=["€1.234"], b=["$1,234"])[0] == {"a": [1234], "b": [1234]}
    assert decided(a=["12.345%"], delimiter=";")[0] == {"a": [12.345]}
    assert decided(a=["12,345%"])[0] == {"a": [12.345]}


def test_plain_numbers_have_thousands_only_in_a_file_with_decimal_commas():
    assert decided(a=["1.234", "2.000"]) == ({}, [])
    assert decided(a=["1.234", "2.000"], b=["12,5"])[0]["a"] == [1234, 2000]
    assert "a" not in decided(a=["1.234", "2.5"], b=["12,5"])[0]
    assert decided(a=["007", "12"]) == ({}, [])


def test_other_columns_decide_whether_dates_begin_with_the_day():
    values, notes = decided(a=["01/02/2026"])
    assert values == {}
    assert notes == [
        "column a: '01/02/2026' may begin with the day or the month, so the dates stay text "
        "(dayfirst=True reads the day first)"
    ]
    february, january = datetime(2026, 2, 1), datetime(2026, 1, 2)
    values, notes = decided(a=["01/02/2026"], b=["31/01/2026"])
    assert values["a"] == [february]
    assert notes[0] == (
        "column a: '01/02/2026' is read as 2026-02-01 (dayfirst=False reads 2026-01-02)"
    )
    assert decided(a=["01/02/2026"], b=["1/31/2026"])[0]["a"] == [january]
    assert decided(ReadingOptions(dayfirst=True), a=["01/02/2026"])[0]["a"] == [february]
    assert decided(ReadingOptions(dayfirst=False), a=["01-02-2026"])[0]["a"] == [january]
