"""Write the tables of docs/evidence/performance.md between their markers, and the figure."""

from pathlib import Path
from typing import Any

import machine
import scaling
from cases import MANY, QUICK
from contenders import CONTENDERS, contender, is_installed
from results import HERE, Results, filled, folder
from runs import ratios
from targets import targets_of

DOCUMENT = HERE.parent / "docs" / "evidence" / "performance.md"
FIGURE = Path("..") / "images" / "growth.png"
QUICK_NOTE = "A quick trial on smaller tables than those of the targets."
SAME_JOB = (f"rows/{MANY}", f"rows/{QUICK}", "leaves/pure", "categories/large")  # are compared


def write(results: Results) -> Path:
    """Fill the document and draw the figure; a quick trial fills a copy among its results."""
    text = DOCUMENT.read_text(encoding="utf-8")
    target = folder(True) / DOCUMENT.name if results.quick else DOCUMENT
    for name, lines in tables(results).items():
        text = filled(text, name, lines)
    target.write_text(text, encoding="utf-8")
    scaling.draw(results, target.parent / FIGURE)
    return target


def tables(results: Results) -> dict[str, list[str]]:
    """Return the lines of every part of the document that has results."""
    parts = {name: group_lines(group) for name, group in results.groups.items()}
    parts["calls"] = call_lines()
    parts["targets"] = target_lines(results)
    parts["scaling"] = scaling_lines(results)
    parts["memory"] = memory_lines(results)
    parts["same-job"] = job_lines(results)
    if "phases" in results.files:
        parts["phases"] = phase_lines(results.files["phases"])
    stamps = [file["machine"] for file in results.files.values() if "when" in file["machine"]]
    if stamps:
        last = max(stamps, key=lambda stamp: stamp["when"])
        parts["machine"] = [f"- {line}" for line in machine.describe(last)]
    return parts


def markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def format_seconds(seconds: float) -> str:
    """Return a time in seconds or milliseconds."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.1 else f"{seconds * 1e3:.0f} ms"


def format_ratio(ours: list[float], theirs: list[float]) -> str:
    """Return the ratio of our time to another library's, with its range over the rounds."""
    found = ratios(ours, theirs)
    spread = f" ({found['least']:.2g}-{found['most']:.2g})" if len(theirs) > 1 else ""
    return f"{found['ratio']:.2g}{spread}"


def cells_of(case: dict[str, Any]) -> dict[str, str]:
    """Return the cells of a case: our times, and their ratios to those of the others."""
    first, *others = case["contestants"]
    if "runs" not in first:
        return {outcome["name"]: "-" for outcome in case["contestants"]}
    cells = {first["name"]: format_seconds(first["seconds"])}
    for outcome in others:
        if "runs" not in outcome:
            cells[outcome["name"]] = "-"
        elif outcome["name"].startswith("ours"):
            cells[outcome["name"]] = format_seconds(outcome["seconds"])
        else:
            cells[outcome["name"]] = format_ratio(first["runs"], outcome["runs"])
    return cells


def refusals(group: dict[str, Any]) -> list[str]:
    """Return the reasons for which libraries were not run, one line each."""
    reasons: dict[str, list[str]] = {}
    for case in group["cases"]:
        for outcome in case["contestants"]:
            if outcome["refused"]:
                reasons.setdefault(outcome["refused"], []).append(
                    f"{outcome['name']} at {case['name']}"
                )
    return [f"-: {reason} ({'; '.join(who)})" for reason, who in reasons.items()]


def group_lines(group: dict[str, Any]) -> list[str]:
    """Return a group: its title, its table, and the libraries that were not run."""
    lines = [f"### {group['title']}", "", group["note"], ""]
    if not group["cases"]:
        return lines
    names = list(dict.fromkeys(t["name"] for c in group["cases"] for t in c["contestants"]))
    heads = [n if n.startswith("ours") else f"ours / {n}" for n in names]
    by_case = [(case["name"], cells_of(case)) for case in group["cases"]]
    rows = [[name, *(cells.get(n, "") for n in names)] for name, cells in by_case]
    lines += markdown([group["axis"], *heads], rows)
    return [*lines, *(line for reason in refusals(group) for line in ("", reason))]


def target_lines(results: Results) -> list[str]:
    """Return the table of targets."""
    rows = []
    for target in targets_of(results):
        value = "" if target.value is None else f"{target.value:,.3g}"
        if target.spread:
            value += f" ({target.spread[0]:.2g}-{target.spread[1]:.2g})"
        if target.beside:
            value += f"; {target.beside}"
        rows.append([target.what, target.limit_text, value, target.verdict])
    table = markdown(["what", "at most", "measured", ""], rows)
    return [QUICK_NOTE, "", *table] if results.quick else table


def scaling_lines(results: Results) -> list[str]:
    """Return the table of exponents."""
    fits = scaling.exponents(results)
    names = [n for n in scaling.STYLES if any(n in of_axis for of_axis in fits.values())]
    rows = []
    for axis, of_axis in fits.items():
        ours = of_axis.get("ours") or next(iter(of_axis.values()))
        cells = []
        for name in names:
            fit = of_axis.get(name)
            shorter = fit and (fit["from"], fit["to"]) != (ours["from"], ours["to"])
            until = f" ({fit['from']:,.0f} to {fit['to']:,.0f})" if fit and shorter else ""
            cells.append(f"{fit['exponent']:.2f}{until}" if fit else "-")
        rows.append([f"{axis}, {ours['from']:,.0f} to {ours['to']:,.0f}", *cells])
    return markdown(["exponent of", *names], rows) if rows else []


def memory_lines(results: Results) -> list[str]:
    """Return the table of peak memory."""
    rows = []
    for group in results.groups.values():
        for case in group["cases"]:
            cells = case["rows"] * case["columns"]
            for outcome in case["contestants"]:
                if outcome.get("memory") is not None:
                    each = [f"{outcome['memory'] / 1e6:,.1f}", f"{outcome['memory'] / cells:.2f}"]
                    rows.append([f"{group['name']}: {case['name']}", outcome["name"], *each])
    return markdown(["case", "", "MB above the input", "bytes per cell"], rows) if rows else []


def job_lines(results: Results) -> list[str]:
    """Return leaves and training errors, which show that all did the same job."""
    rows = []
    for key in SAME_JOB:
        case = results.case(key)
        for outcome in case["contestants"] if case else ():
            if "leaves" in outcome:
                each = [
                    format_seconds(outcome["seconds"]),
                    f"{outcome['leaves']:,}",
                    f"{outcome['error']:.4f}",
                ]
                rows.append([f"{key.partition('/')[0]}: {case['name']}", outcome["name"], *each])
    return markdown(["case", "", "shortest time", "leaves", "error on 20,000 rows"], rows)


def phase_lines(fit: dict[str, Any]) -> list[str]:
    """Return the phases of a fit and their lower bounds."""
    total = sum(phase["seconds"] for phase in fit["phases"])
    rows = []
    for phase in fit["phases"]:
        floor = phase["floor"]
        beside = ["", ""]
        if floor:
            times = f"{phase['seconds'] / floor:.1f}" if phase["seconds"] else "-"
            beside = [f"{floor * 1e3:.2f} ms", times]
        share = f"{phase['seconds'] / total:.0%}"
        rows.append([phase["name"], f"{phase['seconds'] * 1e3:.2f} ms", share, *beside])
    floors = sum(phase["floor"] or 0 for phase in fit["phases"])
    rows.append(
        ["all", f"{total * 1e3:.2f} ms", "", f"{floors * 1e3:.2f} ms", f"{total / floors:.1f}"]
    )
    size = f"{fit['rows']:,} x {fit['columns']} float32, 64 leaves, `per-leaf`"
    speed = f"a threaded copy moves {fit['bandwidth'] / 1e9:.1f} GB/s (read + written)"
    head = ["phase", "time", "share", "lower bound", "time / lower bound"]
    return [f"{size}; {speed}.", "", *markdown(head, rows)]


def call_lines() -> list[str]:
    """Return the table of the calls that are timed."""
    rows = [
        [name, f"`{contender(name).call}`"] if is_installed(name) else [name, "not installed"]
        for name in CONTENDERS
    ]
    return markdown(["", "call"], rows)
