"""Names, strings and comments of C, from any text."""

import re
from collections.abc import Sequence

from polytomy._errors import TreeError
from polytomy._text import one_line
from polytomy.encode import Schema

_LONGEST_STRING = 4095  # bytes; C99 promises no more

# Keywords of C and C++, and what common headers and compilers define in lower case.
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
        "max min minor near noreturn offsetof small stderr stdin stdout unix ",
    )
)


def is_c_name(name: str) -> bool:
    """Say whether a name can be a function's in C and in C++."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is not None and name not in _RESERVED


def field_names(schema: Schema, columns: Sequence[int]) -> dict[int, str]:
    """Return a lower-case name for each column, no two alike and none that C or C++ has taken."""
    named: dict[int, str] = {}
    used: set[str] = {"row", "class", "n"}
    for j in columns:
        name = re.sub(r"[^a-z0-9]+", "_", schema[j].name.lower()).strip("_")[:40].strip("_")
        if not is_c_name(name):
            name = f"x_{name}".rstrip("_")
        while name in used:
            name = f"{name}_{j}"
        used.add(name)
        named[j] = name
    return named


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
            f"{what} has the value {one_line(text)[:60]!r}, which no string literal of C can hold; "
            "replace it before growing the tree"
        )
    return '"' + "".join(map(_escaped, data)) + '"'


def c_comment(text: str) -> str:
    """Return text as a comment that ends where it ends."""
    safe = one_line(text).replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ?/")
    safe = "".join(c if " " <= c <= "~" else _escape_point(c) for c in safe)
    return f"/* {safe.rstrip(chr(92))} */"


def _escaped(byte: int) -> str:
    char = chr(byte)
    if char in '"\\?':  # ?: two of them and a third character are a trigraph
        return "\\" + char
    return char if " " <= char <= "~" else f"\\{byte:03o}"


def _escape_point(char: str) -> str:
    return f"U+{ord(char):04X}"
