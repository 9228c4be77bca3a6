"""How large a model file may be. Writing keeps to the same limits, so what is written is read.

They bound what a hostile file can cost: reading one takes less than a gigabyte.
"""

MAX_BYTES = 64 << 20  # of text; also of a compressed file, and of what comes out of it
MAX_MEMORY = 512 << 20  # what the parsed text may take, by the estimate of ``nesting.survey``
MAX_DEPTH = 64  # brackets within brackets
MAX_DIGITS = 30  # of a whole number; larger ones are text
MAX_NAMED_CELLS = 1 << 22  # characters that an array of text may reserve
