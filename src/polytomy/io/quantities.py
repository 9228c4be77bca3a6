"""Numbers in text, taken apart: the sign, the currency or the unit, and the digits."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

_SIGNS = "$€£¥₹₩₽₺₴₪฿₫₦₱₡₲₵₸₼₾"
_DOLLARS = "US$ CA$ AU$ NZ$ HK$ A$ C$ R$ S$"
_CODES = (
    "USD EUR GBP JPY CHF CNY INR AUD CAD NZD SEK NOK DKK PLN CZK HUF RON BGN TRY RUB BRL MXN ZAR "
    "KRW SGD HKD ILS THB kr kr. zł Kč Ft Fr. Rs Rs. lei"
)
_CURRENCY = "|".join(
    map(re.escape, sorted([*_SIGNS, *_DOLLARS.split(), *_CODES.split()], key=len, reverse=True))
)
# Names of one currency. A plain $ is that of the United States: other dollars have a letter.
_SYMBOLS = {"USD": "$", "US$": "$", "EUR": "€", "GBP": "£", "INR": "₹", "Rs": "₹"}
_WORD = r"[^\W\d_²³]+"
# such as kg, km/h, °C, kg/m², sq ft
_UNIT = rf"[°µμ]?{_WORD}(?:[/·]{_WORD})?[²³23]?\.?(?: {_WORD})?|[°\"\u2032\u2033]"
_CELL = re.compile(
    rf"(?P<open>\()? ?(?P<sign>[-+])? ?(?P<before>{_CURRENCY})? ?(?P<inner>[-+])? ?"
    rf"(?P<body>[0-9.,][0-9.,' ]*?(?:[eE][-+]?[0-9]+)?)(?P<space> ?)"
    rf"(?:(?P<after>{_CURRENCY}|%)|(?P<measure>{_UNIT}))? ?(?P<last>-)? ?(?P<close>\))?"
)
LEADING_ZERO = re.compile(r"0[0-9]+")
# the half of a day, an ordinal such as 2nd, a flat or a seat such as 39A
_NOT_UNITS = re.compile(r" ?[AaPp][Mm]|st|nd|rd|th|ST|ND|RD|TH|[A-Z]")
_PLURAL = re.compile(rf"{_WORD}(?<![sui])s(?<=....)")  # such as days, but not glass and Celsius
_SHORT_PLURALS = frozenset(["hrs", "kgs", "lbs", "wks", "yds", "yrs"])
# Spaces that separate thousands, signs and apostrophes as typesetting programs write them.
_PLAIN = str.maketrans(dict.fromkeys("\u00a0\u202f\u2009\t", " ") | {"\u2212": "-", "\u2019": "'"})


@dataclass(frozen=True, slots=True)
class Quantity:
    """The parts of a number in text: its sign, its currency or percent sign, unit and digits."""

    negative: bool
    unit: str | None
    body: str
    measure: str = ""

    @property
    def currency(self) -> str:
        """The currency; empty without one."""
        return "" if self.unit in (None, "%") else str(self.unit)

    @property
    def any_unit(self) -> str:
        """The currency, the percent sign or the unit; empty without one."""
        return self.unit or self.measure


def split(text: str) -> Quantity | None:
    """Return the parts of a number in text, or None if it cannot be one."""
    plain = text.translate(_PLAIN)
    found = _CELL.fullmatch(plain.strip())
    if found is None:
        return None
    signs = [found[name] for name in ("sign", "inner", "last") if found[name]]
    in_brackets = found["open"] is not None
    if in_brackets != (found["close"] is not None) or len(signs) + in_brackets > 1:
        return None
    if found["before"] and found["after"]:
        return None
    unit, measure = found["before"] or found["after"], found["measure"] or ""
    if measure and (found["before"] or found["last"] or LEADING_ZERO.match(found["body"])):
        return None
    if _NOT_UNITS.fullmatch(found["space"] + measure):
        return None
    return Quantity(in_brackets or signs == ["-"], unit, found["body"], measure)


def unit_key(unit: str) -> str:
    """Return what the spellings of a unit have in common: 1 year and 2 years, m² and m2, USD and $.

    >>> [unit_key(unit) for unit in ("years", "lbs.", "ms", "m/s", "Celsius", "glass", "m²", "EUR")]
    ['year', 'lb', 'ms', 'm/s', 'Celsius', 'glass', 'm2', '€']
    """
    word = unicodedata.normalize("NFKC", unit).removesuffix(".")
    if word in _SYMBOLS:
        return _SYMBOLS[word]
    is_plural = word in _SHORT_PLURALS or _PLURAL.fullmatch(word) is not None
    return word[:-1] if is_plural else word


def add_unit(units: dict[str, Quantity], cell: Quantity) -> None:
    """Add the unit of a cell by its key; of several spellings, the shortest is kept."""
    key, unit = unit_key(cell.any_unit), cell.any_unit
    known = units.setdefault(key, cell).any_unit
    if (len(unit), unit) < (len(known), known):
        units[key] = cell


def are_mixed(units: Mapping[str, Quantity]) -> bool:
    """Return whether units differ: two currencies, kilograms and pounds, kilograms and none.

    Sums of one currency may be without its sign.
    """
    named = [cell for key, cell in units.items() if key]
    is_currency = len(named) == 1 and bool(named[0].currency)
    return len(units) > 1 and not is_currency


def is_unit(text: str) -> bool:
    """Return whether a text can be the unit of numbers, with a blank between, or a currency.

    >>> is_unit("km/h"), is_unit("€"), is_unit("pm"), is_unit("7")
    (True, True, False, False)
    """
    return re.fullmatch(f"{_CURRENCY}|{_UNIT}", text) is not None and not _NOT_UNITS.fullmatch(
        f" {text}"
    )


def is_currency(unit: str) -> bool:
    """Return whether a unit is a currency.

    >>> is_currency("US$"), is_currency("kg")
    (True, False)
    """
    return re.fullmatch(_CURRENCY, unit) is not None
