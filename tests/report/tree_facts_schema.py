"""The schema of the facts of a tree's report, and a function that checks it."""

import math

NUMBER, TEXT, FLAG, WHOLE = "a number", "a text", "a flag", "a whole number"
SCALARS = {
    NUMBER: lambda v: type(v) in (int, float) and math.isfinite(v),
    WHOLE: lambda v: type(v) is int,
    TEXT: lambda v: type(v) is str,
    FLAG: lambda v: type(v) is bool,
}


def is_a(value, kind):
    if isinstance(kind, list):
        return type(value) is list and all(is_a(v, kind[0]) for v in value)
    if isinstance(kind, tuple):
        return any(is_a(value, k) for k in kind)
    if isinstance(kind, dict):
        check(value, kind)
        return True
    return SCALARS[kind](value) if kind in SCALARS else value == kind


def check(value, kinds):
    """Check a dictionary; keys that end in a question mark are optional."""
    assert type(value) is dict
    known = {key.rstrip("?") for key in kinds}
    assert set(value) <= known, set(value) - known
    for key, kind in kinds.items():
        name = key.rstrip("?")
        if name not in value:
            assert key.endswith("?"), f"{name} is absent"
            continue
        assert is_a(value[name], kind), (name, value[name])


COLUMN = {
    "name": TEXT,
    "kind": ("numbers", "times", "labels", "categories"),
    "labels?": [TEXT],
    "categories?": [TEXT],
    "more?": WHOLE,
    "dtype?": TEXT,
    "zone?": TEXT,
    "has_missing": FLAG,
    "importance": NUMBER,
    "low?": NUMBER,
    "high?": NUMBER,
    "middle?": NUMBER,
    "low_text?": TEXT,
    "high_text?": TEXT,
    "middle_text?": TEXT,
}
LEAF = {
    "parent": WHOLE,
    "id?": WHOLE,
    "rows": WHOLE,
    "test?": [NUMBER],
    "interval": [NUMBER],
    "doubtful?": True,
    "answer?": TEXT,
    "branch?": TEXT,
    "known?": TEXT,
}
OF_CLASSES = {"counts": [NUMBER], "label": WHOLE, "share": NUMBER}
OF_NUMBERS = {
    "weight": NUMBER,
    "mean": NUMBER,
    "deviation": NUMBER,
    "expected": NUMBER,
    "absolute?": NUMBER,
}
INNER = {
    **LEAF,
    "joins?": True,
    "step?": WHOLE,
    "p_chance": NUMBER,
    "p_adjusted": NUMBER,
    "among": TEXT,
    "column": WHOLE,
    "asks": TEXT,
    "children": [WHOLE],
    "gain": NUMBER,
    "thresholds?": [(NUMBER, TEXT)],
    "categories?": [[WHOLE]],
    "missing": WHOLE,
    "default": WHOLE,
    "own?": True,
}
DETAIL = {
    "menu": [
        {
            "arity": WHOLE,
            "gain": NUMBER,
            "score": NUMBER,
            "column": WHOLE,
            "question": TEXT,
            "chosen?": True,
            "too_wide?": True,
        }
    ],
    "rivals?": [{"column": WHOLE, "arity": WHOLE, "gain": NUMBER}],
    "spread?": {
        "column": WHOLE,
        "labels": [TEXT],
        "here": [NUMBER],
        "parent?": [NUMBER],
        "by_class?": [[NUMBER]],
        "values?": [(NUMBER, TEXT)],
        "ends?": [NUMBER],
        "cuts?": [WHOLE],
        "means?": [(NUMBER, None)],
    },
}
PATH = {
    "sizes": [WHOLE],
    "errors": [NUMBER],
    "test_errors?": [NUMBER],
    "toggles": [[WHOLE]],
    "choices": {"srm?": WHOLE, "holdout?": WHOLE},
    "total": NUMBER,
    "test_total?": NUMBER,
}
GROWTH = {
    "leaves": [WHOLE],
    "index": [NUMBER],
    "error?": [NUMBER],
    "bound?": [NUMBER],
    "bound_holds": FLAG,
    "bound_label": TEXT,
    "procedure": TEXT,
    "index_name": TEXT,
    "title": TEXT,
}
CERTIFICATE = {
    "covered": FLAG,
    "theorem": TEXT,
    "why_not?": TEXT,
    "text": TEXT,
    "figures": [[TEXT]],
    "in_short": TEXT,
    "generalization?": [[TEXT]],
}
FIGURES = {"leaves": WHOLE, "questions": NUMBER, "error": NUMBER, "index": NUMBER, "bound": NUMBER}
SUMMARY = {
    "leaves": WHOLE,
    "depth": WHOLE,
    "questions": NUMBER,
    "train_rows": WHOLE,
    "train_error": NUMBER,
    "train_r2?": NUMBER,
    "test_r2?": NUMBER,
    "test_rows?": WHOLE,
    "test_error?": NUMBER,
    "train_cost?": NUMBER,
    "test_cost?": NUMBER,
    "procedure": TEXT,
    "index": TEXT,
    "max_leaves?": WHOLE,
    "pruned_by?": TEXT,
}
RATE = ([NUMBER], None)
PSI = {"psi": [NUMBER], "expected": NUMBER, "p": NUMBER}
DECISION = {
    "rows": ("training", "test", "out-of-bag"),
    "n": WHOLE,
    "weighted": FLAG,
    "error": NUMBER,
    "log_loss": NUMBER,
    "brier": NUMBER,
    "classes": [
        {
            "class": WHOLE,
            "threshold": [NUMBER],
            "right": [NUMBER],
            "wrong": [NUMBER],
            "own": WHOLE,
            "own_share": NUMBER,
            "auc?": [NUMBER],
            "average_precision?": NUMBER,
            "calibration": {
                **{key: [NUMBER] for key in ("predicted", "observed", "low", "high", "weight")},
                "error": NUMBER,
            },
        }
    ],
    "costs?": [[NUMBER]],
}
GROUPS = {
    "name": TEXT,
    "rows": ("training", "test", "out-of-bag"),
    "groups": [{"name": TEXT, "weight": NUMBER, "rows": WHOLE, "error": [NUMBER], "unseen?": True}],
    "classes": [
        {
            "class": WHOLE,
            **{key: [RATE] for key in ("base", "selected", "false_positive", "false_negative")},
            "at?": [WHOLE],
            "right?": [[NUMBER]],
            "wrong?": [[NUMBER]],
        }
    ],
}
DRIFT = {
    **PSI,
    "rows": ("training", "test"),
    "reference_rows": NUMBER,
    "new_rows": NUMBER,
    "smoothed": FLAG,
    "cells": {
        **{key: [NUMBER] for key in ("reference", "new", "low", "high", "part")},
        "nodes?": [WHOLE],
        "labels?": [TEXT],
    },
}
OVERVIEW = {
    "rows": ("training", "test"),
    "n": WHOLE,
    "sampled?": WHOLE,
    "columns": [
        {
            "column": WHOLE,
            "missing": NUMBER,
            "distinct?": WHOLE,
            "ends?": [TEXT],
            "labels?": [TEXT],
            "weights?": [NUMBER],
            "new?": [NUMBER],
            "drift?": PSI,
        }
    ],
}
CARD = {key: [[TEXT]] for key in ("figures", "changed", "defaults", "fingerprints")}
FACTS = {
    "kind": "tree",
    "format": 1,
    "version": TEXT,
    "title": TEXT,
    "target?": TEXT,
    "classes?": [TEXT],
    "numbers?": {
        "decimals": WHOLE,
        "exponent": FLAG,
        "trimmed": FLAG,
        "low": NUMBER,
        "high": NUMBER,
    },
    "weighted": FLAG,
    "contracted": FLAG,
    "honesty?": TEXT,
    "origin?": [TEXT],
    "edits?": [{"text": TEXT, "forgone": NUMBER, "before": FIGURES, "after": FIGURES}],
    "edits_left_out?": WHOLE,
    "costs?": [TEXT],
    "columns": [COLUMN],
    "nodes": list,
    "details?": dict,
    "details_note?": TEXT,
    "rows_note?": TEXT,
    "path": PATH,
    "growth": GROWTH,
    "certificate": CERTIFICATE,
    "summary": SUMMARY,
    "decision?": DECISION,
    "groups?": GROUPS,
    "drift?": DRIFT,
    "overview?": OVERVIEW,
    "card": CARD,
    "text": TEXT,
}


def check_facts(facts):
    """Check everything that the page relies on."""
    check({**facts, "nodes": list, "details": dict}, FACTS)
    is_numeric = "numbers" in facts
    assert is_numeric == ("classes" not in facts)
    of_target = OF_NUMBERS if is_numeric else OF_CLASSES
    for number, node in enumerate(facts["nodes"]):
        check(node, {**(INNER if "children" in node else LEAF), **of_target})
        assert node["parent"] < number
        assert is_numeric or len(node["counts"]) == len(facts["classes"])
        assert len(node.get("test", ())) in (0, 4 if is_numeric else len(facts["classes"]))
        assert ("answer" in node) == (number > 0)
        if "children" in node:
            assert all(facts["nodes"][c]["parent"] == number for c in node["children"])
            assert 0 <= node["default"] < len(node["children"])
    for number, detail in facts.get("details", {}).items():
        assert 0 <= int(number) < len(facts["nodes"])
        check(detail, DETAIL)
        _check_spread(detail.get("spread"), len(facts.get("classes", ())))
    lengths = {len(facts["path"][k]) for k in ("sizes", "errors", "toggles")}
    assert len(lengths) == 1
    assert all(len(f) == 3 for f in facts["certificate"]["figures"])


def _check_spread(spread, n_classes):
    if spread is None:
        return
    assert 0 < len(spread["labels"]) <= 16
    assert len(spread["here"]) == len(spread["labels"])
    if "parent" in spread:
        assert len(spread["parent"]) == len(spread["labels"])
        assert all(
            h <= p * (1 + 1e-4) for h, p in zip(spread["here"], spread["parent"], strict=True)
        )
    assert ("by_class" in spread) == (0 < n_classes <= 4)
    assert ("means" in spread) == (n_classes == 0)
    for weight, mean in zip(spread["here"], spread.get("means", ()), strict=False):
        assert (weight > 0) == (mean is not None)
