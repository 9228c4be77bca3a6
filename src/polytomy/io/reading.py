"""How the cells of a data file are read: what the user asked for, what was found, and notes."""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from polytomy._errors import DataFileError

from .formats import (
    FORMATS,
    DateFormat,
    Format,
    Found,
    NumberFormat,
    find_format,
    format_of,
    is_placeholder,
    mixed_units,
    odd_text,
    with_day_first,
)
from .kinds import PARSERS, Kind
from .quantities import is_currency, split

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}


class ReadingWarning(UserWarning):
    """Cells of a file were read in a way that the user should know about."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How to read text files; None means that the file shows it.

    Parameters
    ----------
    sep : str, default=None
        The delimiter of the cells of CSV files: one character, or "tab".
    decimal : {".", ","}, default=None
        The decimal mark, for columns in which it could be a mark between thousands.
    encoding : str, default=None
        The encoding of CSV files, such as "utf-8" or "cp1252".
    dayfirst : bool, default=None
        Whether dates such as 01/02/2026 begin with the day.
    formats : mapping from str to str, default={}
        The formats of some columns in the training data of a model, by name.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    dayfirst: bool | None = None
    formats: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.sep is not None and len(self.delimiter or "") != 1:
            raise DataFileError(f"sep must be one character or tab, got {self.sep!r}")
        if self.delimiter in ('"', "\n", "\r"):
            raise DataFileError(f"sep must not be a quote or a line break, got {self.sep!r}")
        if self.decimal not in (None, ".", ","):
            raise DataFileError(f"decimal must be a point or a comma, got {self.decimal!r}")
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except (LookupError, ValueError):
                raise DataFileError(f"encoding {self.encoding!r} is not known") from None

    @property
    def delimiter(self) -> str | None:
        """The delimiter as one character."""
        return None if self.sep is None else _SEPARATORS.get(self.sep, self.sep)

    def overridden(self, given: "ReadingOptions") -> "ReadingOptions":
        """Return these options of a model for another file, with those that are given for it.

        Parameters
        ----------
        given : ReadingOptions
            The options for the file. A decimal mark or an order of dates also changes the formats
            of columns; their units stay.

        Returns
        -------
        ReadingOptions
            The options.
        """
        names = ("sep", "decimal", "encoding", "dayfirst")
        chosen = {n: getattr(given, n) for n in names if getattr(given, n) is not None}
        formats = {name: given._adapted(form) for name, form in self.formats.items()}
        return replace(self, **chosen, formats=formats)

    def _adapted(self, name: str) -> str:
        """Return the name of a format with the decimal mark and the order of dates of these."""
        form = format_named(name)
        if isinstance(form, DateFormat):
            return name if self.dayfirst is None else with_day_first(form, self.dayfirst).name
        return name if self.decimal is None else form.with_decimal(self.decimal).name


@dataclass(frozen=True, slots=True)
class Note:
    """What a user should know about how a file was read.

    Parameters
    ----------
    text : str
        The fact.
    argument, value : str, default=""
        The argument of ``polytomy.read``, and its value, that reads the file in another way.
    effect : str, default=""
        What it does, such as "reads 1.234".
    column : str, default=""
        The column that the note is about; empty for the file.
    placeholders : tuple of str, default=()
        The texts of the column, such as "unknown", that are read as missing cells.
    stays_text : bool, default=False
        Whether the column holds numbers or dates that could not be read as such.
    """

    text: str
    argument: str = ""
    value: str = ""
    effect: str = ""
    column: str = ""
    placeholders: tuple[str, ...] = ()
    stays_text: bool = False

    def __str__(self) -> str:
        value = self.value if self.value in ("True", "False") else repr(self.value)
        return self._with(f"{self.argument}={value}")

    @classmethod
    def on_codes(cls, column: str) -> "Note":
        """Return the note on a column of numbers with leading zeros.

        Parameters
        ----------
        column : str
            The name of the column.

        Returns
        -------
        Note
            The note.
        """
        text = f"column {column}: some numbers begin with a zero, so they are read as codes"
        return cls(text, "numeric", column, "reads numbers", column)

    @property
    def for_command_line(self) -> str:
        """The note with the option of the command line."""
        flags = {"True": "--dayfirst", "False": "--monthfirst"}
        return self._with(flags.get(self.value, f"--{self.argument} {self.value}"))

    def _with(self, remedy: str) -> str:
        return f"{self.text} ({remedy} {self.effect})" if self.argument else self.text


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file was read.

    Parameters
    ----------
    formats : mapping from str to str, default={}
        The formats of the columns that were converted from text, by name.
    notes : tuple of Note, default=()
        What a user should know about it.
    """

    formats: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def of(self, names: Collection[str]) -> "Reading":
        """Return how some of the columns were read.

        Parameters
        ----------
        names : collection of str
            The names of the columns.

        Returns
        -------
        Reading
            Their formats, and the notes on them and on the file.
        """
        notes = tuple(note for note in self.notes if note.column in ("", *names))
        return Reading({n: form for n, form in self.formats.items() if n in names}, notes)

    def placeholders(self, name: str) -> tuple[str, ...]:
        """Return the texts of a column that are read as missing cells.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        tuple of str
            The texts, such as "unknown".
        """
        return tuple(word for n in self.notes if n.column == name for word in n.placeholders)

    def obstacle(self, name: str) -> Note | None:
        """Return the note on a column of numbers or dates that stays text.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        Note or None
            The note; None for any other column.
        """
        return next((n for n in self.notes if n.column == name and n.stays_text), None)

    def warn(self, stacklevel: int) -> None:
        """Give all notes in one warning, if there are any.

        Parameters
        ----------
        stacklevel : int
            The function to name in the warning: 2 is the caller.
        """
        if self.notes:
            text = "; ".join(map(str, self.notes))
            warnings.warn(text, ReadingWarning, stacklevel=stacklevel + 1)


def decide(
    found: Mapping[str, Found], options: ReadingOptions, delimiter: str = ""
) -> tuple[dict[str, Format], list[Note]]:
    """Return the formats of the columns of a file, and notes on them.

    Parameters
    ----------
    found : mapping from str to Found
        The formats that the cells of each column fit. Columns of plain numbers are only evidence,
        unless the file has decimal commas.
    options : ReadingOptions
        What the user asked for.
    delimiter : str, default=""
        The delimiter of the file.

    Returns
    -------
    formats : dict from str to NumberFormat or DateFormat
        The formats of columns to convert.
    notes : list of Note
        One for each of these columns, and for those whose dates stay text.
    """
    mark = options.decimal or _decimal_mark(found) or _mark_of_model(options)
    day_first = options.dayfirst if options.dayfirst is not None else _day_first(found)
    formats: dict[str, Format] = {}
    notes: list[Note] = []
    for name, column in found.items():
        if column.is_date:
            form, note = _decide_date(name, column, day_first, options.dayfirst is True)
        else:
            form, note = _decide_number(name, column, mark, delimiter)
        if column.placeholders:
            form, note = _with_placeholders(name, column, form, note)
        if form is not None:
            formats[name] = form
        notes += [] if note is None else [note]
    return formats, notes


def _with_placeholders(
    name: str, column: Found, form: Format | None, note: Note | None
) -> tuple[Format | None, Note | None]:
    """Return the format and the note of a column that also has words for missing cells."""
    if form is None and column.is_date:
        return form, note
    held = column.placeholders
    words = listed_words(held)
    if note is not None:
        text = f"{note.text}, and {words} as missing"
        return form, replace(note, text=text, placeholders=held)
    verb = "is" if len(held) == 1 else "are"
    text = f"column {name}: {words} {verb} read as missing"
    return form or column.form, Note(text, column=name, placeholders=held)


def listed_words(words: Sequence[str]) -> str:
    """Return the first of some words, in quotation marks.

    >>> listed_words(["-", "unknown"])
    "'-', 'unknown'"
    """
    return ", ".join(map(repr, words[:3])) + (", ..." if len(words) > 3 else "")


def _decimal_mark(found: Mapping[str, Found]) -> str | None:
    """Return the decimal mark that all columns agree on that have only one."""
    marks = {c.form.decimal for c in found.values() if c.is_evidence and not c.is_date}  # type: ignore[union-attr]
    return marks.pop() if len(marks) == 1 else None


def _mark_of_model(options: ReadingOptions) -> str | None:
    forms = [format_named(name) for name in options.formats.values()]
    marks = {form.decimal for form in forms if isinstance(form, NumberFormat)}
    return marks.pop() if len(marks) == 1 else None


def _day_first(found: Mapping[str, Found]) -> bool | None:
    orders = {c.form.name[0] == "d" for c in found.values() if c.is_evidence and c.is_date}
    return orders.pop() if len(orders) == 1 else None


def _decide_number(
    name: str, column: Found, mark: str | None, delimiter: str
) -> tuple[Format | None, Note | None]:
    point, comma = column.form, column.other
    if comma is None:
        return (None, None) if column.is_plain else (point, note_on(name, point, column.example))
    if column.is_plain:  # numbers with decimals, unless the file has decimal commas
        if mark != ",":
            return None, None
        return comma, note_on(name, comma, column.example, point)
    if mark is None:
        mark = _likely_mark(column, delimiter)
    form, other = (point, comma) if mark == "." else (comma, point)
    return form, note_on(name, form, column.example, other)


def _likely_mark(column: Found, delimiter: str) -> str:
    """Return the decimal mark of cells with one mark before three digits, in a file without others.

    Sums of money rarely have three decimals, and percentages rarely thousands. Files with
    semicolons have them because the comma is the decimal mark.
    """
    shown = "," if "," in column.example else "."
    if column.unit == "%":
        return shown
    if column.unit:
        return "." if shown == "," else ","
    return "," if delimiter == ";" else "."


def _decide_date(
    name: str, column: Found, day_first: bool | None, is_asked: bool
) -> tuple[Format | None, Note | None]:
    form, other = column.form, column.other
    if column.may_be_version and not is_asked:
        text = f"column {name}: {column.example!r} may be a version or a date, so it stays text"
        return None, Note(text, "dayfirst", "True", "reads dates", name, stays_text=True)
    begins_with_day = form.name.startswith("d")
    if other is None and (day_first == begins_with_day or not column.may_begin_with_year):
        return form, note_on(name, form, column.example)
    if other is None or day_first is None:
        parts = ["the day"] if begins_with_day else []
        parts += ["the month"] if other is not None or not parts else []
        parts += ["the year"] if column.may_begin_with_year else []
        begin = f"{', '.join(parts[:-1])} or {parts[-1]}"
        text = f"column {name}: {column.example!r} may begin with {begin}, so the dates stay text"
        effect = f"reads the {'day' if begins_with_day else 'month'} first"
        return None, Note(text, "dayfirst", str(begins_with_day), effect, name, stays_text=True)
    form, other = (form, other) if day_first else (other, form)
    return form, note_on(name, form, column.example, other)


def note_on(name: str, form: Format, example: str, other: Format | None = None) -> Note:
    """Return the note on a column that is read by a format; ``other`` is one that it also fits."""
    text = f"column {name}: {example!r} is read as {_shown(form, example)}"
    if isinstance(form, NumberFormat) and form.measure and not is_currency(form.measure):
        text += f", without the unit {form.measure!r}"
    if isinstance(form, DateFormat) and form.has_short_years:
        text += f", with two-digit years from {form.last_year - 99} to {form.last_year}"
    if other is None:
        return Note(text, column=name)
    effect = f"reads {_shown(other, example)}"
    if isinstance(other, NumberFormat):
        return Note(text, "decimal", other.decimal, effect, name)
    return Note(text, "dayfirst", str(other.name[0] == "d"), effect, name)


def _shown(form: Format, text: str) -> str:
    value = form.parse(text)
    assert value is not None
    if isinstance(form, DateFormat):
        return str(value).removesuffix(" 00:00:00")
    return f"{value:.15g}"


@dataclass(slots=True)
class TextColumns:
    """The text columns of a file, some of which are numbers or dates in text.

    Parameters
    ----------
    options : ReadingOptions
        What the user asked for, and the formats of a model's columns.
    kinds : mapping from str to str
        The kinds that some columns must have.
    delimiter : str, default=""
        The delimiter of the file.
    """

    options: ReadingOptions
    kinds: Mapping[str, Kind]
    delimiter: str = ""
    found: dict[str, Found] = field(default_factory=dict)
    known: dict[str, Format] = field(default_factory=dict)
    plain: dict[str, Kind] = field(default_factory=dict)
    doubts: list[Note] = field(default_factory=list)

    def add(self, name: str, texts: Collection[str]) -> None:
        """Add a column.

        Parameters
        ----------
        name : str
            Its name.
        texts : collection of str
            Its distinct texts without missing cells.

        Raises
        ------
        DataFileError
            If a column of the model has another unit than in its training data.
        """
        if not texts:
            if name in self.kinds:
                self.plain[name] = self.kinds[name]
            return
        self._check_sign(name, texts)
        if self._is_as_stored(name, texts):
            return
        kinds: list[Kind] = ["time", "zoned time"]
        if name in self.kinds:
            kinds = [self.kinds[name]]
        for plain in kinds:  # cells of files with types; those of CSV files were tried before
            if plain in PARSERS and PARSERS[plain](list(texts)) is not None:
                self.plain[name] = plain
                return
        found = find_format(texts)
        if found is not None:
            self._check_unit(name, found.form)
            self.found[name] = found
        else:
            self.add_obstacle(name, texts)

    def add_obstacle(self, name: str, texts: Collection[str]) -> None:
        """Add a note on a column that stays text, if it nearly is one of numbers.

        Parameters
        ----------
        name : str
            Its name.
        texts : collection of str
            The first of its distinct texts, at least ``MOST_TEXTS`` if there are as many.
        """
        if name in self.options.formats or name in self.kinds:
            return
        why = _obstacle(texts)
        if why:
            text = f"column {name} stays text, because {why}"
            self.doubts.append(Note(text, column=name, stays_text=True))

    def _is_as_stored(self, name: str, texts: Collection[str]) -> bool:
        """Return whether the format of the training data is known and fits, and keep it if so."""
        if name not in self.options.formats:
            return False
        form = format_named(self.options.formats[name])
        if not all(form.parse(t) is not None or is_placeholder(t) for t in texts):
            return False
        self.known[name] = form
        return True

    def _check_unit(self, name: str, form: Format) -> None:
        """Raise an error if a column of a model has another unit than in the training data."""
        if name not in self.options.formats or name not in self.kinds:
            return
        stored = format_named(self.options.formats[name])
        if isinstance(stored, DateFormat) or isinstance(form, DateFormat):
            return
        if stored.differs_in_unit(form):
            raise DataFileError(
                f"column {name} is in {stored.unit!r} in the model and in {form.unit!r} here"
            )

    def _check_sign(self, name: str, texts: Collection[str]) -> None:
        """Add a note if numbers have lost the unit that they had in the training data of a model.

        Percentages could be shares now, and sums could be in another currency.
        """
        form = format_named(self.options.formats[name]) if name in self.options.formats else None
        if not isinstance(form, NumberFormat) or not form.unit:
            return
        cells = [t for t in texts if not is_placeholder(t)]
        if not cells or any(cell is None or cell.any_unit for cell in map(split, cells)):
            return
        text = f"column {name} has no unit: {cells[0]!r} is read in {form.unit!r}"
        if form.percent:
            text = f"column {name} has no percent signs: {cells[0]!r} is read as a percentage"
        elif is_currency(form.unit):
            text = f"column {name} has no currency: {cells[0]!r} is read in {form.unit!r}"
        self.doubts.append(Note(text, column=name))

    @property
    def asks_for_marks(self) -> bool:
        """Whether plain numbers matter: they show the decimal mark, or have thousands."""
        numbers = [c for c in self.found.values() if not c.is_date and not c.is_plain]
        return self.options.decimal == "," or any(
            c.other is not None or (c.is_evidence and c.form.decimal == ",")  # type: ignore[union-attr]
            for c in numbers
        )

    def decide(self) -> tuple[dict[str, Format], list[Note], list[str]]:
        """Return the formats of columns, notes on them, and columns that are not what they must be.

        Returns
        -------
        formats : dict from str to NumberFormat or DateFormat
            The formats of columns to convert.
        notes : list of Note
            What a user should know about them.
        wrong : list of str
            Columns that must be numbers or times and are not.
        """
        dates = {"number": False, "time": True}
        fitting = {
            name: replace(column, may_be_version=column.may_be_version and name not in self.kinds)
            for name, column in self.found.items()
            if dates.get(self.kinds.get(name, ""), column.is_date) == column.is_date
        }
        formats, notes = decide(fitting, self.options, self.delimiter)
        notes = [*self.doubts, *notes]
        formats |= self.known
        required = [n for n, kind in self.kinds.items() if kind in dates]
        wrong = [n for n in required if n not in formats and n not in self.plain]
        return formats, notes, wrong


def _obstacle(texts: Collection[str]) -> str:
    """Return what keeps a column of mostly numbers from being read as such; empty if they are not.

    Parameters
    ----------
    texts : collection of str
        The distinct texts of the column.
    """
    units = mixed_units(texts)
    if units:
        words = [repr(unit) if unit else "none" for unit in sorted(units, reverse=True)]
        return f"its numbers have different units: {', '.join(words[:-1])} and {words[-1]}"
    odd = odd_text(texts)
    return "" if odd is None else f"{odd!r} is not a number"


def format_named(name: str) -> Format:
    """Return a format by its name; raise an error if there is none.

    Parameters
    ----------
    name : str
        The name, such as "1.234,5" or "dd/mm/yyyy".

    Returns
    -------
    NumberFormat or DateFormat
        The format.
    """
    form = format_of(name)
    if form is None:
        raise DataFileError(f"unknown format of cells {name!r}; known are {', '.join(FORMATS)}")
    return form
