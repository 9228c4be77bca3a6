"""Names, text, numbers and comments as C writes them."""

import re
from collections.abc import Iterable, Sequence
from math import inf

from polytomy._errors import TreeError
from polytomy._text import one_line
from polytomy.encode import Schema
from polytomy.export.code.names import unique_identifiers

_LONGEST_STRING = 4095  # bytes; C99 guarantees no more
_PER_ROW = 16  # numbers in a row of an array

# Keywords of C and C++, and lower-case macros of common headers and compilers.
_RESERVED = frozenset(
    re.findall(
        r"\w+",
        "alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand "
        "bitor bool break case catch char char8_t char16_t char32_t class co_await co_return "
        "co_yield compl complex concept const const_cast consteval constexpr constinit continue "
        "decltype default delete do double dynamic_cast else enum explicit export extern false "
        "float for friend goto if imaginary inline int long mutable namespace new noexcept not "
        "not_eq nullptr operator or or_eq private protected public reflexpr register "
        "reinterpret_cast requires restrict return short signed sizeof static static_assert "
        "static_cast struct switch synchronized template this thread_local throw true try "
        "typedef typeid typename typeof typeof_unqual union unsigned using virtual void "
        "volatile wchar_t while xor xor_eq assert errno far i386 interface linux major makedev "
        "max min minor near noreturn offsetof small stderr stdin stdout unix "
        "math_errhandling h_errno d_fileno h_addr s_addr cdecl pascal huge in out optional hyper",
    )
)
_POSIX = re.compile(r"(s6|sa|sched|si|sigev|st)_\w*")  # names that POSIX headers may define


def is_c_name(name: str) -> bool:
    """Return whether a name is a valid identifier in C and in C++."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is None or _POSIX.fullmatch(name):
        return False
    return name not in _RESERVED


def field_names(schema: Schema, columns: Sequence[int]) -> dict[int, str]:
    """Return the name of each column's field, in lower case."""
    return unique_identifiers(schema, columns, is_c_name, {"row", "class", "n"}, lower=True)


def c_number(x: float) -> str:
    """Return a double as the shortest decimal that is equal to it."""
    if x in (inf, -inf):
        return "INFINITY" if x > 0 else "-INFINITY"
    return repr(x)


def array_rows(numbers: Iterable[int]) -> str:
    """Return the rows of an array of numbers."""
    items = list(map(str, numbers))
    rows = [", ".join(items[i : i + _PER_ROW]) for i in range(0, len(items), _PER_ROW)]
    return ",\n".join(f"        {row}" for row in rows)


def c_string(text: str, what: str) -> str:
    r"""Return text as a string literal of UTF-8 bytes.

    >>> print(c_string('é"?', "x"))
    "\303\251\"\?"
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = b"\0"
    if b"\0" in data or len(data) > _LONGEST_STRING:
        raise TreeError(
            f"{what} has the value {one_line(text)[:60]!r}, which a C string literal cannot hold; "
            "replace it before growing the tree"
        )
    return '"' + "".join(map(_escaped, data)) + '"'


def c_comment(text: str) -> str:
    """Return text as a C comment that cannot end early."""
    safe = one_line(text).replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ?/")
    safe = "".join(c if " " <= c <= "~" else f"U+{ord(c):04X}" for c in safe)
    return f"/* {safe.rstrip(chr(92))} */"


def _escaped(byte: int) -> str:
    char = chr(byte)
    if char in '"\\?':  # ? may begin a trigraph
        return "\\" + char
    return char if " " <= char <= "~" else f"\\{byte:03o}"
