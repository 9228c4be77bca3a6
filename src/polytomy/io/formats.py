"""Numbers and dates in text as people write them: "$1,200", "12 %", "5,3 cm", "31/01/2026".

A format is named by an example, such as ``"1.234,5 cm"`` or ``"dd/mm/yyyy"``. A column has a format
only if all its cells that are not missing fit it; words such as "unknown" and "-" are missing cells
in a column whose other cells are numbers or dates, and categories elsewhere. Some cells fit two
formats with different values: "1,234" may be 1234 or 1.234, and "01/02/2026" the first of February
or the second of January. Such a column is decided by the other columns of its file, or by the user.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import numpy as np

from polytomy._types import AnyArray

from .kinds import is_missing_cell, parse_numbers
from .quantities import LEADING_ZERO, Quantity, add_unit, are_mixed, is_unit, split, unit_key

_PLACEHOLDER_WORDS = (
    "- -- --- . .. ... \u2013 \u2014 * n/a n.a. n.a na nan null none nil missing unknown tbd blank "
    "(blank) #n/a #na #value! #div/0! #ref! #num! #name? #null!"
)
_PLACEHOLDERS = frozenset(
    [*_PLACEHOLDER_WORDS.split(), "no data", "not available", "not applicable", "not known"]
)
MOST_TEXTS = 1_000
"""The distinct texts that are looked at to find out why a column is not numbers."""
_LAST_YEAR = 2068
_FORESEEN = 10  # years from now; few files have dates that are farther in the future


def is_placeholder(text: str) -> bool:
    """Return whether a text stands for a missing cell in a column of numbers or dates.

    >>> is_placeholder("Unknown"), is_placeholder("-"), is_placeholder("12")
    (True, True, False)
    """
    return text.strip().lower() in _PLACEHOLDERS


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Numbers with a decimal mark and a mark between thousands.

    Parameters
    ----------
    decimal : str
        The decimal mark, a point or a comma.
    thousands : str
        The mark between groups of three digits.
    percent : bool, default=False
        Whether cells may end in a percent sign, which is dropped: 12 % is read as 12.
    measure : str, default=""
        The unit or the currency that cells may have, such as "kg", which is dropped. Without one,
        cells may have any currency.
    """

    decimal: str
    thousands: str
    percent: bool = False
    measure: str = ""

    @property
    def name(self) -> str:
        """The number 1234.5 in this format, with the percent sign or the unit if it has one."""
        space = " " if self.measure else ""
        return f"1{self.thousands}234{self.decimal}5{space}{self.unit}"

    @property
    def unit(self) -> str:
        """The percent sign, the unit or the currency; empty without one."""
        return "%" if self.percent else self.measure

    def with_decimal(self, mark: str) -> "NumberFormat":
        """Return the format with another decimal mark; marks of decimals and thousands change."""
        swapped = self.decimal if self.thousands == mark else self.thousands
        return replace(self, decimal=mark, thousands=swapped)

    def differs_in_unit(self, other: "NumberFormat") -> bool:
        """Return whether both formats have units, and not the same."""
        both = bool(self.unit and other.unit)
        return both and unit_key(self.unit) != unit_key(other.unit)

    def parse(self, text: str) -> float | None:
        """Return a cell as a number, or None if it does not fit."""
        cell = split(text)
        if cell is None or (cell.unit == "%" and not self.percent):
            return None
        unit = cell.measure or (cell.currency if self.measure else "")
        if unit and unit_key(unit) != unit_key(self.measure):
            return None  # other files may leave the unit out, but must not have another one
        return self.value(cell)

    def value(self, cell: "Quantity") -> float | None:
        """Return a number without its unit, or None if its marks are not those of the format."""
        if _BODIES[self.decimal, self.thousands].fullmatch(cell.body) is None:
            return None
        number = float(cell.body.replace(self.thousands, "").replace(self.decimal, "."))
        return -number if cell.negative else number


@dataclass(frozen=True, slots=True)
class DateFormat:
    """Dates in one order of day, month and year, each with or without a time of day.

    Parameters
    ----------
    order : str
        The order and the separator, such as "dd/mm/yyyy".
    pattern : re.Pattern
        Matches the date, with the groups y, m and d, or b for the name of a month.
    last_year : int, default=2068
        The last of the hundred years that two digits may stand for; as in POSIX, 69 is 1969.
    """

    order: str
    pattern: re.Pattern[str]
    last_year: int = _LAST_YEAR

    @property
    def name(self) -> str:
        """The order, with the last year if that is not 2068: "dd/mm/yy to 2026"."""
        ending = "" if self.last_year == _LAST_YEAR else f" to {self.last_year}"
        return self.order + ending

    @property
    def has_short_years(self) -> bool:
        """Whether years have two digits."""
        return "yyyy" not in self.order

    def parse(self, text: str) -> datetime | None:
        """Return a cell as a time, or None if it does not fit."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        parts = found.groupdict()
        month = _MONTHS[parts["b"][:3].lower()] if "b" in parts else int(parts["m"])
        hour = int(parts["hour"] or 0)
        if parts["half"] is not None:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if parts["half"][0] in "pP" else 0)
        micro = int((parts["fraction"] or "").ljust(6, "0"))
        year = int(parts["y"])
        if len(parts["y"]) == 2:
            year = self.last_year - (self.last_year - year) % 100
        try:
            clock = (hour, int(parts["minute"] or 0), int(parts["second"] or 0), micro)
            return datetime(year, month, int(parts["d"]), *clock)
        except ValueError:  # such as a month 13
            return None


Format = NumberFormat | DateFormat


def _body(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return the pattern of digits; the first group of thousands does not begin with a zero."""
    d, t = re.escape(decimal), re.escape(thousands)
    grouped = rf"[1-9][0-9]{{0,2}}(?:{t}[0-9]{{3}})+"
    if thousands == ",":  # Indian groups
        grouped += rf"|[1-9][0-9]?(?:{t}[0-9]{{2}})+{t}[0-9]{{3}}"
    fraction = rf"(?:{d}[0-9]*)?(?:[eE][-+]?[0-9]+)?"
    return re.compile(rf"(?:{grouped}|[0-9]+){fraction}|{d}[0-9]+(?:[eE][-+]?[0-9]+)?")


_MARKS = ((".", ","), (",", "."), (",", " "), (".", " "), (".", "'"), (",", "'"))
_BODIES = {marks: _body(*marks) for marks in _MARKS}

_SHORT = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: number for number, name in enumerate(_SHORT.split(), 1)}
_LONG = "january february march april may june july august september october november december"
_MONTH = "(?P<b>" + "|".join([*_LONG.split(), "sept", *_MONTHS]) + r")\.?"
_CLOCK = (
    r"(?:(?:,? |T)(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,6}))?)?(?: ?(?P<half>[AaPp]\.?[Mm]\.?))?)?"
)
_DAY, _MON, _YEAR = r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})", r"(?P<y>\d{4})"
_YY = r"(?P<y>\d\d)"
_VERSION = re.compile(r"(?!\d\d\.\d\d\.)\d{1,2}\.\d{1,2}\.\d\d", re.ASCII)  # such as 3.12.19


def _date(name: str, pattern: str) -> DateFormat:
    return DateFormat(name, re.compile(pattern + _CLOCK, re.ASCII | re.IGNORECASE))


_DATES = (
    _date("yyyy-mm-dd", f"{_YEAR}-{_MON}-{_DAY}"),
    _date("yyyy/mm/dd", f"{_YEAR}/{_MON}/{_DAY}"),
    _date("yyyy.mm.dd", rf"{_YEAR}\.{_MON}\.{_DAY}"),
    _date("dd.mm.yyyy", rf"{_DAY}\.{_MON}\.{_YEAR}"),
    _date("dd/mm/yyyy", f"{_DAY}/{_MON}/{_YEAR}"),
    _date("mm/dd/yyyy", f"{_MON}/{_DAY}/{_YEAR}"),
    _date("dd-mm-yyyy", f"{_DAY}-{_MON}-{_YEAR}"),
    _date("mm-dd-yyyy", f"{_MON}-{_DAY}-{_YEAR}"),
    _date("dd mon yyyy", f"{_DAY}[ -]{_MONTH},?[ -]{_YEAR}"),
    _date("mon dd yyyy", f"{_MONTH} {_DAY},? {_YEAR}"),
    _date("dd.mm.yy", rf"{_DAY}\.{_MON}\.{_YY}"),
    _date("dd/mm/yy", f"{_DAY}/{_MON}/{_YY}"),
    _date("mm/dd/yy", f"{_MON}/{_DAY}/{_YY}"),
    _date("dd-mm-yy", f"{_DAY}-{_MON}-{_YY}"),
    _date("mm-dd-yy", f"{_MON}-{_DAY}-{_YY}"),
    _date("yy-mm-dd", rf"{_YY}-(?P<m>\d\d)-(?P<d>\d\d)"),
    _date("dd mon yy", f"{_DAY}[ -]{_MONTH},?[ -]{_YY}"),
)
_NUMBERS = tuple(NumberFormat(*marks, percent) for marks in _MARKS for percent in (False, True))
_ALL: tuple[Format, ...] = (*_NUMBERS, *_DATES)
FORMATS: dict[str, Format] = {form.name: form for form in _ALL}
"""All formats without a unit by their names."""
_MONTH_FIRST = {
    "dd/mm/yyyy": "mm/dd/yyyy",
    "dd-mm-yyyy": "mm-dd-yyyy",
    "dd/mm/yy": "mm/dd/yy",
    "dd-mm-yy": "mm-dd-yy",
}
_ORDERS = {*_MONTH_FIRST, *_MONTH_FIRST.values()}  # formats of which a file has one order


@dataclass(frozen=True, slots=True)
class Found:
    """The format of a column.

    Parameters
    ----------
    form : NumberFormat or DateFormat
        The format. If the cells also fit ``other``: the one with a decimal point, or the one that
        begins with the day.
    other : NumberFormat or DateFormat or None
        Another format that all cells fit, with other values.
    example : str
        A cell that is not a plain number; if there is another format, one that the two read
        differently.
    unit : str, default=""
        The currency or percent sign; empty without one.
    is_plain : bool, default=False
        Whether all cells are plain numbers, which need no format.
    is_evidence : bool, default=False
        Whether the cells show which decimal mark, or which order of day and month, the file has.
    placeholders : tuple of str, default=()
        Texts such as "unknown" and "-" that are read as missing cells.
    may_begin_with_year : bool, default=False
        Whether dates with two-digit years may also begin with the year.
    may_be_version : bool, default=False
        Whether the dates may also be versions, such as "3.12.19".
    """

    form: Format
    other: Format | None
    example: str
    unit: str = ""
    is_plain: bool = False
    is_evidence: bool = False
    placeholders: tuple[str, ...] = ()
    may_begin_with_year: bool = False
    may_be_version: bool = False

    @property
    def is_date(self) -> bool:
        """Whether the column holds dates."""
        return isinstance(self.form, DateFormat)


@dataclass(slots=True)
class FormatFinder:
    """Finds the formats that all texts of a column fit, from pieces of the column."""

    _numbers: list[NumberFormat] = field(
        default_factory=lambda: [NumberFormat(*marks) for marks in _MARKS]
    )
    _dates: list[DateFormat] = field(default_factory=lambda: list(_DATES))
    _units: dict[str, Quantity] = field(default_factory=dict)  # by key, the shortest spelling
    _first: str | None = None
    _formatted: str | None = None  # the first text that is not a plain number
    _disputed: str | None = None  # the first text that two formats read differently
    _placeholders: list[str] = field(default_factory=list)
    _has_codes: bool = False  # whether a text of digits begins with a zero
    _years: dict[str, set[int]] = field(default_factory=dict)  # of two digits, by order
    _n_dates: int = 0
    _n_versions: int = 0  # dates that may be versions

    @property
    def is_open(self) -> bool:
        """Whether some format fits all texts so far."""
        return bool(self._numbers or self._dates)

    def add(self, texts: Iterable[str]) -> None:
        """Add texts that are not missing.

        Parameters
        ----------
        texts : iterable of str
            The texts; giving each only once is faster.
        """
        for text in texts:
            if is_placeholder(text):
                self._placeholders.append(text)
                continue
            if self._first is None:
                self._first = text
            if self._numbers:
                self._add_number(text)
            if self._dates:
                self._add_date(text)
            if not self.is_open:
                return

    def _add_number(self, text: str) -> None:
        cell = split(text)
        if cell is not None:
            add_unit(self._units, cell)
        if cell is None or are_mixed(self._units):
            self._numbers = []
            return
        values = [f.value(cell) for f in self._numbers]
        self._numbers = [f for f, v in zip(self._numbers, values, strict=True) if v is not None]
        if self._disputed is None and len({v for v in values if v is not None}) > 1:
            self._disputed = text
        if self._formatted is None and parse_numbers([text]) is None:
            self._formatted = text
        self._has_codes = self._has_codes or LEADING_ZERO.fullmatch(text) is not None

    def _add_date(self, text: str) -> None:
        times = [(form, form.parse(text)) for form in self._dates]
        self._dates = [form for form, time in times if time is not None]
        for form, time in times:
            if time is not None and form.has_short_years:
                self._years.setdefault(form.order, set()).add(time.year)
        self._n_dates += 1
        self._n_versions += _VERSION.fullmatch(text) is not None

    def _in_century(self, form: DateFormat) -> DateFormat:
        """Return a format whose two-digit years do not end after this year, if that is likely.

        It is if some dates were far in the future otherwise, and none in the near future.
        """
        years, now = self._years.get(form.order, set()), _this_year()
        is_far = any(year > now + _FORESEEN for year in years)
        is_near = any(now < year <= now + _FORESEEN for year in years)
        return replace(form, last_year=now) if is_far and not is_near else form

    def found(self) -> Found | None:
        """Return the format of the column, or the two that it may have; None without any.

        Returns
        -------
        Found or None
            The format.
        """
        if self._first is None or not self.is_open:
            return None
        found = self._found(self._first)
        if not self._placeholders:
            return found
        if found.is_plain and self._has_codes:
            return None
        return replace(found, placeholders=tuple(dict.fromkeys(self._placeholders)))

    def _found(self, example: str) -> Found:
        """Return the format of the texts that are not placeholders."""
        if self._dates:
            first = self._dates[0]
            twin = _MONTH_FIRST.get(first.name)
            both = [f for f in self._dates if f.name == twin]
            is_open = first.name != "yy-mm-dd" and any(f.name == "yy-mm-dd" for f in self._dates)
            shows_order = not both and first.name in _ORDERS and not is_open
            return Found(
                self._in_century(first),
                self._in_century(both[0]) if both else None,
                example,
                is_evidence=shows_order,
                may_begin_with_year=is_open,
                may_be_version=2 * self._n_versions >= self._n_dates,
            )
        unit = next((cell.unit for cell in self._units.values() if cell.unit), "")
        units = (cell.measure or cell.currency for cell in self._units.values())
        measure = next(filter(None, units), "")
        by_mark: dict[str, NumberFormat] = {}
        for form in self._numbers:
            own = NumberFormat(form.decimal, form.thousands, unit == "%", measure)
            by_mark.setdefault(form.decimal, own)
        form, *others = by_mark.values()
        is_plain = self._formatted is None
        if others and self._disputed is not None:
            return Found(by_mark["."], by_mark[","], self._disputed, unit, is_plain)
        return Found(form, None, self._formatted or example, unit, is_plain, not others)


def _this_year() -> int:
    return datetime.now(UTC).year


def format_of(name: str) -> Format | None:
    """Return the format of a name, or None if there is none.

    >>> format_of("1,234.5 kg").parse("12.5 kg"), format_of("1,234.5 kg 7")
    (12.5, None)
    >>> format_of("dd/mm/yy to 2026").parse("01/02/27").year
    1927
    """
    order, is_dated, last_year = name.partition(" to ")
    dates = FORMATS.get(order)
    if is_dated and isinstance(dates, DateFormat) and dates.has_short_years:
        is_year = re.fullmatch("[12][0-9]{3}", last_year) is not None
        return replace(dates, last_year=int(last_year)) if is_year else None
    for form in _NUMBERS:
        measure = name.removeprefix(f"{form.name} ")
        if measure != name and not form.percent and is_unit(measure):
            return replace(form, measure=measure)
    return FORMATS.get(name)


def with_day_first(form: DateFormat, day_first: bool) -> DateFormat:
    """Return a format with the day or the month first, if it has a twin of the other order.

    >>> with_day_first(format_of("dd/mm/yyyy"), False).name
    'mm/dd/yyyy'
    """
    twins = {month: day for day, month in _MONTH_FIRST.items()} if day_first else _MONTH_FIRST
    twin = FORMATS.get(twins.get(form.order, ""))
    return replace(twin, last_year=form.last_year) if isinstance(twin, DateFormat) else form


def mixed_units(texts: Iterable[str]) -> list[str]:
    """Return the units of numbers if there are a few, such as kg and lb, kg and none, or $ and €.

    Parameters
    ----------
    texts : iterable of str
        The distinct texts; the first thousand of them are looked at.

    Returns
    -------
    list of str
        The units, with "" for none; empty if the texts are not numbers, or if they are named by
        many words.

    Examples
    --------
    >>> mixed_units(["12 kg", "13 kg", "27 lb", "31 lb", "15"]), mixed_units(["2 Elm St", "12 kg"])
    (['kg', 'lb', ''], [])
    """
    first = [text for text in islice(texts, MOST_TEXTS) if not is_placeholder(text)]
    cells = [cell for text in first if (cell := split(text)) is not None]
    units: dict[str, Quantity] = {}
    for cell in cells:
        add_unit(units, cell)
    counts = Counter(unit_key(cell.any_unit) for cell in cells)
    are_signs = all(cell.unit is not None for cell in units.values())  # which are not other words
    is_few = are_signs or (len(units) <= 3 and len(first) > len(units) + 1)
    is_common = 20 * min(counts.values(), default=0) >= len(first)
    if len(cells) < len(first) or not (is_few and is_common and are_mixed(units)):
        return []
    return [cell.any_unit for cell in units.values()]


def are_mostly_numbers(texts: Iterable[str]) -> bool:
    """Return whether at least half of the distinct texts are numbers, with or without a unit.

    >>> are_mostly_numbers(["$5", "6 kg", "red"]), are_mostly_numbers(["red", "green", "7"])
    (True, False)
    """
    first = [text for text in islice(texts, MOST_TEXTS) if not is_placeholder(text)]
    return 2 * sum(split(text) is not None for text in first) >= len(first)


def find_format(texts: Iterable[str]) -> Found | None:
    """Return the format that distinct texts fit, or None.

    >>> find_format(["$1,200", "($3.50)"]).form.name
    '1,234.5 $'
    >>> find_format(["01/02/2026", "31/01/2026"]).form.name
    'dd/mm/yyyy'
    """
    finder = FormatFinder()
    finder.add(texts)
    return finder.found()


def odd_text(texts: Iterable[str]) -> str | None:
    """Return the text that keeps a column from being numbers, if few of its texts do.

    Parameters
    ----------
    texts : iterable of str
        The distinct texts; the first thousand of them are looked at.

    Returns
    -------
    str or None
        The first text that is not a number, if there are at least 20 numbers for each such text.

    Examples
    --------
    >>> odd_text([*map(str, range(40)), "n. 7"])
    'n. 7'
    """
    first = [text for text in islice(texts, MOST_TEXTS) if not is_placeholder(text)]
    cells = [split(text) for text in first]
    measures = [None if cell is None else unit_key(cell.measure) for cell in cells]
    usual = Counter(measures).most_common(1)
    odd = [text for text, measure in zip(first, measures, strict=True) if measure != usual[0][0]]
    if usual and usual[0][0] is None:
        return None
    return odd[0] if odd and len(first) >= 21 * len(odd) else None


def converted(cells: Sequence[str | None], form: Format) -> AnyArray | None:
    """Return text as numbers or times by a format, with placeholders as missing cells.

    The result is None if any other cell does not fit the format.

    Parameters
    ----------
    cells : sequence of str or None
        The text of each row; None is a missing cell.
    form : NumberFormat or DateFormat
        The format.
    """
    parse: Callable[[str], Any] = form.parse
    values: dict[str | None, Any] = {}
    for text in set(cells):
        value = None if text is None else parse(text)
        if value is None and text is not None and not is_placeholder(text):
            return None
        values[text] = value
    dtype = "datetime64[us]" if isinstance(form, DateFormat) else "float64"
    return np.array([values[c] for c in cells], dtype=dtype)


def looks_like_dates(texts: Sequence[str]) -> bool:
    """Return whether all texts are dates in one format.

    Parameters
    ----------
    texts : sequence of str
        The texts.

    Returns
    -------
    bool
        Whether they are, even if the day and the month could be exchanged.
    """
    found = find_format(texts)
    return found is not None and found.is_date and not found.may_be_version


def formatted_number(texts: Sequence[str]) -> str | None:
    """Return a text such as "$1,200" or "12.5" if all texts are numbers or missing, or None.

    Parameters
    ----------
    texts : sequence of str
        The texts.

    Returns
    -------
    str or None
        The first such text; None if the numbers are digits alone, because those may be codes.
    """
    held = [text for text in texts if not is_missing_cell(text)]
    found = find_format(held)
    if found is None or found.is_date:
        return None
    return next((t for t in held if not (t.strip().isdigit() or is_placeholder(t))), None)
