"""A model as source code: C, JavaScript, Python or SQL that makes the same predictions."""

from .c import to_c
from .javascript import to_javascript
from .python import to_python
from .sql import DIALECTS as SQL_DIALECTS
from .sql import OUTPUTS as SQL_OUTPUTS
from .sql import to_sql

__all__ = ["SQL_DIALECTS", "SQL_OUTPUTS", "to_c", "to_javascript", "to_python", "to_sql"]
