"""Formulas of a workbook, evaluated one by one as their definition says; only what we write."""

import math
import re
from datetime import datetime, timedelta

TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<text>"(?:[^"]|"")*")
    |(?P<cell>(?:[A-Za-z]\w*!)?\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)
    |(?P<truth>TRUE|FALSE)|(?P<name>[A-Z]+)(?=\()|(?P<mark><=|>=|<>|[-+*/()=<>,&]))""",
    re.VERBOSE,
)


class Book:
    """A workbook as openpyxl reads it; ``value`` computes a cell."""

    def __init__(self, book):
        self.book, self.known = book, {}

    def value(self, sheet, name):
        key = sheet, name
        if key not in self.known:
            raw = self.book[sheet][name].value
            if isinstance(raw, datetime):  # a date is a number of days with a format
                raw = (raw - datetime(1899, 12, 30)) / timedelta(days=1)
            is_formula = isinstance(raw, str) and self.book[sheet][name].data_type == "f"
            self.known[key] = Parser(self, sheet, raw[1:]).result() if is_formula else raw
        return self.known[key]

    def row(self, sheet, number):
        return [self.value(sheet, cell.coordinate) for cell in self.book[sheet][number]]


class Parser:
    """A recursive descent over one formula, which is computed while it is read."""

    def __init__(self, book, sheet, text):
        self.book, self.sheet = book, sheet
        self.tokens, at = [], 0
        while at < len(text):
            found = TOKEN.match(text, at)
            assert found, text[at : at + 40]
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()
        self.at = 0

    def result(self):
        value = self.comparison()
        assert self.at == len(self.tokens)
        return value

    def take(self, *marks):
        if self.at < len(self.tokens) and self.tokens[self.at][1] in marks:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def comparison(self):
        left = self.sum()
        while mark := self.take("<=", ">=", "<>", "=", "<", ">"):
            left = spread(lambda a, b, mark=mark: compare(a, b, mark), left, self.sum())
        return left

    def sum(self):
        left = self.product()
        while mark := self.take("+", "-"):
            sign = 1 if mark == "+" else -1
            left = spread(lambda a, b, s=sign: number(a) + s * number(b), left, self.product())
        return left

    def product(self):
        left = self.unary()
        while mark := self.take("*", "/"):
            if mark == "*":
                left = spread(lambda a, b: number(a) * number(b), left, self.unary())
            else:
                left = spread(lambda a, b: number(a) / number(b), left, self.unary())
        return left

    def unary(self):
        if self.take("-"):
            return spread(lambda a: -number(a), self.unary())
        return self.atom()

    def atom(self):
        if self.take("("):
            value = self.comparison()
            assert self.take(")")
            return value
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "truth":
            return text == "TRUE"
        if kind == "number":
            return float(text)
        if kind == "text":
            return text[1:-1].replace('""', '"')
        if kind == "cell":
            return self.cells(text)
        assert kind == "name", text
        return self.call(text)

    def cells(self, text):
        sheet, _, area = text.rpartition("!")
        first, _, last = area.replace("$", "").partition(":")
        sheet = sheet or self.sheet
        if not last:
            return self.book.value(sheet, first)
        block = self.book.book[sheet][f"{first}:{last}"]
        return [self.book.value(sheet, cell.coordinate) for row in block for cell in row]

    def call(self, name):
        assert self.take("(")
        given = []
        while not self.take(")"):
            given.append(self.comparison())
            self.take(",")
        return FUNCTIONS[name](*given)


def spread(f, *given):
    """Apply a function to single values, or to each value of lists."""
    lengths = {len(x) for x in given if isinstance(x, list)}
    if not lengths:
        return f(*given)
    (n,) = lengths
    return [f(*(x[i] if isinstance(x, list) else x for x in given)) for i in range(n)]


def number(x):
    """Return a value as a number; NaN stands for the error that text gives."""
    if isinstance(x, str):
        return math.nan
    return 0.0 if x is None else float(x)


def compare(a, b, mark):
    """Compare as Excel does: numbers before text before booleans; text without regard to case."""
    a, b = (_rank(x, other) for x, other in ((a, b), (b, a)))
    return {
        "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b, "<>": a != b,
    }[mark]  # fmt: skip


def _rank(x, other):
    if x is None:
        x = "" if isinstance(other, str) else 0.0
    if isinstance(x, bool):
        return 2, float(x), ""
    return (1, 0.0, x.lower()) if isinstance(x, str) else (0, float(x), "")


def _flat(given):
    return [y for x in given for y in (x if isinstance(x, list) else [x])]


def _product(*given):
    columns = [x if isinstance(x, list) else [x] for x in given]
    return sum(math.prod(map(number, row)) for row in zip(*columns, strict=True))


FUNCTIONS = {
    "IF": lambda test, yes, no=False: yes if test else no,
    "AND": lambda *given: all(_flat(given)),
    "OR": lambda *given: any(_flat(given)),
    "NOT": lambda x: not x,
    "ISNUMBER": lambda x: isinstance(x, int | float) and not isinstance(x, bool),
    "ISLOGICAL": lambda x: isinstance(x, bool),
    "ISBLANK": lambda x: x is None,
    "EXACT": lambda a, b: spread(lambda x, y: (x or "") == (y or ""), a, b),
    "SUMPRODUCT": _product,
    "SUM": lambda *given: sum(number(x) for x in _flat(given) if not isinstance(x, str)),
    "COUNTA": lambda *given: sum(x is not None for x in _flat(given)),
    "INDEX": lambda cells, i: math.nan if math.isnan(i) else _flat([cells])[int(i) - 1],
    "MATCH": lambda x, cells, _: _flat([cells]).index(x) + 1 if x in _flat([cells]) else math.nan,
    "EXP": lambda x: math.exp(number(x)),
    "LN": lambda x: math.log(number(x)),
}
