"""A writer of .xlsx workbooks with text, numbers, dates and formulas: a ZIP file of XML files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import isfinite
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from polytomy._errors import TreeError

MOST_COLUMNS, MOST_ROWS = 16_384, 1_048_576
_LONGEST_TEXT = 32_767  # characters of a cell
_LONGEST_FORMULA = 8_192
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

# Plain cells, bold cells, cells to fill in, dates, and dates to fill in.
_STYLES = f"""{_HEAD}<styleSheet xmlns="{_MAIN}">
<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>
<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="3"><fill><patternFill patternType="none"/></fill>
<fill><patternFill patternType="gray125"/></fill>
<fill><patternFill patternType="solid"><fgColor rgb="FFFFF6DC"/></patternFill></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>
<xf numFmtId="0" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="164" fontId="0" fillId="2" borderId="0" xfId="0" applyNumberFormat="1"
 applyFill="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>"""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula, without the equals sign that people type before it."""

    text: str


@dataclass(frozen=True, slots=True)
class Bold:
    """Text in bold, such as the head of a column."""

    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A date with a time of day, as the days that Excel counts; None for an empty cell."""

    days: float | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """A cell to fill in, with an initial value or None."""

    value: Moment | str | float | bool | None = None


Cell = Formula | Bold | Moment | Input | str | float | bool | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its name, its rows of cells, and how many rows stay in view at the top."""

    name: str
    rows: Sequence[Sequence[Cell]]
    frozen: int = 1


def cell_name(row: int, column: int, *, fixed: bool = False) -> str:
    """Return the name of a cell, counted from 0: ``B3``, or ``$B$3`` if fixed.

    >>> cell_name(2, 1), cell_name(0, 26, fixed=True)
    ('B3', '$AA$1')
    """
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    mark = "$" if fixed else ""
    return f"{mark}{letters}{mark}{row + 1}"


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return a workbook as the bytes of an .xlsx file.

    Formulas are stored without their values; programs compute them when they open the file.

    Parameters
    ----------
    sheets : sequence of Sheet
        The sheets, with different names.

    Returns
    -------
    bytes
        The file. The same sheets always give the same bytes.
    """
    numbers = range(1, len(sheets) + 1)
    files = {
        "[Content_Types].xml": _content_types(numbers),
        "_rels/.rels": _relations([("rId1", "officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": _book(sheets),
        "xl/_rels/workbook.xml.rels": _relations(
            [
                *((f"rId{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in numbers),
                (f"rId{len(sheets) + 1}", "styles", "styles.xml"),
            ]
        ),
        "xl/styles.xml": _STYLES,
    }
    for i, sheet in zip(numbers, sheets, strict=True):
        files[f"xl/worksheets/sheet{i}.xml"] = _sheet(sheet)
    target = BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = ZipInfo(name)  # of 1980, so that equal workbooks are equal files
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, text.encode())
    return target.getvalue()


def _content_types(numbers: range) -> str:
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for i in numbers
    )
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{sheets}</Types>'
    )


def _relations(targets: Sequence[tuple[str, str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for key, kind, target in targets
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _book(sheets: Sequence[Sheet]) -> str:
    listed = "".join(
        f'<sheet name="{escape(sheet.name)}" sheetId="{i}" r:id="rId{i}"/>'
        for i, sheet in enumerate(sheets, 1)
    )
    return (
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        f"<bookViews><workbookView/></bookViews><sheets>{listed}</sheets>"
        '<calcPr calcId="0" fullCalcOnLoad="1"/></workbook>'
    )


def _sheet(sheet: Sheet) -> str:
    wide = max((len(row) for row in sheet.rows), default=0)
    if wide > MOST_COLUMNS or len(sheet.rows) > MOST_ROWS:
        raise TreeError(
            f"sheet {sheet.name!r} needs {len(sheet.rows):,} rows and {wide:,} columns; a workbook "
            f"has at most {MOST_ROWS:,} and {MOST_COLUMNS:,}"
        )
    rows = "".join(
        f'<row r="{i + 1}">{"".join(_cell(c, cell_name(i, j)) for j, c in enumerate(row))}</row>'
        for i, row in enumerate(sheet.rows)
    )
    pane = ""
    if sheet.frozen:
        below = cell_name(sheet.frozen, 0)
        pane = f'<pane ySplit="{sheet.frozen}" topLeftCell="{below}" activePane="bottomLeft" '
        pane += 'state="frozen"/>'
    columns = f'<cols><col min="1" max="{wide}" width="18" customWidth="1"/></cols>' if wide else ""
    return (
        f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">{pane}'
        f"</sheetView></sheetViews>{columns}<sheetData>{rows}</sheetData></worksheet>"
    )


def _styled(cell: Cell) -> tuple[str, Formula | str | float | bool | None]:
    """Return the style and the content of a cell."""
    if isinstance(cell, Input):
        if isinstance(cell.value, Moment):
            return ' s="4"', cell.value.days
        return ' s="2"', cell.value
    if isinstance(cell, Moment):
        return ' s="3"', cell.days
    return (' s="1"', cell.text) if isinstance(cell, Bold) else ("", cell)


def _cell(given: Cell, name: str) -> str:
    style, cell = _styled(given)
    if cell is None:
        return f'<c r="{name}"{style}/>' if style else ""
    if isinstance(cell, Formula):
        if len(cell.text) > _LONGEST_FORMULA:
            raise TreeError(f"a formula has {len(cell.text)} characters, and Excel allows 8,192")
        return f'<c r="{name}"{style}><f>{_text(cell.text)}</f></c>'
    if isinstance(cell, bool):
        return f'<c r="{name}"{style} t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        return (
            f'<c r="{name}"{style} t="inlineStr"><is><t xml:space="preserve">{_text(cell)}</t></is>'
            "</c>"
        )
    if not isfinite(cell):
        raise TreeError(f"a workbook cannot hold the number {cell}")
    return f'<c r="{name}"{style}><v>{cell!r}</v></c>'


def _text(text: str) -> str:
    """Return text for XML; characters that XML forbids are written as Excel does: ``_x0007_``."""
    if len(text) > _LONGEST_TEXT:
        raise TreeError(f"a cell holds {_LONGEST_TEXT:,} characters, and a text has {len(text):,}")
    if re.search(r"[\ud800-\udfff]", text):
        raise TreeError(f"a workbook cannot hold the text {text[:60]!r}; replace it")
    marked = re.sub(r"_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text)
    marked = re.sub(
        r"[\x00-\x08\x0b\x0c\r\x0e-\x1f\ufffe\uffff]", lambda c: f"_x{ord(c[0]):04X}_", marked
    )
    return escape(marked)
