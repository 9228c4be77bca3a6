"""The command line: one module a verb, all of them listed in ``entry``."""
